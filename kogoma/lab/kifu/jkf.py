"""JKF, the JSON format of game records (https://github.com/na2hiro/json-kifu-format): 9x9 shogi only.

Ends that JKF cannot express are written as a comment of the end, as in CSA: `# adjudicated_win b`. Moves are checked as
they are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from kogoma.lab.kifu.csa import LETTERS, PIECES, square_of
from kogoma.lab.kifu.game import End, Game, GameError, Recorder, Step, comment_lines, one_line
from kogoma.lab.kifu.kif import letter_at
from kogoma.lab.kifu.names import CSA_WORDS, HANDICAP_OF, HANDICAPS, csa_word, outcome_by, target_of
from kogoma.rules.layout import HAND_LIMIT
from kogoma.rules.notation import Setup, write_sfen
from kogoma.rules.outcome import Outcome
from kogoma.rules.position import Position
from kogoma.rules.variants import SHOGI

_NAMES = "香落ち 右香落ち 角落ち 飛車落ち 飛香落ち 二枚落ち 三枚落ち 四枚落ち 五枚落ち 左五枚落ち 六枚落ち 左七枚落ち"
_CODES = "KY KY_R KA HI HIKY 2 3 4 5 5_L 6 7_L 7_R 8 10"
PRESETS = {"HIRATE": SHOGI.start} | {
    code: HANDICAPS[name] for code, name in zip(_CODES.split(), f"{_NAMES} 右七枚落ち 八枚落ち 十枚落ち".split())
}
_PLAYERS = {"先手": "black", "下手": "black", "後手": "white", "上手": "white"}
LABEL, NUMBER = "棋譜番号", "手数"  # headers for a game's number, and for the move number of its start
_REMARK = re.compile("# ([a-z_]+) ([bw-])")


def jkf(game: Game) -> str:
    """Return a game as JKF, a line of JSON. Raises GameError for variants other than 9x9 shogi, and for variations
    that are nested too deeply for JSON."""
    if game.variant is not SHOGI:
        raise GameError(f"JKF supports only 9x9 shogi, not {game.variant.name}")
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
    if start == SHOGI.start or start in HANDICAP_OF:
        return {"preset": next(name for name, sfen in PRESETS.items() if sfen == start)}
    setup = Position(SHOGI, start).setup()
    names = ["", *(PIECES[piece.letter] for piece in SHOGI.pieces)]
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
        move |= {"to": _square(target), "piece": PIECES[usi[0]]}
    else:
        move |= {"from": _square(usi), "to": _square(target), "piece": PIECES[letter_at(position, usi[:2])]}
        if usi.endswith("+"):
            move["promote"] = True
        if captured := letter_at(position, target):
            move["capture"] = PIECES[captured]
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
    word, (winner, reason) = csa_word(end.outcome, position.turn), (end.outcome.winner, end.outcome.reason)
    if word in CSA_WORDS and outcome_by(*CSA_WORDS[word], position) == end.outcome:
        return {"special": word}
    return {"special": word, "comments": [f"# {one_line(reason)} {'-' if winner is None else 'bw'[winner]}"]}


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
    try:
        header = {str(name): str(value) for name, value in (record.get("header") or {}).items()}
        recorder = Recorder(SHOGI, _start(record.get("initial"), header.pop(NUMBER, "1")))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return Game(SHOGI, SHOGI.start, error=f"line {line}: the start position: {error}")
    game = recorder.game
    game.label = header.pop(LABEL, "")
    for name, value in header.items():
        if name in _PLAYERS:
            setattr(game, _PLAYERS[name], value)
        else:
            game.headers[name] = value
    try:
        _read(recorder, record["moves"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        reason = error if isinstance(error, ValueError) else "not a move of JKF"
        game.error = f"line {line}: move {len(recorder.position.moves) + 1}: {reason}"
    return game


def _start(initial: dict[str, Any] | None, number: str) -> str:
    """Return the SFEN of the start position that a record describes. `number` is the move number to write in the
    SFEN."""
    if not initial:
        return SHOGI.start
    if initial["preset"] != "OTHER":
        return PRESETS[initial["preset"]]
    data, cells = initial["data"], [0] * SHOGI.squares
    for file, column in enumerate(data["board"]):
        for row, cell in enumerate(column):
            if kind := cell.get("kind"):
                cells[9 * row + 8 - file] = (int(cell["color"]) << 4) | SHOGI.letters[LETTERS[kind]]
    hands = [[0] * (len(SHOGI.pieces) + 1) for _ in "bw"]
    for hand, held in zip(hands, data["hands"]):
        for kind, count in held.items():
            if not 0 <= int(count) <= HAND_LIMIT or len(LETTERS[kind]) > 1 or kind == "OU":
                raise ValueError(f"a hand cannot have {count} pieces {kind}")
            hand[SHOGI.letters[LETTERS[kind]]] = int(count)
    return write_sfen(Setup(cells, hands, int(data["color"]), int(number)), SHOGI)


def _read(recorder: Recorder, moves: list[Any]) -> None:
    """Add the moves and variations of a record to `recorder`, in the order of `Game.lines`. The first entry of `moves`
    stands for the start position."""
    _say(recorder, moves[0] if moves else {})
    main = moves[1:]
    waiting = [(0, main)]
    while waiting:
        plies, entries = waiting.pop()
        if entries is not main:
            recorder.branch(plies)
        for number, entry in enumerate(entries, plies):
            _entry(recorder, entry)
            waiting += [(number, other) for other in reversed(entry.get("forks", []))]


def _entry(recorder: Recorder, entry: dict[str, Any]) -> None:
    position, now = recorder.position, (entry.get("time") or {}).get("now")
    ms = 1000.0 * (3600 * now.get("h", 0) + 60 * now["m"] + now["s"]) if now else None
    if move := entry.get("move"):
        recorder.play(_usi(position, move), ms)
    elif word := entry.get("special"):
        if word in CSA_WORDS:
            recorder.finish(outcome_by(*CSA_WORDS[word], position), ms)
        else:
            recorder.finish(
                Outcome({"+": 1, "-": 0}.get(word[0]), "illegal_move" if word[0] in "+-" else "unknown"), ms
            )
    _say(recorder, entry)


def _say(recorder: Recorder, entry: dict[str, Any]) -> None:
    for comment in entry.get("comments", []):
        end, remark = recorder.line.end, _REMARK.fullmatch(comment)
        if end and remark:
            end.outcome = Outcome({"b": 0, "w": 1}.get(remark[2]), remark[1])
        else:
            recorder.say(comment)


def _usi(position: Any, move: dict[str, Any]) -> str:
    if "to" not in move and not position.moves:
        raise ValueError("the first move has no target square")
    to = square_of(f"{move['to']['x']}{move['to']['y']}") if "to" in move else target_of(position.moves[-1])
    letter = LETTERS[move["piece"]]
    if "from" not in move:
        return f"{letter}*{to}"
    origin = square_of(f"{move['from']['x']}{move['from']['y']}")
    if letter_at(position, origin) != letter:
        raise ValueError(f"no {move['piece']} stands on {move['from']['x']}{move['from']['y']}")
    return origin + to + "+" * bool(move.get("promote"))
