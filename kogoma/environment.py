"""The Python environment of a checkout, and the packages in it.

    python kogoma/environment.py FOLDER NAME... -- COMMAND...    set up, then run COMMAND; engine.sh does this

A set of packages is what one lock file lists, `requirements/NAME.txt`. FOLDER has these files:

- `bin/python` and what else `python -m venv` makes: the Python of the environment.
- `packages/NAME-py3.11-DIGEST/`: a set of packages for one version of Python. It is filled under another name, and
  renamed when it is complete. Afterwards it is neither changed nor deleted.
- `kogoma.pth`, which Python reads at each start: the checkout, and the sets in use. It is replaced as a whole.

So what has been installed keeps working while a set-up runs, and after one that was killed or has failed. Programs that
run meanwhile keep the packages with which they began.

This file needs the standard library alone, and nothing of this package: engine.sh runs it with any Python.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
LOCK_FILES = CHECKOUT / "requirements"
LIST = "kogoma.pth"
LINK = "_kogoma.pth"  # Python reads the list under this name, before files such as coverage's, which need packages
LOG = "kogoma-setup.log"
PYTHON = f"py{sys.version_info.major}.{sys.version_info.minor}"
UNFINISHED = "unfinished-"
NO_INSTALL = "KOGOMA_NO_INSTALL"
PACKAGES = "../../../packages/"  # seen from the folder in which Python reads the list
# What pip's log has if packages could not be downloaded.
OFFLINE = re.compile(
    r"NewConnectionError|Connection(Error| refused| reset)|ConnectTimeout|ReadTimeout|name resolution|SSLError"
    r"|ProxyError|No matching distribution"
)


class SetUpError(ImportError):
    """Packages could not be installed. The text says why, and what to do."""


def provide(name: str) -> None:
    """Make the packages of an extra importable if this process runs in the environment of a checkout, which means to
    install them if they are missing. In other environments, and if KOGOMA_NO_INSTALL is set, do nothing: the user
    installs the packages. Raises SetUpError if they could not be installed."""
    folder = Path(sys.prefix)
    if os.environ.get(NO_INSTALL) or not LOCK_FILES.is_dir() or not (folder / LIST).is_file():
        return
    target = _target(folder, name)
    if not target.is_dir():
        set_up(folder, [name])
    if str(target) not in sys.path:
        sys.path.append(str(target))
        importlib.invalidate_caches()


def can_provide(name: str) -> bool:
    """Call `provide` for packages without which a command works, too. Return whether it succeeded; if not, print the
    reason to standard error."""
    try:
        provide(name)
    except SetUpError as error:
        _say(str(error))
        return False
    return True


def set_up(folder: Path, names: Sequence[str]) -> None:
    """Install sets of packages in the environment `folder`, and create it if it does not exist. Raises SetUpError."""
    _check_folder(folder)
    with _locked(folder):
        try:
            _remove_unfinished(folder)
            if not _runs(folder / "bin" / "python"):
                _say(f"setting up in {folder} with {sys.executable}")
                _make_python(folder)
            link = folder / "lib" / f"python{PYTHON[2:]}" / "site-packages" / LINK
            if not link.is_symlink():
                link.symlink_to(Path("..", "..", "..", LIST))
            for name in names:
                if not _target(folder, name).is_dir():
                    _install(folder, name)
            _write_list(folder)
        except OSError as error:
            raise SetUpError(f"cannot write in {folder}: {error.strerror or error}.") from None
    _say("set up.")
    if unused := _unused(folder):
        _say(f"not used any more, and safe to delete once no older Kogoma runs: {shlex.join(map(str, unused))}")


def _target(folder: Path, name: str) -> Path:
    """Return the folder of a set of packages, which exists if the set has been installed. Its name has the digest that
    the first line of the lock file ends with."""
    with open(LOCK_FILES / f"{name}.txt", encoding="utf-8") as file:
        digest = file.readline().split()[-1]
    return folder / "packages" / f"{name}-{PYTHON}-{digest}"


def _check_folder(folder: Path) -> None:
    """Create the folder. Raise SetUpError if it cannot be written to, or contains files of others."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK | os.X_OK)
    except OSError:
        writable = False
    if not writable and folder != CHECKOUT / ".venv":
        raise SetUpError(f"cannot write to {folder} (KOGOMA_VENV).\nSet KOGOMA_VENV to a folder that you can write to.")
    if not writable:
        raise SetUpError(
            f"cannot write to {folder}: the checkout is read-only for you.\n"
            "Set another folder for the environment (also for later starts):\n"
            '  export KOGOMA_VENV="$HOME/.local/share/kogoma/venv"'
        )
    # An environment of Kogoma, whole or not, or one that the user has made.
    if (folder / "kogoma.lock").exists() or (folder / LIST).exists() or _runs(folder / "bin" / "python"):
        return
    if others := sorted(path.name for path in folder.iterdir()):
        raise SetUpError(
            f"{folder} contains files that are not Kogoma's ({others[0]}).\n"
            "Delete that folder, or set a new one: KOGOMA_VENV=/path/to/folder"
        )


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the environment's lock, which the system releases when this process ends. On systems and file systems that
    have no locks, go on without one."""
    with open(folder / "kogoma.lock", "a", encoding="ascii") as file:
        try:
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                _say("another process is setting up; waiting for it")
                fcntl.flock(file, fcntl.LOCK_EX)
        except (ImportError, OSError):
            pass
        yield


def _remove_unfinished(folder: Path) -> None:
    for path in (folder / "packages").glob(f"{UNFINISHED}*"):
        shutil.rmtree(path, ignore_errors=True)


def _runs(python: Path) -> bool:
    """Return whether a command runs as the same version of Python as this process."""
    try:
        words = [str(python), "-I", "-c", "import sys; print('py%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        return done.stdout.strip() == PYTHON
    except OSError:
        return False


def _make_python(folder: Path) -> None:
    """Create the environment's Python, or replace it after the Python that it was made from has gone. An interrupted
    call leaves nothing that stops the next one."""
    for path in (folder / "bin").glob("python*"):
        path.unlink()
    _venv("--without-pip", folder)


def _venv(*words: str | Path) -> None:
    """Run Python's module venv. Raises SetUpError if it fails."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "venv", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode != 0:
        raise SetUpError(
            f"{done.stdout.strip()}\n"
            f"{sys.executable} could not create the environment in {words[-1]} (its output is above).\n"
            "If it mentions ensurepip or venv: 'sudo apt install python3-venv' on Debian or Ubuntu.\n"
            f"Or check the disk space, or set another Python: KOGOMA_PYTHON=/path/to/python3 {CHECKOUT}/engine.sh"
        )


