"""Object files damaged by the disk, other users or kills: the engine still becomes ready or says why it cannot, and
never runs a file that it has not made."""

from __future__ import annotations

import functools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.native.objects import built, compilers, evaluation, flip_a_bit, libraries, names
from support.permissions import ABOVE, NOBODY, SOMEBODY, as_account, below, public_folder
from support.scope import count
from support.usi_client import ENGINE, PATIENCE, ROOT, UsiClient, until

pytestmark = pytest.mark.slow

# This program runs a command that can write only a few bytes to a file.
NO_ROOM = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (99, 99))
os.execv(sys.argv[1], sys.argv[1:])
"""
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs processes and limits of Linux")
posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners and modes of POSIX")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all object files of a variant."""
    return built(tmp_path_factory.mktemp("good") / "objects")


@pytest.fixture
def cache(good: Path, tmp_path: Path) -> Path:
    """Return a copy of the folder `good`. A test may damage the copy."""
    return shutil.copytree(good, tmp_path / "cache")


def client(*folders: Path | str, **environment: str) -> UsiClient:
    """Start an engine for Onitama that uses these folders as its cache folders."""
    return UsiClient(env={"KOGOMA_CACHE": os.pathsep.join(map(str, folders)), **environment}, variant="onitama")


def start(*engines: UsiClient) -> list[list[str]]:
    """Send `isready` to all engines at once. Check that each engine can play. Return a list of info strings for each
    engine."""
    for engine in engines:
        engine.send("isready")
    said = [engine.read_until("readyok", 200)[:-1] for engine in engines]
    for engine in engines:
        assert engine.go("depth", 3)[1] == usual_move()
    return [[line.removeprefix("info string ") for line in lines if line] for lines in said]


@functools.cache
def usual_move() -> str:
    """Return the move that an engine with intact object files plays."""
    with UsiClient(variant="onitama") as engine:
        engine.ready()
        return engine.go("depth", 3)[1]


# Damage


@pytest.mark.long
def test_a_damaged_object_is_reported_renamed_and_compiled_again(cache: Path) -> None:
    path = evaluation(cache)
    flip_a_bit(path)
    with client(cache) as engine:
        [lines] = start(engine)
    assert [line for line in lines if "damaged" in line] == [lines[0]]
    assert str(path) in lines[0] and f"{path.name}.bad" in lines[0]
    assert lines[1].startswith("compiling eval") and lines[2:] == ["compiled eval"]
    others = {f"{path.name}.bad", path.name.removesuffix(".o") + ".bc.z"}
    assert names(cache) == {library.file_name for library in libraries()} | others
    if hasattr(os, "geteuid"):
        assert path.stat().st_mode & 0o777 == 0o644  # other users may load libraries compiled by `warmup`


