"""Entries as a shared object of their own for Linux on x86-64: no numba, no LLVM, and no engine around it.

Records that never change in one game, its rules and its weights, become constants in the code: LLVM then leaves out
what this game never does. The joined modules that the libraries keep are the source, so nothing is compiled anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import llvmlite.binding as llvm

from kogoma.native.build import optimise
from kogoma.native.kernel import symbol
from kogoma.native.linker import elf_linker, link
from kogoma.native.llvm_text import constant, for_target, with_constants, with_room

TRIPLE = "x86_64-unknown-linux-gnu"
CPUS = ("x86-64", "x86-64-v3")


@dataclass(frozen=True)
class Part:
    """Entries that are optimised together. `constants` are bytes by argument: a record of that name is no argument any
    more. `prefix` tells entries apart that are there in several parts.

    `room` is how many bytes of memory, all 0 at first, the caller of `kogoma_room()` gets the address of, to fill them
    before anything else is called. `addresses` tells which constants hold addresses in it: constant -> place of the
    eight bytes -> place in the room."""

    bitcode: tuple[bytes, ...]  # joined modules, in which the entries are
    entries: Mapping[str, Sequence[str]]  # name -> names of its arguments
    constants: Mapping[str, bytes] = field(default_factory=dict)
    prefix: str = ""
    room: int = 0
    addresses: Mapping[str, Mapping[int, int]] = field(default_factory=dict)


def shared_object(parts: Sequence[Part], cpu: str = "x86-64") -> bytes:
    """An ELF shared object, stripped, with a symbol `kogoma_<prefix><entry>` for every entry; the same bytes for the
    same sources and linker. It needs nothing but libc's memset, memcpy and memmove. KernelError if it can't be made."""
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
    """The part's joined modules as one, for the machine, in which its entries are called without the constants."""
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
        text = with_room(text, symbol("room"), part.room)
    return llvm.parse_assembly(for_target(text, TRIPLE, str(machine.target_data)))
