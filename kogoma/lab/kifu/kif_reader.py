"""Reads KIF: any number of games one after the other, with variations, comments and times, each move checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kogoma.lab.kifu.diagram import Start
from kogoma.lab.kifu.endings import KIF_WORDS, NOBODY, outcome_by
from kogoma.lab.kifu.game import Game, Recorder
from kogoma.lab.kifu.kif import letter_at
from kogoma.lab.kifu.names import FILES, PIECES, PROMOTED, RANKS, has_kanji, letter_of, piece_name, target_of
from kogoma.rules.base_position import BasePosition
from kogoma.rules.outcome import Outcome
from kogoma.rules.variants import Promotion, Variant

_PIECE = "|".join([*PROMOTED.values(), *PIECES.values(), *"杏圭全王竜"])
_MOVE = re.compile(
    rf"(?:同[ 　]*|([1-9{FILES}])([1-9{FILES}{RANKS}])[ 　]*)({_PIECE})[ 　]*(成|不成|生)?[ 　]*(打|\([0-9][0-9]\))?"
)
_ENTRY = re.compile(r"[ 　]*([0-9]{1,6})[ 　]+([^ 　(].*)")
_TOKEN = re.compile(r"[^ 　(]+")
_TIME = re.compile(r"\( *(?:([0-9]{1,4}):)?([0-9]{1,6}):([0-9]{1,2}(?:\.[0-9]{1,6})?) *(?:/[ 0-9:.]*)?\)")
_HEADER = re.compile(r"([^ 　：:*&|+#][^：:]{0,40})[：:](.*)")
_BRANCH = re.compile(r"[ 　]*変化[：:][ 　]*([0-9]{1,6})手")
_RESULT = re.compile(r"[ 　]*まで、?([0-9]{1,6})手で(.*)")
_REMARK = re.compile(r"# ?(game ?(.*?), ([a-z-]+)|sfen (.+)|dice ([1-6])|([a-z_]+))")
_HANDS = {"先手の持駒": 0, "下手の持駒": 0, "後手の持駒": 1, "上手の持駒": 1}
_PLAYERS = {"先手": 0, "下手": 0, "後手": 1, "上手": 1}


def read_kif(lines: Iterable[str], preferred: Variant) -> Iterator[Game]:
    """The games of a text, each as it is complete; `preferred` is the game where a start does not tell. What is wrong
    is told in a game's `error`: its moves before that line are there. ValueError where nothing is a record."""
    reader = None
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r")
        if not line.strip(" 　\t\ufeff"):
            continue
        if reader is None or (reader.began and _begins(line)):
            if reader is not None:
                yield reader.game()
            reader = _Reader(preferred, number)
        reader.read(number, line.removeprefix("\ufeff"))
    if reader is None:
        raise ValueError("there is no record in it")
    if not reader.began and not reader.known:
        raise ValueError(f"line {reader.first}: no record in KIF: {reader.odd[:40]!r}")
    yield reader.game()


def _begins(line: str) -> bool:
    """True for a line that can only stand before a game's moves."""
    if line.startswith(("# game", "手数--")):
        return True
    return bool(_HEADER.match(line)) and not _BRANCH.match(line) and not _ENTRY.match(line)


