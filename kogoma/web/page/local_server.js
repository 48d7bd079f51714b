// Use of the local server: connecting to its engines, and waiting while it compiles variants.

import { defineFaces, defineMoves } from "../board/pieces.js";
import { loadIndex } from "../client/loader.js";
import { RemoteEngine } from "../client/remote_engine.js";
import { pause } from "./elements.js";
import { t } from "./translate.js";

const PAUSE = 1000; // ms between two requests for the progress of the compilation

/** Return the index of variants once one can be played; `host` shows the progress. Throws an Error if none can be built.
 * @param {Element} host has a paragraph and a progress bar  @returns {Promise<Index>} */
export async function playableIndex(host) {
  let index = await readIndex();
  const [text, bar] = host.children;
  while (!index.games.length && index.server?.compiling) {
    const { compiling, progress } = index.server;
    if (!progress) throw new Error(compiling);
    const { elapsed, expected } = progress, said = timeLeft(progress);
    if (text.textContent !== said) text.textContent = said; // screen readers read each change
    Object.assign(bar, { max: expected, value: elapsed });
    await pause(PAUSE);
    index = await readIndex();
  }
  bar.removeAttribute("value");
  text.textContent = t("loading");
  return index;
}

/** Say how long the server will go on compiling.
 * @param {{elapsed: number, expected: number}} progress in seconds */
const timeLeft = ({ elapsed, expected }) => t("compiling", { seconds: 5 * Math.ceil((expected - elapsed) / 5) });

/** Load the index, and define the pieces of its variants. */
async function readIndex() {
  const index = await loadIndex();
  for (const { name, faces, moves } of index.games) {
    if (Object.keys(faces).length) defineFaces(name, faces);
    defineMoves(name, moves);
  }
  return index;
}

/** Make the server's engines available, and add variants as they are compiled.
 * @param {App} app */
export function useServer(app) {
  const { index } = app, { server } = index;
  if (!server) return;
  app.remote = (engine, variant) => {
    const remote = new RemoteEngine(server, engine, variant);
    remote.onNotice = (text) => app.tell(t(text ? "connection-lost" : "connection-back", { name: engine }), "note");
    return remote;
  };
  if (server.progress) void updateIndex(app);
}

/** Wait until the variant `name` is compiled, or until no variant is left to compile. Show that the page waits.
 * @param {App} app  @param {string | null} name */
export async function compiled({ index, tell }, name) {
  const isWaiting = () => name !== null && index.server?.progress && !index.games.some((game) => game.name === name);
  if (!isWaiting() || !index.server?.progress) return;
  const removeMessage = tell(timeLeft(index.server.progress));
  while (isWaiting()) await pause(PAUSE);
  removeMessage();
}

/** Update the index until all variants are compiled.
 * @param {App} app */
async function updateIndex(app) {
  const { index } = app;
  while (index.server?.progress) {
    await pause(PAUSE);
    // if the request fails, because the server has stopped, it is repeated after the pause
    const count = index.games.length;
    await readIndex().then((fresh) => Object.assign(index, fresh)).catch(() => {});
    if (index.games.length !== count) app.changed("view"); // the home page shows all games
  }
}
