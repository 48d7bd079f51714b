"""How games end: the words of KIF and CSA for it, and who has won by them."""

from __future__ import annotations

from kogoma.rules.base_position import BasePosition
from kogoma.rules.outcome import Outcome
from kogoma.rules.variants import RepetitionResult

LOSES, WINS, NOBODY = -1, 1, 0  # for the side to move

# What a record says -> the reason, and what it means for the side to move.
KIF_WORDS = {
    "詰み": ("checkmate", LOSES),
    "詰": ("checkmate", LOSES),
    "投了": ("resign", LOSES),
    "千日手": ("repetition", NOBODY),
    "持将棋": ("impasse", NOBODY),
    "入玉勝ち": ("declaration", WINS),
    "反則負け": ("illegal_move", LOSES),
    "反則勝ち": ("illegal_move", WINS),
    "切れ負け": ("time", LOSES),
    "不戦敗": ("default", LOSES),
    "不戦勝": ("default", WINS),
    "不詰": ("no_mate", NOBODY),
    "中断": ("interrupted", NOBODY),
    "封じ手": ("interrupted", NOBODY),
}
CSA_WORDS = {
    "TSUMI": ("checkmate", LOSES),
    "TORYO": ("resign", LOSES),
    "SENNICHITE": ("repetition", NOBODY),
    "JISHOGI": ("impasse", NOBODY),
    "KACHI": ("declaration", WINS),
    "ILLEGAL_MOVE": ("illegal_move", LOSES),
    "TIME_UP": ("time", LOSES),
    "FUZUMI": ("no_mate", NOBODY),
    "CHUDAN": ("interrupted", NOBODY),
    "HIKIWAKE": ("draw", NOBODY),
    "MAX_MOVES": ("max_moves", NOBODY),
    "MATTA": ("interrupted", NOBODY),
    "ERROR": ("interrupted", NOBODY),
}
ON_THE_BOARD = {  # reasons of a record -> what the rules may call the same
    "checkmate": ("checkmate", "stalemate", "king_captured", "goal", "check", "master_captured", "shrine"),
    "repetition": ("repetition", "perpetual_check"),
    "illegal_move": ("perpetual_check",),
}


def outcome_by(reason: str, mover: int, position: BasePosition) -> Outcome:
    """The outcome where a record gives a reason, and says what it means for the side to move. Where the rules see the
    same in the position, theirs counts."""
    if reason in ON_THE_BOARD:
        judged = position.outcome()
        if judged and judged.reason in ON_THE_BOARD[reason]:
            return judged
    if reason == "repetition" and position.variant.repetition_result is RepetitionResult.BLACK_LOSES:
        return Outcome(1, reason)
    if mover == NOBODY:
        return Outcome(None, reason)
    return Outcome(position.turn if mover == WINS else 1 - position.turn, reason)


def kif_word(outcome: Outcome, turn: int) -> str:
    """KIF's word for an end with that side to move."""
    wins, loses = outcome.winner == turn, outcome.winner == 1 - turn
    words = {
        "checkmate": "詰み",
        "resign": "投了",
        "repetition": "千日手",
        "declaration": "入玉勝ち",
        "illegal_move": "反則勝ち" if wins else "反則負け",
        "time": "切れ負け",
        "default": "不戦勝" if wins else "不戦敗",
        "no_mate": "不詰",
        "interrupted": "中断",
    }
    return words.get(outcome.reason, "中断" if wins or loses else "持将棋")


def result_text(outcome: Outcome) -> str:
    """What follows まで12手で in KIF's last line."""
    if outcome.winner is not None:
        return f"{'先後'[outcome.winner]}手の勝ち"
    return {"repetition": "千日手", "interrupted": "中断"}.get(outcome.reason, "持将棋")


def csa_word(outcome: Outcome, turn: int) -> str:
    """CSA's word for an end with that side to move, without its %."""
    wins, loses = outcome.winner == turn, outcome.winner == 1 - turn
    words = {
        "checkmate": "TSUMI",
        "resign": "TORYO",
        "repetition": "SENNICHITE",
        "impasse": "JISHOGI",
        "declaration": "KACHI",
        "time": "TIME_UP",
        "no_mate": "FUZUMI",
        "interrupted": "CHUDAN",
    }
    if outcome.reason in ("illegal_move", "perpetual_check"):
        if loses:
            return "ILLEGAL_MOVE"
        return f"{'-+'[turn]}ILLEGAL_ACTION"
    return words.get(outcome.reason, "CHUDAN" if wins or loses else "HIKIWAKE")
