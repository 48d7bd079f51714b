// The service worker's end in the page: the page works without a network once it was loaded, and offers new versions.

import { includes } from "./app.js";
import { t } from "./translate.js";

/** Let the service worker keep the site's files; where there is none, the page needs its network. A page of the local
 * server has no use without it, and gets none.
 * @param {App} app */
export async function keepOffline(app) {
  if (!("serviceWorker" in navigator) || !isSecureContext || app.index.server) return;
  const { serviceWorker } = navigator;
  const hadOne = serviceWorker.controller !== null;
  // Another version took over, here or in another tab: the page must become that version, too.
  serviceWorker.addEventListener("controllerchange", () => hadOne && location.reload());
  serviceWorker.addEventListener("message", ({ data }) => {
    document.documentElement.dataset.offline = data.kept === "all" ? "all" : "game";
    if (data.kept !== "all" && !(/** @type {any} */ (navigator).connection?.saveData)) serviceWorker.controller?.postMessage({ keep: "all" });
  });
  try {
    const registration = await serviceWorker.register(new URL("../service_worker.js", import.meta.url), { updateViaCache: "none" });
    const offer = () => {
      const { waiting } = registration;
      if (!waiting || !hadOne) return;
      app.tell(t("new-version"), "note", { label: t("reload"), act: () => waiting.postMessage("take over") });
    };
    offer();
    registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", offer));
    await serviceWorker.ready;
    const keep = () => {
      const { data, kernels, shared } = app.entry;
      registration.active?.postMessage({ keep: [data, kernels, shared] });
    };
    keep();
    app.on("changed", (what) => includes(what, "game") && keep());
  } catch {
    // The browser does not allow it, or the site can't be reached: the page itself works all the same.
  }
}
