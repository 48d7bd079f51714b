"""The function `kogoma_processor` of a shared object, which checks whether this processor can execute the object.

The function is part of the object, compiled for the oldest processor, so that the check is the same on every system.
"""

from __future__ import annotations

NAME = "kogoma_processor"  # returns 0, or the number (from 1) of the first of FEATURES that the processor lacks
OLDEST = "x86-64"
# The features that x86-64-v3 needs: name -> (word, bit). Words 0 to 2 are results of the instruction `cpuid`: ecx of
# leaf 1, ebx of leaf 7, and ecx of leaf 0x80000001. Word 3 is the register XCR0, which says what state the operating
# system saves.
ENABLED = "AVX enabled"
FEATURES = {
    "SSSE3": (0, 9),
    "SSE4.1": (0, 19),
    "SSE4.2": (0, 20),
    "POPCNT": (0, 23),
    "AVX": (0, 28),
    ENABLED: (3, 2),
    "AVX2": (1, 5),
    "BMI1": (1, 3),
    "BMI2": (1, 8),
    "FMA": (0, 12),
    "F16C": (0, 29),
    "LZCNT": (2, 5),
    "MOVBE": (0, 22),
}
_ANY = f"""
define i64 @{NAME}() {{
  ret i64 0
}}
"""
_CPUID = """
  %leaf_{name} = call {{ i32, i32, i32, i32 }} asm sideeffect "cpuid",
    "={{ax}},={{bx}},={{cx}},={{dx}},{{ax}},{{cx}},~{{dirflag}},~{{fpsr}},~{{flags}}"(i32 {leaf}, i32 0)
  %{name} = extractvalue {{ i32, i32, i32, i32 }} %leaf_{name}, {register}
"""


def processor_check(cpu: str) -> str:
    """Return the LLVM code of the function `kogoma_processor` for a shared object that is compiled for `cpu`."""
    if cpu != "x86-64-v3":
        return _ANY
    lines = [f"define i64 @{NAME}() #0 {{", "start:"]
    for name, leaf, register in (
        ("most", 0, 0),
        ("word0", 1, 2),
        ("leaf7", 7, 1),
        ("word2", 0x80000001 - (1 << 32), 2),
    ):
        lines += [_CPUID.format(name=name, leaf=leaf, register=register)]
    lines += [
        "  %has_leaf7 = icmp uge i32 %most, 7",  # a processor without leaf 7 returns another leaf instead
        "  %word1 = select i1 %has_leaf7, i32 %leaf7, i32 0",
        "  %osxsave = and i32 %word0, 134217728",
        "  %has_state = icmp ne i32 %osxsave, 0",  # without this bit, `xgetbv` is an illegal instruction
        "  br i1 %has_state, label %read, label %join",
        "read:",
        '  %xcr = call { i32, i32 } asm sideeffect "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}"(i32 0)',
        "  %state = extractvalue { i32, i32 } %xcr, 0",
        "  br label %join",
        "join:",
        "  %word3 = phi i32 [ 0, %start ], [ %state, %read ]",
    ]
    result = "0"
    for number, (word, bit) in reversed(list(enumerate(FEATURES.values(), 1))):
        lines += [
            f"  %bit{number} = and i32 %word{word}, {1 << bit}",
            f"  %missing{number} = icmp eq i32 %bit{number}, 0",
            f"  %result{number} = select i1 %missing{number}, i64 {number}, i64 {result}",
        ]
        result = f"%result{number}"
    lines += [
        f"  ret i64 {result}",
        "}",
        f'attributes #0 = {{ noinline "target-cpu"="{OLDEST}" "target-features"="" }}',
        "",
    ]
    return "\n".join(lines)


def shortcoming(code: int) -> str:
    """Return what a result of `kogoma_processor` other than 0 says about the processor, as the end of a sentence that
    begins with the words "this processor". A program cannot see whether a virtual machine hides a feature."""
    feature = list(FEATURES)[code - 1]
    if feature == ENABLED:
        return "has AVX, but the operating system or the virtual machine has not enabled it"
    return f"has no {feature}, or a virtual machine hides it"
