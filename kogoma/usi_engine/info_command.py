"""The command `info`: print what a bug report needs, and test the engine for about a second.

It has to work if other parts of Kogoma are broken. So modules that need packages are imported when they are used, and a
section that fails does not keep the others from being printed. In all lines `~` stands for the user's home folder.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from kogoma.escapes import terminal
from kogoma.japanese import message, width
from kogoma.native.platforms import X86, this_platform
from kogoma.native.prebuilt import Prebuilt, look_up
from kogoma.native.processor import NAME, processor_check, shortcoming
from kogoma.output_file import error_text
from kogoma.version import __version__

if TYPE_CHECKING:
    from kogoma.native.library import Library

ROOT = Path(__file__).resolve().parents[2]  # the folder that contains the package
PACKAGES = "numpy", "numba", "llvmlite"
LEVEL = X86[0]  # the processors for which the faster prebuilt libraries are compiled
GIT_SECONDS = 10.0
LABEL, CELL = 14, 10  # widths of columns

# Published numbers of leaf nodes (docs/perft.md): layout, variant, depth, number.
PERFT = (("64", "minishogi", 5, 533_203), ("128", "shogi", 4, 719_731), ("onitama", "onitama", 5, 149_388))
BENCH = "rules-64", "eval-64", "search-64"  # the libraries that `bench` needs
PREBUILT, COMPILED, MISSING, BROKEN = "prebuilt", "compiled", "not yet", "broken"  # states of a library


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `info` to a parser."""
    parser.add_argument("--compile", action="store_true", help="first compile what is missing for minishogi")


def run(given: argparse.Namespace) -> int:
    """Run `info` and return its exit code: 1 if a library is broken or the self-test fails."""
    if sys.stderr is not None:
        faulthandler.enable()  # if native code crashes, say so
    if isinstance(output := terminal(), TextIOWrapper):
        output.reconfigure(errors="backslashreplace")  # for paths that the terminal's encoding lacks
    for label, section in SECTIONS.items():
        _show(label, _section(section))
    libraries = Libraries()
    if given.compile:
        libraries.attempt(_compile)
    libraries.attempt(libraries.load)
    print()
    _show("Libraries", libraries.lines())
    _show("Cache", dict.fromkeys([*_section(_cache), *libraries.reports]))
    print()
    test = SelfTest(libraries)
    _show("Self-test", test.lines())
    return int(test.failed)


def _show(label: str, lines: Iterable[str]) -> None:
    """Print the lines of a section, with its label in the user's language before the first one."""
    label = message(label)
    for line in lines:
        print(f"{_padded(label, LABEL)}{_without_home(line)}".rstrip(), flush=True)
        label = ""


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _without_home(text: str) -> str:
    """Return a text in which `~` stands for the path of the user's home folder."""
    home = os.path.expanduser("~")
    for folder in {home, os.path.realpath(home)}:
        if len(Path(folder).parts) > 1:  # it is the root folder for some users
            flags = re.IGNORECASE if sys.platform == "win32" else 0
            text = re.sub(rf"(?<![\w.-]){re.escape(folder)}(?![\w.-])", "~", text, flags=flags)
    return text


def _section(make: Callable[[], Iterable[str]]) -> Iterator[str]:
    """Yield the lines that `make` returns. If it fails, the last line is the error."""
    try:
        yield from make()
    except Exception as error:  # other sections can still be printed
        yield _described(error)


def _described(error: Exception) -> str:
    """Return an error as one line in the user's language. The ImportError of an incomplete numpy has many lines."""
    text = " ".join(error_text(error).split())
    return f"{type(error).__name__}: {text}" if isinstance(error, ImportError) else message(text)


def _installation() -> Iterator[str]:
    """Yield the version, and how and where Kogoma is installed."""
    kind, commit = "package", ""
    if (ROOT / "engine.sh").exists():
        kind, commit = "checkout", _commit()
    elif ROOT.name == "packages" and (ROOT.parent / "files.txt").exists():
        kind = "zip file for Windows"
    elif ROOT.name.startswith("single-file-"):
        kind = "single file"
    yield f"{__version__} {commit}"
    yield f"{message(kind)}: {ROOT}"


