"""The words, names and patterns of game records, which Python and the web page read from one table, and what is written
with them: names of pieces and squares, numbers, and ends of games."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from kogoma.lab.kifu.errors import GameError
from kogoma.rules.base_position import BasePosition
from kogoma.rules.outcome import Outcome
from kogoma.rules.variants import RepetitionResult, Variant

_SOURCE = (Path(__file__).parents[2] / "web" / "page" / "game_records" / "grammar.js").read_text(encoding="utf-8")
GRAMMAR: dict[str, Any] = json.loads(_SOURCE[_SOURCE.index("= {") + 2 : _SOURCE.rindex("}") + 1])

RANKS: str = GRAMMAR["ranks"]
FILES: str = GRAMMAR["files"]
HANDICAPS: dict[str, str] = {name: rows + GRAMMAR["handicap_rest"] for name, rows in GRAMMAR["handicaps"].items()}
# Some programs read the other names as an even game, so a diagram is written instead of the name.
HANDICAP_OF = {sfen: name for name, sfen in HANDICAPS.items() if name not in GRAMMAR["drawn_handicaps"]}
HANDICAPS |= {other: HANDICAPS[name] for other, name in GRAMMAR["handicap_synonyms"].items()}
CSA_PIECES: dict[str, str] = GRAMMAR["csa_pieces"]
CSA_LETTERS = {name: letter for letter, name in CSA_PIECES.items()}
LOSES, WINS, NOBODY = -1, 1, 0  # for the side to move
Kind = tuple[str, tuple[str, ...]]
BLANKS = " \t　"
_ENDS = [(re.compile(pattern), reason, mover) for pattern, reason, mover in GRAMMAR["ends"]]
_LINES = [(kind, re.compile(pattern, re.S)) for kind, pattern in GRAMMAR["lines"]]
_DIGITS = {digit: str(number) for row in ("123456789", FILES, RANKS) for number, digit in enumerate(row, 1)}
_HALF_WIDTH = str.maketrans("０１２３４５６７８９", "0123456789")
_LETTER_OF = dict(zip("123456789", "abcdefghi"))


def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of the table."""
    return re.compile(GRAMMAR[name], re.S)


_REMARK, _SIDE, _NO_WORD, _WORD = (pattern(name) for name in ("end_remark", "side", "no_word", "word"))


def kind_of(line: str) -> Kind:
    """Return what a stripped line of KIF or KI2 is, and the groups of its pattern; ("", ()) if no pattern fits."""
    for kind, shape in _LINES:
        if found := shape.match(line):
            return kind, found.groups()
    return "", ()


class WrittenEnd(NamedTuple):
    """An end word as it was read: the outcome, the word itself if no table has it, and whether it names a side."""

    outcome: Outcome
    text: str = ""
    has_side: bool = False


def has_kanji(variant: Variant) -> bool:
    """Return whether the variant's pieces have kanji names. Moves of other variants are written in USI notation."""
    return variant.name in GRAMMAR["kanji"]


@cache
def _names(variant: str) -> dict[str, str]:
    names: dict[str, str] = GRAMMAR["pieces"] | GRAMMAR["promoted"].get(variant, {})
    return names


@cache
def _letters(variant: str, letters_of_pieces: str) -> dict[str, str]:
    if variant not in GRAMMAR["kanji"]:
        return {}
    letters = {_names(variant)[letter]: letter for letter in letters_of_pieces.split() if letter in _names(variant)}
    return letters | {other: letters[name] for other, name in GRAMMAR["synonyms"].items() if name in letters}


def piece_name(variant: Variant, letter: str) -> str:
    """Return the Japanese name of a piece, for example "成銀" for "+S"."""
    return _names(variant.name)[letter]


def letter_of(variant: Variant, name: str) -> str:
    """Return the letter of the piece with this name. Less usual names are accepted too. Raises GameError if the
    variant has no such piece."""
    letter = _letters(variant.name, " ".join(variant.letters)).get(name)
    if letter is None:
        raise GameError.of("no-such-piece", game=variant.name, text=name)
    return letter


def numeral(count: int) -> str:
    """Return a count of pieces in hand (up to 99) as a kanji numeral, for example 十八. For 1, return ""."""
    if count == 1:
        return ""
    tens, ones = divmod(count, 10)
    return (RANKS[tens - 1] if tens > 1 else "") + "十" * bool(tens) + (RANKS[ones - 1] if ones else "")


def number_of(text: str) -> int:
    """Convert a number of pieces, written in digits or as a kanji numeral (see `numeral`), to an int. Raises GameError
    if `text` is not such a number."""
    if re.fullmatch("[0-9]{1,3}", text):
        return int(text)
    tens, found, ones = text.rpartition("十")
    if len(tens) > 1 or len(ones) > 1 or (tens + ones).strip(RANKS):
        raise GameError.of("unreadable-number", text=text)
    if not text:
        return 1
    return 10 * bool(found) * (RANKS.index(tens) + 1 if tens else 1) + (RANKS.index(ones) + 1 if ones else 0)


def square_text(square: str) -> str:
    """Return a USI square in Japanese: "７六" for "7f"."""
    return FILES[int(square[0]) - 1] + RANKS[ord(square[1]) - ord("a")]


