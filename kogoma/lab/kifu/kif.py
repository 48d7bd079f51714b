"""A game as KIF, the text that shogi programs exchange (http://kakinoki.o.oo7.jp/kif_format.html).

Small boards are written as others write them (a drawn board, and its name after 手合割 where there is one). What KIF
has no place for stands in remarks, which others pass over: `# game 3, dice`, `# sfen ...`, `# dice 4`,
`# adjudicated_win`.
Games whose pieces have no kanji of shogi's (Dobutsu, Game of Generals, Onitama) have their moves in USI notation.
"""

from __future__ import annotations

from collections.abc import Iterator

from kogoma.lab.kifu.endings import kif_word, result_text
from kogoma.lab.kifu.game import End, Game, Line, Step, comment_lines, one_line
from kogoma.lab.kifu.names import (
    FILES,
    HANDICAP_OF,
    NAMES,
    ON_BOARD,
    RANKS,
    has_kanji,
    numeral,
    piece_name,
    square_text,
    target_of,
)
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import Variant

MOVES = "手数----指手---------消費時間--"


def kif(game: Game) -> str:
    """The game's lines, each ending in a newline."""
    return "\n".join([*head(game), MOVES, *comment_text(game.comment), *_lines(game), ""])


def head(game: Game) -> Iterator[str]:
    """What stands before the moves: names, other headers and the start."""
    yield f"# game {one_line(game.label)}".rstrip() + f", {game.variant.name}"
    black, white = ("下手", "上手") if game.start in HANDICAP_OF else ("先手", "後手")
    yield f"{black}：{one_line(game.black)}"
    yield f"{white}：{one_line(game.white)}"
    for name, value in game.headers.items():
        yield f"{one_line(name)}：{one_line(value)}"
    if not has_kanji(game.variant):
        yield f"# sfen {game.start}"
    elif game.start in HANDICAP_OF and game.variant.name == "shogi":
        yield f"手合割：{HANDICAP_OF[game.start]}"
    else:
        yield from _start(game)


def _start(game: Game) -> Iterator[str]:
    variant = game.variant
    plain = game.start == variant.start and variant.name in NAMES
    yield f"手合割：{NAMES[variant.name]}" if plain else f"# sfen {game.start}"
    if not plain or variant.name != "shogi":
        position = new_position(variant, game.start)
        assert isinstance(position, Position)
        yield from board(position)


def _lines(game: Game) -> Iterator[str]:
    position = new_position(game.variant, game.start)
    times = [0.0]  # for each ply of the present line, what its player has taken so far; one more in front
    for plies, line in game.lines():
        while len(position.moves) > plies:
            position.pop()
        del times[plies + 1 :]
        if line is not game.main:
            yield ""
            yield f"変化：{plies + 1}手"
        yield from _line(position, line, times)


def _line(position: BasePosition, line: Line, times: list[float]) -> Iterator[str]:
    before = ""
    for step in line.steps:
        spent = (times[-2] if len(times) > 1 else 0.0) + (step.time_ms or 0.0)
        yield f"{len(position.moves) + 1:4} {move_text(position, step.usi, before):<12}{_clock(step, spent)}".rstrip()
        if step.dice is not None:
            yield f"# dice {step.dice}"
        yield from comment_text(step.comment)
        position.push(step.usi)
        before = target_of(step.usi)
        times.append(spent)
    if line.end:
        spent = (times[-2] if len(times) > 1 else 0.0) + (line.end.time_ms or 0.0)
        yield from _end(position, line.end, spent)


def _end(position: BasePosition, end: End, spent: float) -> Iterator[str]:
    plies, word = len(position.moves), kif_word(end.outcome, position.turn)
    clock = _clock(end, spent)
    yield f"{plies + 1:4} {word:<12}{clock}" if clock else f"{plies + 1:4} {word}"
    yield f"# {one_line(end.outcome.reason)}"
    yield f"まで{plies}手で{result_text(end.outcome)}"
    yield from comment_text(end.comment)


def _clock(step: Step | End, spent: float) -> str:
    """`( 0:05/00:01:23)`: a move's time and its player's so far."""
    if step.time_ms is None:
        return ""
    seconds, total = int(step.time_ms / 1000), int(spent / 1000)
    return f"({seconds // 60:2}:{seconds % 60:02}/{total // 3600:02}:{total // 60 % 60:02}:{total % 60:02})"


def comment_text(text: str) -> Iterator[str]:
    """A comment's lines, as KIF and KI2 mark them; a line that begins with & is a bookmark."""
    for line in comment_lines(text):
        yield line if line.startswith("&") else f"*{line}"


def move_text(position: BasePosition, usi: str, before: str = "") -> str:
    """`７六歩(77)`, `同　角成(88)`, `５二金打`; `before` is the square on which the last move ended."""
    variant = position.variant
    if not has_kanji(variant):
        return usi
    target = target_of(usi)
    where = "同　" if target == before else square_text(target)
    if "*" in usi:
        return f"{where}{piece_name(variant, usi[: usi.index('*')])}打"
    name = piece_name(variant, letter_at(position, usi[:2]))
    return f"{where}{name}{'成' * usi.endswith(('+', '-'))}({usi[0]}{ord(usi[1]) - ord('a') + 1})"


def letter_at(position: BasePosition, square: str) -> str:
    """The letter of the piece on a square, "" for none."""
    assert isinstance(position, Position)
    variant = position.variant
    row, column = ord(square[1]) - ord("a"), variant.files - int(square[0])
    cell = int(position.fields["board"][row * variant.files + column])
    return variant.pieces[(cell & 15) - 1].letter if cell else ""


def board(position: Position) -> Iterator[str]:
    """The diagram, White's hand above and Black's below."""
    setup, variant = position.setup(), position.variant
    files = variant.files
    yield f"後手の持駒：{_hand(variant, setup.hands[1])}"
    yield "  " + " ".join(FILES[file] for file in reversed(range(files)))
    yield "+" + "-" * (3 * files) + "+"
    for row in range(variant.ranks):
        cells = []
        for cell in setup.board[row * files : (row + 1) * files]:
            name = piece_name(variant, variant.pieces[(cell & 15) - 1].letter) if cell else "・"
            cells.append(("v" if cell >> 4 else " ") + ON_BOARD.get(name, name))
        yield f"|{''.join(cells)}|{RANKS[row]}"
    yield "+" + "-" * (3 * files) + "+"
    yield f"先手の持駒：{_hand(variant, setup.hands[0])}"
    if setup.turn:
        yield "後手番"


def _hand(variant: Variant, hand: list[int]) -> str:
    held = [
        piece_name(variant, piece.letter) + numeral(hand[number])
        for number, piece in reversed(list(enumerate(variant.pieces, 1)))
        if number < len(hand) and hand[number]
    ]
    return "　".join(held) or "なし"
