"""What users see of the package: links, classifiers, the README as a package index shows it, CITATION.cff, recipes."""

from __future__ import annotations

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
from email.message import Message
from email.parser import BytesParser
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from support.usi_client import ROOT

pytestmark = pytest.mark.slow

ADDRESS = "https://example.org/somebody/kogoma"
BUILD = "from setuptools import build_meta; print(build_meta.prepare_metadata_for_build_wheel('made'))"
RELEASE = {"version": "7.8.9", "commit": "0" * 40, "time": 1_800_000_000}
PLACEHOLDER = re.compile(r"@[A-Z]")


def checkout(folder: Path, address: str) -> Path:
    """Copy the tracked files of the checkout into a folder, and state the address in setup.cfg. Return the folder."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.split("\0"):
        if name and not name.startswith(("tests/", "docs/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    settings = (folder / "setup.cfg").read_text("utf-8")
    stated, count = re.subn(r"^url =.*$", f"url = {address}".rstrip(), settings, flags=re.MULTILINE)
    assert count == 1
    (folder / "setup.cfg").write_text(stated, "utf-8")
    return folder


@pytest.fixture(scope="module", params=["", ADDRESS], ids=["no address", "address"])
def given(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Return the repository's address, and a folder with the files of a checkout that states it."""
    return request.param, checkout(tmp_path_factory.mktemp("checkout"), request.param)


@pytest.fixture(scope="module")
def metadata(given: tuple[str, Path]) -> Message:
    pytest.importorskip("setuptools", reason="setuptools is not installed: ./engine.sh test --all installs it")
    folder = given[1]
    (folder / "made").mkdir()
    done = subprocess.run([sys.executable, "-c", BUILD], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    [made] = (folder / "made").glob("*/METADATA")
    return BytesParser(policy=default).parsebytes(made.read_bytes())


def test_the_links_of_the_package(given: tuple[str, Path], metadata: Message) -> None:
    links = dict(value.split(", ") for value in metadata.get_all("Project-URL", []))
    assert set(links) == ({"Source", "Documentation", "Changelog", "Issues"} if given[0] else set())
    for link in links.values():
        path = link.removeprefix(ADDRESS)
        assert path in ("", "/issues") or (ROOT / path.removeprefix("/blob/HEAD/")).is_file()
    classifiers = metadata.get_all("Classifier", [])
    assert {"Natural Language :: Japanese", "Environment :: Console", "Typing :: Typed"} <= {*classifiers}


def test_every_link_of_the_readme_on_a_package_index_leads_somewhere(
    given: tuple[str, Path], metadata: Message
) -> None:
    """Check the links and images of the page that a package index makes from the README: they lead to files of the
    repository, or to other sites. Without the repository's address, only the latter are left."""
    renderer = pytest.importorskip("readme_renderer.markdown", reason="./engine.sh test --all installs it")
    page = renderer.render(metadata.get_payload())
    assert page is not None
    links = re.findall(r'(?:href|src)="([^"]*)"', page)
    inside = [link for link in links if link.startswith(ADDRESS)]
    assert all(re.match(r"https://|#user-content-", link) for link in links)  # other sites, and the page's headings
    assert len(inside) >= 30 if given[0] else not inside
    for link in inside:
        assert (found := re.fullmatch(rf"{ADDRESS}/(?:blob|raw)/(?:HEAD|v[\d.]+)/([^#]+)(#.*)?", link)), link
        assert (ROOT / found[1]).exists(), link
    assert "](" not in re.sub(r"<pre.*?</pre>", "", page, flags=re.DOTALL)


def test_the_citation_is_made_from_the_settings(given: tuple[str, Path]) -> None:
    address, folder = given
    assert subprocess.run([folder / "packaging" / "fill"]).returncode == 0
    text = (folder / "CITATION.cff").read_text("utf-8")
    assert (f'repository-code: "{ADDRESS}"' in text) == bool(address) and not PLACEHOLDER.search(text)
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(ROOT / "setup.cfg", "utf-8")
    for name, key in {"abstract": "description", "license": "license", "keywords": "keywords"}.items():
        assert f"\n{name}: {settings['metadata'][key]}\n" in text.replace("[", "").replace("]", "")
    if address == settings["metadata"]["url"]:
        assert text == (ROOT / "CITATION.cff").read_text("utf-8"), "run packaging/fill"


def filled(given: tuple[str, Path], folder: Path) -> subprocess.CompletedProcess[str]:
    """Fill in the recipes for a release of files with made-up checksums."""
    from kogoma.native.platforms import ALL

    names = [f"py3-none-{platform.tag}.whl" for platform in ALL] + ["windows-x64.zip", "linux-x86_64.pyz"]
    files = [f"kogoma-7.8.9-{name}" for name in names] + ["kogoma-7.8.9.tar.gz"]
    (folder / "SHA256SUMS").write_text("".join(f"{number:064x}  {name}\n" for number, name in enumerate(files)))
    (folder / "BUILDINFO.json").write_text(json.dumps(RELEASE))
    return subprocess.run([given[1] / "packaging" / "fill", folder], capture_output=True, text=True)


def test_recipes_name_version_address_and_checksums(given: tuple[str, Path], tmp_path: Path) -> None:
    done = filled(given, tmp_path)
    if not given[0]:
        assert done.returncode == 1 and "set `url` in setup.cfg" in done.stderr
        assert not (tmp_path / "recipes").exists()
        return
    assert done.returncode == 0, done.stderr
    names = dict(line.split("  ")[::-1] for line in (tmp_path / "SHA256SUMS").read_text().splitlines())
    used = set()
    for path in (path for path in (tmp_path / "recipes").rglob("*") if path.is_file()):
        text = path.read_text("utf-8")
        assert not PLACEHOLDER.search(text), path
        used |= {name for name in names if f"{ADDRESS}/releases/download/v7.8.9/{name}" in text}
        assert all(names[name] in text for name in names if f"/{name}" in text)
    assert used == {name for name in names if not name.endswith((".pyz", "win_amd64.whl"))}
    for path in (tmp_path / "recipes" / "winget").iterdir():
        manifest = parsed(path)
        assert manifest["PackageVersion"] == "7.8.9" and path.name.endswith(
            {"version": "Kogoma.yaml", "installer": ".installer.yaml", "defaultLocale": ".locale.en-US.yaml"}[
                manifest["ManifestType"]
            ]
        )
    assert parsed(tmp_path / "recipes" / "conda-forge" / "recipe.yaml")["package"]["version"] == "7.8.9"
    assert os.access(tmp_path / "recipes" / "debian" / "rules", os.X_OK)


def parsed(path: Path) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: ./engine.sh test --all installs it")
    content: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return content


def test_the_recipes_need_what_the_package_needs() -> None:
    """Check that the recipe for conda-forge requires the packages that setup.cfg requires."""
    settings = configparser.ConfigParser(interpolation=None)
    settings.read(ROOT / "setup.cfg", "utf-8")
    needed = settings["options"]["install_requires"] + settings["options.extras_require"]["compile"]
    recipe = (ROOT / "packaging" / "conda-forge" / "recipe.yaml").read_text("utf-8")
    listed = re.search(r"\n  run:\n(.*?)\n\n", recipe, re.DOTALL)
    assert listed is not None
    have = {re.sub(r"[-\s]", "", line) for line in listed[1].splitlines()} - {"python>=${{python_min}}"}
    assert have == {re.sub(r"\s", "", line) for line in needed.splitlines() if line and not line.startswith("#")}
