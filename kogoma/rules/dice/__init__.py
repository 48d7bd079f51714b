"""The die: which moves a roll allows, for Python (`die`) and for kernels (`roll`)."""
