"""The passes of numba's compiler that kernels need, a selection of numba's nopython pipeline.

Kernels have no closures, `with` blocks, array expressions or parallel loops, and do not inline functions in numba's IR
(LLVM inlines them). Without the passes for these, numba writes the same code for kernels, in less time.
"""

from __future__ import annotations

from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager
from numba.core.typed_passes import (
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)

PASSES = (
    TranslateByteCode,
    FixupArgs,
    IRProcessing,
    RewriteSemanticConstants,
    DeadBranchPrune,
    GenericRewrites,
    ReconstructSSA,
    DeadBranchPrune,  # of branches that only static single assignment shows to be dead
    NopythonTypeInference,
    PreLowerStripPhis,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
)


class KernelCompiler(CompilerBase):
    """numba's compiler for kernels."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the only pipeline. numba calls this for each function."""
        passes = PassManager("kernel")
        for one in PASSES:
            passes.add_pass(one, one.__name__)
        passes.finalize()
        return [passes]
