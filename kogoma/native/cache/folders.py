"""The cache folders: which are read and written, and which files are trusted.

The environment variable KOGOMA_CACHE lists folders in order of priority. If none of them is writable, the private
folder in the user's cache directory is used. Cached files are executed, so a folder or file is used only if nobody but
this user and root can change it (`native.cache.trust`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import platformdirs

from kogoma.native.cache.lock import held
from kogoma.native.cache.trust import OTHERS_WRITE, distrust, judged, make_folder
from kogoma.native.object_file import (
    ARCHIVE,
    BAD,
    JOINED,
    LOCK,
    MODULE,
    OBJECT,
    OWN_NAME,
    PROJECT,
    TEMPORARY,
    joined_name,
    seal,
    unseal,
)

Tell = Callable[[str], None]  # takes a message for the user

KEEP = 24  # object files per folder
KEEP_ARCHIVES, KEEP_MODULES = 8, 32  # zip files and WebAssembly modules of the page's games per folder
GRACE = 3600  # files used within the last GRACE seconds are not deleted

_told: set[str] = set()  # each problem with a folder is reported once


class Folder(NamedTuple):
    """The state of a cache folder. `distrust` is the reason why nothing in it is used, or ""."""

    path: Path
    exists: bool
    writable: bool
    distrust: str


def survey() -> list[Folder]:
    """Return the state of the folders of KOGOMA_CACHE, and of the private folder if it is used, in order of priority.
    Nothing is created or changed."""
    named = [_state(path) for path in _named()]
    is_one_written = any(folder.writable and not folder.distrust for folder in named)
    return named if is_one_written else [*named, _state(private_folder())]


def _state(path: Path) -> Folder:
    """Return the present state of a folder."""
    try:
        real, why = judged(path)
        return Folder(path, real.exists(), os.access(real, os.W_OK | os.X_OK), why)
    except (OSError, RuntimeError):
        return Folder(path, False, False, "")  # not accessible to this user


def read(name: str, report: Tell) -> bytes | None:
    """Return the content of the cached file `name` from the first folder that has a valid one, or None."""
    for folder in _folders(report):
        content = _read(folder / name, report)
        if content is not None:
            return content
    return None


def trusted_folders(report: Tell) -> list[Path]:
    """Return the folders that are read, the one that is written first, if any is."""
    found = list(_folders(report))
    return sorted(found, key=lambda folder: not os.access(folder, os.W_OK | os.X_OK))


@contextlib.contextmanager
def alone(name: str, report: Tell) -> Iterator[Path | None]:
    """Hold the lock for building the file `name`, after waiting for other processes that hold it. Yield the folder to
    write to, or None if no folder is writable."""
    busy = f"another Kogoma compiles {name.removeprefix(f'{PROJECT}-')}: waiting for it"
    with contextlib.ExitStack() as stack:
        found = None
        for folder in _folders(report):
            lock = held(folder / f"{name}{LOCK}", lambda: report(busy))
            with contextlib.suppress(OSError):
                stack.enter_context(lock)
                found = folder
                break
        yield found


def write_cached(folder: Path | None, contents: Mapping[str, bytes], report: Tell) -> None:
    """Write files into the folder, each completely or not at all, readable by all users. Failures are reported, not
    raised."""
    try:
        if folder is None:
            raise PermissionError(errno.EACCES, "no folder can be written")
        _prune(folder)
        for name, content in contents.items():
            _write(folder, name, seal(name, content))
    except OSError as error:
        where = folder or private_folder()
        trouble = f"nothing can be kept in {where} ({error.strerror}), so each start compiles again"
        _tell_once(report, f"{trouble}: make room, or set KOGOMA_CACHE to a folder that can be written")


def _write(folder: Path, name: str, data: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(TEMPORARY, f"{name}.", folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, folder / name)
    except BaseException:
        os.unlink(temporary)
        raise


def private_folder() -> Path:
    """Return the cache folder that is used if KOGOMA_CACHE names no writable one."""
    return Path(platformdirs.user_cache_dir("kogoma", appauthor=False))


def _named() -> list[Path]:
    """Return the folders of KOGOMA_CACHE. Relative paths are relative to the home folder, because the working
    directory depends on the GUI that starts the engine."""
    words = os.environ.get("KOGOMA_CACHE", "").split(os.pathsep)
    home = os.path.expanduser("~")
    return [Path(home, os.path.expanduser(word)) for word in words if word]


def _folders(report: Tell) -> Iterator[Path]:
    """Yield the trusted folders: those of KOGOMA_CACHE, then the private one if none of them is writable."""
    named, writable = _named(), False
    for folder in named:
        if real := _trusted(folder, report):
            yield real
            writable = writable or os.access(real, os.W_OK | os.X_OK)
    if writable:
        return
    private = private_folder()
    if named:
        _tell_once(report, f"KOGOMA_CACHE names no folder that can be written: {private} is used instead")
    _make_private(private)
    if real := _trusted(private, report):
        yield real


def _trusted(folder: Path, report: Tell) -> Path | None:
    """Return the path of a folder without links, after creating it if it is missing. Return None if it is not trusted,
    cannot be created, or is not accessible to this user."""
    try:
        real, why = judged(folder)
        if why:
            _tell_once(report, f"{folder} is not used: {why}")
            return None
        make_folder(real, 0o755)
        return real
    except (OSError, RuntimeError):
        return None


def _make_private(folder: Path) -> None:
    """Remove other users' write permission from the private folder, if only its permissions are wrong."""
    with contextlib.suppress(OSError, RuntimeError):
        real = folder.resolve()
        mode = real.stat().st_mode
        if mode & OTHERS_WRITE and not judged(real.parent)[1]:
            real.chmod(stat.S_IMODE(mode) & ~OTHERS_WRITE)


