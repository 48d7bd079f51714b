"""Convert files of game records with the lab and with the page in every format, and count the differences. Also count
the files that are read to the end, read only up to an error, or refused.

Both read each game, write it in every format that can store it, and read it again. The games must be equal each time,
compared as KIF. KI2, CSA, SFEN and USI lose information; for these, the page's game is compared with the lab's.

    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure_records FILE...
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from kogoma.lab.kifu.formats import FORMATS, format_of, games_as_bytes, read_games
from kogoma.lab.kifu.game import Game, GameError
from kogoma.lab.kifu.kif import kif
from support.browsers.page_records import DRIVER, GAMES
from support.node import Nodes

PAGE_FORMATS = ("kif", "kifu", "ki2", "ki2u", "csa", "jkf", "usi", "sfen")


def page_kif(nodes: Nodes, data: bytes, variant: str, number: int = 0) -> str:
    """Let the page's modules read a file. Return game `number` of the file as the page writes it in KIF, or the page's
    error."""
    text = base64.b64encode(data).decode()
    node = nodes(variant)
    found: dict[str, Any] = node.ask("open", bytes=text, games=GAMES, preferred=variant)[number]
    if found.get("trouble"):
        return f"the page reports {found['trouble']}"
    if found["variant"] != variant:
        return f"the page reads a game of {found['variant']}"
    written: str = node.ask("kif", record=found["record"])
    return written


def _encoded(game: Game, form: str) -> bytes:
    """Return a game as KIF text in the encoding of a format. Encoded texts are compared, because Shift_JIS has only one
    code for the two characters 〜 and ～."""
    return kif(game).encode(FORMATS[form].encoding, errors="replace")


def differences(nodes: Nodes, game: Game, data: bytes, number: int) -> list[str]:
    """Let the page read game `number` of a file. Let the lab convert this game to every format, and let the lab and the
    page read each result. Return a description of each difference."""
    found, expected = list[str](), kif(game)
    if page_kif(nodes, data, game.variant.name, number) != expected:
        found.append("the page reads another game")
    for form in PAGE_FORMATS:
        try:
            written = b"".join(games_as_bytes([game], form))
        except GameError:
            continue  # the format cannot store the game
        (back,) = read_games(io.BytesIO(written), form, game.variant)
        if back.moves != game.moves or (not FORMATS[form].loses and _encoded(back, form) != _encoded(game, form)):
            found.append(f"{form}: the lab reads another game")
        if page_kif(nodes, written, game.variant.name) != kif(back):
            found.append(f"{form}: the page reads another game")
    return found


def main() -> None:
    """Read the files. Print each difference, the number of games by format, and the files by how far they are read."""
    counts, failures, files = Counter[str](), 0, dict[Path, str]()
    with tempfile.TemporaryDirectory() as folder:
        nodes = Nodes(Path(folder), DRIVER)
        for path in map(Path, sys.argv[1:]):
            try:
                form = format_of(path.name)
                games = list(read_games(path, form))
            except GameError as error:
                print(f"{path}: {error}")
                files[path] = "refused"
                continue
            files[path] = "cut at an error" if any(game.error for game in games) else "read to the end"
            for number, game in enumerate(games):
                if game.error:
                    print(f"{path}: {game.error}")
                    continue
                counts[form] += 1
                for difference in differences(nodes, game, path.read_bytes(), number):
                    failures += 1
                    print(f"{path}: {difference}")
        nodes.close()
    print(", ".join(f"{form} {count}" for form, count in sorted(counts.items())), f"games; {failures} differences")
    for extent in ("read to the end", "cut at an error", "refused"):
        names = [str(path) for path, found in files.items() if found == extent]
        told = f": {', '.join(names)}" if names and extent != "read to the end" else ""
        print(f"{len(names)} of {len(files)} files {extent}{told}")


if __name__ == "__main__":
    main()
