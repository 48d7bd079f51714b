"""The command `referee` as other tools call it: cg-brutaltester, psyleague."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from kogoma.lab.board.server import Matches
from support.lab_runs import read_games, run
from support.peers import absent
from support.scope import mostly_long
from support.usi_client import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.clock]

SCRIPTED = ROOT / "tests" / "support" / "bots" / "scripted.py"
GAMES = ["minishogi", "dice", "onitama"]
PATIENT = ("--timemargin", "60000")  # the machine that runs the tests may be busy


def bot(game: str, *words: str) -> str:
    """Return the command of a bot that plays the first action of every list, or misbehaves as `words` say."""
    return shlex.join([sys.executable, "-S", str(SCRIPTED), game, *words])


def brutaltester(
    folder: Path, game: str, players: tuple[str, str], seed: int | None = None, log: str = "", extra: str = ""
) -> tuple[list[int], list[str], str]:
    """Call the referee and read its output as cg-brutaltester does (src/main/java/com/magusgeek/brutaltester/
    GameThread.java). Return the scores of the players, the lines after them, and standard error.

    The command of the option -r is split at spaces. Then follow `-p1 COMMAND -p2 COMMAND`, with -s or -i `-d seed=N`,
    and with -l `-l FOLDER/gameN.json`. A score is the next whole number of standard output.
    """
    words = f"referee {game} {' '.join(PATIENT)}{extra}".split(" ")
    for number, player in enumerate(players, 1):
        words += [f"-p{number}", player]
    words += [] if seed is None else ["-d", f"seed={seed}"]
    words += ["-l", log] if log else []
    done = run(*words, folder=folder)
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(r"\s*(-?\d+)\s+(-?\d+)\n(.*)", done.stdout, re.DOTALL)
    assert found, done.stdout
    return [int(found[1]), int(found[2])], found[3].splitlines(), done.stderr


@pytest.mark.parametrize("game", mostly_long(GAMES, "minishogi"))
def test_a_game_for_cg_brutaltester(game: str, tmp_path: Path) -> None:
    """Check scores and replays of games with the same seed, also with the players exchanged, and with another seed."""
    logs = tmp_path / "logs"
    logs.mkdir()
    one, other = bot(game), bot(game, "message=hello")
    played = []
    for number, (players, seed) in enumerate([((one, other), 7), ((other, one), 7), ((one, other), 8)], 1):
        log = f"./logs/game{number}.json"
        scores, rest, errors = brutaltester(tmp_path, game, players, seed, log)
        (record,) = read_games(tmp_path / log)
        assert (rest, errors) == ([f"seed={seed}"], "")
        assert (record["black"], record["white"]) == players and record["fault"] is None
        assert scores == [int(record["winner"] == player) for player in (0, 1)]
        assert record["clock"] == ("st=0.05 first=1" if game == "onitama" else "st=0.1 first=1")
        played.append([record["start"], record.get("dice"), record["moves"]])
    assert played[0] == played[1] != played[2]


def test_without_a_seed_games_differ(tmp_path: Path) -> None:
    played = [brutaltester(tmp_path, "onitama", (bot("onitama"), bot("onitama")))[1] for _ in range(2)]
    assert all(re.fullmatch("seed=[0-9]+", "".join(rest)) for rest in played) and played[0] != played[1]


def test_replays_are_match_journals(tmp_path: Path) -> None:
    players = (bot("minishogi"), bot("minishogi"))  # which get different names
    brutaltester(tmp_path, "minishogi", players, 1, "game1.json")
    brutaltester(tmp_path, "minishogi", players, 1, "game1.json")  # an old file is replaced
    (record,) = read_games(tmp_path / "game1.json")
    done = run("report", "game1.json", "-o", "report.html", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert record["black"].replace("&", "&amp;") in (tmp_path / "report.html").read_text(encoding="utf-8")
    done = run("convert", "--from", "jsonl", "game1.json", "game.usi", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert " ".join(record["moves"]) in (tmp_path / "game.usi").read_text()
    Matches((tmp_path / "game1.json",)).check()


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["at=2", "say=hello"], "rubbish: no action: 'hello'"),
        (["at=2", "say=1151 Take this!"], "illegal_move: plays '1151 Take this!'"),
        pytest.param(["at=2", "late=3000"], "time: took 3", marks=pytest.mark.long),
        pytest.param(["at=1", "late=3500"], "time: took 3", marks=pytest.mark.long),
        (["oddly"], None),
    ],
)
def test_faults_have_negative_scores(words: list[str], kind: str | None, tmp_path: Path) -> None:
    """Check that the player at fault gets a negative score, which cg-brutaltester and psyleague count as an error, and
    that standard error says what was wrong. For `kind` None, the bot ends at once."""
    good, bad = bot("minishogi"), bot("minishogi", *words) if kind else f"{sys.executable} -c 1"
    for players, expected in (((bad, good), [-1, 1]), ((good, bad), [1, -1])):
        late = kind is not None and kind.startswith("time")
        scores, _, errors = brutaltester(tmp_path, "minishogi", players, 1, extra=" --timemargin 1500" if late else "")
        assert scores == expected and errors.count("\n") == 1, errors
        assert errors.startswith(f"referee: {bad}") and (kind or "disconnect: ") in errors, errors


def test_wrong_command_lines(tmp_path: Path) -> None:
    good = bot("dice")
    for words, code, told in (
        (["chess", "-p1", good, "-p2", good], 2, "invalid choice: 'chess'"),
        (["dice", "-p1", good], 2, "the following arguments are required: -p2"),
        (["dice", "-p1", good, "-p2", good, "-d", "7"], 2, "argument -d: needs seed=N with a whole number, not '7'"),
        (["dice", "-p1", good, "-p2", "/no/such/bot"], 2, "/no/such/bot: there is no program /no/such/bot"),
        (["dice", "-p1", good, "-p2", "'"], 2, "engine 2: No closing quotation"),
        (["dice", "-p1", good, "-p2", good, "-l", "no/such/folder"], 1, "no/such/folder: its folder does not exist"),
    ):
        done = run("referee", *words, folder=tmp_path)
        assert (done.returncode, done.stdout) == (code, "") and told in done.stderr, done.stderr
    assert not any(tmp_path.iterdir())


def test_a_league_of_psyleague(tmp_path: Path) -> None:
    """Check that psyleague runs a league of three bots with the referee. One of the bots always loses by a fault."""
    league = Path(os.environ.get("KOGOMA_PSYLEAGUE", ""), "bin", "psyleague")
    if not os.environ.get("KOGOMA_PSYLEAGUE") or not league.exists():
        absent("psyleague")

    def psyleague(*words: str) -> str:
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [league, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    psyleague("config")
    referee = f"{shlex.quote(sys.executable)} -m kogoma referee minishogi --json {' '.join(PATIENT)}"
    players = "-p1 'sh %DIR%/%P1%.sh' -p2 'sh %DIR%/%P2%.sh' -l %P1%-%P2%.jsonl"
    commands = {"cmd_bot_setup": "cp %SRC% %DIR%/%NAME%.sh", "cmd_play_game": f"{referee} {players}"}
    config = tmp_path / "psyleague.cfg"
    lines = {line.partition(" = ")[0]: line for line in config.read_text().splitlines()}
    lines |= {name: f"{name} = {json.dumps(command)}" for name, command in commands.items()}
    config.write_text("\n".join(lines.values()))
    for name, words in (("first", ()), ("chatty", ("message=hello",)), ("broken", ("at=2", "say=hello"))):
        (tmp_path / name).write_text(f"exec {bot('minishogi', *words)}\n")
        psyleague("bot", "add", name)
    psyleague("run", "--games", "12", "--silent")
    games = [json.loads(line) for line in (tmp_path / "psyleague.games").read_text().splitlines()]
    assert len(games) >= 12
    for game in games:
        lost, reason = [int(player == "broken") for player in game["players"]], game["test_data"]["reason"]
        ranks = [lost] if any(lost) else [[0, 0]] if reason == "max_plies" else [[0, 1], [1, 0]]
        assert game["errors"] == lost and game["ranks"] in ranks and any(lost) == (reason == "rubbish"), game
    assert {"first", "chatty", "broken"} <= set(psyleague("show").split())
    assert "broken" in psyleague("show", "--filters", "reason=rubbish", "plies=1-3")
    (record,) = read_games(tmp_path / "{}-{}.jsonl".format(*games[-1]["players"]))
    assert record["moves"]