def square_of(file: str, rank: str) -> str:
    """Return the USI square of a file and a rank, each a digit from 1 to 9 of any kind: "7f" for "７", "六"."""
    return _DIGITS[file] + _LETTER_OF[_DIGITS[rank]]


def half_width(text: str) -> str:
    """Return a text in which full-width digits are replaced by ASCII ones."""
    return text.translate(_HALF_WIDTH)


def target_of(usi: str) -> str:
    """Return the square to which a move in USI notation goes."""
    return usi[usi.index("*") + 1 :] if "*" in usi else usi[2:4]


def outcome_by(reason: str, mover: int, position: BasePosition) -> Outcome:
    """Return the outcome of a game whose record ends with `reason`. `mover` is the result for the side to move: LOSES,
    WINS or NOBODY (nobody wins). If the rules end the game for the same reason, the outcome by the rules is
    returned."""
    if reason in GRAMMAR["by_rules"]:
        judged = position.outcome()
        if judged and judged.reason in GRAMMAR["by_rules"][reason]:
            return judged
    if reason == "repetition" and position.variant.repetition_result is RepetitionResult.BLACK_LOSES:
        return Outcome(1, reason)
    if mover == NOBODY:
        return Outcome(None, reason)
    return Outcome(position.turn if mover == WINS else 1 - position.turn, reason)


def end_of(text: str, position: BasePosition, is_word: bool = False) -> WrittenEnd | None:
    """Return the end that a text means: the end word of a move line (`is_word`), or a result after まで12手で. A text
    that no table has is an unknown end, which keeps the text. If a word cannot be an end, return None."""
    if is_word and _NO_WORD.search(text):
        return None
    side = _SIDE.search(text)
    named = GRAMMAR["players"][f"{side[1]}手"] if side else None
    found = next(((reason, mover) for shape, reason, mover in _ENDS if shape.search(text)), None)
    if found is None:
        return None if is_word and not _WORD.fullmatch(text) else WrittenEnd(Outcome(None, "unknown"), text)
    reason, mover = found
    if named is None:
        return WrittenEnd(outcome_by(reason, mover, position))
    if "勝" not in text and (mover == LOSES or "負" in text or "敗" in text):
        winner = 1 - named
    else:
        winner = named if "勝" in text or mover == WINS else None
    judged = outcome_by(reason, NOBODY, position)
    if judged.winner == winner:
        return WrittenEnd(judged, has_side=True)
    if reason in ("unknown", "resign"):
        reason = "unknown" if winner == position.turn else "resign"
    return WrittenEnd(Outcome(winner, reason), has_side=True)


def end_word(table: str, outcome: Outcome, turn: int) -> str:
    """Return the word of a table ("kif" or "csa") for an outcome. `turn` is the side to move at the end. If there is no
    word for the reason, the word tells at least who wins."""
    index = 2 if outcome.winner is None else int(outcome.winner == turn)
    words: dict[str, list[str]] = GRAMMAR[table]
    word = words.get(outcome.reason, words[""])[index] or words[""][index]
    return f"{'-+'[turn]}{word}" if word == "ILLEGAL_ACTION" else word


def result_text(outcome: Outcome, turn: int, word: str = "") -> str:
    """Return the text of a result that follows まで12手で. `turn` is the side to move at the end. After an end `word`,
    as in KIF, the text tells only who wins."""
    text: str = GRAMMAR["results"]["投了" if word and outcome.winner is not None else end_word("kif", outcome, turn)]
    winner = outcome.winner or 0  # the texts for games without a winner name no side
    return text.format(winner="先後"[winner], loser="後先"[winner])


def word_end(table: str, word: str, position: BasePosition) -> WrittenEnd:
    """Return the end that a word of a table ("csa_ends" or "usi_ends") means. A word that the table lacks is an unknown
    end, which keeps the word."""
    if word not in GRAMMAR[table]:
        return WrittenEnd(Outcome(None, "unknown"), word)
    reason, mover = GRAMMAR[table][word]
    return WrittenEnd(outcome_by(reason, mover, position))


def csa_end(word: str, position: BasePosition) -> WrittenEnd:
    """Return the end that a word of CSA or JKF, without %, means (see `word_end`)."""
    if word not in ("+ILLEGAL_ACTION", "-ILLEGAL_ACTION"):
        return word_end("csa_ends", word, position)
    judged = outcome_by("illegal_move", WINS if "-+"[position.turn] == word[0] else LOSES, position)
    winner = int(word[0] == "+")
    return WrittenEnd(judged if judged.winner == winner else Outcome(winner, "illegal_move"))


def end_remark(end: WrittenEnd, told: WrittenEnd) -> str:
    """Return the remark of CSA and JKF for an end of which the end word tells only `told`; "" if that is all."""
    if end == told:
        return ""
    (winner, reason), text = (end.outcome.winner, end.outcome.reason), f" {end.text}" if end.text != told.text else ""
    return f"# {reason} {'-' if winner is None else 'bw'[winner]}{text}"


def read_remark(text: str) -> WrittenEnd | None:
    """Return the end that a remark (see `end_remark`) tells, or None for another text."""
    found = _REMARK.fullmatch(text)
    return WrittenEnd(Outcome({"b": 0, "w": 1}.get(found[2]), found[1]), found[3] or "") if found else None
