"""The current values of the options, and what they mean for a search."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from kogoma.rules.variants import Variant, find
from kogoma.search.levels import LEVELS, level_of
from kogoma.search.limits import ClockOptions, Limits, SearchOptions
from kogoma.usi_engine.network_delay import MEASURED

NEVER_RESIGN = 99999  # the largest ResignValue
CSA_RULE_27 = "CSARule27"  # EnteringKingRule, as in other engines
NETWORK = "network"  # Evaluation: the handcrafted terms with the network
SHIPPED_BOOK = "shipped"  # BookFile: the book that comes with the engine
FULL_STRENGTH = "full"  # Level
NO_FILE = "<empty>"  # as GUIs write an empty value


class Settings(dict[str, Any]):
    """The current values of the options, by name: numbers, truth values and texts."""

    @property
    def variant(self) -> Variant:
        """The variant to play if the position does not determine it."""
        return find(self["USI_Variant"])

    @property
    def network(self) -> bool:
        """Whether the network is used."""
        return bool(self["Evaluation"] == NETWORK)

    @property
    def tablebase_path(self) -> str:
        """The folder with tablebases, or "" for the cache folders."""
        return "" if self["TablebasePath"] == NO_FILE else str(self["TablebasePath"])

    @property
    def elo(self) -> int | None:
        """The Elo to which the strength is limited, or None. `Level` takes precedence over `USI_Elo`."""
        if self["Level"] != FULL_STRENGTH:
            return LEVELS[int(self["Level"])].elo
        return self["USI_Elo"] if self["USI_LimitStrength"] else None

    @property
    def threads(self) -> int:
        """The number of search threads. It is 1 if the strength is limited, because the node limit does not count the
        nodes of helper threads."""
        return self["Threads"] if self.elo is None else 1

    def search(
        self, limits: Limits, variant: Variant, errors: Random | None, delay: int = ClockOptions.network_delay
    ) -> tuple[Limits, SearchOptions]:
        """Return the limits and the options of a search of a variant. If the strength is limited, `errors` provides the
        seed of the random errors; None means full strength. `delay` is the network delay in ms if NetworkDelay does not
        name it."""
        level = None if errors is None or self.elo is None else level_of(variant, self.elo)
        nodes = least(limits.nodes, self["NodesLimit"], level.nodes if level else None)
        options = SearchOptions(
            multipv=self["MultiPV"],
            noise=level.noise if level else 0,
            seed=errors.getrandbits(64) if errors and level else 0,
            draw_value_black=self["DrawValueBlack"],
            draw_value_white=self["DrawValueWhite"],
            max_moves_to_draw=self["MaxMovesToDraw"],
            declaration=self["EnteringKingRule"] == CSA_RULE_27,
            clock=ClockOptions(
                network_delay=delay if self["NetworkDelay"] == MEASURED else self["NetworkDelay"],
                network_delay_most=self["NetworkDelay2"],
                minimum_thinking_time=self["MinimumThinkingTime"],
                slow_mover=self["SlowMover"],
                ponder=self["USI_Ponder"],
                whole_seconds=self["RoundUpToFullSecond"],
            ),
        )
        return replace(limits, nodes=nodes, depth=least(limits.depth, self["DepthLimit"])), options


def least(*limits: int | None) -> int | None:
    """Return the smallest of the limits, ignoring None and 0. Return None if no limit is left."""
    return min((limit for limit in limits if limit), default=None)