DAMAGE: dict[str, Callable[[bytes, bytes], bytes]] = {
    "empty": lambda data, other: b"",
    "cut in its head": lambda data, other: data[:20],
    "cut": lambda data, other: data[: len(data) // 2],
    "longer": lambda data, other: data + b"\0",
    "random": lambda data, other: random.Random(1).randbytes(len(data)),
    "zeros": lambda data, other: data[:100] + bytes(len(data) - 100),
    "another object": lambda data, other: other,
    "a head without anything": lambda data, other: data[:48],
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_no_damaged_object_is_run(kind: str, good: Path, cache: Path) -> None:
    rules, *others = (cache / library.file_name for library in libraries())
    rules.write_bytes(DAMAGE[kind](rules.read_bytes(), others[-1].read_bytes()))
    with client(cache, good) as engine:
        [lines] = start(engine)
        assert engine.quit() == 0
    assert len(lines) == 1 and lines[0].startswith(f"{rules} is damaged")
    assert names(cache) == {*(path.name for path in others), f"{rules.name}.bad"}


@pytest.mark.long
def test_random_damage() -> None:
    command = [sys.executable, "-m", "benchmarks.corrupt_cache", "--trials", str(count(20, 6))]
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0 and ": 0 wrong;" in done.stdout, done.stdout + done.stderr


@linux
def test_a_pipe_or_folder_instead_of_a_file_does_not_block(good: Path, cache: Path) -> None:
    rules, evaluates, *_ = (cache / library.file_name for library in libraries())
    rules.unlink()
    os.mkfifo(rules)
    evaluates.unlink()
    evaluates.mkdir()
    with client(cache, good) as engine:
        [lines] = start(engine)
    assert len(lines) == 2 and str(rules) in lines[0] + lines[1] and str(evaluates) in lines[0] + lines[1]


# Other users


@linux
def test_another_user_loads_objects_of_a_different_user(good: Path) -> None:
    prefix = as_account(NOBODY)
    with public_folder() as shared:
        for path in good.iterdir():
            shutil.copy(path, shared)
            (shared / path.name).chmod(0o644)
            os.utime(shared / path.name, (1e9, 1e9))
        hidden = shared / "hidden"
        hidden.mkdir(mode=0o700)
        folders = os.pathsep.join([str(hidden / "inside"), str(shared)])
        environment = {"KOGOMA_CACHE": folders, "HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"}
        with UsiClient([*prefix, *ENGINE], env=environment, variant="onitama") as engine:
            assert start(engine) == [[]]
        assert {path.stat().st_mtime for path in shared.glob("*.o")} == {1e9}


def forbid(path: Path, mode: int | None = None) -> None:
    """Make a file or folder unsafe. Set its mode to `mode`, which lets other users write to it. If `mode` is None, give
    the file or folder to another owner."""
    if mode is not None:
        path.chmod(mode)
    elif os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    else:
        pytest.skip("only root can change the owner of files")


@posix
@pytest.mark.parametrize("mode", [0o777, 0o775, None], ids=["anybody", "group", "owner"])
@pytest.mark.parametrize("folder", [True, False], ids=["folder", "file"])
def test_files_that_others_may_write_are_not_run(mode: int | None, folder: bool, good: Path, cache: Path) -> None:
    path = cache if folder else evaluation(cache)
    forbid(path, mode)
    before = names(cache)
    private = cache.parent / "home"
    built(private / "kogoma")
    # If only the file is unsafe, the same file in `good` is used. If the folder is unsafe, the private folder is used.
    folders = [cache] if folder else [cache, good]
    with client(*folders, XDG_CACHE_HOME=str(private)) as engine:
        [lines] = start(engine)
    why = "it belongs to another user" if mode is None else "others may write to it"
    assert lines[0] == f"{path} is not used: {why}"
    assert len(lines) == 1 + folder and (str(private) in lines[-1]) == folder
    assert names(cache) == before


@linux
@pytest.mark.parametrize("is_private", [True, False], ids=["private", "named"])
@pytest.mark.parametrize("kind", ABOVE)
def test_a_folder_is_not_used_if_another_user_could_replace_it(kind: str, is_private: bool, good: Path) -> None:
    prefix, why = as_account(SOMEBODY), ABOVE[kind].why
    with public_folder() as place:
        other, parent = below(place, ABOVE[kind])
        cache = shutil.copytree(good, parent / "kogoma")
        for path in (cache, *cache.iterdir()):
            os.chown(path, SOMEBODY, SOMEBODY)
        before = names(cache)
        environment = {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent", "KOGOMA_CACHE": str(cache)}
        if is_private:
            environment |= {"XDG_CACHE_HOME": str(parent), "KOGOMA_CACHE": ""}
        with UsiClient([*prefix, *ENGINE], env=environment, variant="onitama") as engine:
            if why:
                engine.send("isready")
                lines = engine.read_until(f"info string {cache} is not used")
                assert lines[-1].endswith(f" is not used: {why.format(other)}")
                engine.read_until("info string compiling")
            else:
                assert start(engine) == [[]]
        assert names(cache) == before


@pytest.mark.long
@linux
def test_folders_are_created_so_that_nobody_can_replace_them(cache: Path, tmp_path: Path) -> None:
    """Check that only the owner of new cache folders can write to them, even if the umask is 000."""
    evaluation(cache).unlink()
    command = ["sh", "-c", 'umask 000; exec "$@"', "sh", *ENGINE]
    new = tmp_path / "a" / "b" / "c"
    with UsiClient(command, env={"KOGOMA_CACHE": f"{new}{os.pathsep}{cache}"}, variant="onitama") as engine:
        [lines] = start(engine)
    assert [line.split(" ")[0] for line in lines] == ["compiling", "compiled"] and evaluation(new).exists()
    assert [path.stat().st_mode & 0o777 for path in (new, *new.parents[:2])] == [0o755] * 3


@linux
def test_a_link_to_a_folder_is_followed_once(good: Path) -> None:
    """Check that a link in another user's folder is followed if it leads to a safe folder, and refused if it leads to
    an unsafe folder. The engine follows the link only once, because the other user could change the link later."""
    with public_folder() as place:
        evil = place / "evil"
        evil.mkdir()
        if os.geteuid() == 0:
            os.chown(evil, NOBODY, NOBODY)
        (evil / "link").symlink_to(good)
        with client(evil / "link") as engine:
            assert start(engine) == [[]]
        (evil / "link").unlink()
        (evil / "link").symlink_to(evil)
        with client(evil / "link", good) as engine:
            [lines] = start(engine)
        assert lines == [f"{evil / 'link'} is not used: it belongs to another user"] * (os.geteuid() == 0)


@posix
def test_permissions_of_the_private_folder_are_corrected(cache: Path) -> None:
    folder = cache.parent / "home" / "kogoma"
    shutil.copytree(cache, folder)
    folder.chmod(0o777)
    with client("", XDG_CACHE_HOME=str(folder.parent)) as engine:
        assert start(engine) == [[]]
    assert folder.stat().st_mode & 0o777 == 0o755


# Folders


@posix
@pytest.mark.parametrize("named", ["~/objects", "objects"])
def test_folders_do_not_depend_on_the_current_folder(named: str, good: Path, tmp_path: Path) -> None:
    shutil.copytree(good, tmp_path / "objects")
    before = names(ROOT)
    with client(named, HOME=str(tmp_path)) as engine:
        assert start(engine) == [[]]
    assert names(ROOT) == before


def test_if_no_folder_can_be_written_the_private_one_is_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    private = built(tmp_path / "home" / "kogoma")
    with client(tmp_path / "file" / "cache", XDG_CACHE_HOME=str(private.parent)) as engine:
        [lines] = start(engine)
    assert lines == [f"KOGOMA_CACHE names no folder that can be written: {private} is used instead"]


@linux
def test_a_full_disk_is_reported_and_no_file_is_left(cache: Path) -> None:
    evaluation(cache).unlink()
    stale = cache / f"{evaluation(cache).name}.ab12_xyz.tmp"
    stale.write_bytes(b"")
    os.utime(stale, (1e9, 1e9))
    before = names(cache)
    command = [sys.executable, "-c", NO_ROOM, *ENGINE]
    with UsiClient(command, env={"KOGOMA_CACHE": str(cache)}, variant="onitama") as engine:
        [lines] = start(engine)
        assert engine.quit() == 0
    assert [line.split(" ")[0] for line in lines] == ["compiling", "compiled", "nothing"]
    assert f"nothing can be kept in {cache} (File too large)" in lines[-1] and "KOGOMA_CACHE" in lines[-1]
    assert names(cache) == before - {stale.name}


HASH = "0123456789abcdef0123"
FOREIGN = [
    *(f"holiday{number}.zip" for number in range(9)),
    *(f"module{number}.o" for number in range(30)),
    *("Cargo.lock", "poetry.lock", ".lock", "kogoma.lock", "code.bc.z", "disk.bad", "tmpab12_xyz", "download.tmp"),
    *(f"kogoma-0.{number}-windows-x64.zip" for number in range(9)),
    *(f"kogoma-rules-64-{HASH}.{ending}" for ending in ("o.orig", "o.lock.lock", "zip.part", "o.abc.tmp", "py")),
    *(f"rules-64-{HASH}.o.lock", f"my-kogoma-rules-64-{HASH}.o.lock", f"kogoma-rules-64-{HASH}0.o.lock"),
]


@pytest.mark.long
def test_files_of_others_in_the_folder_are_left_alone(cache: Path) -> None:
    """Check that Kogoma deletes only its own old files from a cache folder. It deletes them after it has written a
    file, and when a file is damaged."""
    own = {f"kogoma-rules-64-{number:020x}.o" for number in range(30)}
    joined = {name.replace(".o", ".bc.z") for name in own}
    archives = {f"kogoma-games-{number:020x}.zip" for number in range(12)}
    modules = {f"kogoma-search-64-{number:020x}.wasm" for number in range(40)}
    leftovers = {f"kogoma-games-{HASH}.zip{ending}" for ending in (".lock", ".ab12_xyz.tmp", ".bad")}
    for number, name in enumerate([*FOREIGN, *sorted(own | joined | archives | modules | leftovers)]):
        (cache / name).write_text(name)
        os.utime(cache / name, (1e9 + number, 1e9 + number))
    flip_a_bit(evaluation(cache))
    with client(cache) as engine:
        [lines] = start(engine)
    assert [line.split(" ")[0] for line in lines] == [str(evaluation(cache)), "compiling", "compiled"]
    left = names(cache)
    assert {name for name in FOREIGN if name in left and (cache / name).read_text() == name} == set(FOREIGN)
    kept = sorted(own)[-(24 - len(libraries()) + 1) :]  # 24 objects are kept, including those in use
    assert sorted(own & left) == kept and sorted(joined & left) == [name.replace(".o", ".bc.z") for name in kept]
    assert sorted(archives & left) == sorted(archives)[-8:] and sorted(modules & left) == sorted(modules)[-32:]
    assert not leftovers & left


# Several engines at once


@pytest.mark.long
def test_one_compiles_and_another_waits_for_it(cache: Path) -> None:
    evaluation(cache).unlink()
    impossible = evaluation(cache).with_name("file") / "folder"
    impossible.parent.touch()
    with client(impossible, cache) as first, client(cache) as second:
        said = start(first, second)
    assert sorted(line.split(" ")[0] for line in said[0] + said[1]) == ["another", "compiled", "compiling"]
    assert len(names(cache)) == len(libraries()) + 2  # the file named `file`, and a joined module


@pytest.mark.long
def test_mates_are_compiled_in_the_background(cache: Path) -> None:
    """Check that, until the mate solver is compiled, `go mate` keeps its time limit, `stop` is answered at once, and
    the engine plays moves."""
    *_, mates = libraries()
    (cache / mates.file_name).unlink()
    with client(cache) as engine:
        assert start(engine) == [[]]
        for command, limit in (("go mate 200", 0.2), ("go mate infinite", 0.3)):
            began = time.perf_counter()
            engine.send(command)
            if command.endswith("infinite"):
                time.sleep(limit)
                began = time.perf_counter()
                engine.send("stop")
            *said, answer = engine.read_until("checkmate")
            assert answer == "checkmate timeout" and "being compiled" in said[0]
            assert time.perf_counter() - began < 2  # compiling takes longer
        assert engine.go("depth", 3)[1] == usual_move()
        engine.send("go mate nodes 100")  # without a time limit, this command waits until the solver is compiled
        engine.read_until("checkmate", 200)
    assert mates.file_name in names(cache)


def test_the_compiler_runs_the_code_of_its_parent(tmp_path: Path) -> None:
    """Check that the compiler process imports the same copy of the package `kogoma` as its parent process, even if
    another checkout is installed or the parent found the package in the working directory."""
    shutil.copytree(ROOT / "kogoma", tmp_path / "kogoma", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "kogoma" / "native" / "build.py").write_text("raise RuntimeError('the copy')\n")
    program = "from kogoma.native.compiler import Compiler; Compiler('64').compiled('rules', ())"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True
    )
    assert "compiling rules failed: RuntimeError: the copy" in done.stderr


@linux
def test_compilers_end_with_their_engine_and_a_killed_one_is_reported(cache: Path) -> None:
    evaluation(cache).unlink()
    with client(cache) as first, client(cache) as second:
        first.send("isready")
        first.read_until("info string compiling eval")
        second.send("isready")
        second.read_until("info string another Kogoma compiles eval")
        until(lambda: compilers(cache))
        old = compilers(cache)
        assert len(old) == 1
        first.process.send_signal(signal.SIGKILL)
        second.read_until("info string compiling eval")  # the killed engine has released its lock
        until(lambda: compilers(cache) not in ([], old) and not set(old) & set(compilers(cache)))
        os.kill(compilers(cache)[0], signal.SIGKILL)
        error = second.read_until("info string error")[-1]
        assert "compiling eval was ended by SIGKILL: probably out of memory" in error
        assert second.process.wait(PATIENCE) == 1
    with client(cache) as third:
        third.send("isready")
        until(lambda: compilers(cache))
        time.sleep(0.1)  # after this time, the compiler is working
        assert third.quit() == 0
        until(lambda: not compilers(cache))
    assert not [name for name in names(cache) if name.endswith(".tmp")]
