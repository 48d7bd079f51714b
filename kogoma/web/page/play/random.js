// Unbiased random numbers for die rolls, cards and start positions, from crypto.getRandomValues.

/** A uniform whole number from 0 to `count` - 1, by rejection sampling.
 * @param {number} count at most 2^32
 * @param {(words: Uint32Array) => Uint32Array} [draw] fills an array with random numbers  @returns {number} */
export function below(count, draw = (words) => crypto.getRandomValues(words)) {
  const most = Math.floor(2 ** 32 / count) * count, words = new Uint32Array(1);
  do draw(words); while (words[0] >= most);
  return words[0] % count;
}

/** A die roll, 1 to 6. */
export const rollDie = () => below(6) + 1;

/** `count` different elements in random order.
 * @template T  @param {T[]} from  @param {number} count  @returns {T[]} */
export function sample(from, count) {
  const left = [...from];
  return Array.from({ length: count }, () => left.splice(below(left.length), 1)[0]);
}
