"""The time budget of a move never exceeds the clock, and makes sensible use of the time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from kogoma.rules.structs import Struct, fields, new_struct
from kogoma.rules.variants import find
from kogoma.search.control import control_dtype, write_search
from kogoma.search.library import search_library
from kogoma.search.limits import ClockOptions, Limits, SearchOptions
from support.kernels import entries_library

OPTIONS = ClockOptions()
LAST_MOMENTS = 5  # ms: the least time for a move, if half of the clock allows it
clock_times = st.one_of(st.integers(0, 3000), st.integers(0, 10**7))
option_sets = st.builds(
    ClockOptions,
    network_delay=st.integers(0, 2000),
    minimum_thinking_time=st.integers(0, 20000),
    slow_mover=st.integers(1, 1000),
    ponder=st.booleans(),
)


class Budget(NamedTuple):
    """The time for a move in ms: the usual, the largest and the smallest time."""

    optimum: float
    maximum: float
    minimum: float = 0


def clock_struct(limits: Limits, turn: int, ply: int, options: ClockOptions) -> Struct:
    """Return the control struct of a minishogi search whose clock started at time 0."""
    struct = new_struct(control_dtype("64"))
    write_search(fields(struct), find("minishogi"), limits, [], SearchOptions(clock=options), 0)
    fields(struct)["side"], fields(struct)["ply"], fields(struct)["squares"] = turn, ply, 25
    search_library("64")("start_clock", struct, 0)
    return struct


def budget(limits: Limits, turn: int, ply: int, options: ClockOptions) -> Budget | None:
    """Return the time for a move, or None if it is not limited."""
    found = fields(clock_struct(limits, turn, ply, options))
    times = (int(found[name]) / 1000 for name in ("optimum", "maximum", "minimum"))
    return Budget(*times) if int(found["limited"]) else None


def think(turn: int = 0, ply: int = 0, options: ClockOptions = OPTIONS, **given_limits: Any) -> Budget:
    found = budget(Limits(**given_limits), turn, ply, options)
    assert found is not None
    return found


@given(
    clock=clock_times,
    byoyomi=clock_times,
    increment=clock_times,
    movestogo=st.one_of(st.none(), st.integers(1, 60)),
    movetime=st.one_of(st.none(), clock_times),
    turn=st.integers(0, 1),
    ply=st.integers(0, 400),
    options=option_sets,
)
def test_no_budget_exceeds_the_clock(
    clock: int,
    byoyomi: int,
    increment: int,
    movestogo: int | None,
    movetime: int | None,
    turn: int,
    ply: int,
    options: ClockOptions,
) -> None:
    mine: dict[str, Any] = {"wtime": clock, "winc": increment} if turn else {"btime": clock, "binc": increment}
    limits = Limits(byoyomi=byoyomi, movestogo=movestogo, movetime=movetime, **mine)
    found = budget(limits, turn, ply, options)
    assert found is not None
    available = clock + byoyomi or increment
    if movetime is not None:
        available = min(available, movetime)
    assert 0 <= found.minimum <= found.optimum <= found.maximum
    assert found.maximum <= max(available - options.network_delay, LAST_MOMENTS)
    assert found.maximum <= available


@given(
    clock=clock_times,
    more=clock_times,
    byoyomi=clock_times,
    increment=clock_times,
    ply=st.integers(0, 400),
    name=st.sampled_from(("btime", "byoyomi")),
    options=option_sets,
)
def test_more_time_on_the_clock_never_shortens_the_budget(
    clock: int, more: int, byoyomi: int, increment: int, ply: int, name: str, options: ClockOptions
) -> None:
    less_time = Limits(btime=1 + clock, byoyomi=byoyomi, binc=increment)
    more_time = replace(less_time, **{name: getattr(less_time, name) + more})
    before, after = budget(less_time, 0, ply, options), budget(more_time, 0, ply, options)
    assert before is not None and after is not None
    rounding = 0.001 * options.slow_mover  # ms: times are whole microseconds, and `slow_mover` multiplies them
    assert after.optimum >= before.optimum - rounding
    assert after.maximum >= before.maximum - rounding


def test_byoyomi_alone_is_used_up() -> None:
    for byoyomi in (50, 100, 1000, 60000):
        assert think(btime=0, wtime=0, byoyomi=byoyomi) == Budget(byoyomi - 15, byoyomi - 15)


def test_movetime_is_used_up() -> None:
    assert think(movetime=500) == Budget(485, 485)
    assert think(btime=60000, wtime=60000, movetime=100).maximum == 85


def test_the_rest_of_the_main_time_is_used_together_with_byoyomi() -> None:
    assert think(btime=800, wtime=0, byoyomi=1000).optimum == 1785


def test_only_the_clock_of_the_side_to_move_counts() -> None:
    assert think(turn=0, btime=1000, wtime=90000) == think(turn=0, btime=1000, wtime=5)
    assert think(turn=1, btime=5, wtime=90000) == think(turn=1, btime=1000, wtime=90000)
    assert budget(Limits(btime=1000), 1, 0, OPTIONS) is None


def test_without_a_clock_there_is_no_budget() -> None:
    assert budget(Limits(depth=5), 0, 0, OPTIONS) is None
    assert budget(Limits(nodes=5), 0, 0, OPTIONS) is None
    assert budget(Limits(infinite=True), 0, 0, OPTIONS) is None


def test_very_little_time_still_gives_a_budget() -> None:
    assert think(byoyomi=12) == Budget(5, 5)
    assert think(byoyomi=2) == Budget(1, 1)
    assert 0 < think(btime=12, wtime=12).maximum <= 5
    assert think(btime=0, wtime=0) == Budget(0, 0)


def simulate(moves: int, take_maximum: bool, **clocks: int) -> tuple[list[float], float]:
    """Simulate the clock during `moves` moves. Return the time of each move, and the time left at the end.

    Each move takes the optimum time of its budget plus the network delay. If `take_maximum` is true, each move takes
    the maximum time of its budget plus 2 ms, which is the delay of a local GUI. The increment is added after each move.
    """
    clock, spent = float(clocks.get("btime", 0)), []
    for number in range(moves):
        limits = Limits(btime=int(clock), byoyomi=clocks.get("byoyomi"), binc=clocks.get("binc"))
        found = budget(limits, 0, 2 * number, OPTIONS)
        assert found is not None
        used = found.maximum + 2 if take_maximum else found.optimum + OPTIONS.network_delay
        assert used <= clock + clocks.get("byoyomi", 0) + 1e-6
        spent.append(used)
        clock = max(clock - used, 0.0) + clocks.get("binc", 0)
    return spent, clock


def test_sudden_death_lasts_for_a_long_game() -> None:
    spent, left = simulate(60, False, btime=60000)
    assert 0 < left < 3000
    assert spent[0] == max(spent) and 1500 < spent[0] < 6000
    simulate(60, True, btime=60000)


def test_an_increment_is_used_up_in_each_move() -> None:
    spent, left = simulate(80, False, btime=10000, binc=1000)
    assert 800 <= spent[-1] <= 1100
    assert left >= 1000
    simulate(80, True, btime=10000, binc=1000)


def test_slow_mover_and_pondering_shift_the_share() -> None:
    clocks: dict[str, Any] = {"btime": 60000, "wtime": 60000}
    normal = think(**clocks).optimum
    assert think(options=ClockOptions(slow_mover=50), **clocks).optimum < normal
    assert think(options=ClockOptions(ponder=True), **clocks).optimum > normal


def test_minimum_thinking_time_is_kept_where_the_clock_allows() -> None:
    options = ClockOptions(minimum_thinking_time=1000)
    assert think(options=options, btime=10000, wtime=0) == Budget(1000, think(btime=10000, wtime=0).maximum, 1000)
    assert think(options=options, btime=100, wtime=0).minimum <= 85


def test_if_the_clock_counts_whole_seconds_the_started_second_is_used_up() -> None:
    options = ClockOptions(network_delay=100, whole_seconds=True)
    found = think(options=options, btime=60000, wtime=60000)
    assert found.maximum % 1000 == 900
    assert think(options=options, btime=1500, wtime=1500).maximum <= 1400
    limits = Limits(btime=60000, wtime=60000)
    struct = clock_struct(limits, 0, 0, options)
    fields(struct)["depth"], fields(struct)["root_count"] = 9, 30
    usual = int(entries_library("64")("due_time", struct)) // 1000
    for elapsed, end in ((usual + 1, -(-(usual + 101) // 1000) * 1000 - 100), (found.maximum, None)):
        fields(struct)["maximum"] = int(found.maximum * 1000)
        assert entries_library("64")("is_time_up", struct, int(elapsed * 1e6)) == int(end is None)
        assert int(fields(struct)["maximum"]) == int((end or found.maximum) * 1000)


def test_the_maximum_delay_counts_if_the_flag_may_fall() -> None:
    options = ClockOptions(network_delay=100, network_delay_most=1200)
    assert think(options=options, byoyomi=5000) == Budget(3800, 3800)
    assert think(options=options, movetime=5000) == Budget(4900, 4900)
    assert think(options=options, btime=60000).optimum == think(options=ClockOptions(100), btime=60000).optimum
    assert think(options=ClockOptions(100, 50), byoyomi=5000) == Budget(4900, 4900)
