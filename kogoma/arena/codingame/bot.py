"""The bot of a CodinGame arena, which chooses a move for each turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from kogoma.arena.codingame.book import KEY, unpacked_book
from kogoma.arena.codingame.settings import Settings
from kogoma.arena.codingame.time_margin import Margin
from kogoma.arena.codingame.turn_reader import Arena, RawTurn, Turn
from kogoma.rules.dice.die import allowed
from kogoma.rules.variants import FREE

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition

MAX_NAMED = 6  # most moves that a message lists
WARM_UP = 10  # ms, the length of a search before the game


class Result(Protocol):
    """The result of a search, as `search.search.Result`."""

    @property
    def best(self) -> str | None:
        """The best move in USI notation."""

    @property
    def score_kind(self) -> str:
        """What the score counts: "cp" or "mate"."""

    @property
    def score(self) -> int:
        """The score in centipawns, or in plies to mate."""

    @property
    def depth(self) -> int:
        """The depth of the last finished iteration."""


class Engine(Protocol):
    """The rules and the search of one variant, as a bot needs them: `engine.InstalledEngine`, or that of an exported
    file."""

    def position(self, sfen: str | None = None) -> Any:
        """Return the start position or that of an SFEN, with those methods of a `BasePosition` that are used here.
        Raises ValueError for an invalid SFEN."""

    def search(
        self, position: Any, moves: tuple[str, ...], roll: int | None, movetime: int, margin: float, since: float
    ) -> Result:
        """Search the position until `movetime` - `margin` ms after `since` (time.perf_counter). The best move is one of
        `moves` (all legal moves if empty), and one that the die `roll` allows, if there is a roll."""

    def new_game(self) -> None:
        """Forget what earlier searches have found."""


class Bot:
    """The player of one arena's games: the engine and the current game. Where the referee and the engine's rules
    differ, the bot follows the referee."""

    def __init__(self, arena: Arena, settings: Settings, engine: Engine, complain: Callable[[str], None]) -> None:
        """Prepare the engine for its first turn. `complain` is called with a one-line description of each problem."""
        self._arena, self._settings, self._engine, self._complain = arena, settings, engine, complain
        self._margin = Margin(settings.margin)
        self._book: dict[int, int] = {}  # moves not played yet in this game, because a book knows no repetitions
        self._player: int | None = None
        self._ply = 0  # of the current turn
        self._position: BasePosition | None = None  # after the bot's last move, including the game's history
        # The first searches allocate memory, and measure how much later than planned a search ends.
        start = engine.position()
        engine.search(start, (), FREE if arena.dice else None, 1, 0, time.perf_counter())
        self._search_in_time(start, WARM_UP, 0, time.perf_counter())
        engine.new_game()

    def answer(self, raw: RawTurn, since: float) -> str | None:
        """Return the answer to a turn, or None if no legal action is known. `since` is the time at which the turn's
        clock started (time.perf_counter)."""
        first = bool(raw.once)
        turn, position, moves = self._understand(raw, first)
        both = [move for move in moves if move in turn.actions]
        candidates = both or list(turn.actions) or moves
        if not candidates:
            self._complain("no legal action is known: no answer")
            return None

        best, message = candidates[0], ""
        if position is not None and best in moves:
            known = self._book.pop(position.key & KEY, None)
            if known is not None and position.usi(known) in candidates:
                best, message = position.usi(known), " book" if self._settings.chat else ""
            else:
                restricted = tuple(candidates) if len(candidates) < len(moves) else ()
                result = self._search(position, turn, restricted, self._arena.time(first), since)
                if result is not None and result.best in candidates:
                    best, message = result.best, _message(result) if self._settings.chat else ""
            position.push(best)
            self._position = position
        action = turn.actions.get(best) or self._arena.to_action(best, self._player or 0)
        return action + message

    def catch_up(self, raw: RawTurn, action: str) -> None:
        """Update the game with an earlier turn, which `Standby` answered with `action` while this bot was being
        made."""
        turn, position, moves = self._understand(raw, bool(raw.once))
        move = next((move for move, written in turn.actions.items() if written == action), None)
        if position is not None and move in moves:
            position.push(move)
            self._position = position

    def _understand(self, raw: RawTurn, first: bool) -> tuple[Turn, BasePosition | None, list[str]]:
        """Parse a turn. Return the parsed turn, its position (None if unknown), and the engine's legal moves there."""
        turn = self._arena.read(raw, None if first else self._player)
        if first:
            self._book = unpacked_book(self._settings.book)
        self._player = turn.player
        self._ply = (turn.player or 0) if first else self._ply + 2
        position = self._follow(turn, first, raw.complete)
        self._position = None
        moves = [] if position is None else allowed(position, turn.dice)
        if raw.complete and position is not None and set(moves) != set(turn.actions):
            self._report_difference(set(moves), set(turn.actions))
        return turn, position, moves

    def _follow(self, turn: Turn, first: bool, complete: bool) -> BasePosition | None:
        """Return the position of this turn, or None if it is unknown. Normally this is the position known from the last
        turn, with the opponent's reply and the game's history. If the referee's board is different, return the
        referee's board without history; the boards are compared only if the turn is `complete`."""
        shown = None
        if turn.sfen is not None:
            try:
                if turn.sfen.lower().count("k") == 1:  # SFENs of mate problems may lack a king
                    raise ValueError("a king is missing")
                shown = self._engine.position(f"{turn.sfen} {self._ply + 1}")
            except ValueError as error:
                self._complain(f"the board is not a valid position: {error}")
        known = self._position
        if first:
            known = self._engine.position() if self._arena.one_start else None
        if known is None:
            return shown
        if (first and turn.player == 0) or self._play_reply(known, turn, shown):
            if shown is None or shown.key == known.key or not complete:
                return known
        if shown is not None:
            self._complain("the board is not the one expected: continuing from this board, without earlier moves")
        return shown

    def _play_reply(self, known: BasePosition, turn: Turn, shown: BasePosition | None) -> bool:
        """Play the opponent's last action in `known`. If the turn does not contain it, play the legal move that leads
        to the referee's board. Return whether a move was played."""
        if turn.last is not None:
            try:
                known.push(turn.last)
            except ValueError as error:
                self._complain(f"the opponent's last action: {error}")
                return False
            return True
        if shown is not None:
            for move in known.legal_moves():
                known.push(move)
                if known.key == shown.key:
                    return True
                known.pop()
        return False

    def _search(
        self, position: BasePosition, turn: Turn, moves: tuple[str, ...], movetime: int, since: float
    ) -> Result | None:
        """Return the result of a search among `moves` (all moves if empty), or None if the search fails."""
        try:
            return self._search_in_time(position, movetime, self._margin.of(movetime), since, moves, turn.dice)
        except Exception as failure:  # a turn without an answer would lose the game
            self._complain(f"internal: {type(failure).__name__}: {failure}: playing any legal action")
            return None

    def _search_in_time(
        self,
        position: BasePosition,
        movetime: int,
        margin: float,
        since: float,
        moves: tuple[str, ...] = (),
        dice: int | None = None,
    ) -> Result:
        """Search until `movetime` - `margin` ms after `since`, and record how many ms after that time the search
        ended."""
        roll = (dice or FREE) if self._arena.dice else None
        result = self._engine.search(position, moves, roll, movetime, margin, since)
        self._margin.note((time.perf_counter() - since) * 1000 - (movetime - margin))
        return result

    def _report_difference(self, here: set[str], listed: set[str]) -> None:
        parts = [
            f"{what} {', '.join(self._arena.to_action(move, self._player or 0) for move in sorted(moves)[:MAX_NAMED])}"
            + f" and {len(moves) - MAX_NAMED} more" * (len(moves) > MAX_NAMED)
            for what, moves in (("also lists", listed - here), ("does not list", here - listed))
            if moves
        ]
        self._complain(f"the legal actions differ from the engine's: the referee {' and '.join(parts)}")


def _message(result: Result) -> str:
    """Return depth and score as a chat message that follows the action, with a leading space."""
    if result.score_kind == "mate":
        score = f"{'win' if result.score > 0 else 'loss'} in {abs(result.score)}"
    else:
        score = f"{result.score / 100:+.2f}"
    return f" depth {result.depth}, score {score}"