def _tell_once(report: Tell, text: str) -> None:
    if text not in _told:
        _told.add(text)
        report(text)


def _read(path: Path, report: Tell) -> bytes | None:
    """Return the content of a file, or None if the file is missing, not trusted or damaged. If the file is used, set
    its modification time to the present time."""
    try:
        content, why = _checked(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        _tell_once(report, f"{path} cannot be read: {error.strerror}")
        return None
    except ValueError as error:
        moved = _set_aside(path)
        report(f"{path} is damaged ({error}): " + (f"it is {path.name}{BAD} now" if moved else "it is not used"))
        return None
    if why:
        _tell_once(report, f"{path} is not used: {why}")
        return None
    with contextlib.suppress(OSError):  # another user's file, or a read-only disk
        os.utime(path)
    return content


def _checked(path: Path) -> tuple[bytes, str]:
    """Return (content, "") of a file, or (b"", reason) if the file is not trusted. Raises ValueError if the file is
    damaged. Status and content are read through one descriptor, so that the file cannot be exchanged in between."""
    # O_NONBLOCK: opening a named pipe must not block.
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is not a regular file")
        why = distrust(status)
        return (b"", why) if why else (unseal(path.name, file.read()), "")


def _set_aside(path: Path) -> bool:
    """Rename a damaged file to NAME.bad, unless another process is building a new one. Returns whether it was
    renamed."""

    def give_up() -> None:
        raise BlockingIOError

    try:
        with held(path.with_name(path.name + LOCK), give_up):
            with contextlib.suppress(ValueError):
                _checked(path)
                return False  # a new file has replaced it
            for old in _own_files(path.parent, BAD):
                old.unlink(missing_ok=True)
            path.replace(path.with_name(path.name + BAD))
    except OSError:
        return False
    return True


def _own_files(folder: Path, *endings: str) -> list[Path]:
    """Return the files in a folder whose names are Kogoma's and have one of these endings. The last used file comes
    first."""
    found = [path for path in folder.iterdir() if OWN_NAME.fullmatch(path.name) and path.name.endswith(endings)]
    return sorted(found, key=_age)


def _age(path: Path) -> float:
    """Return the seconds since a file was used, or 0 if it has been deleted meanwhile."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0


def _prune(folder: Path) -> None:
    """Delete the least recently used object files, archives and modules if there are too many, and leftovers of killed
    processes. Other files in the folder are not touched."""
    objects = _own_files(folder, OBJECT)
    old = objects[KEEP:] + _own_files(folder, ARCHIVE)[KEEP_ARCHIVES:] + _own_files(folder, MODULE)[KEEP_MODULES:]
    old += _own_files(folder, LOCK, TEMPORARY)
    joined = {joined_name(path.name) for path in objects[:KEEP]}
    old += [path for path in _own_files(folder, JOINED) if path.name not in joined]
    for path in old:
        if _age(path) > GRACE:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
