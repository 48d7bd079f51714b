"""Export of a bot as one file: `command` is the entry point, and each flavor has a module that writes its files.

`native_*.py` are parts of exported files with native code, and `plain_bot.py` is an exported file of plain Python.
"""
