"""JKF, the JSON format of game records (https://github.com/na2hiro/json-kifu-format): 9x9 shogi, and minishogi from its
start position.

Ends that JKF cannot express are written as a comment of the end, as in CSA: `# adjudicated_win b`. Moves are checked as
they are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from kogoma.lab.kifu.csa import digits_of
from kogoma.lab.kifu.errors import GameError, wrapped
from kogoma.lab.kifu.game import End, Game, GameReader, Step, comment_lines, one_line
from kogoma.lab.kifu.grammar import (
    CSA_LETTERS,
    CSA_PIECES,
    GRAMMAR,
    HANDICAP_OF,
    HANDICAPS,
    WrittenEnd,
    csa_end,
    end_remark,
    end_word,
    read_remark,
    target_of,
)
from kogoma.lab.kifu.japanese_moves import letter_at
from kogoma.rules.base_position import BasePosition
from kogoma.rules.layout import HAND_LIMIT
from kogoma.rules.notation import Setup, parse_number, write_sfen
from kogoma.rules.position import Position
from kogoma.rules.variants import SHOGI, find

VARIANTS_OF = {preset: find(name) for preset, name in GRAMMAR["preset_variants"].items()}
PRESETS = {preset: variant.start for preset, variant in VARIANTS_OF.items()} | {
    preset: HANDICAPS[name] for preset, name in GRAMMAR["presets"].items()
}
MOST = 10**9  # of a number
LABEL, NUMBER = GRAMMAR["label_header"], GRAMMAR["number_header"]  # a game's number; the move number of its start


def jkf(game: Game) -> str:
    """Return a game as JKF, a line of JSON. Raises GameError for variants and start positions that JKF does not have,
    and for variations that are nested too deeply for JSON."""
    if game.variant not in VARIANTS_OF.values():
        raise GameError.of("jkf-variant", name=game.variant.name)
    if game.variant is not SHOGI and game.start != game.variant.start:
        raise GameError.of("jkf-start")
    header = {"先手": one_line(game.black), "後手": one_line(game.white)}
    header |= {one_line(name): one_line(value) for name, value in game.headers.items()}
    if game.label:
        header[LABEL] = one_line(game.label)
    if (number := int(game.start.split()[3])) > 1:
        header[NUMBER] = str(number)
    record = {"header": header, "initial": _initial(game.start), "moves": _moves(game)}
    try:
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
    except RecursionError:
        raise GameError.of("nested-jkf") from None


def _initial(start: str) -> dict[str, Any]:
    if start in HANDICAP_OF or any(variant.start == start for variant in VARIANTS_OF.values()):
        return {"preset": next(name for name, sfen in PRESETS.items() if sfen == start)}
    setup = Position(SHOGI, start).setup()
    names = ["", *(CSA_PIECES[piece.letter] for piece in SHOGI.pieces)]
    cells = [{"color": cell >> 4, "kind": names[cell & 15]} if cell else {} for cell in setup.board]
    board = [[cells[9 * row + 8 - file] for row in range(9)] for file in range(9)]
    hands = [{names[number]: count for number, count in enumerate(hand) if count} for hand in setup.hands]
    return {"preset": "OTHER", "data": {"color": setup.turn, "board": board, "hands": hands}}


def _moves(game: Game) -> list[dict[str, Any]]:
    position = Position(game.variant, game.start)
    first = {"comments": comment_lines(game.comment)} if game.comment else {}
    main: list[dict[str, Any]] = [first]
    lists = {id(game.main): main}  # by the id of a line: the list of its entries
    times = [0.0]  # after each ply, the total time of the player who moved; first a 0
    for plies, line in game.lines():
        while len(position.moves) > plies:
            position.pop()
        del times[plies + 1 :]
        for step in line.entries:
            entry = _move(position, step.usi) if isinstance(step, Step) else _end(position, step)
            spent = (times[-2] if len(times) > 1 else 0.0) + (step.time_ms or 0.0)
            if step.time_ms is not None:
                entry["time"] = {"now": _time(step.time_ms, hours=False), "total": _time(spent)}
            if comments := entry.pop("comments", []) + comment_lines(step.comment):
                entry["comments"] = comments
            lists[id(line)].append(entry)
            for other in step.variations:
                lists[id(other)] = []
                entry.setdefault("forks", []).append(lists[id(other)])
            if isinstance(step, Step):
                position.push(step.usi)
                times.append(spent)
    return main


def _move(position: Position, usi: str) -> dict[str, Any]:
    target = target_of(usi)
    move: dict[str, Any] = {"color": position.turn}
    if "*" in usi:
        move |= {"to": _square(target), "piece": CSA_PIECES[usi[0]]}
    else:
        move |= {"from": _square(usi), "to": _square(target), "piece": CSA_PIECES[letter_at(position, usi[:2])]}
        if usi.endswith("+"):
            move["promote"] = True
        if captured := letter_at(position, target):
            move["capture"] = CSA_PIECES[captured]
    if position.moves and target_of(position.moves[-1]) == target:
        move["same"] = True
    return {"move": move}


def _square(square: str) -> dict[str, int]:
    return {"x": int(square[0]), "y": ord(square[1]) - ord("a") + 1}


def _time(ms: float, hours: bool = True) -> dict[str, int]:
    seconds = int(ms / 1000)
    if hours:
        return {"h": seconds // 3600, "m": seconds // 60 % 60, "s": seconds % 60}
    return {"m": seconds // 60, "s": seconds % 60}


def _end(position: Position, end: End) -> dict[str, Any]:
    """Return JKF's entry for the end of a line. If JKF's word for it does not determine the outcome, a comment with
    reason and winner is added."""
    written = WrittenEnd(end.outcome, one_line(end.text))
    word = written.text or end_word("csa", end.outcome, position.turn)
    remark = end_remark(written, csa_end(word, position))
    return {"special": word, "comments": [remark]} if remark else {"special": word}


def read_jkf(lines: Iterable[str]) -> Iterator[Game]:
    """Yield the games of a text in JKF. A game with an error has the moves before the error, and its `trouble` is
    set. Raises GameError if the text is not JSON or contains no game record."""
    text = "\n".join(lines).removeprefix("\ufeff")
    decoder, at, count = json.JSONDecoder(parse_constant=_refuse), 0, 0
    while found := re.compile("[^ \t\n\r]").search(text, at):
        place = text.count("\n", 0, found.start()) + 1, found.start() - text.rfind("\n", 0, found.start())
        if found[0] != "{":
            raise GameError.of("not-jkf", text=text[found.start() :].partition("\n")[0]).at(*place)
        try:
            record, at = decoder.raw_decode(text, found.start())
        except json.JSONDecodeError as error:
            raise GameError.of("not-json").at(error.lineno, error.colno) from None
        except GameError as error:
            raise error.at(*place) from None
        except RecursionError:
            raise GameError.of("nested-json").at(*place) from None
        if not isinstance(record.get("moves"), list):
            raise GameError.of("no-jkf-moves").at(*place)
        count += 1
        yield _Reader(record, *place).game()
    if not count:
        raise GameError.of("no-record")


def _refuse(name: str) -> None:
    """Refuse a number that JSON does not have, but Python's decoder accepts, such as NaN."""
    raise GameError.of("not-json")


