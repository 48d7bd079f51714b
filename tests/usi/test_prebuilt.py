"""Prebuilt libraries: the engine without numba and llvmlite, and its messages if a library cannot be used."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kogoma.native.platforms import PLATFORMS, this_platform
from support.info_report import CHECKS, sections, states
from support.native.prebuilt_tree import COMMAND, copy_of, environment, make_tree, prebuilt, run
from support.peers import absent
from support.permissions import bound_by_permissions, read_only
from support.usi_client import ROOT, UsiClient

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(this_platform() not in PLATFORMS, reason=f"there are no libraries for {this_platform()}"),
]

PREBUILT = "rules-64", "eval-64", "search-64", "mate-64"  # the libraries in the fixture `tree`
GAME = "setoption name USI_Variant value minishogi\n"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tree(tmp_path_factory.mktemp("prebuilt") / "site")


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d+ s\b.*|Nodes/second.*|(time|nps) \d+", "", text)


@pytest.mark.parametrize("words", [["bench", "5"], ["perft", "4", "minishogi"], ["perft", "4", "gorogoro"]], ids=str)
def test_the_results_are_those_of_the_compiled_engine(tree: Path, words: list[str]) -> None:
    done = run(tree, words)
    compiled = subprocess.run([sys.executable, "-m", "kogoma", *words], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == compiled.returncode == 0, done.stderr
    assert "Nodes searched" in done.stdout
    assert without_times(done.stdout) == without_times(compiled.stdout)


def test_neither_numba_nor_llvmlite_is_imported_and_nothing_is_written(tree: Path, tmp_path: Path) -> None:
    files = {path: path.stat().st_mtime_ns for path in tree.rglob("*")}
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "KOGOMA_CACHE": ""}
    with UsiClient(COMMAND, environment(tree) | home) as engine:
        engine.send("isready", "position startpos", "go depth 6")
        engine.read_until("bestmove")
        engine.send("eval")
        engine.read_until("total ")
        engine.send("position sfen 2k2/5/2P2/5/2K2 b G 1", "go mate 60000")
        assert engine.read_until("checkmate")[-1] == "checkmate G*3b"
        assert engine.errors() == ""
    assert files == {path: path.stat().st_mtime_ns for path in tree.rglob("*")}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("home", ["home", "none"])
def test_read_only_folders(tree: Path, tmp_path: Path, home: str) -> None:
    """Check that the engine works if it cannot write to its own folder or to the user's home folder. It must also work
    if the home folder does not exist."""
    site, user = copy_of(tree, tmp_path / "site"), tmp_path / home
    (tmp_path / "home").mkdir()
    env = {"HOME": str(user), "XDG_CACHE_HOME": str(user / "cache"), "KOGOMA_CACHE": "", "PYTHONDONTWRITEBYTECODE": ""}
    command = [*bound_by_permissions(), *COMMAND]
    with read_only(site, tmp_path):
        assert subprocess.run([*bound_by_permissions(), "touch", site / "file"], stderr=subprocess.DEVNULL).returncode
        with UsiClient(command, environment(site) | env) as engine:
            engine.send("isready", "position startpos", "go depth 4")
            engine.read_until("bestmove")
            engine.send("position sfen 2k2/5/2P2/5/2K2 b G 1", "go mate 60000")
            assert engine.read_until("checkmate")[-1] == "checkmate G*3b"
            assert (engine.quit(), engine.errors()) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="the longest path is that of Linux")
@pytest.mark.parametrize("length", [3840, 3841, 4030])
def test_a_path_that_is_too_long(tree: Path, tmp_path: Path, length: int) -> None:
    """Check that the engine reports a path that is too long. The tested paths are the longest possible one, one that is
    a byte longer, and one with which numpy would not find some of its own files."""
    count, rest = divmod(length - len(str(tmp_path)), 100)
    deep = copy_of(tree, Path(tmp_path, *["d" * 99] * (count - 1), "d" * (99 + rest)))
    assert len(str(deep)) == length
    done = run(deep, [], f"{GAME}isready\n")
    if length == 3840:
        assert (done.returncode, done.stdout, done.stderr) == (0, "readyok\n", "")
        return
    problem = f"the path of Kogoma's folder is too long: it has {length} bytes, at most 3840 are possible; "
    problem += "install Kogoma in another folder\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, f"info string error: {problem}", f"usi-engine: {problem}")
    done = run(deep, ["bench"])
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"usi-engine: {problem}")


def test_a_package_that_cannot_be_imported(tree: Path, tmp_path: Path) -> None:
    """Check that the engine reports an incomplete numpy in one line, although numpy's own error message has many
    lines."""
    site = copy_of(tree, tmp_path / "site")
    numpy = (site / "numpy").resolve()
    (site / "numpy").unlink()
    shutil.copytree(numpy, site / "numpy", ignore=shutil.ignore_patterns("_multiarray_umath.*", "tests"))
    done = run(site, [], f"{GAME}isready\n")
    (line,) = done.stderr.splitlines()
    assert done.returncode == 1 and line.startswith("kogoma: the engine cannot be loaded: ImportError: ")
    assert done.stdout == f"info string error: {line.removeprefix('kogoma: ')}\n"


@pytest.mark.parametrize("module", ["numpy._core._multiarray_umath", "platformdirs"])
def test_info_if_a_package_cannot_be_imported(tree: Path, tmp_path: Path, module: str) -> None:
    """Check that `info` still prints its sections if a module of numpy or a whole package is missing."""
    site = copy_of(tree, tmp_path / "site")
    package, _, file = module.partition("._core.")
    found = (site / package).resolve()
    (site / package).unlink()
    if file:
        shutil.copytree(found, site / package, ignore=shutil.ignore_patterns(f"{file}.*", "tests"))
    done = run(site, ["info"])
    assert (done.returncode, done.stderr) == (1, "")
    (line,) = sections(done.stdout)["Libraries"]
    assert re.match(r"(ImportError|ModuleNotFoundError): ", line) and f"No module named '{module}'" in line
    assert sections(done.stdout)["Self-test"] == [*[f"{name}: not possible" for name in CHECKS], "failed"]


@pytest.mark.parametrize("words", [["info"], ["info", "--compile"]], ids=" ".join)
def test_info_without_libraries_and_numba(tree: Path, tmp_path: Path, words: list[str]) -> None:
    site = copy_of(tree, tmp_path / "site")
    no_libraries(prebuilt(site))
    done = run(site, words)
    assert (done.returncode, done.stderr) == (1, "")
    found, why = sections(done.stdout), f"there are no prebuilt libraries for {this_platform()}"
    assert found["Packages"][1:] == ["numba: not installed", "llvmlite: not installed"]
    assert set(states(done.stdout).values()) == {"broken", "-"}
    assert found["Libraries"][4] == f"not prebuilt: {why}" and len(found["Libraries"]) == 6
    assert re.fullmatch(rf"{why}, and numba, which .* is not installed: .*", found["Libraries"][5])
    assert found["Self-test"] == [*[f"{name}: not possible" for name in CHECKS], "failed"]


def test_info_says_why_libraries_are_not_the_prebuilt_ones(tree: Path, tmp_path: Path) -> None:
    """Check that `info` says why it does not use prebuilt libraries. Only the libraries for small boards are prebuilt,
    and the sources of one of them have changed. Numba is installed, so all other libraries could be compiled."""
    site = copy_of(tree, tmp_path / "site")
    with open(site / "kogoma" / "search" / "mate" / "solution.py", "a") as file:
        file.write("# changed\n")
    env = {**os.environ, "PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1", "KOGOMA_COMPILE": ""}
    command = [sys.executable, "-m", "kogoma", "info"]
    done = subprocess.run(command, cwd=site, env=env, capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stderr) == (0, "")
    found, lines = states(done.stdout), sections(done.stdout)["Libraries"]
    assert {name for name, state in found.items() if state == "prebuilt"} == {"rules-64", "eval-64", "search-64"}
    assert found["mate-64"] == "not yet"
    assert "not prebuilt: the sources differ from those of the prebuilt library mate-64" in lines
    (missing,) = [line for line in lines if line.startswith("not prebuilt: there is no prebuilt library ")]
    existing = {name for name, state in found.items() if state != "-"}
    assert set(missing.split("library ")[1].split()) == existing - {*PREBUILT}
    assert ", correct, " in sections(done.stdout)["Self-test"][3]


def test_info_about_a_damaged_library(tree: Path, tmp_path: Path) -> None:
    site = copy_of(tree, tmp_path / "site")
    cut_off(prebuilt(site))
    done = run(site, ["info"])
    found = states(done.stdout)
    assert done.returncode == 1 and (found["search-64"], found["rules-64"]) == ("broken", "prebuilt")
    assert any(re.search(r"search-64\.\S+ is damaged \(", line) for line in sections(done.stdout)["Libraries"])
    test = sections(done.stdout)["Self-test"]
    assert test[0].endswith(", correct") and test[3:] == ["bench: not possible", "failed"]
    bad_index(prebuilt(site))
    done = run(site, ["info"])
    assert done.returncode == 1 and set(states(done.stdout).values()) == {"broken", "-"}
    assert len([line for line in sections(done.stdout)["Libraries"] if line.endswith(" again")]) == 1


@pytest.mark.parametrize(
    "file, number, check",
    [
        ("search/bench.py", r"(?<=NODES = )\d[\d_]+", "bench"),
        ("usi_engine/info_command.py", "533_203", "perft 5 minishogi"),
    ],
)
def test_info_about_a_wrong_result(tree: Path, tmp_path: Path, file: str, number: str, check: str) -> None:
    """Check that the self-test of `info` reports a wrong node count. To cause this, the test changes the number that
    `info` expects."""
    site = copy_of(tree, tmp_path / "site")
    path = site / "kogoma" / file
    text, count = re.subn(number, "5", path.read_text("utf-8"))
    assert count == 1
    path.write_text(text, "utf-8")
    done = run(site, ["info"])
    wrong = [line for line in sections(done.stdout)["Self-test"] if "wrong" in line]
    assert done.returncode == 1 and sections(done.stdout)["Self-test"][-1] == "failed"
    assert len(wrong) == 1 and re.fullmatch(rf"{check}: \d+ instead of 5: wrong", wrong[0])


@pytest.mark.parametrize("words", ["export minishogi -o bot.py", "wasm minishogi -o web", "tune minishogi"])
def test_a_command_that_compiles_names_the_missing_package(tree: Path, words: str) -> None:
    done = run(tree, words.split())
    expected = f"{words.split()[0]}: this has to be compiled, but numba is missing: pip install 'kogoma[compile]'\n"
    assert (done.returncode, done.stderr) == (1, expected)


def fastest(folder: Path) -> Path:
    index = json.loads((folder / "index.json").read_text())
    return folder / str(next(iter(index["libraries"]["search-64"]["files"])))


def mate_files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"mate-64.*{PLATFORMS[this_platform()].suffix}"))


def missing_mates(folder: Path) -> None:
    for path in mate_files(folder):
        path.unlink()


def damaged_mates(folder: Path) -> None:
    for path in mate_files(folder):
        path.write_bytes(path.read_bytes()[:-1])


def missing(folder: Path) -> None:
    fastest(folder).unlink()


def cut_off(folder: Path) -> None:
    fastest(folder).write_bytes(fastest(folder).read_bytes()[:5000])


def changed(folder: Path) -> None:
    content = bytearray(fastest(folder).read_bytes())
    content[3000] ^= 1
    fastest(folder).write_bytes(content)


def unreadable(folder: Path) -> None:
    fastest(folder).chmod(0)


def unreadable_index(folder: Path) -> None:
    (folder / "index.json").chmod(0)


def no_index(folder: Path) -> None:
    (folder / "index.json").unlink()


def bad_index(folder: Path) -> None:
    (folder / "index.json").write_text('{"format": 1')


def other_platform(folder: Path) -> None:
    text = (folder / "index.json").read_text()
    (folder / "index.json").write_text(text.replace(this_platform(), "solaris-x86_64"))


def no_libraries(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def other_sources(folder: Path) -> None:
    with open(folder.parents[1] / "search" / "quiescence.py", "a") as file:
        file.write("# changed\n")


DAMAGE: dict[Callable[[Path], None], str] = {
    missing: r"KernelError: \S+search-64\.\S+ is missing: unpack or install Kogoma again",
    cut_off: r"KernelError: \S+search-64\.\S+ is damaged \(checksum mismatch\): unpack or install Kogoma again",
    changed: r"KernelError: \S+search-64\.\S+ is damaged \(checksum mismatch\): unpack or install Kogoma again",
    unreadable: r"KernelError: \S+search-64\.\S+ cannot be read: Permission denied",
    unreadable_index: r"KernelError: \S+index\.json cannot be read: Permission denied",
    missing_mates: r"KernelError: \S+mate-64\.\S+ is missing: unpack or install Kogoma again",
    damaged_mates: r"KernelError: \S+mate-64\.\S+ is damaged \(checksum mismatch\): unpack or install Kogoma again",
    no_index: r"KernelError: \S+index\.json is missing: unpack or install Kogoma again",
    bad_index: r"KernelError: \S+index\.json is damaged: unpack or install Kogoma again",
    other_platform: r"the libraries in \S+ are for solaris-x86_64, but this is \S+, and numba, .*",
    no_libraries: r"there are no prebuilt libraries for \S+, and numba, .* is not installed: .* kogoma\[compile\]",
    other_sources: r"the sources differ from those of the prebuilt library search-64, and numba, .* kogoma\[compile\]",
}


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_an_unusable_library_gives_a_one_line_error(tree: Path, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    broken = copy_of(tree, tmp_path / "site")
    damage(prebuilt(broken))
    done = run(broken, [], f"usi\n{GAME}isready\nquit\n", bound_by_permissions())
    assert done.returncode == 1 and "readyok" not in done.stdout
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(rf"kogoma: the engine cannot be loaded: .*{DAMAGE[damage]}", line), line
    assert done.stdout.splitlines()[-1] == f"info string error: {line.removeprefix('kogoma: ')}"

    done = run(broken, ["bench", "2"], "", bound_by_permissions())
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr


@pytest.mark.skipif(this_platform() != "linux-x86_64", reason="qemu-x86_64 runs programs for Linux")
@pytest.mark.parametrize(
    "processor, problem",
    [
        ("Nehalem", "this processor has no AVX, or a virtual machine hides it"),
        ("SandyBridge", "this processor has no AVX2, or a virtual machine hides it"),
        (
            "Haswell,-xsave",
            "this processor has AVX, but the operating system or the virtual machine has not enabled it",
        ),
        ("Haswell", ""),
    ],
)
def test_a_processor_without_a_feature(tree: Path, tmp_path: Path, processor: str, problem: str) -> None:
    """Check that the engine reports a processor that lacks a required feature. Only libraries for x86-64-v3 are
    installed, and qemu emulates the processors."""
    if shutil.which("qemu-x86_64") is None:
        absent("qemu-x86_64")
    site = copy_of(tree, tmp_path / "site")
    index = json.loads((prebuilt(site) / "index.json").read_text())
    for described in index["libraries"].values():
        described["files"] = {name: digest for name, digest in described["files"].items() if ".x86-64-v3." in name}
    (prebuilt(site) / "index.json").write_text(json.dumps(index))
    done = run(site, [], f"{GAME}isready\nquit\n", ["qemu-x86_64", "-cpu", processor])
    told = [line for line in done.stderr.splitlines() if not line.startswith("qemu-x86_64: warning: ")]
    if problem:
        text = f"the engine cannot be loaded: KernelError: {problem}"
        assert (done.returncode, done.stdout.strip(), told) == (1, f"info string error: {text}", [f"kogoma: {text}"])
    else:
        assert (done.returncode, done.stdout.strip(), told) == (0, "readyok", [])


@pytest.mark.skipif(this_platform() != "linux-x86_64", reason="qemu-x86_64 runs programs for Linux")
def test_info_about_an_old_processor(tree: Path, tmp_path: Path) -> None:
    if shutil.which("qemu-x86_64") is None:
        absent("qemu-x86_64")
    site = copy_of(tree, tmp_path / "site")
    index = json.loads((prebuilt(site) / "index.json").read_text())
    index["libraries"] = {"rules-64": index["libraries"]["rules-64"]}  # no searches, which take long here
    (prebuilt(site) / "index.json").write_text(json.dumps(index))
    done = run(site, ["info"], "", ["qemu-x86_64", "-cpu", "SandyBridge"])
    feature = "x86-64-v3: this processor has no AVX2, or a virtual machine hides it"
    assert sections(done.stdout)["Processor"][-1] == feature
    assert sections(done.stdout)["Self-test"][0].endswith(", correct")  # the library for all processors was used


def test_a_damaged_file_of_the_pages_games(tree: Path, tmp_path: Path) -> None:
    """Check that an export fails with a message if the file games.zip is cut off or changed. This file, which is part
    of every wheel, contains the data of the page's games."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("games/index.json", "{}")
    content = packed.getvalue()
    broken = copy_of(tree, tmp_path / "site")
    for damaged in (content[:-9], content.replace(b"{}", b"[]", 1)):
        (broken / "kogoma" / "web" / "games.zip").write_bytes(damaged)
        done = run(broken, ["board", "--export", str(tmp_path / "page")])
        assert (done.returncode, done.stdout) == (1, "")
        assert re.fullmatch(r"board: \S+games\.zip is damaged: unpack or install Kogoma again\n", done.stderr), done
        assert not (tmp_path / "page").exists()


