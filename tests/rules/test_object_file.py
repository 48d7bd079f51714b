"""What a native object's name says: every module that is compiled in, and none besides."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kogoma.native.object_file import sources as sources_of
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

LIBRARIES = """
import json, sys
from kogoma.eval.explain import eval_library
from kogoma.native.object_file import sources
from kogoma.rules.library import rules_library
from kogoma.search.library import dice_library, search_library
libraries = [library("64") for library in (rules_library, eval_library, search_library, dice_library)]
"""
NAMES = LIBRARIES + "print(json.dumps({library.name: library.file_name for library in libraries}))"
SOURCES = (
    LIBRARIES
    + "print(json.dumps({library.name: [library.modules, sources(library.modules)] for library in libraries}))"
)
SOURCES_OF_LAYOUT = """
import json
from kogoma.native.object_file import sources
print(json.dumps(sources(["kogoma.rules.layout"])))
"""
IMPORTED = """
import importlib, json, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(json.dumps(sorted(name for name in sys.modules if name.split(".")[0] == "kogoma")))
"""


def python(program: str, *words: str, folder: Path = ROOT) -> str:
    """What a Python program prints that finds its modules in a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-B", "-c", program, *words]
    return subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "kogoma", folder / "kogoma", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def sources() -> dict[str, tuple[list[str], list[str]]]:
    """Library -> its modules with entries, and all that it names as its sources."""
    found: dict[str, tuple[list[str], list[str]]] = json.loads(python(SOURCES))
    return found


@pytest.mark.parametrize("library", ["rules", "eval", "search", "dice"])
def test_all_that_a_build_imports_is_among_the_sources(
    library: str, sources: dict[str, tuple[list[str], list[str]]]
) -> None:
    modules, named = sources[library]
    imported = json.loads(python(IMPORTED, *modules))
    # Folders are imported on the way to their modules, and the first asks for the version; nothing there is compiled.
    packages = {name for name in imported if (ROOT / name.replace(".", "/")).is_dir()} | {"kogoma.version"}
    assert set(imported) - packages <= set(named)
    assert not {"kogoma.search.searcher", "kogoma.search.worker", "kogoma.rules.position", "kogoma.search.time"} & set(
        named
    )


@pytest.mark.parametrize(
    ("module", "changed"),
    [
        ("kogoma.rules.variants", "rules eval search dice"),
        ("kogoma.rules.outcome", "rules eval search dice"),
        ("kogoma.rules.layout", "rules eval search dice"),
        ("kogoma.native.build", "rules eval search dice"),
        ("kogoma.rules.onitama_cards", "eval search dice"),
        ("kogoma.eval.weights", "eval search dice"),
        ("kogoma.search.thread", "search dice"),
        ("kogoma.search.see", "search"),
        ("kogoma.search.dice.values", "dice"),
        ("kogoma.rules.position", ""),
        ("kogoma.search.searcher", ""),
        ("kogoma.search.time", ""),
    ],
)
def test_one_byte_more_is_another_name(module: str, changed: str, checkout: Path) -> None:
    before = json.loads(python(NAMES, folder=checkout))
    path = checkout / f"{module.replace('.', '/')}.py"
    text = path.read_bytes()
    path.write_bytes(text + b"#")
    after = json.loads(python(NAMES, folder=checkout))
    path.write_bytes(text)
    assert [name for name in before if before[name] != after[name]] == changed.split()


def imported(path: Path) -> set[str]:
    """What the Python parser finds a module to import of the packages, relative names apart."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {
        name
        for name in found
        if name.split(".")[0] == "kogoma"
        and (ROOT / f"{name.replace('.', '/')}.py").exists() | (ROOT / name.replace(".", "/") / "__init__.py").exists()
    }


def test_the_imports_are_those_that_the_parser_finds() -> None:
    for package in ("native", "rules", "eval", "search"):
        for path in (ROOT / "kogoma" / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            assert set(sources_of((name,))) >= imported(path), name


@pytest.mark.parametrize(
    "statement",
    [
        "from kogoma.rules import (  # (as every kernel does)\n    extra,\n)",
        "from kogoma.rules import layout, \\\n    extra",
        "from . import extra",
        "from .extra import THREE",
        "from ..rules.extra import (\n    THREE as three,  # a name\n)",
        "import kogoma.rules.layout, kogoma.rules.extra as other",
        "if True:\n    import kogoma.rules.extra",
        "from kogoma.rules.extra import*",
    ],
)
def test_every_way_to_import_is_seen(statement: str, checkout: Path) -> None:
    path, extra = checkout / "kogoma" / "rules" / "layout.py", checkout / "kogoma" / "rules" / "extra.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\n{statement}\n", encoding="utf-8")
    extra.write_text("THREE = 3\n", encoding="utf-8")
    found = json.loads(python(SOURCES_OF_LAYOUT, folder=checkout))
    path.write_text(text, encoding="utf-8")
    extra.unlink()
    assert "kogoma.rules.extra" in found
