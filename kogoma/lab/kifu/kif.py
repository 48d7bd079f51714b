"""KIF, the text format that shogi programs exchange (http://kakinoki.o.oo7.jp/kif_format.html), any number of games in
a file.

Small boards are written as in other programs: a diagram, and the variant's name after 手合割. What KIF cannot express
is written in remarks: `# game 3, dice`, `# sfen ...`, `# dice 4`, `# adjudicated_win`. Variants whose pieces have no
kanji (Dobutsu, Game of Generals, Onitama) have moves in USI notation. Moves are checked as they are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kogoma.lab.kifu.game import End, Game, GameReader, Line, Recorder, Step, comment_lines, one_line
from kogoma.lab.kifu.names import (
    FILES,
    HANDICAP_OF,
    HANDICAPS,
    KIF_WORDS,
    NAMES,
    NOBODY,
    ON_BOARD,
    PIECES,
    PROMOTED,
    RANKS,
    VARIANTS_BY_NAME,
    has_kanji,
    kif_word,
    letter_of,
    number_of,
    numeral,
    outcome_by,
    piece_name,
    result_text,
    square_text,
    target_of,
)
from kogoma.rules.base_position import BasePosition
from kogoma.rules.layout import HAND_LIMIT
from kogoma.rules.notation import Setup, write_sfen
from kogoma.rules.outcome import Outcome
from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import NAME, SHOGI, VARIANTS, Promotion, Variant, find, infer

MOVES = "手数----指手---------消費時間--"
_HELD = re.compile(rf"([{''.join(PIECES.values())}])([{RANKS}十]*|[0-9]+)")
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
_REMARK = re.compile(rf"# ?(game ?(.*?), ({NAME})|sfen (.+)|dice ([1-6])|([a-z_]+))")
_HANDS = {"先手の持駒": 0, "下手の持駒": 0, "後手の持駒": 1, "上手の持駒": 1}
_PLAYERS = {"先手": 0, "下手": 0, "後手": 1, "上手": 1}


def kif(game: Game) -> str:
    """Return a game as text in KIF."""
    return "\n".join([*head(game), MOVES, *comment_text(game.comment), *_lines(game), ""])


def head(game: Game) -> Iterator[str]:
    """Yield the lines before the moves: the names of the players, other headers and the start position."""
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
    times = [0.0]  # after each ply, the total time of the player who moved; first a 0
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
    """Return the time of a move and the total time of its player as text: `( 0:05/00:01:23)`. If the time is unknown,
    return an empty text."""
    if step.time_ms is None:
        return ""
    seconds, total = int(step.time_ms / 1000), int(spent / 1000)
    return f"({seconds // 60:2}:{seconds % 60:02}/{total // 3600:02}:{total // 60 % 60:02}:{total % 60:02})"


def comment_text(text: str) -> Iterator[str]:
    """Yield the lines that store a comment in KIF and KI2. A `*` is put in front of each line, except bookmarks (lines
    that begin with &)."""
    for line in comment_lines(text):
        yield line if line.startswith("&") else f"*{line}"


def move_text(position: BasePosition, usi: str, before: str = "") -> str:
    """Return a move as KIF: `７六歩(77)`, `同　角成(88)`, `５二金打`. `before` is the last move's target square."""
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
    """Return the letter of the piece on a square, or "" if the square is empty."""
    assert isinstance(position, Position)
    variant = position.variant
    row, column = ord(square[1]) - ord("a"), variant.files - int(square[0])
    cell = int(position.fields["board"][row * variant.files + column])
    return variant.pieces[(cell & 15) - 1].letter if cell else ""


def board(position: Position) -> Iterator[str]:
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


