"""Bots as one file for an arena: `command` is what the command line calls, a module a flavor writes the file, and
`host` holds what stands there for the engine's own memory and native code.
"""
