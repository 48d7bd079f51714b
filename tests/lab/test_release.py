"""The files of a release have the expected contents and run, and a second build gives the same bytes.

Wheels for other processors run under qemu. Libraries for macOS are only inspected, with lief.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from email import message_from_bytes
from pathlib import Path

import pytest

from kogoma.native.platforms import ALL, PLATFORMS, this_platform
from kogoma.rules.variants import VARIANTS
from support.browsers.board_server import board_server
from support.info_report import sections, states
from support.lab_runs import finish, read_games
from support.peers import absent
from support.permissions import bound_by_permissions, read_only
from support.usi_client import ROOT, UsiClient, until

lief = pytest.importorskip("lief", reason="lief is not installed: ./engine.sh test --all installs it")

pytestmark = [
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.skipif(this_platform() != "linux-x86_64", reason="releases are built on Linux, x86-64"),
]

INDEX = "kogoma/native/prebuilt/index.json"
LINKERS_OWN = {"__mh_dylib_header", "___dso_handle"}
DEVELOPMENT = re.compile(
    r"kogoma/lab/release/.*/.*|.*/(\w+\.d\.ts|package\.json)"
)  # files that are not needed at run time
CPU_TYPES = {"macos-arm64": "ARM64", "macos-x86_64": "X86_64"}


# This program builds a release in its working folder as `release` does, but takes libraries and the games from another
# release. The arguments of the program are the folder and the wheel of that release.
SECOND_BUILD = """
import json, shutil, sys, tempfile, zipfile
from pathlib import Path
from kogoma.lab.release import command, libraries
from kogoma.native.platforms import PLATFORMS
from kogoma.web import games_folder

write = libraries.write_libraries