def test_a_page_with_other_weights_needs_numba(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = copy_of(tree, tmp_path / "site")
    with zipfile.ZipFile(site / "kogoma" / "web" / "games.zip", "w") as archive:
        archive.writestr("games/index.json", "{}")
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    done = run(site, ["board", "--export", str(tmp_path / "page")])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("the page lacks the weights of KOGOMA_WEIGHTS: adding them needs numba\n")
    assert (tmp_path / "page" / "games" / "index.json").read_text() == "{}"


def test_a_checkout_takes_its_libraries_from_dist(tree: Path, tmp_path: Path) -> None:
    checkout = copy_of(tree, tmp_path / "site")
    (checkout / "engine.sh").touch()
    (checkout / "dist" / "libraries").mkdir(parents=True)
    prebuilt(checkout).rename(checkout / "dist" / "libraries" / this_platform())
    assert run(checkout, ["perft", "2", "minishogi"]).returncode == 0
    other_sources(prebuilt(checkout))
    done = run(checkout, ["bench", "2"])
    assert done.returncode == 1 and done.stderr.endswith("run ./engine.sh once, or pip install numba\n")


def test_changed_sources_are_compiled(tree: Path, tmp_path: Path) -> None:
    """Check that, with numba, only the library whose sources have changed is compiled. The other libraries stay
    prebuilt."""
    checkout = copy_of(tree, tmp_path / "site")
    with open(checkout / "kogoma" / "search" / "mate" / "solution.py", "a") as file:
        file.write("# changed\n")
    compiling = {"PYTHONPATH": "", "KOGOMA_CACHE": str(tmp_path / "cache"), "KOGOMA_COMPILE": ""}
    done = subprocess.run(
        [sys.executable, "-m", "kogoma", "warmup", "minishogi"],
        cwd=checkout,
        env={**os.environ, **compiling},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert re.findall(r"compiling (\w+)", done.stdout) == ["mate"]
