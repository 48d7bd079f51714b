// The dialog with the rules of the open game, made from the variant's data: sentences, and a diagram for each piece.

import { boardIcon, cardIcon, drawPiece, moveSigns, svg } from "../board/drawing.js";
import { cardName, comma, stepWords } from "../board/descriptions.js";
import { pieceName, royalName } from "../board/pieces.js";
import { h, openDialog } from "./elements.js";
import { t } from "./later_texts.js";
import { gameName, language } from "./translate.js";

const UNIT = 24; // side of a square in a diagram
const NEAR = 2; // squares from the piece to the edge of a diagram, unless it steps farther

/** Show the rules of the open game.
 * @param {App} app */
export function showRules(app) {
  const { variant } = app.game, { rules } = variant;
  const figures = variant.cards ? cardFigures(app) : variant.pieces.map((piece) => pieceFigure(app, piece));
  openDialog(`${t("rules")}: ${gameName(variant.name)}`, t("close"),
    h("ul", { class: "rules" }, ...sentences(app.game).map((text) => h("li", {}, text))),
    h("h3", {}, t(variant.cards ? "rules-cards-title" : "rules-pieces")), h("p", { class: "told" }, t(variant.cards ? "rules-cards-legend" : "rules-legend")),
    h("div", { class: "diagrams" }, ...figures),
    ...(/^https?:/.test(rules) ? [h("p", { class: "told" }, h("a", { href: rules, target: "_blank", rel: "noreferrer" }, t("rules-source")))] : []),
  ).classList.add("wide");
}

/** The rules in sentences.
 * @param {import("../engine/game.js").Game} game  @returns {string[]} */
function sentences({ variant, placements }) {
  const { name, pieces, cards, king_capture: captures, promotion, promotion_ranks: ranks, repetition_fold: fold, max_plies: plies } = variant;
  const royal = royalName(name, language()), hasPromotion = pieces.some((piece) => piece.promotes_to), [black, white] = variant.declaration;
  /** @param {string} group */
  const namesOf = (group) => [...group].map((letter) => pieceName(name, letter, language())).join(comma(language()));
  /** @type {[boolean, string, {[value: string]: string | number}?][]} */
  const all = [
    [cards, "rules-goal-cards"], [cards, "rules-cards"],
    [!cards && captures, "rules-goal-capture", { royal }], [!captures, "rules-goal-mate", { royal }],
    [variant.goal, "rules-goal-rank", { royal }], [variant.check_wins, "rules-goal-check"],
    [variant.placement_ranks > 0, "rules-placement", { royal, ranks: variant.placement_ranks, count: placements / 2 }],
    ...variant.choices.map((group) => /** @type {(typeof all)[0]} */ ([true, "rules-choice", { pieces: namesOf(group) }])),
    [variant.die !== "none", "rules-die"], [variant.die === "unless_in_check", "rules-die-check"],
    [!cards, "rules-drops"], [variant.drop_either_side, "rules-drop-sides"],
    [!cards, variant.drop_anywhere ? "rules-drop-anywhere" : "rules-drop-dead"],
    ...pieces.flatMap((piece) => {
      const values = { piece: pieceName(name, piece.letter, language()), count: piece.most_per_file };
      return /** @type {typeof all} */ ([[piece.most_per_file > 0, "rules-per-file", values], [piece.no_drop_mate, "rules-drop-mate", values]]);
    }),
    [hasPromotion && promotion === "in_zone", ranks === 1 ? "rules-zone-one" : "rules-zone", { ranks }],
    [hasPromotion && variant.promotion_forced, "rules-zone-forced"],
    [hasPromotion && promotion !== "in_zone", `rules-turn-${promotion}`],
    [!cards, variant.stalemate_wins ? "rules-no-move-wins" : "rules-no-move"],
    [variant.repetition_result !== "none", `rules-repetition-${variant.repetition_result}`, { fold }],
    [variant.check_rule !== "none", `rules-checks-${variant.check_rule}`],
    [plies > 0, "rules-length", { plies }],
    [black > 0, "rules-declaration", { royal, black, white }],
  ];
  return all.filter(([holds]) => holds).map(([, key, values]) => t(key, values));
}

/** A piece and its moves.
 * @param {App} app  @param {import("../engine/game.js").Piece} piece */
function pieceFigure({ state, view, game }, { letter, promotes_to: promoted, ...moves }) {
  const { steps, slides, short_slides: short } = moves;
  const size = Math.max(NEAR, ...steps.flat().map(Math.abs)), middle = size + 0.5, whole = (2 * size + 1) * UNIT;
  /** @param {number} dx  @param {number} dy */
  const at = (dx, dy) => ({ x: (middle + dx) * UNIT, y: (middle - dy) * UNIT });
  const squares = Array.from({ length: (2 * size + 1) ** 2 }, (_, index) => svg("rect", {
    class: "square", x: (index % (2 * size + 1)) * UNIT, y: Math.floor(index / (2 * size + 1)) * UNIT, width: UNIT, height: UNIT,
  }));
  const centre = at(0, 0);
  const koma = svg("g", { transform: `translate(${centre.x} ${centre.y}) scale(${UNIT / 62})` }, drawPiece(state, letter, { ...view, ...(view.pieceSet === "moves" && { pieceSet: "western" }), flipped: 0, names: [], cards: [], die: 0, dice: false, over: false }));
  const name = pieceName(game.variant.name, letter, language());
  const drawing = boardIcon(`-1 -1 ${whole + 2} ${whole + 2}`, ...squares, ...moveSigns(moves, at, size, UNIT / 5), koma);
  const words = [stepWords(steps, language()), ...slides.map((way) => t("rules-slides", { way: stepWords([way], language()) })),
    ...short.map(([dx, dy, most]) => t("rules-slides-short", { way: stepWords([[dx, dy]], language()), most }))];
  drawing.setAttribute("aria-hidden", "true");
  return h("figure", { "data-piece": letter }, drawing, h("span", { class: "unseen" }, words.filter(Boolean).join(comma(language()))),
    h("figcaption", {}, promoted ? `${name} → ${pieceName(game.variant.name, promoted, language())}` : name));
}

/** The cards of the game.
 * @param {App} app */
function cardFigures({ state, view, index }) {
  const look = { ...view, flipped: 0, names: [], cards: index.cards, die: 0, dice: false, over: false };
  return (state.cards ?? []).flat().sort((a, b) => a - b).map((card) => h("figure", { "data-card": card },
    cardIcon({ ...state, turn: 0 }, card, look),
    h("span", { class: "unseen" }, `${cardName(index.cards, card, language())}: ${stepWords(index.cards[card][1], language())}`)));
}
