"""`./engine.sh book VARIANT`: make an opening book by best-first expansion with parallel workers."""

from __future__ import annotations

import argparse
import contextlib
import time
from concurrent.futures import Future
from pathlib import Path

from kogoma.console.lines import counted
from kogoma.lab.book.from_games import BookGames, read_games
from kogoma.lab.book.tree import MATE, Plan, SearchedMove, Store, Tree
from kogoma.lab.engines.worker_search import best_lines, thread_searcher
from kogoma.lab.match.runner import ended
from kogoma.lab.match.workers import Callers, open_workers
from kogoma.lab.tune.progress import duration
from kogoma.lab.tune.store import claimed
from kogoma.rules.position import new_position
from kogoma.rules.variants import find
from kogoma.search.book.book import key_of
from kogoma.search.book.book_file import check_format, write_book
from kogoma.search.limits import Limits
from kogoma.search.search import Info

REPORT_SECONDS = 30  # between progress lines
INTERRUPTED = 130
HASH_MB = 64


def make(given: argparse.Namespace) -> int:
    """Run `book VARIANT`: make an opening book and return the exit code. Raises CommandLineError if the folder has a
    damaged journal or one of another plan, FolderInUse if another process uses it, BookError if the output's format
    cannot store the variant's positions, DataError for bad files, WorkError if a worker fails."""
    plan = Plan(given.variant, given.nodes, given.lines)
    folder = given.folder or Path(f"book-{plan.variant}")
    output = given.output or folder / f"{plan.variant}.db"
    check_format(output, find(plan.variant))
    played = read_games(given.games, find(plan.variant), given.plies)
    with claimed(folder):
        store = Store(folder, plan)
        there = len(store.tree.lines)
        most = there + given.positions if given.positions else 10**9
        until = time.monotonic() + given.hours * 3600
        left = f"{given.positions} more" if given.positions else f"for {duration(given.hours * 3600)}"
        print(f"{folder}: {counted(there, 'position')} so far; {left}", flush=True)
        interrupted = False
        try:
            with contextlib.closing(store), open_workers(given.cluster, given.concurrency) as workers:
                _expand(store, played, plan, workers, most, until)
        except KeyboardInterrupt:
            interrupted = True
        write_book(store.tree.book(), output)
    print(f"{output}: {_progress_text(store.tree)}, {output.stat().st_size / 1000:.0f} kB")
    if interrupted:
        print("interrupted; run the same command again to continue")
    return INTERRUPTED if interrupted else 0


def _expand(store: Store, played: BookGames, plan: Plan, workers: Callers, most: int, until: float) -> None:
    """Search positions and add them to the store, until it has `most` positions, the monotonic clock reaches `until`,
    or no position is left to search. Positions of the games in `played` come first."""
    pending: dict[Future[list[SearchedMove]], str] = {}
    began = told = time.monotonic()
    there = len(store.tree.lines)
    played.link(store)
    while True:
        while len(pending) < workers.concurrency and time.monotonic() < until:
            if len(store.tree.lines) + len(pending) >= most:
                break
            busy = [key_of(sfen) for sfen in pending.values()]
            sfen = played.next(store.tree, busy) or store.tree.next(busy)
            if sfen is None:
                break
            pending[workers.call(search_position, plan.variant, sfen, plan.nodes, plan.lines)] = sfen
        if not pending:
            return
        for future in ended(pending):
            store.add(pending.pop(future), future.result())
            played.link(store)
        if time.monotonic() >= told + REPORT_SECONDS:
            told = time.monotonic()
            pace = (len(store.tree.lines) - there) / (told - began)
            left = max(until - told, 0) if most >= 10**9 else (most - len(store.tree.lines)) / max(pace, 1e-6)
            print(f"{_progress_text(store.tree)}, {pace:.2g} positions/s, {duration(left)} left", flush=True)


def _progress_text(tree: Tree) -> str:
    value = tree.values.get(key_of(tree.start), 0)
    line = f"main line of {len(tree.main_line())} plies"
    return f"{counted(len(tree.lines), 'position')}, {line}, {value / 100:+.2f} for the first"


def search_position(variant: str, sfen: str, nodes: int, multipv: int) -> list[SearchedMove]:
    """Search a position with `nodes` nodes, and return its best `multipv` moves. Return [] if the game has ended."""
    position = new_position(variant, sfen)
    if position.outcome() is not None:
        return []
    lines = []
    for info in best_lines(thread_searcher(variant, HASH_MB), position, Limits(nodes=nodes), multipv):
        position.push(info.pv[0])
        child = "" if position.outcome() is not None else position.sfen()
        position.pop()
        lines.append(SearchedMove(info.pv[0], _centipawns(info), info.depth, child))
    return lines


def _centipawns(info: Info) -> int:
    if info.score_kind == "cp":
        return info.score
    return MATE - info.score if info.score > 0 else -MATE - info.score
