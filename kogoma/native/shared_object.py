"""Build a shared object for Linux on x86-64 that needs neither numba nor LLVM nor the rest of the engine.

Structs that are constant in one variant (rules and weights) are compiled in, so that LLVM removes code the variant does
not need. The joined modules of the libraries are the input; nothing is compiled from Python again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import llvmlite.binding as llvm

from kogoma.native.build import optimise
from kogoma.native.kernel import symbol
from kogoma.native.linker import elf_linker, link
from kogoma.native.llvm_text import constant, for_target, with_buffer, with_constants

TRIPLE = "x86_64-unknown-linux-gnu"
CPUS = ("x86-64", "x86-64-v3")


@dataclass(frozen=True)
class Part:
    """Entry points that are optimised together. `constants` maps the names of arguments that become constants to their
    bytes. `prefix` distinguishes the symbols of an entry point that is in several parts. `room` is the size of a zeroed
    buffer, whose address `kogoma_room()` returns; the caller fills it before other calls. `addresses` maps the name of
    a constant to its pointers into the buffer: a map from a pointer's offset in the constant to the offset in the
    buffer to which it points."""

    bitcode: tuple[bytes, ...]  # joined modules that define the entry points
    entries: Mapping[str, Sequence[str]]  # name -> names of its arguments
    constants: Mapping[str, bytes] = field(default_factory=dict)
    prefix: str = ""
    room: int = 0
    addresses: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


def shared_object(parts: Sequence[Part], cpu: str = "x86-64") -> bytes:
    """Return a stripped ELF shared object with a symbol `kogoma_<prefix><entry>` for every entry point. The result is
    reproducible. From outside, it needs only the functions memset, memcpy and memmove. Raises KernelError if it cannot
    be built."""
    linker = elf_linker()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=cpu, opt=3, reloc="pic", codemodel="small")
    modules = []
    for part in parts:
        whole = _specialised(part, machine)
        exported = [symbol(part.prefix + name) for name in part.entries] + [symbol("room")] * bool(part.room)
        optimise(whole, exported, machine)
        modules.append(whole)
    return link([*linker, "-s"], modules, machine, "object.so")


def _specialised(part: Part, machine: Any) -> Any:
    """Return the part's joined modules as one module, whose entry points do not take the constants as arguments."""
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
    return llvm.parse_assembly(for_target(text, TRIPLE, str(machine.target_data)))
