"""Tests of `tune --search`: SPSA equals a simple implementation, finds known maxima, and runs as a command."""

from __future__ import annotations

import json
import math
import os
import random
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from kogoma.lab.tune.spsa import RANGES, Parameter, SearchPlan, Spsa, SpsaRun
from kogoma.lab.tune.store import DataError
from kogoma.search.parameters import PARAMETERS, ParametersError, SearchParameters, read_parameters
from support.lab_runs import finish, kill_when, lasting, lines, read_games, start
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

FEW = "dobutsu --search --games 8 --nodes 60 --match-nodes 60 --seed 3 --concurrency 2 --data data".split()
DONE = (0, 3)  # exit codes for parameters that are kept or not; both are possible
NODES_BY_MARGIN = """
import json
from kogoma.rules.position import new_position
from kogoma.rules.variants import find
from kogoma.search.bench import POSITIONS
from kogoma.search.limits import Limits
from kogoma.search.parameters import parameters_of
from kogoma.search.searcher import Searcher

game, found = find("minishogi"), {}
searcher = Searcher(hash_mb=16, threads=1, variant=game)
own = parameters_of(game)
for name in ("", *own._fields):
    searcher._driver.main.parameters = own._replace(**({name: getattr(own, name) // 2} if name else {}))
    found[name] = 0
    for sfen in POSITIONS["minishogi"]:
        searcher.new_game()
        found[name] += searcher.search(new_position(game, sfen), Limits(depth=11)).nodes
print(json.dumps(found))
"""
TUNED = (Parameter("one", 50, 1, 400, 10), Parameter("two", 300, 1, 400, 20), Parameter("three", 5, 1, 9, 1))


def test_values_move_as_in_a_simple_spsa() -> None:
    spsa, rng = Spsa(TUNED, 40, "oracle"), random.Random(1)
    values = [50.0, 300.0, 5.0]
    for number in range(40):
        outcome = rng.choice((-1, -0.5, 0, 0.5, 1))
        signs = spsa.perturbation_signs(number)
        # Spall's gains are a / (A + k)^0.602 and c / k^0.101, where k counts the iterations from 1. In the last
        # iteration, the first gain is 0.8 / sqrt(40) and the second is one step.
        k = number + 1
        c = 40**0.101 / k**0.101
        a = 0.8 / 40**0.5 * (4 + 40) ** 0.602 / (4 + k) ** 0.602
        wanted = []
        for i, parameter in enumerate(TUNED):
            gradient = outcome / (c * signs[i])
            wanted.append(
                min(max(values[i] + parameter.perturbation * a * gradient, parameter.minimum), parameter.maximum)
            )
        plus, minus = spsa.perturbed_values(values, number)
        for i, parameter in enumerate(TUNED):
            for side, sign in ((plus, signs[i]), (minus, -signs[i])):
                exact = min(max(values[i] + sign * c * parameter.perturbation, parameter.minimum), parameter.maximum)
                assert parameter.minimum <= side[i] <= parameter.maximum and abs(side[i] - exact) < 1
        values = spsa.updated_values(values, number, outcome)
        assert values == pytest.approx(wanted, rel=1e-12)
    seen = [tuple(spsa.perturbation_signs(number)) for number in range(40)]
    assert len(set(seen)) == 8 and all(abs(sum(signs[i] for signs in seen)) < 20 for i in range(3))
    assert [Spsa(TUNED, 40, "oracle").perturbation_signs(number) for number in range(40)] == [
        list(signs) for signs in seen
    ]


