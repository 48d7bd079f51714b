"""The tablebase during play: chosen by options, and opened when a variant that has one is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kogoma.output_file import error_text
from kogoma.rules.variants import Variant
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.settings import Settings

if TYPE_CHECKING:
    from kogoma.search.tablebase.values import Tablebase


class Tablebases:
    """The tablebase that the options select for the present variant, if there is one."""

    def __init__(self, output: Output, settings: Settings) -> None:
        self._output, self._settings = output, settings
        self._opened: tuple[Path, Variant] | None = None
        self._tablebase: Tablebase | None = None

    def load(self, variant: Variant) -> Tablebase | None:
        """Return the variant's tablebase, or None. If its file cannot be used, report this once and play without
        it."""
        from kogoma.search.tablebase.values import Tablebase, TablebaseError, find_file

        uses, path = self._settings["UseTablebase"], self._settings.tablebase_path
        file = find_file(path, variant, self._output.note) if uses else None
        wanted = None if file is None else (file, variant)
        if wanted != self._opened:
            self._opened, self._tablebase = wanted, None
            if file is not None:
                try:
                    self._tablebase = Tablebase.open(file, variant)
                    self._output.note(f"the tablebase {file} answers")
                except (TablebaseError, OSError) as error:
                    self._output.error(f"{error_text(error)}; played without a tablebase")
        return self._tablebase
