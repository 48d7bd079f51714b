"""The check of all answers to random lines, with a model of the engine's state.

After each line, an unknown command is sent, so that the engine answers with an error. All output before this error is
the answer to the line or comes from a running search.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import ALIASES, VARIANTS, infer
from support.fuzz.lines import line
from support.usi_client import UsiClient

BATCH = 500
STOP_EVERY = 5  # lines; without frequent stops, most lines would come during a search
PATIENCE = 120.0  # seconds for a batch on a busy machine
ANSWERS = re.compile(
    r"(info |bestmove |readyok|usiok|id |option |checkmate |([1-9A-Z][a-i*]|[0-9]{1,2}:).{2,5}: \d|Nodes searched: \d)"
)
PROSE = re.compile(r"[ +|1-9A-Z]|[a-z]+:? |$")  # board, table of terms, help
ERROR = "info string error: "
BUSY = " while searching is ignored"
CAVEAT = "info string {} for "
SUBJECTS = {"d": "this diagram is", "eval": "this evaluation is", "go mate": "no mate is searched"}


class Wrong(AssertionError):
    """A wrong answer of the engine."""


@dataclass
class Owed:
    """A `bestmove` that the engine still has to send. `position` is the searched position. If `with_caveat` is set, the
    engine must warn that the GUI means another position. `may_resign` says whether the move may be `resign`, which
    depends on the value of the option ResignValue at `go`."""

    position: BasePosition
    with_caveat: bool
    may_resign: bool


@dataclass
class Judge:
    """A model of the engine's state. Each line that the engine gets, and each answer of the engine, updates the
    model."""

    variant: str
    position: BasePosition | None = None
    in_doubt: bool = False  # whether the GUI means another position than `position`
    variant_in_doubt: bool = False  # whether the GUI means another variant than `variant`
    may_resign: bool = False
    owed: list[Owed] = field(default_factory=list)
    counting: int = 0  # running perft counts
    solving: int = 0  # running mate searches
    said_last: str = ""
    lines: int = 0
    searches: int = 0
    moves: int = 0
    set_up: int = 0
    refused: int = 0

    def now(self) -> BasePosition:
        """Return the position that `go` would search."""
        if self.position is None:
            self.position = new_position(self.variant)
        return self.position

    @property
    def doubtful(self) -> bool:
        """Return whether the GUI means another position or variant than the engine has. The engine must then say so in
        its answers."""
        return self.in_doubt or self.variant_in_doubt

    def judge(self, data: bytes, answer: Sequence[str]) -> None:
        """Check the answer to one line. Raises Wrong if the answer cannot be right."""
        self.lines += 1
        words = data.decode("utf-8-sig", "replace").split()
        command = words[0] if words else ""
        self._count(answer, "readyok", command == "isready")
        self._count(answer, "usiok", command == "usi")
        errors = [text for text in answer if text.startswith(ERROR)]
        ignored = any(text.endswith(BUSY) for text in errors)
        if ignored and not (self.owed or self.counting or self.solving):
            raise Wrong("the engine ignored a line although no search was running")
        if any("internal" in text for text in errors):
            raise Wrong("the engine reported an internal error")
        if command == "position":
            self._position(words[1:], errors, ignored)
        elif command == "usinewgame":
            self.in_doubt = ignored
            self.position = self.position if ignored else None
        elif command == "setoption":
            self._option(words, bool(errors))
        elif command == "ponderhit" and not errors:
            self.owed[0].with_caveat = self.doubtful
        elif command == "go" and ignored:
            for owed in self.owed:
                owed.with_caveat = self.doubtful
        elif command == "go":
            self._go(words[1:], bool(errors))
        self._listen(answer)
        asked = "go mate" if words[:2] == ["go", "mate"] and not ignored else command
        if asked in SUBJECTS:
            caveat = CAVEAT.format(SUBJECTS[asked])
            if self.doubtful != any(text.startswith(caveat) for text in answer):
                raise Wrong("the engine's note about the position is wrong or missing")
            if asked == "go mate" and self.doubtful and answer[-1] != "checkmate timeout":
                raise Wrong("the engine searched a mate although it had refused the last position")
        if command == "d":
            self._compare(answer)

    def _count(self, answer: Sequence[str], text: str, expected: bool) -> None:
        if answer.count(text) != expected:
            raise Wrong(f"the engine sent {text} {answer.count(text)} times, expected {int(expected)}")

    def _listen(self, answer: Sequence[str]) -> None:
        for text in answer:
            if not (ANSWERS.match(text) or PROSE.match(text)):
                raise Wrong(f"the engine sent an unexpected line: {text!r}")
            if text.startswith("bestmove "):
                self._bestmove(text.split()[1])
            elif text.startswith("checkmate "):
                if not self.solving:
                    raise Wrong("the engine sent a checkmate line although no mate search was running")
                self.solving -= 1
            elif text.startswith("Nodes searched: "):
                self.counting = max(self.counting - 1, 0)  # `bench` prints this line, too
            self.said_last = text
        if len(self.owed) > 1:
            raise Wrong("a search began before the last one sent its bestmove")

    def _bestmove(self, move: str) -> None:
        if not self.owed:
            raise Wrong("the engine sent a bestmove although no search was running")
        owed = self.owed.pop(0)
        self.moves += 1
        if self.said_last.startswith(CAVEAT.format("this bestmove is")) != owed.with_caveat:
            raise Wrong(f"the engine sent a wrong line before the bestmove: {self.said_last!r}")
        position, legal = owed.position, owed.position.legal_moves()
        if move == "win":
            end = position.outcome()
            fine = position.may_declare() or (not legal and end is not None and end.winner == position.turn)
        elif move == "resign":
            fine = owed.may_resign or not legal
        else:
            fine = move in legal
        if not fine:
            raise Wrong(f"the move {move} is not allowed in {position.sfen()} of {position.variant.name}")

    def _position(self, words: list[str], errors: list[str], ignored: bool) -> None:
        self.refused += bool(errors)
        self.in_doubt = bool(errors)
        if ignored:
            return
        found = self._read_position(words)
        if found is None:
            if not errors:
                raise Wrong("the engine accepted an invalid position")
            return
        self.position, whole = found
        self.set_up += 1
        if whole == bool(errors):
            raise Wrong("the engine refused a legal game" if whole else "the engine accepted an illegal move")

    def _read_position(self, words: list[str]) -> tuple[BasePosition, bool] | None:
        """Return the position that a `position` command describes, and whether all moves of the command are legal. The
        first illegal move and all later moves are left out. Return None if the start position is not valid."""
        at = words.index("moves") if "moves" in words else len(words)
        if words[:1] not in (["startpos"], ["sfen"]) or (words[0] == "startpos" and at != 1):
            return None
        sfen = None if words[0] == "startpos" else " ".join(words[1:at])
        try:
            variant = VARIANTS[self.variant]
            position = new_position(variant if sfen is None else infer(sfen, variant), sfen)
        except ValueError:
            return None
        for move in words[at + 1 :]:
            try:
                position.push(move)
            except ValueError:
                return position, False
        return position, True

    def _option(self, words: list[str], refused: bool) -> None:
        at = words.index("value") if "value" in words else len(words)
        name, value = "_".join(words[2:at]).lower(), " ".join(words[at + 1 :])
        if words[1:2] == ["name"] and name in ("usi_variant", "uci_variant"):
            variant = ALIASES.get(value, value)
            if refused:
                self.variant_in_doubt |= variant != self.variant and at < len(words)
                return
            self.variant_in_doubt = False
            if variant != self.variant:
                self.variant, self.position = variant, None
        elif name == "resignvalue" and not refused:
            self.may_resign = int(value) < 99999

    def _go(self, words: list[str], failed: bool) -> None:
        # The running mate searches and perft counts are counted. There can be more than one, because the answer to a
        # stopped one may come after the next line.
        if words[:1] == ["mate"]:
            self.solving += not failed
            return
        if words[:1] == ["perft"]:
            self.counting += not failed
            return
        if failed:
            raise Wrong("the engine refused a go although no search was running")
        self.searches += 1
        self.owed.append(Owed(self.now().copy(), self.doubtful, self.may_resign))

    def _compare(self, answer: Sequence[str]) -> None:
        told = [text.removeprefix("Sfen: ") for text in answer if text.startswith("Sfen: ")]
        if told != [self.now().sfen()]:
            raise Wrong(f"the engine shows the position {told}, expected {self.now().sfen()}")


def converse(client: UsiClient, lines: int, seed: int, variant: str = "minishogi") -> Judge:
    """Send `lines` random lines to an engine that plays `variant`, and check all answers. Raises Wrong with the seed
    and the last lines at the first wrong answer. Raises EOFError if the engine ends, and TimeoutError if the engine
    hangs."""
    rng, judge = random.Random(seed), Judge(variant)
    for start in range(0, lines, BATCH):
        sent = [line(rng) for _ in range(min(BATCH, lines - start))]
        sent[STOP_EVERY - 1 :: STOP_EVERY] = [b"stop"] * len(sent[STOP_EVERY - 1 :: STOP_EVERY])
        sent += [b"stop", b"isready"]
        client.send(*(part for number, data in enumerate(sent) for part in (data, f"mark-{start + number}")))
        for number, data in enumerate(sent):
            mark = f"{ERROR}unknown command 'mark-{start + number}'"
            answer = client.read_until(mark, PATIENCE)[:-1]
            try:
                judge.judge(data, answer)
                if number == len(sent) - 1 and judge.owed:
                    raise Wrong("the engine did not send a bestmove")
            except Wrong as wrong:
                before = "\n".join(f"> {text!r}" for text in sent[max(0, number - 12) : number])
                said = "\n".join(f"< {text}" for text in answer[-12:])
                raise Wrong(f"seed {seed}, line {start + number}: {wrong}\n{before}\n> {data!r}\n{said}") from None
    return judge
