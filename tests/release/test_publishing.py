"""What happens to the files of a release after they are built: the workflows, and the scripts that they run."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.usi_client import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
VERSION = "7.8.9"
FILES = [f"kogoma-{VERSION}.tar.gz", f"kogoma-{VERSION}-py3-none-any.whl", f"kogoma-{VERSION}-windows-x64.zip"]
WRITTEN = "BUILDINFO.json", "SHA256SUMS"


def jobs(path: Path) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: ./engine.sh test --all installs it")
    found: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))["jobs"]
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_may_only_read_and_uses_actions_of_a_fixed_version(path: Path) -> None:
    assert "\npermissions:\n  contents: read\n" in path.read_text("utf-8")
    for job in jobs(path).values():
        for step in job.get("steps", []):
            used = step.get("uses", "actions/none@v1")
            assert re.fullmatch(r"actions/[\w-]+@v\d+|[\w-]+/[\w-]+@[0-9a-f]{40}", used), used
            if used.startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_only_the_draft_may_be_written_and_a_person_approves_the_upload() -> None:
    found = jobs(ROOT / ".github" / "workflows" / "release.yml")
    may = {name: job.get("permissions") for name, job in found.items()}
    assert may["files"] is None
    assert may["draft"] == {"contents": "write", "id-token": "write", "attestations": "write"}
    assert may["publish"] == {"id-token": "write"} and found["publish"]["environment"] == "pypi"


def test_every_platform_is_tested_with_its_file() -> None:
    from kogoma.native.platforms import ALL

    files = [row["file"] for row in jobs(ROOT / ".github/workflows/files.yml")["test"]["strategy"]["matrix"]["include"]]
    for name in (*(f"kogoma-1.0-py3-none-{platform.tag}.whl" for platform in ALL), "kogoma-1.0-windows-x64.zip"):
        assert len([file for file in files if Path(name).match(file)]) == 1, name


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with the script that sorts a release's files and what it needs: settings with an address, a
    changelog, a recipe, and files of a release in `dist`."""
    for name in (".ci/sort", "packaging/fill", "packaging/winget/Kogoma.Kogoma.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "setup.cfg").write_text("[metadata]\nurl = https://example.org/kogoma\n")
    changes = f"# Changelog\n\n## [Unreleased]\n\n- later\n\n## [{VERSION}] - 2026-12-01\n\n- news\n"
    (tmp_path / "CHANGELOG.md").write_text(f"{changes}\n## [7.8.8]\n\n- old\n")
    (tmp_path / "dist").mkdir()
    sums = ""
    for name in FILES:
        (tmp_path / "dist" / name).write_text(name)
        sums += f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n"
    (tmp_path / "dist" / "SHA256SUMS").write_text(sums)
    (tmp_path / "dist" / "BUILDINFO.json").write_text(f'{{"version": "{VERSION}", "time": 1800000000}}')
    return tmp_path


def sort(checkout: Path, tag: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([checkout / ".ci" / "sort", tag, "dist"], cwd=checkout, capture_output=True, text=True)


def test_files_are_sorted_before_they_are_published(checkout: Path) -> None:
    for _ in range(2):
        done = sort(checkout, f"v{VERSION}")
        assert done.returncode == 0, done.stderr
    dist = checkout / "dist"
    assert {path.name for path in (dist / "release").iterdir()} == {*FILES, *WRITTEN}
    assert {path.name for path in (dist / "packages").iterdir()} == {*FILES[:2]}
    assert VERSION in (dist / "recipes" / "winget" / "Kogoma.Kogoma.yaml").read_text()
    assert (dist / "notes.md").read_text().strip() == "- news"


@pytest.mark.parametrize("tag, problem", [("v7.8.8", "is not of the version 7.8.8"), ("7.8.9", "is not a tag")])
def test_a_tag_of_another_version_is_refused(checkout: Path, tag: str, problem: str) -> None:
    done = sort(checkout, tag)
    assert done.returncode == 1 and problem in done.stderr
    assert not (checkout / "dist" / "release").exists()


@pytest.mark.parametrize("kind", ["damaged", "missing", "changelog", "address"])
def test_an_incomplete_release_is_refused(checkout: Path, kind: str) -> None:
    if kind == "damaged":
        (checkout / "dist" / FILES[1]).write_text("other")
    elif kind == "missing":
        (checkout / "dist" / FILES[0]).unlink()
    elif kind == "address":
        (checkout / "setup.cfg").write_text("[metadata]\nurl =\n")
    else:
        (checkout / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n")
    done = sort(checkout, f"v{VERSION}")
    assert done.returncode == 1 and done.stderr
    assert not (checkout / "dist" / "release").exists()
