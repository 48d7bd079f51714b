"""Write and read KI2, the notation of books: without origin squares, but with suffixes that distinguish pieces.

The suffixes (右, 左, 直, 上, 寄, 引, 打) follow the Japan Shogi Association: https://www.shogi.or.jp/faq/kihuhyouki.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kogoma.lab.kifu.game import Game, GameError, Line
from kogoma.lab.kifu.kif import KifReader, comment_text, head, is_legal, letter_at, read_kif
from kogoma.lab.kifu.names import FILES, SYNONYMS, has_kanji, piece_name, result_text, square_text, target_of
from kogoma.rules.notation import parse_square
from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import Variant

IN_A_ROW = 6  # moves per line
TURNED = ("+B", "+R")  # promoted bishop and rook: 直 is not used for them

MARKS = "▲△▼▽☗☖"  # marks before a move; reading does not distinguish Black's and White's
_MOVE = re.compile(rf"[{MARKS}]([^{MARKS}]+)")
_SPACES = re.compile(r"[\s　]")
_SUFFIX = re.compile("[右左直上寄引打]|不成|生")
_DIGITS = str.maketrans("123456789", FILES)

Way = tuple[int, int]  # direction of a move as its player sees it: (right, forward), each -1, 0 or 1


def ki2(game: Game) -> str:
    """Return a game as text in KI2. Raises GameError for a variant whose pieces have no kanji."""
    if not has_kanji(game.variant):
        raise GameError(f"KI2 has no names for the pieces of {game.variant.name}")
    position = new_position(game.variant, game.start)
    assert isinstance(position, Position)
    lines = [*head(game), *comment_text(game.comment)]
    for plies, line in game.lines():
        while len(position.moves) > plies:
            position.pop()
        if line is not game.main:
            lines += ["", f"変化：{plies + 1}手"]
        lines += _line(position, line)
    return "\n".join([*lines, ""])


def _line(position: Position, line: Line) -> Iterator[str]:
    row, before = list[str](), ""
    for step in line.steps:
        row.append(f"{'▲△'[position.turn]}{move_text(position, step.usi, before)}")
        if len(row) == IN_A_ROW or step.comment or step is line.steps[-1]:
            yield "".join(text + " " * (12 - 2 * len(text)) for text in row).rstrip(" ")
            row.clear()
        yield from comment_text(step.comment)
        position.push(step.usi)
        before = target_of(step.usi)
    if line.end:
        yield f"まで{len(position.moves)}手で{_result(line, position.turn)}"
        yield from comment_text(line.end.comment)


def _result(line: Line, turn: int) -> str:
    assert line.end
    outcome = line.end.outcome
    if outcome.winner is None:
        return result_text(outcome)
    winner, loser = "先後"[outcome.winner], "後先"[outcome.winner]
    if outcome.reason == "time":
        return f"時間切れにより{winner}手の勝ち"
    if outcome.reason == "declaration":
        return f"{winner}手の入玉勝ち"
    if outcome.reason in ("illegal_move", "perpetual_check"):
        return f"{winner}手の反則勝ち" if outcome.winner == turn else f"{loser}手の反則負け"
    return result_text(outcome)


def move_text(position: Position, usi: str, before: str = "") -> str:
    """Return a move as KI2: `７六歩`, `同　角成`, `５二金右`. `before` is the square to which the last move went."""
    variant, target = position.variant, target_of(usi)
    where = "同　" if target == before else square_text(target)
    if "*" in usi:
        letter = usi[: usi.index("*")]
        return f"{where}{piece_name(variant, letter)}{'打' if _ways(position, letter, target) else ''}"
    letter = letter_at(position, usi[:2])
    ways = _ways(position, letter, target)
    mine = ways.pop(usi[:2])
    turns = "成" if usi.endswith(("+", "-")) else "不成" if is_legal(position, usi + "+") else ""
    return f"{where}{piece_name(variant, letter)}{_told_apart(mine, list(ways.values()), letter in TURNED)}{turns}"


def read_ki2(lines: Iterable[str], preferred: Variant) -> Iterator[Game]:
    """Yield the games of a text in KI2, as `read_kif` does for KIF. Only the moves are written differently."""
    return read_kif(lines, preferred, _Ki2Reader)


class _Ki2Reader(KifReader):
    def _take(self, number: int, line: str) -> None:
        if _SPACES.sub("", line)[:1] not in MARKS:
            super()._take(number, line)
            return
        if not self.began:
            self._begin(number)
        recorder = self.recorder
        if recorder is None:
            return  # the start position is invalid: `error` says why
        for text in _MOVE.findall(line):
            if not isinstance(recorder.position, Position):
                raise ValueError(f"KI2 has no names for the pieces of {recorder.position.variant.name}")
            try:
                recorder.play(usi_of(recorder.position, text))
            except ValueError as error:
                raise ValueError(f"move {len(recorder.position.moves) + 1}, {text.strip()[:20]}: {error}") from None


def usi_of(position: Position, text: str) -> str:
    """Return the legal move that a KI2 text means, in USI notation. Missing, unusual or wrong suffixes are accepted if
    only one move fits. Raises ValueError if no move fits, or several."""
    wanted = _plain(text)
    before = target_of(position.moves[-1]) if position.moves else ""
    legal = {_plain(move_text(position, usi, before)): usi for usi in position.legal_moves()}
    if before and wanted.startswith(square_text(before)):
        wanted = "同" + wanted.removeprefix(square_text(before))
    if wanted in legal:
        return legal[wanted]
    fitting = [usi for name, usi in legal.items() if _SUFFIX.sub("", name) == _SUFFIX.sub("", wanted)]
    if len(fitting) > 1:
        fitting = _by_direction(position, fitting, wanted)
    if len(fitting) != 1:
        raise ValueError("several moves fit" if fitting else "no such legal move")
    return fitting[0]


def _by_direction(position: Position, moves: list[str], suffix: str) -> list[str]:
    """Return those of `moves` whose direction fits a suffix. All of `moves` bring the same type of piece to the same
    square. Some books write another suffix than the rules of the Japan Shogi Association demand, such as 直 for 上."""
    if "打" in suffix:
        return [usi for usi in moves if "*" in usi]
    steps = [usi for usi in moves if "*" not in usi]
    if not steps:
        return moves
    ways = _ways(position, letter_at(position, steps[0][:2]), target_of(steps[0]))
    for name, forward in (("上", 1), ("寄", 0), ("引", -1)):
        if name in suffix:
            steps = [usi for usi in steps if ways[usi[:2]][1] == forward]
    if "直" in suffix:
        return [usi for usi in steps if ways[usi[:2]] == (0, 1)]
    for name, best in (("右", min), ("左", max)):  # a piece from the right moves to the left
        if name in suffix and steps:
            end = best(ways[usi[:2]][0] for usi in steps)
            steps = [usi for usi in steps if ways[usi[:2]][0] == end]
    return steps


def _plain(text: str) -> str:
    """Return the text of a move without spaces, with full-width digits and the usual name of each piece."""
    text = _SPACES.sub("", text).translate(_DIGITS)
    for name, usual in SYNONYMS.items():
        text = text.replace(name, usual)
    return text


def _told_apart(mine: Way, others: list[Way], is_turned: bool) -> str:
    """Return the suffix that distinguishes a move from moves of other pieces of the same type to the same square.
    `mine` is the direction of the move, and `others` are the directions of the other moves."""
    beside = [right for right, forward in others if forward == mine[1]]
    behind = [forward for right, forward in others if right == mine[0]]
    text, right = "", mine[0]
    if beside:
        if not right and is_turned:
            right = -beside[0]
        elif not right:
            return "直"
        text = "右" if right < 0 else "左"
    if behind or (others and not beside):
        text += {1: "上", 0: "寄", -1: "引"}[mine[1]]
    return text


def _ways(position: Position, letter: str, target: str) -> dict[str, Way]:
    """Return the squares from which pieces of type `letter` of the side to move reach `target`, with the direction of
    each move. Pinned pieces are included."""
    variant, setup = position.variant, position.setup()
    number, goal = variant.letters[letter], parse_square(variant, target)
    sign = -1 if setup.turn else 1
    piece, found = variant.pieces[number - 1], dict[str, Way]()
    for square, cell in enumerate(setup.board):
        if cell != setup.turn << 4 | number:
            continue
        row, column = divmod(square, variant.files)
        for right, forward in piece.directions:
            at = column, row
            while True:
                at = at[0] + sign * right, at[1] - sign * forward
                if not (0 <= at[0] < variant.files and 0 <= at[1] < variant.ranks):
                    break
                here = at[1] * variant.files + at[0]
                if here == goal:
                    name = f"{variant.files - column}{chr(ord('a') + row)}"
                    found[name] = (right > 0) - (right < 0), (forward > 0) - (forward < 0)
                if here == goal or setup.board[here] or (right, forward) in piece.steps:
                    break
    return found
