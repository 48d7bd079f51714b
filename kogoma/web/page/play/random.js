// Chance: dice, cards and set-ups drawn fairly, by the browser's source of random numbers.

/** A whole number from 0 to `count` - 1, all equally likely: what would favour some of them is drawn again.
 * @param {number} count at most 2^32  @param {(words: Uint32Array) => Uint32Array} [draw]  @returns {number} */
export function below(count, draw = (words) => crypto.getRandomValues(words)) {
  const most = Math.floor(2 ** 32 / count) * count, words = new Uint32Array(1);
  do draw(words); while (words[0] >= most);
  return words[0] % count;
}

/** A throw of the die, 1 to 6. */
export const thrown = () => below(6) + 1;

/** So many different ones of these, in any order.
 * @template T  @param {T[]} from  @param {number} count  @returns {T[]} */
export function sample(from, count) {
  const left = [...from];
  return Array.from({ length: count }, () => left.splice(below(left.length), 1)[0]);
}

/** A number with a normal distribution around 0, of standard deviation 1 (Box and Muller's transformation).
 * @returns {number} */
export function normal() {
  const [radius, angle] = [(below(2 ** 32) + 1) / 2 ** 32, below(2 ** 32) / 2 ** 32];
  return Math.sqrt(-2 * Math.log(radius)) * Math.cos(2 * Math.PI * angle);
}
