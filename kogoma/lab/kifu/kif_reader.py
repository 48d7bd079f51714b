"""Read KIF and KI2, any number of games in a file. Moves are checked as they are read. The two formats differ only in
how moves are written, and a file may contain both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from kogoma.lab.kifu.errors import GameError, wrapped
from kogoma.lab.kifu.game import Game, GameReader, Note
from kogoma.lab.kifu.grammar import (
    BLANKS,
    GRAMMAR,
    HANDICAPS,
    RANKS,
    end_of,
    half_width,
    has_kanji,
    kind_of,
    letter_of,
    number_of,
    pattern,
    piece_name,
)
from kogoma.lab.kifu.japanese_moves import MOVE, usi_of
from kogoma.rules.layout import HAND_LIMIT
from kogoma.rules.move_text import USI_MOVE
from kogoma.rules.notation import Setup, first_number, write_sfen
from kogoma.rules.outcome import Outcome
from kogoma.rules.variants import SHOGI, VARIANTS, Variant, can_be_held, find, infer

BODY = ("table", "branch", "result", "marked", "numbered")  # kinds of lines that begin the moves of a game
BETWEEN = f"{BLANKS}、，,。"  # characters between moves of KI2
Place = tuple[int, int]  # line and column
_HELD, _CELL, _TOKEN = pattern("held"), pattern("cell"), pattern("token")
_AFTER_MOVE, _ORIGIN = pattern("after_move"), pattern("origin")
_MOVE_LIKE, _TIME = pattern("move_like"), pattern("time")
_NUMBERING, _REMARK = pattern("numbering"), pattern("remark")  # of moves in a line of KI2


class TextLine(NamedTuple):
    """A line of KIF or KI2 without the blanks around it: its number, the column of its first character, the text, and
    what `kind_of` says about the text."""

    number: int
    column: int
    text: str
    kind: str
    groups: tuple[str, ...]

    @classmethod
    def of(cls, number: int, whole: str) -> TextLine:
        """Return the line `whole`, which has this number."""
        text = whole.rstrip("\r").removeprefix("\ufeff")
        text = text if text.startswith(("*", "&")) else text.strip(BLANKS)
        return cls(number, whole.index(text) + 1, text, *kind_of(text))

    def place_of(self, rest: str) -> Place:
        """Return the place where `rest`, the end of the text, begins."""
        return self.number, self.column + len(self.text) - len(rest)


@dataclass
class Head:
    """What the lines before the moves of a game say. `rows` are the lines of the diagram, and `odd` are the lines that
    say nothing known. `known` tells whether any line belongs to a game record. `places` tells where the parts that
    determine the start position are, and `place` which of them was read last."""

    game: Game
    place: Place
    variant: str = ""  # from a remark
    name: str = ""  # after 手合割
    sfen: str = ""
    rows: list[TextLine] = field(default_factory=list)
    hands: list[str] = field(default_factory=lambda: ["", ""])
    turn: int = 0
    comments: list[str] = field(default_factory=list)
    odd: list[TextLine] = field(default_factory=list)
    known: bool = False
    places: dict[str | int, Place] = field(default_factory=dict)

    def take(self, line: TextLine) -> None:
        """Take a line that is before the moves."""
        kind, groups = line.kind, line.groups
        self.known = self.known or kind not in ("", "comment", "bookmark", "program", "dice", "reason", "header")
        if kind in ("comment", "bookmark"):
            self.comments.append(groups[0])
        elif kind == "game":
            self.game.label, self.variant = groups[0].strip(BLANKS), groups[1]
            self.places["variant"] = line.place_of(groups[1])
        elif kind == "written_by":
            self.variant = self.variant or GRAMMAR["programs"].get(groups[0], "")
        elif kind == "sfen":
            self.sfen = groups[0]
            self.places["sfen"] = line.place_of(groups[0])
        elif kind == "rank":
            self.rows.append(line)
            self.places.setdefault("rows", line.place_of(line.text))
        elif kind == "turn":
            self.turn = GRAMMAR["players"][f"{groups[0]}手"]
        elif kind == "header":
            value = groups[1].strip(BLANKS)
            self._header(groups[0].strip(BLANKS), value, line.place_of(value))
        elif not kind:
            self.odd.append(line)

    def _header(self, name: str, value: str, place: Place) -> None:
        self.known = self.known or name in GRAMMAR["openers"] or name in GRAMMAR["hands"]
        if name in GRAMMAR["hands"]:
            self.hands[GRAMMAR["hands"][name]] = value
            self.places[GRAMMAR["hands"][name]] = place
        elif name in GRAMMAR["players"]:
            setattr(self.game, ("black", "white")[GRAMMAR["players"][name]], value)
        elif name in ("手合割", "手合"):
            self.name, self.places["name"] = value, place
        else:
            self.game.headers[name] = value

    def variant_of(self, preferred: Variant) -> Variant:
        """Return the variant of the start position. If several variants fit, `preferred` is chosen. Raises ValueError
        if no variant fits."""
        self._go_to("variant")
        named = find(self.variant) if self.variant else None
        titled = next((name for name, names in GRAMMAR["variants"].items() if self.name in names), None)
        if not named and titled:
            named = VARIANTS[titled]
            if (named.files, named.ranks, named.start) == (preferred.files, preferred.ranks, preferred.start):
                named = preferred
        self._go_to("sfen" if self.sfen else "rows" if self.rows else "name")
        if self.sfen:
            return named or infer(self.sfen, preferred)
        if self.rows:
            return named or self._by_shape(preferred)
        if self.name in HANDICAPS:
            return SHOGI
        if self.name and not named and self.name not in GRAMMAR["other_start"]:
            raise GameError.of("unknown-handicap", text=self.name)
        return named or preferred

    def start_of(self, variant: Variant) -> str:
        """Return the SFEN of the start position. Raises ValueError if the diagram is invalid."""
        if self.sfen or not self.rows:
            return self.sfen or HANDICAPS.get(self.name, variant.start)
        return self._diagram(variant)

    def _go_to(self, part: str | int) -> None:
        self.place = self.places.get(part, self.place)

    def _by_shape(self, preferred: Variant) -> Variant:
        shape = len(_CELL.findall(_row(self.rows[0]))), len(self.rows)
        for variant in (preferred, *VARIANTS.values()):
            if (variant.files, variant.ranks) == shape:
                return variant
        raise GameError.of("board-size", files=shape[0], ranks=shape[1])

    def _diagram(self, variant: Variant) -> str:
        if len(self.rows) != variant.ranks:
            raise GameError.of("board-ranks", game=variant.name, ranks=variant.ranks, n=len(self.rows))
        cells: list[int] = []
        for rank, line in zip(RANKS, self.rows):
            self.place = number, column = line.place_of(line.groups[0])
            found = list(_CELL.finditer(_row(line)))
            if len(found) != variant.files:
                raise GameError.of("board-files", rank=rank, files=variant.files, text=_row(line))
            for cell in found:
                self.place = number, column + cell.start(2)
                white = 16 if cell[1] in ("v", "V") else 0
                cells.append(0 if cell[2] in "・･." else white | variant.letters[letter_of(variant, cell[2])])
        hands = [self._hand(variant, side) for side in (0, 1)]
        self._go_to("rows")
        return write_sfen(Setup(cells, hands, self.turn, first_number(cells, hands, variant)), variant)

    def _hand(self, variant: Variant, side: int) -> list[int]:
        self._go_to(side)
        hand = [0] * (len(variant.pieces) + 1)
        text = half_width(re.sub("[ 　]", "", self.hands[side]))
        if text in ("", "なし"):
            return hand
        held = _HELD.findall(text)
        if "".join(name + count for name, count in held) != text:
            raise GameError.of("unreadable-hand", text=text)
        held_pieces = (piece.letter for piece in variant.pieces if can_be_held(variant, piece))
        names = {piece_name(variant, letter): letter for letter in held_pieces}
        letters = names if has_kanji(variant) else {}
        for name, count in held:
            if name not in letters:
                raise GameError.of("not-in-this-hand", text=name, game=variant.name)
            number = variant.letters[letters[name]]
            hand[number] += number_of(count)
            if hand[number] > HAND_LIMIT:
                raise GameError.of("many-in-hand", text=name, n=hand[number])
        return hand


def _row(line: TextLine) -> str:
    """Return a rank of a diagram without its frame."""
    return line.groups[0].partition("|")[0]


def read_kif(text: Iterable[str], preferred: Variant) -> Iterator[Game]:
    """Yield the games of the lines of a text in KIF or KI2. A game with an error has the moves before the error, and
    its `trouble` is set. `preferred` is the variant if the start position fits several. Raises GameError if the text
    contains no game record."""
    parts = _parts(TextLine.of(number, line) for number, line in enumerate(text, 1))
    first, second = next(parts, None), next(parts, None)
    if first is None:
        raise GameError.of("no-record")
    for part in chain([first], [second] if second else [], parts):
        reader = KifReader(part, preferred)
        if second is None and not reader.head.known:
            raise GameError.of("not-kif", text=first[0].text).at(first[0].number, first[0].column)
        yield reader.game()


def _parts(lines: Iterable[TextLine]) -> Iterator[list[TextLine]]:
    """Yield the lines of each game, without blank ones. A game begins with the first line, and after moves with a line
    that can stand only before moves."""
    part, has_moves = list[TextLine](), False
    for line in lines:
        is_opener = line.kind == "header" and line.groups[0].strip(BLANKS) in GRAMMAR["openers"]
        if has_moves and (is_opener or line.kind in ("game", "table", "rank")):
            yield part
            part, has_moves = [], False
        if line.text:
            part.append(line)
        has_moves = has_moves or line.kind in BODY
    if part:
        yield part


class KifReader(GameReader):
    """Reads the lines of one game."""

    def __init__(self, lines: Sequence[TextLine], preferred: Variant) -> None:
        super().__init__(preferred, lines[0].number)
        first = next((index for index, line in enumerate(lines) if line.kind in BODY), len(lines))
        body = lines[min(first, len(lines) - 1)]
        self.head = head = Head(self.header, (body.number, body.column), known=first < len(lines))
        self._offset: int | None = None  # the number of the first move, minus 1
        for line in lines[:first]:
            head.take(line)
        self.ahead = head.comments
        self.attempt(*head.place, self._begin, preferred)
        for line in head.odd:
            self.header.notes.append(Note("ignored", line.number, line.text))
        for line in lines[first:]:
            self.attempt(line.number, line.column, self._take, line)
        self.attempt(self.line, self.column, self._end_by_header)
        if self.recorder and not self.recorder.game.moves:
            for line in head.odd:
                self.attempt(line.number, line.column, _check_odd, line.text)

    def _begin(self, preferred: Variant) -> None:
        try:
            variant = self.head.variant_of(preferred)
            self.begin(variant, self.head.start_of(variant))
        finally:
            self.line, self.column = self.head.place

    def _end_by_header(self) -> None:
        """End the game as a header says, if neither the lines of moves nor the rules end it."""
        result, recorder = self.header.headers.get(GRAMMAR["result_header"]), self.recorder
        if recorder and result in GRAMMAR["winners"] and not recorder.line.end and not recorder.position.outcome():
            recorder.finish(Outcome((0, 1, None)[GRAMMAR["winners"].index(result)], "unknown"))

    def _take(self, line: TextLine) -> None:
        recorder, kind, groups = self.started, line.kind, line.groups
        end = recorder.line.end
        if kind in ("comment", "bookmark"):
            recorder.say(groups[0])
        elif kind == "dice" and recorder.line.steps:
            recorder.line.steps[-1].dice = int(groups[0])
        elif kind == "reason" and end:
            told = {"b": 0, "w": 1, "-": None}
            end.outcome = Outcome(told[groups[1]] if groups[1] else end.outcome.winner, groups[0])
        elif kind == "branch":
            recorder.branch(int(half_width(groups[0])) - 1 - (self._offset or 0))
        elif kind == "result":
            self._result(groups[0].strip(BLANKS))
        elif kind == "numbered":
            self._numbered(int(half_width(groups[0])), groups[1], line)
        elif kind == "marked":
            self._marked(groups[0], line)
        elif kind == "header" and not _MOVE_LIKE.search(line.text):
            self.header.headers.setdefault(groups[0].strip(BLANKS), groups[1].strip(BLANKS))
        elif kind in ("", "header", "rank", "frame", "turn"):
            self._odd(line.text)

    def _odd(self, text: str) -> None:
        """Note a text that says nothing known. Raises GameError if it may have moves."""
        _check_odd(text)
        self.note("ignored", text)

    def _numbered(self, number: int, text: str, line: TextLine) -> None:
        position = self.started.position
        if self._offset is None:
            self._offset = number - 1
        expected = len(position.moves) + 1 + self._offset
        if number != expected:
            raise GameError.of("other-move-number", n=expected, other=number)
        move = MOVE.match(text) if has_kanji(position.variant) else None
        if move and not (move[7] or move[8]) and _MOVE_LIKE.search(text[move.end() :].partition("*")[0]):
            self._marked(text, line)  # a line of several moves in KI2
            return
        self.line, self.column = line.place_of(text)
        found = move or _TOKEN.match(text)
        token = found[0] if found else ""
        rest = text[len(token) :]
        time = _TIME.match(rest)
        ms = 1000 * (3600 * int(time[1] or 0) + 60 * int(time[2]) + float(time[3])) if time else None
        rest = rest[time.end() :].strip(f"{BLANKS}+") if time else rest
        end = None if move else end_of(token, position, is_word=True)
        is_usi = token.isascii() and (not has_kanji(position.variant) or USI_MOVE.fullmatch(token))
        if not (move or end or is_usi) or not _AFTER_MOVE.match(rest) or _ORIGIN.search(rest):
            raise wrapped(GameError.of("unreadable", text=text.strip(BLANKS)), "in-move-number", n=number)
        if end:
            self.finish(end, token, ms)
        else:
            self._play(move or token, token, number, ms)
        rest, star, comment = rest.strip(f"{BLANKS}+").partition("*")
        if rest:
            self.note("ignored", rest)
        if star:
            self.started.say(comment.strip(BLANKS))

    def _play(self, move: str | re.Match[str], text: str, number: int, ms: float | None = None) -> None:
        recorder = self.started
        try:
            recorder.play(move if isinstance(move, str) else usi_of(recorder.position, move), ms)
        except ValueError as error:
            raise wrapped(error, "in-move", n=number, move=text.strip(BLANKS)[:20]) from None

    def _marked(self, text: str, line: TextLine) -> None:
        """Take the end `text` of a line, which has moves in KI2, with or without marks, and perhaps the end of the
        game."""
        position = self.started.position
        if not has_kanji(position.variant):
            raise GameError.of("no-kanji", name=position.variant.name)
        while text := _NUMBERING.sub("", text):
            self.line, self.column = line.place_of(text)
            if remark := _REMARK.match(text):
                self.note("ignored", remark[0])
                text = text[remark.end() :].lstrip(BETWEEN)
                continue
            found = MOVE.match(text)
            number = len(position.moves) + 1
            if not found:
                kind, groups = kind_of(text)
                if kind == "result":
                    self._result(groups[0].strip(BLANKS))
                    return
                word = text.strip(BLANKS + GRAMMAR["marks"]).split(" ", 1)[0]
                end = end_of(word, position, is_word=True)
                if not end or end.text:
                    raise wrapped(GameError.of("no-move-fits"), "in-move", n=number, move=text[:20])
                self.finish(end, word)
                text = text[text.index(word) + len(word) :].lstrip(BLANKS)
                continue
            self._play(found, found[0].strip(BLANKS + GRAMMAR["marks"]), number)
            text = text[found.end() :].lstrip(BETWEEN)

    def _result(self, text: str) -> None:
        """Handle the text of a result line, such as 先手の勝ち: set the winner or, if the game has no end, end it."""
        told, end = end_of(text, self.started.position) if text else None, self.started.line.end
        if not told:
            self._odd(text)
        elif end is None:
            self.finish(told, text)
        elif told.has_side and told.outcome.winner is not None:
            end.outcome = Outcome(told.outcome.winner, end.outcome.reason)


def _check_odd(text: str) -> None:
    if _MOVE_LIKE.search(text):
        raise GameError.of("unreadable", text=text)
