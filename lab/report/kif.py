"""A game as KIF, the text that shogi programs exchange (http://kakinoki.o.oo7.jp/kif_format.html).

Small boards are written as others write them (a drawn board, and its name after 手合割 where there is one). Games whose
pieces have no kanji of shogi's (Dobutsu, Game of Generals, Onitama) have their moves in USI notation instead. What KIF
has no words for are remarks, which other programs skip: the variant, a start as SFEN, the throws.
web/page/records/kif_writer.js writes the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from lab.records.record import GameRecord
from lab.stats.statistics import first_mover
from rules.position import Position, new_position
from rules.variants import Variant, find

RANKS = "一二三四五六七八九"
FILES = "１２３４５６７８９"
TENS = ("", "十")
NAMES = {"shogi": "平手", "minishogi": "5五将棋", "kyoto": "京都将棋"}
PIECES = {"P": "歩", "L": "香", "N": "桂", "S": "銀", "G": "金", "B": "角", "R": "飛", "K": "玉"}
PROMOTED = {"+P": "と", "+L": "成香", "+N": "成桂", "+S": "成銀", "+B": "馬", "+R": "龍"}
KYOTO = {"+P": "飛", "+L": "と", "+N": "金", "+S": "角"}
MICRO = {"+P": "桂", "+L": "銀", "+B": "と", "+R": "金"}
ON_BOARD = {"成香": "杏", "成桂": "圭", "成銀": "全"}
SHOGI = "shogi minishogi minishogi-codingame dice dice-hyper dice-codingame judkins gorogoro micro kyoto".split()
ENDS = {
    "checkmate": "詰み",
    "resign": "投了",
    "repetition": "千日手",
    "declaration": "入玉勝ち",
    "illegal_move": "反則負け",
    "time": "切れ負け",
}


def kif(record: GameRecord) -> str:
    """The game's lines, each ending in a newline."""
    variant = find(record["variant"])
    written = _shogi(record, variant) if variant.name in SHOGI else _foreign(record)
    return "\n".join([*written, *_end(record), ""])


def _head(record: GameRecord) -> Iterator[str]:
    yield f"# game {record['game']}, {record['variant']}"
    yield f"先手：{record['black']}"
    yield f"後手：{record['white']}"
    yield f"持ち時間：{record['clock']}"


def _foreign(record: GameRecord) -> Iterator[str]:
    yield from _head(record)
    yield f"# sfen {record['start']}"
    yield "手数----指手---------消費時間--"
    for number, (usi, time, remarks) in enumerate(_timed(record), 1):
        yield f"{number:4} {usi:<12}{time}"
        yield from remarks


def _shogi(record: GameRecord, variant: Variant) -> Iterator[str]:
    position = new_position(variant, record["start"])
    assert isinstance(position, Position)
    yield from _head(record)
    plain = record["start"] == variant.start and variant.name in NAMES
    if plain:
        yield f"手合割：{NAMES[variant.name]}"
    else:
        yield f"# sfen {record['start']}"
    if not plain or variant.name != "shogi":
        yield from _board(position)
    yield "手数----指手---------消費時間--"
    before = ""
    for number, (usi, time, remarks) in enumerate(_timed(record), 1):
        yield f"{number:4} {_move(position, usi, before):<12}{time}"
        yield from remarks
        position.push(usi)
        before = _target(usi)


def _timed(record: GameRecord) -> Iterator[tuple[str, str, list[str]]]:
    """Every move with its time and its player's time so far, and its throw as a remark; the opening's moves took no
    time and had no throw."""
    spent, side = [0.0, 0.0], (first_mover(record) + len(record["book"])) % 2
    times = [0.0] * len(record["book"]) + list(record["time_ms"])
    throws = [0] * len(record["book"]) + record.get("dice", []) + [0] * len(record["moves"])
    for usi, ms, throw in zip([*record["book"], *record["moves"]], times, throws):
        spent[side] += ms
        seconds, total = int(ms / 1000), int(spent[side] / 1000)
        clock = f"{total // 3600:02}:{total // 60 % 60:02}:{total % 60:02}"
        yield usi, f"({seconds // 60:2}:{seconds % 60:02}/{clock})", [f"# dice {throw}"] * (throw > 0)
        side = 1 - side


def _name(variant: Variant, letter: str) -> str:
    faces = {"kyoto": KYOTO, "micro": MICRO}.get(variant.name, PROMOTED)
    return faces[letter] if letter.startswith("+") else PIECES[letter]


def _target(usi: str) -> str:
    return usi.partition("*")[2] or usi[2:4]


def _move(position: Position, usi: str, before: str) -> str:
    """`７六歩(77)`, `同　角成(88)`, `５二金打`."""
    variant = position.variant
    target = _target(usi)
    where = "同　" if target == before else FILES[int(target[0]) - 1] + RANKS[ord(target[1]) - ord("a")]
    if "*" in usi:
        return f"{where}{_name(variant, usi[: usi.index('*')])}打"
    row, column = ord(usi[1]) - ord("a"), variant.files - int(usi[0])
    cell = position.setup().board[row * variant.files + column]
    name = _name(variant, variant.pieces[(cell & 15) - 1].letter)
    return f"{where}{name}{'成' * usi.endswith('+')}({usi[0]}{row + 1})"


def _board(position: Position) -> Iterator[str]:
    """The diagram, White's hand above and Black's below."""
    setup, variant = position.setup(), position.variant
    files = variant.files
    yield f"後手の持駒：{_hand(variant, setup.hands[1])}"
    yield "  " + " ".join(FILES[file] for file in reversed(range(files)))
    yield "+" + "-" * (3 * files) + "+"
    for row in range(variant.ranks):
        cells = []
        for cell in setup.board[row * files : (row + 1) * files]:
            name = _name(variant, variant.pieces[(cell & 15) - 1].letter) if cell else "・"
            cells.append(("v" if cell >> 4 else " ") + ON_BOARD.get(name, name))
        yield f"|{''.join(cells)}|{RANKS[row]}"
    yield "+" + "-" * (3 * files) + "+"
    yield f"先手の持駒：{_hand(variant, setup.hands[0])}"
    if setup.turn:
        yield "後手番"


def _hand(variant: Variant, hand: list[int]) -> str:
    held = [
        _name(variant, piece.letter) + _numeral(hand[number])
        for number, piece in reversed(list(enumerate(variant.pieces, 1)))
        if number < len(hand) and hand[number]
    ]
    return "　".join(held) or "なし"


def _numeral(count: int) -> str:
    """A count of pieces in hand: "" for 1, up to 十八."""
    return "" if count == 1 else TENS[count // 10] + ("" if count % 10 == 0 else RANKS[count % 10 - 1])


def _end(record: GameRecord) -> Iterator[str]:
    plies = len(record["book"]) + len(record["moves"])
    draw = "千日手" if record["reason"] == "repetition" else "持将棋"
    yield f"{plies + 1:4} {ENDS.get(record['reason'], draw if record['winner'] is None else '中断')}"
    yield f"# {record['reason']}"
    yield f"まで{plies}手で{draw if record['winner'] is None else '先後'[record['winner']] + '手の勝ち'}"
