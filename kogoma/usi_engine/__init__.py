"""What a GUI talks to: the USI protocol, and the command line."""
