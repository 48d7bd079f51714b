"""Readers of game records that are packages of npm, which scripts in Node call: tsshogi and json-kifu-format."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from support.peers import absent

DRIVERS = {"tsshogi": "driver.mjs", "json-kifu-format": "json_kifu_format.mjs"}
FOLDER = Path(__file__).parents[2] / "kifu"


def answers_of(peer: str, asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the driver of a package answers to each of `asked`, which has the `format` and the `text` of a
    record. Skip the test if the package is not installed."""
    folder, node = os.environ.get("KOGOMA_TSSHOGI", ""), shutil.which("node")
    if not node or not (Path(folder) / "node_modules" / peer).is_dir():
        absent(peer)
    command = [node, str(FOLDER / DRIVERS[peer]), str(Path(folder).resolve())]
    lines = "".join(json.dumps(each) + "\n" for each in asked)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
