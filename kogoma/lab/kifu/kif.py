"""Write KIF, the text format that shogi programs exchange (http://kakinoki.o.oo7.jp/kif_format.html), and KI2, its
variant for books, which has no origin squares, times and move numbers.

Small boards are written as in other programs: a diagram, and the variant's name after 手合割. What KIF cannot express
is written in remarks: `# game 3, dice`, `# sfen ...`, `# dice 4`, `# adjudicated_win`. Variants whose pieces have no
kanji (Dobutsu, Game of Generals, Onitama) have moves in USI notation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kogoma.lab.kifu.game import End, Game, GameError, Line, Step, comment_lines, one_line
from kogoma.lab.kifu.grammar import (
    FILES,
    GRAMMAR,
    HANDICAP_OF,
    RANKS,
    end_of,
    end_word,
    has_kanji,
    numeral,
    piece_name,
    result_text,
    target_of,
)
from kogoma.lab.kifu.japanese_moves import ki2_move, kif_move
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import Variant

MOVES = "手数----指手---------消費時間--"
IN_A_ROW = 6  # moves of a line of KI2


def kif(game: Game) -> str:
    """Return a game as text in KIF."""
    lines = _branches(game, _kif_line)
    return "\n".join([*_head(game), MOVES, *_comment(game.comment), *lines, ""])


def ki2(game: Game) -> str:
    """Return a game as text in KI2. Raises GameError for a variant whose pieces have no kanji."""
    if not has_kanji(game.variant):
        raise GameError.of("no-kanji", name=game.variant.name)
    return "\n".join([*_head(game), *_comment(game.comment), *_branches(game, _ki2_line), ""])


def _head(game: Game) -> Iterator[str]:
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
    names = GRAMMAR["variants"]
    plain = game.start == variant.start and variant.name in names
    yield f"手合割：{names[variant.name][0]}" if plain else f"# sfen {game.start}"
    if not plain or variant.name != "shogi":
        position = new_position(variant, game.start)
        assert isinstance(position, Position)
        yield from diagram(position)


def _branches(game: Game, write: Callable[[BasePosition, Line, list[float]], Iterator[str]]) -> Iterator[str]:
    """Yield the lines of text of all lines of play, each variation after the number of the move that it replaces."""
    position = new_position(game.variant, game.start)
    times = [0.0]  # after each ply, the total time of the player who moved; first a 0
    for plies, line in game.lines():
        while len(position.moves) > plies:
            position.pop()
        del times[plies + 1 :]
        if line is not game.main:
            yield ""
            yield f"変化：{plies + 1}手"
        yield from write(position, line, times)


def _kif_line(position: BasePosition, line: Line, times: list[float]) -> Iterator[str]:
    before = ""
    for step in line.steps:
        spent = _spent(step, times)
        yield f"{len(position.moves) + 1:4} {kif_move(position, step.usi, before):<12}{_clock(step, spent)}".rstrip()
        if step.dice is not None:
            yield f"# dice {step.dice}"
        yield from _comment(step.comment)
        position.push(step.usi)
        before = target_of(step.usi)
        times.append(spent)
    if end := line.end:
        word = one_line(end.text) or end_word("kif", end.outcome, position.turn)
        yield f"{len(position.moves) + 1:4} {word:<12}{_clock(end, _spent(end, times))}".rstrip()
        yield from _result(position, end, word)


def _ki2_line(position: BasePosition, line: Line, times: list[float]) -> Iterator[str]:
    assert isinstance(position, Position)
    row, before = list[str](), ""
    for step in line.steps:
        row.append(f"{'▲△'[position.turn]}{ki2_move(position, step.usi, before)}")
        if len(row) == IN_A_ROW or step.comment or step is line.steps[-1]:
            yield "".join(text + " " * (12 - 2 * len(text)) for text in row).rstrip(" ")
            row.clear()
        yield from _comment(step.comment)
        position.push(step.usi)
        before = target_of(step.usi)
        times.append(0.0)
    if line.end:
        yield from _result(position, line.end)


def _result(position: BasePosition, end: End, word: str = "") -> Iterator[str]:
    """Yield the result line of an end, a remark if neither `word` nor, without `word`, that line tells the outcome, and
    the comment."""
    text = one_line(end.text) or result_text(end.outcome, position.turn, word)
    yield f"まで{len(position.moves)}手で{text}"
    told, (winner, reason) = end_of(word or text, position), (end.outcome.winner, end.outcome.reason)
    if not told or told.outcome != end.outcome:
        yield f"# {one_line(reason)} {'-' if winner is None else 'bw'[winner]}"
    yield from _comment(end.comment)


def _spent(step: Step | End, times: list[float]) -> float:
    return (times[-2] if len(times) > 1 else 0.0) + (step.time_ms or 0.0)


def _clock(step: Step | End, spent: float) -> str:
    """Return the time of a move and the total time of its player as text: `( 0:05/00:01:23)`. If the time is unknown,
    return an empty text."""
    if step.time_ms is None:
        return ""
    seconds, total = int(step.time_ms / 1000), int(spent / 1000)
    return f"({seconds // 60:2}:{seconds % 60:02}/{total // 3600:02}:{total // 60 % 60:02}:{total % 60:02})"


def _comment(text: str) -> Iterator[str]:
    """Yield the lines that store a comment in KIF and KI2. A `*` is put in front of each line, except bookmarks (lines
    that begin with &)."""
    for line in comment_lines(text):
        yield line if line.startswith("&") else f"*{line}"


def diagram(position: Position) -> Iterator[str]:
    """Yield the lines of a diagram: White's hand, the board, Black's hand and, if White is to move, a line that says
    so."""
    setup, variant = position.setup(), position.variant
    files = variant.files
    yield f"後手の持駒：{_hand(variant, setup.hands[1])}"
    yield "  " + " ".join(FILES[file] for file in reversed(range(files)))
    yield "+" + "-" * (3 * files) + "+"
    for row in range(variant.ranks):
        cells = []
        for cell in setup.board[row * files : (row + 1) * files]:
            name = piece_name(variant, variant.pieces[(cell & 15) - 1].letter) if cell else "・"
            cells.append(("v" if cell >> 4 else " ") + GRAMMAR["on_board"].get(name, name))
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
