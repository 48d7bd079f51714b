"""A game as CSA V2.2, the form of computer shogi tournaments: 9x9 alone, without variations.

http://www2.computer-shogi.org/protocol/record_v22.html. What it has no word for stands in its comments, which others
pass over: `'# game 3`, `'# adjudicated_win b`, `'備考：...`; a comment on a move is `'*...`, as programs write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kogoma.lab.kifu.csa_names import KEYWORDS, PIECES, TIME_LIMIT, digits_of
from kogoma.lab.kifu.endings import CSA_WORDS, csa_word, outcome_by
from kogoma.lab.kifu.game import End, Game, GameError, Step, comment_lines, one_line
from kogoma.lab.kifu.kif import letter_at
from kogoma.rules.notation import Setup
from kogoma.rules.position import Position
from kogoma.rules.variants import SHOGI


def csa(game: Game) -> str:
    """The game's lines, each ending in a newline; GameError for other games than 9x9 shogi."""
    if game.variant is not SHOGI:
        raise GameError(f"CSA knows 9x9 shogi alone, not {game.variant.name}")
    return "\n".join([*_head(game), *_moves(game), ""])


def _head(game: Game) -> Iterator[str]:
    yield "'CSA encoding=UTF-8"
    yield "V2.2"
    if game.label:
        yield f"'# game {one_line(game.label)}"
    for sign, name in (("+", game.black), ("-", game.white)):
        if one_line(name):
            yield f"N{sign}{one_line(name)}"
    for name, value in game.headers.items():
        name, value = one_line(name), one_line(value)
        keyword = KEYWORDS.get(name)
        if not keyword or not value or (keyword == "TIME_LIMIT" and not re.fullmatch(TIME_LIMIT, value)):
            yield f"'{name}：{value}"
        else:
            yield f"${keyword}:{value}"


def _moves(game: Game) -> Iterator[str]:
    position = Position(game.variant, game.start)
    yield from _setup(position.setup()) if game.start != game.variant.start else ("PI", "+")
    yield from _comment(game.comment)
    for step in game.main.steps:
        yield move_text(position, step.usi)
        yield from _time(step)
        yield from _comment(step.comment)
        position.push(step.usi)
    if end := game.main.end:
        word = csa_word(end.outcome, position.turn)
        yield f"%{word}"
        yield from _time(end)
        if word not in CSA_WORDS or outcome_by(*CSA_WORDS[word], position) != end.outcome:
            winner = "-" if end.outcome.winner is None else "bw"[end.outcome.winner]
            yield f"'# {one_line(end.outcome.reason)} {winner}"
        yield from _comment(end.comment)


def _time(step: Step | End) -> Iterator[str]:
    if step.time_ms is not None:
        yield f"T{int(step.time_ms / 1000)}"


def _comment(text: str) -> Iterator[str]:
    for line in comment_lines(text):
        yield f"'*{line}"


def move_text(position: Position, usi: str) -> str:
    """`+7776FU`, `-0055KA`: the piece is what it is after the move."""
    sign = "+-"[position.turn]
    if "*" in usi:
        return f"{sign}00{digits_of(usi[2:])}{PIECES[usi[0]]}"
    letter = letter_at(position, usi[:2])
    return f"{sign}{digits_of(usi[:2])}{digits_of(usi[2:4])}{PIECES['+' * usi.endswith('+') + letter]}"


def _setup(setup: Setup) -> Iterator[str]:
    names = ["", *(PIECES[piece.letter] for piece in SHOGI.pieces)]
    for row in range(9):
        cells = setup.board[9 * row : 9 * row + 9]
        yield f"P{row + 1}" + "".join("+-"[cell >> 4] + names[cell & 15] if cell else " * " for cell in cells)
    for sign, hand in zip("+-", setup.hands):
        held = "".join(f"00{names[number]}" * count for number, count in enumerate(hand) if count)
        if held:
            yield f"P{sign}{held}"
    if setup.number > 1:
        yield f"'# number {setup.number}"
    yield "+-"[setup.turn]
