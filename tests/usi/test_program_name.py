"""The variant with which the engine starts: KOGOMA_VARIANT, or the name of the program, as in `kogoma-minishogi`."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kogoma.usi_engine.options import first_variant
from support.usi_client import ENGINE, ROOT

SCRIPT = "import sys; from kogoma.__main__ import main; sys.exit(main())"  # as pip writes scripts
GOROGORO_START = "position startpos\nd\nquit\n"


def conversation(command: list[str], lines: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run(command, env=environment, input=lines, capture_output=True, text=True, timeout=300)


def default_of(text: str) -> str:
    """Return the default value of USI_Variant in an engine's answer to `usi`."""
    [found] = re.findall(r"^option name USI_Variant type combo default (\S+) ", text, re.MULTILINE)
    return str(found)


@pytest.mark.parametrize(
    "program, variant",
    [
        ("kogoma-minishogi", "minishogi"),
        ("kogoma-66shogi.exe", "66shogi"),
        ("/usr/local/bin/kogoma-gorogoro", "gorogoro"),
        ("kogoma-minishogi-codingame", "minishogi-codingame"),
        (r"C:\将棋\Kogoma-Kyoto.EXE", "kyoto"),
        ("./kogoma-mini", "minishogi"),
        ("kogoma", "shogi"),
        ("usi-engine", "shogi"),
        ("kogoma-board", "shogi"),
        ("kogoma-0.1.0-linux-x86_64.pyz", "shogi"),
        ("/kogoma-minishogi/engine.sh", "shogi"),
        ("minishogi", "shogi"),
    ],
)
def test_names_of_programs(program: str, variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KOGOMA_VARIANT", raising=False)
    assert first_variant("python", program) == variant


def test_the_environment_variable_takes_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOGOMA_VARIANT", "kyotoshogi")
    assert first_variant("kogoma-minishogi") == "kyoto"
    monkeypatch.setenv("KOGOMA_VARIANT", "")
    assert first_variant("kogoma-minishogi") == "minishogi"
    monkeypatch.setenv("KOGOMA_VARIANT", "chess")
    with pytest.raises(ValueError, match=r"^KOGOMA_VARIANT must be one of shogi, .*, not 'chess'$"):
        first_variant("kogoma-minishogi")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows starts no scripts")
def test_a_link_to_the_installed_program(tmp_path: Path) -> None:
    script = tmp_path / "usi-engine"
    script.write_text(f"#!{sys.executable}\n{SCRIPT}\n", "utf-8")
    script.chmod(0o755)
    link = tmp_path / "kogoma-gorogoro"
    link.symlink_to(script)
    assert default_of(conversation([str(script)], "usi\nquit\n").stdout) == "shogi"
    # The name of a program that started this one does not count.
    done = conversation([str(link)], f"usi\n{GOROGORO_START}", KOGOMA_PROGRAM="./engine.sh")
    assert default_of(done.stdout) == "gorogoro"
    assert "| l |" not in done.stdout and done.stdout.count("+---+---+---+---+---+\n") == 7, "a board of 5x6 squares"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="engine.sh is for bash")
def test_a_link_to_engine_sh(tmp_path: Path) -> None:
    link = tmp_path / "kogoma-dobutsu"
    link.symlink_to(ROOT / "engine.sh")
    done = conversation([str(link)], "usi\nquit\n", KOGOMA_PROGRAM="kogoma", KOGOMA_VENV=sys.prefix)
    assert default_of(done.stdout) == "dobutsu", done.stderr


@pytest.mark.slow
def test_an_unknown_variant_is_an_error_for_the_gui_and_for_the_user() -> None:
    done = conversation([*ENGINE], "usi\nquit\n", KOGOMA_VARIANT="chess", KOGOMA_LANG="ja")
    assert done.returncode == 2 and done.stdout.count("\n") == 1
    assert done.stdout.startswith("info string error: KOGOMA_VARIANT must be one of shogi, ")
    assert done.stderr.startswith("usi-engine: KOGOMA_VARIANT は shogi, ")


def test_the_package_installs_a_program_for_minishogi() -> None:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", "utf-8")
    scripts = dict(line.split(" = ") for line in parser["options.entry_points"]["console_scripts"].strip().split("\n"))
    assert scripts == dict.fromkeys(("usi-engine", "kogoma-minishogi", "kogoma-66shogi"), "kogoma.__main__:main")
