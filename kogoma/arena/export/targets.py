"""What an exported file is for: the arena, the engine's variant, and the code that both need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kogoma.native.library import Library
from kogoma.rules.library import rules_library
from kogoma.rules.rules_struct import layout_of, rules_record
from kogoma.rules.variants import VARIANTS, Variant
from kogoma.search.library import dice_library, search_library
from kogoma.search.worker import search_rules

RULES_ENTRIES = ("init_position", "play", "may_play", "take_back", "declares", "ended_by", "legal_moves")
SEARCH_ENTRIES = ("search_root",)
DICE_ENTRIES = ("expectimax", "certain", "decided")
# What a search asks of the rules for its own record where that is not the game's.
ROOT_ENTRIES = ("init_position", "may_play")
TERMS = ("term", "term_hand")  # what the search's rules have besides the game's


@dataclass(frozen=True)
class Game:
    """One of the arenas' games. `arena` is the name of its Arena in `arena.codingame.command`, "" on CodeAbbey;
    `with_tables`: files get the evaluation's tables, where there are any."""

    name: str
    variant: Variant
    arena: str
    with_tables: bool = True

    @property
    def layout(self) -> str:
        """Of the records."""
        return layout_of(self.variant)

    @property
    def has_own_rules(self) -> bool:
        """Whether a search plays by other rules than the game, its scores apart."""
        rules, of_search = rules_record(self.variant), search_rules(self.variant)
        names = [name for name in rules.dtype.names if name not in TERMS]
        return not all(np.array_equal(rules[name], of_search[name]) for name in names)

    @property
    def libraries(self) -> tuple[Library, Library]:
        """(rules, search): what the native code is made from."""
        search = dice_library if self.variant.die else search_library
        return rules_library(self.layout), search(self.layout)

    @property
    def entries(self) -> dict[str, Any]:
        """What stands in the libraries, by name."""
        from kogoma.native.build import entries_of

        return {name: entry for library in self.libraries for name, entry in entries_of(library.modules).items()}

    @property
    def search_entries(self) -> tuple[str, ...]:
        """What the search is called by."""
        return DICE_ENTRIES if self.variant.die else SEARCH_ENTRIES


GAMES = {
    game.name: game
    for game in (
        Game("minishogi", VARIANTS["minishogi-codingame"], "MINISHOGI"),
        Game("dice", VARIANTS["dice-codingame"], "DICE"),
        Game("onitama", VARIANTS["onitama"], "ONITAMA"),
        Game("generals", VARIANTS["generals"], ""),
    )
}
