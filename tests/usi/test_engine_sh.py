"""engine.sh as a user meets it: first set-up, later starts, and what it says when something is missing.

Most tests give it a stand-in for Python that only notes how it was called, so that a set-up takes milliseconds.
"""

from __future__ import annotations

import configparser
import importlib.util
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

from support.usi_client import default_interrupt, until

CHECKOUT = Path(__file__).resolve().parents[2]
TOOLS = ("bash", "cat", "cp", "env", "find", "grep", "mkdir", "readlink", "rm", "sleep")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="engine.sh is for bash; Windows uses the usi-engine script"),
]

# Understands the calls that engine.sh makes. Its pip is noisy and greedy: nothing of that may reach the protocol.
STAND_IN = r"""#!/usr/bin/env bash
printf '%s\n' "${0##*/} $*" >>"$CALLS"
case "$*" in
  "-I -m venv "*) mkdir -p "$4/bin" && : >"$4/pyvenv.cfg" && cp "$0" "$4/bin/python" ;;
  "-I -m pip "*) cat; echo noise on standard output; eval "${PIP_DOES:-true}" ;;
  "-I -m kogoma"*) echo "engine in $PWD:" "${@:4}"; cat ;;
  "-m pytest"*) echo "pytest in $PWD:" "${@:3}" ;;
  "-I -c "*) exec @REAL@ "$@" ;;
  "-c "*) exec @REAL@ -c "import sys; @PATCH@"$'\n'"$2" ;;
esac
"""


INSTALLING = "kogoma: installing numba, numpy and their dependencies: about a minute, once"


