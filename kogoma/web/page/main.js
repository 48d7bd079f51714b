// The entry point of the page: check the browser, load the variants, open the last game, create the parts.

import { hasKanji } from "../board/drawing.js";
import { mostThreads } from "../client/engine.js";
import { entryOf, missing } from "../client/loader.js";
import { App } from "./app.js";
import { byId, h, icon, iconButton, spoken, whenLoaded } from "./elements.js";
import { Keeper, openSaved, showGames } from "./games_list.js";
import { HomePage } from "./home.js";
import { playableIndex, useServer } from "./local_server.js";
import { registerServiceWorker } from "./offline.js";
import { BoardPanel } from "./play/board_panel.js";
import { Match, casual } from "./play/match.js";
import { moveList } from "./play/move_list.js";
import { askGame, begin, beginShown, orientBoard } from "./play/set_up.js";
import { namedGame } from "./game_records/fragment.js";
import { askFile, openEntered } from "./game_records/opening.js";
import { Settings } from "./settings.js";
import { Store } from "./storage.js";
import { gameName, t, translate } from "./translate.js";
import { followAddress, onView, openView, shownView } from "./views.js";

const SHORT = 8000; // ms until a note is removed
const USUAL_LEVEL = 4; // of the engine, in the list of levels
const MAX_MESSAGES = 3; // older ones are removed, because messages cover the page

/** Show a message, with a button for `remedy`, and return a function that removes it. An equal message is replaced.
 * @param {string} text  @param {Tone} [tone]  @param {Remedy} [remedy] */
function tell(text, tone = "note", remedy) {
  for (const known of document.querySelectorAll(".message span")) if (known.textContent === text) known.parentElement?.remove();
  const message = h("div", { class: `message ${tone}`, role: tone === "problem" ? "alert" : "status" }, h("span", {}, text));
  /** @type {HTMLElement | null} the element that had the focus before the message */
  let before = null;
  message.addEventListener("focusin", ({ relatedTarget }) => {
    if (!message.contains(/** @type {Node | null} */ (relatedTarget))) before = /** @type {HTMLElement | null} */ (relatedTarget);
  });
  const close = () => {
    const focused = message.contains(document.activeElement), around = message.closest("dialog") ?? byId("play");
    message.remove();
    if (focused) (before?.isConnected ? before : around).focus();
  };
  if (remedy) {
    message.append(h("button", { type: "button", class: "small", onclick: () => {
      close();
      remedy.act();
    } }, remedy.label));
  }
  message.append(iconButton(t("close"), ["-M6 6l12 12M18 6L6 18"], close, { class: "close" }));
  // a modal dialog hides the rest of the page
  (document.querySelector("dialog[open]") ?? byId("messages")).append(message);
  for (const old of [...byId("messages").children].slice(0, -MAX_MESSAGES)) old.remove();
  if (tone === "note") setTimeout(close, SHORT);
  return close;
}

/** @param {App} app  @param {Settings} settings */
function applySettings(app, settings) {
  const { language, pieceSet, coordinates, premoves, threads, hashMb, engine } = settings.chosen, { index } = app;
  app.premoves = premoves;
  Object.assign(app.view, { language, pieceSet, coordinates });
  app.power = { threads: Math.min(threads, mostThreads()), hashMb };
  app.engineName = (role) => {
    const seat = app.match.terms.seats[role === "white" ? 1 : 0];
    if (role === "analysis") return index.server?.engines.includes(engine) ? engine : ""; // settings may come from elsewhere
    return role !== "hint" && seat.kind === "engine" ? seat.engine : "";
  };
}

/** @type {import("./sounds.js").Sounds | null} sounds are loaded when they are switched on */
let sounds = null;

/** Set the volume of sounds.
 * @param {App} app  @param {number} volume  @param {boolean} [heard] whether the user hears it if it has changed */
function setVolume(app, volume, heard = false) {
  if (!volume && !sounds) return;
  void whenLoaded(tell, import("./sounds.js"), ({ Sounds }) => {
    const before = sounds?.volume;
    sounds ??= new Sounds(app, volume);
    sounds.volume = volume;
    if (heard && before !== volume) sounds.play("move");
  });
}

