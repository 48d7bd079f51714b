"""Write files atomically, so that a file has its old content or the new one, even if the disk is full."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file, which replaces `path` when the block ends without an error. After an error, `path` is
    unchanged. Links are followed; devices and pipes are written directly. Raises OSError, whose `filename` is
    `path`."""
    target = path.resolve()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
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
    """Write a file atomically; text is encoded as UTF-8. Raises OSError, whose `filename` is `path`."""
    with replacing(path) as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def error_text(error: Exception, path: Path | str = "") -> str:
    """Return an error as one line for users: `games.kif: No space left on device`. If an OSError has no file name,
    `path` is named."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error) or type(error).__name__
    reason = "it is a folder" if error.errno == errno.EISDIR else error.strerror
    name = error.filename or path
    return f"{name}: {reason}" if name else reason