class _Reader(GameReader):
    """Reads one game: the record that begins at `line` and `column`."""

    def __init__(self, record: dict[str, Any], line: int, column: int) -> None:
        super().__init__(SHOGI, line)
        self.attempt(line, column, self._begin, record)
        self.attempt(line, column, self._moves, record["moves"])

    def _begin(self, record: dict[str, Any]) -> None:
        """Take the header and the start position."""
        number, names = "1", GRAMMAR["players"]
        try:
            for name, value in (_field(record, "header", dict) or {}).items():
                if value is None:
                    continue
                if not isinstance(value, str):
                    self.note("ignored", name)
                elif name == NUMBER:
                    number = value
                elif name == LABEL:
                    self.header.label = value
                elif name in names:
                    setattr(self.header, ("black", "white")[names[name]], value)
                else:
                    self.header.headers[name] = value
            initial = _field(record, "initial", dict) or {"preset": "HIRATE"}
            preset = _valid(_field(initial, "preset", str))
            start = _start(_valid(_field(initial, "data", dict)), number) if preset == "OTHER" else PRESETS.get(preset)
            self.begin(VARIANTS_OF.get(preset, SHOGI), _valid(start))
        except ValueError as error:
            raise wrapped(error, "in-start") from None

    def _moves(self, moves: list[Any]) -> None:
        """Add the moves and variations of a record in the order of `Game.lines`. The first entry of `moves` stands for
        the start position, unless it has a move."""
        recorder = self.started
        try:
            if moves and not _field(moves[0], "move", dict):
                self._entry(moves[0])
                moves = moves[1:]
            waiting = [(0, moves)]
            while waiting:
                plies, entries = waiting.pop()
                if entries is not moves:
                    recorder.branch(plies)
                for number, entry in enumerate(entries, plies):
                    _valid(_field(entry, "move", dict) or _field(entry, "special", str))
                    self._entry(entry)
                    waiting += [(number, _list(other)) for other in reversed(_field(entry, "forks", list) or [])]
        except ValueError as error:
            raise wrapped(error, "in-move-number", n=len(recorder.position.moves) + 1) from None

    def _entry(self, entry: dict[str, Any]) -> None:
        """Add a move, an end or the start position, with its comments."""
        recorder = self.started
        now, ms = _field(_field(entry, "time", dict) or {}, "now", dict), None
        if set(entry) - {"move", "special", "time", "comments", "forks"}:
            _valid(None)
        if now:
            hours, minutes = (_number(_field(now, unit, object) or 0) for unit in "hm")
            ms = 1000.0 * (3600 * hours + 60 * minutes + _number(now.get("s")))
        if move := _field(entry, "move", dict):
            recorder.play(_usi(recorder.position, move), ms)
        elif word := _field(entry, "special", str):
            self.finish(csa_end(word, recorder.position), word, ms)
        comments = entry.get("comments")
        for comment in [comments] if isinstance(comments, str) else _field(entry, "comments", list) or []:
            if not isinstance(comment, str):
                _valid(None)
            if not recorder.amend(read_remark(comment)):
                recorder.say(comment)


