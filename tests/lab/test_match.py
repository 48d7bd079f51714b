"""The command `match`."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kogoma.console.arguments import CommandLineError
from kogoma.lab.match.command import read_settings
from kogoma.lab.match.flags import words_of
from kogoma.lab.match.openings import SETS, Opening, load_openings
from kogoma.lab.match.pgn import PgnOutput
from kogoma.lab.match.play import LONGEST_GAME
from kogoma.lab.match.schedule import Schedule
from kogoma.lab.match.settings import OpeningChoice, settings_from
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS, find
from support.lab_runs import read_games, run
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

BOT = ROOT / "tests" / "support" / "bots" / "scripted.py"
KOGOMA = "-engine name=one -engine name=two option.USI_Hash=8 -each nodes=100".split()
TWO = "-engine cmd=a -engine cmd=b -each nodes=1".split()


def test_principal_variations_and_latencies_are_stored(tmp_path: Path) -> None:
    done = run("match", *KOGOMA, *"-pv -games 2 -out m.jsonl".split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    for record in read_games(tmp_path / "m.jsonl"):
        position = new_position("minishogi", record["start"])
        for usi in record["book"]:
            position.push(usi)
        assert len(record["pv"]) == len(record["latency_ms"]) == len(record["moves"])
        for usi, pv, latency, spent in zip(record["moves"], record["pv"], record["latency_ms"], record["time_ms"]):
            assert latency is not None and -1 <= latency <= spent
            assert pv.split()[0] == usi
            line = position.copy()
            for move in pv.split():
                line.push(move)
            position.push(usi)
    assert "latency" in done.stdout
    report = run("report", "m.jsonl", folder=tmp_path)
    assert report.returncode == 0 and "latency, ms" in (tmp_path / "m.html").read_text("utf-8")


def test_journals_of_matches_started_in_the_same_second_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("time.strftime", lambda form: "match-20261124-120000")
    for name in ("match-20261124-120000.jsonl", "match-20261124-120000-2.jsonl", "match-20261124-120000-3.jsonl"):
        settings = read_settings(TWO)
        assert settings.records == Path(name)
        settings.records.touch()


def test_a_small_match_and_its_files(tmp_path: Path) -> None:
    flags = ["-games", "6", "-concurrency", "2", "-ratinginterval", "2"]
    done = run("match", *KOGOMA, *flags, *"-out m.jsonl -out m.kif -out m.kifu -out m.sfen".split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "6 games of minishogi" in done.stdout
    assert "6 games: one +" in done.stdout
    games = read_games(tmp_path / "m.jsonl")
    assert [record["game"] for record in games] == list(range(6))
    assert [record["pair"] for record in games] == [0, 0, 1, 1, 2, 2]
    shipped = {opening.start for opening in load_openings("shipped", find("minishogi"))}
    for first, second in zip(games[::2], games[1::2]):
        assert (first["black"], first["white"]) == ("one", "two") == (second["white"], second["black"])
        assert first["start"] == second["start"] in shipped
        assert first["seed"] == second["seed"]
        # The two engines are equal, so they play the same moves after they have changed colours.
        assert first["moves"] == second["moves"]
        position = new_position("minishogi", first["start"])
        for usi in first["moves"]:
            position.push(usi)
        end = position.outcome()
        assert end is not None and (end.winner, end.reason) == (first["winner"], first["reason"])
    lines = (tmp_path / "m.sfen").read_text().splitlines()
    assert lines[0].startswith(f"sfen {games[0]['start']} moves {' '.join(games[0]['moves'])} # game 0: one - two ")
    assert len(load_openings(str(tmp_path / "m.sfen"), find("minishogi"), plies=4)) == 6
    for number in range(6):  # one file per game, because other programs read only the first game of a file
        written = (tmp_path / f"m-{number + 1:03}.kifu").read_text("utf-8")
        assert written.startswith(f"# game {number}, ") and written.count("手数----指手") == 1
        assert (tmp_path / f"m-{number + 1:03}.kif").read_text("cp932") == written
    assert "records: m.jsonl, m-001.kif to m-006.kif, m-001.kifu to m-006.kifu, m.sfen" in done.stdout


def test_a_settings_file_equals_flags(tmp_path: Path) -> None:
    file = tmp_path / "match.toml"
    file.write_text(
        """
        variant = "kyoto"
        games = 10
        maxmoves = 200
        recover = true
        out = ["a.jsonl", "a.kif"]
        [[engine]]
        name = "new"
        option.USI_Hash = 16
        env.KOGOMA_WEIGHTS = "a b"
        [[engine]]
        cmd = "my bot --fast"
        arg = ["a b"]
        proto = "uci"
        nodes = 7
        [each]
        tc = "1+0.1b"
        [openings]
        file = "start"
        [sprt]
        elo0 = 0
        elo1 = 5.5
        [resign]
        movecount = 3
        score = 900
        """
    )
    flags = (
        "-variant kyoto -games 10 -maxmoves 200 -recover --out a.jsonl -out a.kif -each tc=1+0.1b -openings file=start "
        "--sprt elo0=0 elo1=5.5 -resign movecount=3 score=900 -engine name=new option.USI_Hash=16"
    ).split()
    flags += ["env.KOGOMA_WEIGHTS=a b", "-engine", "cmd=my bot --fast", "arg=a b", "proto=uci", "nodes=7"]
    settings = read_settings(flags)
    assert read_settings(["-config", str(file)]) == settings
    assert settings.engines[0].environment == (("KOGOMA_WEIGHTS", "a b"),)
    assert settings_from(words_of(settings.described())).engines == settings.engines
    assert settings.engines[1].command == ("my", "bot", "--fast", "a b")
    assert str(settings.engines[1].limits) == "1+0.1b nodes=7"
    assert settings.adjudication.max_plies == 400
    # A flag overrides the settings file.
    assert read_settings(["--config", str(file), "-games", "4", "-each", "st=1"]).games == 4


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ("-testEnv", "lines_only", True),
        ("--testenv", "lines_only", True),
        ("-NOSWAP", "noswap", True),
        ("-noSwap", "repeat", 1),
        ("-ratingInterval 7", "rating_interval", 7),
        ("-scoreinterval 3", "score_interval", 3),
        ("-wait 20", "wait_ms", 20),
        ("-variant standard", "variant", find("minishogi")),
        ("-openings file=start format=epd", "openings", OpeningChoice("start")),
        ("-pgnout g.pgn", "pgn", PgnOutput(Path("g.pgn"))),
        ("-pgnout g.pgn min", "pgn", PgnOutput(Path("g.pgn"), brief=True)),
        ("-pgnout file=g.pgn notation=uci nodes=true", "pgn", PgnOutput(Path("g.pgn"), with_nodes=True)),
        ("-event E -site S -pgnout g.pgn", "pgn", PgnOutput(Path("g.pgn"), "E", "S")),
        ("-tournament gauntlet -engine cmd=c -seeds 2", "seeds", 2),
    ],
)
def test_flags_of_fastchess_end_the_values_of_the_flag_before(words: str, field: str, value: object) -> None:
    """Check flags with capital letters, a hyphen or no value. They follow a flag that takes any number of values."""
    settings = read_settings([*TWO, *words.split()])
    assert getattr(settings, field) == value
    assert [spec.limits.nodes for spec in settings.engines][:2] == [1, 1]
    described = settings_from(words_of(json.loads(json.dumps(settings.described()))))
    assert (described.noswap, described.seeds) == (settings.noswap, settings.seeds)


BAD = [
    ("-nonsense 3", "unknown flag '-nonsense'"),
    (f"{' '.join(TWO)} -noSuchFlag", "unknown flag '-noSuchFlag'"),
    (f"{' '.join(TWO)} -no-such-flag", "unknown flag '-no-such-flag'"),
    (f"{' '.join(TWO)} -noswap -repeat", "-noswap and -repeat exclude each other"),
    (f"{' '.join(TWO)} -seeds 2", "-seeds needs a whole number from 1 to 1"),
    (f"{' '.join(TWO)} -engine cmd=c -seeds 2", "-seeds needs -tournament gauntlet"),
    (f"{' '.join(TWO)} -openings format=pgn", "format=: unknown 'pgn'; known: epd, sfen"),
    (f"{' '.join(TWO)} -pgnout g.pgn notation=san", "notation=: unknown 'san'"),
    (f"{' '.join(TWO)} -pgnout", "-pgnout needs a file"),
    (f"{' '.join(TWO)} -out g.jsonl -pgnout ./g.jsonl", "-out and -pgnout name the same file: g.jsonl"),
    (f"{' '.join(TWO)} -use-affinity 9000", "-use-affinity 9000: the processors are 0"),
    (f"{' '.join(TWO)} -use-affinity many", "-use-affinity needs processors like 0-3,6"),
    ("-engine cmd=a tc=N=x -engine cmd=b -each nodes=1", "N needs a whole number, not 'x'"),
    ("-engine cmd=a cmd=b", "cmd= is given twice"),
    ("-engine colour=red", "unknown setting 'colour'"),
    ("-engine env.=red", "unknown setting 'env.'"),
    ("-engine cmd=a nodes=1", "needs two engines or more, not 1"),
    ("-engine cmd=a -engine cmd=b", "nothing limits its thinking"),
    ("-engine cmd=a -engine cmd=b -each tc=fast", "not a time control: 'fast'"),
    ("-engine name=x -engine name=x -each nodes=1", "two engines are called 'x'"),
    ("-engine -engine proto=chess -each nodes=1", "proto=: unknown 'chess'"),
    (f"{' '.join(TWO)} -games many", "-games needs a whole number from 1 on, not 'many'"),
    (f"{' '.join(TWO)} -games 2 -games 3", "-games is given twice"),
    (f"{' '.join(TWO)} -games", "-games needs one value"),
    (f"{' '.join(TWO)} -variant chess", "chess"),
    (f"{' '.join(TWO)} -repeat 3", "-repeat needs a whole number from 1 to 2"),
    (f"{' '.join(TWO)} -sprt elo0=5", "-sprt needs elo1="),
    (f"{' '.join(TWO)} -sprt elo0=5 elo1=0", "elo0 must be below elo1"),
    (f"{' '.join(TWO)} -tournament swiss", "unknown 'swiss'"),
    (f"{' '.join(TWO)} -out games.pgn", "-out games.pgn"),
    (f"{' '.join(TWO)} -config no.toml", "cannot read no.toml"),
    (f"{' '.join(TWO)} -resign movecount=3", "score= needs a whole number"),
    (f"{' '.join(TWO)} -engine cmd=c -sprt elo0=0 elo1=5", "-sprt needs exactly two engines"),
    (f"{' '.join(TWO)} -engine cmd=c -tournament match", "a match needs two engines, not 3"),
]


@pytest.mark.parametrize(("words", "told"), BAD)
def test_wrong_flags_are_refused(words: str, told: str) -> None:
    with pytest.raises(CommandLineError) as error:
        read_settings(words.split())
    assert told in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([*KOGOMA, "-sprt", "elo=1"], "match: -sprt: unknown setting 'elo'"),
        (["-engine", "cmd=no-such-engine", *KOGOMA], "match: no-such-engine: there is no program no-such-engine"),
        ([*KOGOMA, "-openings", "file=none.sfen"], "match: cannot read none.sfen"),
        ([*KOGOMA, "-openings", "file=bad.sfen"], "match: bad.sfen, line 2: "),
        (["--resume", "none.jsonl"], "match: none.jsonl: there is no match to resume"),
        ([*KOGOMA, "-out", "other.jsonl"], "match: other.jsonl already exists: add -resume to continue it"),
        ([*KOGOMA, "-pgnout", "other.jsonl"], "match: other.jsonl already exists: choose another -pgnout"),
        ([*KOGOMA, "-pgnout", "no/g.pgn"], "match: no/g.pgn: its folder does not exist"),
        ([*KOGOMA, "-out", "other.jsonl", "--resume"], "match: other.jsonl is not a match journal"),
    ],
)
def test_a_wrong_match_gives_a_one_line_error(words: list[str], told: str, tmp_path: Path) -> None:
    (tmp_path / "bad.sfen").write_text("rbsgk/4p/5/P4/KGSBR b - 1\nrbsgk/4p/5/P4 b - 1\n")
    (tmp_path / "other.jsonl").write_text("a letter\n")
    done = run("match", *words, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(told) and done.stderr.count("\n") == 1, done.stderr
    assert (tmp_path / "other.jsonl").read_text() == "a letter\n"


def test_a_program_with_a_relative_path(tmp_path: Path) -> None:
    """Check that the program `./PROGRAM` is looked up in the current folder or in the engine's folder (`dir=`), and not
    in PATH."""
    folder = tmp_path / "engines"
    folder.mkdir()
    bot = f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -S {shlex.quote(str(BOT))} usi\n"
    for path in (tmp_path / "bot.sh", folder / "other.sh"):
        path.write_text(bot)
        path.chmod(0o755)
    engines = ["-engine", "name=one", "cmd=./bot.sh", "-engine", "name=two", "cmd=./other.sh", f"dir={folder}"]
    done = run(
        "match", *engines, *"-each nodes=1 -games 2 -openings file=start -out one.jsonl".split(), folder=tmp_path
    )
    assert done.returncode == 0 and "2 games" in done.stdout, done.stderr
    done = run("match", *engines[:-1], *"-each nodes=1 -games 2".split(), folder=tmp_path)
    assert done.returncode == 2 and "there is no program ./other.sh" in done.stderr


def schedule(flags: str, openings: int = 5) -> Schedule:
    settings = read_settings([*"-engine cmd=a -engine cmd=b -each nodes=1".split(), *flags.split()])
    return Schedule(settings, [Opening(f"start {number}") for number in range(openings)])


def test_the_games_of_a_tournament() -> None:
    found = schedule("-engine cmd=c -games 4 -rounds 3 -openings order=sequential start=2")
    jobs = [found.job(number) for number in range(len(found))]
    assert len(jobs) == 3 * 3 * 4
    meetings = Counter((job.black.name, job.white.name) for job in jobs)
    assert meetings == {pair: 6 for pair in [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")]}
    pairs: dict[int, list[Any]] = {}
    for job in jobs:
        pairs.setdefault(job.pair, []).append(job)
    for first, second in pairs.values():
        assert (first.black, first.white) == (second.white, second.black)
        assert (first.start, first.seed, first.number + 1) == (second.start, second.seed, second.number)
    assert [job.start for job in jobs[::6]] == [f"start {number % 5}" for number in range(1, 7)]
    with pytest.raises(IndexError):
        found.job(36)


def test_a_gauntlet_and_odd_numbers_of_games() -> None:
    found = schedule("-engine cmd=c -engine cmd=d -tournament gauntlet -games 3")
    names = [(found.job(number).black.name, found.job(number).white.name) for number in range(len(found))]
    pairs = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("a", "d"), ("d", "a")]
    assert names == [*pairs, ("a", "b"), ("a", "c"), ("a", "d")]
    single = schedule("-games 4 -repeat 1")
    assert [single.job(number).black.name for number in range(4)] == ["a", "b", "a", "b"]
    assert len({single.job(number).pair for number in range(4)}) == 4


def test_the_seed_alone_chooses_order_and_rolls() -> None:
    def starts(flags: str) -> list[tuple[str | None, int]]:
        found = schedule(f"-games 40 {flags}", openings=20)
        return [(found.job(number).start, found.job(number).seed) for number in range(40)]

    assert starts("") == starts("-srand 0") != starts("-srand 1")
    assert len(set(starts(""))) == 20


def test_faults_are_reported_and_the_match_goes_on(tmp_path: Path) -> None:
    bad = f"cmd={shlex.join([sys.executable, '-S', str(BOT)])} usi crash at=1"
    flags = "-engine name=Good -each nodes=50 -games 4 -recover -concurrency 2 -out m.jsonl".split()
    done = run("match", "-engine", bad, "name=Bad", *flags, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "game 0: Bad: crash: closed its output (exit code 3)" in done.stdout
    assert "    ! something went wrong" in done.stdout
    assert "faults of Bad: 4 crash" in done.stdout
    games = read_games(tmp_path / "m.jsonl")
    assert [record["reason"] for record in games] == ["crash"] * 4
    assert all(record["white" if record["winner"] else "black"] == "Good" for record in games)
    assert all(record["fault"]["engine"] == "Bad" for record in games)


def test_the_log_has_the_whole_conversation(tmp_path: Path) -> None:
    flags = ["-games", "2", "-log", "talk.txt", "-out", "m.jsonl"]
    assert run("match", *KOGOMA, *flags, folder=tmp_path).returncode == 0
    lines = (tmp_path / "talk.txt").read_text().splitlines()
    plies = sum(len(game["moves"]) for game in read_games(tmp_path / "m.jsonl"))
    for mark, start in ((">", "go nodes 100"), ("<", "bestmove ")):
        assert sum(f" {mark} {start}" in line for line in lines) == plies
    assert all(line.split()[1].startswith(("one(", "two(")) for line in lines)
    times = [float(line.split()[0]) for line in lines]
    assert times == sorted(times) and sum(" > isready" in line for line in lines) >= 2
    done = run("match", *KOGOMA, "-log", "/no/such/folder/file", folder=tmp_path)
    assert done.returncode in (1, 2) and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize(
    ("flags", "reason", "full_moves"),
    [("-maxmoves 5", "max_moves", 5), ("-draw movenumber=4 movecount=1 score=40000", "adjudicated_draw", 4)],
)
def test_limits_are_full_moves_as_in_cutechess(tmp_path: Path, flags: str, reason: str, full_moves: int) -> None:
    done = run("match", *KOGOMA, *flags.split(), *"-games 2 -out m.jsonl".split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    games = read_games(tmp_path / "m.jsonl")
    assert [(game["reason"], len(game["book"]) + len(game["moves"])) for game in games] == [
        (reason, 2 * full_moves)
    ] * 2


@pytest.mark.long
def test_a_game_that_could_last_for_ever_is_a_draw(tmp_path: Path) -> None:
    """Check that a match ends in a variant without a repetition rule, in a position in which nobody has a reason to
    stop repeating moves."""
    (tmp_path / "kings.sfen").write_text("sfen k5/6/6/6/6/5K b - 1\n")
    flags = "-variant generals -openings file=kings.sfen order=sequential -games 2 -out m.jsonl"
    done = run("match", *KOGOMA, *flags.split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    games = read_games(tmp_path / "m.jsonl")
    assert [(game["reason"], len(game["moves"])) for game in games] == [("max_moves", LONGEST_GAME)] * 2


@pytest.mark.long
def test_a_warning_about_more_games_than_processors(tmp_path: Path) -> None:
    processors = os.cpu_count() or 1
    for concurrency, warned in ((processors + 1, True), (1, False)):
        flags = f"-games 2 -concurrency {concurrency} -maxmoves 2 -out {concurrency}.jsonl".split()
        done = run("match", *KOGOMA, *flags, folder=tmp_path)
        assert (f"{concurrency} search threads on {processors} processors" in done.stdout) is warned, done.stdout


def test_a_crash_stops_the_match_and_recover_goes_on(tmp_path: Path) -> None:
    """Check that a crash stops the match unless -recover is set. With and without -recover, the engine that crashes
    loses only the game in which it crashes, as in cutechess and fastchess."""
    once = tmp_path / "crashed"
    bad = f"cmd={shlex.join([sys.executable, '-S', str(BOT)])} usi crash at=1 once={once}"
    flags = "-engine name=Good -each nodes=50 -games 4 -concurrency 1 -out m.jsonl".split()
    done = run("match", "-engine", bad, "name=Bad", *flags, folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("match: Bad: crash in game 0: closed its output (exit code 3); with -recover ")
    assert "1 game" in done.stdout and len(read_games(tmp_path / "m.jsonl")) == 1
    done = run("match", "--resume", "m.jsonl", "-recover", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    games = read_games(tmp_path / "m.jsonl")
    assert [record["reason"] for record in games] == ["crash", "resign", "resign", "resign"]


@pytest.mark.long
def test_copies_of_games_do_not_count(tmp_path: Path) -> None:
    """Check that a match stops with an error message if its new games only repeat earlier games.

    With three openings and fixed numbers of nodes, only six different games are possible. Copies of games are not
    counted, so the SPRT cannot accept a hypothesis.
    """
    start = new_position("minishogi")
    openings = []
    for move in ("3e3d", "5d5c", "2e3d"):
        start.push(move)
        openings.append(f"{start.sfen()}\n")
        start.pop()
    (tmp_path / "three.sfen").write_text("".join(openings))
    engines = "-engine name=a nodes=40 -engine name=b nodes=60 -openings file=three.sfen".split()
    for flags in ("-sprt elo0=0 elo1=5", "-games 1000"):
        (tmp_path / "m.jsonl").unlink(missing_ok=True)
        done = run("match", *engines, *flags.split(), *"-concurrency 2 -out m.jsonl".split(), folder=tmp_path)
        assert done.returncode == 1 and done.stderr.startswith(
            "match: the games from all openings (3) repeat earlier ones"
        )
        assert "accepted" not in done.stdout and "games repeat earlier ones and are not counted" in done.stdout
        games = read_games(tmp_path / "m.jsonl")
        assert 12 <= len(games) <= 20 and len({tuple([game["black"], *game["moves"]]) for game in games}) == 6
        assert run("report", "m.jsonl", folder=tmp_path).returncode == 0
        page = (tmp_path / "m.html").read_text("utf-8")
        assert "6 games of minishogi" in page and f"{len(games) - 6} more repeat earlier ones" in page


def test_an_engine_that_cannot_start_ends_the_match(tmp_path: Path) -> None:
    flags = "-each nodes=20 -games 40 -concurrency 2 -out m.jsonl".split()
    bad = f"cmd={shlex.join([sys.executable, '-c', 'import no_such_module'])}"
    dead = run("match", "-engine", "-engine", bad, "name=B", *flags, "-recover", folder=tmp_path)
    assert dead.returncode == 1 and dead.stderr.count("\n") == 1
    # The engine may have ended before `usi` is sent to it.
    ended = r"(closed its output|no longer reads its input) \(exit code 1\)"
    assert re.match(f"match: B cannot be started: no usiok: {ended}; it wrote ", dead.stderr)
    assert "it wrote \"ModuleNotFoundError: No module named 'no_such_module'\"" in dead.stderr
    refused = run("match", "-engine", "-engine", "cmd=/none", *flags, folder=tmp_path)
    assert refused.returncode == 2
    assert list(tmp_path.iterdir()) == []


def test_a_single_failed_start_is_tried_again(tmp_path: Path) -> None:
    """Check that, if an engine fails to start, the match starts the engine once more and then plays all games."""
    script = f"import os, sys; os.path.exists('tried') or sys.exit(open('tried', 'w').close()); os.chdir({str(ROOT)!r})"
    own = "; import runpy; sys.argv = ['']; runpy.run_module('kogoma', run_name='__main__')"
    command = f"cmd={shlex.join([sys.executable, '-c', script + own])}"
    flags = "-each nodes=20 -games 2 -out m.jsonl".split()
    done = run("match", "-engine", "-engine", command, "name=B", *flags, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [game["fault"] for game in read_games(tmp_path / "m.jsonl")] == [None, None]


@pytest.mark.long
def test_an_sprt_ends_the_match(tmp_path: Path) -> None:
    bad = f"cmd={shlex.join([sys.executable, '-S', str(BOT)])} usi"
    test = "-sprt elo0=0 elo1=100 alpha=0.2 beta=0.2".split()
    flags = "-each nodes=20 -recover -out m.jsonl".split()
    done = run("match", "-engine", "name=Good", "-engine", bad, "name=Bad", *test, *flags, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "H1 accepted" in done.stdout
    assert "normalised Elo corrected for early stopping +" in done.stdout
    games = read_games(tmp_path / "m.jsonl")
    assert 4 <= len(games) < 100
    entries = [json.loads(line) for line in (tmp_path / "m.jsonl").read_text().splitlines()]
    assert [entry["sprt"]["verdict"] for entry in entries if "sprt" in entry] == ["H1"]
    assert run("report", "m.jsonl", folder=tmp_path).returncode == 0
    assert "H1 accepted" in (tmp_path / "m.html").read_text("utf-8")
    again = run("match", "--resume", "m.jsonl", folder=tmp_path)
    assert again.returncode == 0 and "H1 accepted" in again.stdout
    assert read_games(tmp_path / "m.jsonl") == games


def in_a_terminal(folder: Path, path: str) -> str:
    """Play a match in a terminal, with `path` as PYTHONPATH, and return what the terminal shows."""
    terminal, inside = os.openpty()
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "100", "TERM": "xterm"}
    command = [sys.executable, "-m", "kogoma", "match", *KOGOMA, "-games", "4", "-sprt", "elo0=0", "elo1=9"]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=inside, stderr=subprocess.PIPE) as process:
        os.close(inside)
        shown = b""
        with contextlib.suppress(OSError):  # on Linux, reading fails after the match has ended
            while block := os.read(terminal, 65536):
                shown += block
        os.close(terminal)
        assert process.wait(60) == 0, process.stderr and process.stderr.read()
    return shown.decode()


@pytest.mark.long
def test_output_in_a_terminal(tmp_path: Path) -> None:
    text = in_a_terminal(tmp_path, str(ROOT))
    for word in ("engine", "depth", "LOS", "LLR 0.00 (-2.94, 2.94)", "games a minute", "4/4", "4 games of minishogi"):
        assert word in text, word


def test_a_terminal_without_the_package_rich(tmp_path: Path) -> None:
    (tmp_path / "rich.py").write_text("raise ImportError")
    text = in_a_terminal(tmp_path, os.pathsep.join([str(tmp_path), str(ROOT)]))
    assert "4 games: one +" in text and "LLR" in text and "\x1b" not in text


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_shipped_openings(variant: str) -> None:
    openings = load_openings("shipped", find(variant))
    assert len(openings) == (500 if variant == "minishogi" else 200)
    assert len({opening.start.rsplit(" ", 1)[0] for opening in openings}) == len(openings)


def test_openings_are_made(tmp_path: Path) -> None:
    words = "dobutsu -count 5 --plies 2-4 -balance 150 -nodes 500 -seed 3".split()
    first = run("openings", *words, "-o", "made.sfen", folder=tmp_path)
    assert (first.returncode, first.stdout) == (0, "made.sfen: 5 openings\n"), first.stderr
    assert (tmp_path / "made.sfen").read_text() == run("openings", *words, folder=tmp_path).stdout
    assert len(load_openings(str(tmp_path / "made.sfen"), find("dobutsu"))) == 5
    assert run("openings", "chess", folder=tmp_path).returncode == 2
    assert set(SETS) < set(VARIANTS)


@pytest.mark.parametrize("variant", ["onitama", "generals"])
def test_openings_of_variants_with_random_starts(variant: str, tmp_path: Path) -> None:
    """Check that all openings differ although they contain no moves. Each opening has random cards or a random set-up
    of the pieces."""
    done = run("openings", variant, *"-count 6 -plies 0-0 -balance 9999 -nodes 50 -seed 1".split(), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    made = done.stdout.splitlines()
    assert len(set(made)) == 6
    assert all(new_position(variant, sfen).sfen() == sfen for sfen in made)


def test_more_openings_are_requested_than_exist(tmp_path: Path) -> None:
    words = "dobutsu -count 9 -plies 0-1 -balance 9999 -nodes 20 -o few.sfen".split()
    done = run("openings", *words, folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("openings: 5 of 9: no new opening in ") and done.stderr.count("\n") == 1
    assert len((tmp_path / "few.sfen").read_text().splitlines()) == 5  # the start position and four others
    nowhere = run("openings", *words[:-1], "none/few.sfen", folder=tmp_path)
    assert nowhere.returncode == 1 and "none/few.sfen" in nowhere.stderr
