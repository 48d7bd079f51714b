"""Folding: kernels evaluated as far as one game decides them."""
