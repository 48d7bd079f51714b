"""Command lines and standard streams: arguments, lines of input, output, the terminal's width, and Windows' console."""