def _start(data: dict[str, Any], number: str) -> str:
    """Return the SFEN of the start position that a record describes. `number` is the move number to write in the
    SFEN."""
    cells = [0] * SHOGI.squares
    for file, column in enumerate(_list(data.get("board"), 9)):
        for row, cell in enumerate(_list(column, 9)):
            if cell is not None and (kind := _field(cell, "kind", str)):
                cells[9 * row + 8 - file] = _whole(cell.get("color"), 0, 1) << 4 | _type(kind)
    hands = [[0] * (len(SHOGI.pieces) + 1) for _ in "bw"]
    for hand, held in zip(hands, _list(data.get("hands"), 2)):
        if not isinstance(held, dict):
            _valid(None)
        for kind, value in held.items():
            piece, count = _type(kind), _whole(value, 0, MOST)
            if count > HAND_LIMIT or len(CSA_LETTERS[kind]) > 1 or kind == "OU":
                raise GameError.of("hand-count", n=count, kind=kind)
            hand[piece] = count
    return write_sfen(Setup(cells, hands, _whole(data.get("color"), 0, 1), parse_number(number)), SHOGI)


def _usi(position: BasePosition, move: dict[str, Any]) -> str:
    to, origin, piece = _field(move, "to", dict), _field(move, "from", dict), _field(move, "piece", str)
    if not to and not position.moves:
        raise GameError.of("no-target")
    target = _square_of(to) if to else target_of(position.moves[-1])
    letter: str = _valid(CSA_LETTERS.get(piece))
    if not origin:
        return f"{letter}*{target}"
    square = _square_of(origin)
    if letter_at(position, square) != letter:
        raise GameError.of("no-piece-there", piece=piece, square=digits_of(square))
    return square + target + "+" * bool(_field(move, "promote", object))


def _square_of(place: dict[str, Any]) -> str:
    return f"{_whole(place.get('x'), 1, 9)}{chr(ord('a') + _whole(place.get('y'), 1, 9) - 1)}"


def _type(kind: str) -> int:
    return SHOGI.letters[_valid(CSA_LETTERS.get(kind))]


# Checks of values. They raise ValueError.


def _valid(value: Any) -> Any:
    """Return a value that must not be missing."""
    if value is None:
        raise GameError.of("not-valid-jkf")
    return value


def _field(record: Any, name: str, kind: type) -> Any:
    """Return a field of an object, None if it is missing or empty. It must be of the type `kind`."""
    value = record.get(name) if isinstance(record, dict) else _valid(None)
    return _valid(value if isinstance(value, kind) else None) if value else None


def _list(value: Any, length: int | None = None) -> list[Any]:
    is_valid = isinstance(value, list) and len(value) == (len(value) if length is None else length)
    return list(_valid(value if is_valid else None))


def _number(value: Any) -> Any:
    is_valid = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MOST
    return _valid(value if is_valid else None)


def _whole(value: Any, least: int, most: int) -> int:
    number = _number(value)
    return int(_valid(number if number == int(number) and least <= number <= most else None))
