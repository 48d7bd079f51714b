"""JavaScript modules joined into one script export what they exported before."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kogoma.web import modules
from kogoma.web.modules import ENTRY, collect, join_modules, later_imports, module_name
from support.peers import absent

TEXTS = "messages", "later_texts"

FILES = {
    "web/values.js": """// Every kind of export.
export const ONE = 1, TWO = 2, THREE = ONE;
export const add = (a, b) => a + b;
export function twice(value) { return add(value, value); }
export async function later() { return 7; }
export function* steps() { yield ONE; yield TWO; }
export class Box { constructor(value) { this.value = value; } }
""",
    "web/part/values.js": """import { ONE as first, TWO, add } from "../values.js";
export { add } from "../values.js";
export { twice } from "../values.js";
/** Documentation with the words export const NOTHING = 0; */
export const SUM = [first + TWO, add(first, TWO)];
""",
    "web/main.js": """import { Box, steps, THREE } from "./values.js";
import { SUM, add, twice } from "./part/values.js";
export const RESULT = [new Box(THREE).value, [...steps()], SUM, add(2, 3), twice(4)];
""",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the modules, which replaces that of the package."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(modules, "ROOT", tmp_path)
    return tmp_path


def node(*words: str) -> str:
    if shutil.which("node") is None:
        absent("node")
    return subprocess.run(["node", *words], capture_output=True, text=True, check=True).stdout


def test_joined_modules_do_what_they_did(root: Path) -> None:
    (root / "package.json").write_text('{"type": "module"}')
    shown = "console.log(JSON.stringify({}));"
    imported = f"import {{ RESULT }} from {json.dumps(str(root / 'web/main.js'))}; {shown.format('RESULT')}"
    joined = f"{join_modules('web/main.js')}{shown.format(module_name('web/main.js') + '.RESULT')}"
    expected = [1, [1, 2], [3, 3], 5, 8]
    assert json.loads(node("--input-type=module", "-e", imported)) == expected
    assert json.loads(node("-e", joined)) == expected


def test_the_import_of_a_missing_name_is_an_error(root: Path) -> None:
    (root / "web/main.js").write_text('import { ONE, FOUR } from "./values.js";\n')
    with pytest.raises(ValueError, match=r"web/main\.js: web/values\.js has no FOUR"):
        join_modules("web/main.js")


def test_each_text_of_the_page_is_there() -> None:
    """Check that messages.js has the texts that modules of the first script name, and that later_texts.js has the
    others. Keys that are put together are not checked."""
    main = f"web/{ENTRY}"
    first, later = collect([main]), collect(later_imports(main))
    known, more = (
        set(re.findall(r'^ *"?([\w.-]+)"?: \[', later[f"web/page/{name}.js"], re.MULTILINE)) for name in TEXTS
    )
    assert known and more and not known & more
    for path, text in later.items():
        used = set(re.findall(r'(?:\bt|\bspoken)\("([\w.-]+)"|"data-text": "([\w.-]+)"', text))
        names = {one or other for one, other in used}
        assert names <= (known if path in first else known | more), (path, names - known)
