// Keeps the whole site in one cache for each version, so that the page works without a network and never mixes files of
// two versions. A new version is fetched beside the old one and waits until the page asks for it, or is closed.
//
// files.json lists what there is with the SHA-256 of each file. The page itself is fetched at once, a game when it is
// played or when the page says that there is time. The site's last line of this file sets `version` to files.json's.

const PREFIX = "kogoma-", LIST = "files.json";
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/** @type {any} */
const worker = self;

/** @typedef {{[path: string]: string}} Files path to SHA-256 */

/** @param {string} path */
const address = (path) => new URL(path, worker.registration.scope).href;

/** Whether a file belongs to one game; the others are the page's.
 * @param {string} path */
const isGame = (path) => /^(games|kernels)\//.test(path) && path !== "games/index.json";

/** @returns {Promise<Cache>} */
const own = () => caches.open(PREFIX + worker.version);

/** What files this worker's version has.
 * @returns {Promise<Files>} */
async function list() {
  worker.files ??= await (await (await own()).match(address(LIST)))?.json() ?? {};
  return worker.files;
}

/** A file of this version, from the network; an Error if what came belongs to another one. With headers that allow
 * threads to share memory, which a static host seldom sends.
 * @param {string} path  @param {string} hash  @returns {Promise<Response>} */
async function fetched(path, hash) {
  const response = await fetch(address(path), { cache: "no-cache" });
  const bytes = await response.arrayBuffer(), sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const found = Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (!response.ok || found !== hash) throw new Error(`${path} is not the one of version ${worker.version}`);
  const headers = new Headers(response.headers);
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  for (const [name, value] of Object.entries(ISOLATED)) headers.set(name, value);
  return new Response(bytes, { headers });
}

/** The file as it is kept; fetched and kept if it is not yet.
 * @param {string} path  @param {Files} files  @returns {Promise<Response>} */
async function kept(path, files) {
  const cache = await own();
  const known = await cache.match(address(path));
  if (known) return known;
  const response = await fetched(path, files[path]);
  await cache.put(address(path), response.clone());
  return response;
}

async function install() {
  const response = await fetch(address(LIST), { cache: "no-store" });
  const { version, files } = await response.json();
  if (version !== worker.version) throw new Error(`${LIST} is of version ${version}, not ${worker.version}`);
  const cache = await own();
  await Promise.all(Object.keys(files).filter((path) => !isGame(path)).map(async (path) => {
    await cache.put(address(path), await fetched(path, files[path]));
  }));
  // A game that was kept for the version before needs no network if it is the same: its name holds its hash.
  for (const path of Object.keys(files).filter(isGame)) {
    const before = await caches.match(address(path));
    if (before) await cache.put(address(path), before);
  }
  await cache.put(address(LIST), new Response(JSON.stringify(files)));
}

async function activate() {
  const others = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== PREFIX + worker.version);
  await Promise.all(others.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** Keep these games' files, or all, one after the other, and say so.
 * @param {any} client  @param {string[] | "all"} wanted */
async function keepGames(client, wanted) {
  const files = await list(), paths = wanted === "all" ? Object.keys(files) : wanted.filter((path) => files[path]);
  for (const path of paths) await kept(path, files);
  client?.postMessage({ kept: wanted });
}

/** @param {Request} request  @returns {Promise<Response>} */
async function answer(request) {
  const path = request.url.slice(worker.registration.scope.length).replace(/[?#].*/s, "") || "index.html";
  const files = await list();
  return files[path] && request.method === "GET" ? kept(path, files) : fetch(request);
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.url.startsWith(worker.registration.scope)) event.respondWith(answer(event.request));
});
worker.addEventListener("message", (/** @type {any} */ event) => {
  if (event.data === "take over") worker.skipWaiting();
  // What can't be fetched now is fetched once it is played.
  else if (event.data?.keep) event.waitUntil(keepGames(event.source, event.data.keep).catch(() => {}));
});