def write_libraries(target, compiled, folder, known):
    shutil.copytree(Path(sys.argv[1], "libraries", target.name), folder, dirs_exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        write(target, compiled, Path(name), known)
        again = json.loads(Path(name, "index.json").read_text())["libraries"]
        index = json.loads((folder / "index.json").read_text())["libraries"]
        for library in again:
            assert again[library] == index[library], library
            for file in again[library]["files"]:
                shutil.copy(Path(name, file), folder)

if __name__ == "__main__":
    compiled = libraries.compiled_libraries(print, ["onitama"])
    libraries.compiled_libraries = lambda tell: compiled
    libraries.write_libraries = write_libraries
    games_folder.packed_games = lambda *_: zipfile.ZipFile(sys.argv[2]).read("kogoma/web/games.zip")
    command.release([PLATFORMS["linux-x86_64"], PLATFORMS["windows-x86_64"]], Path("dist").absolute(), print)
"""


def release(folder: Path, command: Sequence[str], **environment: str) -> Path:
    """Run a command that builds a release in a fresh clone, and return the folder of the release's files."""
    folder.mkdir()
    subprocess.run(["git", "clone", "-q", str(ROOT), "clone"], cwd=folder, check=True)
    own = {"KOGOMA_CACHE": str(folder / "cache"), "PYTHONPATH": str(folder / "clone")}
    done = call(command, folder / "clone", own | environment)
    assert done.returncode == 0, done.stderr
    return folder / "clone" / "dist"


def call(
    command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(command), cwd=folder, env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=3000
    )


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a release of the current Git commit. Build the release, unless the environment variable
    KOGOMA_TEST_DIST names the folder of a finished build."""
    if given := os.environ.get("KOGOMA_TEST_DIST"):
        return Path(given)
    return release(tmp_path_factory.mktemp("release") / "first", [sys.executable, "-m", "kogoma", "release"])


def wheel(dist: Path, platform: str) -> Path:
    (found,) = dist.glob(f"kogoma-*-py3-none-{PLATFORMS[platform].tag}.whl")
    return found


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel for Linux with its extra `board`, which makes exported sites small, in a new virtual
    environment. Return the folder of the environment's programs."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "venv"], cwd=folder, check=True)
    subprocess.run([folder / "venv/bin/pip", "install", "-q", f"{wheel(dist, 'linux-x86_64')}[board]"], check=True)
    return folder / "venv" / "bin"


def bench(command: Sequence[str], folder: Path, env: Mapping[str, str] | None = None) -> str:
    done = call([*command, "bench"], folder, env)
    found = re.search(r"^Nodes searched: (\d+)$", done.stdout, re.MULTILINE)
    assert found is not None, done.stderr
    return found[1]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the node count that the command `bench` prints with kernels compiled on this machine."""
    return bench([sys.executable, "-m", "kogoma"], ROOT)


def test_the_checksums(dist: Path) -> None:
    done = call(["sha256sum", "--check", "--strict", "SHA256SUMS"], dist)
    assert done.returncode == 0, done.stdout
    names = {line.split("  ")[1] for line in (dist / "SHA256SUMS").read_text().splitlines()}
    assert names == {path.name for path in dist.iterdir() if path.is_file()} - {"SHA256SUMS", "BUILDINFO.json"}
    assert len([name for name in names if name.endswith(".whl")]) == len(ALL)
    assert len([name for name in names if name.endswith((".tar.gz", ".pyz"))]) == 2


def test_a_second_build_has_the_same_bytes(dist: Path, tmp_path: Path) -> None:
    """Check that a second build of a release has the same bytes as the first. The second build is made in another
    folder, with another home folder, language, time zone and hash seed.

    Building for two platforms is enough to produce every kind of file: sources, wheels, the single file for Linux and
    the zip file for Windows. To save time, only Onitama's libraries are compiled again. The other libraries and the
    games are copied from the first build. docs/release.md says how to compare whole builds.
    """
    home, program = tmp_path / "home", tmp_path / "second.py"
    home.mkdir()
    program.write_text(SECOND_BUILD)
    other = {"HOME": str(home), "LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "77"}
    command = [sys.executable, str(program), str(dist), str(next(dist.glob("*linux_*_x86_64.whl")))]
    again = release(tmp_path / "other folder", command, **other)
    files = [path for path in again.rglob("*") if path.is_file()]
    built = [path.relative_to(again) for path in files if path.name not in ("SHA256SUMS", "BUILDINFO.json")]
    assert {path.suffix for path in built} >= {".gz", ".whl", ".pyz", ".zip", ".so", ".dll"}
    for path in built:
        assert (
            hashlib.sha256((again / path).read_bytes()).digest() == hashlib.sha256((dist / path).read_bytes()).digest()
        ), path
    assert (again / "SHA256SUMS").read_text().splitlines() == [
        line for line in (dist / "SHA256SUMS").read_text().splitlines() if Path(line.split("  ")[1]) in built
    ]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_wheel_has_every_file_of_the_package_and_its_libraries(dist: Path, platform: str) -> None:
    tracked = call(["git", "ls-files", "kogoma"], ROOT).stdout.split()
    with zipfile.ZipFile(wheel(dist, platform)) as archive:
        names = set(archive.namelist())
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
        assert str(ROOT) not in metadata
        assert not any(b"/tmp/" in archive.read(name) for name in names if "/prebuilt/" in name)
        games = archive.read("kogoma/web/games.zip")
    with zipfile.ZipFile(wheel(dist, "linux-x86_64")) as archive:
        assert archive.read("kogoma/web/games.zip") == games  # the same on all platforms
    assert {name for name in tracked if name not in names and not DEVELOPMENT.fullmatch(name)} == set()
    assert {name.split("/")[0] for name in names} == {
        "kogoma",
        next(name for name in names if ".dist-info" in name).split("/")[0],
    }
    folder = dist / "libraries" / platform
    assert {f"kogoma/native/prebuilt/{path.name}" for path in folder.iterdir()} == {
        name for name in names if "/prebuilt/" in name
    }
    required = re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE)
    assert not [line for line in required if line.startswith("numba") and "extra" not in line]
    board = [line for line in required if line.endswith('extra == "board"')]
    assert board == [f'{name}; extra == "board"' for name in ("aiohttp>=3.14.5", "minify-html>=0.18")]


def test_the_build_information(dist: Path) -> None:
    """Check that BUILDINFO.json has the digest of every library."""
    information = json.loads((dist / "BUILDINFO.json").read_text())
    found = {
        (path.parent.name, path.name): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (dist / "libraries").glob("*/*")
        if path.name != "index.json"
    }
    assert found == {
        (platform, name): digest
        for platform, files in information["libraries"].items()
        for name, digest in files.items()
    }
    assert len(information["commit"]) == 40 and information["tools"]["python"] == sys.version.split()[0]


def test_package_indexes_accept_the_packages(dist: Path) -> None:
    pytest.importorskip("twine", reason="twine is not installed: ./engine.sh test --all installs it")
    packages = [str(path) for path in dist.iterdir() if path.name.endswith((".whl", ".tar.gz"))]
    done = call([sys.executable, "-m", "twine", "check", "--strict", *packages], dist)
    assert done.returncode == 0, done.stdout


LICENCES = "THIRD-PARTY-LICENSES.txt"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_wheel_says_that_it_contains_no_software_of_others(dist: Path, platform: str) -> None:
    """Check that the licence file in a wheel says that the wheel contains no third-party software.

    Another test checks that a wheel contains only Kogoma's package and metadata.
    """
    with zipfile.ZipFile(wheel(dist, platform)) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(f"/licenses/{LICENCES}")]
        text = archive.read(name).decode()
        (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        assert f"License-File: {LICENCES}\n" in archive.read(metadata).decode()
    assert wheel(dist, platform).name in text and text.endswith("\nThis file contains no software of others.\n")


@pytest.mark.parametrize(
    "file, packages, licences, others",
    [
        ("kogoma-*-linux-x86_64.pyz", "", LICENCES, ["platformdirs"]),
        ("kogoma-*-windows-x64.zip", "Kogoma/runtime/packages/", f"Kogoma/{LICENCES}", ["Python", "numpy", "aiohttp"]),
    ],
    ids=["single file", "Windows"],
)
def test_the_licences_of_the_software_of_others(
    dist: Path, file: str, packages: str, licences: str, others: list[str]
) -> None:
    """Check the licence text in an archive of a release. The text must name each third-party package in the archive
    with its version and licence, and must contain the text of each licence file of these packages."""
    (found,) = dist.glob(file)
    with zipfile.ZipFile(found) as archive:
        contents = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    text = contents.pop(licences).decode("utf-8-sig").replace("\r\n", "\n")
    assert found.name in text.splitlines()[0]
    listed = dict(re.findall(r"^  (\S+) (\S+) {3,}\S", text, re.MULTILINE))
    metadata = [message_from_bytes(content) for name, content in contents.items() if name.endswith("-info/METADATA")]
    named = {one["Name"]: one["Version"] for one in metadata if one["Name"] != "kogoma"}
    assert named.items() <= listed.items() and {*others} <= listed.keys() <= {*named, "Python"}
    own = re.compile(rf"{packages}kogoma|Kogoma/LICENSE")
    texts = {name: content for name, content in contents.items() if re.match(r"LICENSE|NOTICE", Path(name).name)}
    assert len([name for name in texts if not own.match(name)]) >= len(listed)
    words = " ".join(text.split())
    assert [name for name in texts if not own.match(name) and " ".join(texts[name].decode().split()) not in words] == []
    if packages:  # each folder or module is named like its package, but `attr` belongs to attrs
        folders = {name.removeprefix(packages).split("/")[0] for name in contents if name.startswith(packages)}
        modules = {folder.split(".")[0] for folder in folders if not folder.endswith(".dist-info")}
        assert {name.replace("-", "_") for name in modules} - {"kogoma", "attr"} == {*map(module, named)}


def module(package: str) -> str:
    return package.replace("-", "_")


def test_the_sources_install(dist: Path, tmp_path: Path) -> None:
    (archive,) = dist.glob("kogoma-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.0 to 3.11.3 do not have it
        packed.extractall(tmp_path)
    (tree,) = tmp_path.iterdir()
    tracked = call(["git", "ls-files"], ROOT).stdout.split()
    assert {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()} == {
        *tracked, "PKG-INFO", "kogoma/version.txt",
    }  # fmt: skip
    information = (tree / "PKG-INFO").read_text()
    assert '\nRequires-Dist: kogoma[export]; extra == "board"\n' in information
    assert "\nRequires-Dist: numba" in information and f"\nVersion: {tree.name.split('-')[1]}\n" in information


def test_the_wheel_without_numba(installed: Path, expected: str, tmp_path: Path) -> None:
    listed = call([str(installed / "pip"), "list"], tmp_path).stdout
    assert "numba" not in listed and "llvmlite" not in listed and "numpy" in listed
    command, env = [str(installed / "usi-engine")], {"KOGOMA_COMPILE": "", "HOME": str(tmp_path)}
    assert bench(command, tmp_path, env) == expected
    assert list(tmp_path.iterdir()) == []  # no cache was written
    with UsiClient(command, env) as engine:
        engine.send("usi", "isready")
        engine.read_until("readyok")
        engine.send("position startpos", "go movetime 200")
        engine.read_until("bestmove")


def test_info_of_the_wheel_and_the_single_file(dist: Path, installed: Path, tmp_path: Path) -> None:
    """Check that the self-test of the command `info` passes without numba and without a cache for compiled code."""
    (file,) = dist.glob("kogoma-*-linux-x86_64.pyz")
    env = {"KOGOMA_COMPILE": "", "KOGOMA_CACHE": "", "HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": ""}
    for kind, command in {
        "package": [str(installed / "usi-engine")],
        "single file": [system_python(), str(file)],
    }.items():
        done = call([*command, "info"], tmp_path, env)
        assert (done.returncode, done.stderr) == (0, "")
        found = sections(done.stdout)
        assert found["Kogoma"][1].startswith(f"{kind}: ") and "numba: not installed" in found["Packages"]
        assert set(states(done.stdout).values()) == {"prebuilt", "-"} and len(found["Libraries"]) == 4
        assert found["Self-test"][-1].startswith("passed after") and ", correct, " in found["Self-test"][3]
        assert str(tmp_path) not in done.stdout
        assert (tmp_path / "home").exists() == (kind == "single file")  # the single file unpacks itself there


def test_the_test_of_platforms(dist: Path) -> None:
    """Check that `.ci/platform`, which the workflows run on each system, passes with the wheel for Linux."""
    done = call([sys.executable, str(ROOT / ".ci" / "platform"), "kogoma-*manylinux*_x86_64.whl"], dist)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^bench: .*\na game: \d+ moves, .*\nstop: median .*\nboard: \d+ bytes .*\n\Z", done.stdout, re.M)


def test_the_site_is_exported_without_numba(installed: Path, tmp_path: Path) -> None:
    """Check that the wheel exports the same static site as the checkout. Unlike the checkout, the wheel compiles
    nothing, and it writes nothing to a cache."""
    env = {"KOGOMA_COMPILE": "", "HOME": str(tmp_path / "home")}
    done = call([str(installed / "usi-engine"), "board", "--export", "site"], tmp_path, env)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} == {"site"}
    done = call([sys.executable, "-m", "kogoma", "board", "--export", str(tmp_path / "expected")], ROOT)
    assert done.returncode == 0, done.stderr
    site, expected = (
        {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        for folder in (tmp_path / "site", tmp_path / "expected")
    )
    assert site == expected and sum(name.startswith("kernels/") for name in site) >= 6


def test_the_board_without_numba(dist: Path, tmp_path: Path) -> None:
    """Check that the server of the web page runs if only the wheel and the packages of the wheel's extra `board` are
    installed, and numba is not installed."""
    subprocess.run([sys.executable, "-m", "venv", "venv"], cwd=tmp_path, check=True)
    pip = [str(tmp_path / "venv/bin/pip"), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", f"{wheel(dist, 'linux-x86_64')}[board]"], check=True)
    listed = call([*pip, "list"], tmp_path).stdout
    assert "aiohttp" in listed and "numba" not in listed and "ziglang" not in listed
    command = [str(tmp_path / "venv/bin/usi-engine"), "board"]
    with board_server(command=command, env={"KOGOMA_COMPILE": ""}) as server:
        until(lambda: json.loads(server.get("/games/index.json").body)["games"])
        index = json.loads(server.get("/games/index.json").body)
        games = index["games"]
        assert index["version"] == wheel(dist, "linux-x86_64").name.split("-")[1]
        assert {game["name"] for game in games} == VARIANTS.keys()
        assert server.get(f"/{games[0]['kernels']}").body[:4] == b"\0asm"
        assert server.end() == 0
        assert len(server.lines) == 2, server.lines


def system_python() -> str:
    """Return the path of the system's Python. Skip the test if this Python or its package numpy is missing."""
    python = "/usr/bin/python3"
    if not Path(python).exists() or call([python, "-I", "-c", "import numpy"], Path("/")).returncode:
        absent("python3-numpy")
    return python


def test_the_single_file_with_the_systems_python(dist: Path, expected: str, tmp_path: Path) -> None:
    (file,) = dist.glob("kogoma-*-linux-x86_64.pyz")
    command, env = [system_python(), str(file)], {"KOGOMA_COMPILE": "", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert bench(command, tmp_path, env) == expected
    with UsiClient(command, env) as engine:
        engine.send("isready", "position startpos", "go movetime 200")
        engine.read_until("bestmove")
    (folder,) = (tmp_path / "cache" / "kogoma").iterdir()
    assert re.fullmatch("single-file-[0-9a-f]{16}", folder.name)


@pytest.mark.parametrize(
    "options, environment, problem",
    [
        (["-S"], {}, r"numpy is not installed: .*"),
        (
            [],
            {"XDG_CACHE_HOME": "/dev/null/cache"},
            r"cannot unpack \S+\.pyz \(.*/dev/null/cache.*\): set XDG_CACHE_HOME .*",
        ),
        (
            [],
            {"XDG_CACHE_HOME": "/tmp" + "/folder" * 600},
            r"cannot unpack \S+\.pyz \(.*File name too long: .*\): set XDG_CACHE_HOME .*",
        ),
    ],
    ids=["numpy", "folder", "path"],
)
def test_the_single_file_reports_missing_requirements(
    dist: Path, tmp_path: Path, options: list[str], environment: dict[str, str], problem: str
) -> None:
    (file,) = dist.glob("kogoma-*-linux-x86_64.pyz")
    done = call([system_python(), *options, str(file)], tmp_path, environment)
    assert done.returncode == 1
    assert re.fullmatch(f"kogoma: {problem}\n", done.stderr), done.stderr
    assert done.stdout == f"info string error: {done.stderr.removeprefix('kogoma: ')}"


def test_the_single_file_and_a_read_only_cache(dist: Path, tmp_path: Path) -> None:
    """Check that the single file reports an error if its cache folder is read-only, because the file cannot be unpacked
    there. If the file was unpacked there before the folder became read-only, it must run."""
    (file,) = dist.glob("kogoma-*-linux-x86_64.pyz")
    cache = tmp_path / "cache"
    cache.mkdir()
    command = [system_python(), str(file), "perft", "2", "minishogi"]
    env = {"KOGOMA_COMPILE": "", "XDG_CACHE_HOME": str(cache)}
    with read_only(cache):
        done = call([*bound_by_permissions(), *command], tmp_path, env)
        problem = (
            rf"cannot unpack {re.escape(str(file))} \(.*Permission denied: '{cache}/kogoma'\): set XDG_CACHE_HOME .*\n"
        )
        assert done.returncode == 1 and re.fullmatch(f"kogoma: {problem}", done.stderr), done
    assert call(command, tmp_path, env).returncode == 0
    with read_only(cache):
        assert call([*bound_by_permissions(), *command], tmp_path, env).returncode == 0


def test_beside_other_packages(dist: Path, tmp_path: Path) -> None:
    """Check that Kogoma and the packages `web.py` and `rules` of PyPI work in the same environment. The modules of
    these packages are called `web` and `rules`, like two packages inside Kogoma."""
    subprocess.run([sys.executable, "-m", "venv", "venv"], cwd=tmp_path, check=True)
    pip = [str(tmp_path / "venv/bin/python"), "-m", "pip", "-q", "--disable-pip-version-check"]
    others, own = ["web.py", "rules"], str(wheel(dist, "linux-x86_64"))
    check_others = [pip[0], "-c", "import web, rules; web.application, rules.predicate"]
    check_own = [str(tmp_path / "venv/bin/usi-engine"), "perft", "2", "minishogi"]
    env = {"KOGOMA_COMPILE": ""}

    def good(*commands: Sequence[str]) -> None:
        for command in commands:
            done = call(command, tmp_path, env)
            assert done.returncode == 0, done.stderr

    good([*pip, "install", *others], [*pip, "install", own], check_others, check_own)
    good([*pip, "uninstall", "-y", "kogoma"], check_others, [*pip, "install", own], check_own)
    good([*pip, "uninstall", "-y", *others], check_own)
    good([*pip, "uninstall", "-y", "kogoma"])


def test_an_older_processor_gets_the_other_library(installed: Path, expected: str, tmp_path: Path) -> None:
    if shutil.which("qemu-x86_64") is None:
        absent("qemu-x86_64")
    python = str((installed / "python").resolve())
    site = next((installed.parent / "lib").glob("python*/site-packages"))
    env = {"KOGOMA_COMPILE": "", "PYTHONPATH": str(site)}
    command = ["qemu-x86_64", "-cpu", "SandyBridge", python, "-m", "kogoma"]
    assert bench(command, tmp_path, env) == expected
    maps = "import os; os.environ['X'] = '1'; from kogoma.rules.library import rules_library as r; r('64').load(); "
    maps += "print({line.split('/')[-1] for line in open('/proc/self/maps').read().split() if '/prebuilt/' in line})"
    done = call([*command[:4], "-c", maps], tmp_path, env)
    assert "rules-64.x86-64.so" in done.stdout, done.stderr


@pytest.fixture(scope="module")
def arm(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[str], dict[str, str]]]:
    """Yield a command that runs the wheel for arm64 in an emulator, and the command's environment variables. The
    environment variable KOGOMA_ARM64 names a folder that contains Debian's Python for arm64, unpacked from its
    packages."""
    if shutil.which("qemu-aarch64") is None:
        absent("qemu-aarch64")
    root = Path(os.environ.get("KOGOMA_ARM64", "/nonexistent"))
    pythons = sorted(root.glob("usr/bin/python3.*"))
    if not pythons:
        absent("python3.11:arm64")
    site = tmp_path_factory.mktemp("arm") / "site"
    tags = ["manylinux_2_17_aarch64", "manylinux2014_aarch64", "manylinux_2_27_aarch64", "manylinux_2_28_aarch64"]
    words = ["--only-binary=:all:", "--python-version", pythons[0].name.removeprefix("python"), "--target", str(site)]
    words += [word for tag in tags for word in ("--platform", tag)]
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", *words]
    subprocess.run([*pip, str(wheel(dist, "linux-arm64"))], check=True)
    command = ["qemu-aarch64", "-L", str(root), str(pythons[0]), "-S", "-m", "kogoma"]
    yield command, {"PYTHONPATH": str(site), "PYTHONHOME": str(root / "usr"), "KOGOMA_COMPILE": ""}


def test_arm64_searches_the_same_nodes(arm: tuple[list[str], dict[str, str]], expected: str, tmp_path: Path) -> None:
    command, env = arm
    assert bench(command, tmp_path, env) == expected


def test_arm64_plays_a_game(arm: tuple[list[str], dict[str, str]], tmp_path: Path) -> None:
    command, env = arm
    script = tmp_path / "arm"
    assignments = " ".join(f"{name}='{value}'" for name, value in env.items())
    script.write_text(f"#!/bin/sh\nexec env {assignments} {' '.join(command)}\n")
    script.chmod(0o755)
    engines = ["-engine", "name=arm", f"cmd={script}", "-engine", "cmd=kogoma", "name=here"]
    finish(tmp_path, *engines, "-each", "nodes=2000", "-games", "2", "-out", "games.jsonl")
    games = read_games(tmp_path / "games.jsonl")
    assert len(games) == 2
    assert not [game for game in games if "fault" in game.get("reason", "") or "crash" in game.get("reason", "")]


def symbols(path: Path) -> set[str]:
    """Return the symbols that a library must export: its entry points, and the function that checks the processor."""
    index = json.loads(path.with_name("index.json").read_text())
    (found,) = [described for described in index["libraries"].values() if path.name in described["files"]]
    return {f"kogoma_{entry}" for entry in found["entries"]} | {"kogoma_processor"}


@pytest.mark.parametrize("platform", CPU_TYPES)
def test_libraries_for_macos(dist: Path, platform: str) -> None:
    """Check the format, processor, oldest supported macOS version, exports, dependencies and signature of every library
    for macOS."""
    folder = dist / "libraries" / platform
    files = sorted(folder.glob("*.dylib"))
    assert files
    for path in files:
        binary = lief.MachO.parse(str(path))[0]
        assert binary.header.cpu_type.name == CPU_TYPES[platform]
        assert binary.header.file_type.name == "DYLIB"
        assert binary.build_version.platform.name == "MACOS" and binary.build_version.minos == [11, 0, 0]
        exported = {entry.symbol.name for entry in binary.dyld_info.exports} - LINKERS_OWN
        assert exported == {f"_{name}" for name in symbols(path)}
        assert [library.name for library in binary.libraries if library.name.startswith("/usr/lib/")]
        assert not [library.name for library in binary.libraries if "tmp" in library.name]
        # The linker must not add functions of compiler-rt, so the code must be about as large as the code for Linux.
        linux = lief.ELF.parse(str(dist / "libraries" / platform.replace("macos", "linux") / f"{path.stem}.so"))
        assert abs(binary.get_section("__text").size - linux.get_section(".text").size) < 1024
        if platform == "macos-arm64":  # macOS requires signed code on arm64 only
            check_signature(path, binary)


def check_signature(path: Path, binary: object) -> None:
    """Check that a library has an ad-hoc signature: a code directory with the correct hashes of the file's pages."""
    assert isinstance(binary, lief.MachO.Binary) and binary.has_code_signature
    content, signature = path.read_bytes(), bytes(binary.code_signature.content)
    assert int.from_bytes(signature[:4], "big") == 0xFADE0CC0  # magic number of the embedded signature
    count = int.from_bytes(signature[8:12], "big")
    places = [int.from_bytes(signature[16 + 8 * n : 20 + 8 * n], "big") for n in range(count)]
    (directory,) = [
        signature[place:] for place in places if int.from_bytes(signature[place : place + 4], "big") == 0xFADE0C02
    ]
    flags, hashes, pages, limit = (int.from_bytes(directory[at : at + 4], "big") for at in (12, 16, 28, 32))
    size, page = directory[36], 1 << directory[39]
    assert flags & 2 and size == 32 and limit == binary.code_signature.data_offset  # ad hoc, SHA-256
    for number in range(pages):
        digest = hashlib.sha256(content[number * page : min((number + 1) * page, limit)]).digest()
        assert directory[hashes + number * size : hashes + (number + 1) * size] == digest


def test_libraries_for_windows(dist: Path) -> None:
    """Check the format, processor and exports of the libraries, and that they need only the C library of Windows."""
    files = sorted((dist / "libraries" / "windows-x86_64").glob("*.dll"))
    assert files
    for path in files:
        binary = lief.PE.parse(str(path))
        assert binary.header.machine.name == "AMD64"
        exported = {entry.name for entry in binary.get_export().entries}
        assert exported == symbols(path)
        assert {library.name for library in binary.imports} <= {"msvcrt.dll"}


def test_libraries_for_linux_need_no_version_of_the_c_library(dist: Path) -> None:
    for platform in ("linux-x86_64", "linux-arm64"):
        files = sorted((dist / "libraries" / platform).glob("*.so"))
        assert files
        for path in files:
            binary = lief.ELF.parse(str(path))
            assert not binary.libraries
            assert {symbol.name for symbol in binary.exported_symbols} == symbols(path)
            needed = {symbol.name for symbol in binary.imported_symbols}
            assert needed <= {"memcpy", "memmove", "memset", "clock_gettime"}
