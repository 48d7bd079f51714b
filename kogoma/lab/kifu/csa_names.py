"""What CSA calls pieces and what it tells of a game: http://www2.computer-shogi.org/protocol/record_v22.html"""

PIECES = {
    **{"P": "FU", "L": "KY", "N": "KE", "S": "GI", "G": "KI", "B": "KA", "R": "HI", "K": "OU"},
    **{"+P": "TO", "+L": "NY", "+N": "NK", "+S": "NG", "+B": "UM", "+R": "RY"},
}
LETTERS = {name: letter for letter, name in PIECES.items()}
HEADERS = {  # CSA's keyword -> KIF's name
    "EVENT": "棋戦",
    "SITE": "場所",
    "START_TIME": "開始日時",
    "END_TIME": "終了日時",
    "OPENING": "戦型",
    "TIME_LIMIT": "持ち時間",
}
KEYWORDS = {name: keyword for keyword, name in HEADERS.items()}
TIME_LIMIT = r"[0-9]+:[0-9]{2}\+[0-9]+"  # the only form that CSA knows of it
SEPARATOR = "/"  # a line between games


def square_of(digits: str) -> str:
    """ "7f" for "76"."""
    return digits[0] + chr(ord("a") + int(digits[1]) - 1)


def digits_of(square: str) -> str:
    """ "76" for "7f"."""
    return square[0] + str(ord(square[1]) - ord("a") + 1)
