"""In an exported file: the data of the game. The export replaces the empty values below.

In native files, OBJECT is the shared object and NETWORK the rows of the network ("" if there is none), each compressed
and packed. CPU names the processors for which OBJECT was made. FALLBACK is a program in plain Python
that runs if the native code cannot run. POSITION and THREAD describe the fields of the structs. BOOK is the opening
book, packed.
"""

from __future__ import annotations

CPU = "x86-64"
OBJECT = ""
FALLBACK = ""
NETWORK = ""
BOOK = ""
POSITION = ""
THREAD = ""
