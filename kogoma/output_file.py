"""Write files atomically, so that a file has its old content or the new one, even if the disk is full."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

# Errors of writing. If one has no file name, it is about standard output: all files are written by this module or as
# journals, whose errors have names.
_WRITE_ERRORS = (errno.ENOSPC, errno.EFBIG, errno.EIO)
COMPILER = "numba", "llvmlite"  # packages of the extra `compile`
_REASONS = {
    errno.EISDIR: "it is a folder",
    errno.EEXIST: "it is a file, not a folder",  # only the creation of folders fails with it
    errno.ENOTDIR: "a part of this path is a file, not a folder",
}


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file, which replaces `path` when the block ends without an error. After an error, `path` is
    unchanged. Links are followed; devices and pipes are written directly. If writing fails, raises OSError, whose
    `filename` is `path`."""
    target = path.resolve()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    is_special = target.exists() and not target.is_file()
    unfinished = target if is_special else target.with_name(f".{target.name[:60]}.{os.getpid()}.unfinished")
    try:
        with open(unfinished, "wb") as file:
            yield file
            if not is_special:
                file.flush()
                os.fsync(file.fileno())
        if not is_special:
            if target.exists():
                unfinished.chmod(target.stat().st_mode)
            os.replace(unfinished, target)
    except BaseException as error:
        if not is_special:
            with contextlib.suppress(OSError):
                unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(unfinished), unfinished):
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from None
        raise


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file atomically; text is encoded as UTF-8. If this fails, raises OSError, whose `filename` is `path`."""
    with replacing(path) as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def check_output(path: Path) -> None:
    """Raise OSError if no file can be written at `path`: it is a folder, or its folder is missing or cannot be
    written. Call this before long work."""
    target = path.resolve()
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


def error_text(error: Exception) -> str:
    """Return an error as one line for users: `games.kif: No space left on device`."""
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in COMPILER:
        return "this has to be compiled, but numba is missing: pip install 'kogoma[compile]'"
    if not isinstance(error, OSError) or not error.strerror:
        return str(error) or f"internal error: {type(error).__name__}"
    name = error.filename or ("standard output" if error.errno in _WRITE_ERRORS else "")
    return f"{name}: {reason(error)}" if name else reason(error)
