"""Tests of engine.sh: the first set-up, later starts, and the messages when something is missing.

The set-ups use the real Python and the real pip, but install tiny packages from a folder (`support.checkouts`).
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.checkouts import CHECKOUT, PYTHON, SETS, TOOLS, Machine
from support.permissions import bound_by_permissions, read_only
from support.usi_client import default_interrupt, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="engine.sh is for bash; Windows uses the usi-engine script"),
    pytest.mark.skipif(
        subprocess.run([PYTHON, "-c", "import ensurepip"], stderr=subprocess.DEVNULL).returncode != 0,
        reason="this Python cannot make environments: it has no ensurepip",
    ),
]

INSTALLING = "kogoma: installing numba, numpy and their dependencies: about a minute, once"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a `.venv` in which the packages of the engine are installed."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    machine.add_python()
    assert machine.run()[0] == 0
    return machine.venv


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    """Return a simulated machine without Python."""
    return Machine(tmp_path)


@pytest.fixture
def machine(bare: Machine, environment: Path) -> Machine:
    """Return a simulated machine with Python and pip, on which the engine is not set up. Pip is copied, because
    installing it would take seconds."""
    bare.add_python()
    pip = next(environment.glob("packages/pip-*"))
    shutil.copytree(pip, bare.venv / "packages" / pip.name, symlinks=True)
    (bare.venv / "kogoma.lock").touch()
    return bare


@pytest.fixture
def ready(bare: Machine, environment: Path) -> Machine:
    """Return a simulated machine with Python, on which the engine is set up."""
    bare.add_python()
    shutil.copytree(environment, bare.venv, symlinks=True)
    return bare


def started(machine: Machine, words: str = "", folder: Path | None = None) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error that are expected if the engine starts without a
    set-up."""
    return 0, f"engine in {folder or machine.folder}:{words and ' '}{words}\nusi\n", ""


def refused(answer: tuple[int, str, str]) -> str:
    """Check that a start has failed with an error message and without output. Return the text on standard error."""
    code, out, err = answer
    assert code != 0
    assert out == ""
    assert any(line.startswith("kogoma: ") for line in err.splitlines())
    assert "Traceback" not in err
    return err


def test_first_start_sets_up_and_keeps_the_protocol_clean(bare: Machine) -> None:
    machine = bare
    machine.add_python()
    code, out, err = machine.run("perft", "5")
    assert (code, out) == (0, f"engine in {machine.folder}: perft 5\nusi\n")
    assert err.splitlines()[1:] == [INSTALLING, "kogoma: set up."]
    assert machine.run() == started(machine)


def test_later_starts_need_no_other_program(ready: Machine) -> None:
    for tool in TOOLS:
        if tool not in ("bash", "env", "cat"):
            (ready.bin / tool).unlink()
    (ready.bin / "python3").unlink()
    before = ready.snapshot()
    assert ready.run() == started(ready)
    assert ready.snapshot() == before


