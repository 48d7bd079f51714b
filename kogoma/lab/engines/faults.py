"""The faults by which an engine loses a game."""

from __future__ import annotations

from kogoma.lab.journals.match_journal import FaultRecord

START = "start"  # could not be started, or did not get ready
ILLEGAL_MOVE = "illegal_move"
RUBBISH = "rubbish"  # wrote something other than a move, or too much
TIME = "time"  # answered too late
HANG = "hang"  # did not answer
CRASH = "crash"  # the process exited with an error or was killed by a signal
DISCONNECT = "disconnect"  # closed its pipes, or exited without an error
ENDED = (RUBBISH, HANG, CRASH, DISCONNECT)  # the process has died, or was ended because its state was unknown


class EngineError(Exception):
    """The error of an external engine: it could not be started, ended, did not answer, or played an illegal move. In a
    match, this is a fault, by which the engine loses the game.

    `kind` is one of "start", "illegal_move", "rubbish", "time", "hang", "crash" and "disconnect", `engine` is the
    engine's name, and `detail` is a description in one line. `log` has the last lines of the conversation, which begin
    with `> ` if they were sent to the engine, with `< ` if it wrote them, and with `! ` if it wrote them to standard
    error."""

    __module__ = "kogoma"  # the module from which users import it, for tracebacks

    def __init__(self, kind: str, engine: str, detail: str, log: list[str]) -> None:
        super().__init__(kind, engine, detail, log)
        self.kind, self.engine, self.detail, self.log = kind, engine, detail, log

    def __str__(self) -> str:
        return f"{self.engine}: {self.kind}: {self.detail}"

    def record(self) -> FaultRecord:
        """Return the fault in the form in which a match journal stores it."""
        return FaultRecord(engine=self.engine, kind=self.kind, detail=self.detail, log=self.log)


class OptionError(EngineError):
    """The error, of the kind "start", of an external engine that does not list an option that is to be set, or does not
    allow its value."""

    __module__ = "kogoma"
