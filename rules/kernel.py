"""How kernels become one native object, built by numba once and loaded without it ever after.

A kernel is a plain Python function marked `@kernel`; an `@entry` is one that Python calls. `Library` gathers the
entries of some modules, compiles them with numba in a process of its own, makes one LLVM module of them in which
only the entries are visible, optimises it as a whole and keeps the object file in the user's cache folder.
Loading that file takes llvmlite alone, by the interface through which numba runs its own code.

Kernels raise nothing, allocate nothing and touch no Python object; status goes back as an int.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib
import importlib.util
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Report = Callable[[str], None]
Dtype = Callable[[str], Any]  # layout -> numpy dtype of a record

KEEP_OBJECTS = 24  # objects in the cache folder; the ones used longest ago go first


class KernelError(RuntimeError):
    """The native library can't be built or kept; the message says what to do."""


def kernel(function: Callable[..., Any]) -> Any:
    """Mark a function that numba compiles and other kernels call."""
    import numba

    return numba.njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


def entry(**kinds: Dtype | type[int] | list[Dtype]) -> Callable[[Any], Any]:
    """Mark a kernel that Python calls, naming what each argument is: a dtype function for a record (passed as an
    array of one), a list of one for an array of records, or int. It returns an int."""

    def mark(function: Callable[..., Any]) -> Any:
        compiled = kernel(function)
        compiled.entry_kinds = kinds
        return compiled

    return mark


def cache_folder() -> Path:
    """Where native objects are kept: KOGOMA_CACHE, or `kogoma` in the user's cache folder."""
    if own := os.environ.get("KOGOMA_CACHE"):
        return Path(own)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "kogoma"


@functools.cache
def _machine() -> str:
    """What an object depends on besides its sources: numba, Python's platform and the processor."""
    try:
        cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        lines = {line for line in cpu.splitlines() if line.startswith(("model name", "flags", "Features"))}
        processor = "\n".join(sorted(lines))
    except OSError:
        processor = platform.processor()
    numba = importlib.util.find_spec("numba")  # found, not imported
    if numba is None or numba.origin is None:
        raise KernelError("numba is not installed: run ./engine.sh once, or pip install numba")
    # The folder beside it is named by the version; importlib.metadata would take as long as all the rest.
    versions = sorted(path.name for path in Path(numba.origin).parents[1].glob("numba-*.dist-info"))
    return "\n".join((*versions, sys.platform, platform.machine(), processor))


class Library:
    """The entries of `modules`, in that order, for one layout of the records, as native code."""

    def __init__(self, name: str, modules: tuple[str, ...], layout: str = "64") -> None:
        self.name, self.modules, self.layout = name, modules, layout
        self._functions: dict[str, Callable[..., int]] = {}
        self._keep: list[Any] = []

    @functools.cached_property
    def path(self) -> Path:
        """The object file, named by all that went into it."""
        digest = hashlib.sha256(_machine().encode())
        root = Path(__file__).resolve().parents[1]
        for module in ("rules.kernel", *self.modules):
            digest.update((root / (module.replace(".", "/") + ".py")).read_bytes())
        return cache_folder() / f"{self.name}-{self.layout}-{digest.hexdigest()[:20]}.o"

    def is_built(self) -> bool:
        """Quick, from the standard library alone."""
        return bool(self._functions) or self.path.is_file()

    def build(self) -> None:
        """Compile the object in a process of its own, if nobody has; KernelError says what went wrong."""
        if self.is_built():
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.path.parent):
                pass
        except OSError as error:
            raise KernelError(
                f"cannot write to the cache folder {self.path.parent} ({error.strerror}): "
                "set KOGOMA_CACHE to a folder that can be written"
            ) from None
        command = [sys.executable, "-P", "-c", "import sys; from rules.kernel import _build; _build(*sys.argv[1:])"]
        command += [self.name, self.layout, str(self.path), *self.modules]
        root = str(Path(__file__).resolve().parents[1])
        paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode != 0 or not self.path.is_file():
            last = done.stdout.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
            raise KernelError(f"compiling {self.name} failed: {last[0]}")

    def load(self) -> None:
        """Make the entries callable, building the object first where there is none."""
        if self._functions:
            return
        self.build()
        try:
            self._functions = self._load_object()
            os.utime(self.path)
        except (OSError, RuntimeError, ValueError) as error:
            raise KernelError(f"cannot load {self.path} ({error}): delete it to have it compiled again") from None

    def _load_object(self) -> dict[str, Callable[..., int]]:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        data = self.path.read_bytes()
        engine.add_object_file(llvm.ObjectFileRef.from_data(data))
        engine.finalize_object()
        self._keep.append(engine)
        names = data[data.rindex(b"\nkogoma:") :].decode().split(":")[1:]
        functions = {}
        for name in names:
            address = engine.get_function_address(name)
            if not address:
                raise RuntimeError(f"{name} is missing from {self.path}")
            functions[name.removeprefix("kogoma_")] = _callable(address)
        return functions

    def __call__(self, name: str, *arguments: Any) -> int:
        """Call an entry; numpy arrays go as pointers to their first element. The GIL is released meanwhile."""
        if not self._functions:
            self.load()
        return self._functions[name](*[_pass(argument) for argument in arguments])


