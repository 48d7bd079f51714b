"""The faults for which an engine loses a game, and their record."""

from __future__ import annotations

from kogoma.lab.journals.match_journal import FaultRecord

START = "start"  # it could not be started, or was not ready for the game
ABSENT = "absent"  # it was ended for an earlier fault, and the match does not start such engines again
ILLEGAL_MOVE = "illegal_move"
RUBBISH = "rubbish"  # it wrote no move, but something else, or a flood
TIME = "time"  # its answer came too late
HANG = "hang"  # no answer came at all
CRASH = "crash"  # its process died
DISCONNECT = "disconnect"  # it closed its pipes, or left without an error
KINDS = (START, ABSENT, ILLEGAL_MOVE, RUBBISH, TIME, HANG, CRASH, DISCONNECT)


class Fault(Exception):
    """The game is lost by an engine that did not play by the rules.

    `kind` is one of KINDS, `engine` the culprit's name, `detail` one line, `log` the last lines of the conversation:
    `> ` what it was sent, `< ` what it said, `! ` what it wrote to standard error.
    """

    def __init__(self, kind: str, engine: str, detail: str, log: list[str]) -> None:
        super().__init__(kind, engine, detail, log)
        self.kind, self.engine, self.detail, self.log = kind, engine, detail, log

    def __str__(self) -> str:
        return f"{self.engine}: {self.kind}: {self.detail}"

    def record(self) -> FaultRecord:
        """The fault as a game's record holds it."""
        return FaultRecord(engine=self.engine, kind=self.kind, detail=self.detail, log=self.log)
