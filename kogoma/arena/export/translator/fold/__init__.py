"""Partial evaluation: kernels are evaluated as far as the constants of one variant determine them."""
