"""Edit LLVM code as text, where llvmlite's objects cannot do it. The docstrings give the reasons."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

from kogoma.native.object_file import KernelError

FUNCTION = re.compile(r"^define [^@\n]*@(\w+)\(.*?^}$", re.MULTILINE | re.DOTALL)
MANGLED = re.compile(r"_ZN\w+")
NUMBERED = re.compile(r"B\d+v\d+B.*")  # in a mangled name: numba's number of the function, and what follows
ENVIRONMENT = re.compile(r"^@_ZN08NumbaEnv.*\n", re.MULTILINE)  # for Python objects, which kernels do not use
PYTHON_OBJECT = re.compile(r"numba\.dynamic\.globals\.[0-9a-f]+")  # its address; kernels do not use it
DETAIL = re.compile(r"^(?:attributes )?([#!]\d+) = (.*)$", re.MULTILINE)
DETAILS = re.compile(r"[#!]\d+")


def renamed(text: str, name: str, instead: str) -> str:
    """Return the code with the function `name` renamed to `instead`. This gives predictable names to functions whose
    names numba has mangled; llvmlite cannot rename functions."""
    return text.replace(f'@"{name}"', f"@{instead}").replace(f"@{name}", f"@{instead}")


def named_by_content(text: str) -> str:
    """Return the code with names of functions that depend on their code alone: each mangled name ends with a digest of
    the function and of those that it calls. Of equal functions, only the first is kept. numba's own names have numbers,
    which depend on what has been compiled before. Functions cannot call each other in a circle."""
    text = ENVIRONMENT.sub("", text)
    codes = {found[1]: found[0] for found in FUNCTION.finditer(text) if MANGLED.match(found[1])}
    details, names = dict(DETAIL.findall(text)), dict[str, str]()

    def name(mangled: str) -> str:
        if mangled not in names:
            code = PYTHON_OBJECT.sub("object", codes[mangled].replace(mangled, "itself"))
            code = DETAILS.sub(lambda found: details.get(found[0], ""), code)
            code = MANGLED.sub(lambda found: name(found[0]) if found[0] in codes else found[0], code)
            digest = hashlib.sha256(code.encode()).hexdigest()
            names[mangled] = f"{NUMBERED.sub('', mangled)}_{digest[:16]}"
        return names[mangled]

    kept = {*{name(mangled): mangled for mangled in reversed(codes)}.values()}
    text = FUNCTION.sub(lambda found: "" if found[1] in names and found[1] not in kept else found[0], text)
    return MANGLED.sub(lambda found: names.get(found[0], found[0]), text)


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