def _commit() -> str:
    """Return the commit of the checkout, with a `+` if files were changed. Return "" if git does not tell."""
    words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--exclude=*"]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}  # so that git writes nothing
    try:
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=GIT_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _python() -> Iterator[str]:
    """Yield the version of Python, its platform, and the path of its program."""
    yield f"{platform.python_implementation()} {platform.python_version()}, {this_platform()}"
    virtual = f"{message('virtual environment')}: " if sys.prefix != sys.base_prefix else ""
    yield f"{virtual}{sys.executable}"


def _system() -> Iterator[str]:
    """Yield the operating system and, on Linux, the distribution."""
    yield platform.platform()
    try:
        yield platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        pass  # not on Windows and macOS


def _processor() -> Iterator[str]:
    """Yield the name of the processor, the number of its cores, and what it lacks."""
    from kogoma.search.processors import processors

    yield _processor_name()
    yield message(f"{os.cpu_count()} cores, {processors()} of them usable")
    if this_platform().endswith("x86_64"):
        yield f"{LEVEL}: {message(_level())}"


def _processor_name() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    found = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.processor() or platform.machine()


def _level() -> str:
    """Return whether the processor has all features of LEVEL. The function `kogoma_processor` of a prebuilt library
    tells; without such a library, it is compiled."""
    from kogoma.rules.library import rules_library

    library = rules_library("64")
    prebuilt = look_up(library.full_name, library.modules)
    names = [name for name in prebuilt.files if LEVEL in name] if isinstance(prebuilt, Prebuilt) else []
    if isinstance(prebuilt, Prebuilt) and names:
        missing = prebuilt.check(names[0])[1]
    elif find_spec("llvmlite") is not None:
        missing = _compiled_check()
    else:
        return "unknown"
    return f"this processor {shortcoming(missing)}" if missing else "yes"


def _compiled_check() -> int:
    """Compile `kogoma_processor` for LEVEL, and return its result (`native.processor`)."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(processor_check(LEVEL)), machine)
    engine.finalize_object()
    return int(ctypes.CFUNCTYPE(ctypes.c_int64)(engine.get_function_address(NAME))())


def _packages() -> Iterator[str]:
    """Yield the versions of the packages that the engine needs."""
    for name in PACKAGES:
        try:
            yield f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            yield f"{name}: {message('not installed' if find_spec(name) is None else 'unknown')}"


def _variables() -> Iterator[str]:
    """Yield Kogoma's environment variables that are set."""
    names = sorted(name for name in os.environ if name.startswith("KOGOMA_"))
    yield from [f"{name}={os.environ[name]}" for name in names] or [message("none")]


def _cache() -> Iterator[str]:
    """Yield the state of each cache folder, and the number and size of its files."""
    from kogoma.native.cache.folders import survey

    for path, exists, writable, distrust in survey():
        if distrust:
            yield message(f"{path} is not used: {distrust}")
        elif exists:
            files = [entry.stat().st_size for entry in os.scandir(path) if entry.is_file()]
            what = f"{len(files)} files, {sum(files) / 1e6:.1f} MB, " + ("writable" if writable else "read-only")
            yield f"{path}: {message(what)}"
        else:
            yield f"{path}: {message('does not exist')}"


SECTIONS = {
    "Kogoma": _installation,
    "Python": _python,
    "System": _system,
    "Processor": _processor,
    "Packages": _packages,
    "Variables": _variables,
}


def _compile() -> None:
    """Compile the libraries of minishogi that are missing."""
    from kogoma.native.library import tell
    from kogoma.rules.variants import MINISHOGI
    from kogoma.search.library import warmup

    warmup(tell, MINISHOGI)