def _pass(argument: Any) -> ctypes.c_int64:
    if isinstance(argument, int):
        return ctypes.c_int64(argument)
    return ctypes.c_int64(argument.ctypes.data)


def _callable(address: int) -> Callable[..., int]:
    return ctypes.CFUNCTYPE(ctypes.c_int64)(address)


def _entries(modules: tuple[str, ...]) -> dict[str, Any]:
    """Name -> compiled entry, of all these modules, in a fixed order."""
    found: dict[str, Any] = {}
    for module in modules:
        for name, value in vars(importlib.import_module(module)).items():
            if hasattr(value, "entry_kinds") and value.py_func.__module__ == module:
                found[name] = value
    return found


def _wrap(name: str, function: Any, layout: str) -> Any:
    """A numba cfunc over plain pointers that calls the entry with its records."""
    import numba
    from numba import types

    signature, arguments = [], []
    for argument, kind in function.entry_kinds.items():
        if kind is int:
            signature.append(types.int64)
            arguments.append(argument)
            continue
        many = isinstance(kind, list)
        record = numba.from_dtype((kind[0] if many else kind)(layout))
        signature.append(types.CPointer(record))
        # The length only serves checks that are switched off.
        arguments.append(f"carray({argument}, 1 << 40)" if many else f"carray({argument}, 1)[0]")
    source = f"def kogoma_{name}({', '.join(function.entry_kinds)}):\n    return entry({', '.join(arguments)})\n"
    scope: dict[str, Any] = {"entry": function, "carray": numba.carray}
    exec(source, scope)
    return numba.cfunc(types.int64(*signature), error_model="numpy")(scope[f"kogoma_{name}"])


def _build(name: str, layout: str, path: str, *modules: str) -> None:
    """Runs in a process of its own: compile the entries into one object file at `path`."""
    import llvmlite.binding as llvm
    from numba.core import config

    # One pass over the whole comes at the end; numba's own for every function only has to clean up.
    config.OPT = config._OptLevel("1")
    entries = _entries(modules)
    whole = None
    exported = []
    for entry_name in entries:
        # numba resolves symbols as it goes, in this process, where nothing of it will run: see rules/recursion.py.
        llvm.add_symbol(f"kogoma_{entry_name}", 1)
    for entry_name, function in entries.items():
        compiled = _wrap(entry_name, function, layout)
        module = llvm.parse_assembly(compiled.inspect_llvm())
        native = compiled.native_name
        module.get_function(native).linkage = "external"
        symbol = f"kogoma_{entry_name}"
        # Where the entry calls itself, its own declaration stands in the way of its definition.
        lines = [
            line for line in str(module).splitlines() if not line.startswith("declare") or f"@{symbol}(" not in line
        ]
        text = "\n".join(lines).replace(f'@"{native}"', f"@{symbol}").replace(f"@{native}", f"@{symbol}")
        module = llvm.parse_assembly(text)
        exported.append(symbol)
        if whole is None:
            whole = module
        else:
            whole.link_in(module)
    assert whole is not None
    machine = _optimise(whole, exported)
    data = machine.emit_object(whole) + "".join(["\nkogoma", *(f":{n}" for n in exported)]).encode()
    descriptor, temporary = tempfile.mkstemp(dir=Path(path).parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    os.replace(temporary, path)
    _prune(Path(path).parent)


def _optimise(whole: Any, exported: list[str]) -> Any:
    """Make everything but the entries internal, run LLVM's O3 over all of it; the target machine to emit it with."""
    import llvmlite.binding as llvm

    for function in whole.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in exported else "internal"
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    # Measured: together 8% more perft and 5% more search, for 4 s more of compiling.
    options.slp_vectorization = True
    options.inlining_threshold = 600
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(whole, builder)
    outside = [function.name for function in whole.functions if function.is_declaration]
    foreign = [name for name in outside if not name.startswith("llvm.") and name not in ("memcpy", "memset", "memmove")]
    if foreign:
        # A kernel that raises or allocates needs numba's runtime, which is not there when the object runs.
        raise KernelError(f"kernels need symbols from outside: {', '.join(sorted(foreign))}")
    return machine


def _prune(folder: Path) -> None:
    """Keep the objects used last."""
    objects = sorted(folder.glob("*.o"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in objects[KEEP_OBJECTS:]:
        if time.time() - path.stat().st_mtime > 3600:
            path.unlink(missing_ok=True)
