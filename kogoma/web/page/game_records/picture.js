// Pictures of the shown position as files: SVG that needs no style sheet, script or font file, and PNG made from it.

import { svg } from "../../board/drawing.js";
import { drawBoard } from "../../board/scene.js";
import { h } from "../elements.js";
import { playerName, viewOf } from "../play/board_panel.js";

const LEAST_WIDE = 1200; // pixels of a PNG
/** Presentation attributes that are taken from the page's style sheet. */
const PAINTS = ["fill", "stroke"], LINES = ["stroke-width", "stroke-linejoin", "stroke-linecap"], FONTS = ["font-family", "font-size", "font-weight"];
/** Characters that XML does not allow. */
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\p{Cs}]/gu;

/** The shown position, with names, hands or cards, and die, in the look of the page.
 * @param {App} app  @returns {{text: string, width: number, height: number, words: string}} `text` is an SVG document,
 *   `words` describes the position */
export function positionPicture(app) {
  const names = [playerName(app, 0, true), playerName(app, 1, true)];
  const drawn = drawBoard(app.state, { ...viewOf(app), names, stands: "above" }), host = h("div", { hidden: true }, drawn);
  document.body.append(host);
  const { width, height } = drawn.viewBox.baseVal;
  try {
    const parts = /** @type {SVGElement[]} */ ([...drawn.querySelectorAll("*")]);
    for (const one of parts) dress(one);
    for (const one of parts) for (const name of ["class", "aria-hidden", "data-key"]) one.removeAttribute(name);
    const ground = svg("rect", { width, height });
    paint(ground, "fill", getComputedStyle(document.body).backgroundColor);
    drawn.prepend(ground);
    drawn.removeAttribute("class");
    for (const [name, value] of [["width", width], ["height", height]]) drawn.setAttribute(/** @type {string} */ (name), `${value}`);
    const text = new XMLSerializer().serializeToString(drawn).replace(FORBIDDEN, "\ufffd");
    return { text: `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`, width, height, words: drawn.getAttribute("aria-label") ?? "" };
  } finally {
    host.remove();
  }
}

/** Give an element the looks that it has by the style sheet as attributes, or remove it if it is invisible.
 * @param {SVGElement} element */
function dress(element) {
  const style = getComputedStyle(element), isText = element.tagName === "text";
  if (style.opacity !== "1") element.setAttribute("opacity", style.opacity);
  if (element.tagName === "g") return;
  const drawn = PAINTS.filter((name) => paint(element, name, style.getPropertyValue(name)));
  if (!drawn.length) return element.remove();
  for (const name of [...(drawn.includes("stroke") ? LINES : []), ...(isText ? FONTS : [])]) {
    element.setAttribute(name, style.getPropertyValue(name).replace(/px$/, ""));
  }
}

/** Set a colour, in the notation of SVG 1.1. Returns whether it is visible.
 * @param {SVGElement} element  @param {string} name  @param {string} colour as computed by the browser */
function paint(element, name, colour) {
  const found = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(colour);
  const [red, green, blue, opacity = 1] = found ? found.slice(1).map((one) => (one === undefined ? undefined : Number(one))) : [];
  if (!found || opacity === 0) {
    element.setAttribute(name, "none");
    return false;
  }
  element.setAttribute(name, `#${[red, green, blue].map((one) => Number(one).toString(16).padStart(2, "0")).join("")}`);
  if (opacity !== 1) element.setAttribute(`${name}-opacity`, `${opacity}`);
  return true;
}

/** A picture as PNG. Throws an Error if the browser cannot draw it.
 * @param {{text: string, width: number, height: number}} picture  @returns {Promise<Blob>} */
export async function pictureAsPng({ text, width, height }) {
  const image = new Image(), address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  const scale = Math.max(LEAST_WIDE / width, 1), canvas = document.createElement("canvas");
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  try {
    image.src = address;
    await image.decode();
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  } finally {
    URL.revokeObjectURL(address);
  }
  return new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no PNG"))), "image/png");
  });
}