@dataclass
class Start:
    """The start of a game as far as it was read; `rows` are the diagram's rows without the frame."""

    variant: str = ""  # from a remark
    name: str = ""  # after 手合割
    sfen: str = ""
    rows: list[str] = field(default_factory=list)
    hands: list[str] = field(default_factory=lambda: ["", ""])
    turn: int = 0

    def resolve(self, preferred: Variant) -> tuple[Variant, str]:
        """Return the variant and the SFEN of the start position. If several variants fit, `preferred` is chosen. Raises
        ValueError if no variant fits, or if the diagram is invalid."""
        named = find(self.variant) if self.variant else None
        if not named and self.name in VARIANTS_BY_NAME:
            named = VARIANTS[VARIANTS_BY_NAME[self.name]]
            if (named.files, named.ranks, named.start) == (preferred.files, preferred.ranks, preferred.start):
                named = preferred
        if self.sfen:
            return named or infer(self.sfen, preferred), self.sfen
        if self.rows:
            variant = named or self._by_shape(preferred)
            return variant, self._sfen(variant)
        if self.name in HANDICAPS:
            return SHOGI, HANDICAPS[self.name]
        if self.name and not named and self.name != "その他":
            raise ValueError(f"unknown handicap or game {self.name[:20]!r}, and there is no diagram")
        variant = named or preferred
        return variant, variant.start

    def _by_shape(self, preferred: Variant) -> Variant:
        shape = len(self.rows[0]) // 2, len(self.rows)
        for variant in (preferred, *VARIANTS.values()):
            if (variant.files, variant.ranks) == shape:
                return variant
        raise ValueError(f"no variant has a board of {shape[0]}x{shape[1]} squares")

    def _sfen(self, variant: Variant) -> str:
        if len(self.rows) != variant.ranks:
            raise ValueError(f"the board of {variant.name} has {variant.ranks} ranks, not {len(self.rows)}")
        cells: list[int] = []
        for row, text in enumerate(self.rows):
            if len(text) != 2 * variant.files:
                raise ValueError(f"rank {RANKS[row]} of the board does not have {variant.files} squares: {text[:40]!r}")
            for mark, name in zip(text[::2], text[1::2]):
                if mark not in " vV":
                    raise ValueError(f"rank {RANKS[row]} of the board: cannot read {mark + name!r}")
                white = 0 if mark == " " else 16
                cells.append(0 if name == "・" else white | variant.letters[letter_of(variant, name)])
        hands = [self._hand(variant, text) for text in self.hands]
        return write_sfen(Setup(cells, hands, self.turn), variant)

    def _hand(self, variant: Variant, text: str) -> list[int]:
        hand = [0] * (len(variant.pieces) + 1)
        text = re.sub(r"[ 　]", "", text)
        if text in ("", "なし"):
            return hand
        held = _HELD.findall(text)
        if "".join(name + count for name, count in held) != text:
            raise ValueError(f"cannot read the pieces in hand {text[:40]!r}")
        letters = {piece_name(variant, letter): letter for letter in variant.letters if not letter.startswith("+")}
        for name, count in held:
            if name not in letters or letters[name] == "K":
                raise ValueError(f"{name!r} cannot be in hand in {variant.name}")
            number = variant.letters[letters[name]]
            hand[number] += number_of(count)
            if hand[number] > HAND_LIMIT:
                raise ValueError(f"too many {name!r} in hand: {hand[number]}")
        return hand


def read_kif(lines: Iterable[str], preferred: Variant, kind: type[KifReader] | None = None) -> Iterator[Game]:
    """Yield the games of a text in KIF. A game with an error has the moves before the error, and its `error` is set.
    `preferred` is the variant if the start position fits several, and `kind` is the class that reads a game. Raises
    ValueError if the text contains no game record."""
    reader = None
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r")
        if not line.strip(" 　\t\ufeff"):
            continue
        if reader is None or (reader.began and _begins(line)):
            if reader is not None:
                yield reader.game()
            reader = (kind or KifReader)(preferred, number)
        reader.read(number, line.removeprefix("\ufeff"))
    if reader is None:
        raise ValueError("the input contains no game record")
    if not reader.began and not reader.known:
        raise ValueError(f"line {reader.first}: not a KIF record: {reader.odd[:40]!r}")
    yield reader.game()


def _begins(line: str) -> bool:
    """Return whether a line that follows the moves of a game begins the next game. This is so if lines of its kind can
    stand only before moves."""
    if line.startswith(("# game", "手数--")):
        return True
    return bool(_HEADER.match(line)) and not _BRANCH.match(line) and not _ENTRY.match(line)


