"""The USI protocol loop: read lines, execute them in order, and report errors.

The protocol: https://hgm.nubati.net/usi.html; conventions of ShogiHome, xboard's adapter and YaneuraOu are followed as
well. `usi` is answered with the standard library only; numpy and the native library are loaded by `isready`, or by the
first command that needs them.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from kogoma.console.lines import LONGEST_LINE, InputLine, LineReader, clip, number
from kogoma.console.windows import load_before_reading
from kogoma.usi_engine.game import Game
from kogoma.usi_engine.memory import Memory
from kogoma.usi_engine.options import DEFAULTS, OPTIONS, SILENT, VARIANT, find_option, set_option
from kogoma.usi_engine.output import Output, exit_process
from kogoma.usi_engine.parse import UsiError, listed, parse_go, parse_go_mate, parse_position, parse_setoption
from kogoma.usi_engine.searches import Searches
from kogoma.usi_engine.settings import Settings
from kogoma.usi_engine.tasks import report_failure
from kogoma.usi_engine.terminal import HELP, Bench, Perft, evaluation_lines
from kogoma.version import __version__

NAME, AUTHOR = "Kogoma", "Kogoma contributors"

# Seconds that a search gets to end after `quit`.
GOODBYE = 1.0

# If the input ends within so many seconds after `quit`, it comes from a pipe or file, and all of it is executed.
FOLLOWS = 0.2

SHORT = 64  # bytes of a line that are compared with `quit`

# Larger than any depth that a perft, bench or search reaches.
DEEPEST = 100


class Loop:
    """One conversation with a GUI or a person. `variant` is the default value of USI_Variant."""

    def __init__(self, variant: str) -> None:
        self.output = Output()
        self._left = threading.Event()  # set if `quit` must end even a running compilation: see `_watch`
        self._defaults: dict[str, Any] = DEFAULTS | {"USI_Variant": variant}
        settings = Settings(self._defaults)
        self.game = Game(self.output, settings, Memory(self.output, settings, self._left))
        self.searches = Searches(self.output, self.game)
        self._reader = LineReader(0, self._watch)
        self._read_at = 0.0  # time of the current line
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "setoption": self._setoption,
            "position": self._position,
            "go": self._go,
            "ponderhit": self._ponderhit,
            "gameover": self._gameover,
            "bench": self._bench,
        }
        self._without_arguments: dict[str, Callable[[], None]] = {
            "usi": self._usi,
            "isready": self._isready,
            "usinewgame": self._usinewgame,
            "stop": self.searches.stop,
            "quit": self._end,
            "d": self._diagram,
            "eval": self._evaluation,
            "help": lambda: self.output.block(HELP.splitlines()),
        }

    def run(self) -> NoReturn:
        """Execute commands until `quit` or the end of input, and then end the process."""
        load_before_reading()
        self._reader.start()
        threading.Thread(target=self._leave_at_end, daemon=True).start()
        while True:
            line = self._reader.next_line()
            if line is None:
                self._end()
            self._read_at = line.at
            self.output.log(f"> {line.text}")
            try:
                self._obey(line)
            except ValueError as error:
                self.output.error(str(error))
            except Exception as failure:  # a bug must not end the engine
                report_failure(self.output, failure)

    def _watch(self, line: InputLine) -> None:
        """If a line is `quit`, prepare to end the process. Called on the reader's thread as soon as the line is read.

        `quit` also stops a running compilation. But if the input ends right after it, as in
        `printf 'isready\nquit\n' | ./engine.sh`, all commands before it are answered.
        """
        if line.data[:SHORT].split()[:1] == [b"quit"]:
            threading.Thread(target=self._leave_at_quit, daemon=True).start()

    def _leave_at_quit(self) -> None:
        if not self._reader.closed.wait(FOLLOWS):
            self._left.set()
        self.output.end_if_unread()

    def _leave_at_end(self) -> None:
        self._reader.closed.wait()
        self.output.end_if_unread()

    def _obey(self, line: InputLine) -> None:
        if line.length > LONGEST_LINE:
            self.game.doubt_position("a line that is too long")  # only a `position` line can be that long
            raise UsiError(f"a line of {line.length} bytes is too long (at most {LONGEST_LINE})")
        words = line.data.decode("utf-8-sig", "replace").split()  # piped files may begin with a mark
        if not words:
            return
        name, rest = words[0], words[1:]
        if name in self._without_arguments:
            self._report_ignored(name, rest)
            self._without_arguments[name]()
        elif name in self._commands:
            self._commands[name](rest)
        else:
            raise UsiError(f"unknown command {clip(name)}; 'help' lists the commands")

    # The protocol

    def _usi(self) -> None:
        names = f"id name {NAME} {__version__}", f"id author {AUTHOR}"
        options = OPTIONS | {VARIANT.name: replace(VARIANT, default=str(self._defaults[VARIANT.name]))}
        self.output.block([*names, *map(str, options.values()), "usiok"])

    def _isready(self) -> None:
        self.searches.wait_if_stopped()
        self.game.get_ready()
        self.output.line("readyok")

    def _setoption(self, words: list[str]) -> None:
        name, value = parse_setoption(words)
        option = find_option(name)
        if isinstance(option, str):
            if option != SILENT:
                self.output.note(f"setoption: {clip(name)} changes nothing: {option}")
            return
        try:
            self.searches.require_idle("setoption")
            if option is None:
                raise UsiError(f"there is no option {clip(name)}")
            set_option(self.game, option, value)
        except ValueError:
            if option is OPTIONS["USI_Variant"]:
                self.game.doubt_variant(value)
            raise

    def _usinewgame(self) -> None:
        try:
            self.searches.require_idle("usinewgame")
        except UsiError:
            self.game.doubt_position("usinewgame")
            raise
        self.game.new_game()

    def _position(self, words: list[str]) -> None:
        try:
            self.searches.require_idle("position")
            self.game.set_position(parse_position(words))
        except Exception:
            self.game.doubt_position("a 'position'")
            raise

    def _go(self, words: list[str]) -> None:
        self.searches.wait_if_stopped()
        with self.output.lock:  # so that the running search cannot answer meanwhile
            try:
                self.searches.require_idle("go")
            except UsiError:
                self.searches.renew_caveat()
                raise
        if words[:1] == ["mate"]:
            self._go_mate(words[1:])
        elif words[:1] == ["perft"]:
            if len(words) != 2:
                raise UsiError("go perft needs a depth")
            depth = number(words[1], "go perft", 1, DEEPEST)
            position, caveat = self.game.position().copy(), self.game.caveat("this perft is")
            self.searches.start(Perft(self.output, position, depth, caveat))
        else:
            limits, ignored = parse_go(words)
            self._report_ignored("go", ignored)
            self.searches.go(limits, self._read_at)

    def _go_mate(self, words: list[str]) -> None:
        command = parse_go_mate(words)
        self._report_ignored("go mate", command.ignored)
        self.searches.go_mate(command, self._read_at)

    def _ponderhit(self, words: list[str]) -> None:
        clocks, ignored = parse_go(words)
        self._report_ignored("ponderhit", ignored)
        self.searches.ponder_hit(clocks)

    def _gameover(self, words: list[str]) -> None:
        self._report_ignored("gameover", [word for word in words if word not in ("win", "lose", "draw")])
        self.searches.stop()  # GUIs still wait for the `bestmove` of a search

    # For people at a terminal

    def _bench(self, words: list[str]) -> None:
        if len(words) > 1:
            raise UsiError("bench takes at most one argument, the depth")
        depth = number(words[0], "bench", 1, DEEPEST) if words else None
        self.searches.require_idle("bench")
        self.game.load()
        self.searches.start(Bench(self.output, depth, self.game.settings.variant.name))

    def _diagram(self) -> None:
        self.output.block(str(self.game.position()).splitlines(), self.game.caveat("this diagram is"))

    def _evaluation(self) -> None:
        lines = evaluation_lines(self.game.position(), self.game.settings.network)
        self.output.block(lines, self.game.caveat("this evaluation is"))

    def _report_ignored(self, command: str, words: Sequence[str]) -> None:
        """Tell the GUI which tokens of a command are ignored. The command is executed anyway, because the GUI waits for
        an answer."""
        if words:
            self.output.note(f"{command}: ignored {listed(words)}")

    def _end(self) -> NoReturn:
        self.searches.stop()
        self.searches.wait(GOODBYE)
        exit_process()


def greet() -> None:
    """Print a greeting to standard error, for a person who starts the engine at a terminal."""
    print(
        f"{NAME} {__version__}, a USI engine for small-board shogi, waiting for a GUI's commands.\n"
        "'help' lists them, 'quit' (or Ctrl-D) leaves.",
        file=sys.stderr,
        flush=True,
    )
