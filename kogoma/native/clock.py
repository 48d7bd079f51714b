"""A clock for kernels.

On 64-bit Linux and on macOS it returns the same nanoseconds as `time.perf_counter_ns`, in WebAssembly the host clock.
On other systems it always returns 0, and searches are stopped by a flag that Python sets.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

NAME = "kogoma_now"
MONOTONIC = 1  # CLOCK_MONOTONIC on Linux
UPTIME = 8  # CLOCK_UPTIME_RAW on macOS: the time of mach_absolute_time, which Python uses
BY_LIBC = f"""
declare i32 @clock_gettime(i32, ptr)

define i64 @{NAME}() {{
  %time = alloca [2 x i64]
  %status = call i32 @clock_gettime(i32 CLOCK, ptr %time)
  %seconds = load i64, ptr %time
  %place = getelementptr i64, ptr %time, i64 1
  %rest = load i64, ptr %place
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}}
"""
# The host provides env.now, milliseconds as performance.now() returns them.
IMPORTED = "kogoma_imported_now"
IN_WASM = f"""
declare double @{IMPORTED}() #0

define i64 @{NAME}() {{
  %time = call double @{IMPORTED}()
  %fine = fmul double %time, 1.0e+06
  %now = fptosi double %fine to i64
  ret i64 %now
}}

attributes #0 = {{ "wasm-import-module"="env" "wasm-import-name"="now" }}
"""
ELSEWHERE = f"""
define i64 @{NAME}() {{
  ret i64 0
}}
"""


@intrinsic
def now(typing_context: Any) -> Any:
    """Return the time in nanoseconds since an arbitrary moment, or 0 if there is no clock."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        function = builder.module.globals.get(NAME) or ir.Function(builder.module, kind, NAME)
        return builder.call(function, [])

    return types.int64(), codegen


def definition(triple: str) -> str:
    """Return the LLVM code that defines the clock's function for a target triple."""
    processor = triple.split("-")[0]
    if processor == "wasm32":
        return IN_WASM
    if "linux" in triple and "64" in processor:
        return BY_LIBC.replace("CLOCK", str(MONOTONIC))
    return BY_LIBC.replace("CLOCK", str(UPTIME)) if "apple" in triple else ELSEWHERE