class _Reader:
    """What has been read of one game."""

    def __init__(self, preferred: Variant, first: int) -> None:
        self.began = False  # whether the moves have
        self.known = False  # whether any line of a record was met
        self.first, self.odd = first, ""
        self._preferred, self._start = preferred, Start()
        self._headers: dict[str, str] = {}
        self._names = ["", ""]
        self._label, self._error = "", ""
        self._comment: list[str] = []  # before the moves
        self._recorder: Recorder | None = None
        self._offset: int | None = None  # of the first move's number

    def game(self) -> Game:
        """The game as far as it could be read."""
        if self._recorder is None:
            self._begin(self.first)
        if self._recorder is None:
            game = Game(self._preferred, self._preferred.start)
        else:
            game = self._recorder.game
        game.black, game.white = self._names
        game.headers, game.label, game.error = self._headers, self._label, self._error
        return game

    def read(self, number: int, line: str) -> None:
        """One line that is not blank; after an error the rest of the game is passed over."""
        if self._error:
            return
        try:
            if line.startswith(("*", "&")):
                self._say(line.removeprefix("*"))
            elif line.startswith("#"):
                self._remark(line)
            elif not self.began and line.startswith("手数--"):
                self._begin(number)
            elif _ENTRY.match(line) or _BRANCH.match(line) or (self.began and _RESULT.match(line)):
                if not self.began:
                    self._begin(number)
                if not self._error:
                    self._move_section(line)
            elif self.began:
                raise ValueError(f"cannot read {line.strip()[:40]!r}")
            else:
                self._head(line)
        except ValueError as error:
            self._error = f"line {number}: {error}"

    def _begin(self, number: int) -> None:
        self.began = self.known = True
        try:
            self._recorder = Recorder(*self._start.resolve(self._preferred))
        except ValueError as error:
            self._error = self._error or f"line {number}: {error}"
            return
        for line in self._comment:
            self._recorder.say(line)

    def _say(self, line: str) -> None:
        if self._recorder is None:
            self._comment.append(line)
        else:
            self._recorder.say(line)

    def _head(self, line: str) -> None:
        start = self._start
        if line.startswith("|"):
            cells, frame, _ = line[1:].partition("|")
            if not frame or len(start.rows) >= len(RANKS):
                raise ValueError(f"cannot read the board's row {line[:40]!r}")
            start.rows.append(cells)
        elif line.startswith(("後手番", "上手番")):
            start.turn = 1
        elif line.startswith(("先手番", "下手番", "+-", "  ９", "  ６", "  ５", "  ４", "手数＝")):
            pass
        elif found := _HEADER.match(line):
            name, value = found[1].strip(" 　"), found[2].strip(" 　")
            if name in _HANDS:
                start.hands[_HANDS[name]] = value
            elif name in _PLAYERS:
                self._names[_PLAYERS[name]] = value
            elif name == "手合割":
                start.name = value
            else:
                self._headers[name] = value
        else:
            self.odd = self.odd or line
            return
        self.known = True

    def _remark(self, line: str) -> None:
        found = _REMARK.fullmatch(line.rstrip())
        if not found:
            return
        if found[3]:
            self._label, self._start.variant, self.known = found[2].strip(), found[3], True
        elif found[4]:
            self._start.sfen, self.known = found[4], True
        elif self._recorder is not None and self._recorder.line.steps and found[5]:
            self._recorder.line.steps[-1].dice = int(found[5])
        elif self._recorder is not None and self._recorder.line.end and found[6]:
            end = self._recorder.line.end
            end.outcome = Outcome(end.outcome.winner, found[6])

    def _move_section(self, line: str) -> None:
        recorder = self._recorder
        assert recorder is not None
        if found := _BRANCH.match(line):
            recorder.branch(int(found[1]) - 1 - (self._offset or 0))
        elif found := _RESULT.match(line):
            self._result(recorder, found[2].strip(" 　"))
        elif found := _ENTRY.match(line):
            self._entry(recorder, int(found[1]), found[2])

    def _entry(self, recorder: Recorder, number: int, text: str) -> None:
        position = recorder.position
        if self._offset is None:
            self._offset = number - 1
        expected = len(position.moves) + 1 + self._offset
        if number != expected:
            raise ValueError(f"move {number} stands where move {expected} is expected")
        move = _MOVE.match(text) if has_kanji(position.variant) else None
        token = move[0] if move else _TOKEN.findall(text)[0]
        rest = text[len(token) :].strip(" 　")
        ms = None
        if time := _TIME.match(rest):
            ms = 1000 * (3600 * int(time[1] or 0) + 60 * int(time[2]) + float(time[3]))
            rest = rest[time.end() :]
        if not re.fullmatch(r"[ 　+]*(\*.*)?", rest):
            raise ValueError(f"move {number}: cannot read {text.strip()[:40]!r}")
        if token in KIF_WORDS:
            recorder.finish(outcome_by(*KIF_WORDS[token], position), ms)
        elif move or token.isascii():
            try:
                recorder.play(usi_of(position, move) if move else token, ms)
            except ValueError as error:
                raise ValueError(f"move {number}, {token[:20]}: {error}") from None
        else:
            raise ValueError(f"move {number}: cannot read {text.strip()[:40]!r}")
        if "*" in rest:
            recorder.say(rest.partition("*")[2].strip())

    def _result(self, recorder: Recorder, text: str) -> None:
        """まで77手で先手の勝ち: tells the winner of an end, or is all that tells the end."""
        turn, line = recorder.position.turn, recorder.line
        named = next((side for name, side in _PLAYERS.items() if text.startswith(f"{name}の")), None)
        if text.startswith("時間切れ"):
            reason, mover = KIF_WORDS["切れ負け"]
        elif named is not None:
            word = text[3:] if text[3:] in KIF_WORDS else "投了"
            reason, mover = KIF_WORDS[word][0], NOBODY
        elif text in KIF_WORDS:
            reason, mover = KIF_WORDS[text]
        else:
            raise ValueError(f"cannot read the result {text[:40]!r}")
        winner = named if named is None or "負け" not in text else 1 - named
        if line.end is None:
            judged = outcome_by(reason, mover, recorder.position)
            if winner is not None:
                judged = Outcome(winner, reason if reason != "resign" or winner != turn else "unknown")
            recorder.finish(judged)
        elif winner is not None:
            line.end.outcome = Outcome(winner, line.end.outcome.reason)


def usi_of(position: BasePosition, found: re.Match[str]) -> str:
    """A move as KIF writes it, in USI notation; ValueError where the board holds something else."""
    variant, (file, rank, name, turns, origin) = position.variant, found.groups()
    if file is None:
        if not position.moves:
            raise ValueError("同 without a move before it")
        target = target_of(position.moves[-1])
    else:
        row = next(names.index(rank) for names in (RANKS, FILES, "123456789") if rank in names)
        target = str((FILES if file in FILES else "123456789").index(file) + 1) + chr(ord("a") + row)
    if origin in (None, "打", "(00)"):
        return f"{letter_of(variant, name)}*{target}"
    column, row = int(origin[1]), int(origin[2]) - 1
    if not (1 <= column <= variant.files and 0 <= row < variant.ranks):
        raise ValueError(f"there is no square {origin[1:3]}")
    square = f"{column}{chr(ord('a') + row)}"
    letter = letter_at(position, square)
    here = piece_name(variant, letter) if letter else "nothing"
    if not letter or letter_of(variant, name) != letter:
        raise ValueError(f"{here} stands on {origin[1:3]}")
    usi = square + target
    if turns == "成":
        return usi + "+"
    if variant.promotion is not Promotion.IN_ZONE and turns is None:  # turning goes without saying there
        try:
            position.code(usi)
        except ValueError:
            return usi + "+"
    return usi
