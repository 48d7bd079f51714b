// What lies beside the board: pieces in hand, Onitama's cards, the die.

import { drawCard, drawDie, drawPiece, svg } from "./drawing.js";
import { CARD, CELL } from "./layout.js";
import { isRoyal } from "./pieces.js";
import { handOrder } from "./state.js";
import { boardText, cardWords, heldWords, standWords } from "./words.js";

const DIE = 44, MOST = 50; // units: the die's side, and a piece's at most

/** Parts that the name of what they belong to stands for.
 * @param {SVGElement[]} parts */
const unread = (parts) => svg("g", { "aria-hidden": "true" }, ...parts);

/** What a side has beside the board.
 * @param {State} state  @param {View} view  @param {Box} box  @param {number} side  @param {Manner} manner
 * @returns {{element: SVGElement, items: Item[]}} */
export function drawStand(state, view, box, side, manner) {
  const language = view.language ?? "en", turn = side === state.turn && !view.over;
  const element = svg("g", manner.live ? { role: "group", "aria-label": standWords(state, side, language) } : {});
  /** @type {Item[]} */
  const items = [];
  /** The last child of a part is its ring, and the button: it holds no text that its name would have to repeat.
   * @param {string} key  @param {SVGElement} part  @param {number} x  @param {number} y  @param {string} words */
  const add = (key, part, x, y, words) => {
    const button = /** @type {SVGElement} */ (part.lastElementChild);
    part.dataset.key = key;
    if (manner.live) for (const [name, value] of [["role", "button"], ["tabindex", "-1"], ["aria-label", words]]) button.setAttribute(name, value);
    element.append(part);
    items.push({ key, group: `stand${side}`, element: part, button, x, y, index: -1, words });
  };
  const middle = box.y + box.high / 2;
  if (state.cards) {
    const width = 2 * CARD.wide + 14, start = box.x + (box.wide - width) / 2;
    state.cards[side].forEach((card, index) => {
      const x = start + index * (CARD.wide + 14);
      const part = svg("g", { class: card === state.used ? "card used" : "card", transform: `translate(${x} ${box.y})`, "data-card": card });
      part.append(unread(drawCard(state, card, side, view)), svg("rect", { x: -2, y: -2, width: CARD.wide + 4, height: CARD.high + 4, rx: 8, class: "ring" }));
      add(`card${card}`, part, x + CARD.wide / 2, middle, cardWords(view.cards, card, language));
    });
    return { element, items };
  }
  element.append(svg("rect", { x: box.x, y: box.y, width: box.wide, height: box.high, rx: 6, class: turn ? "stand turn" : "stand" }));
  const die = turn && (view.die || (view.dice && manner.dieKey));
  const held = state.hands[side], letters = manner.full ? [...state.order].filter((letter) => !isRoyal(state.variant, letter)) : handOrder(state, side);
  const room = box.wide - (die ? DIE + 18 : 0) - 10, step = Math.min(64, room / Math.max(letters.length, 1)), size = Math.min(MOST, step * 0.92);
  letters.forEach((letter, index) => {
    const count = held[letter] ?? 0, x = box.x + 6 + step * (index + 0.5);
    const part = svg("g", { class: count ? "held" : "held none", "data-held": side ? letter.toLowerCase() : letter, "data-count": count });
    part.append(svg("rect", { x: x - step / 2 + 1, y: box.y + 2, width: step - 2, height: box.high - 4, rx: 5, class: "under" }));
    const drawn = [svg("g", { transform: `translate(${x} ${middle}) scale(${(size / CELL).toFixed(3)})` }, drawPiece(state, side ? letter.toLowerCase() : letter, view))];
    if (count > 1 || manner.full) {
      drawn.push(svg("circle", { cx: x + step / 2 - 10, cy: box.y + box.high - 12, r: 10, class: "badge" }));
      drawn.push(svg("text", { x: x + step / 2 - 10, y: box.y + box.high - 7.2, class: "many", "text-anchor": "middle" }, String(count)));
    }
    part.append(unread(drawn));
    part.append(svg("rect", { x: x - step / 2 + 1, y: box.y + 2, width: step - 2, height: box.high - 4, rx: 5, class: "ring" }));
    add(`hand${side}${letter}`, part, x, middle, heldWords(state, side, letter, count, language));
  });
  if (die !== false && die !== 0) {
    const x = box.x + box.wide - DIE - 8, part = svg("g", { class: "thrown", transform: `translate(${x} ${middle - DIE / 2})` }, unread(drawDie(view.die)));
    const words = `${boardText("die", language)}: ${view.die || "?"}`;
    if (view.die) part.dataset.die = String(view.die);
    part.append(svg("rect", { x: -2, y: -2, width: DIE + 4, height: DIE + 4, rx: 11, class: "ring" }));
    if (manner.dieKey) add("die", part, x + DIE / 2, middle, words);
    else {
      if (manner.live) for (const [name, value] of [["role", "img"], ["aria-label", words]]) part.setAttribute(name, value);
      element.append(part);
    }
  }
  return { element, items };
}

/** Onitama's card between the players, turned to the one who gets it.
 * @param {State} state  @param {View} view  @param {Box} box  @param {boolean} live */
export function drawBetween(state, view, box, live) {
  const card = (state.cards ?? [])[2][0], language = view.language ?? "en";
  const words = `${boardText("between", language)}: ${cardWords(view.cards, card, language)}`;
  const part = svg("g", {
    class: card === state.used ? "card used" : "card", transform: `translate(${box.x} ${box.y})`, "data-card": card,
    ...(live && { role: "img", "aria-label": words }),
  });
  part.append(unread(drawCard(state, card, state.turn, view)));
  return part;
}
