"""In an exported file: what the exporter made for it. Here the places are empty.

OBJECT is the native code, CPU the processors that it is for, TABLES the evaluation's tables for FEATURES features (""
where there are none), each packed and compressed; FALLBACK is the Python flavor's program, which goes on where the
native code can't. POSITION, THREAD and DICE_THREAD describe the records' fields.
"""

CPU = "x86-64"
OBJECT = ""
FALLBACK = ""
TABLES = ""
FEATURES = 0
POSITION = ""
THREAD = ""

# Of the Game of Generals: the steps and slides of pieces as (columns to the right, rows ahead), what promotes to what,
# and the side of the board.
STEPS: dict[str, list[tuple[int, int]]] = {}
SLIDES: dict[str, list[tuple[int, int]]] = {}
PROMOTES: dict[str, str] = {}
SIZE = 0
