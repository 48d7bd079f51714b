"""The pages of the repository: their links, tables that repeat something else, and the forms for issues on GitHub; the
list of the packages to install."""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest

from kogoma.usi_engine.commands import COMMANDS
from support.usi_client import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "docs" / "problems" / "README.md"])
FORMS = ROOT / ".github" / "ISSUE_TEMPLATE"
LINK = re.compile(r"\]\(([^)\s]+)\)")

# These constants describe GitHub's syntax of issue forms: the attributes that each type of field may and must have.
TOP = {"name", "description", "body", "title", "labels", "assignees", "projects", "type"}
FIELDS = {
    "markdown": ({"value"}, {"value"}),
    "textarea": ({"label", "description", "placeholder", "value", "render"}, {"label"}),
    "input": ({"label", "description", "placeholder", "value"}, {"label"}),
    "dropdown": ({"label", "description", "options", "multiple", "default"}, {"label", "options"}),
    "checkboxes": ({"label", "description", "options"}, {"label", "options"}),
}


def text_of(page: Path) -> str:
    """Return the text of a page without its blocks of code."""
    return re.sub(r"^( *)```.*?^\1```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    wrong = []
    for link in LINK.findall(text_of(page)):
        if re.match(r"[a-z]+:", link):
            continue  # the link leads to another site
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    assert wrong == []


@pytest.mark.parametrize("name", ["SECURITY.md", "CONTRIBUTING.md"])
def test_paths_of_code_exist(name: str) -> None:
    paths = re.findall(r"`((?:kogoma|tests|docs|\.ci)/[\w./]+)`", (ROOT / name).read_text("utf-8"))
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []


def parsed(path: Path) -> Any:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: ./engine.sh test --all installs it")
    return yaml.safe_load(path.read_text("utf-8"))


@pytest.mark.parametrize("name", ["bug", "request"])
def test_a_form_is_one_that_github_shows(name: str) -> None:
    form = parsed(FORMS / f"{name}.yml")
    assert {"name", "description", "body"} <= form.keys() <= TOP
    assert all(isinstance(form[key], str) and form[key] for key in ("name", "description"))
    fields = [field for field in form["body"] if field["type"] != "markdown"]
    assert fields and any(field.get("validations", {}).get("required") for field in fields)
    for field in form["body"]:
        possible, needed = FIELDS[field["type"]]
        assert needed <= field["attributes"].keys() <= possible
        assert field.keys() <= {"type", "id", "attributes", "validations"}
        assert field.get("validations", {}).keys() <= {"required"}
        assert all(isinstance(value, str) for value in field["attributes"].values())
    for names in ([field["id"] for field in fields], [field["attributes"]["label"] for field in fields]):
        assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[\w-]+", field["id"], re.ASCII) for field in fields)


def test_a_bug_report_asks_for_the_conversation_and_for_info() -> None:
    fields = {field.get("id"): field for field in parsed(FORMS / "bug.yml")["body"]}
    for name, words in {"lines": ("sent", "answers"), "info": ("info",)}.items():
        assert all(word in fields[name]["attributes"]["label"] for word in words)
        assert fields[name]["validations"]["required"] and fields[name]["attributes"]["render"] == "text"


def test_the_choice_of_forms_also_offers_none() -> None:
    assert parsed(FORMS / "config.yml") == {"blank_issues_enabled": True}
    assert {path.name for path in FORMS.iterdir()} == {"config.yml", "bug.yml", "request.yml"}


@pytest.mark.parametrize("page", ["commands.md", "commands.ja.md"])
def test_the_page_of_commands_lists_all_of_them(page: str) -> None:
    rows = re.findall(r"^\| `\./engine\.sh ([a-z]+)", (ROOT / "docs" / page).read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted([*COMMANDS, "help", "test"])


@pytest.mark.parametrize("page", ["README.md", "README.ja.md"])
def test_the_strength_in_the_readme_is_that_of_the_page_of_strength(page: str) -> None:
    """Check that the games, score, interval and date of each row are those of a match against Fairy-Stockfish."""

    def results(path: Path) -> list[tuple[str, ...]]:
        rows = re.findall(r"^\| .*\d\.\d%.*\|$", path.read_text("utf-8"), re.MULTILINE)
        cells = [row.strip("| ").split(" | ") for row in rows if path.parent == ROOT or "Fairy-Stockfish" in row]
        return [(row[-4], row[-3], *re.findall(r"[\d.]+%", row[-2]), row[-1]) for row in cells]

    shown = results(ROOT / page)
    assert len(shown) == 4 and set(shown) <= set(results(ROOT / "docs" / "strength.md"))


def test_all_packages_are_installed() -> None:
    settings = ConfigParser()
    settings.read(ROOT / "setup.cfg")
    found = {".".join(path.parent.relative_to(ROOT).parts) for path in (ROOT / "kogoma").rglob("__init__.py")}
    assert set(settings["options"]["packages"].split()) == found
