"""Measure who wins minishogi, for docs/minishogi.md. Run it in the checkout:

    .venv/bin/python -m benchmarks.who_wins FOLDER moves [--seconds 60]
    .venv/bin/python -m benchmarks.who_wins FOLDER games [--seconds 0.1 | --nodes N] [--games 100]

`moves` searches the position after each of Black's first moves, then after White's two best replies to the best four of
these, then after Black's two best answers to those. `games` plays the engine against itself, from the start position
and from positions of the shipped book, with the cup's rule (White wins by the fourth repetition) and with the rule that
the fourth repetition is a draw. What FOLDER contains is not computed again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from kogoma.eval.weights import FOLDER as WEIGHTS
from kogoma.lab.journals.match_journal import read_records
from kogoma.lab.stats.statistics import elo, without_copies
from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.search import Info
from kogoma.search.searcher import Searcher

MINISHOGI = VARIANTS["minishogi"]
SURVIVORS = 4  # first moves whose replies are searched
REPLIES = 2  # replies that are searched below each of them
PICK = 10.0  # seconds of the search that picks these replies
HASH = 512  # MB
DRAWS = "minishogi-draws"
DRAWN_REPETITION = f'name = "{DRAWS}"\nlike = "minishogi"\nrepetition_result = "draw"\n'
KOGOMA = [sys.executable, "-m", "kogoma"]


class Tree:
    """The searched positions, each with White's score; they are kept in a file of JSON lines."""

    def __init__(self, path: Path, seconds: float) -> None:
        self._path, self._seconds = path, seconds
        self._searcher = Searcher(hash_mb=HASH)
        lines = path.read_text().splitlines() if path.exists() else []
        self.found = {tuple(entry["moves"]): entry for entry in map(json.loads, lines)}

    def search(self, moves: tuple[str, ...]) -> int:
        """Return White's score after some moves, in centipawns; a mate counts as +-10000."""
        if moves not in self.found:
            self._searcher.new_game()
            result = self._searcher.search(after(moves), Limits(movetime=int(self._seconds * 1000)))
            score = result.score if result.score_kind == "cp" else 10000 if result.score > 0 else -10000
            white = score if len(moves) % 2 else -score
            entry = {"moves": moves, "white": white, "depth": result.depth, "nodes": result.nodes, "best": result.best}
            with self._path.open("a") as file:
                file.write(json.dumps(entry) + "\n")
            self.found[moves] = entry
        return int(self.found[moves]["white"])

    def best(self, moves: tuple[str, ...]) -> list[str]:
        """Return the best replies, by a short search of several lines."""
        lines: dict[int, Info] = {}
        self._searcher.new_game()
        limits, options = Limits(movetime=int(PICK * 1000)), SearchOptions(multipv=REPLIES)
        self._searcher.search(after(moves), limits, options, lambda info: lines.update({info.multipv: info}))
        return [lines[number].pv[0] for number in sorted(lines)]


def after(moves: tuple[str, ...]) -> Position:
    position = Position(MINISHOGI)
    for move in moves:
        position.push(move)
    return position


def first_moves(folder: Path, seconds: float) -> None:
    """Search the positions, and print the table."""
    tree = Tree(folder / f"moves-{seconds:g}.jsonl", seconds)
    first = sorted(((move,) for move in after(()).legal_moves()), key=tree.search)
    print("| moves | White's score, cp | depth | nodes | best reply |\n|---|---|---|---|---|")
    for moves in first:
        show(tree, moves)
    for moves in first[:SURVIVORS]:
        for reply in tree.best(moves):
            show(tree, (*moves, reply))
            for answer in tree.best((*moves, reply)):
                show(tree, (*moves, reply, answer))


def show(tree: Tree, moves: tuple[str, ...]) -> None:
    white = tree.search(moves)
    entry = tree.found[moves]
    nodes = f"{entry['nodes'] / 1e6:.0f} million"
    print(f"| {' '.join(moves)} | {white:+} | {entry['depth']} | {nodes} | {entry['best']} |", flush=True)


def games(folder: Path, limit: str, count: int) -> None:
    """Play the four matches, or what is left of them, and print White's scores. `limit` is a flag of `match`, such as
    st=0.1 or nodes=1000000."""
    custom, book = folder / f"{DRAWS}.toml", folder / "book.sfen"
    custom.write_text(DRAWN_REPETITION)
    shutil.copy(WEIGHTS / "minishogi.json", folder / f"{DRAWS}.json")  # the same evaluation for both rules
    shutil.copy(WEIGHTS / "minishogi.network.xz", folder)
    if not book.exists():
        subprocess.run([*KOGOMA, "book", "export", "shipped", "-o", str(book), "--plies", "6"], check=True)
    print("| fourth repetition | games from | games | White won, drawn, lost | White's score | by repetition |")
    print("|---|---|---|---|---|---|", flush=True)
    for variant in ("minishogi", DRAWS):
        for opening in ("start", str(book)):
            journal = folder / f"{variant}-{Path(opening).stem}-{limit.removeprefix('st=')}.jsonl"
            flags = [
                "-variant",
                variant,
                "-each",
                limit,
                *(["timemargin=500"] if limit.startswith("st=") else []),
                "-games",
                str(count),
                "-repeat",
                "1",
            ]
            flags += ["-openings", f"file={opening}", "-out", str(journal), "-resume"]
            command = [*KOGOMA, "--variants", str(custom), "match", "-engine", "-engine", *flags]
            if subprocess.run(command, stdout=subprocess.DEVNULL).returncode not in (0, 1):
                raise SystemExit(f"{journal}: the match failed")
            played = without_copies(read_records(journal).games)
            lost, drawn, won = (sum(game["winner"] == winner for game in played) for winner in (0, None, 1))
            score = elo([lost, drawn, won])
            assert score is not None
            interval = f"{score.score:.1%} [{score.score_low:.1%}, {score.score_high:.1%}]"
            repeated = sum(game["reason"] == "repetition" for game in played)
            names = ("White wins" if variant == "minishogi" else "draw"), ("start" if opening == "start" else "book")
            print(
                f"| {' | '.join(names)} | {len(played)} | {won}, {drawn}, {lost} | {interval} | {repeated} |",
                flush=True,
            )


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder", type=Path)
    words.add_argument("what", choices=("moves", "games"))
    words.add_argument("--seconds", type=float, default=None, help="per search (60) or per move (0.1)")
    words.add_argument("--nodes", type=int, default=None, help="per move, instead of a time")
    words.add_argument("--games", type=int, default=100)
    given = words.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.what == "moves":
        first_moves(given.folder, given.seconds or 60.0)
    else:
        limit = f"nodes={given.nodes}" if given.nodes else f"st={given.seconds or 0.1:g}"
        games(given.folder, limit, given.games)


if __name__ == "__main__":
    main()
