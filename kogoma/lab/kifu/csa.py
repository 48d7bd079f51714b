"""CSA V2.2, the format of computer shogi tournaments: 9x9 shogi only, without variations. Games are separated by a line
"/".

http://www2.computer-shogi.org/protocol/record_v22.html. What CSA cannot express is written in comments: `'# game 3`,
`'# adjudicated_win b`, `'備考：...`; a comment on a move is `'*...`. Moves are checked as they are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kogoma.lab.kifu.errors import GameError, wrapped
from kogoma.lab.kifu.game import End, Game, GameReader, Step, comment_lines, one_line
from kogoma.lab.kifu.grammar import (
    CSA_LETTERS,
    CSA_PIECES,
    GRAMMAR,
    WrittenEnd,
    csa_end,
    end_remark,
    end_word,
    pattern,
    read_remark,
    square_of,
)
from kogoma.lab.kifu.japanese_moves import letter_at
from kogoma.rules.notation import Setup, parse_sfen, write_sfen
from kogoma.rules.position import Position
from kogoma.rules.variants import SHOGI

KEYWORDS = {name: keyword for keyword, name in GRAMMAR["csa_headers"].items()}
TIME_LIMIT = r"[0-9]+:[0-9]{2}\+[0-9]+"  # CSA's only form of a time limit
SEPARATOR = "/"  # the line between two games
_MOVE, _TIME, _NUMBER = pattern("csa_move"), pattern("csa_time"), pattern("csa_number")
_CELL, _PLACED = pattern("csa_cell"), pattern("csa_placed")
_WORD = re.compile("[+-]?[A-Z_]+")


def csa(game: Game) -> str:
    """Return a game as text in CSA. Raises GameError for variants other than 9x9 shogi."""
    if game.variant is not SHOGI:
        raise GameError.of("csa-variant", name=game.variant.name)
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
        written = WrittenEnd(end.outcome, one_line(end.text))
        word = written.text if _WORD.fullmatch(written.text) else end_word("csa", end.outcome, position.turn)
        yield f"%{word}"
        yield from _time(end)
        if remark := end_remark(written, csa_end(word, position)):
            yield f"'{remark}"
        yield from _comment(end.comment)


def _time(step: Step | End) -> Iterator[str]:
    if step.time_ms is not None:
        yield f"T{int(step.time_ms / 1000)}"


def _comment(text: str) -> Iterator[str]:
    for line in comment_lines(text):
        yield f"'*{line}"


def move_text(position: Position, usi: str) -> str:
    """Return a move as CSA, for example `+7776FU` or `-0055KA`. It names the piece as it is after the move."""
    sign = "+-"[position.turn]
    if "*" in usi:
        return f"{sign}00{digits_of(usi[2:])}{CSA_PIECES[usi[0]]}"
    letter = letter_at(position, usi[:2])
    return f"{sign}{digits_of(usi[:2])}{digits_of(usi[2:4])}{CSA_PIECES['+' * usi.endswith('+') + letter]}"


def _setup(setup: Setup) -> Iterator[str]:
    names = ["", *(CSA_PIECES[piece.letter] for piece in SHOGI.pieces)]
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


def digits_of(square: str) -> str:
    """Return the two CSA digits of a USI square: "76" for "7f"."""
    return square[0] + str(ord(square[1]) - ord("a") + 1)


def read_csa(lines: Iterable[str]) -> Iterator[Game]:
    """Yield the games of a text in CSA. A game with an error has the moves before the error, and its `trouble` is set.
    Raises GameError if the text contains no game record."""
    reader, count = None, 0
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r").removeprefix("\ufeff")
        if line.strip() == SEPARATOR:
            if reader is not None:
                yield reader.game()
            reader = None
        elif line.strip():
            if reader is None:
                reader, count = _Reader(number), count + 1
            reader.attempt(number, 1, reader.take, line)
    if reader is not None:
        if count == 1 and not reader.known:
            raise reader.trouble or GameError.of("not-csa").at(reader.first, 1)
        yield reader.game()
    elif not count:
        raise GameError.of("no-record")


class _Reader(GameReader):
    def __init__(self, first: int) -> None:
        super().__init__(SHOGI, first)
        self._setup = Setup([0] * SHOGI.squares, [[0] * (len(SHOGI.pieces) + 1) for _ in "bw"])
        self._placed = False
        self.known = False  # whether any line looked like part of a game record

    def game(self) -> Game:
        if self.recorder is None and not self.trouble:
            self.trouble = GameError.of("no-side-to-move").at(self.first, 1)
        return super().game()

    def take(self, line: str) -> None:
        """Handle one line of the text, which is not blank. Raises ValueError if it is invalid."""
        if line.startswith("'"):
            self._remark(line)
        elif line.startswith(("N+", "N-")):
            self.known = True
            setattr(self.header, "black" if line[1] == "+" else "white", line[2:].strip())
        elif line.startswith("$"):
            self.known = True
            keyword, _, value = line[1:].partition(":")
            self.header.headers[GRAMMAR["csa_headers"].get(keyword, keyword)] = value.strip()
        else:
            end = 0
            for part in line.split(","):
                self.column = end + len(part) - len(part.lstrip()) + 1
                self._read(part.strip())
                end += len(part) + 1

    def _remark(self, line: str) -> None:
        recorder = self.recorder
        if line.startswith("'*"):
            (recorder.say if recorder else self.ahead.append)(line[2:])
        elif line.startswith("'# game "):
            self.header.label = line[8:].strip()
        elif found := _NUMBER.fullmatch(line):
            self._setup.number = int(found[1])
        elif recorder is None and "：" in line:
            name, _, value = line[1:].partition("：")
            self.header.headers[name.strip()] = value.strip()
        elif recorder:
            recorder.amend(read_remark(line[1:]))

    def _read(self, text: str) -> None:
        if text.startswith("V"):
            self.known = True
        elif text.startswith("P") and self.recorder is None:
            self._place(text)
            self.known = self._placed = True
        elif text in ("+", "-") and self.recorder is None:
            self._begin("+-".index(text))
        elif found := _MOVE.fullmatch(text):
            if self.recorder is None:
                self._begin("+-".index(found[1]))
                self.note("start", found[1])
            self._move(*found.groups())
        elif found := _TIME.fullmatch(text):
            if self.recorder is None or self.recorder.at is None:
                raise GameError.of("early-time", text=text)
            self.recorder.at.time_ms = 1000 * float(found[1])
        elif text.startswith("%"):
            self.finish(csa_end(text[1:], self.started.position), text)
        elif text:
            raise GameError.of("unreadable", text=text)

    def _begin(self, turn: int) -> None:
        if not self._placed:
            self.note("start", "PI")
            self._place("PI")
        self.known = True
        self._setup.turn = turn
        self.begin(SHOGI, write_sfen(self._setup, SHOGI))

    def _place(self, text: str) -> None:
        board, hands = self._setup.board, self._setup.hands
        if text.startswith("PI"):
            board[:] = parse_sfen(SHOGI.start, SHOGI).board
            for square, name in self._placements(text):
                if board[square] & 15 != _number(name):
                    raise GameError.of("nothing-to-remove", text=text, piece=name)
                board[square] = 0
        elif text[1:2] in "123456789" and len(text) > 1:
            cells, first = list(_CELL.finditer(text, 2)), self.column
            if len(cells) != 9 or _CELL.sub("", text[2:]).strip(" "):
                raise GameError.of("unreadable-rank", text=text)
            for square, cell in enumerate(cells, 9 * (int(text[1]) - 1)):
                self.column = first + cell.start()
                board[square] = (cell[1] == "-") << 4 | _number(cell[2]) if cell[2] else 0
        elif text[1:2] in ("+", "-"):
            side = "+-".index(text[1])
            for square, name in self._placements(text):
                if square >= 0:
                    board[square] = side << 4 | _number(name)
                elif name == "AL":
                    self._rest(side)
                elif len(letter := CSA_LETTERS.get(name, "")) != 1 or letter == "K":
                    raise GameError.of("not-in-hand", name=name)
                else:
                    hands[side][_number(name)] += 1
        else:
            raise GameError.of("unreadable", text=text)

    def _placements(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield square (-1 for a hand) and name of each piece that a line of the start position places."""
        found, first = list(_PLACED.finditer(text, 2)), self.column
        if "".join(one[0] for one in found) != text[2:]:
            raise GameError.of("unreadable-pieces", text=text[2:])
        for one in found:
            self.column = first + one.start()
            digits, name = one.groups()
            if "0" in digits and digits != "00":
                raise GameError.of("no-such-square", square=digits)
            yield -1 if digits == "00" else 9 * (int(digits[1]) - 1) + 9 - int(digits[0]), name

    def _rest(self, side: int) -> None:
        """Give all pieces that are neither on the board nor in a hand to the hand of `side`."""
        letters = SHOGI.letters
        for letter, number in letters.items():
            if len(letter) > 1 or letter == "K":
                continue
            faces = {number, letters.get("+" + letter, number)}
            total = SHOGI.start.split()[0].upper().count(letter)
            used = sum(cell & 15 in faces for cell in self._setup.board if cell)
            used += sum(hand[number] for hand in self._setup.hands)
            self._setup.hands[side][number] += max(0, total - used)

    def _move(self, sign: str, origin: str, target: str, name: str) -> None:
        recorder = self.started
        position = recorder.position
        try:
            if "+-".index(sign) != position.turn:
                raise GameError.of("other-side-to-move", sign="+-"[position.turn], other=sign)
            letter = CSA_LETTERS.get(name)
            if letter is None:
                raise GameError.of("unknown-piece", name=name)
            if origin == "00":
                recorder.play(f"{letter}*{square_of(*target)}")
                return
            if "0" in origin:
                raise GameError.of("no-such-square", square=origin)
            here = letter_at(position, square_of(*origin))
            if letter not in (here, f"+{here}"):
                raise GameError.of("no-piece-there", piece=name, square=origin)
            recorder.play(square_of(*origin) + square_of(*target) + "+" * (letter != here))
        except ValueError as error:
            raise wrapped(error, "in-move", n=len(position.moves) + 1, move=sign + origin + target + name) from None


def _number(name: str) -> int:
    if name not in CSA_LETTERS:
        raise GameError.of("unknown-piece", name=name)
    return SHOGI.letters[CSA_LETTERS[name]]
