"""Export of a bot as one file: `command` is the entry point, and each flavor has a module that writes its files.

`host` holds replacements for the engine's modules of memory and native code, which become part of exported files.
"""