def test_any_folder_any_link(ready: Machine) -> None:
    elsewhere = ready.folder / "else where"
    elsewhere.mkdir()
    (elsewhere / "first").symlink_to("../the checkout/engine.sh")
    (ready.folder / "second").symlink_to(elsewhere / "first")
    assert ready.run("help", script=ready.folder / "second", cwd=str(elsewhere)) == started(ready, "help", elsewhere)
    found_in_path = ready.run(script=Path("second"), cwd=str(elsewhere), PATH=f"{ready.folder}:{ready.bin}")
    assert found_in_path[0] == 0
    done = subprocess.run(
        ["bash", "engine.sh"], cwd=ready.checkout, env=ready.env, input="", text=True, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_moved_checkout_needs_no_set_up(ready: Machine) -> None:
    moved = ready.folder / "moved"
    ready.checkout.rename(moved)
    assert ready.run(script=moved / "engine.sh", PIP_FIND_LINKS="") == started(ready)


@pytest.mark.long
def test_a_moved_checkout_finds_its_environment_elsewhere(machine: Machine) -> None:
    venv = str(machine.folder / "environment")
    assert machine.run(KOGOMA_VENV=venv)[0] == 0
    moved = machine.folder / "moved"
    machine.checkout.rename(moved)
    (moved / "kogoma" / "__main__.py").write_text("print('the moved one')")
    code, out, _ = machine.run(script=moved / "engine.sh", KOGOMA_VENV=venv, PIP_FIND_LINKS="")
    assert (code, out) == (0, "the moved one\n")


def test_a_changed_lock_file_installs_again(ready: Machine) -> None:
    with (ready.checkout / "setup.cfg").open("a") as file:
        file.write("# one more\n")
    assert ready.run() == started(ready)  # changes of other files install nothing
    before = ready.snapshot()
    with ready.start() as old:
        assert old.stdin and old.stdout
        old.stdout.readline()
        ready.change_lock_file("engine", "the second engine")
        err = ready.run()[2]
        assert INSTALLING in err and "not used any more" in err
        old.stdin.write("still there\n")
        old.stdin.close()
        assert "still there\n" in old.stdout.read()
    assert ready.run() == started(ready)
    after = ready.snapshot()
    assert {path for path in before if "packages" in path} <= set(after)  # a running engine keeps its packages
    python = ready.venv / "bin" / "python"
    shown = subprocess.run([python, "-c", "import engine_package as e; print(e.TEXT)"], text=True, capture_output=True)
    assert shown.stdout == "the second engine\n"


def test_the_engine_starts_with_older_packages_if_newer_ones_cannot_be_installed(ready: Machine) -> None:
    ready.change_lock_file("engine", "the second engine")
    code, out, err = ready.run(PIP_FIND_LINKS="")
    assert (code, out) == started(ready)[:2]
    assert "could not download" in err and err.splitlines()[-1].endswith("packages that were installed before.")
    # Installing an extra at this time does not remove the engine's older packages.
    assert ready.run("board", PIP_FIND_LINKS=str(ready.wheels))[0] == 0
    ready.change_lock_file("engine", "the third engine")
    for wheel in ready.wheels.glob("engine*"):
        wheel.unlink()
    assert ready.run("board")[:2] == (0, f"engine in {ready.folder}: board\nthe first board\nusi\n")


def test_a_python_that_has_gone_is_replaced(ready: Machine) -> None:
    for path in (ready.venv / "bin").glob("python*"):
        path.unlink()
        path.symlink_to("/nowhere/python3")
    assert ready.run()[0] == 0
    assert ready.run() == started(ready)


def test_test_installs_its_packages_and_runs_in_the_checkout(ready: Machine) -> None:
    code, out, _ = ready.run("test", "-k", "two words")
    assert (code, out) == (0, f"pytest in {ready.checkout}: -k two words\n")
    assert ready.run("test") == (0, f"pytest in {ready.checkout}: -n auto\n", "")
    assert ready.run() == started(ready)
    installed = {path.name.partition("-")[0] for path in (ready.venv / "packages").iterdir()}
    assert installed == {"engine", "lab", "export", "board", "test", "pip"}
    code, out, err = ready.run("test", "--all")
    assert (code, out) == (0, f"pytest in {ready.checkout}: -n auto --all\n")
    assert err.count("installing the packages of") == 3
    assert {path.name.partition("-")[0] for path in (ready.venv / "packages").iterdir()} == {*SETS, "pip"}


@pytest.mark.parametrize("words", ["test --help", "test -h", "test -k x --help"])
def test_help_of_the_tests_installs_nothing(ready: Machine, words: str) -> None:
    before = ready.snapshot()
    code, out, err = ready.run(*words.split())
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: {ready.script} test") and "--all" in out
    assert ready.snapshot() == before


def test_a_command_installs_its_extra_once(ready: Machine) -> None:
    said = f"engine in {ready.folder}: board\nthe first board\nusi\n"
    code, out, err = ready.run("board")
    assert (code, out) == (0, said)
    assert err.splitlines() == [
        "kogoma: installing the packages of 'board' (requirements/board.txt), once",
        "kogoma: set up.",
    ]
    assert ready.run("board", PIP_FIND_LINKS="") == (0, said, "")


def test_every_lock_file_is_whole() -> None:
    """Check that the first line of each lock file has the digest of the other lines, and that every package has a
    version and SHA-256 hashes."""
    names = {path.stem for path in (CHECKOUT / "requirements").iterdir()}
    assert names == set(SETS)
    for name in names:
        first, _, rest = (CHECKOUT / "requirements" / f"{name}.txt").read_text().partition("\n")
        assert first.split()[-1] == hashlib.sha256(rest.encode()).hexdigest()[:16], name
        for block in re.findall(r"^\S.*\n(?:[ \t].*\n)*", rest, re.MULTILINE):
            assert re.match(r"[a-z0-9.-]+==[0-9a-z.]+( ;[^\n]*)? \\\n(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+$", block)


def test_lock_files_name_what_setup_cfg_names() -> None:
    """Check that every package in setup.cfg is also in a lock file, in a version that setup.cfg allows."""
    from packaging.requirements import Requirement

    text = "".join(path.read_text() for path in (CHECKOUT / "requirements").iterdir())
    locked: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([a-z0-9.-]+)==([0-9a-z.]+)", text, re.MULTILINE):
        locked.setdefault(name, []).append(version)
    config = (CHECKOUT / "setup.cfg").read_text()
    section = config.partition("install_requires =")[2].partition("[options.entry_points]")[0]
    wanted = [
        Requirement(line)
        for line in re.findall(r"^    (?!kogoma)([a-z].*)$", section, re.MULTILINE)
        if "=" not in line[:2]
    ]
    wanted = [requirement for requirement in wanted if "*" not in str(requirement)]
    assert len(wanted) > 20
    for requirement in wanted:
        versions = locked[requirement.name]
        assert all(requirement.specifier.contains(version) for version in versions), requirement


def test_two_starts_at_once_set_up_once(machine: Machine) -> None:
    both = [machine.start() for _ in range(2)]
    answers = [process.communicate("usi\n", timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert [out for out, _ in answers] == [f"engine in {machine.folder}:\nusi\n"] * 2
    assert sum(err.count(INSTALLING) for _, err in answers) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_set_up(machine: Machine, number: signal.Signals) -> None:
    with default_interrupt():
        process = machine.start("bench")
    until(lambda: list(machine.venv.glob("packages/unfinished-*")), 60, process)
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "kogoma: interrupted; the same command continues the set-up.", err
    assert "could not" not in err and "Traceback" not in err
    assert not list(machine.venv.glob("packages/unfinished-*"))
    assert machine.run()[0] == 0


@pytest.mark.long
def test_a_failed_extra_leaves_the_engine_working(ready: Machine) -> None:
    assert "could not download" in refused(ready.run("test", PIP_FIND_LINKS=""))
    assert ready.run() == started(ready)
    (ready.checkout / "requirements" / "test.txt").write_text("# 1\n/ nonsense\n")
    assert "could not install" in refused(ready.run("test"))
    assert ready.run() == started(ready)
    assert not list(ready.venv.glob("packages/unfinished-*"))


def test_a_package_with_another_content_is_refused(ready: Machine) -> None:
    wheel = next(ready.wheels.glob("board*"))
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("more.py", "")
    code, out, err = ready.run("board")
    assert code != 0 and "the first board" not in out
    assert "DO NOT MATCH THE HASHES" in err
    assert ready.run() == started(ready)


def test_no_python(bare: Machine) -> None:
    err = refused(bare.run())
    assert "found no Python" in err
    assert "KOGOMA_PYTHON=" in err and "apt install python3" in err
    assert not bare.venv.exists()


@pytest.mark.parametrize("version", [(3, 9, 18), (3, 10, 0), (3, 14, 0), (4, 0, 0)])
def test_a_python_that_is_not_tested(bare: Machine, version: tuple[int, int, int]) -> None:
    bare.add_python(patch=f"sys.version_info = {version}")
    err = refused(bare.run())
    found = f"Python {version[0]}.{version[1]} ({bare.bin}/python3)"
    assert f"is tested with Python 3.11, 3.12, 3.13, but found only {found}" in err
    assert "KOGOMA_PYTHON=" in err


def test_the_tested_pythons_are_those_of_the_scripts() -> None:
    """Check that engine.sh looks for the Python versions that setup.cfg names, and that .ci/pythons reads these
    versions from setup.cfg."""
    named = re.findall(r"Python :: 3\.(\d+)", (CHECKOUT / "setup.cfg").read_text())
    searched = re.findall(r"python3\.(\d+)\b", (CHECKOUT / "engine.sh").read_text())
    assert sorted(set(searched)) == sorted(named)
    assert "Python :: 3" in (CHECKOUT / ".ci" / "pythons").read_text()


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_python_without_venv(bare: Machine, module: str) -> None:
    bare.add_python(patch=f"sys.version_info = (3, 12, 1); sys.modules['{module}'] = None")
    err = refused(bare.run())
    assert "venv or ensurepip module is missing" in err
    assert "apt install python3.12-venv" in err


@pytest.mark.long
def test_unusable_pythons_are_passed_over(bare: Machine) -> None:
    bare.add_python("python3.13", text="#!/usr/bin/env bash\necho 'shim: no such version' >&2; exit 127\n")
    bare.add_python("python3.12", patch="sys.modules['ensurepip'] = None")
    bare.add_python("python3.11", patch="sys.version_info = (3, 10, 0)")
    good = bare.add_python("python")
    code, _, err = bare.run()
    assert code == 0
    assert "setting up in" in err and "shim" not in err
    assert good.exists()


@pytest.mark.long
def test_a_shim_does_not_hide_the_same_name_later_in_the_path(machine: Machine) -> None:
    shims = machine.folder / "shims"
    shims.mkdir()
    (shims / "python3").write_text("#!/usr/bin/env bash\nexit 127\n")
    (shims / "python3").chmod(0o755)
    assert machine.run(PATH=f"{shims}:{machine.bin}")[0] == 0


@pytest.mark.long
def test_named_python(bare: Machine) -> None:
    bare.add_python("snake")
    missing = bare.folder / "missing"
    assert f"{missing} does not run as a Python" in refused(bare.run(KOGOMA_PYTHON=str(missing)))
    assert bare.run(KOGOMA_PYTHON="snake")[0] == 0


@pytest.mark.long
def test_named_folder(machine: Machine) -> None:
    venv = machine.folder / "my envs" / "kogoma"
    assert machine.run(KOGOMA_VENV=str(venv))[0] == 0
    assert (venv / "bin" / "python").exists()
    assert not (machine.venv / "bin").exists()
    assert machine.run(KOGOMA_VENV="my envs/kogoma") == started(machine)


@pytest.mark.long
def test_an_environment_of_the_user_is_kept(machine: Machine) -> None:
    venv = machine.folder / "mine"
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", venv], check=True)
    mine = next(venv.glob("lib/python3*/site-packages")) / "mine.py"
    mine.touch()
    assert machine.run(KOGOMA_VENV=str(venv))[0] == 0
    assert mine.exists()


def test_a_folder_of_other_files_is_left_alone(machine: Machine) -> None:
    precious = machine.folder / "home" / ".precious"
    precious.parent.mkdir()
    precious.write_text("keep")
    err = refused(machine.run(KOGOMA_VENV=str(precious.parent)))
    assert "not Kogoma's (.precious)" in err and "KOGOMA_VENV=" in err
    assert [path.name for path in precious.parent.iterdir()] == [".precious"]
    assert precious.read_text() == "keep"


@pytest.mark.parametrize("file", ["setup.cfg", "requirements/engine.txt"])
def test_incomplete_checkout(machine: Machine, file: str) -> None:
    (machine.checkout / file).unlink()
    assert "is the checkout complete?" in refused(machine.run())


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Yield a folder that other users can enter."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


@pytest.mark.long
def test_read_only_checkout(open_folder: Path, environment: Path) -> None:
    machine = Machine(open_folder)
    machine.add_python()
    closed = open_folder / "closed"
    closed.mkdir()
    writable = str(open_folder / "writable")

    def run(*words: str, **options: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [*bound_by_permissions(), machine.script, *words],
            cwd=open_folder,
            env=machine.env | options,
            input="",
            text=True,
            capture_output=True,
        )
        return done.returncode, done.stdout, done.stderr

    with read_only(machine.checkout, closed):
        err = refused(run())
        assert "the checkout is read-only" in err and "export KOGOMA_VENV=" in err
        assert "cannot write to" in refused(run(KOGOMA_VENV=str(closed / "venv")))
        code, out, err = run(KOGOMA_VENV=writable)
        assert (code, out) == (0, f"engine in {open_folder}:\n"), err
    shutil.copytree(environment, machine.venv, symlinks=True)
    with read_only(machine.checkout):
        assert run() == (0, f"engine in {open_folder}:\n", "")
        assert "the checkout is read-only" in refused(run("test"))
        assert run() == (0, f"engine in {open_folder}:\n", "")


def test_a_build_leaves_the_checkout_alone(tmp_path: Path) -> None:
    """Check that building a wheel in the same way as pip adds no file to the checkout. The wheel must contain every
    file of the package."""
    pytest.importorskip("setuptools", reason="setuptools is not installed: ./engine.sh test --all installs it")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    checkout, out = tmp_path / "checkout", tmp_path / "out"
    for name in files.split("\0")[:-1]:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, checkout / name)
    before = sorted(checkout.rglob("*"))
    hook = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", hook, str(out)]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert sorted(checkout.rglob("*")) == before
    assert {path.name for path in tmp_path.iterdir()} == {"checkout", "out"}
    packed = set(zipfile.ZipFile(next(out.glob("*.whl"))).namelist())
    elsewhere = ("tests/", "docs/", "benchmarks/", "packaging/", "requirements/", ".")
    for_checks = ("package.json", ".d.ts")  # only the type checker of the JavaScript reads these files
    wanted = {name for name in files.split("\0") if "/" in name and not name.startswith(elsewhere)}
    assert {name for name in wanted - packed if not name.endswith(for_checks)} == set()


def test_no_network(machine: Machine) -> None:
    """Check that the first start fails if no package index can be reached, and prints one line that says what to do.
    The next start must try again."""
    machine.env |= {"PIP_NO_INDEX": "", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"}
    machine.env["PIP_FIND_LINKS"] = ""
    err = refused(machine.run())
    assert err.count("\n") == 3  # one line each for the set-up, the installation and the failure
    assert re.fullmatch(
        r"kogoma: could not download \w+\S*: connect this machine, .* HTTPS_PROXY .*", err.splitlines()[2]
    )
    assert not (machine.venv / "kogoma.pth").exists()  # the next start tries again
    assert machine.run(PIP_INDEX_URL="", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(machine.wheels))[0] == 0
