"""A USI engine that starts other programs: `python -S parent.py FILE [END]`.

When it receives `usi`, it starts the other programs and writes their process ids to FILE. Some of these programs leave
the engine's process group, session or process tree. Without END, the engine resigns at its first move. END is `crash`
(it ends at its first move), `hang` (it does not answer) or `stubborn` (it resigns, but ignores `quit` and the end of
its input).
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

SLEEP = ["sleep", "1000"]


def start(file: str, end: str) -> None:
    """Start the other programs. When all of them run, write their process ids to `file`, one on each line."""
    found = [
        subprocess.Popen(SLEEP).pid,
        subprocess.Popen(["setsid", *SLEEP]).pid,
        subprocess.Popen(SLEEP, start_new_session=True, stdin=-3, stdout=-3, stderr=-3).pid,
        subprocess.Popen(["sh", "-c", "trap '' TERM HUP INT; exec sleep 1000"], preexec_fn=os.setsid).pid,
    ]
    if end in ("hang", "stubborn"):  # this program lacks the engine's environment, so it must be found by its parent
        found.append(subprocess.Popen(SLEEP, start_new_session=True, env={"PATH": os.environ["PATH"]}).pid)
    output, input_ = os.pipe()
    if os.fork() == 0:  # start a daemon: a process whose parent ends at once
        os.setsid()
        if (daemon := os.fork()) == 0:
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(0, 1)
            os.dup2(0, 2)
            os.chdir("/")
            os.execvp(SLEEP[0], SLEEP)
        os.write(input_, f"{daemon}\n".encode())
        os._exit(0)
    os.wait()
    found.append(int(os.read(output, 100)))
    # Start a shell that starts a tree of processes in another session and then ends.
    shell = "setsid sh -c 'sleep 1000 & echo $! >&2; setsid sleep 1000 & echo $! >&2; echo $$ >&2; wait' & sleep 0.2"
    done = subprocess.Popen(["sh", "-c", shell], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert done.stderr is not None
    found += [int(done.stderr.readline()) for _ in range(3)]
    done.wait()
    with open(f"{file}.new", "w") as output_file:
        output_file.write("".join(f"{pid}\n" for pid in found))
    os.rename(f"{file}.new", file)


def main() -> None:
    file, end = sys.argv[1], (*sys.argv[2:], "")[0]
    for line in iter(sys.stdin.readline, ""):
        word = line.split()[0]
        if word == "usi":
            start(file, end)
            print("id name parent\noption name USI_Variant type combo default shogi var shogi var minishogi\nusiok")
        elif word == "isready":
            print("readyok")
        elif word == "go":
            if end == "crash":
                os._exit(3)
            if end == "hang":
                time.sleep(1000)
            print("info depth 1 score cp 0 pv 3e3d\nbestmove resign")
        elif word == "quit" and end != "stubborn":
            return
        sys.stdout.flush()
    if end == "stubborn":
        time.sleep(1000)


main()
