"""Start the single file for Linux: unpack it into the cache folder at the first start, and run Kogoma from there.

This module is the `__main__.py` of the single file. Of Kogoma, it imports only `native.cache.trust` before Kogoma is
unpacked. It also runs with older versions of Python, so that it can say which version is needed.
"""

from __future__ import annotations

import importlib.util
import os
import runpy
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

OLDEST = (3, 11)
DIGEST = "DIGEST"  # name of the zip file's entry that contains the hash of all other entries


def unpacked(archive: str) -> Path:
    """Return the folder in the cache with the files of a zip file. Unpack them if this folder does not exist yet.
    Raises OSError if it cannot be unpacked, or if other users can change the folder. Raises RuntimeError if this user
    has no home folder."""
    from kogoma.native.cache.trust import judged, make_folder

    def trusted(folder: Path) -> Path:
        """Return the path of a folder without links. Raises PermissionError if other users can change the folder."""
        real, why = judged(folder)
        if why:
            raise PermissionError(1, why, str(folder))
        return real

    cache = trusted(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kogoma"))
    with zipfile.ZipFile(archive) as file:
        folder = cache / f"single-file-{file.read(DIGEST).decode()}"
        if not folder.exists():
            make_folder(cache, 0o700)
            temporary = tempfile.mkdtemp(dir=cache)
            try:
                file.extractall(temporary)
                os.rename(temporary, folder)
            except OSError:
                shutil.rmtree(temporary, ignore_errors=True)
                if not folder.exists():  # if it exists, another process has unpacked the file meanwhile
                    raise
    return trusted(folder)


def fail(text: str) -> None:
    """Print an error message to standard error, and to standard output for a GUI's log. End the program with exit code
    1."""
    print(f"info string error: {text}", flush=True)
    sys.exit(f"kogoma: {text}")


def start() -> None:
    """Check Python and numpy, unpack Kogoma if necessary, and run it."""
    if sys.version_info < OLDEST:
        fail(f"Python 3.11 or newer is needed, but this is {sys.version.split()[0]}: run python3.11 {sys.argv[0]}")
    if importlib.util.find_spec("numpy") is None:
        fail("numpy is not installed: install Debian's or Ubuntu's python3-numpy, or run python3 -m pip install numpy")
    folder = ""
    try:
        folder = str(unpacked(sys.path[0]))
    except (OSError, RuntimeError) as error:
        fail(f"cannot unpack {sys.argv[0]} ({error}): set XDG_CACHE_HOME to a folder that only you can write to")
    for name in [name for name in sys.modules if name.partition(".")[0] == "kogoma"]:
        del sys.modules[name]  # imported from the zip file
    sys.path[0] = folder
    # for the processes that Kogoma starts, such as the engines of a match
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (folder, os.environ.get("PYTHONPATH"))))
    os.environ["KOGOMA_PROGRAM"] = sys.argv[0]
    runpy.run_module("kogoma", run_name="__main__")


if __name__ == "__main__":
    start()
