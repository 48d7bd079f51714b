"""The mate solver: df-pn, a depth-first proof-number search over the rules' kernels."""
