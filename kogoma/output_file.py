"""Write files atomically, so that a file has its old content or the new one, even if the disk is full.

The user may name a folder to which others can write as well. So no file is opened through a link of another user, who
could choose the file that is overwritten.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

# Errors of writing. If one has no file name, it is about standard output: all files are written by this module or as
# journals, whose errors have names.
_WRITE_ERRORS = (errno.ENOSPC, errno.EFBIG, errno.EIO)
MOST_LINKS = 40  # that Linux follows for one path
STREAMS = "/dev/std", "/dev/fd/", "/proc/self/fd/"  # links of the system to open files, which may have no names
_SHORTAGE = re.compile("failed to map segment|[Cc]annot allocate memory|[Uu]nable to allocate")  # texts of errors
COMPILER = "numba", "llvmlite"  # packages of the extra `compile`
_REASONS = {
    errno.EISDIR: "it is a folder",
    errno.EEXIST: "it is a file, not a folder",  # only the creation of folders fails with it
    errno.ENOTDIR: "a part of this path is a file, not a folder",
}


def followed(path: Path) -> Path:
    """Return the path to which `path` leads after following symbolic links. Raises PermissionError if `path` is a link
    of another user, who could make it lead anywhere."""
    target, link = path.resolve(), path
    for _ in range(MOST_LINKS):
        if not link.is_symlink():
            break
        if hasattr(os, "geteuid") and link.lstat().st_uid not in (0, os.geteuid()):
            raise PermissionError(errno.EACCES, "it is a link of another user", str(path))
        link = link.parent / link.readlink()
    return target


def opener(name: str, flags: int) -> int:
    """Open a file without following a link of another user, and return the descriptor. `open` takes this function as
    its argument `opener`. Raises OSError, whose `filename` is `name`."""
    try:
        if name.startswith(STREAMS):
            return os.open(name, flags)
        return os.open(followed(Path(name)), flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file, which replaces `path` when the block ends without an error. After an error, `path` is
    unchanged. Links are followed, except those of other users; devices and pipes are written directly. If writing
    fails, raises OSError, whose `filename` is `path`."""
    target = followed(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    is_special = target.exists() and not target.is_file()
    unfinished = target if is_special else target.with_name(f".{target.name[:60]}.{secrets.token_hex(8)}.unfinished")
    try:
        # Mode "x" opens neither a file nor a link that somebody else has made.
        with open(unfinished, "wb" if is_special else "xb") as file:
            if not is_special and target.exists():
                _set_mode(file, target.stat().st_mode)
            yield file
            if not is_special:
                file.flush()
                os.fsync(file.fileno())
        if not is_special:
            os.replace(unfinished, target)
    except BaseException as error:
        if not is_special:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(unfinished), unfinished):
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from None
        raise


def _set_mode(file: BinaryIO, mode: int) -> None:
    """Set the permissions of an open file."""
    if hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), stat.S_IMODE(mode))
    else:
        os.chmod(file.name, stat.S_IMODE(mode))


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file atomically; text is encoded as UTF-8. If this fails, raises OSError, whose `filename` is `path`."""
    with replacing(path) as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def check_output(path: Path) -> None:
    """Raise OSError if no file can be written at `path`: it is a folder, or its folder is missing or cannot be
    written. Call this before long work."""
    target = followed(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, "its folder does not exist", str(path))
    if not target.parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


def reason(error: OSError) -> str:
    """Return why an operation on a file failed, in words for users."""
    return _REASONS.get(error.errno or 0) or error.strerror or str(error)


def shortage(error: BaseException | None) -> str:
    """Return a text for users if memory was too short, according to an error or one that caused it, otherwise ""."""
    while error is not None:
        text = str(error)
        if isinstance(error, MemoryError) or _SHORTAGE.search(text):
            return "there is not enough memory; close other programs, or raise the limit (ulimit -v)"
        if isinstance(error, RuntimeError) and text == "can't start new thread":
            return "no thread can be started; memory or the number of processes is limited (ulimit -v, ulimit -u)"
        error = error.__cause__ or error.__context__
    return ""


def error_text(error: Exception) -> str:
    """Return an error as one line for users: `games.kif: No space left on device`."""
    if text := shortage(error):
        return text
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in COMPILER:
        return "this has to be compiled, but numba is missing: pip install 'kogoma[compile]'"
    if not isinstance(error, OSError) or not error.strerror:
        return str(error) or f"internal error: {type(error).__name__}"
    name = error.filename or ("standard output" if error.errno in _WRITE_ERRORS else "")
    return f"{name}: {reason(error)}" if name else reason(error)
