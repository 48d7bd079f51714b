"""An engine that misbehaves as its arguments say: `python -S scripted.py PROTOCOL WORDS ...`.

PROTOCOL is `usi`, or `minishogi`, `dice` or `onitama` for CodinGame's protocol. The words for USI are:

- `moves=FILE`: play the USI moves in this file, which has one game per line.
- `at=N`: misbehave at the Nth move, counted from 1. With `once=FILE`, do so only if this file is missing, and write it.
- How to misbehave: `hang`, `crash`, `abort`, `exit`, `close` (close the pipes), `rubbish`, `nonsense`, `illegal`,
  `none`, `null`, `late=MS`, `flood=MB` (many lines), `wide=MB` (one line), `noisy=MB` (standard error), `resigns`,
  `wins`.
- `ready=MS`: wait before `readyok`. `mute`: never send `usiok`. `unready`: never send `readyok`. `unfit`: exit instead
  of sending `readyok`.
- `bounds`: end with a score that is a lower bound. `mate=N`: send this mate score. `silent`: send no score.
- `leaves`: exit after the first move. `deaf`: read nothing after the first move. `stubborn`: ignore `quit` and the end
  of the input. `orphan`: leave a child process that keeps the pipes open.

For CodinGame, `at=N` and `say=TEXT` replace the Nth answer, `at=N` and `late=MS` delay it, and `message=TEXT` is sent
after each action.
"""

from __future__ import annotations

import os
import sys
import time
from typing import NoReturn

OUT = sys.stdout.fileno()


def say(text: str) -> None:
    data = (text + "\n").encode()
    while data:
        data = data[os.write(OUT, data) :]


def sleep_for_ever() -> NoReturn:
    while True:
        time.sleep(3600)


def pour(pipe: int, block: bytes, megabytes: int) -> None:
    for _ in range(megabytes * 1_000_000 // len(block)):
        rest = block
        while rest:
            rest = rest[os.write(pipe, rest) :]


class Script:
    def __init__(self, words: list[str]) -> None:
        self.options = dict(word.partition("=")[::2] for word in words)
        self.games: list[list[str]] = []
        if "moves" in self.options:
            with open(self.options["moves"]) as file:
                self.games = [line.split() for line in file]
        self.asked = 0

    def has(self, word: str) -> bool:
        return word in self.options

    def number(self, word: str) -> int:
        return int(self.options[word])

    def answer(self, played: list[str]) -> str | None:
        """Return the answer to the position after the moves `played`, or None to send no `bestmove`."""
        self.asked += 1
        if self.asked == int(self.options.get("at", 0)):
            if self.has("once"):
                if os.path.exists(self.options["once"]):
                    return self.follow(played)
                open(self.options["once"], "w").close()
            return self.misbehave(played)
        return self.follow(played)

    def follow(self, played: list[str]) -> str:
        for game in self.games:
            if game[: len(played)] == played and len(game) > len(played):
                return game[len(played)]
        return "resign"

    def misbehave(self, played: list[str]) -> str | None:
        if self.has("hang"):
            sleep_for_ever()
        if self.has("crash"):
            os.write(2, b"something went wrong\n")
            os._exit(3)
        if self.has("abort"):
            os.abort()
        if self.has("exit"):
            os._exit(0)
        if self.has("close"):
            os.close(0)
            os.close(OUT)
            sleep_for_ever()
        if self.has("rubbish"):
            say("Traceback (most recent call last):\nwhat is this?")
            return None
        if self.has("flood"):
            pour(OUT, (b"info string " + b"x" * 87 + b"\n") * 1000, self.number("flood"))
        if self.has("wide"):
            pour(OUT, b"y" * 100_000, self.number("wide"))
            say("")
        if self.has("noisy"):
            pour(2, b"complaint\n" * 10_000, self.number("noisy"))
        if self.has("late"):
            time.sleep(self.number("late") / 1000)
        if self.has("illegal"):
            return "1a1b"
        if self.has("nonsense"):
            return "?!"
        if self.has("none"):
            return ""
        if self.has("null"):
            return "(none)"
        if self.has("resigns"):
            return "resign"
        if self.has("wins"):
            return "win"
        return self.follow(played)


def usi(script: Script) -> None:
    played: list[str] = []
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if words[0] == "usi" and not script.has("mute"):
            say("id name Scripted\noption name USI_Variant type combo default shogi var shogi var minishogi\nusiok")
        elif words[0] == "isready" and script.has("unfit"):
            sys.exit("no licence found")
        elif words[0] == "isready" and not script.has("unready"):
            time.sleep(int(script.options.get("ready", 0)) / 1000)
            say("readyok")
        elif words[0] == "position":
            played = words[words.index("moves") + 1 :] if "moves" in words else []
        elif words[0] == "go":
            move = script.answer(played)
            if move is not None:
                score = 20 - len(played)
                pv = move if "*" in move or move[:1].isdigit() else "2e2d"
                shown = f"mate {script.number('mate')}" if script.has("mate") else f"cp {score}"
                if not script.has("silent"):
                    say(f"info depth 3 nodes 500 score {shown} pv {pv}")
                if script.has("bounds"):
                    say(f"info depth 4 nodes 900 score cp {score + 300} lowerbound pv {pv}")
                    time.sleep(1)
                say(f"bestmove {move}")
            if script.has("leaves"):
                os._exit(0)
            if script.has("deaf"):
                sleep_for_ever()
        elif words[0] == "quit" and not script.has("stubborn"):
            return
    if script.has("stubborn"):
        sleep_for_ever()


def codingame(script: Script, once: int, lines: int) -> None:
    """Play the first legal action in every turn, with the message of the option `message`. In the turn whose number is
    the option `at`, wait as the option `late` says, and send the text of the option `say` instead."""
    for _ in range(once):
        input()
    while True:
        try:
            for _ in range(lines):
                input()
            actions = [input() for _ in range(int(input()))]
        except EOFError:
            return
        script.asked += 1
        answer = f"{actions[0].lower()} {script.options.get('message', '')}"
        if script.asked == int(script.options.get("at", 0)):
            time.sleep(int(script.options.get("late", 0)) / 1000)
            answer = script.options.get("say", answer)
        say(answer)


def main() -> None:
    protocol, *words = sys.argv[1:]
    script = Script(words)
    if script.has("orphan") and os.fork() == 0:
        sleep_for_ever()
    if protocol == "usi":
        usi(script)
    else:
        once, lines = {"minishogi": (2, 8), "dice": (2, 9), "onitama": (1, 10)}[protocol]
        codingame(script, once, lines)


main()
