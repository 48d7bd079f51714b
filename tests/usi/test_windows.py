"""Requirements of Windows that can be tested on other systems."""

from __future__ import annotations

import subprocess
import sys

import llvmlite.binding as llvm
import pytest

from support.usi_client import ROOT

# This program runs a command. When the reading thread starts, it prints which libraries are loaded.
CODE = """
import sys
from kogoma.console import lines, windows
windows.IS_WINDOWS = {windows}
run = lines.LineReader.run
def noted(reader):
    print(*(name in sys.modules for name in ("numpy", "llvmlite.binding")), flush=True)
    run(reader)
lines.LineReader.run = noted
from kogoma.__main__ import main
main({words})
"""


@pytest.mark.parametrize("windows", [True, False])
@pytest.mark.parametrize("words", [[], ["codingame", "minishogi"]], ids=["usi", "codingame"])
def test_libraries_are_loaded_before_a_thread_reads(words: list[str], windows: bool) -> None:
    """Check that, on Windows only, libraries are loaded before a thread reads standard input. While a thread reads,
    loading a library that accesses standard input would block."""
    command = [sys.executable, "-c", CODE.format(windows=windows, words=words)]
    done = subprocess.run(command, cwd=ROOT, input="", capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[0] == f"{windows} {windows}", done.stderr


def test_objects_for_windows_are_elf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that llvmlite's code model "jitdefault" produces ELF object files on Windows. With COFF, the usual format
    on Windows, code must lie close in memory to everything that it refers to."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    monkeypatch.setattr("llvmlite.binding.targets.os.name", "nt")
    target = llvm.Target.from_triple("x86_64-pc-windows-msvc" if "x86" in llvm.get_default_triple() else "")
    machine = target.create_target_machine(codemodel="jitdefault", jit=True)
    monkeypatch.undo()
    module = llvm.parse_assembly('target triple = "x86_64-pc-windows-msvc"\ndefine i64 @f() {\nret i64 1\n}')
    assert machine.emit_object(module)[:4] == b"\x7fELF"