/** @param {Settings} settings  @param {Store} store */
async function start(settings, store) {
  const lacking = missing(), alone = lacking.join() === "Worker"; // no engine then, but two people can play
  if (lacking.length && !alone) throw new Error(t("lacks", { what: lacking.join(", ") }));
  if (alone) tell(t("lacks-engine"), "problem");
  const index = await playableIndex(byId("loading"));
  const app = new App(index, { flipped: 0, pieceSet: "one", language: "en", coordinates: true }, (made) => new Match(made), tell);
  applySettings(app, settings);
  useServer(app);
  const keeper = new Keeper(app, store);
  const first = index.games.find(({ name }) => name === "minishogi") ?? index.games[0];
  /** @type {GameChoices} */
  let asked = { ...casual(), variant: first.name, typed: "", seats: usualSeats(alone, first) };
  const newGame = () => askGame(app, { ...asked, variant: app.tree.variant }, (chosen) => {
    asked = chosen;
  });
  const rematch = () => {
    const { terms } = app.match, { seats: [black, white] } = terms;
    const again = { ...terms, seats: /** @type {GameChoices["seats"]} */ ([white, black]), variant: app.tree.variant, typed: "" };
    if (again.startKind === "usual" || again.startKind === "typed") Object.assign(again, { startKind: "typed", typed: app.tree.start || app.entry.start });
    startGame(again);
  };
  /** @param {GameChoices} chosen */
  const startGame = (chosen) => void beginShown(app, chosen).catch((error) => tell(error.message, "problem"));
  const rules = () => void whenLoaded(tell, import("./rules.js"), ({ showRules }) => showRules(app));
  const panel = new BoardPanel(app, byId("play"), { newGame, rematch, rules }, (text) => {
    byId("live").textContent = text;
  });
  moveList(app, byId("moves-panel"));
  openEntered(app);
  const home = new HomePage(app, byId("home-page"), store, {
    play: (variant) => startGame({ ...casual(), variant, typed: "", seats: usualSeats(alone, entryOf(index, variant)) }),
    open: (id) => void openSaved(app, keeper, id), openFile: () => askFile(app),
  });
  onView(() => showView(app, keeper, home));
  let isFilled = false; // the view for analysis
  onView((name) => name === "analyse" && !isFilled && void whenLoaded(tell, import("./analysis/analysis_view.js"), ({ fillAnalysis }) => {
    if (isFilled) return;
    isFilled = true;
    fillAnalysis(app);
    translate();
  }));
  app.on("changed", (what) => what === "view" && shownView() === "home" && home.show());
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    if (shownView() === "home") openView("play");
    byId("play").focus();
  });
  /** Apply changed settings. */
  const changed = () => {
    applySettings(app, settings);
    setVolume(app, settings.chosen.sound, true);
    showWords(app);
    app.changed("view");
  };
  makeMenu({
    newGame, games: () => showGames(app, store, keeper, settings, changed),
    settings: () => void whenLoaded(tell, import("./settings_dialog.js"), ({ askSettings }) => askSettings(app, settings, mostThreads(), changed)),
  });
  app.on("changed", (what) => what === "game" && showWords(app));
  await openLast(app, store, keeper, asked);
  keys(app, panel);
  setVolume(app, settings.chosen.sound);
  followAddress(namedGame(location.hash) === null ? "home" : "analyse");
  document.documentElement.dataset.ready = "true";
  void registerServiceWorker(app);
}

/** A person against the page's engine at the usual level, or another person if there is no engine.
 * @param {boolean} alone  @param {GameEntry} entry  @returns {GameChoices["seats"]} */
const usualSeats = (alone, { levels }) =>
  [{ kind: "person" }, alone ? { kind: "person" } : { kind: "engine", engine: "", level: levels[USUAL_LEVEL][0] }];

/** Bring the opened view up to date.
 * @param {App} app  @param {Keeper} keeper  @param {HomePage} home */
function showView(app, keeper, home) {
  if (shownView() === "home") {
    keeper.flush();
    home.show();
  }
  showTitle(app);
}

/** Open the last game; if that fails, show why and begin a new one.
 * @param {App} app  @param {Store} store  @param {Keeper} keeper  @param {GameChoices} asked */