class Machine:
    """A checkout of engine.sh and what it reads alone, on a machine with a few tools and the Pythons it is given."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkout = folder / "the checkout"
        self.script = self.checkout / "engine.sh"
        self.bin = folder / "bin"
        self.venv = self.checkout / ".venv"
        self.checkout.mkdir()
        self.bin.mkdir()
        for name in ("engine.sh", "setup.cfg", "pyproject.toml"):
            shutil.copy(CHECKOUT / name, self.checkout)
        for name in TOOLS:
            tool = shutil.which(name)
            assert tool, name
            (self.bin / name).symlink_to(tool)
        self.calls_file = folder / "calls"
        self.env = {"PATH": str(self.bin), "HOME": str(folder), "CALLS": str(self.calls_file)}

    def add_python(self, name: str = "python3", patch: str = "pass", text: str = STAND_IN) -> Path:
        """A command that runs as Python would, after `patch` has changed what it says of itself."""
        path = self.bin / name
        patch = f"sys._base_executable = '{path}'; {patch}"
        path.write_text(text.replace("@REAL@", f"'{sys.executable}'").replace("@PATCH@", patch))
        path.chmod(0o755)
        return path

    def start(self, *arguments: str, script: Path | None = None, **options: str) -> subprocess.Popen[str]:
        cwd = Path(options.pop("cwd", str(self.folder)))
        return subprocess.Popen(
            [script or self.script, *arguments],
            cwd=cwd,
            env=self.env | options,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, script: Path | None = None, **options: str) -> tuple[int, str, str]:
        """Start it with `usi` on standard input; returns exit code, standard output and standard error."""
        process = self.start(*arguments, script=script, **options)
        try:
            out, err = process.communicate("usi\n", timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, out, err

    def calls(self, word: str = "") -> list[str]:
        """The calls of stand-in Pythons that hold `word`."""
        return [line for line in self.calls_file.read_text().splitlines() if word in line]

    def forget(self) -> None:
        self.calls_file.write_text("")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def refused(answer: tuple[int, str, str]) -> str:
    """What a start that must fail said: every line to standard error, and marked as ours."""
    code, out, err = answer
    assert code != 0
    assert out == ""
    assert any(line.startswith("kogoma: ") for line in err.splitlines())
    return err


def test_first_start_sets_up_and_keeps_the_protocol_clean(machine: Machine) -> None:
    machine.add_python()
    code, out, err = machine.run("perft", "5")
    assert (code, out) == (0, f"engine in {machine.folder}: perft 5\nusi\n")
    assert err.splitlines()[1:] == [INSTALLING, "kogoma: set up."]
    assert len(machine.calls("-m venv")) == len(machine.calls("-m pip")) == 1
    assert f"--editable {machine.checkout}" in machine.calls("-m pip")[0]


def test_later_starts_call_nothing_but_the_engine(machine: Machine) -> None:
    machine.add_python()
    machine.run()
    machine.forget()
    for tool in TOOLS:
        if tool not in ("bash", "env", "cat"):
            (machine.bin / tool).unlink()
    assert machine.run() == (0, f"engine in {machine.folder}:\nusi\n", "")
    assert machine.calls() == ["python -I -m kogoma"]


def test_any_folder_any_link(machine: Machine) -> None:
    machine.add_python()
    elsewhere = machine.folder / "else where"
    elsewhere.mkdir()
    (elsewhere / "first").symlink_to("../the checkout/engine.sh")
    (machine.folder / "second").symlink_to(elsewhere / "first")
    code, out, _ = machine.run("help", script=machine.folder / "second", cwd=str(elsewhere))
    assert (code, out) == (0, f"engine in {elsewhere}: help\nusi\n")
    assert machine.venv.is_dir()
    found_in_path = machine.run(script=Path("second"), cwd=str(elsewhere), PATH=f"{machine.folder}:{machine.bin}")
    assert found_in_path[0] == 0
    without_folder = ["bash", "engine.sh"]
    done = subprocess.run(
        without_folder, cwd=machine.checkout, env=machine.env, input="", text=True, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_changed_requirements_and_a_moved_checkout_install_again(machine: Machine) -> None:
    machine.add_python()
    machine.run()
    machine.forget()
    with (machine.checkout / "setup.cfg").open("a") as file:
        file.write("# one more\n")
    machine.run()
    machine.run()
    assert len(machine.calls("-m pip")) == 1
    assert not machine.calls("-m venv")
    moved = machine.folder / "moved"
    machine.checkout.rename(moved)
    machine.forget()
    assert machine.run(script=moved / "engine.sh")[0] == 0
    assert f"--editable {moved}" in machine.calls("-m pip")[0]


def test_a_python_that_has_gone_is_replaced(machine: Machine) -> None:
    machine.add_python()
    machine.run()
    (machine.venv / "bin" / "python").unlink()
    machine.forget()
    assert machine.run()[0] == 0
    assert len(machine.calls("-m venv")) == 1


def test_test_command_adds_the_extra_and_runs_in_the_checkout(machine: Machine) -> None:
    machine.add_python()
    code, out, _ = machine.run("test", "-k", "two words")
    assert (code, out) == (0, f"pytest in {machine.checkout}: -k two words\n")
    assert f"--editable {machine.checkout}[dev]" in machine.calls("-m pip")[0]
    assert machine.run("test")[1] == f"pytest in {machine.checkout}: -n auto\n"
    assert machine.run("test", "--all")[1] == f"pytest in {machine.checkout}: -n auto --all\n"
    machine.run()
    assert len(machine.calls("-m pip")) == 1


def test_engine_then_test_installs_only_the_extra(machine: Machine) -> None:
    machine.add_python()
    machine.run()
    machine.run("test")
    machine.run("test")
    assert len(machine.calls("-m venv")) == 1
    assert len(machine.calls("-m pip")) == 2


EXTRAS = {
    "match -e": "lab",
    "match -cluster tcp://n:1": "cluster",
    "board --no-open": "board",
    "wasm -o x": "board",
    "export dice": "export",
}


@pytest.mark.parametrize(("words", "extra"), EXTRAS.items())
def test_commands_add_their_extras(machine: Machine, words: str, extra: str) -> None:
    machine.add_python()
    machine.run()
    code, out, _ = machine.run(*words.split())
    assert (code, out) == (0, f"engine in {machine.folder}: {words}\nusi\n")
    assert f"--editable {machine.checkout}[{extra}]" in machine.calls("-m pip")[1]
    machine.run(*words.split())
    machine.run("report")
    assert len(machine.calls("-m pip")) == 2


def test_an_extra_contains_others(machine: Machine) -> None:
    """What `test` installs is enough for every command, and what a command installs for those that need less of it."""
    machine.add_python()
    for first, *later in (["board", "export x"], ["match -cluster n", "match"], ["test", *EXTRAS, "bench"]):
        for words in (first, *later):
            assert machine.run(*words.split())[0] == 0
        assert len(machine.calls("-m pip")) == 1, first
        shutil.rmtree(machine.venv)
        machine.forget()


def test_extras_contain_what_engine_sh_says() -> None:
    """The extras of setup.cfg and setup.py, against the list in `is_ready`."""
    config = configparser.ConfigParser()
    config.read(CHECKOUT / "setup.cfg", encoding="utf-8")
    lines = {name: set(text.split("\n")[1:]) for name, text in config["options.extras_require"].items()}
    lines["board"].add("kogoma[export]")  # setup.py adds it in a checkout

    def packages(name: str) -> set[str]:
        inner = {part for line in lines[name] if line.startswith("kogoma[") for part in re.findall(r"\w+", line)[1:]}
        return lines[name].union(*map(packages, inner))

    for narrow, wide in (("lab", "cluster"), ("export", "board"), ("cluster", "dev"), ("board", "dev")):
        assert packages(narrow) < packages(wide)


def test_two_starts_at_once_set_up_once(machine: Machine) -> None:
    machine.add_python()
    both = [machine.start(PIP_DOES="sleep 1") for _ in range(2)]
    answers = [process.communicate("usi\n", timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert [out for out, _ in answers] == [f"engine in {machine.folder}:\nusi\n"] * 2
    assert len(machine.calls("-m pip")) == len(machine.calls("-m venv")) == 1
    assert sum("waiting for it" in err for _, err in answers) == 1


def test_a_killed_set_up_starts_anew(machine: Machine) -> None:
    machine.add_python()
    half_done = machine.venv / "half-done"
    process = machine.start(PIP_DOES=f": >'{half_done}'; sleep 60")
    until(half_done.exists, 30)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert machine.run()[0] == 0
    assert not half_done.exists()
    assert len(machine.calls("-m venv")) == 2


@pytest.mark.parametrize("step", ["pip", "venv"])
def test_ctrl_c_during_the_set_up(machine: Machine, step: str) -> None:
    text = STAND_IN if step == "pip" else STAND_IN.replace('mkdir -p "$4/bin" &&', "exec sleep 60;")
    machine.add_python(text=text)
    with default_interrupt():
        process = machine.start("bench", PIP_DOES="exec sleep 60")
    until(lambda: machine.calls_file.exists() and machine.calls(f"-m {step} "), 60, process)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "kogoma: interrupted; the same command continues the set-up.", err
    assert "could not" not in err and "Traceback" not in err
    machine.add_python()
    assert machine.run()[0] == 0


def test_a_failed_extra_leaves_the_engine_working(machine: Machine) -> None:
    machine.add_python()
    machine.run()
    err = refused(machine.run("test", PIP_DOES="false"))
    assert "could not install" in err and "noise" in err
    machine.forget()
    assert machine.run() == (0, f"engine in {machine.folder}:\nusi\n", "")
    assert len(machine.calls()) == 1


def test_no_python(machine: Machine) -> None:
    err = refused(machine.run())
    assert "found no Python" in err
    assert "KOGOMA_PYTHON=" in err and "apt install python3" in err
    assert not machine.venv.exists()


def test_old_python(machine: Machine) -> None:
    machine.add_python(patch="sys.version_info = (3, 9, 18)")
    err = refused(machine.run())
    assert f"needs Python 3.11 or newer, but found only Python 3.9 ({machine.bin}/python3)" in err
    assert "KOGOMA_PYTHON=" in err


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_python_without_venv(machine: Machine, module: str) -> None:
    machine.add_python(patch=f"sys.version_info = (3, 12, 1); sys.modules['{module}'] = None")
    err = refused(machine.run())
    assert "venv or ensurepip module is missing" in err
    assert "apt install python3.12-venv" in err


def test_venv_that_fails(machine: Machine) -> None:
    machine.add_python(text=STAND_IN.replace("mkdir -p", "false &&"))
    err = refused(machine.run())
    assert "could not create the environment" in err and "python3-venv" in err


def test_unusable_pythons_are_passed_over(machine: Machine) -> None:
    machine.add_python("python3.13", text="#!/usr/bin/env bash\necho 'shim: no such version' >&2; exit 127\n")
    machine.add_python("python3.12", patch="sys.modules['ensurepip'] = None")
    machine.add_python("python3.11", patch="sys.version_info = (3, 10, 0)")
    good = machine.add_python("python")
    code, _, err = machine.run()
    assert code == 0
    assert f"with {good}" in err and "shim" not in err


def test_a_shim_does_not_hide_the_same_name_later_in_the_path(machine: Machine) -> None:
    shims = machine.folder / "shims"
    shims.mkdir()
    (shims / "python3").write_text("#!/usr/bin/env bash\nexit 127\n")
    (shims / "python3").chmod(0o755)
    machine.add_python()
    assert machine.run(PATH=f"{shims}:{machine.bin}")[0] == 0


def test_named_python(machine: Machine) -> None:
    machine.add_python()
    named = machine.add_python("snake")
    missing = machine.folder / "missing"
    assert f"{missing} does not run as a Python" in refused(machine.run(KOGOMA_PYTHON=str(missing)))
    assert f"with {named}" in machine.run(KOGOMA_PYTHON="snake")[2]


def test_named_folder(machine: Machine) -> None:
    machine.add_python()
    venv = machine.folder / "my envs" / "kogoma"
    assert machine.run(KOGOMA_VENV=str(venv))[0] == 0
    assert (venv / "bin" / "python").exists()
    assert not machine.venv.exists()
    machine.forget()
    assert machine.run(KOGOMA_VENV="my envs/kogoma")[0] == 0
    assert len(machine.calls()) == 1


def test_a_folder_of_other_files_is_left_alone(machine: Machine) -> None:
    machine.add_python()
    precious = machine.folder / "home" / ".precious"
    precious.parent.mkdir()
    precious.write_text("keep")
    err = refused(machine.run(KOGOMA_VENV=str(precious.parent)))
    assert "not Kogoma's (.precious)" in err and "KOGOMA_VENV=" in err
    assert precious.read_text() == "keep"


def test_incomplete_checkout(machine: Machine) -> None:
    (machine.checkout / "setup.cfg").unlink()
    assert "is the checkout complete?" in refused(machine.run())


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can enter: the tests for missing rights leave root for one of them."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)


def test_read_only_checkout(open_folder: Path) -> None:
    machine = Machine(open_folder)
    user = 65534 if os.geteuid() == 0 else None
    # The other user may not reach this Python, so the stand-in answers for itself, and goes without a lock.
    answers = {"exec @REAL@ -c": 'echo "good $0" #', "exec @REAL@": "true"}
    text = STAND_IN
    for real, own in answers.items():
        text = text.replace(real, own)
    machine.add_python(text=text)
    machine.calls_file.touch()
    machine.calls_file.chmod(0o666)
    machine.checkout.chmod(0o555)
    closed = open_folder / "closed"  # in it nobody but root can make a folder
    closed.mkdir(0o555)
    writable = open_folder / "writable"
    writable.mkdir()
    writable.chmod(0o777)

    def run(**options: str) -> subprocess.CompletedProcess[str]:
        env = machine.env | options
        return subprocess.run([machine.script], cwd="/", env=env, user=user, input="", text=True, capture_output=True)

    try:
        done = run()
        err = refused((done.returncode, done.stdout, done.stderr))
        assert "the checkout is read-only" in err and "export KOGOMA_VENV=" in err
        done = run(KOGOMA_VENV=str(closed / "venv"))
        assert "cannot write to" in refused((done.returncode, done.stdout, done.stderr))
        done = run(KOGOMA_VENV=str(writable / "venv"))
        assert (done.returncode, done.stdout) == (0, "engine in /:\n"), done.stderr
    finally:
        machine.checkout.chmod(0o755)


def test_a_build_leaves_the_checkout_alone(tmp_path: Path) -> None:
    """What pip runs, in a copy of all files: nothing is added, and everything that is needed is in the package."""
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
    elsewhere = ("tests/", "docs/", "benchmarks/", ".")
    for_checks = ("package.json", ".d.ts")  # of JavaScript's types
    wanted = {name for name in files.split("\0") if "/" in name and not name.startswith(elsewhere)}
    assert {name for name in wanted - packed if not name.endswith(for_checks)} == set()


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("ensurepip") is None, reason="this Python cannot make environments")
def test_no_network(machine: Machine) -> None:
    """With the real Python and the real pip, and a package index that nobody serves."""
    closed_port = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0"}
    machine.env |= closed_port
    err = refused(machine.run(KOGOMA_PYTHON=sys.executable, PATH=f"{machine.bin}:{os.defpath}"))
    assert err.count("\n") == 3  # setting up, installing, and the one that says what is wrong
    assert re.fullmatch(
        r"kogoma: could not download \w+\S*: connect this machine, .* HTTPS_PROXY .*", err.splitlines()[2]
    )
    # Nothing half-done passes for an environment: the next start tries again.
    assert not list(machine.venv.glob("*.stamp"))
