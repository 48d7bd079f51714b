"""A release lists the software of others and its licences. tests/lab/test_release.py tests a release that is built."""

from __future__ import annotations

import json
import re
from importlib.metadata import files, version

import llvmlite.binding as llvm
import pytest

from kogoma.lab.release.third_party import Part, listing, package, sbom
from kogoma.native.build import define_clock, entry_symbols, optimise, this_machine
from kogoma.native.library import Library
from kogoma.native.object_file import KernelError
from kogoma.rules.variants import MINISHOGI
from kogoma.search.library import libraries_of, mate_library

PACKAGES = "platformdirs", "numpy", "aiohttp"
LIBRARIES = [*libraries_of(MINISHOGI), mate_library("64")]
NUMBA = {"NRT_incref", "NRT_decref"}  # the functions of numba that count references, which kernels do not need


def contents(name: str) -> dict[str, bytes]:
    """Return a dictionary from the path of each file of an installed package to the file's content. Commands of the
    package and compiled Python files are left out."""
    paths = [path for path in files(name) or () if path.suffix != ".pyc" and path.parts[0] != ".."]
    return {path.as_posix(): path.read_binary() for path in paths}


def test_every_package_has_a_line_and_its_licence() -> None:
    text = listing("some.zip", [package(contents(name)) for name in PACKAGES])
    assert text.startswith("Third-party software in some.zip\n")
    lines = re.findall(r"^  (\S+) (\S+) {3,}(.+)$", text, re.MULTILINE)
    assert [line[:2] for line in lines] == [(name, version(name)) for name in sorted(PACKAGES)]
    assert ["MIT" in line[2] or "BSD" in line[2] for line in lines] == [True] * 3
    for words in ("Apache License", "NumPy Developers", "platformdirs"):
        assert words in text.split("-" * 80, 1)[1]


def test_a_text_that_several_packages_have_is_printed_once() -> None:
    one, two = (
        package(
            {
                f"{name}-1.dist-info/METADATA": f"Name: {name}\nVersion: 1\n".encode(),
                f"{name}-1.dist-info/LICENSE": b"Permission\r\nis granted\r\n",
            }
        )
        for name in ("one", "two")
    )
    text = listing("some.zip", [two, one])
    assert text.count("Permission\nis granted\n") == 1
    assert re.search(r"one 1: \S+LICENSE\ntwo 1: \S+LICENSE\n-+\n\nPermission", text)


@pytest.mark.parametrize(
    "given, problem",
    [
        ({"one-1.dist-info/LICENSE": b"Permission"}, "has no METADATA"),
        ({"one-1.dist-info/METADATA": b"Name: one\nVersion: 1\n", "one/license.py": b""}, "one has no licence file"),
    ],
)
def test_a_package_without_metadata_or_licence_is_an_error(given: dict[str, bytes], problem: str) -> None:
    with pytest.raises(KernelError, match=problem):
        package(given)


def test_a_file_without_software_of_others_says_so() -> None:
    assert listing("some.whl", []).endswith("\nThis file contains no software of others.\n")


@pytest.mark.parametrize("packages", [(), PACKAGES], ids=["none", "some"])
def test_the_bill_of_materials_is_valid_and_names_every_package(packages: tuple[str, ...]) -> None:
    validation = pytest.importorskip("cyclonedx.validation.json", reason="./engine.sh test --all installs it")
    parts = [package(contents(name)) for name in packages]
    content = sbom("some.zip", "1.2", 1_800_000_000, [*parts, Part("Python", "3.11", "PSF-2.0", {}, "pkg:generic/")])
    schema = pytest.importorskip("cyclonedx.schema").SchemaVersion.V1_6
    assert validation.JsonStrictValidator(schema).validate_str(content.decode()) is None
    read = json.loads(content)
    listed = {(one["name"], one["version"], one["purl"]) for one in read["components"]}
    expected = {(name, version(name), f"pkg:pypi/{name}@{version(name)}") for name in packages}
    assert listed == {*expected, ("Python", "3.11", "pkg:generic/python@3.11")}
    assert read["metadata"]["timestamp"] == "2027-01-15T08:00:00Z"
    assert read["metadata"]["component"]["version"] == "1.2"


@pytest.mark.slow
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_all_functions_of_a_library_are_kogomas(library: Library) -> None:
    """Check that a library has no third-party functions except two functions of numba. These two are removed when the
    library is optimised."""
    module = llvm.parse_bitcode(library.joined())
    names = {function.name for function in module.functions if not function.is_declaration}
    assert {name for name in names if not re.match(r"_ZN(6|13_3cdynamic_3e\d+)kogoma|kogoma_", name)} <= NUMBA
    if library.name == "eval":
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        define_clock(module)
        optimise(module, entry_symbols(module), this_machine())
        left = {function.name for function in module.functions if not function.is_declaration}
        assert left and not left & NUMBA