class KifReader(GameReader):
    """Reads one game."""

    def __init__(self, preferred: Variant, first: int) -> None:
        super().__init__(preferred, first)
        self.began = False  # whether the moves have begun
        self.odd = ""  # the first line before the moves that could not be read
        self._preferred, self._told = preferred, Start()
        self._offset: int | None = None  # the number of the first move, minus 1

    def game(self) -> Game:
        """Return the game as far as it could be read."""
        if self.recorder is None:
            self._begin(self.first)
        return super().game()

    def _take(self, number: int, line: str) -> None:
        if line.startswith(("*", "&")):
            self._say(line.removeprefix("*"))
        elif line.startswith("#"):
            self._remark(line)
        elif not self.began and line.startswith("手数--"):
            self._begin(number)
        elif _ENTRY.match(line) or _BRANCH.match(line) or (self.began and _RESULT.match(line)):
            if not self.began:
                self._begin(number)
            if not self.error:
                self._move_section(line)
        elif self.began:
            raise ValueError(f"cannot read {line.strip()[:40]!r}")
        else:
            self._head(line)

    def _begin(self, number: int) -> None:
        self.began = self.known = True
        try:
            self._start(*self._told.resolve(self._preferred))
        except ValueError as error:
            self.error = self.error or f"line {number}: {error}"

    def _head(self, line: str) -> None:
        start = self._told
        if line.startswith("|"):
            cells, frame, _ = line[1:].partition("|")
            if not frame or len(start.rows) >= len(RANKS):
                raise ValueError(f"cannot read the rank {line[:40]!r} of the board")
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
                setattr(self.header, ("black", "white")[_PLAYERS[name]], value)
            elif name == "手合割":
                start.name = value
            else:
                self.header.headers[name] = value
        else:
            self.odd = self.odd or line
            return
        self.known = True

    def _remark(self, line: str) -> None:
        found = _REMARK.fullmatch(line.rstrip())
        if not found:
            return
        if found[3]:
            self.header.label, self._told.variant, self.known = found[2].strip(), found[3], True
        elif found[4]:
            self._told.sfen, self.known = found[4], True
        elif self.recorder is not None and self.recorder.line.steps and found[5]:
            self.recorder.line.steps[-1].dice = int(found[5])
        elif self.recorder is not None and self.recorder.line.end and found[6]:
            end = self.recorder.line.end
            end.outcome = Outcome(end.outcome.winner, found[6])

    def _move_section(self, line: str) -> None:
        recorder = self.recorder
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
            raise ValueError(f"expected move {expected}, but found move {number}")
        move = _MOVE.match(text) if has_kanji(position.variant) else None
        token = move[0] if move else _TOKEN.findall(text)[0]
        rest = text[len(token) :].strip(" 　")
        ms = None
        if time := _TIME.match(rest):
            ms = 1000 * (3600 * int(time[1] or 0) + 60 * int(time[2]) + float(time[3]))
            rest = rest[time.end() :]
        if not re.fullmatch(r"[ 　+]*(\*.*)?", rest) or not (move or token in KIF_WORDS or token.isascii()):
            raise ValueError(f"move {number}: cannot read {text.strip()[:40]!r}")
        if token in KIF_WORDS:
            recorder.finish(outcome_by(*KIF_WORDS[token], position), ms)
        else:
            try:
                recorder.play(usi_of(position, move) if move else token, ms)
            except ValueError as error:
                raise ValueError(f"move {number}, {token[:20]}: {error}") from None
        if "*" in rest:
            recorder.say(rest.partition("*")[2].strip())

    def _result(self, recorder: Recorder, text: str) -> None:
        """Handle a result line, such as まで77手で先手の勝ち: set the winner and, if the game has no end yet,
        end it."""
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
    """Return a KIF move in USI notation. `found` is a match of _MOVE. Raises ValueError if the move does not fit the
    position."""
    variant, (file, rank, name, turns, origin) = position.variant, found.groups()
    if file is None:
        if not position.moves:
            raise ValueError("the first move cannot be 同, which refers to a previous move")
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
        raise ValueError(f"{here} stands on {origin[1:3]}, not {name}")
    usi = square + target
    if turns == "成":
        return usi + "+"
    if variant.promotion is not Promotion.IN_ZONE and turns is None:  # promotion is not marked in such variants
        return usi if is_legal(position, usi) else usi + "+"
    return usi


def is_legal(position: BasePosition, usi: str) -> bool:
    """Return whether a move in USI notation is legal."""
    try:
        position.code(usi)
    except ValueError:
        return False
    return True
