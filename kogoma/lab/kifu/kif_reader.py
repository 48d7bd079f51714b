"""Read KIF and KI2, any number of games in a file. Moves are checked as they are read. The two formats differ only in
how moves are written, and a file may contain both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from kogoma.lab.kifu.game import Game, GameReader
from kogoma.lab.kifu.grammar import (
    BLANKS,
    GRAMMAR,
    HANDICAPS,
    RANKS,
    Kind,
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
from kogoma.rules.notation import Setup, write_sfen
from kogoma.rules.outcome import Outcome
from kogoma.rules.variants import SHOGI, VARIANTS, Variant, find, infer

BODY = ("table", "branch", "result", "marked", "numbered")  # kinds of lines that begin the moves of a game
_HELD, _CELL, _TOKEN = pattern("held"), pattern("cell"), pattern("token")
_AFTER_MOVE, _ORIGIN = pattern("after_move"), pattern("origin")
_MOVE_LIKE, _TIME = pattern("move_like"), pattern("time")
_NUMBERING, _REMARK = pattern("numbering"), pattern("remark")  # of moves in a line of KI2


@dataclass
class Head:
    """What the lines before the moves of a game say. `rows` are the diagram's rows without the frame, and `odd` are the
    indices of lines that say nothing known. `known` tells whether any line belongs to a game record."""

    game: Game
    variant: str = ""  # from a remark
    name: str = ""  # after 手合割
    sfen: str = ""
    rows: list[str] = field(default_factory=list)
    hands: list[str] = field(default_factory=lambda: ["", ""])
    turn: int = 0
    comments: list[str] = field(default_factory=list)
    odd: list[int] = field(default_factory=list)
    known: bool = False

    def take(self, index: int, kind: str, groups: tuple[str, ...]) -> None:
        """Take the line with the index `index`, which is before the moves."""
        self.known = self.known or kind not in ("", "comment", "bookmark", "program", "dice", "reason", "header")
        if kind in ("comment", "bookmark"):
            self.comments.append(groups[0])
        elif kind == "game":
            self.game.label, self.variant = groups[0].strip(BLANKS), groups[1]
        elif kind == "sfen":
            self.sfen = groups[0]
        elif kind == "rank":
            self.rows.append(groups[0].partition("|")[0])
        elif kind == "turn":
            self.turn = GRAMMAR["players"][f"{groups[0]}手"]
        elif kind == "header":
            self._header(groups[0].strip(BLANKS), groups[1].strip(BLANKS))
        elif not kind:
            self.odd.append(index)

    def _header(self, name: str, value: str) -> None:
        self.known = self.known or name in GRAMMAR["openers"] or name in GRAMMAR["hands"]
        if name in GRAMMAR["hands"]:
            self.hands[GRAMMAR["hands"][name]] = value
        elif name in GRAMMAR["players"]:
            setattr(self.game, ("black", "white")[GRAMMAR["players"][name]], value)
        elif name in ("手合割", "手合"):
            self.name = value
        else:
            self.game.headers[name] = value

    def variant_of(self, preferred: Variant) -> Variant:
        """Return the variant of the start position. If several variants fit, `preferred` is chosen. Raises ValueError
        if no variant fits."""
        named = find(self.variant) if self.variant else None
        titled = next((name for name, names in GRAMMAR["variants"].items() if self.name in names), None)
        if not named and titled:
            named = VARIANTS[titled]
            if (named.files, named.ranks, named.start) == (preferred.files, preferred.ranks, preferred.start):
                named = preferred
        if self.sfen:
            return named or infer(self.sfen, preferred)
        if self.rows:
            return named or self._by_shape(preferred)
        if self.name in HANDICAPS:
            return SHOGI
        if self.name and not named and self.name not in GRAMMAR["other_start"]:
            raise ValueError(f"unknown handicap or game {self.name[:20]!r}, and there is no diagram")
        return named or preferred

    def start_of(self, variant: Variant) -> str:
        """Return the SFEN of the start position. Raises ValueError if the diagram is invalid."""
        if self.sfen or not self.rows:
            return self.sfen or HANDICAPS.get(self.name, variant.start)
        return self._diagram(variant)

    def _by_shape(self, preferred: Variant) -> Variant:
        shape = len(_CELL.findall(self.rows[0])), len(self.rows)
        for variant in (preferred, *VARIANTS.values()):
            if (variant.files, variant.ranks) == shape:
                return variant
        raise ValueError(f"no variant has a board of {shape[0]}x{shape[1]} squares")

    def _diagram(self, variant: Variant) -> str:
        if len(self.rows) != variant.ranks:
            raise ValueError(f"the board of {variant.name} has {variant.ranks} ranks, not {len(self.rows)}")
        cells: list[int] = []
        for row, text in enumerate(self.rows):
            found = _CELL.findall(text)
            if len(found) != variant.files:
                raise ValueError(f"rank {RANKS[row]} of the board does not have {variant.files} squares: {text[:40]!r}")
            for mark, name in found:
                white = 16 if mark in ("v", "V") else 0
                cells.append(0 if name in "・･." else white | variant.letters[letter_of(variant, name)])
        hands = [self._hand(variant, text) for text in self.hands]
        return write_sfen(Setup(cells, hands, self.turn), variant)

    def _hand(self, variant: Variant, text: str) -> list[int]:
        hand = [0] * (len(variant.pieces) + 1)
        text = half_width(re.sub("[ 　]", "", text))
        if text in ("", "なし"):
            return hand
        held = _HELD.findall(text)
        if "".join(name + count for name, count in held) != text:
            raise ValueError(f"cannot read the pieces in hand {text[:40]!r}")
        names = {piece_name(variant, letter): letter for letter in variant.letters if letter[0] not in "+K"}
        letters = names if has_kanji(variant) else {}
        for name, count in held:
            if name not in letters:
                raise ValueError(f"{name!r} cannot be in hand in {variant.name}")
            number = variant.letters[letters[name]]
            hand[number] += number_of(count)
            if hand[number] > HAND_LIMIT:
                raise ValueError(f"too many {name!r} in hand: {hand[number]}")
        return hand


def read_kif(lines: Iterable[str], preferred: Variant) -> Iterator[Game]:
    """Yield the games of a text in KIF or KI2. A game with an error has the moves before the error, and its `error` is
    set. `preferred` is the variant if the start position fits several. Raises ValueError if the text contains no game
    record."""
    stripped = [line.rstrip("\r").removeprefix("\ufeff") for line in lines]
    stripped = [line if line.startswith(("*", "&")) else line.strip(BLANKS) for line in stripped]
    kinds = [kind_of(line) for line in stripped]
    starts = _starts(kinds, stripped)
    if not starts:
        raise ValueError("the input contains no game record")
    for begin, end in zip(starts, [*starts[1:], len(stripped)]):
        reader = KifReader(stripped, kinds, begin, end, preferred)
        if len(starts) == 1 and not reader.head.known:
            raise ValueError(f"line {begin + 1}: not a KIF record: {stripped[begin][:40]!r}")
        yield reader.game()


def _starts(kinds: Sequence[Kind], lines: Sequence[str]) -> list[int]:
    """Return the index of the first line of each game. A game begins with the first line, and after moves with a line
    that can stand only before moves."""
    starts, has_moves = list[int](), False
    for index, (kind, groups) in enumerate(kinds):
        if not lines[index]:
            continue
        is_opener = kind == "header" and groups[0].strip(BLANKS) in GRAMMAR["openers"]
        if not starts or (has_moves and (is_opener or kind in ("game", "table", "rank"))):
            starts.append(index)
            has_moves = False
        has_moves = has_moves or kind in BODY
    return starts


class KifReader(GameReader):
    """Reads one game: the lines from index `begin` to before index `end`."""

    def __init__(self, lines: Sequence[str], kinds: Sequence[Kind], begin: int, end: int, preferred: Variant) -> None:
        super().__init__(preferred, begin + 1)
        self.head = head = Head(self.header)
        self._kinds = kinds
        self._offset: int | None = None  # the number of the first move, minus 1
        first = next((index for index in range(begin, end) if kinds[index][0] in BODY), end)
        head.known = first < end
        for index in filter(lines.__getitem__, range(begin, first)):
            head.take(index, *kinds[index])
        self.ahead = head.comments
        self.attempt(min(first, end - 1) + 1, self._begin, preferred)
        for index in head.odd:
            self.note("ignored", index + 1, lines[index])
        for index in filter(lines.__getitem__, range(first, end)):
            self.attempt(index + 1, self._take, index + 1, lines[index])
        if self.recorder and not self.recorder.game.moves:
            for index in head.odd:
                self.attempt(index + 1, _check_odd, lines[index])

    def _begin(self, preferred: Variant) -> None:
        variant = self.head.variant_of(preferred)
        self.begin(variant, self.head.start_of(variant))

    def _take(self, number: int, line: str) -> None:
        recorder = self.recorder
        assert recorder is not None
        (kind, groups), end = self._kinds[number - 1], recorder.line.end
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
            self._result(number, groups[0].strip(BLANKS))
        elif kind == "numbered":
            self._numbered(number, int(half_width(groups[0])), groups[1])
        elif kind == "marked":
            self._marked(number, groups[0])
        elif kind == "header" and not _MOVE_LIKE.search(line):
            self.header.headers.setdefault(groups[0].strip(BLANKS), groups[1].strip(BLANKS))
        elif kind in ("", "header", "rank", "frame", "turn"):
            self._odd(number, line)

    def _odd(self, number: int, line: str) -> None:
        """Note a line that says nothing known. Raises ValueError if it may have moves."""
        _check_odd(line)
        self.note("ignored", number, line)

    def _numbered(self, line: int, number: int, text: str) -> None:
        recorder = self.recorder
        assert recorder is not None
        position = recorder.position
        if self._offset is None:
            self._offset = number - 1
        expected = len(position.moves) + 1 + self._offset
        if number != expected:
            raise ValueError(f"expected move {expected}, but found move {number}")
        move = MOVE.match(text) if has_kanji(position.variant) else None
        if move and not (move[7] or move[8]) and _MOVE_LIKE.search(text[move.end() :].partition("*")[0]):
            self._marked(line, text)  # a line of several moves in KI2
            return
        found = move or _TOKEN.match(text)
        token = found[0] if found else ""
        rest = text[len(token) :]
        time = _TIME.match(rest)
        ms = 1000 * (3600 * int(time[1] or 0) + 60 * int(time[2]) + float(time[3])) if time else None
        rest = rest[time.end() :].strip(f"{BLANKS}+") if time else rest
        end = None if move else end_of(token, position, is_word=True)
        is_usi = not has_kanji(position.variant) and token.isascii()
        if not (move or end or is_usi) or not _AFTER_MOVE.match(rest) or _ORIGIN.search(rest):
            raise ValueError(f"move {number}: cannot read {text.strip(BLANKS)[:40]!r}")
        if end:
            self.finish(line, end, token, ms)
        else:
            self._play(move or token, token, number, ms)
        rest, star, comment = rest.strip(f"{BLANKS}+").partition("*")
        if rest:
            self.note("ignored", line, rest)
        if star:
            recorder.say(comment.strip(BLANKS))

    def _play(self, move: str | re.Match[str], text: str, number: int, ms: float | None = None) -> None:
        recorder = self.recorder
        assert recorder is not None
        try:
            recorder.play(move if isinstance(move, str) else usi_of(recorder.position, move), ms)
        except ValueError as error:
            raise ValueError(f"move {number}, {text.strip(BLANKS)[:20]}: {error}") from None

    def _marked(self, index: int, line: str) -> None:
        """Take line `index`, which has moves in KI2, with or without marks, and perhaps the end of the game."""
        recorder = self.recorder
        assert recorder is not None
        if not has_kanji(recorder.position.variant):
            raise ValueError(f"KI2 has no names for the pieces of {recorder.position.variant.name}")
        while line := _NUMBERING.sub("", line):
            if remark := _REMARK.match(line):
                self.note("ignored", index, remark[0])
                line = line[remark.end() :].strip(f"{BLANKS}、，,。")
                continue
            found = MOVE.match(line)
            number = len(recorder.position.moves) + 1
            if not found:
                kind, groups = kind_of(line)
                if kind == "result":
                    self._result(index, groups[0].strip(BLANKS))
                    return
                word = line.strip(BLANKS + GRAMMAR["marks"]).split(" ", 1)[0]
                end = end_of(word, recorder.position, is_word=True)
                if not end or end.text:
                    raise ValueError(f"move {number}, {line[:20]}: no such legal move")
                self.finish(index, end, word)
                line = line[line.index(word) + len(word) :].strip(BLANKS)
                continue
            self._play(found, found[0].strip(BLANKS + GRAMMAR["marks"]), number)
            line = line[found.end() :].strip(f"{BLANKS}、，,。")

    def _result(self, number: int, text: str) -> None:
        """Handle the text of a result line, such as 先手の勝ち: set the winner or, if the game has no end, end it."""
        recorder = self.recorder
        assert recorder is not None
        told, end = end_of(text, recorder.position) if text else None, recorder.line.end
        if not told:
            self._odd(number, text)
        elif end is None:
            self.finish(number, told, text)
        elif told.has_side and told.outcome.winner is not None:
            end.outcome = Outcome(told.outcome.winner, end.outcome.reason)


def _check_odd(line: str) -> None:
    if _MOVE_LIKE.search(line):
        raise ValueError(f"cannot read {line[:40]!r}")