async function openLast(app, store, keeper, asked) {
  const id = store.current;
  if (id && store.game(id) !== null && (await keeper.tryOpen(id))) orientBoard(app);
  else await begin(app, asked);
}

/** Fill the page's menu; its buttons have the keys of their names as ids.
 * @param {{newGame: () => void, games: () => void, settings: () => void}} dialogs */
function makeMenu({ newGame, games, settings }) {
  /** @param {string} path  @param {string} key */
  const brief = (path, key) => h("span", { class: "brief" }, icon(path), spoken(key));
  /** @param {ViewName} name  @param {string} path */
  const link = (name, path) => h("a", { href: `#${name}`, id: `to-${name}`, onclick: (event) => follow(event, name) }, brief(path, `view-${name}`));
  byId("menu").append(
    link("home", "-M4 11l8-7 8 7M6 10v10h12V10"), link("play", "-M12 3l5 2.500 2 15.500H5L7 5.500z"),
    link("analyse", "-M4 4v16h16M7 15l4-5 3 3 5-7"),
    h("button", { type: "button", id: "new-game", class: "main", onclick: newGame }, brief("-M12 4v16M4 12h16", "new-game")),
    h("button", { type: "button", id: "games", onclick: games }, brief("-M4 6h16M4 12h16M4 18h16", "games")),
    iconButton("", ["M10 2h4l.6 2.6 2 .9 2.3-1.4 2.8 2.8-1.4 2.3.9 2L23.800 12v0l-2.600 2.800-.9 2 1.400 2.300-2.800 2.800-2.300-1.400-2 .9L14 24h-4l-.6-2.600-2-.9-2.300 1.400-2.800-2.800 1.400-2.300-.9-2L.2 14v-4l2.600-.6.9-2L2.300 5.100l2.800-2.800 2.300 1.400 2-.9zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z"], settings, { id: "settings" }),
  );
}

/** Follow a link to a view; the browser alone would also scroll to the element with that id.
 * @param {MouseEvent} event  @param {ViewName} name */
function follow(event, name) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  openView(name);
}

/** Set the title, header and footer of the page in its language, and translate the other texts.
 * @param {App} app */
function showWords(app) {
  translate();
  showTitle(app);
  byId("variant").textContent = gameName(app.tree.variant);
  byId("play").ariaLabel = t("board");
  byId("skip").textContent = t("skip-to-board");
  byId("about").textContent = `Kogoma ${app.index.version}. ${t("about")} ${t("keys")}`;
  for (const item of /** @type {HTMLCollectionOf<HTMLElement>} */ (byId("menu").children)) {
    item.ariaLabel = item.title = t(item.id.replace(/^to-/, "view-"));
  }
}

/** @param {App} app */
function showTitle(app) {
  document.title = shownView() === "home" ? "Kogoma" : `${gameName(app.tree.variant)} – Kogoma`;
}

/** Handle global keyboard shortcuts.
 * @param {App} app  @param {BoardPanel} panel */
function keys(app, panel) {
  /** @type {{[key: string]: () => void}} */
  const acts = {
    ArrowLeft: () => app.step(-1), ArrowRight: () => app.step(1), Home: () => app.step(-Infinity), End: () => app.step(Infinity),
    Escape: () => panel.cancelPremove(), f: () => panel.flip(), h: () => document.getElementById("do-hint")?.click(),
  };
  document.addEventListener("keydown", (event) => {
    const target = /** @type {Element} */ (event.target);
    if (shownView() === "home" || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !acts[event.key]) return;
    if (target.closest("input, select, textarea, dialog")) return;
    if (event.key.length > 1 && target.closest("[role=tree], [role=slider]")) return; // arrows, Home and End are theirs
    if (event.key.startsWith("Arrow") && target.closest("#board")) return; // the arrows move between its squares
    event.preventDefault();
    acts[event.key]();
  });
}

const store = new Store((text) => tell(text, "problem"));
const settings = new Settings(store, hasKanji());
translate();
start(settings, store).catch((error) => {
  tell(t("cannot-load", { text: error.message }), "problem");
  document.documentElement.dataset.ready = "failed";
  console.error(error);
});
