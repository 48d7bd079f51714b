"""Edit LLVM code as text, where llvmlite's objects cannot do it. The docstrings give the reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kogoma.native.object_file import KernelError


def renamed(text: str, name: str, instead: str) -> str:
    """Return the code with the function `name` renamed to `instead`. This gives predictable names to functions whose
    names numba has mangled; llvmlite cannot rename functions."""
    return text.replace(f'@"{name}"', f"@{instead}").replace(f"@{name}", f"@{instead}")


def for_target(text: str, triple: str, layout: str) -> str:
    """Return the code with another target triple and data layout. llvmlite cannot change the target of a module if the
    pointer size differs."""
    text = re.sub(r"^(target triple|target datalayout|source_filename) = .*\n", "", text, flags=re.MULTILINE)
    return f'target datalayout = "{layout}"\ntarget triple = "{triple}"\n{text}'


def with_smaller_pointers(text: str) -> str:
    """Return the code with 8-byte stack slots in place of pointers, for a target with 4-byte pointers. Raises
    KernelError if the code keeps pointers in an array or a structure."""
    text = text.replace("= alloca ptr,", "= alloca i64,").replace("store ptr null,", "store i64 0,")
    if re.search(r"= alloca [^,]*[\[{][^\n]*\bptr\b", text):
        raise KernelError(
            "a kernel stores pointers in an array or a structure: such code cannot be translated to WebAssembly"
        )
    return text


def with_constants(
    text: str, entries: Mapping[str, Sequence[tuple[str, str]]], constants: Mapping[str, str], names: Mapping[str, str]
) -> str:
    """Return the code with constant structs in place of some arguments, so that LLVM can fold code that depends on
    them. `entries` maps the symbol of each entry point to the (name, LLVM type) of its arguments. `constants` maps the
    name of an argument to the text of its constant. `names` maps the symbol of each entry point to the symbol of its
    new function, which takes the remaining arguments."""
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


def with_buffer(text: str, symbol: str, size: int) -> str:
    """Return the code with a zeroed buffer `room` of `size` bytes, and a function `symbol` that returns the buffer's
    address."""
    room = f"@room = internal global [{size} x i8] zeroinitializer, align 64"
    return "\n".join([room, text, f"define i64 @{symbol}() {{", "  ret i64 ptrtoint (ptr @room to i64)", "}", ""])


def constant(data: bytes, addresses: Mapping[int, int]) -> str:
    """Return `data` as an LLVM constant. It may contain 8-byte pointers into the buffer `room` (see `with_buffer`):
    `addresses` maps the offset of each pointer in `data` to the offset of its target in `room`."""
    kinds, values, done = list[str](), list[str](), 0
    for place, target in [*sorted(addresses.items()), (len(data), -1)]:
        kinds.append(f"[{place - done} x i8]")
        values.append(f'{kinds[-1]} c"' + "".join(f"\\{byte:02X}" for byte in data[done:place]) + '"')
        if target >= 0:
            kinds.append("i64")
            values.append(f"i64 ptrtoint (ptr getelementptr (i8, ptr @room, i64 {target}) to i64)")
        done = place + 8
    return f"<{{ {', '.join(kinds)} }}> <{{ {', '.join(values)} }}>, align 64"
