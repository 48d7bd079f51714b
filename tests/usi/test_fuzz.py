"""Twenty thousand lines of nonsense and near-sense to one process, which then plays a proper game."""

from __future__ import annotations

import random
import re
import string

from support import referee
from support.usi_client import UsiClient

LINES = 20_000
BATCH = 500
START = "rbsgk/4p/5/P4/KGSBR b - 1"

SENSE = (
    "usi",
    "isready",
    "usinewgame",
    "stop",
    "ponderhit",
    "gameover win",
    "d",
    "eval",
    "help",
    "position startpos",
    "position startpos moves 3e3d 3a3b 2e1d",
    "position startpos moves 3e3d 4a5b 5e4d 3a2b 3d4c",
    f"position sfen {START} moves 2e3d",
    "position sfen 2sgk/r4/1b2+P/K1S2/2GBR w P 17",
    "position sfen 4k/4G/4P/5/K4 w - 1",
    "position sfen r1sgk/4b/5/P2S1/KG1BR b P 9 moves P*4c",
    "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7g7f 3c3d 8h2b+",
    "position sfen p+nks+l/5/5/5/+LSK+NP b - 1 moves 5e5d",
    "position sfen gle/1c1/1C1/ELG b - 1 moves 2c2b",
    "position sfen ykcvsr/pppppp/6/6/PPPPPP/RSVCKY b - 1 moves 3e3d",
    "setoption name USI_Hash value 16",
    "setoption name Threads value 1",
    "setoption name MultiPV value 3",
    "setoption name USI_Variant value minishogi",
    "setoption name USI_Variant value shogi",
    "setoption name USI_Variant value kyoto",
    "setoption name EnteringKingRule value NoEnteringKing",
    "setoption name NetworkDelay value 10",
    "setoption name DrawValueBlack value -100",
    "setoption name USI_Ponder value true",
    "go depth 3",
    "go nodes 500",
    "go btime 100 wtime 100",
    "go byoyomi 5",
    "go ponder btime 100 wtime 100 binc 5 winc 5",
    "go infinite",
    "go searchmoves 3e3d 2e2d movetime 5",
    "go mate 100",
    "go perft 2",
    "go",
)
WORDS = sorted({word for line in SENSE for word in line.split()})
NUMBERS = ("0", "-1", "1", "99", "2147483648", "-9223372036854775809", "1e9", "0x10", "+5", "")
ANSWERS = re.compile(
    r"(info |bestmove |readyok|usiok|id |option |checkmate |[1-9A-Z][a-i*].{2,3}: \d|Nodes searched: \d)"
)
PROSE = re.compile(r"[ +|1-9A-Z]|[a-z]+ |$")  # the board, the table of terms, help


def nonsense(rng: random.Random) -> bytes:
    """One line: mutated sense, shuffled words, or bytes of any kind; never one that ends or stalls the engine."""
    kind = rng.random()
    if kind < 0.05:
        line = rng.randbytes(rng.randrange(200))
    elif kind < 0.15:
        line = "".join(rng.choices(string.printable, k=rng.randrange(80))).encode()
    elif kind < 0.35:
        line = " ".join(rng.choices(WORDS, k=rng.randrange(1, 12))).encode()
    else:
        line = mutated(rng, rng.choice(SENSE)).encode()
    line = line.replace(b"\n", b" ")
    return b"" if ends_or_stalls(line) else line


def mutated(rng: random.Random, line: str) -> str:
    """`line` with a few words or letters changed, or as it is."""
    for _ in range(rng.randrange(4)):
        words = line.split(" ")
        at = rng.randrange(len(words))
        match rng.randrange(7):
            case 0:
                words.pop(at)
            case 1:
                words.insert(at, rng.choice(WORDS))
            case 2:
                words[at] = rng.choice(NUMBERS)
            case 3:
                words[at] = words[at][::-1]
            case 4:
                words += words[at:] * rng.randrange(20)
            case 5:
                words[at] += chr(rng.randrange(0x3000))
            case 6:
                index = rng.randrange(len(words[at]) + 1)
                words[at] = words[at][:index] + rng.choice(string.printable) + words[at][index + 1 :]
        line = " ".join(words)
    return line


def ends_or_stalls(line: bytes) -> bool:
    """`quit`; a perft or bench without end; more memory or threads than this machine has."""
    words = line.decode(errors="replace").split()
    if words[:1] in (["quit"], ["bench"]):
        return True
    if words[:2] == ["go", "perft"]:
        return words[2:3] not in (["1"], ["2"], ["3"])
    return words[:1] == ["setoption"] and ("threads" in line.lower().decode(errors="replace") or b"ash" in line.lower())


def test_fuzz_then_play() -> None:
    rng = random.Random(20)
    with UsiClient(variant=None).ready() as client:  # both widths of board are loaded before the clock of a read runs
        client.send("setoption name USI_Variant value minishogi")
        client.ready()
        searches, moves = 0, 0
        for batch in range(LINES // BATCH):
            lines = [nonsense(rng) for _ in range(BATCH)]
            # A search takes a moment; without these stops most lines would come in the middle of one.
            for at in range(0, BATCH, 5):
                lines[at] = b"stop"
            searches += sum(line.split()[:1] == [b"go"] for line in lines)
            client.send(*lines, "stop", "isready", f"end-of-{batch}")
            for line in client.read_until(f"info string error: unknown command 'end-of-{batch}'"):
                assert ANSWERS.match(line) or PROSE.match(line), line
                moves += line.startswith("bestmove ")
        assert LINES / 100 < moves <= searches
        assert client.process.poll() is None
        assert client.errors() == ""
        play_a_game(client)


def play_a_game(client: UsiClient) -> None:
    """The engine against itself, refereed, until the game ends or has become long."""
    client.send("usi")
    for line in client.read_until("usiok"):
        if line.startswith("option name "):
            words = line.split()
            client.send(f"setoption name {words[2]} value {words[words.index('default') + 1]}")
    assert client.answer("setoption name USI_Variant value minishogi", "usinewgame") == []
    game, played = referee.Game(START), list[str]()
    while len(played) < 150:
        client.send("position startpos moves " + " ".join(played))
        infos, move = client.go("nodes", 2000)
        assert infos
        if move == "resign":
            assert game.verdict() is not None
            break
        verdict = game.play(move)
        assert verdict is None or verdict.reason not in ("illegal_move", "pawn_drop_mate"), (played, move)
        played.append(move)
        if verdict is not None:
            break
    assert len(played) > 5
