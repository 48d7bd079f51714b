"""From a specification to an engine that speaks its protocol."""

from __future__ import annotations

from kogoma.lab.engines.base import Engine, EngineSpec
from kogoma.lab.engines.codingame import CodingameBot
from kogoma.lab.engines.uci import UciEngine
from kogoma.lab.engines.usi import UsiEngine
from kogoma.lab.engines.xboard import XboardEngine

PROTOCOLS: dict[str, type[Engine]] = {
    "usi": UsiEngine,
    "uci": UciEngine,
    "xboard": XboardEngine,
    "codingame": CodingameBot,
}


def make_engine(spec: EngineSpec) -> Engine:
    """The engine, not started yet; ValueError for an unknown protocol, or limits that its protocol can't tell it."""
    if spec.protocol not in PROTOCOLS:
        raise ValueError(f"{spec.name}: unknown protocol {spec.protocol!r}; there are {', '.join(PROTOCOLS)}")
    return PROTOCOLS[spec.protocol](spec)
