"""Games with a die: which moves a throw allows, for Python (`die`) and for kernels (`throw`)."""
