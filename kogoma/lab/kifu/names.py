"""The names of KIF, KI2 and CSA: pieces, squares, variants, handicaps, and ends of a game."""

from __future__ import annotations

from kogoma.rules.base_position import BasePosition
from kogoma.rules.outcome import Outcome
from kogoma.rules.variants import RepetitionResult, Variant

RANKS = "一二三四五六七八九"
FILES = "１２３４５６７８９"
TENS = ("", "十")
PIECES = {"P": "歩", "L": "香", "N": "桂", "S": "銀", "G": "金", "B": "角", "R": "飛", "K": "玉"}
PROMOTED = {"+P": "と", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "馬", "+R": "龍"}
KYOTO = {"+P": "飛", "+L": "と", "+N": "金", "+S": "角"}
MICRO = {"+P": "桂", "+L": "銀", "+B": "と", "+R": "金"}
ON_BOARD = {"成香": "杏", "成桂": "圭", "成銀": "全"}
SYNONYMS = {"王": "玉", "竜": "龍", "杏": "成香", "圭": "成桂", "全": "成銀"}  # rarer and usual kanji
SHOGI = "shogi minishogi minishogi-codingame dice dice-hyper dice-codingame judkins gorogoro micro kyoto".split()

NAMES = {"shogi": "平手", "minishogi": "5五将棋", "kyoto": "京都将棋"}  # after 手合割
VARIANTS_BY_NAME = {name: variant for variant, name in NAMES.items()} | {
    name: "minishogi" for name in ("五々将棋", "五五将棋", "５五将棋", "55将棋", "５５将棋")
}
_HANDICAP = "{}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
HANDICAPS = {
    name: _HANDICAP.format(rows)
    for name, rows in {
        "香落ち": "lnsgkgsn1/1r5b1",
        "右香落ち": "1nsgkgsnl/1r5b1",
        "角落ち": "lnsgkgsnl/1r7",
        "飛落ち": "lnsgkgsnl/7b1",
        "飛車落ち": "lnsgkgsnl/7b1",
        "飛香落ち": "lnsgkgsn1/7b1",
        "二枚落ち": "lnsgkgsnl/9",
        "三枚落ち": "lnsgkgsn1/9",
        "四枚落ち": "1nsgkgsn1/9",
        "五枚落ち": "2sgkgsn1/9",
        "左五枚落ち": "1nsgkgs2/9",
        "六枚落ち": "2sgkgs2/9",
        "左七枚落ち": "2sgkg3/9",
        "右七枚落ち": "3gkgs2/9",
        "八枚落ち": "3gkg3/9",
        "十枚落ち": "4k4/9",
    }.items()
}
# Some programs read these names as an even game, so a diagram is written instead of the name.
_DRAWN = ("三枚落ち", "五枚落ち", "左五枚落ち", "左七枚落ち", "右七枚落ち")
HANDICAP_OF = {sfen: name for name, sfen in HANDICAPS.items() if name not in _DRAWN}
LOSES, WINS, NOBODY = -1, 1, 0  # for the side to move

# Word in a record -> (reason, result for the side to move).
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
# Reason -> word to write: the first one in the table above. `kif_word` and `csa_word` handle the reasons left out.
_KIF_WORD_OF = {reason: word for word, (reason, _) in reversed(KIF_WORDS.items()) if reason != "impasse"}
_CSA_WORD_OF = {
    reason: word for word, (reason, _) in reversed(CSA_WORDS.items()) if reason not in ("draw", "max_moves")
}
ON_THE_BOARD = {  # reason in a record -> reasons that the rules may give for the same end
    "checkmate": ("checkmate", "stalemate", "king_captured", "goal", "check", "master_captured", "shrine"),
    "repetition": ("repetition", "perpetual_check"),
    "illegal_move": ("perpetual_check",),
}


def has_kanji(variant: Variant) -> bool:
    """Return whether the variant's pieces have kanji names. Moves of other variants are written in USI notation."""
    return variant.name in SHOGI


def piece_name(variant: Variant, letter: str) -> str:
    """Return the Japanese name of a piece, for example "成銀" for "+S"."""
    faces = {"kyoto": KYOTO, "micro": MICRO}.get(variant.name, PROMOTED)
    return faces[letter] if letter.startswith("+") else PIECES[letter]


def letter_of(variant: Variant, name: str) -> str:
    """Return the letter of the piece with this name. Less usual names are accepted too. Raises ValueError if the
    variant has no such piece."""
    name = SYNONYMS.get(name, name)
    for letter in variant.letters:
        if piece_name(variant, letter) == name:
            return letter
    raise ValueError(f"{variant.name} has no piece {name!r}")


def numeral(count: int) -> str:
    """Return a count of pieces in hand (up to 18) as a kanji numeral, for example 十八. For 1, return ""."""
    return "" if count == 1 else TENS[count // 10] + ("" if count % 10 == 0 else RANKS[count % 10 - 1])


def number_of(text: str) -> int:
    """Convert a number of pieces, written in digits or as a kanji numeral (see `numeral`), to an int. Raises ValueError
    if `text` is not such a number."""
    if text.isdecimal() and len(text) < 4:
        return int(text)
    tens, found, ones = text.rpartition("十")
    if len(tens) > 1 or len(ones) > 1 or (tens + ones).strip(RANKS):
        raise ValueError(f"cannot read the number {text[:20]!r}")
    if not text:
        return 1
    return (10 * (RANKS.index(tens) + 1 if tens else 1) if found else 0) + (RANKS.index(ones) + 1 if ones else 0)


def square_text(square: str) -> str:
    """Return a USI square in Japanese: "７六" for "7f"."""
    return FILES[int(square[0]) - 1] + RANKS[ord(square[1]) - ord("a")]


def target_of(usi: str) -> str:
    """Return the square to which a move in USI notation goes."""
    return usi[usi.index("*") + 1 :] if "*" in usi else usi[2:4]


def outcome_by(reason: str, mover: int, position: BasePosition) -> Outcome:
    """Return the outcome of a game whose record ends with `reason`. `mover` is the result for the side to move: LOSES,
    WINS or NOBODY (nobody wins). If the rules end the game for the same reason, the outcome by the rules is
    returned."""
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
    """Return KIF's word for an outcome. `turn` is the side to move at the end."""
    if outcome.winner == turn and outcome.reason in ("illegal_move", "default"):
        return "反則勝ち" if outcome.reason == "illegal_move" else "不戦勝"
    return _KIF_WORD_OF.get(outcome.reason, "持将棋" if outcome.winner is None else "中断")


def result_text(outcome: Outcome) -> str:
    """Return the text of the result that follows まで12手で in the last line of KIF."""
    if outcome.winner is not None:
        return f"{'先後'[outcome.winner]}手の勝ち"
    return {"repetition": "千日手", "interrupted": "中断"}.get(outcome.reason, "持将棋")


def csa_word(outcome: Outcome, turn: int) -> str:
    """Return CSA's word for an outcome, without %. `turn` is the side to move at the end."""
    if outcome.reason in ("illegal_move", "perpetual_check"):
        return "ILLEGAL_MOVE" if outcome.winner == 1 - turn else f"{'-+'[turn]}ILLEGAL_ACTION"
    return _CSA_WORD_OF.get(outcome.reason, "HIKIWAKE" if outcome.winner is None else "CHUDAN")
