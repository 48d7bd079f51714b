"""Build shared objects that need neither numba nor LLVM: the prebuilt libraries of all platforms, and the code of
exported bots for Linux on x86-64.

They are built from the joined modules of the libraries, without compiling Python again. In an exported bot, the structs
that are constant for its variant (rules and weights) become constants of the code, so that LLVM removes the code that
the variant does not need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import llvmlite.binding as llvm

from kogoma.native.build import define_clock, entry_symbols, optimise
from kogoma.native.kernel import symbol
from kogoma.native.linker import elf_linker, link, release_linker
from kogoma.native.llvm_text import constant, for_target, with_buffer, with_constants
from kogoma.native.platforms import PLATFORMS, Platform
from kogoma.native.processor import NAME, processor_check

EXPORTS = PLATFORMS["linux-x86_64"]  # the platform on which exported bots run
CPUS = EXPORTS.processors[::-1]


@dataclass(frozen=True)
class Part:
    """Entry points that are optimised together. Some arguments become constants: `constants` maps their names to their
    bytes. `prefix` is added to the symbols, because an entry point can be in several parts. `room` is the size in bytes
    of a buffer of zeros, whose address `kogoma_room()` returns; the caller fills it before other calls. `addresses`
    describes pointers into this buffer: it maps the name of a constant to a dict from offsets of pointers in the
    constant to offsets in the buffer."""

    bitcode: tuple[bytes, ...]  # joined modules that define the entry points
    entries: Mapping[str, Sequence[str]]  # name -> names of its arguments
    constants: Mapping[str, bytes] = field(default_factory=dict)
    prefix: str = ""
    room: int = 0
    addresses: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


def shared_object(parts: Sequence[Part], cpu: str = "x86-64") -> bytes:
    """Return a stripped ELF shared object. It exports a function `kogoma_<prefix><entry>` for every entry point, and
    `kogoma_processor`, which checks the processor (see `native.processor`). The result is reproducible, and imports
    only the functions memset, memcpy and memmove. Raises KernelError if it cannot be built."""
    linker = elf_linker()
    machine = _machine(EXPORTS, cpu)
    modules = [_check(EXPORTS, cpu)]
    for part in parts:
        whole = _specialised(part, machine)
        exported = [symbol(part.prefix + name) for name in part.entries] + [symbol("room")] * bool(part.room)
        define_clock(whole)
        optimise(whole, exported, machine)
        modules.append(whole)
    return link([*linker, "-s", "-o", "object.so"], modules, machine, "object.so")


def optimised(joined: bytes, target: Platform, cpu: str) -> bytes:
    """Optimise a joined module for the processor `cpu` of a platform. Return LLVM bitcode for `prebuilt_library`; all
    platforms with this processor can use it."""
    machine = _machine(target, cpu)
    whole = _retargeted(joined, target, machine)
    optimise(whole, entry_symbols(whole), machine)
    return bytes(whole.as_bitcode())


def prebuilt_library(optimised: bytes, target: Platform, cpu: str) -> tuple[bytes, list[str]]:
    """Compile the result of `optimised` for the processor `cpu` of a platform. Return the content of the shared
    library, and the names of its entry points. The result is reproducible. Raises KernelError if the library cannot be
    built."""
    machine = _machine(target, cpu)
    whole = _retargeted(optimised, target, machine)
    symbols = entry_symbols(whole)
    output = f"library{target.suffix}"
    command, files = release_linker(target, [*symbols, NAME], output)
    define_clock(whole)
    for function in whole.functions:
        if not function.is_declaration and function.name not in symbols:
            function.linkage = "private"  # so that a library that is not stripped does not contain its long name
    library = link(command, [whole, _check(target, cpu)], machine, output, files)
    return library, [name.removeprefix(symbol("")) for name in symbols]


def _retargeted(bitcode: bytes, target: Platform, machine: Any) -> Any:
    """Return LLVM bitcode as a module for another platform."""
    text = for_target(str(llvm.parse_bitcode(bitcode)), target.triple, str(machine.target_data))
    return llvm.parse_assembly(text)


def _machine(target: Platform, cpu: str) -> Any:
    """Return LLVM's target machine for the processor `cpu` of a platform."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()  # for the inline assembly of the processor check
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=cpu, opt=3, reloc="pic", codemodel="default"
    )


def _check(target: Platform, cpu: str) -> Any:
    """Return the LLVM module with the function `kogoma_processor` (see `native.processor`)."""
    return llvm.parse_assembly(for_target(processor_check(cpu), target.triple, str(_machine(target, cpu).target_data)))


def _specialised(part: Part, machine: Any) -> Any:
    """Return one LLVM module made of the part's joined modules. Its entry points do not have the arguments that
    `part.constants` replaces."""
    whole, *others = [llvm.parse_bitcode(bitcode) for bitcode in part.bitcode]
    for module in others:
        whole.link_in(module)
    entries, names = dict[str, list[tuple[str, str]]](), dict[str, str]()
    for name, arguments in part.entries.items():
        kinds = [str(argument.type) for argument in whole.get_function(symbol(name)).arguments]
        entries[symbol(name)] = list(zip(arguments, kinds, strict=True))
        names[symbol(name)] = symbol(part.prefix + name)
    constants = {name: constant(data, part.addresses.get(name, {})) for name, data in part.constants.items()}
    text = with_constants(str(whole), entries, constants, names)
    if part.room:
        text = with_buffer(text, symbol("room"), part.room)
    return llvm.parse_assembly(for_target(text, EXPORTS.triple, str(machine.target_data)))
