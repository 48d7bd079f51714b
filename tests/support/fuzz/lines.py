"""Random lines for the engine: games, commands with changed words, and random bytes."""

from __future__ import annotations

import random
import string

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS

START = "rbsgk/4p/5/P4/KGSBR b - 1"

SENSE = (
    "usi",
    "isready",
    "usinewgame",
    "stop",
    "ponderhit",
    "ponderhit btime 50 wtime 50 byoyomi 5",
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
    "position sfen k4/2G2/1G3/5/4K w - 1",
    "position sfen r1sgk/4b/5/P2S1/KG1BR b P 9 moves P*4c",
    "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7g7f 3c3d 8h2b+",
    "position sfen +R+R+B+BK4/GGGGSS3/9/9/9/9/9/9/4k4 b 2P 1",
    "position sfen p+nks+l/5/5/5/+LSK+NP b - 1 moves 5e5d",
    "position sfen gle/1c1/1C1/ELG b - 1 moves 2c2b",
    "position sfen ykcvsr/pppppp/6/6/PPPPPP/RSVCKY b - 1 moves 3e3d",
    "position sfen ssmss/5/5/5/SSMSS b 10,15/2,9/6 1 moves 15:c1c3",
    "position sfen 3m1/5/2s2/5/1S1M1 b 10,15/2,9/6 1",
    "setoption name TablebaseMen value 3",
    "setoption name UseTablebase value true",
    "setoption name UseTablebase value false",
    "setoption name USI_Hash value 16",
    "setoption name Threads value 1",
    "setoption name MultiPV value 3",
    "setoption name MultiPV value 1",
    "setoption name USI_Variant value minishogi",
    "setoption name USI_Variant value dice",
    "setoption name UCI_Variant value kyotoshogi",
    "setoption name EnteringKingRule value NoEnteringKing",
    "setoption name NetworkDelay value 10",
    "setoption name NetworkDelay value -1",
    "setoption name NetworkDelay2 value 20",
    "setoption name RoundUpToFullSecond value false",
    "setoption name NodesLimit value 2000",
    "setoption name DepthLimit value 0",
    "setoption name PvInterval value 10",
    "setoption name OutputFailLHPV value false",
    "setoption name USI_LimitStrength value true",
    "setoption name USI_LimitStrength value false",
    "setoption name USI_Elo value 300",
    "setoption name Clear Hash",
    "setoption name USI_OwnBook value true",
    "setoption name DrawValueBlack value -100",
    "setoption name ResignValue value 99999",
    "setoption name USI_Ponder value true",
    "go depth 3",
    "go nodes 500",
    "go btime 100 wtime 100",
    "go btime -5 wtime -5 byoyomi 5",
    "go byoyomi 5",
    "go rtime 10 movetime 2",
    "go dice 3 nodes 200",
    "go ponder btime 100 wtime 100 binc 5 winc 5",
    "go ponder",
    "go infinite",
    "go searchmoves 3e3d 2e2d movetime 5",
    "go mate 100",
    "go perft 2",
    "go",
)
WORDS = sorted({word for line in SENSE for word in line.split()})
NUMBERS = ("0", "-1", "1", "99", "2147483648", "-9223372036854775809", "1e9", "0x10", "+5", "")
LONGEST_GAME = 40  # plies


def line(rng: random.Random) -> bytes:
    """Return a random line: a game, a changed command, random words or random bytes. The line does not end the engine
    or block it for long."""
    kind = rng.random()
    if kind < 0.05:
        data = rng.randbytes(rng.randrange(200))
    elif kind < 0.1:
        data = "".join(rng.choices(string.printable, k=rng.randrange(80))).encode()
    elif kind < 0.2:
        data = " ".join(rng.choices(WORDS, k=rng.randrange(1, 12))).encode()
    elif kind < 0.3:
        data = mutated(rng, game(rng), rng.randrange(2)).encode()
    else:
        data = mutated(rng, rng.choice(SENSE), rng.randrange(4)).encode()
    data = data.replace(b"\n", b" ")
    return b"" if ends_or_stalls(data) else data


def game(rng: random.Random) -> str:
    """Return a `position` command for the last position of a random game of any variant."""
    position = new_position(rng.choice(sorted(VARIANTS)))
    for _ in range(rng.randrange(LONGEST_GAME)):
        moves = position.legal_moves()
        if not moves:
            break
        position.push(rng.choice(sorted(moves)))
    if rng.random() < 0.5:
        return f"position sfen {position.sfen()}"
    return f"position sfen {position.variant.start} moves {' '.join(position.moves)}"


def mutated(rng: random.Random, text: str, times: int) -> str:
    """Return `text` with random changes of words or letters."""
    for _ in range(times):
        words = text.split(" ")
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
        text = " ".join(words)
    return text


def ends_or_stalls(data: bytes) -> bool:
    """Return whether a line ends the engine (`quit`), takes too long (`bench`, a deep perft), or changes the number of
    threads or the size of the hash table."""
    text = data.decode(errors="replace").lower()
    words = text.split()
    if words[:1] in (["quit"], ["bench"]):
        return True
    if words[:2] == ["go", "perft"]:
        return words[2:3] not in (["1"], ["2"])
    return words[:1] == ["setoption"] and "clear" not in text and ("threads" in text or "hash" in text)