def test_rounding_keeps_the_mean() -> None:
    spsa = Spsa((Parameter("one", 50, 1, 100, 10),), 4000, "mean")
    sums = [sum(spsa.perturbed_values([50.3], number)[side][0] for number in range(4000)) for side in (0, 1)]
    assert sum(sums) / 8000 == pytest.approx(50.3, abs=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_the_maximum_of_a_noisy_quadratic_is_found(seed: int) -> None:
    """Check that SPSA finds the values with the highest Elo from random results of games. Elo falls with the square of
    the distance from these values."""
    top, rng = (120.0, 200.0, 3.0), random.Random(seed)
    spsa = Spsa(TUNED, 20_000, f"quadratic {seed}")

    def elo(values: list[int]) -> float:
        return -sum(
            8 * ((value - best) / parameter.perturbation) ** 2 for value, best, parameter in zip(values, top, TUNED)
        )

    values = [float(parameter.start) for parameter in TUNED]
    for number in range(20_000):
        plus, minus = spsa.perturbed_values(values, number)
        wins = 1 / (1 + math.pow(10, (elo(minus) - elo(plus)) / 400))
        points = sum(1 if rng.random() < wins else -1 for _ in range(2))
        values = spsa.updated_values(values, number, points / 2)
    for value, best, parameter in zip(values, top, TUNED):
        assert abs(value - best) < 0.6 * parameter.perturbation, (values, top)


@pytest.mark.long
def test_a_run_continues_after_any_cut_of_its_journal(tmp_path: Path) -> None:
    plan = SearchPlan("minishogi", games=12)
    whole, cut = SpsaRun(plan, tmp_path), tmp_path / "spsa.jsonl"
    for outcomes in ([1.0, 0.5], [0.0, -1.0], [0.5, 0.5]):
        whole.add(outcomes)
    text = cut.read_bytes()
    for end in range(text.rindex(b"\n", 0, -1) + 2, len(text)):
        cut.write_bytes(text[:end])
        again = SpsaRun(plan, tmp_path)
        assert (again.done, cut.read_bytes().count(b"\n")) == (2, 3)
        again.add([0.5, 0.5])
        assert again.values == whole.values and cut.read_bytes() == text
    assert read_parameters(str(tmp_path / "parameters.json")) == whole.parameters._asdict()
    for damaged, told in (
        (text.replace(b'"iteration":2', b"{"), "a line is not a JSON object"),
        (text.replace(b'"iteration":3', b'"iteration":4'), "lines are missing"),
        (text.replace(b'"seed":1', b'"seed":2'), "made with another plan"),
        (text.replace(b'"values"', b'"worth"'), "its last line is not an iteration"),
        (b"[]\n", "a line is not a JSON object"),
    ):
        cut.write_bytes(damaged)
        with pytest.raises(DataError, match=told):
            SpsaRun(plan, tmp_path)


def test_every_parameter_has_a_range() -> None:
    assert tuple(RANGES) == SearchParameters._fields
    for (name, value), (least, most, step) in zip(PARAMETERS._asdict().items(), RANGES.values()):
        assert 1 <= least < value < most and 1 <= step < most - least, name


def has_lines(folder: Path, pattern: str, count: int) -> bool:
    """Return whether at least one file in the folder that matches the pattern has at least `count` lines."""
    return max(map(lines, folder.glob(pattern)), default=0) >= count


@pytest.mark.long
def test_a_killed_run_equals_an_undisturbed_one(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
    told = finish(whole, *FEW, code=DONE, command="tune")
    assert re.search(r"^8 of 8 games, [\d.]+/s, 0 s left$", told, re.MULTILINE)
    for words in ("8 games at 60 nodes", "8 games, complete", "match: at most 8 games", "8 games of dobutsu"):
        assert words in told
    assert all(re.search(rf"^{name} +\d+ +\d+ +[-+]\d", told, re.MULTILINE) for name in SearchParameters._fields)
    for count, file in ((1, "spsa.jsonl"), (2, "spsa.jsonl"), (3, "match-*.jsonl")):
        process = start(killed, *FEW, command="tune")
        kill_when(process, partial(has_lines, killed / "data", file, count))
    finish(killed, "dobutsu", "--search", "--data", "data", "--resume", code=DONE, command="tune")
    for name in ("spsa.jsonl", "parameters.json"):
        assert (whole / "data" / name).read_bytes() == (killed / "data" / name).read_bytes()
    one, other = (next((folder / "data").glob("match-*.jsonl")) for folder in (whole, killed))
    assert (one.name, lasting(read_games(one))) == (other.name, lasting(read_games(other)))


@pytest.mark.clock
@pytest.mark.long
def test_the_time_is_divided_between_spsa_and_the_match(tmp_path: Path) -> None:
    """Check that SPSA gets eight tenths of the time and the match gets the rest, even if there are more workers than
    games in an iteration."""
    words = "dobutsu --search --hours 0.005 --concurrency 8 --nodes 1000 --match-nodes 1000 --data data".split()
    told = finish(tmp_path, *words, code=DONE, command="tune")
    games = re.search(r"^(\d+) games fit in 0\.005 h on this machine$", told, re.MULTILINE)
    most = re.search(r"^match: at most (\d+) games at 1,000 nodes$", told, re.MULTILINE)
    assert games and (most is None or int(most[1]) == max(2, 2 * round(int(games[1]) / 8))), told


@pytest.mark.long
def test_every_parameter_changes_the_search(tmp_path: Path) -> None:
    def run(parameters: dict[str, int] | None, *words: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        if parameters is not None:
            (tmp_path / "parameters.json").write_text(json.dumps(parameters))
            environment["KOGOMA_PARAMETERS"] = str(tmp_path / "parameters.json")
        done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def bench(parameters: dict[str, int] | None) -> int:
        found = re.search(r"Nodes searched: (\d+)", run(parameters, "-m", "kogoma", "bench", "11", "minishogi"))
        assert found is not None
        return int(found[1])

    shipped = bench(None)
    assert bench({}) == shipped != bench({"razoring": 300})
    nodes = json.loads(run(None, "-c", NODES_BY_MARGIN))
    assert nodes[""] == shipped
    assert [name for name in SearchParameters._fields if nodes[name] == shipped] == []


@pytest.mark.long
def test_impossible_settings_give_a_one_line_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for words, told in (
        ("dobutsu --search --data a --resume", "tune: a has nothing to resume"),
        ("dobutsu --search --data a --elo0 5 --elo1 5", "tune: --elo0 must be below --elo1, not 5 and 5"),
        ("dobutsu --search --data a --hours 1 --games 9", "tune: --hours cannot be used with --games"),
        ("dobutsu --search --data a --positions 9", "tune: --positions cannot be used with --search"),
        ("dice --search --data a", "tune: --search does not support dice: its search has no parameters"),
    ):
        out = finish(tmp_path, *words.split(), code=2, command="tune")
        assert out.startswith(told) and out.count("\n") == 1, out
    file = tmp_path / "parameters.json"
    for text, told in (
        ("", "is not a search parameter file: it is not JSON"),
        ("[1]", "is not a search parameter file: it is not a JSON object"),
        ('{"raisin": 1}', "there is no search parameter 'raisin'; use one of window, razoring"),
        ('{"razoring": 0}', "razoring needs a whole number from 1 to 1000000, not 0"),
        ('{"razoring": 1.5}', "razoring needs a whole number from 1 to 1000000, not 1.5"),
        ('{"razoring": true}', "razoring needs a whole number from 1 to 1000000, not true"),
    ):
        file.write_text(text)
        with pytest.raises(ParametersError, match=re.escape(told)):
            read_parameters(str(file))
    with pytest.raises(ParametersError, match=r"cannot read .*: No such file"):
        read_parameters(str(tmp_path / "none"))
    monkeypatch.setenv("KOGOMA_PARAMETERS", str(file))
    out = finish(tmp_path, "minishogi", "-o", "bot.py", code=1, command="export")
    assert out.splitlines()[-1] == f"export: {file}: razoring needs a whole number from 1 to 1000000, not true"


@pytest.mark.long
def test_a_wrong_margin_ends_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "parameters.json"
    file.write_text('{"razoring": true}')
    monkeypatch.setenv("KOGOMA_PARAMETERS", str(file))
    out = finish(tmp_path, "1", command="bench", code=1)
    assert out.splitlines()[-1].endswith("parameters.json: razoring needs a whole number from 1 to 1000000, not true")
