// The fields of the page's address after #: `game` names a variant, see address.js and shared_record.js.

/** The fields of a fragment, or null for another kind of fragment.
 * @param {string} hash  @returns {Map<string, string> | null} */
export function fieldsOf(hash) {
  const fields = new Map(hash.replace(/^#/, "").split("&").map((field) => {
    const [name, ...rest] = field.split("=");
    return /** @type {[string, string]} */ ([name, rest.join("=")]);
  }));
  return fields.has("game") ? fields : null;
}

/** Whether a fragment contains a whole game, for shared_record.js.
 * @param {string} hash */
export const hasRecord = (hash) => fieldsOf(hash)?.has("record") ?? false;

/** The name of a variant, known or not, in a fragment, or null without one.
 * @param {string} hash  @returns {string | null} */
export const namedGame = (hash) => fieldsOf(hash)?.get("game") ?? null;
