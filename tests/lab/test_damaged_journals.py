"""Commands that read journals skip damaged lines, and name the file and the line."""

from __future__ import annotations

import copy
import io
import json
import math
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from kogoma.console.arguments import CommandLineError
from kogoma.lab.board.server import Matches
from kogoma.lab.book.from_games import read_games as read_book_games
from kogoma.lab.journals.match_journal import RecordError, RecordWriter, read_records
from kogoma.lab.kifu.formats import games_as_bytes, read_games
from kogoma.lab.kifu.game import GameError
from kogoma.lab.match.command import read_settings
from kogoma.lab.report.page import SCRIPT, render_page
from kogoma.lab.tune.store import DataError
from kogoma.rules.variants import VARIANTS
from kogoma.web.modules import join_modules
from support import lab_records, lab_runs, scope
from support.browsers.board_server import board_server

pytestmark = pytest.mark.slow

PROGRAM = join_modules(SCRIPT)  # the script of a report's page
DEEP = "[" * 200_000
GAMES = 6
LONGEST = 12  # plies of a game: in short lists, few of the damaged values are moves or scores
# Texts that replace a value in a line of JSON. Some are not valid JSON.
VALUES = (
    *("null", "true", "false", "0", "-1", "7", "2.5", "1e400", "-1e400", "NaN", "Infinity", "-Infinity", "1e308"),
    *(
        "1" + "0" * 400,
        "9" * 5000,
        "-" + "9" * 30,
        '""',
        '"x"',
        '"\\ud800"',
        '"\\u0000"',
        '"\\u001b[2J"',
        '"<b>"',
        "[]",
    ),
    *("{}", "[[]]", '[["cp"]]', '{"x": 1}', '["x", 1, null]', "[" * 900 + "]" * 900, '{"a":' * 500 + "1" + "}" * 500),
    *(DEEP, "[" * 20 + "]" * 20, '["cp", 1, "x", "x"]', '["cp", 1e400, 1, 1]'),
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Return the lines of an undamaged journal: the settings of a match, its games, the engines' options for further
    games, and the verdict of its SPRT."""
    path = tmp_path_factory.mktemp("journal") / "match.jsonl"
    lab_records.write(path, GAMES, [VARIANTS["minishogi"], VARIANTS["dice"]], longest=LONGEST)
    engines = [{"name": name, "cmd": "kogoma", "proto": "usi", "nodes": "9"} for name in lab_records.ENGINES]
    sprt = {"elo0": 0, "elo1": 20, "alpha": 0.05, "beta": 0.05, "model": "normalized"}
    openings = {"file": "start", "order": "random", "start": 1}
    settings = {"engine": engines, "variant": "minishogi", "games": 6, "repeat": 2, "sprt": sprt, "openings": openings}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[0]["settings"] = settings
    for record in lines[1:]:
        record["latency_ms"] = [1.5 for _ in record["moves"]]
        record["pv"] = list(record["moves"])
    lines[2]["fault"] = {"engine": lines[2]["black"], "kind": "crash", "detail": "exit code 1", "log": ["> go"]}
    lines.append({"options": {name: {"USI_Hash": "16", "Clear_Hash": ""} for name in lab_records.ENGINES}})
    lines.append({"sprt": {"llr": 0.5, "lower": -2.9, "upper": 2.9, "verdict": "H1"}})
    return [json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of a JSON value and of all values inside it. A path is a tuple of keys and indexes."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for key, one in inner for each in places(one, (*path, key)))]


def damaged(line: bytes, chance: random.Random) -> bytes:
    """Return a line in which one value is replaced or removed, or some bytes are changed."""
    kind = chance.random()
    if kind < 0.7:
        entry = json.loads(line)
        found = places(entry)
        shallow = [path for path in found if len(path) <= 3]
        path = chance.choice(shallow if chance.random() < 0.8 else found)
        if not path:
            return chance.choice(VALUES).encode() + b"\n"
        parent = entry
        for key in path[:-1]:
            parent = parent[key]
        if chance.random() < 0.15:
            del parent[path[-1]]
            return json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        if chance.random() < 0.3:  # replace the value by a value from another place in the line
            other = json.loads(line)
            for key in chance.choice(found):
                other = other[key]
            parent[path[-1]] = copy.deepcopy(other)
            return json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        parent[path[-1]] = "@@@"
        return json.dumps(entry, ensure_ascii=False).replace('"@@@"', chance.choice(VALUES)).encode() + b"\n"
    if kind < 0.8:
        utf16 = line.decode().strip().encode("utf-16") + b"\n"
        return chance.choice((utf16, b"\xff\xfe\n", b"\x82\xa0\n", line[: len(line) // 2] + b"\n"))
    content = bytearray(line[:-1])
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(content))
        content[at : at + chance.choice((0, 1, 5))] = chance.randbytes(chance.choice((0, 1, 2)))
    return bytes(content) + b"\n"


def numbers_in(text: str) -> list[int]:
    """Return the line numbers that occur in a message."""
    return [int(number) for number in re.findall(r"line (\d+)", text)]


@pytest.mark.long
def test_every_reader_skips_a_damaged_line(whole: list[bytes], seed: int, tmp_path: Path) -> None:
    chance, path = random.Random(seed), tmp_path / "m.jsonl"
    skipped = 0
    for _ in range(scope.count(400, 100)):
        number = chance.randrange(len(whole))
        lines = list(whole)
        lines[number] = damaged(whole[number], chance)
        path.write_bytes(b"".join(lines))
        try:
            skipped += check(path, number, lines[number])
        except Exception as error:
            error.add_note(repr(lines[number][:2000]))
            raise
    assert skipped > 25


def check(path: Path, number: int, line: bytes) -> bool:
    """Check that all readers can read a journal whose line `number`, counted from 0, is damaged. Return whether the
    damaged line was skipped."""
    read = read_records(path)
    assert len(read.games) >= GAMES - 1 - (number == 0)
    if read.warning:
        assert read.warning.startswith(f"{path}: ignored ")
        assert numbers_in(read.first_error)[0] in range(number + 1, number + 2 + line.count(b"\n"))
    page = render_page(read.games, {**read.settings, "options sent": read.options}, None, 100, read.sprt)
    assert page.encode() and PROGRAM in page and not re.search(r"\bnan\b|Infinity", page.replace(PROGRAM, ""))
    match = json.loads(Matches([path]).read(0), parse_constant=lambda constant: pytest.fail(constant))
    assert match["of"] == len(read.games)
    error = ""
    games = []
    try:
        for game in read_games(path, "jsonl"):
            games.append(game)
    except GameError as found:
        error = str(found)
        assert numbers_in(error)[0] in range(number + 1, number + 2 + line.count(b"\n")), error
    assert len(games) >= GAMES - 1 - (number == 0)
    assert not read.warning or error
    for form in ("kifu", "jsonl", "usi"):
        assert b"".join(games_as_bytes(games, form))
    try:
        read_book_games([path], VARIANTS["minishogi"], 30)
    except DataError as wrong:
        assert str(path) in str(wrong)
    try:
        read_settings(["-resume", str(path)])
    except CommandLineError:
        pass
    copied = path.with_name("copy.jsonl")
    shutil.copy(path, copied)
    settings = json.loads(path.read_bytes().splitlines()[0])["settings"] if number else {}
    try:
        with RecordWriter(copied, settings, True, lambda record: None):
            assert not read.warning
    except RecordError as wrong:
        assert str(copied) in str(wrong)
    return bool(read.warning)


def test_commands_skip_the_lines_and_name_them(whole: list[bytes], tmp_path: Path) -> None:
    """Check that `report`, `board`, `convert` and `analyse` skip damaged lines, and report the file's name and the
    number of the first damaged line. Earlier versions of these commands failed on such lines."""
    game = json.loads(whole[1])
    huge = json.dumps({**game, "game": 90, "scores": ["@"]}).replace('"@"', f'["cp", 1{"0" * 400}, 1, 1]')
    words = json.dumps({**game, "game": 91, "scores": [["cp", 1, 1, "x"]]})
    nan = json.dumps({**game, "game": 92, "seconds": math.nan})
    strange = json.dumps({**game, "game": 93, "variant": "none"})
    path = tmp_path / "m.jsonl"
    bad = [line.encode() + b"\n" for line in (DEEP, huge, words, nan)]
    path.write_bytes(b"".join([*whole[:3], *bad, b"\xff\xfe\n", *whole[3:]]))
    told = "m.jsonl: ignored 5 invalid lines; line 4: nested too deeply"
    done = lab_runs.run("report", path.name, folder=tmp_path)
    assert done.returncode == 0 and told in done.stderr and f"{GAMES} games" in done.stdout, done.stderr
    with board_server(str(path)) as server:
        assert json.loads(server.get("/matches/0").body)["of"] == GAMES
        server.end()
        assert told in "".join(server.lines)
    path.write_bytes(path.read_bytes() + strange.encode() + b"\n")
    told = "m.jsonl: ignored 6 invalid lines; line 4: nested too deeply"
    done = lab_runs.run("convert", path.name, "games.jsonl", folder=tmp_path)
    assert told in done.stderr and f"{GAMES} games" in done.stderr
    (tmp_path / "few.jsonl").write_bytes(b"".join([*whole[:2], *bad]))
    done = lab_runs.run("analyse", "few.jsonl", "--nodes", "1", folder=tmp_path)
    assert done.returncode == 0 and "few.jsonl: ignored 4 invalid lines; line 3: nested too deeply" in done.stderr, done


def test_a_stream_is_read_like_a_file() -> None:
    lines = io.BytesIO(b'{"game": 1}\n' + DEEP.encode() + b"\n\xff\n")
    with pytest.raises(GameError) as caught:
        list(read_games(lines, "jsonl"))
    assert str(caught.value) == "ignored 3 invalid lines; line 1: the field 'pair' is missing"
