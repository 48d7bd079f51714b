"""A folder with Kogoma as a wheel installs it: the package and prebuilt libraries, without numba and llvmlite."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from kogoma.eval.explain import eval_library
from kogoma.lab.release.libraries import write_libraries
from kogoma.native.platforms import PLATFORMS, this_platform
from kogoma.native.prebuilt import IGNORE
from kogoma.rules.library import rules_library
from kogoma.search.library import build_all, mate_library, search_library
from support.usi_client import ROOT

LAYOUT = "64"
SCRIPT = "import sys; from kogoma.__main__ import main; sys.exit(main(sys.argv[1:]))"


def make_tree(folder: Path) -> Path:
    """Make the new folder `folder` with the package and the prebuilt libraries of one layout, and return the folder."""
    folder.mkdir()
    shutil.copytree(ROOT / "kogoma", folder / "kogoma", ignore=shutil.ignore_patterns("__pycache__", "prebuilt"))
    for package in ("numpy", "numpy.libs", "platformdirs", "minify_html"):
        spec = importlib.util.find_spec(package.removesuffix(".libs"))
        assert spec is not None and spec.origin is not None
        installed = Path(spec.origin).parents[1] / package
        if installed.is_dir():
            (folder / package).symlink_to(installed)
    libraries = [make(LAYOUT) for make in (rules_library, eval_library, search_library, mate_library)]
    build_all([library for library in libraries if not library.is_built()], print)
    prebuilt(folder).mkdir()
    joined = [(library, library.joined()) for library in libraries]
    write_libraries(PLATFORMS[this_platform()], joined, prebuilt(folder))
    return folder


def prebuilt(tree: Path) -> Path:
    """Return the folder of the prebuilt libraries in the tree."""
    return tree / "kogoma" / "native" / "prebuilt"


def copy_of(tree: Path, folder: Path) -> Path:
    """Copy the tree to `folder`, and return the copy's path. A test may damage the copy."""
    return Path(shutil.copytree(tree, folder, symlinks=True))


COMMAND = sys.executable, "-P", "-S", "-c", SCRIPT  # a Python that finds only the packages in the tree


def environment(tree: Path) -> dict[str, str]:
    """Return the environment variables with which COMMAND runs the tree's Kogoma."""
    return {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", IGNORE: ""}


def run(
    tree: Path, words: Sequence[str] = (), given: str = "", prefix: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run the tree's Kogoma without numba and llvmlite. `prefix` is put before the command."""
    command, env = [*prefix, *COMMAND, *words], {**os.environ, **environment(tree)}
    return subprocess.run(command, cwd=tree, env=env, input=given, capture_output=True, text=True, timeout=240)
