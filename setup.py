"""Build the package. Everything else about it is in setup.cfg.

- Intermediate files go into a temporary folder, so that none are left in the checkout.
- The package contains its version as a file, because it is not in a git checkout when it runs.
- A package without prebuilt libraries (docs/release.md) compiles the kernels, so it depends on numba, and the games of
  the board's page, so its extra `board` also needs a linker.
- The links of the package are made from the repository's address, the `url` of setup.cfg. While the address is empty,
  the package has no such links.
"""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

# Pages in the repository, by the names under which package indexes show them; GitHub's paths.
PAGES = {"Source": "", "Documentation": "/blob/HEAD/docs/install.md", "Changelog": "/blob/HEAD/CHANGELOG.md"}
PAGES["Issues"] = "/issues"
LINK = re.compile(r"(!?)\[([^]]*)\]\((?!\w+:)([^)\s]+)\)")  # a relative link, or an image


def description(readme: str, address: str, version: str) -> str:
    """Return the README for package indexes: its relative links lead to the files of this version in the repository. If
    the address of the repository is empty, links and images become plain text."""
    commit = f"v{version}" if re.fullmatch(r"[\d.]+", version) else "HEAD"  # only releases have tags
    kinds = {"": f"{address}/blob/{commit}", "!": f"{address}/raw/{commit}"}
    return LINK.sub(lambda link: f"{link[1]}[{link[2]}]({kinds[link[1]]}/{link[3]})" if address else link[2], readme)


class Package(Distribution):
    """A distribution with links to the repository, and with more requirements if it has no prebuilt libraries."""

    def parse_config_files(self, *arguments: Any, **options: Any) -> None:
        """Read setup.cfg. Without prebuilt libraries, also require the packages of the extra `compile`, and add the
        extra `export` to the extra `board`. Make the package's links."""
        super().parse_config_files(*arguments, **options)
        if not Path("kogoma", "native", "prebuilt").is_dir():
            needed = [*self.install_requires, *self.extras_require["compile"]]
            extras = {**self.extras_require, "board": [*self.extras_require["board"], "kogoma[export]"]}
            # Some versions of setuptools read the first of these attributes, and others the second.
            self.install_requires = self.metadata.install_requires = needed
            self.extras_require = self.metadata.extras_require = extras
        metadata, address = self.metadata, self.metadata.url or ""
        metadata.url = None  # it is `Source`
        metadata.project_urls = {name: f"{address}{path}" for name, path in PAGES.items()} if address else {}
        metadata.long_description = description(metadata.long_description, address, metadata.get_version())


class Modules(build_py):
    """Copies the modules and data files of the package, and adds its version as a file."""

    def run(self) -> None:
        """Copy and add the files."""
        super().run()
        if not self.editable_mode:  # a checkout asks git
            path = Path(self.build_lib, "kogoma", "version.txt")
            path.write_text(f"{self.distribution.get_version()}\n", encoding="ascii")


folder = tempfile.mkdtemp(prefix="kogoma-build-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
commands = {"build_py": Modules}
setup(distclass=Package, cmdclass=commands, options={"build": {"build_base": folder}, "egg_info": {"egg_base": folder}})
