"""Kogoma reads every legal move of every variant, and its other spellings, wherever users and programs write moves."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

import kogoma
from kogoma.rules.custom.registry import add
from kogoma.rules.custom.writer import write_game
from kogoma.rules.position import new_position
from kogoma.rules.variants import BUILT_IN, CUSTOM_FILES, VARIANTS, Variant
from kogoma.search.book.book import key_of
from support.browsers.board_server import Talk, board_server
from support.lab_runs import read_games
from support.peers import absent
from support.random_games import start_of
from support.random_variants import random_variant
from support.scope import count, mostly_long
from support.usi_client import ENGINE, ROOT, UsiClient

pytestmark = pytest.mark.slow

BOT = ROOT / "tests" / "support" / "bots" / "dialect.py"
EITHER_SIDE, OTHERS = 3, 2  # numbers of custom variants in which a piece may or may not be dropped with either side up
PASSING = "SSSSM/5/5/1m3/5 b 4,6/0,1/2 1"  # a position of Onitama in which all legal moves are passes
HEAD = "#YANEURAOU-DB2016 1.00"


class Case(NamedTuple):
    """A position of a variant, and its legal moves."""

    variant: Variant
    sfen: str
    moves: list[str]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """Yield the files of random custom variants. The variants are registered in this process until the tests of this
    file have ended."""
    folder, chosen, seed = tmp_path_factory.mktemp("variants"), list[Variant](), 0
    while len(chosen) < EITHER_SIDE + OTHERS:
        seed += 1
        variant = random_variant(seed)
        either = variant.drop_either_side and any(piece.letter.startswith("+") for piece in variant.pieces)
        if sum(other.drop_either_side == either for other in chosen) < (EITHER_SIDE if either else OTHERS):
            chosen.append(variant)
    paths = [folder / f"{variant.name}.toml" for variant in chosen]
    for variant, path in zip(chosen, paths, strict=True):
        path.write_text(write_game(variant), encoding="utf-8")
    add(list(map(str, paths)))
    yield paths
    for variant in chosen:
        del VARIANTS[variant.name], CUSTOM_FILES[variant.name]


@pytest.fixture(scope="module")
def cases(files: list[Path]) -> list[Case]:
    """Return positions of all variants, each with its legal moves. In none of these positions is the game over.

    The positions come from random games, and those with the most unusual moves are chosen. No two positions differ only
    in the move number. A book ignores the move number, and would store two such positions as one.
    """
    found, keys = list[Case](), set[str]()
    for name, variant in VARIANTS.items():
        rng, seen = random.Random(name), dict[str, list[str]]()
        while len(seen) < count(300, 100):
            position = new_position(variant, start_of(rng, name) if name == "generals" else None)
            while position.outcome() is None and len(position.moves) < 60:
                seen[position.sfen()] = sorted(position.legal_moves())
                position.push(rng.choice(seen[position.sfen()]))
            if len(position.moves) < 3:
                break
        by_key = {key_of(sfen): sfen for sfen in seen if key_of(sfen) not in keys}
        most = sorted(by_key.values(), key=lambda sfen: -sum(map(rank, seen[sfen])))[: count(6, 4)]
        found += [Case(variant, sfen, seen[sfen]) for sfen in most]
        keys |= by_key.keys()
    found.append(Case(VARIANTS["onitama"], PASSING, sorted(new_position("onitama", PASSING).legal_moves())))
    shapes = {re.sub("[1-9][a-i]", "1a", re.sub("[A-Z]", "P", move)) for case in found for move in case.moves}
    assert {"1a1a", "1a1a+", "P*1a", "+P*1a"} < shapes and any("pass" in shape for shape in shapes)
    return found


def unusual(moves: list[str], most: int) -> dict[str, str]:
    """Return those entries of `spellings(moves)` that have the most unusual moves, but at most `most` entries."""
    found = spellings(moves)
    return {text: found[text] for text in sorted(found, key=lambda text: (rank(found[text]), text))[-most:]}


def rank(move: str) -> int:
    """Return a number that is larger for more unusual moves."""
    return 9 if move.startswith("+") or "pass" in move else 3 if "*" in move else 1 + move.endswith("+")


def spellings(moves: list[str]) -> dict[str, str]:
    """Return a dictionary that has every spelling of each move as a key, and the spelling that the engine uses as the
    value.

    Fairy-Stockfish writes `-` instead of `+` for an unpromotion. The number of an Onitama card may have two digits.
    """
    others = {move[:-1] + "-": move for move in moves if move.endswith("+")}
    return {move: move for move in moves} | others | {f"0{move}": move for move in moves if move[1:2] == ":"}


def run(files: list[Path], folder: Path, *words: str) -> str:
    """Run a command with the custom variants in `files`. Check that the command succeeds, and return its standard
    output."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "KOGOMA_VARIANTS": os.pathsep.join(map(str, files))}
    done = subprocess.run([*ENGINE, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr + done.stdout[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def engine(files: list[Path]) -> Iterator[UsiClient]:
    with UsiClient().ready() as client:
        client.send("setoption name UseTablebase value false")  # the user may have one
        assert client.answer(f"setoption name VariantPath value {os.pathsep.join(map(str, files))}") == []
        yield client
        assert client.errors() == ""


def chosen(engine: UsiClient, variant: Variant) -> None:
    engine.send(f"setoption name USI_Variant value {variant.name}")
    assert [line for line in engine.answer() if "compil" not in line] == []


def test_over_usi(engine: UsiClient, cases: list[Case]) -> None:
    """Check that the engine accepts every spelling of a move in `position ... moves` and in `go searchmoves`.
    `searchmoves` is tested with single moves and with all moves together. `go ponder` is tested after moves in unusual
    spellings."""
    for variant, sfen, moves in cases:
        chosen(engine, variant)
        assert engine.answer(*(f"position sfen {sfen} moves {text}" for text in spellings(moves))) == []
        for text, move in unusual(moves, 2).items():
            after = new_position(variant, sfen)
            after.push(move)
            if after.outcome() is None:
                engine.send(f"position sfen {sfen} moves {text}", "go ponder depth 1", "ponderhit")
                *said, answer = engine.read_until("bestmove ")
                assert not any(line.startswith("info string") for line in said), said
                assert answer.split()[1] in after.legal_moves()
        for texts in (*([text] for text in unusual(moves, 6)), list(spellings(moves))):
            engine.send(f"position sfen {sfen}", f"go depth 1 searchmoves {' '.join(texts)} nodes 50")
            *said, answer = engine.read_until("bestmove ")
            assert answer.split()[1] in [spellings(moves)[text] for text in texts], texts
            assert not any(line.startswith("info string") for line in said), said


def book_lines(cases: list[Case], most: int) -> list[str]:
    """Return the lines of a book that has at most `most` moves for each position. Some of the moves and replies have
    unusual spellings."""
    lines = [HEAD]
    for variant, sfen, moves in cases:
        lines.append(f"sfen {sfen}")
        lines += [
            f"{text} {next(iter(unusual(replies(variant, sfen, move), 1) or ['none']))} 7 1 1"
            for text, move in unusual(moves, most).items()
        ]
    return lines


def replies(variant: Variant, sfen: str, move: str) -> list[str]:
    """Return the legal moves after a move."""
    position = new_position(variant, sfen)
    position.push(move)
    return position.legal_moves()


@pytest.mark.long
def test_in_books(engine: UsiClient, cases: list[Case], files: list[Path], tmp_path: Path) -> None:
    """Check that books with all spellings of moves can be imported, exported and probed, and that the engine plays from
    such a book."""
    for most in (1, 1000):
        (tmp_path / f"{most}.db").write_text("\n".join(book_lines(cases, most)) + "\n", encoding="utf-8")
    run(files, tmp_path, "book", "import", "1000.db", "-o", "imported.db")
    run(files, tmp_path, "book", "export", "imported.db", "--plies", "1000", "-o", "exported.jsonl")
    exported = [json.loads(line) for line in (tmp_path / "exported.jsonl").read_text().splitlines()]
    held = {line["sfen"]: {one["move"]: one["reply"] for one in line["moves"]} for line in exported}
    assert held.keys() == {case.sfen for case in cases}
    for variant, sfen, moves in cases:
        assert held[sfen].keys() == set(moves)
        for move, reply in held[sfen].items():
            assert (reply or "none") in (replies(variant, sfen, move) or ["none"])
    variant, sfen, moves = max(cases, key=lambda case: max(map(rank, case.moves)))
    [text], [move] = zip(*unusual(moves, 1).items(), strict=True)
    told = run(files, tmp_path, "book", "probe", "1.db", *sfen.split(), "--variant", variant.name)
    assert told.splitlines()[1].split()[0] == move
    after = new_position(variant, sfen)
    after.push(move)
    told = run(files, tmp_path, "book", "probe", "1.db", *sfen.split(), "moves", text, "--variant", variant.name)
    assert told.splitlines()[0] == f"sfen {after.sfen()}"
    engine.answer(f"setoption name BookFile value {tmp_path / '1.db'}", "setoption name BookMoves value 10000")
    assert engine.answer("setoption name USI_OwnBook value true") == []
    for variant, sfen, moves in cases:
        chosen(engine, variant)
        engine.send(f"position sfen {sfen}", "go nodes 9")
        said = engine.read_until("bestmove ")
        [move] = unusual(moves, 1).values()
        words = said[-1].split()
        assert said[-2] == "info string a move of the book" and words[1] == move
        assert len(words) == 2 or words[3] in replies(variant, sfen, move)
    assert engine.answer("setoption name USI_OwnBook value false") == []


@pytest.mark.long
def test_in_openings_and_from_an_engine_that_answers_them(cases: list[Case], files: list[Path], tmp_path: Path) -> None:
    """Check that a match plays openings with all spellings of moves, and accepts the moves of a simple bot and of
    Kogoma.

    In `micro`, the bot plays the legal move that comes first in ASCII order. If a legal move starts with `+`, the bot
    plays such a move. In the other variants, Kogoma plays against itself.
    """
    bot = f"cmd={shlex.join([sys.executable, str(BOT), '+'])}", f"env.PYTHONPATH={ROOT}"
    either = next(name for name in CUSTOM_FILES if VARIANTS[name].drop_either_side and not VARIANTS[name].die)
    for name, command in (("micro", bot), ("onitama", ()), (either, (f"option.VariantPath={CUSTOM_FILES[either]}",))):
        played = list[tuple[str, str]]()
        for variant, sfen, moves in cases:
            if variant.name == name:
                for text, move in spellings(moves).items():
                    after = new_position(variant, sfen)
                    after.push(move)
                    if after.outcome() is None:
                        played.append((f"sfen {sfen} moves {text}", move))
        played.sort(key=lambda line: -rank(line[1]))
        (tmp_path / name).write_text("".join(f"{line}\n" for line, _ in played), encoding="utf-8")
        run(
            files, tmp_path, "match", "-variant", name, "-engine", "name=one", *command, "-engine", "name=other",
            *command, "-each", "nodes=1", "-openings", f"file={name}", "order=sequential", "-maxmoves", "4",
            "-games", "4", "-out", f"{name}.jsonl",
        )  # fmt: skip
        games = read_games(tmp_path / f"{name}.jsonl")
        assert [game["book"] for game in games] == [[played[number // 2][1]] for number in range(4)]
        for game in games:
            position = new_position(name, game["start"])
            assert game["fault"] is None and len(game["moves"]) > 0
            for move in [*game["book"], *game["moves"]]:
                assert move in position.legal_moves()
                position.push(move)


@pytest.mark.parametrize("form", ["sfen", "kifu", "jsonl"])
def test_in_records(form: str, cases: list[Case], files: list[Path], tmp_path: Path) -> None:
    """Check that the moves of USI lines, in all spellings, are still the same after a conversion to another format and
    back."""
    written, expected = list[str](), list[str]()
    for variant, sfen, moves in cases:
        for text, move in unusual(moves, count(1000, 8)).items():
            written.append(f"position sfen {sfen} moves {text} # game, {variant.name}: \n")
            expected.append(move)
    (tmp_path / "in.usi").write_text("".join(written), encoding="utf-8")
    run(files, tmp_path, "convert", "in.usi", f"there.{form}", "--together")
    run(files, tmp_path, "convert", f"there.{form}", "back.usi")
    found = [line.partition(" moves ")[2].split()[0] for line in (tmp_path / "back.usi").read_text().splitlines()]
    assert found == expected


@pytest.mark.parametrize("name", mostly_long([name for name in BUILT_IN if not BUILT_IN[name].die], "micro", "onitama"))
def test_in_mate_problems(name: str, cases: list[Case], files: list[Path], tmp_path: Path) -> None:
    chosen = [case for case in cases if case.variant.name == name]
    problems = [f"{case.sfen} moves {text}\n" for case in chosen for text in unusual(case.moves, 8)]
    (tmp_path / "problems").write_text("".join(problems), encoding="utf-8")
    told = run(files, tmp_path, "mate", "problems", "--variant", name, "--nodes", "1", "--hash", "1").splitlines()
    assert len(told) == len(problems) and not any("error" in line for line in told)


def test_in_python(cases: list[Case]) -> None:
    for variant, sfen, moves in cases:
        position = kogoma.Position(variant, sfen)
        for text, move in spellings(moves).items():
            assert position.is_legal(text) and position.parse_move(text) == move
            after = kogoma.Position(variant, sfen, [text])
            assert after.moves == [move]
        for move in unusual(moves, 1).values():
            assert kogoma.find_move(position, depth=1, searchmoves=(move,)).best == move


@pytest.mark.long
def test_on_the_server_of_the_page(cases: list[Case], files: list[Path]) -> None:
    async def searched(talk: Talk, name: str) -> None:
        assert await talk.open(variant=name, threads=1, hashMb=1) == {"tell": "ready"}
        for _, sfen, moves in [case for case in cases if case.variant.name == name]:
            for text, move in unusual(moves, 3).items():
                assert (await talk.search(sfen, (text,), depth=1))["tell"] == "result", (name, sfen, text)
                found = await talk.search(sfen, (), depth=1, searchmoves=[text])
                assert found.get("best") == move, (name, sfen, text, found)

    either = next(name for name in CUSTOM_FILES if VARIANTS[name].drop_either_side)
    with board_server(env={"KOGOMA_VARIANTS": os.pathsep.join(map(str, files))}) as server:
        for name in VARIANTS if count(1, 0) else ("micro", "onitama", "dice", either):
            server.talk(partial(searched, name=name))


def test_on_the_page(cases: list[Case]) -> None:
    """Check that the web page reads every spelling of a move, both in the code that draws the board and in the code of
    the page's engine."""
    if shutil.which("node") is None:
        absent("node")
    script = f"""
        import {{ readMove }} from "{ROOT}/kogoma/web/board/state.js";
        import {{ usiToMove, moveToUsi }} from "{ROOT}/kogoma/web/engine/sfen.js";
        const lines = require("fs").readFileSync(0, "utf8").trim().split("\\n").map((line) => JSON.parse(line));
        for (const [game, moves] of lines) {{
          game.letters = new Map(game.letters);
          const same = (text, move) => !game.variant.pieces || moveToUsi(game, usiToMove(game, text)) === move;
          console.log(JSON.stringify(moves.map(([text, move]) => [readMove(text), same(text, move)])));
        }}""".replace("require", "process.getBuiltinModule")
    given = []
    for variant, _, moves in cases:
        pieces = None if variant.cards else [{"letter": piece.letter} for piece in variant.pieces]
        shape = {"files": variant.files, "ranks": variant.ranks, "pieces": pieces}
        given.append([{"variant": shape, "letters": [*variant.letters.items()]}, [*spellings(moves).items()]])
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script],
        input="\n".join(map(json.dumps, given)), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for case, line in zip(cases, done.stdout.splitlines(), strict=True):
        for (text, move), (read, same) in zip(spellings(case.moves).items(), json.loads(line), strict=True):
            assert same and read is not None, text
            card = f"{read['card']}:" if read["card"] >= 0 else ""
            dropped = f"{read['dropped']}*" if read["dropped"] else ""
            whole = f"{card}{dropped}{read['from']}{read['to'] or 'pass'}{read['turned'].replace('-', '+')}"
            assert whole == move


def test_built_in_variants_are_all_there(cases: list[Case]) -> None:
    assert {case.variant.name for case in cases} == {*BUILT_IN, *CUSTOM_FILES}
