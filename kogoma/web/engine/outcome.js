// How a game ends, as rules/outcome.py has it.

/** @typedef {{winner: number | null, reason: string}} Outcome
 *   `winner` is 0 for Black, 1 for White, null for a draw; the reasons are those of rules/outcome.py */

/** The result of a game, or null if it goes on. `keys` holds a key for every position of the game, `checks` whether
 * the side to move was in check there; `turn` is the side to move now, `ply` how many plies the game has lasted.
 * @param {Variant} variant  @param {bigint[]} keys  @param {boolean[]} checks
 * @param {number} turn  @param {number} ply  @param {boolean} canMove  @returns {Outcome | null} */
export function outcomeOf(variant, keys, checks, turn, ply, canMove) {
  const newest = keys.length - 1;
  if (!canMove) {
    if (checks[newest]) return { winner: 1 - turn, reason: "checkmate" };
    return { winner: variant.stalemate_wins ? turn : 1 - turn, reason: "stalemate" };
  }
  if (variant.repetition_result !== "none") {
    const same = keys.flatMap((key, index) => (key === keys[newest] ? [index] : []));
    if (same.length >= variant.repetition_fold) {
      return repeated(variant, checks, turn, same[same.length - variant.repetition_fold], newest);
    }
  }
  return variant.max_plies && ply >= variant.max_plies ? { winner: null, reason: "max_plies" } : null;
}

/** @param {Variant} variant  @param {boolean[]} checks  @param {number} turn
 * @param {number} first  @param {number} newest  @returns {Outcome} */
function repeated(variant, checks, turn, first, newest) {
  if (variant.check_rule === "standing" && checks[newest]) return { winner: turn, reason: "perpetual_check" };
  if (variant.check_rule === "perpetual") {
    // A move gave check if the side to move after it is in check; the opponent's moves led to newest, newest - 2...
    const byOpponent = allChecks(checks, newest, first), byMover = allChecks(checks, newest - 1, first);
    if (byOpponent !== byMover) return { winner: byOpponent ? turn : 1 - turn, reason: "perpetual_check" };
  }
  const winners = new Map([["black_loses", 1], ["repeater_loses", turn]]);
  return { winner: winners.get(variant.repetition_result) ?? null, reason: "repetition" };
}

/** True if every second entry from `from` down to, but not at, `until` is a check.
 * @param {boolean[]} checks  @param {number} from  @param {number} until */
function allChecks(checks, from, until) {
  for (let index = from; index > until; index -= 2) if (!checks[index]) return false;
  return true;
}
