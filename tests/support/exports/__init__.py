"""Tools for tests of exported bots and of the translated kernels in these bots."""
