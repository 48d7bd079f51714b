// Unpacking of bytes that arena/export/packing.py has written as text.

const GROUP_LETTERS = 8, LETTER_BITS = 15; // a group is 8 letters of 15 bits, so 15 bytes
const FIRST = 0x3400, GAPS = [[0x4e00, 0x4e00 - 0x4dc0], [0xac00, 0xac00 - 0xa000]]; // gaps: end, size
const BASE85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/** Return the bytes of a text written by `pack` in arena/export/packing.py.
 * @param {string} text  @returns {Uint8Array} */
export function unpack(text) {
  return text.charCodeAt(0) < 128 ? unpackAscii(text) : unpackLetters(text);
}

/** Unpack 15 bits per letter; the first letter is the number of padding bytes.
 * @param {string} text  @returns {Uint8Array} */
function unpackLetters(text) {
  /** @param {number} index */
  const numberAt = (index) => {
    const code = text.charCodeAt(index);
    return GAPS.reduce((number, [start, gap]) => (code >= start ? number - gap : number), code - FIRST);
  };
  const bytes = new Uint8Array(((text.length - 1) / GROUP_LETTERS) * LETTER_BITS);
  let bits = 0, held = 0, length = 0;
  for (let index = 1; index < text.length; index++) {
    bits = (bits << LETTER_BITS) | numberAt(index);
    for (held += LETTER_BITS; held >= 8; held -= 8) {
      bytes[length++] = bits >> (held - 8);
      bits &= (1 << (held - 8)) - 1;
    }
  }
  return bytes.subarray(0, length - numberAt(0));
}

/** Unpack base85: five letters are four bytes; a last group may be shorter.
 * @param {string} text  @returns {Uint8Array} */
function unpackAscii(text) {
  const padding = (5 - (text.length % 5)) % 5, padded = text + "~".repeat(padding);
  const bytes = new Uint8Array((padded.length / 5) * 4), view = new DataView(bytes.buffer);
  for (let index = 0; index < padded.length; index += 5) {
    const number = [...padded.slice(index, index + 5)].reduce((sum, letter) => sum * 85 + BASE85.indexOf(letter), 0);
    view.setUint32((index / 5) * 4, number);
  }
  return bytes.subarray(0, bytes.length - padding);
}