@contextlib.contextmanager
def _finished_as(target: Path) -> Iterator[Path]:
    """Yield a new folder, which becomes `target` when the block ends without an error. After an error it is removed."""
    target.parent.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=target.parent))
    try:
        folder.chmod(0o777 & ~_umask())
        yield folder
        folder.rename(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _pip(folder: Path) -> list[str]:
    """Return the command, as words, that runs pip. It is in an environment of its own, which is made on first use."""
    home = folder / "packages" / f"pip-{PYTHON}"
    if not _runs(home / "bin" / "python"):
        shutil.rmtree(home, ignore_errors=True)
        with _finished_as(home) as unfinished:
            _venv(unfinished)
    return [str(home / "bin" / "python"), "-I", "-m", "pip", "--disable-pip-version-check"]


def _install(folder: Path, name: str) -> None:
    """Install a set of packages. Raises SetUpError."""
    if name == "engine":
        _say("installing numba, numpy and their dependencies: about a minute, once")
    else:
        _say(f"installing the packages of '{name}' (requirements/{name}.txt), once")
    log = folder / LOG
    log.write_bytes(b"")
    command = _pip(folder)
    command += ["install", "--quiet", "--no-input", "--progress-bar", "off", "--log", str(log), "--no-deps"]
    command += ["--require-hashes", "-r", str(LOCK_FILES / f"{name}.txt")]
    if name != "engine":
        command += ["--no-compile"]  # most of it is never imported
    with _finished_as(_target(folder, name)) as unfinished:
        with subprocess.Popen(
            [*command, "--target", str(unfinished)],
            env={**os.environ, "PIP_USER": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as pip:
            try:
                output = pip.communicate()[0]
            except BaseException:
                pip.terminate()
                raise
        if pip.returncode != 0:
            raise SetUpError(_reason(log, output))


def _reason(log: Path, output: str) -> str:
    """Return why pip has failed, from its log and its output."""
    text = log.read_text(encoding="utf-8", errors="replace")
    if OFFLINE.search(text):
        found = re.search(r"No matching distribution found for ([^ =]+)", text)
        return (
            f"could not download {found[1] if found else 'the packages'}: connect this machine, or set HTTPS_PROXY"
            " (behind a proxy) or PIP_INDEX_URL (another package index), and start again."
        )
    return (
        f"{output.strip()}\ncould not install the packages: pip's messages are above, details are in {log}.\n"
        "Fix the cause (disk space, permissions) and start again."
    )


def _write_list(folder: Path) -> None:
    """Write the list of the sets in use. A set whose lock file has changed stays in use until the new one is installed.
    The paths are relative to the folder in which Python reads the list, so that a checkout can be moved together with
    its environment."""
    before = _listed(folder)
    sets = list[str]()
    for name in sorted(path.stem for path in LOCK_FILES.glob("*.txt")):
        earlier = [found for found in before if found.startswith(f"{name}-{PYTHON}-")]
        sets += [target.name] if (target := _target(folder, name)).is_dir() else earlier
    text = "".join(f"{line}\n" for line in [_checkout_line(folder), *(f"{PACKAGES}{found}" for found in sets)])
    unfinished = folder / f"{LIST}.unfinished"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(folder / LIST)


def _listed(folder: Path) -> list[str]:
    """Return the names of the folders of the sets in use."""
    try:
        lines = (folder / LIST).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    names = [line.removeprefix(PACKAGES) for line in lines[1:]]
    return [name for name in names if (folder / "packages" / name).is_dir()]


def _checkout_line(folder: Path) -> str:
    return "../../../.." if folder == CHECKOUT / ".venv" else str(CHECKOUT)


def _unused(folder: Path) -> list[Path]:
    """Return what earlier versions of Kogoma have left in the environment: sets of packages that are not in use."""
    used = {*_listed(folder), f"pip-{PYTHON}"}
    return [path for path in sorted((folder / "packages").iterdir()) if path.name not in used]


def _say(text: str) -> None:
    for line in text.splitlines():
        print(f"kogoma: {line}", file=sys.stderr, flush=True)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def main(words: list[str]) -> int:
    """Set up and run a command. Return the exit code if that fails."""
    end = words.index("--")
    folder, names, command = Path(words[0]), words[1:end], words[end + 1 :]
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        set_up(folder, names)
    except KeyboardInterrupt:
        _say("interrupted; the same command continues the set-up.")
        return 130
    except SetUpError as error:
        _say(str(error))
        if not _is_usable(folder, names):
            return 1
        _say("starting with the packages that were installed before.")
    os.execv(command[0], command)


def _is_usable(folder: Path, names: list[str]) -> bool:
    """Return whether the engine can start with the packages of an earlier lock file."""
    if names != ["engine"] or not any(name.startswith(f"engine-{PYTHON}-") for name in _listed(folder)):
        return False
    text = (folder / LIST).read_text(encoding="utf-8")
    return text.startswith(f"{_checkout_line(folder)}\n") and _runs(folder / "bin" / "python")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
