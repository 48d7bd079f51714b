"""Edits of LLVM's code as text: what llvmlite's objects can't do, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kogoma.native.object_file import KernelError


def renamed(text: str, name: str, instead: str) -> str:
    """The code with another name for a function: numba calls a function by its module and types, which others can't
    know, and llvmlite can't rename one."""
    return text.replace(f'@"{name}"', f"@{instead}").replace(f"@{name}", f"@{instead}")


def for_target(text: str, triple: str, layout: str) -> str:
    """The code for another target: llvmlite can set a module's target, but not while its pointers are of another
    size."""
    text = re.sub(r"^(target triple|target datalayout|source_filename) = .*\n", "", text, flags=re.MULTILINE)
    return f'target datalayout = "{layout}"\ntarget triple = "{triple}"\n{text}'


def with_smaller_pointers(text: str) -> str:
    """The code for a target whose pointers have half the bytes: LLVM let numbers of 64 bits take the room that was made
    for pointers. KernelError where a pointer is a part of something larger."""
    text = text.replace("= alloca ptr,", "= alloca i64,").replace("store ptr null,", "store i64 0,")
    if re.search(r"= alloca [^,]*[\[{][^\n]*\bptr\b", text):
        raise KernelError("kernels keep pointers in an array or a structure, which has another size in WebAssembly")
    return text


def with_constants(
    text: str, entries: Mapping[str, Sequence[tuple[str, str]]], constants: Mapping[str, str], names: Mapping[str, str]
) -> str:
    """The code with records that never change as constants, so that LLVM leaves out what they rule out.

    `entries`: symbol -> (name, kind) of its arguments; `constants`: name of an argument -> the constant's text;
    `names`: symbol -> that of the function which takes the other arguments.
    """
    head = [f"@constant_{name} = internal unnamed_addr constant {content}" for name, content in constants.items()]
    outer = list[str]()
    for number, (symbol, arguments) in enumerate(entries.items()):
        text = re.sub(rf"@{symbol}\b", f"@inner_{number}", text)
        passed = [f"{kind} @constant_{name}" if name in constants else f"{kind} %{name}" for name, kind in arguments]
        kept = [f"{kind} %{name}" for name, kind in arguments if name not in constants]
        outer += [
            f"define i64 @{names[symbol]}({', '.join(kept)}) {{",
            f"  %result = call i64 @inner_{number}({', '.join(passed)})",
            "  ret i64 %result",
            "}",
        ]
    return "\n".join([*head, text, *outer, ""])


def with_room(text: str, symbol: str, size: int) -> str:
    """The code with so many bytes of memory that are 0 at first, and a function that returns their address."""
    room = f"@room = internal global [{size} x i8] zeroinitializer, align 64"
    return "\n".join([room, text, f"define i64 @{symbol}() {{", "  ret i64 ptrtoint (ptr @room to i64)", "}", ""])


def constant(data: bytes, addresses: Mapping[int, int]) -> str:
    """Bytes as LLVM writes them; `addresses`: place of eight bytes -> the place in the room whose address they hold."""
    kinds, values, done = list[str](), list[str](), 0
    for place, target in [*sorted(addresses.items()), (len(data), -1)]:
        kinds.append(f"[{place - done} x i8]")
        values.append(f'{kinds[-1]} c"' + "".join(f"\\{byte:02X}" for byte in data[done:place]) + '"')
        if target >= 0:
            kinds.append("i64")
            values.append(f"i64 ptrtoint (ptr getelementptr (i8, ptr @room, i64 {target}) to i64)")
        done = place + 8
    return f"<{{ {', '.join(kinds)} }}> <{{ {', '.join(values)} }}>, align 64"
