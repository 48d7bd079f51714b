"""Command lines and standard streams: arguments, lines of input, output, and Windows' console."""
