"""Random games with everything that a record can contain: times, comments, variations, all reasons for the end of a
game, and start positions other than the usual one."""

from __future__ import annotations

import random
from functools import cache

from kogoma.lab.kifu.game import Game, Recorder
from kogoma.lab.kifu.grammar import HANDICAPS
from kogoma.rules.dice.die import allowed
from kogoma.rules.outcome import Outcome
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS, Die

LONGEST = 60
WORDS = (
    "好手。",
    "悪手？ 次の一手は▲２二銀。",
    "第一行\n第二行",
    "*** 30 +7776FU",
    "(12)",
    "変化：3手",
    "# sfen",
    "&しおり",
    " ",
)
ENDS = ("resign", "time", "illegal_move", "impasse", "interrupted", "adjudicated_win")


def start_of(variant: str, seed: int) -> str:
    """Return the start position of the game with the number `seed`. For most seeds, this is the variant's start
    position. For one seed in ten, it is a position from a random game. In 9x9 shogi, it is a handicap position for
    another seed in ten."""
    rng, game = random.Random(seed), VARIANTS[variant]
    if variant == "shogi" and seed % 10 == 1:
        return rng.choice(list(HANDICAPS.values()))
    if seed % 10 != 2:
        return game.start
    position = new_position(game)
    for _ in range(rng.randrange(60)):
        moves = sorted(position.legal_moves())
        if position.outcome() or not moves:
            break
        position.push(rng.choice(moves))
    return position.sfen() if not position.outcome() else game.start


def extend(recorder: Recorder, rng: random.Random, plies: int, comments: bool, not_this: str = "") -> None:
    """Append random moves to the recorder's current line. The first of these moves is never `not_this`."""
    for _ in range(plies):
        if recorder.position.outcome():
            return
        roll = rng.randint(1, 6) if recorder.position.variant.die is not Die.NONE else None
        moves = sorted(set(allowed(recorder.position, roll)) - {not_this})
        not_this = ""
        if not moves:
            return
        recorder.play(rng.choice(moves), 1000.0 * rng.randrange(100))
        recorder.line.steps[-1].dice = roll
        if comments and rng.random() < 0.1:
            for line in rng.choice(WORDS).split("\n"):
                recorder.say(line)


def finish(recorder: Recorder, rng: random.Random) -> None:
    """End the game with the outcome of the position. If the position does not end the game, choose a random reason for
    the end."""
    turn, judged = recorder.position.turn, recorder.position.outcome()
    if judged:
        recorder.finish(judged, 0.0)
        return
    reason = rng.choice(ENDS)
    winner = None if reason in ("impasse", "interrupted") else 1 - turn
    recorder.finish(Outcome(winner, reason), 1000.0 * rng.randrange(10))


@cache
def game(variant: str, seed: int) -> Game:
    """Return the game with the number `seed`. The same seed gives the same game in every run. Every third game has
    comments, and every fourth game has variations."""
    rng = random.Random(f"{variant} {seed}")
    recorder = Recorder(variant, start_of(variant, seed))
    made, comments = recorder.game, seed % 3 == 0
    made.black, made.white = "先 手太郎", "White <b>& co</b>"
    made.headers = {"開始日時": "2026/11/21 10:20:30", "棋戦": "第1回", "持ち時間": "st=2", "備考": "a：b"}
    if comments:
        recorder.say("before the first move")
    extend(recorder, rng, rng.randrange(1, LONGEST), comments)
    finish(recorder, rng)
    for _ in range(4 * (seed % 4 == 0)):
        length = len(recorder.position.moves)
        if not length:
            break
        plies = rng.randrange(length)
        played = recorder.position.moves[plies]
        taken = {line.steps[0].usi for line in recorder._path[plies] if line.steps} | {played}
        here = new_position(made.variant, made.start)
        for usi in recorder.position.moves[:plies]:
            here.push(usi)
        if free := sorted(set(here.legal_moves()) - taken):
            recorder.branch(plies)
            recorder.play(rng.choice(free), 3000.0)
            extend(recorder, rng, rng.randrange(8), comments)
    return made
