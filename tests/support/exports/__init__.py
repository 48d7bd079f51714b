"""Exported bots as tests run them, and the translated kernels in them."""
