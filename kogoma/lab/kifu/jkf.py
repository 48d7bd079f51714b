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

from kogoma.lab.kifu.game import End, Game, GameError, Note, Recorder, Step, comment_lines, one_line
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
from kogoma.rules.notation import Setup, write_sfen
from kogoma.rules.position import Position
from kogoma.rules.variants import SHOGI, find

VARIANTS_OF = {preset: find(name) for preset, name in GRAMMAR["preset_variants"].items()}
PRESETS = {preset: variant.start for preset, variant in VARIANTS_OF.items()} | {
    preset: HANDICAPS[name] for preset, name in GRAMMAR["presets"].items()
}
LABEL, NUMBER = GRAMMAR["label_header"], GRAMMAR["number_header"]  # a game's number; the move number of its start


def jkf(game: Game) -> str:
    """Return a game as JKF, a line of JSON. Raises GameError for variants and start positions that JKF does not have,
    and for variations that are nested too deeply for JSON."""
    if game.variant not in VARIANTS_OF.values():
        raise GameError(f"JKF supports only 9x9 shogi and minishogi, not {game.variant.name}")
    if game.variant is not SHOGI and game.start != game.variant.start:
        raise GameError("JKF supports minishogi only from its start position")
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
        raise GameError("the variations are nested too deeply for JKF") from None


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
    """Yield the games of a text in JKF. A game with an error has the moves before the error, and its `error` is set.
    Raises ValueError if the text is not JSON or contains no game record."""
    text = "\n".join(lines).removeprefix("\ufeff")
    decoder, at, count = json.JSONDecoder(), 0, 0
    while found := re.compile(r"\S").search(text, at):
        try:
            record, at = decoder.raw_decode(text, found.start())
        except json.JSONDecodeError as error:
            raise ValueError(f"line {error.lineno}: not JSON: {error.msg}") from None
        except RecursionError:
            raise ValueError("the variations are nested too deeply") from None
        line = text.count("\n", 0, found.start()) + 1
        if not isinstance(record, dict) or not isinstance(record.get("moves"), list):
            raise ValueError(f"line {line}: not a JKF record: `moves` is missing")
        count += 1
        yield _game(record, line)
    if not count:
        raise ValueError("the input contains no game record")


def _game(record: dict[str, Any], line: int) -> Game:
    initial = record.get("initial") or {"preset": "HIRATE"}
    try:
        variant = VARIANTS_OF.get(initial["preset"], SHOGI)
        header = {name: str(value) for name, value in (record.get("header") or {}).items() if value is not None}
        recorder = Recorder(variant, _start(initial, header.pop(NUMBER, "1")))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        reason = error if isinstance(error, ValueError) else "not a start position of JKF"
        return Game(SHOGI, SHOGI.start, error=f"line {line}: the start position: {reason}")
    game = recorder.game
    game.label = header.pop(LABEL, "")
    for name, value in header.items():
        if name in GRAMMAR["players"]:
            setattr(game, ("black", "white")[GRAMMAR["players"][name]], value)
        else:
            game.headers[name] = value
    try:
        _read(recorder, record["moves"], line)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        reason = error if isinstance(error, ValueError) else "not a move of JKF"
        game.error = f"line {line}: move {len(recorder.position.moves) + 1}: {reason}"
    return game


def _start(initial: dict[str, Any], number: str) -> str:
    """Return the SFEN of the start position that a record describes. `number` is the move number to write in the
    SFEN."""
    if initial["preset"] != "OTHER":
        return PRESETS[initial["preset"]]
    data, cells = initial["data"], [0] * SHOGI.squares
    for file, column in enumerate(data["board"]):
        for row, cell in enumerate(column):
            if kind := (cell or {}).get("kind"):
                cells[9 * row + 8 - file] = (int(cell["color"]) << 4) | SHOGI.letters[CSA_LETTERS[kind]]
    hands = [[0] * (len(SHOGI.pieces) + 1) for _ in "bw"]
    for hand, held in zip(hands, data["hands"]):
        for kind, count in held.items():
            if not 0 <= int(count) <= HAND_LIMIT or len(CSA_LETTERS[kind]) > 1 or kind == "OU":
                raise ValueError(f"a hand cannot have {count} pieces {kind}")
            hand[SHOGI.letters[CSA_LETTERS[kind]]] = int(count)
    return write_sfen(Setup(cells, hands, int(data["color"]), int(number)), SHOGI)


def _read(recorder: Recorder, moves: list[Any], line: int) -> None:
    """Add the moves and variations of a record to `recorder`, in the order of `Game.lines`. The first entry of `moves`
    stands for the start position, unless it has a move."""
    if moves and not moves[0].get("move"):
        _entry(recorder, moves[0], line)
        moves = moves[1:]
    waiting = [(0, moves)]
    while waiting:
        plies, entries = waiting.pop()
        if entries is not moves:
            recorder.branch(plies)
        for number, entry in enumerate(entries, plies):
            if not (entry.get("move") or entry.get("special")):
                raise ValueError("not a move of JKF")
            _entry(recorder, entry, line)
            waiting += [(number, other) for other in reversed(entry.get("forks") or [])]


def _entry(recorder: Recorder, entry: dict[str, Any], line: int) -> None:
    """Add a move, an end or the start position, with its comments."""
    if set(entry) - {"move", "special", "time", "comments", "forks"}:
        raise ValueError("not a move of JKF")
    now = (entry.get("time") or {}).get("now")
    ms = 1000.0 * (3600 * (now.get("h") or 0) + 60 * (now.get("m") or 0) + now["s"]) if now else None
    if move := entry.get("move"):
        recorder.play(_usi(recorder.position, move), ms)
    elif word := entry.get("special"):
        end = csa_end(str(word), recorder.position)
        recorder.finish(end.outcome, ms, end.text)
        if end.text:
            recorder.game.notes.append(Note("unknown_end", line, end.text))
    comments = entry.get("comments") or []
    for comment in [comments] if isinstance(comments, str) else comments:
        told = read_remark(comment)
        if told and recorder.line.end:
            recorder.line.end.outcome, recorder.line.end.text = told.outcome, told.text
        else:
            recorder.say(comment)


def _usi(position: BasePosition, move: dict[str, Any]) -> str:
    if not move.get("to") and not position.moves:
        raise ValueError("the first move has no target square")
    to = _square_of(move["to"]) if move.get("to") else target_of(position.moves[-1])
    letter = CSA_LETTERS[move["piece"]]
    if not move.get("from"):
        return f"{letter}*{to}"
    origin = _square_of(move["from"])
    if letter_at(position, origin) != letter:
        raise ValueError(f"no {move['piece']} stands on {move['from']['x']}{move['from']['y']}")
    return origin + to + "+" * bool(move.get("promote"))


def _square_of(place: dict[str, int]) -> str:
    return f"{place['x']}{chr(ord('a') + place['y'] - 1)}"
