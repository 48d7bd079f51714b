"""The name of an object file depends on all modules that are compiled into it, and on no others."""

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
    """Return the output of a Python program. The program imports the modules of the checkout `folder`."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-B", "-c", program, *words]
    return subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of Kogoma's package."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "kogoma", folder / "kogoma", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.fixture(scope="module")
def sources() -> dict[str, tuple[list[str], list[str]]]:
    """Return two lists of modules for each library: the modules that contain entry points, and all source modules."""
    found: dict[str, tuple[list[str], list[str]]] = json.loads(python(SOURCES))
    return found


@pytest.mark.parametrize("library", ["rules", "eval", "search", "dice"])
def test_all_imports_of_a_build_are_sources(library: str, sources: dict[str, tuple[list[str], list[str]]]) -> None:
    modules, named = sources[library]
    imported = json.loads(python(IMPORTED, *modules))
    # Importing a module also imports its packages, and the first package imports the version. These are not compiled.
    packages = {name for name in imported if (ROOT / name.replace(".", "/")).is_dir()} | {"kogoma.version"}
    assert set(imported) - packages <= set(named)
    assert not {"kogoma.search.searcher", "kogoma.search.driver", "kogoma.rules.position"} & set(named)


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
        ("kogoma.search.driver", ""),
        ("kogoma.search.time", "search dice"),
    ],
)
def test_a_changed_source_changes_the_name(module: str, changed: str, checkout: Path) -> None:
    before = json.loads(python(NAMES, folder=checkout))
    path = checkout / f"{module.replace('.', '/')}.py"
    text = path.read_bytes()
    path.write_bytes(text + b"#")
    after = json.loads(python(NAMES, folder=checkout))
    path.write_bytes(text)
    assert [name for name in before if before[name] != after[name]] == changed.split()


def imported(path: Path) -> set[str]:
    """Return the modules of Kogoma that a file imports, found by Python's parser. Relative imports are left out."""
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


def test_the_imports_equal_those_that_the_parser_finds() -> None:
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
def test_every_form_of_import_is_found(statement: str, checkout: Path) -> None:
    path, extra = checkout / "kogoma" / "rules" / "layout.py", checkout / "kogoma" / "rules" / "extra.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}\n{statement}\n", encoding="utf-8")
    extra.write_text("THREE = 3\n", encoding="utf-8")
    found = json.loads(python(SOURCES_OF_LAYOUT, folder=checkout))
    path.write_text(text, encoding="utf-8")
    extra.unlink()
    assert "kogoma.rules.extra" in found
