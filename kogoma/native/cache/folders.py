"""The folders that hold native objects: read where they can be trusted, written where they can be written.

KOGOMA_CACHE lists folders, the first one first; where it names none that can be written, the private one in the user's
cache folder serves. What lies there is run, so a folder or file counts only if it belongs to this user or to root, and
nobody else may write to it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import platformdirs

from kogoma.native.cache.lock import held
from kogoma.native.object_file import JOINED, OBJECT, joined_name, seal, unseal

Report = Callable[[str], None]

KEEP = 24  # objects in a folder; the ones used longest ago go first
KEEP_ARCHIVES = 4  # and of what else is kept, a megabyte or two each
GRACE = 3600  # seconds for which nothing is thrown away
BAD, LOCK, ARCHIVE = ".bad", ".lock", ".zip"
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_TEMPORARY = re.compile(r"tmp[a-z0-9_]{8}")  # as tempfile names them

_told: set[str] = set()  # each trouble with a folder is told once


def read(name: str, report: Report) -> bytes | None:
    """The content of the file of that name, from the first folder that has it whole; None if there is none."""
    for folder in _folders(report):
        content = _read(folder / name, report)
        if content is not None:
            return content
    return None


@contextlib.contextmanager
def alone(name: str, report: Report) -> Iterator[Path | None]:
    """Be the only one who makes the file of that name: waits while somebody else does. Gives the folder to keep it in,
    or None if there is none that can be written."""
    with contextlib.ExitStack() as stack:
        found = None
        for folder in _folders(report):
            lock = held(folder / f"{name}{LOCK}", lambda: report(f"another Kogoma compiles {name}: waiting for it"))
            with contextlib.suppress(OSError):
                stack.enter_context(lock)
                found = folder
                break
        yield found


def keep(folder: Path | None, contents: Mapping[str, bytes], report: Report) -> None:
    """Write files of these names, which others may read, each whole or not at all. Where that can't be, it is told."""
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
    descriptor, temporary = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, folder / name)
    except BaseException:
        os.unlink(temporary)
        raise


def private_folder() -> Path:
    """The folder that serves where none is named."""
    return Path(platformdirs.user_cache_dir("kogoma", appauthor=False))


def _named() -> list[Path]:
    """The folders of KOGOMA_CACHE. What is not absolute counts from the user's own folder, wherever a GUI starts us."""
    words = os.environ.get("KOGOMA_CACHE", "").split(os.pathsep)
    home = os.path.expanduser("~")
    return [Path(home, os.path.expanduser(word)) for word in words if word]


def _folders(report: Report) -> Iterator[Path]:
    """The folders that can be trusted: the named ones, and the private one if none of these can be written."""
    named, writable = _named(), False
    for folder in named:
        can_write = _made(folder)
        if _is_trusted(folder, report):
            yield folder
            writable = writable or can_write
    if writable:
        return
    private = private_folder()
    if named:
        _tell_once(report, f"KOGOMA_CACHE names no folder that can be written: {private} is used instead")
    _made(private)
    _make_private(private)
    if _is_trusted(private, report):
        yield private


def _made(folder: Path) -> bool:
    """Make the folder if it is not there; whether it can be written."""
    with contextlib.suppress(OSError):
        folder.mkdir(0o755, parents=True, exist_ok=True)
    return os.access(folder, os.W_OK | os.X_OK)


def _make_private(folder: Path) -> None:
    """Nobody else has business in the private folder, whatever mode it was made with."""
    with contextlib.suppress(OSError):
        mode = folder.stat().st_mode
        if mode & OTHERS_WRITE:
            folder.chmod(stat.S_IMODE(mode) & ~OTHERS_WRITE)


def _is_trusted(folder: Path, report: Report) -> bool:
    try:
        why = _distrust(folder.stat())
    except OSError:
        return False  # it is not there, or not for this user
    if why:
        _tell_once(report, f"{folder} is not used: {why}")
    return not why


def _distrust(status: os.stat_result) -> str:
    """Why nothing should be run that lies there; "" if it may be. Windows has other ways to say who may write."""
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid not in (0, os.geteuid()):
        return "it belongs to another user"
    return "others may write to it" if status.st_mode & OTHERS_WRITE else ""


def _tell_once(report: Report, text: str) -> None:
    if text not in _told:
        _told.add(text)
        report(text)


def _read(path: Path, report: Report) -> bytes | None:
    """What the file holds, if it can be trusted and is whole; its time says that it was used."""
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
    with contextlib.suppress(OSError):  # somebody else's, or on a disk that can't be written
        os.utime(path)
    return content


def _checked(path: Path) -> tuple[bytes, str]:
    """(content, why it should not be used or "") of a file, of one look at it; ValueError if it is damaged."""
    # Opened without waiting, should it be a pipe.
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ValueError("it is no file")
        why = _distrust(status)
        return (b"", why) if why else (unseal(path.name, file.read()), "")


def _set_aside(path: Path) -> bool:
    """Move a damaged file out of the way, unless somebody is at work on a new one. One such file is kept."""

    def give_up() -> None:
        raise BlockingIOError

    try:
        with held(path.with_name(path.name + LOCK), give_up):
            with contextlib.suppress(ValueError):
                _checked(path)
                return False  # a new one by now
            for old in path.parent.glob(f"*{BAD}"):
                old.unlink(missing_ok=True)
            path.replace(path.with_name(path.name + BAD))
    except OSError:
        return False
    return True


def _prune(folder: Path) -> None:
    """Throw away what nobody has used for long: objects beyond the newest ones, and what killed starts left."""

    def age(path: Path) -> float:
        try:
            return time.time() - path.stat().st_mtime
        except OSError:
            return 0.0  # gone

    old = sorted(folder.glob(f"*{OBJECT}"), key=age)[KEEP:]
    old += [folder / joined_name(path.name) for path in old]
    old += sorted(folder.glob(f"*{ARCHIVE}"), key=age)[KEEP_ARCHIVES:]
    objects = {path.name for path in folder.glob(f"*{OBJECT}")}
    old += [path for path in folder.glob(f"*{JOINED}") if path.name.replace(JOINED, OBJECT) not in objects]
    old += [path for path in folder.iterdir() if _TEMPORARY.fullmatch(path.name) or path.suffix == LOCK]
    for path in old:
        if age(path) > GRACE:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
