"""The web page's files with preload links for its modules, and a bundler of JavaScript modules into one script."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]  # the folder of the package `kogoma`

IMPORT = re.compile(r'^(import|export) \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function\*?|class|const) (\w+)", re.MULTILINE)
NUMBERS = re.compile(r"^export const \w+ = \w+((?:, \w+ = \w+)+);", re.MULTILINE)  # constants after the first one
DOCUMENTATION = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n| */\*\*(?:(?!\*/).)*\*/", re.MULTILINE | re.DOTALL)
LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')
KINDS = (".html", ".css", ".js", ".webmanifest", ".svg", ".png", ".ico")  # extensions of the page's files
PAGE, ENTRY = "index.html", "page/main.js"
SCRIPT = f'<script type="module" src="{ENTRY}"></script>\n'


def join_modules(*entries: str) -> str:
    """Return one script that contains these modules (paths from ROOT) and all modules that they import, without JSDoc
    comments. Each module becomes a function call that returns an object with the module's exports."""
    return "\n".join(collect(entries).values())


def collect(entries: Iterable[str]) -> dict[str, str]:
    """Return the parts of the script of `join_modules` by the modules' paths from ROOT."""
    found: dict[str, str] = {}
    for entry in entries:
        _collect(entry, found)
    return found


def later_imports(entry: str) -> list[str]:
    """Return the paths, from ROOT, of the modules that an entry and its modules import by calls of `import()`, also in
    modules that are imported so themselves."""
    found, waiting = set[str](), [entry]
    while waiting:
        for path in collect([waiting.pop()]):
            source = DOCUMENTATION.sub("", (ROOT / path).read_text(encoding="utf-8"))
            named = {
                posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) for name in LATER.findall(source)
            }
            waiting += named - found
            found |= named
    return sorted(found)


def imports_of(path: str, source: str) -> list[tuple[str, list[str], bool]]:
    """Return (path, names, whether the names are exported again) for each import in a module's source. The paths of
    Node's own modules begin with "node:"."""
    found = []
    for kind, names, origin in IMPORT.findall(source):
        is_node = origin.startswith("node:")
        imported = origin if is_node else posixpath.normpath(posixpath.join(posixpath.dirname(path), origin))
        found.append((imported, [name.strip() for name in names.split(",") if name.strip()], kind == "export"))
    return found


def _collect(path: str, found: dict[str, str]) -> None:
    """Add a module to `found` after the modules that it imports."""
    if path in found:
        return
    if any(module_name(path) == module_name(other) for other in found):
        raise ValueError(f"{path}: another module has the same name {module_name(path)}")
    source = (ROOT / path).read_text(encoding="utf-8")
    imports, exports = list[str](), [name for _, name in EXPORT.findall(source)]
    exports += [name for more in NUMBERS.findall(source) for name in re.findall(r"(\w+) =", more)]
    for imported, names, exported_again in imports_of(path, source):
        exports += names if exported_again else []
        if imported.startswith("node:"):
            imports.append(f'const {{ {", ".join(names)} }} = require("{imported}");\n')
        else:
            _collect(imported, found)
            if missing := {name.split(" as ")[0] for name in names} - set(exports_of(found[imported])):
                raise ValueError(f"{path}: {imported} has no {', '.join(sorted(missing))}")
            known = {name for line in imports for name in re.findall(r"\w+", line)}  # imported, and exported again
            fresh = ", ".join(name.replace(" as ", ": ") for name in names if name not in known)
            imports.append(f"const {{ {fresh} }} = {module_name(imported)};\n" if fresh else "")
    body = DOCUMENTATION.sub("", EXPORT.sub(r"\1 \2", IMPORT.sub("", source)))
    body = re.sub(r"\n{2,}", "\n\n", body).strip()
    function = f"(() => {{\n{''.join(imports)}{body}\nreturn {{ {', '.join(exports)} }};\n}})();"
    found[path] = f"// {path}\nconst {module_name(path)} = {function}\n"


def exports_of(part: str) -> list[str]:
    """Return the names that a module exports, given its part of the script."""
    return re.findall(r"\w+", part.rsplit("return {", 1)[1].split("}")[0])


def module_name(path: str) -> str:
    """Return a module's name in the joined script, which contains its folder: `game_records/panel.js` is
    gameRecordsPanelModule."""
    first, *others = re.split("[/_]", "/".join(path.removesuffix(".js").split("/")[-2:]))
    return first + "".join(word.title() for word in others) + "Module"


def page_files() -> dict[str, bytes]:
    """Return a dict that maps the path of each of the page's files, from the site's root, to its content. Games are not
    included."""
    folder = Path(__file__).parent
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in KINDS]
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    found[PAGE] = _with_preloads(found)
    return found


def _with_preloads(found: Mapping[str, bytes]) -> bytes:
    """Return the page with a preload link to each module that its script imports, so that the modules load in
    parallel."""
    links = "".join(f'<link rel="modulepreload" href="{name}">\n' for name in sorted(_imported(found)))
    text = found[PAGE].decode()
    if SCRIPT not in text:
        raise ValueError(f"{PAGE} has no {SCRIPT.strip()}")
    return text.replace(SCRIPT, links + SCRIPT).encode()


def _imported(found: Mapping[str, bytes]) -> set[str]:
    """Return the paths of the modules that the page's script imports, directly and indirectly."""
    names, waiting = set[str](), [ENTRY]
    while waiting:
        name = waiting.pop()
        imported = {path for path, *_ in imports_of(name, found[name].decode())}
        waiting += imported - names
        names |= imported
    return names
