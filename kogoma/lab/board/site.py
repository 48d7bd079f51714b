"""The site as the server has it: the page at once, its games as soon as they are compiled."""

from __future__ import annotations

import json
import threading
from typing import Any

from kogoma.lab.board.pages import Pages
from kogoma.rules.variants import VARIANTS
from kogoma.web.page_files import page_files

FIRST = ("minishogi",)  # there after one library's compilation, for who waits
INDEX = "games/index.json"
WAITING = {"format": 1, "version": "", "games": [], "cards": [], "levels": []}
BEGINNING = "the first start compiles the engine, which takes some minutes"


class Site:
    """`pages` and `index` are replaced by the building thread as games come; `compiling` says what it does, and is None
    once all are there."""

    def __init__(self) -> None:
        self.pages = Pages()
        self.index: dict[str, Any] = WAITING
        self.compiling: str | None = BEGINNING
        self.pages.put(page_files())
        self._thread = threading.Thread(target=self._build, name="site", daemon=True)

    def begin(self) -> None:
        """Begin to build, on a thread of its own."""
        self._thread.start()

    @property
    def is_building(self) -> bool:
        """Whether the thread is at work."""
        return self._thread.is_alive()

    def _build(self) -> None:
        try:
            from kogoma.web.games_folder import built_games, is_built  # numba's parts: the page does not wait for them

            everything = tuple(VARIANTS.values())
            if not is_built(everything):
                self._add(built_games([VARIANTS[name] for name in FIRST], self._tell))
            self._add(built_games(everything, self._tell))
            self.compiling = None
        except Exception as failure:  # whatever it is, who looks at the page has to know
            self._tell(f"the games can't be built: {failure}")

    def _add(self, files: dict[str, bytes]) -> None:
        self.pages.put({name: content for name, content in files.items() if name != INDEX})
        self.index = json.loads(files[INDEX])

    def _tell(self, text: str) -> None:
        print(text, flush=True)
        self.compiling = text
