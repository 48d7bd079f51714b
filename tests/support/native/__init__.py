"""Native libraries, their files, and installed packages without a compiler."""
