// Registers the service worker, which makes the site available offline, and offers new versions of the site.

import { ROOT } from "../client/loader.js";
import { includes } from "./app.js";
import { t } from "./translate.js";

/** Register the service worker, which caches the site. Pages of the local server do not use it.
 * @param {App} app */
export async function registerServiceWorker(app) {
  if (!("serviceWorker" in navigator) || !isSecureContext || app.index.server) return;
  const { serviceWorker } = navigator;
  const wasControlled = serviceWorker.controller !== null; // false on the first visit
  // Another version has been activated, here or in another tab: reload.
  serviceWorker.addEventListener("controllerchange", () => wasControlled && location.reload());
  // When the open game is cached, cache all other games, unless the user saves data.
  serviceWorker.addEventListener("message", ({ data }) => {
    document.documentElement.dataset.offline = data.kept === "all" ? "all" : "game";
    if (data.kept !== "all" && !(/** @type {any} */ (navigator).connection?.saveData)) serviceWorker.controller?.postMessage({ keep: "all" });
  });
  try {
    const registration = await serviceWorker.register(new URL("service_worker.js", ROOT), { updateViaCache: "none" });
    const offer = () => {
      const { waiting } = registration;
      if (!waiting || !wasControlled) return;
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
    // The page also works without a service worker.
  }
}
