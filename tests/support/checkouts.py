"""Copies of a checkout with engine.sh, and packages for them that pip installs without a network.

`Machine` runs engine.sh with the real Python and the real pip. The lock files of its checkout name tiny packages, and
the wheels of these packages lie in a folder. A few lines of Python take the place of the engine.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from importlib.metadata import Distribution
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
TOOLS = ("bash", "cat", "env", "grep", "mkdir", "readlink", "tr")  # the commands that engine.sh may use
PYTHON = getattr(sys, "_base_executable", sys.executable)

# A program that replaces the engine. It needs a module of the set `engine`. Its command `board` also needs a module of
# the set `board`.
ENGINE = """
import os, sys, engine_package
from kogoma.environment import provide
print(f"engine in {os.getcwd()}:", *sys.argv[1:], flush=True)
if "board" in sys.argv:
    provide("board")
    import board_package
    print(board_package.TEXT, flush=True)
for line in sys.stdin:
    print(line, end="", flush=True)
"""
TESTS = "import os, sys\nprint(f'pytest in {os.getcwd()}:', *sys.argv[1:])\n"
SETS = ("engine", "lab", "cluster", "export", "release", "board", "test", "dev")


def write_wheel(folder: Path, name: str, files: Mapping[str, bytes], version: str = "1") -> str:
    """Write a wheel into `folder`, and return the wheel's line for a lock file. `files` maps paths in the wheel to
    contents."""
    info = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    content = dict(files) | {
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    for path, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    file = folder / f"{name}-{version}-py3-none-any.whl"
    content[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(file, "w") as archive:
        for path, data in content.items():
            archive.writestr(zipfile.ZipInfo(path), data)  # a fixed time, so that the SHA-256 is always the same
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}\n"


def repacked(folder: Path, package: str) -> str:
    """Write a wheel into `folder`, and return the wheel's line for a lock file. The wheel contains the files of an
    installed package."""
    installed = Distribution.from_name(package)
    files = {}
    for path in installed.files or ():
        text = path.as_posix()
        if not text.startswith("..") and ".dist-info/" not in text and "__pycache__" not in text:
            files[text] = Path(str(path.locate())).read_bytes()
    entries = installed.read_text("entry_points.txt")
    name, version = package.replace("-", "_"), installed.version
    if entries:
        files[f"{name}-{version}.dist-info/entry_points.txt"] = entries.encode()
    return write_wheel(folder, name, files, version)


def write_lock_file(checkout: Path, name: str, text: str) -> None:
    """Write a lock file in the format that .ci/lock uses. The first line ends with a digest of the other lines."""
    (checkout / "requirements").mkdir(exist_ok=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    (checkout / "requirements" / f"{name}.txt").write_text(f"# Digest: {digest}\n{text}")


class Machine:
    """A small checkout, and a PATH with only a few tools and the Python commands that `add_python` adds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.checkout = folder / "the checkout"
        self.script = self.checkout / "engine.sh"
        self.bin = folder / "bin"
        self.venv = self.checkout / ".venv"
        self.wheels = folder / "wheels"
        for path in (self.checkout / "kogoma", self.bin, self.wheels):
            path.mkdir(parents=True)
        for name in ("engine.sh", "setup.cfg", "kogoma/environment.py"):
            shutil.copy(CHECKOUT / name, self.checkout / name)
        (self.checkout / "kogoma" / "__init__.py").touch()
        (self.checkout / "kogoma" / "__main__.py").write_text(ENGINE)
        for name in SETS:
            files = {f"{name}_package.py": f"TEXT = 'the first {name}'\n".encode()}
            if name == "test":
                files["pytest/__main__.py"] = TESTS.encode()
            write_lock_file(self.checkout, name, write_wheel(self.wheels, f"{name}_package", files))
        for name in TOOLS:
            tool = shutil.which(name)
            assert tool, name
            (self.bin / name).symlink_to(tool)
        self.env = {
            "PATH": str(self.bin),
            "HOME": str(folder),
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_CACHE_DIR": "1",
        }

    def add_python(self, name: str = "python3", patch: str = "pass", text: str | None = None) -> Path:
        """Add to PATH a command that runs this Python, and return the command's path. The Python code `patch` runs
        before any code given with `-c`. It can, for example, make the command report another version. If `text` is
        given, the command is the program `text` instead."""
        path = self.bin / name
        patch = f"import sys; sys._base_executable = {str(path)!r}; {patch}"
        # `repr` writes single quotes, so the patch can stand between double quotes in the bash script.
        patched = f'[[ $1 == -c ]] && exec "{PYTHON}" -c "{patch}"$\'\\n\'"$2" "${{@:3}}"\nexec "{PYTHON}" "$@"\n'
        path.write_text(text or f"#!/usr/bin/env bash\n{patched}")
        path.chmod(0o755)
        return path

    def start(self, *arguments: str, script: Path | None = None, **options: str) -> subprocess.Popen[str]:
        """Start engine.sh. `options` has environment variables and, under the name `cwd`, the working directory."""
        return subprocess.Popen(
            [script or self.script, *arguments],
            cwd=Path(options.pop("cwd", str(self.folder))),
            env=self.env | options,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, script: Path | None = None, **options: str) -> tuple[int, str, str]:
        """Run engine.sh with `usi` on standard input. Return the exit code, standard output and standard error."""
        process = self.start(*arguments, script=script, **options)
        try:
            out, err = process.communicate("usi\n", timeout=120)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode, out, err

    def change_lock_file(self, name: str, text: str) -> None:
        """Write version 2 of a package, and name this version in the lock file. The package's module contains the text
        `text`."""
        files = {f"{name}_package.py": f"TEXT = {text!r}\n".encode()}
        write_lock_file(self.checkout, name, write_wheel(self.wheels, f"{name}_package", files, "2"))

    def snapshot(self) -> dict[str, int]:
        """Return the size of each file in the virtual environment, by path. Python's bytecode caches are left out."""
        files = (path for path in self.venv.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        return {str(path): path.stat().st_size for path in files}
