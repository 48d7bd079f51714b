"""Convert games of a match journal (GameRecord) to game records (Game), and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from kogoma.lab.journals.match_journal import GameRecord, entry_of
from kogoma.lab.kifu.errors import GameError, wrapped
from kogoma.lab.kifu.game import Game, Recorder
from kogoma.rules.outcome import Outcome
from kogoma.rules.variants import find

CLOCK = "持ち時間"


def game_of(record: GameRecord) -> Game:
    """Convert a GameRecord of a match journal to a Game. If a move is illegal, the game ends before it, and its `error`
    is set. Raises ValueError for an invalid start position."""
    recorder = Recorder(find(record["variant"]), record["start"])
    game = recorder.game
    game.label, game.black, game.white = str(record["game"]), record["black"], record["white"]
    game.headers = {CLOCK: record["clock"]}
    game.source = record
    times = [0.0] * len(record["book"]) + list(record["time_ms"])
    rolls = [None] * len(record["book"]) + list(record.get("dice", []))
    try:
        for number, usi in enumerate([*record["book"], *record["moves"]]):
            recorder.play(usi, times[number] if number < len(times) else None)
            recorder.line.steps[-1].dice = rolls[number] if number < len(rolls) else None
        recorder.finish(Outcome(record["winner"], record["reason"]))
    except ValueError as error:
        told = wrapped(error, "in-move-number", n=len(game.moves) + 1)
        game.trouble = GameError(f"game {record['game']}, {told.text}", code=told.code)
    return game


def record_of(game: Game, number: int) -> GameRecord:
    """Convert a Game to a GameRecord of a match journal, without comments and variations. The game's label becomes the
    number of the record; if the label is not a number, `number` is used."""
    source, outcome = game.source, game.outcome
    steps = game.main.steps
    if source is not None and [*source["book"], *source["moves"]] == game.moves:
        return source
    number = int(game.label) if game.label.isascii() and game.label.isdecimal() and len(game.label) < 10 else number
    record = GameRecord(
        game=number,
        pair=number,
        variant=game.variant.name,
        start=game.start,
        book=[],
        black=game.black,
        white=game.white,
        seed=0,
        moves=game.moves,
        time_ms=[step.time_ms or 0.0 for step in steps],
        scores=[None] * len(steps),
        winner=outcome.winner if outcome else None,
        reason=outcome.reason if outcome else "interrupted",
        fault=None,
        clock=game.headers.get(CLOCK, ""),
        seconds=sum(step.time_ms or 0.0 for step in steps) / 1000,
    )
    if steps and all(step.dice for step in steps):
        record["dice"] = [step.dice or 0 for step in steps]
    return record


def write_record(game: Game, number: int) -> str:
    """Return a game as a line of a match journal."""
    return json.dumps(record_of(game, number), ensure_ascii=False, separators=(",", ":")) + "\n"


def read_match(lines: Iterable[str]) -> Iterator[Game]:
    """Yield the games of a match journal. An incomplete last line, which a killed match leaves, is ignored. Other
    invalid lines are skipped; raises GameError, which names the first of them, after the last game."""
    wrong: list[GameError] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = entry_of(line)
            game = game_of(entry) if isinstance(entry, dict) else None
        except ValueError as error:
            if number == 1 or line.endswith("\n"):
                wrong.append(GameError(str(error)).at(number))
            continue
        if game is not None:
            if game.trouble:
                game.trouble.at(number)
            yield game
    if wrong:
        raise wrong[0] if len(wrong) == 1 else GameError(f"ignored {len(wrong)} invalid lines; {wrong[0]}")
