// The words of the command line: `--name N`.

/** The number after a name, or what stands for it where the name is not given.
 * @param {string[]} words  @param {string} name  @param {number} otherwise */
export function numberAfter(words, name, otherwise) {
  return words.includes(name) ? Number(words[words.indexOf(name) + 1]) : otherwise;
}
