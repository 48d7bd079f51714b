// Use of the local server: connecting to its engines, and waiting while it compiles variants.

import { loadIndex } from "../client/loader.js";
import { RemoteEngine } from "../client/remote_engine.js";
import { h, pause } from "./elements.js";
import { t } from "./translate.js";

const PAUSE = 1000; // ms between two requests for the progress of the compilation

/** Load the index of variants, waiting until one of them can be played. Progress is shown in `host`.
 * @param {Element} host  @returns {Promise<Index>} */
export async function playableIndex(host) {
  let index = await loadIndex();
  const message = h("p", { class: "message note", role: "status" });
  while (!index.games.length && index.server?.compiling) {
    message.textContent = t("compiling", { what: index.server.compiling });
    host.append(message);
    await pause(PAUSE);
    index = await loadIndex();
  }
  message.remove();
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
  if (server.compiling) void takeUp(index);
}

/** Update the index until all variants are compiled.
 * @param {Index} index */
async function takeUp(index) {
  while (index.server?.compiling) {
    await pause(PAUSE);
    // if the request fails, because the server has stopped, it is repeated after the pause
    await loadIndex().then((fresh) => Object.assign(index, fresh)).catch(() => {});
  }
}
