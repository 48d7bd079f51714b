"""Games as lines: USI's `position startpos moves ...`, or `sfen ... moves ...`, one line per game.

Other information follows after a `#`: `# game 12, dice: Black - White 1-0 checkmate`. Comments, times and variations
are not stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kogoma.lab.kifu.errors import GameError, wrapped
from kogoma.lab.kifu.game import Game, Note, Recorder, one_line
from kogoma.lab.kifu.grammar import pattern, word_end
from kogoma.rules.outcome import Outcome
from kogoma.rules.variants import DEFAULT, SHOGI, Variant, find, infer, infer_from_moves

RESULTS = {0: "1-0", 1: "0-1", None: "1/2-1/2"}
_WINNERS = {"1-0": 0, "0-1": 1}
_WORD = pattern("usi_word")
_REMARK = pattern("usi_remark")  # groups: label, variant, names, result, reason
SEPARATOR = " - "  # between the names


def usi_line(game: Game) -> str:
    """Return a game as `position startpos moves 7g7f ... # one - two 1-0 resign`. A start position other than shogi's
    is written as `sfen ...` instead of `startpos`."""
    usual = game.variant is SHOGI and game.start == SHOGI.start
    return f"position {'startpos' if usual else f'sfen {game.start}'}{_moves(game)}{_remark(game)}\n"


def sfen_line(game: Game) -> str:
    """Return a game as `sfen START moves ... # game 12: one - two 1-0 checkmate`."""
    return f"sfen {game.start}{_moves(game)}{_remark(game)}\n"


def _moves(game: Game) -> str:
    return f"{' moves ' * bool(game.moves)}{' '.join(game.moves)}"


def _remark(game: Game) -> str:
    label, black, white = one_line(game.label), one_line(game.black), one_line(game.white)
    is_told = infer(game.start, DEFAULT) is game.variant
    words = "game" * bool(label or not is_told) + f" {label}" * bool(label)
    words += f", {game.variant.name}" * (not is_told) + ": " * bool(words)
    words += f"{black}{SEPARATOR}{white}" * bool(black or white)
    if game.outcome:
        result = "*" if game.outcome.reason == "interrupted" else RESULTS[game.outcome.winner]
        words += f" {result} {game.outcome.reason}"
    return f" # {words.strip()}" if words.strip() else ""


def read_lines(lines: Iterable[str], preferred: Variant) -> Iterator[Game]:
    """Yield the game of each line, with `error` set if a move is illegal. `preferred` is the variant of `startpos`, and
    of an SFEN that fits several variants. Raises GameError for a line without a position."""
    for number, line in enumerate(lines, 1):
        if game := read_line(line, preferred, number):
            yield game


def read_line(line: str, preferred: Variant, number: int | None = None) -> Game | None:
    """Return the game of a line, or None if the line is blank or has only a remark. `number` is the number of the line,
    if it is one of a file; the other arguments and errors are those of `read_lines`."""
    line = line.removeprefix("\ufeff")
    place = number, len(line) - len(line.lstrip()) + 1  # of what is being read
    try:
        sfen, moves, remark = split_line(line)
        if sfen is None:
            return None
        start = line.partition("#")[0].partition("moves")[0]
        place = number, _columns(start, start.split())[-len(sfen.split())]
        found = _REMARK.match(remark)
        label, name, names, result, reason = found.groups() if found else (None, None, "", None, "")
        named = find(name) if name else None
        if sfen == "startpos":
            recorder = Recorder(named or infer_from_moves(moves, preferred))
        else:
            recorder = Recorder(named or infer(sfen, preferred), sfen)
    except ValueError as error:
        raise wrapped(error).at(*place) from None
    game = recorder.game
    end = ""
    try:
        for usi, column in zip(moves, _columns(line, moves, len(start))):
            place = number, column
            if end:
                raise GameError.of("after-end")
            if _WORD.fullmatch(usi):
                end = usi
            else:
                recorder.play(usi)
    except ValueError as error:
        game.trouble = wrapped(error, "in-move-number", n=len(game.moves) + 1).at(*place)
        return game
    game.label = (label or "").strip()
    game.black, _, game.white = names.strip().partition(SEPARATOR)
    outcome = Outcome(_WINNERS.get(result), reason) if result else recorder.position.outcome()
    if outcome:
        recorder.finish(outcome)
    elif end:
        told = word_end("usi_ends", end, recorder.position)
        recorder.finish(told.outcome, text=told.text)
        if told.text:
            game.notes.append(Note("unknown_end", number or 1, end))
    return game


def _columns(text: str, words: list[str], at: int = 0) -> list[int]:
    """Return the column of each of `words`, which follow one another in a text after the index `at`."""
    columns = []
    for word in words:
        at = text.index(word, at) + len(word)
        columns.append(at - len(word) + 1)
    return columns


def split_line(line: str) -> tuple[str | None, list[str], str]:
    """Split a line into the SFEN of its start or "startpos", its moves, and the remark after a `#`. The SFEN is None if
    the line is blank or has only a remark. Raises GameError if the line has anything else, but no position."""
    text, _, remark = line.removeprefix("\ufeff").partition("#")
    start, _, moves = text.partition("moves")
    words = start.split()
    if words[:1] == ["position"]:
        words.pop(0)
    if words[:1] == ["sfen"]:
        words.pop(0)
    if not words and text.strip():
        raise GameError.of("not-a-position", text=text.strip())
    return " ".join(words) or None, moves.split(), remark.strip()