class Libraries:
    """The native libraries. `states` has the state of each, by full name, after `load`; `errors` has all errors, and
    `reports` has messages about the cache."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}
        self.errors: list[str] = []
        self.reports: list[str] = []
        self._reasons: dict[str, list[str]] = {}  # why libraries are not prebuilt, with names if the reason has one

    def attempt(self, action: Callable[..., object], *arguments: object) -> bool:
        """Call a function, and return whether it raised no exception; otherwise the exception is added to `errors`."""
        try:
            action(*arguments)
        except Exception as error:  # such as KernelError, or the ImportError of a package
            if (text := _described(error)) not in self.errors:
                self.errors.append(text)
            return False
        return True

    def load(self) -> None:
        """Load the libraries that are built, and note the states of all."""
        from kogoma.search.library import all_libraries

        for library in all_libraries():
            self.states[library.full_name] = MISSING
            if not self.attempt(self._load, library):
                self.states[library.full_name] = BROKEN

    def _load(self, library: Library) -> None:
        name = library.full_name
        found = look_up(name, library.modules)
        if isinstance(found, str):
            names = self._reasons.setdefault(found.removesuffix(name), [])
            names += [name] * found.endswith(name)
        if library.is_built(self._report):
            library.load(self._report)
            self.states[name] = PREBUILT if library.is_prebuilt else COMPILED

    def _report(self, text: str) -> None:
        self.reports.append(message(text))

    def lines(self) -> Iterator[str]:
        """Yield a table with the state of each library, why libraries are not prebuilt, and the errors."""
        if self.states:
            kinds, layouts = (dict.fromkeys(words) for words in zip(*(name.split("-") for name in self.states)))
            yield "".join(_padded(word, CELL) for word in ("", *kinds))
            for layout in layouts:
                states = (self.states.get(f"{kind}-{layout}") for kind in kinds)
                yield "".join(_padded(word, CELL) for word in (layout, *(message(state or "-") for state in states)))
        for reason, names in self._reasons.items():
            yield f"{message('not prebuilt')}: {message(reason + ' '.join(names))}"
        yield from self.errors


class SelfTest:
    """Counts leaf nodes and searches with the libraries that are built, and compares the results with known numbers.
    `failed` tells whether a number is wrong or a library is broken."""

    def __init__(self, libraries: Libraries) -> None:
        self._states = libraries.states
        self.failed = bool(libraries.errors)
        self._done = 0  # checks

    def lines(self) -> Iterator[str]:
        """Run the self-test, and yield a line for each check and one for all."""
        started = time.perf_counter()
        for layout, variant, depth, expected in PERFT:
            yield f"perft {depth} {variant}: {self._check((f'rules-{layout}',), _perft, variant, depth, expected)}"
        yield f"bench: {self._check(BENCH, _bench)}"
        if self.failed:
            yield message("failed")
        elif self._done:
            yield message(f"passed after {time.perf_counter() - started:.1f} s")
        else:
            yield message("skipped; `info --compile` compiles the engine first")

    def _check(self, needed: Iterable[str], check: Callable[..., str], *arguments: object) -> str:
        """Run a check, if the libraries that it needs are there, and return its result in the user's language."""
        states = {self._states.get(name, BROKEN) for name in needed}
        if BROKEN in states:
            return message("not possible")
        if MISSING in states:
            return message("not compiled yet")
        self._done += 1
        try:
            return message(check(*arguments))
        except Exception as error:
            self.failed = True
            return _described(error)


def _perft(variant: str, depth: int, expected: int) -> str:
    """Return the number of leaf nodes of a variant's start position. Raises WrongResult if it is not `expected`."""
    from kogoma.rules.position import new_position
    from kogoma.rules.variants import VARIANTS

    return _compared(new_position(VARIANTS[variant]).perft(depth), expected)


def _bench() -> str:
    """Return the number of nodes of the bench, and the speed. Raises WrongResult if the number is wrong."""
    from kogoma.eval.weights import OVERRIDE
    from kogoma.search.bench import NODES, bench
    from kogoma.search.parameters import GIVEN

    nodes, seconds = bench()
    speed = f"{nodes / seconds / 1e6:.1f} million nodes/s"
    changed = " ".join(name for name in (OVERRIDE, GIVEN) if os.environ.get(name))
    if changed:
        return f"{nodes}, not compared because of {changed}, {speed}"
    return f"{_compared(nodes, NODES)}, {speed}"


def _compared(number: int, expected: int) -> str:
    if number != expected:
        raise WrongResult(f"{number} instead of {expected}: wrong")
    return f"{number}, correct"


class WrongResult(Exception):
    """A result of the engine differs from the known one."""
