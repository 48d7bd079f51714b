"""The games for which files are exported: their arenas, variants and entry points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kogoma.arena.codingame.settings import STANDARD, Settings
from kogoma.native.library import Library
from kogoma.rules.library import rules_library
from kogoma.rules.rules_struct import layout_of, rules_struct
from kogoma.rules.structs import fields
from kogoma.rules.variants import VARIANTS, Variant
from kogoma.search.game import search_game
from kogoma.search.library import dice_library, search_library

TERMS = ("term", "term_hand")  # fields of the rules that only the search uses


@dataclass(frozen=True)
class Game:
    """One of the arenas' games. `arena` is the name of its Arena in `arena.codingame.arenas`, "" for CodeAbbey.
    `with_network` tells whether the file contains the network, if the variant has one. `settings` are those of
    the bot, and `options` the words of the command line that chose them."""

    name: str
    variant: Variant
    arena: str
    with_network: bool = True
    settings: Settings = STANDARD
    options: str = ""

    @property
    def layout(self) -> str:
        """The layout (`layout_of`) of the variant's structs."""
        return layout_of(self.variant)

    @property
    def has_own_rules(self) -> bool:
        """Whether the rules of the search differ from those of the variant in more than the scores of pieces."""
        rules, of_search = rules_struct(self.variant), fields(search_game(self.variant))["rules"]
        names = [name for name in rules.dtype.names if name not in TERMS]
        return not all(np.array_equal(rules[0][name], of_search[name]) for name in names)

    @property
    def libraries(self) -> tuple[Library, Library]:
        """The native libraries (rules, search) with the game's entry points."""
        search = dice_library if self.variant.die else search_library
        return rules_library(self.layout), search(self.layout)

    @property
    def entries(self) -> dict[str, Any]:
        """The entry points of the libraries, by name."""
        from kogoma.native.build import entries_of

        return {name: entry for library in self.libraries for name, entry in entries_of(library.modules).items()}


GAMES = {
    game.name: game
    for game in (
        Game("minishogi", VARIANTS["minishogi-codingame"], "MINISHOGI"),
        Game("dice", VARIANTS["dice-codingame"], "DICE"),
        Game("onitama", VARIANTS["onitama"], "ONITAMA"),
        Game("generals", VARIANTS["generals"], ""),
    )
}
