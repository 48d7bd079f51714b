"""Translate the kernels of one variant to plain Python: `translate.translate` starts from entry points and follows
their calls."""
