// Caches the whole site, with one cache per version, so that the page works offline and never mixes files of two
// versions. A new version is fetched while the old one runs, and waits until the page activates it or is closed.
//
// files.json lists the files with their SHA-256. The page's files are fetched at installation, a game's files when it
// is played or the page requests it. Blocks of tablebases are not listed; those that the page has requested are kept.
// web/site.py appends a line to this file: it sets `version` to that of files.json.

const PREFIX = "kogoma-", LIST = "files.json";
const BLOCKS = `${PREFIX}tablebases`; // the cache of blocks, for all versions: a block's name contains a mark of its content
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/** @type {any} */
const worker = self;

/** @typedef {{[path: string]: string}} Files path to SHA-256 */

/** @param {string} path */
const address = (path) => new URL(path, worker.registration.scope).href;

/** Return whether a file belongs to a game, not to the page.
 * @param {string} path */
const isGame = (path) => /^(games|kernels)\//.test(path) && !/^games\/(index|mates|tablebases)\.json$/.test(path);

/** @returns {Promise<Cache>} */
const ownCache = () => caches.open(PREFIX + worker.version);

/** Return the files of this worker's version.
 * @returns {Promise<Files>} */
async function listFiles() {
  worker.files ??= await (await (await ownCache()).match(address(LIST)))?.json() ?? {};
  return worker.files;
}

/** Fetch a file. Throw an Error if its hash is not that of this version. Add the headers for cross-origin isolation,
 * which static hosts seldom send: without them, threads cannot share memory.
 * @param {string} path  @param {string} hash  @returns {Promise<Response>} */
async function fetchFile(path, hash) {
  const response = await fetch(address(path), { cache: "no-cache" });
  const bytes = await response.arrayBuffer(), sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const found = Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (!response.ok || found !== hash) throw new Error(`${path} is not of version ${worker.version}`);
  const headers = new Headers(response.headers);
  for (const name of ["Content-Encoding", "Content-Length"]) headers.delete(name);
  for (const [name, value] of Object.entries(ISOLATED)) headers.set(name, value);
  return new Response(bytes, { headers });
}

/** Return a file from the cache; fetch and store it first if it is not there.
 * @param {string} path  @param {Files} files  @returns {Promise<Response>} */
async function cached(path, files) {
  const cache = await ownCache();
  const known = await cache.match(address(path));
  if (known) return known;
  const response = await fetchFile(path, files[path]);
  await cache.put(address(path), response.clone());
  return response;
}

/** Cache the page's files, and the unchanged games of other versions' caches. */
async function install() {
  const response = await fetch(address(LIST), { cache: "no-store" });
  const { version, files } = await response.json();
  if (version !== worker.version) throw new Error(`${LIST} is of version ${version}, not ${worker.version}`);
  const cache = await ownCache();
  await Promise.all(Object.keys(files).filter((path) => !isGame(path)).map(async (path) => {
    await cache.put(address(path), await fetchFile(path, files[path]));
  }));
  // Copy unchanged games from older versions' caches: names of game files contain their hashes, so equal names mean
  // equal files.
  for (const path of Object.keys(files).filter(isGame)) {
    const before = await caches.match(address(path));
    if (before) await cache.put(address(path), before);
  }
  await cache.put(address(LIST), new Response(JSON.stringify(files)));
}

/** Delete the caches of other versions, and take control of the open pages. */
async function activate() {
  const kept = [PREFIX + worker.version, BLOCKS];
  const others = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && !kept.includes(name));
  await Promise.all(others.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** Cache the files with the wanted paths, or all files, one after the other, and then notify the client.
 * @param {any} client  @param {string[] | "all"} wanted */
async function cacheGames(client, wanted) {
  const files = await listFiles(), paths = wanted === "all" ? Object.keys(files) : wanted.filter((path) => files[path]);
  for (const path of paths) await cached(path, files);
  client?.postMessage({ kept: wanted });
}

/** Return a block of a tablebase from the cache; fetch and store it first if it is not there.
 * @param {Request} request  @returns {Promise<Response>} */
async function block(request) {
  const cache = await caches.open(BLOCKS), known = await cache.match(request.url);
  if (known) return known;
  const response = await fetch(request);
  if (response.ok) await cache.put(request.url, response.clone());
  return response;
}

/** Return the cached file for a GET request of a listed file or a block; forward other requests to the network.
 * @param {Request} request  @returns {Promise<Response>} */
async function answer(request) {
  const path = request.url.slice(worker.registration.scope.length).replace(/[?#].*/s, "") || "index.html";
  if (request.method === "GET" && /^tablebase\/[^/]+\/\d+\.gz$/.test(path)) return block(request);
  const files = await listFiles();
  return files[path] && request.method === "GET" ? cached(path, files) : fetch(request);
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.url.startsWith(worker.registration.scope)) event.respondWith(answer(event.request));
});
worker.addEventListener("message", (/** @type {any} */ event) => {
  if (event.data === "take over") worker.skipWaiting();
  // Games that cannot be fetched now are fetched when they are played.
  else if (event.data?.keep) event.waitUntil(cacheGames(event.source, event.data.keep).catch(() => {}));
});
