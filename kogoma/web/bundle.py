"""The exported site with few files: the page's modules and style sheets joined, smaller, and its kernels compressed.

The folder `bundle` of the site has one script for the page, one for each Worker, one for each module that the page
imports later by `import()`, and one style sheet, all minified.
"""

from __future__ import annotations

import gzip
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable

import minify_html

from kogoma.web.modules import ENTRY, LATER, PAGE, SCRIPT, collect, exports_of, later_imports, module_name

FOLDER = "bundle"
COMMON = f"{FOLDER}/common.js"  # modules of several scripts
WORKERS = ("client/engine_worker.js", "client/helper_worker.js", "client/mate_worker.js")
STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)">\n')
INDEXES = "games/index.json", "games/mates.json", "games/tablebases.json"
KEPT = "service_worker.js", "from_disk.js"  # scripts that are not modules
NAME = re.compile(r"\b\w+Module\b")  # of modules, in the joined scripts


def bundled(site: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files of a site (contents by path) with the folder `bundle` instead of modules and style sheets, and
    with kernels in gzip format."""
    found = {name: content for name, content in site.items() if not name.endswith((".js", ".css")) or name in KEPT}
    page = site[PAGE].decode()
    styles = STYLE.findall(page)
    page = STYLE.sub("", re.sub(r'<link rel="modulepreload" .*\n', "", page))
    links = f'<link rel="stylesheet" href="{FOLDER}/page.css">\n{SCRIPT.replace(ENTRY, _place(ENTRY))}'
    found[PAGE] = page.replace(SCRIPT, links).encode()
    files = {f"{FOLDER}/page.css": "".join(site[name].decode() for name in styles), **_scripts()}
    found |= {name: _small(name, text).encode() for name, text in files.items()}
    return found | _packed_kernels(found)


def _file(path: str) -> str:
    """Return the name of the bundle's file that begins with a module."""
    return posixpath.basename(path)


def _place(path: str) -> str:
    """Return the path of the bundle's file that begins with a module."""
    return f"{FOLDER}/{_file(path)}"


def _scripts() -> dict[str, str]:
    """Return the joined scripts by path. A module that is imported later is in a script of its own, with the modules
    that only it needs. COMMON has the modules that several of these scripts need, but not the page's first one."""
    entry = f"web/{ENTRY}"
    main, later = collect([entry]), {path: collect([path]) for path in later_imports(entry)}
    needed = Counter(name for part in later.values() for name in part)
    later_parts = {name: text for part in later.values() for name, text in part.items() if name not in main}
    common = {name: text for name, text in later_parts.items() if needed[name] > 1}
    scripts = {_place(ENTRY): main, COMMON: common}
    found = {
        path: _given("".join(part.values()), scripts, path) + _module(part, part) for path, part in scripts.items()
    }
    for path, part in later.items():
        own, last = {name: text for name, text in part.items() if name not in {*main, *common}}, module_name(path)
        body = _given("".join(own.values()) or last, scripts) + (_module(own, [path]) if own else "")
        found[_place(path)] = f"{body}export const {{ {', '.join(exports_of(part[path]))} }} = {last};\n"
    found |= {_place(path): _module(collect([f"web/{path}"]), []) for path in WORKERS}
    every = dict.fromkeys(NAME.findall("".join(found.values())))
    short = {name: f"m{number}" for number, name in enumerate(every)}
    found = {path: LATER.sub(lambda called: f'import("./{_file(called[1])}")', text) for path, text in found.items()}
    return {path: NAME.sub(lambda name: short[name[0]], text) for path, text in found.items()}


def _given(text: str, scripts: dict[str, dict[str, str]], own: str = "") -> str:
    """Return the import lines for the modules that a script takes from other `scripts`, which are given with their
    modules; `own` is its path if it is one of them."""
    lines = ""
    for path, modules in scripts.items():
        names = [name for name in sorted(map(module_name, modules)) if re.search(rf"\b{name}\b", text)]
        lines += f'import {{ {", ".join(names)} }} from "./{_file(path)}";\n' if names and path != own else ""
    return lines


def _module(modules: dict[str, str], given: Iterable[str]) -> str:
    """Return modules as one script that exports those with the paths `given`."""
    names = ", ".join(sorted(map(module_name, given)))
    body = f"(() => {{\n{''.join(modules.values())}return {{ {names} }};\n}})();\n"
    return f"export const {{ {names} }} = {body}" if names else body


def _small(path: str, text: str) -> str:
    """Return a script or style sheet without comments and unnecessary characters. The minifier takes pages only."""
    tag = "style" if path.endswith(".css") else 'script type="module"'
    page = minify_html.minify(f"<{tag}>{text}</{tag.split()[0]}>", minify_js=True, minify_css=True)
    return page[page.index(">") + 1 : page.rindex("</")]


def _packed_kernels(site: dict[str, bytes]) -> dict[str, bytes]:
    """Replace the kernels in `site` by compressed ones, and return the indexes that name them."""
    texts = {index: site[index].decode() for index in INDEXES if index in site}
    for name in [name for name in site if name.endswith(".wasm")]:
        site[f"{name}.gz"] = gzip.compress(site.pop(name), 9, mtime=0)
        texts = {index: text.replace(json.dumps(name), json.dumps(f"{name}.gz")) for index, text in texts.items()}
    return {index: text.encode() for index, text in texts.items()}
