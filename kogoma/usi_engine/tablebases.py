"""The tablebase during play: chosen by options, and opened when a variant that has one is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kogoma.output_file import error_text
from kogoma.rules.variants import Variant
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.settings import Settings

if TYPE_CHECKING:
    from kogoma.search.tablebase.dobutsu.values import Tablebase


class Tablebases:
    """The tablebase that the options select for the present variant, if there is one."""

    def __init__(self, output: Output, settings: Settings) -> None:
        self._output, self._settings = output, settings
        self._loaded_for: tuple[bool, str, Variant] | None = None  # UseTablebase, the folder, the variant
        self._tablebase: Tablebase | None = None

    def load(self, variant: Variant) -> Tablebase | None:
        """Return the variant's tablebase, or None. If its file cannot be used, report this once and play without
        it."""
        from kogoma.search.tablebase.dobutsu.values import Tablebase, TablebaseError, find_file

        uses, path = self._settings["UseTablebase"], self._settings.tablebase_path
        if (uses, path, variant) != self._loaded_for:
            self._loaded_for, self._tablebase = (uses, path, variant), None
            file = find_file(path, variant, self._output.note) if uses else None
            if file is not None:
                try:
                    self._tablebase = Tablebase.open(file, variant)
                    self._output.note(f"the tablebase {file} answers")
                except (TablebaseError, OSError) as error:
                    self._output.error(f"{error_text(error)}; played without a tablebase")
        return self._tablebase
