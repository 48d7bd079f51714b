"""Twenty thousand lines of nonsense and near-sense to one process, which then plays a proper game."""

from __future__ import annotations

import random

from support import referee
from support.fuzz.judge import converse
from support.fuzz.lines import START
from support.usi_client import UsiClient

LINES = 20_000


def test_fuzz_then_play() -> None:
    """Other lines every time; a failure names the seed, and `benchmarks/fuzz_usi.py --seed` repeats them."""
    seed = random.SystemRandom().randrange(2**31)
    print(f"seed {seed}")
    with UsiClient().ready() as client:
        judge = converse(client, LINES, seed)
        assert judge.moves == judge.searches > LINES / 100
        assert client.process.poll() is None
        assert client.errors() == ""
        play_a_game(client)


def play_a_game(client: UsiClient) -> None:
    """The engine against itself, refereed, until the game ends or has become long."""
    client.send("usi")
    for line in client.read_until("usiok"):
        if " default " in line:
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
