"""Build the package without leaving files in the checkout: intermediate files go into a temporary folder.

Everything else about the package is in setup.cfg.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile

from setuptools import setup

folder = tempfile.mkdtemp(prefix="kogoma-build-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
setup(options={"build": {"build_base": folder}, "egg_info": {"egg_base": folder}})
