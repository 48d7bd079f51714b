"""A USI engine whose lines have escape sequences for terminals: `python -S escaping.py [END]`.

It writes escape sequences before and during a search, on standard error as well. Without END it resigns at once. END is
`move` (its move has escape sequences), `crash` (it ends at its first move), `unready` (it ends instead of writing
`readyok`) or `mute` (it ends instead of writing `usiok`).
"""

from __future__ import annotations

import os
import sys

# These bytes clear the screen, set the window's title and ring the bell. Some escape sequences are in their 8-bit form,
# and some bytes are not valid UTF-8.
ESCAPES = b"\x1b[2J\x1b]0;stolen\x07\x08\x7f\xc2\x9b31m\xc2\x9d0;stolen\xc2\x9c\x9b31m\x00\r"


def say(text: str) -> None:
    """Write a text to standard output, with ESCAPES in place of each `~`. Also write a warning with ESCAPES to standard
    error."""
    os.write(1, text.encode().replace(b"~", ESCAPES) + b"\n")
    os.write(2, b"warning: " + ESCAPES + b"\n")


def main() -> None:
    end = sys.argv[1] if len(sys.argv) > 1 else ""
    say("hello ~")
    for line in sys.stdin:
        word = line.split()[0]
        if word == "usi":
            say("id name ~engine~\nid author ~\ninfo string ~")
            say("option name USI_Variant type combo default shogi var shogi var minishogi")
            say("option name ~Hash~ type spin default 1 min 1 max 2\noption name File type string default ~")
            say("usi~ok" if end == "mute" else "usiok")
            if end == "mute":
                os._exit(3)
        elif word == "isready":
            say("ready~ok" if end == "unready" else "readyok")
            if end == "unready":
                os._exit(3)
        elif word == "go":
            say("info string ~ searching\ninfo depth 1 ~ nodes 5 score cp 5 pv 3e3d ~\ninfo depth 2 score cp 5 pv ~")
            if end == "crash":
                os._exit(3)
            say("bestmove ~3e3d" if end == "move" else "bestmove resign ponder ~")
        elif word == "quit":
            break


main()
