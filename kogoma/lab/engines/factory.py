"""Create engines from their specifications, and find the command of this checkout's engine, which a match calls
`kogoma`."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from kogoma.lab.engines.base import Engine, EngineSpec
from kogoma.lab.engines.codingame import CodingameBot
from kogoma.lab.engines.usi import UciEngine, UsiEngine
from kogoma.lab.engines.xboard import XboardEngine

PROTOCOLS: dict[str, type[Engine]] = {
    "usi": UsiEngine,
    "uci": UciEngine,
    "xboard": XboardEngine,
    "codingame": CodingameBot,
}
KOGOMA = "kogoma"
FOLDER = Path(__file__).resolve().parents[3]  # this checkout
COMPILING_MS = 600_000  # for the first start of a variant on a new machine


def make_engine(spec: EngineSpec) -> Engine:
    """Return an engine for a spec. Its process is not started yet. Raises ValueError for an unknown protocol, or for
    limits that the protocol cannot express."""
    if spec.protocol not in PROTOCOLS:
        raise ValueError(f"{spec.name}: unknown protocol {spec.protocol!r}; known: {', '.join(PROTOCOLS)}")
    return PROTOCOLS[spec.protocol](spec)


def resolve(spec: EngineSpec) -> EngineSpec:
    """Return a spec in which the command `kogoma` is replaced by the command that starts Kogoma from the spec's folder,
    by default from this checkout. A spec with another command is returned unchanged."""
    if spec.command[0] != KOGOMA:
        return spec
    command = (sys.executable, "-m", "kogoma", *spec.command[1:])
    return replace(spec, command=command, folder=spec.folder or str(FOLDER), start_ms=COMPILING_MS)


def missing(spec: EngineSpec) -> str:
    """Return an error message if the folder or the program of an engine does not exist, otherwise ""."""
    if spec.folder is not None and not Path(spec.folder).is_dir():
        return f"{spec.name}: there is no folder {spec.folder}"
    program = resolve(spec).command[0]
    # A name with a slash is a file, relative to the engine's folder; `which` must not search the PATH for it.
    where = os.path.join(os.path.abspath(spec.folder or "."), program) if "/" in program else program
    return "" if shutil.which(where) else f"{spec.name}: there is no program {program}"
