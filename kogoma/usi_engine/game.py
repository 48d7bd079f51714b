"""The game that is being played: its position and variant, and whether these are the ones that the GUI means."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from kogoma.console.lines import clip
from kogoma.output_file import error_text
from kogoma.rules.variants import ALIASES, DEFAULT, VARIANTS, Variant, infer, infer_from_moves
from kogoma.usi_engine.memory import Memory
from kogoma.usi_engine.opening_book import OpeningBook
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.parse import PositionCommand, UsiError
from kogoma.usi_engine.settings import NO_FILE, Settings
from kogoma.usi_engine.tablebases import Tablebases

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition


class Game:
    """A game, and what playing it needs: the settings, the memory, the book and a generator of random numbers. The
    position does not change during a search."""

    def __init__(self, output: Output, settings: Settings, memory: Memory) -> None:
        self.settings, self.memory = settings, memory
        self.book = OpeningBook(output, settings)
        self.tablebases = Tablebases(output, settings)
        self._output = output
        self._position: BasePosition | None = None
        # If the position or its variant is not the one that the GUI meant: which one it is, and why.
        self._doubt = self._variant_doubt = ""
        self.seed()

    def seed(self) -> None:
        """Seed the generator of random numbers as StrengthSeed says."""
        self.generator = Random(self.settings["StrengthSeed"] or None)

    def load(self, variant: Variant | None = None) -> None:
        """Load the libraries, the book and the tablebase that a variant (None: the one in the options) needs."""
        variant = variant or self.settings.variant
        self.memory.load(variant)
        self.book.load(variant)
        self.tablebases.load(variant)

    def get_ready(self) -> None:
        """Execute `isready`: load all that the variant in the options needs. If no position is set, also prepare the
        searcher for this variant."""
        self.load()
        if self._position is None:  # so no search is running
            self.memory.prepare(self.settings.variant)

    def change_variant(self, before: str) -> None:
        """Apply USI_Variant; `before` is its old value."""
        self._variant_doubt = ""
        if self.settings["USI_Variant"] != before:
            self._forget_position()

    def register_variants(self, before: str) -> None:
        """Apply VariantPath: register the custom variants in its files. If this changes the definition of the current
        variant, a new game begins. Raises ValueError if a file is not valid."""
        files = self.settings["VariantPath"]
        if files in ("", NO_FILE):
            return
        from kogoma.rules.custom.registry import add, split

        add(split(files))
        if self.settings["USI_Variant"] not in VARIANTS:  # the file now gives it another name
            self.settings["USI_Variant"] = DEFAULT.name
        if self._position is not None and VARIANTS.get(self._position.variant.name) != self._position.variant:
            self._forget_position()

    def change_log(self, before: str) -> None:
        """Apply WriteDebugLog. Raises UsiError if the file cannot be opened; the log before it then goes on."""
        path = self.settings["WriteDebugLog"]
        try:
            self._output.change_log("" if path == NO_FILE else path)
        except OSError as error:
            raise UsiError(f"WriteDebugLog: {error_text(error)}") from None

    def new_game(self) -> None:
        """Execute `usinewgame`: forget the game and everything learned in it."""
        self.seed()
        self._forget_position()
        self._doubt = ""
        self.memory.clear()

    def _forget_position(self) -> None:
        """Begin a new game: until the next `position`, the position is the start position. If the GUI meant another
        position than the old one, it also means another one than this."""
        self._position = None
        if self._doubt:
            self._doubt = "the start position: the engine refused the last 'position'"

    def position(self) -> BasePosition:
        """Return the current position. If none has been set, set up the start position of the variant in the
        options."""
        if self._position is None:
            self.load()
            from kogoma.rules.position import new_position

            self._position = new_position(self.settings.variant)
        return self._position

    def set_position(self, command: PositionCommand) -> None:
        """Execute `position`: set up the SFEN and play the moves up to the first illegal one, which is reported as an
        error. Raises ValueError, and changes nothing, if the SFEN is not valid."""
        chosen = self.settings.variant
        variant = infer_from_moves(command.moves, chosen) if command.sfen is None else infer(command.sfen, chosen)
        from kogoma.rules.position import check_sfen, new_position

        if command.sfen is not None:
            check_sfen(variant, command.sfen)  # check before a build, which may take a minute
        self.load(variant)
        position = self._continued(command, variant) or new_position(variant, command.sfen)
        doubt = ""
        for move in command.moves[len(position.moves) :]:
            try:
                position.push(move)
            except ValueError as error:
                at = f"the position after {len(position.moves)} of {len(command.moves)} moves"
                doubt = f"{at}: the next move is not legal"
                self._output.error(f"position: {error}; the engine has {at}")
                break
        self._position, self._doubt = position, doubt
        self.tablebases.prepare(position)

    def _continued(self, command: PositionCommand, variant: Variant) -> BasePosition | None:
        """If the position to set continues the game of the current position, return a copy of the current position.
        Otherwise return None."""
        now = self._position
        if now is None or now.variant != variant or now.start_sfen != (command.sfen or variant.start):
            return None
        return now.copy() if tuple(now.moves) == command.moves[: len(now.moves)] else None

    def doubt_position(self, refused: str) -> None:
        """Remember that the engine refused a line that should have set the position; `refused` names the line. Until a
        `position` succeeds, the position is not the one that the GUI means (see `caveat`)."""
        self._doubt = f"an older position: the engine refused {refused}"

    def doubt_variant(self, value: str | None) -> None:
        """Remember that the engine refused to set USI_Variant to `value`. If this is another value than now, positions
        are not of the variant that the GUI means until the option is set (see `caveat`)."""
        if value is not None and ALIASES.get(value, value) != self.settings["USI_Variant"]:
            self._variant_doubt = f"the engine refused USI_Variant {clip(value)}"

    def caveat(self, subject: str) -> str:
        """Return a note that an answer is for another position than the one that the GUI means, or "" if it is not.
        `subject` names the answer and a verb: "this bestmove is"."""
        if self._doubt:
            return f"{subject} for {self._doubt}"
        return f"{subject} for {self.position().variant.name}: {self._variant_doubt}" if self._variant_doubt else ""
