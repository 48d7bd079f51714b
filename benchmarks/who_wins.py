"""Measure who wins minishogi, for docs/minishogi.md. Run it in the checkout:

    .venv/bin/python -m benchmarks.who_wins FOLDER moves [--seconds 60]
    .venv/bin/python -m benchmarks.who_wins FOLDER games [--seconds 0.1 | --nodes N] [--games 100]

`moves` searches the position after each of Black's first moves, then after White's two best replies to the best four of
these, then after Black's two best answers to those. `games` plays the engine against itself, from the start position
and from positions of the shipped book, with the cup's rule (White wins by the fourth repetition) and with the rule that
the fourth repetition is a draw. With --nodes, there are no games from the start position, because they would be equal.
What FOLDER contains is not computed again.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from pathlib import Path

from benchmarks.searched_positions import SearchedPositions
from benchmarks.self_play import KOGOMA, play, share, whites_points
from kogoma.eval.weights import FOLDER as WEIGHTS
from kogoma.rules.variants import VARIANTS
from kogoma.search.limits import Limits

SURVIVORS = 4  # first moves whose replies are searched
REPLIES = 2  # replies that are searched below each of them
PICK = Limits(movetime=10_000)  # of the search that picks these replies
HASH = 512  # MB
DRAWS = "minishogi-draws"
DRAWN_REPETITION = f'name = "{DRAWS}"\nlike = "minishogi"\nrepetition_result = "draw"\n'


def first_moves(folder: Path, seconds: float) -> None:
    """Search the positions, and print the table."""
    limits = Limits(movetime=int(seconds * 1000))
    searched = SearchedPositions(folder / f"searched-{seconds:g}.jsonl", VARIANTS["minishogi"], limits, HASH)
    first = sorted(((move,) for move in searched.after(()).legal_moves()), key=lambda moves: white(searched, moves))
    print("| moves | White's score, cp | depth | nodes | best reply |\n|---|---|---|---|---|")
    for moves in first:
        show(searched, moves)
    for moves in first[:SURVIVORS]:
        for reply in searched.best(moves, PICK, REPLIES):
            show(searched, (*moves, reply))
            for answer in searched.best((*moves, reply), PICK, REPLIES):
                show(searched, (*moves, reply, answer))


def white(searched: SearchedPositions, moves: tuple[str, ...]) -> int:
    """Return White's score after some moves, in centipawns; a mate counts as +-10000."""
    found = searched.search(moves)
    score = int(found["score"]) if found["kind"] == "cp" else 10000 if found["score"] > 0 else -10000
    return -score if len(moves) % 2 else score


def show(searched: SearchedPositions, moves: tuple[str, ...]) -> None:
    entry = searched.search(moves)
    nodes = f"{entry['nodes'] / 1e6:.0f} million"
    print(
        f"| {' '.join(moves)} | {white(searched, moves):+} | {entry['depth']} | {nodes} | {entry['best']} |", flush=True
    )


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
        for opening in ("start", str(book)) if limit.startswith("st=") else (str(book),):
            journal = folder / f"{variant}-{Path(opening).stem}-{limit.removeprefix('st=')}.jsonl"
            margin = ["timemargin=500"] if limit.startswith("st=") else []
            flags = ["-variant", variant, "-each", limit, *margin, "-games", str(count)]
            played = play(journal, [*flags, "-openings", f"file={opening}"], ["--variants", str(custom)])
            counts = whites_points(played)
            repeated = sum(game["reason"] == "repetition" for game in played)
            names = ("White wins" if variant == "minishogi" else "draw"), ("start" if opening == "start" else "book")
            print(
                f"| {' | '.join(names)} | {len(played)} | {counts[1.0]}, {counts[0.5]}, {counts[0.0]} "
                f"| {share(counts)} | {repeated} |",
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
