"""Bots of CodinGame's arenas, in any language: the lab is the referee that sends them turns."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from kogoma.arena.codingame.turn_writer import RANDOM, TurnWriter, turn_writer
from kogoma.lab.engines import faults
from kogoma.lab.engines.base import Answer, Engine, EngineSpec
from kogoma.lab.engines.clock import Clock, TimeControl
from kogoma.rules.base_position import BasePosition
from kogoma.rules.dice.die import allowed
from kogoma.rules.variants import Variant

FIRST_MS = 1000  # minimum time limit of the first turn in every arena


class CodingameBot(Engine):
    """A bot that reads an arena's turns and answers with one of the listed actions. Bots play one game and exit, so
    they are started for every game, unless `restart` is False."""

    restarts = True
    quit_lines = ()

    def __init__(self, spec: EngineSpec) -> None:
        if spec.options:
            raise ValueError(f"{spec.name}: a bot has no options, so {spec.options[0][0]!r} cannot be set")
        super().__init__(spec)
        self._turns: TurnWriter | None = None
        self._random = random.Random()

    def get_options_set(self, variant: Variant) -> dict[str, str]:
        """Return no options. The bot is not started, because its process plays only one game."""
        return {}

    def _greet(self) -> None:
        """Do nothing: a bot gets no input before its first turn."""

    def _begin(self, seed: int) -> None:
        if not self.variant.cards and (self.variant.files, self.variant.ranks) != (5, 5):
            self.fail(faults.START, f"no arena plays {self.variant.name}")
        self._random = random.Random(f"actions {seed}")
        self._turns = None

    def control(self) -> TimeControl:
        """Return the time control in the engine's settings, or the arena's time per turn if the settings have none. The
        first turn has at least FIRST_MS."""
        limits = self.spec.limits
        if not limits.timed and not limits.move_ms:
            limits = replace(limits, move_ms=turn_writer(self.variant).turn_ms)
        if limits.move_ms and not limits.first_ms:
            limits = replace(limits, first_ms=max(FIRST_MS, limits.move_ms))
        return limits

    def _think(self, position: BasePosition, clocks: Sequence[Clock], roll: int | None) -> Answer:
        lines = []
        if self._turns is None:
            self._turns = turn_writer(self.variant)(position.turn)
            lines += self._turns.once()
        turns, clock = self._turns, clocks[position.turn]
        legal = sorted(allowed(position, roll))
        actions = [turns.action(usi) for usi in legal]
        self._random.shuffle(actions)
        lines += [*turns.lines(position, roll), str(len(actions)), *actions]
        answer, ms = self.ask(lines, lambda line: line or None, clock.allowed_ms(), clock.margin_ms)
        parsed = turns.parse(answer)
        if parsed is None:
            self.fail(faults.RUBBISH, f"no action: {answer[:60]!r}")
        action = self._random.choice(actions) if parsed[0] == RANDOM else parsed[0]
        for usi in legal:
            if turns.action(usi).lower() == action.lower():
                return Answer(usi, ms)
        raise self.make_fault(faults.ILLEGAL_MOVE, f"plays {answer[:60]!r}, which is not in the list of actions")
