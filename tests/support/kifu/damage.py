"""Damaged game records: random games in any format, with a few characters, lines or bytes changed."""

from __future__ import annotations

import random

from kogoma.lab.kifu.formats import FORMATS, games_as_bytes
from kogoma.lab.kifu.game import Game, GameError, Recorder
from kogoma.rules.outcome import Outcome
from kogoma.rules.variants import VARIANTS
from support.kifu.games import WORDS, extend, game

FORMS = [form for form in FORMATS if form != "jsonl"]
LETTERS = (
    "０1９一九十同打成不生右左直上寄引行入 　\t.、:：()（）/*&|+-'%$#,\"{}[]\\歩香玉王龍竜杏v・▲△☗\u3000\u2028\ufeff"
)
WORDS_OF_RECORDS = (
    "同　", "成銀", "(77)", "まで3手で", "先手の勝ち", "変化：2手", "手合割：平手", "手合割：香落ち", "後手番",
    "投了", "千日手", "王手千日手", "反則勝ち", "先手の反則負け", "入玉勝ち", "切れ負け", "封じ手", "時計故障",
    "# game 3, dice", "# dice 4", "# sfen ", "# resign b", "# ", "手数----指手---", "( 0:05/00:00:05)", "%TORYO",
    "%+ILLEGAL_ACTION", "%RENDA", "PI", "P1", "P+00AL", "P-", "+7776FU", "T3", "'*", "'# number 3", "V2.2", "N+a",
    "$EVENT:x", "/", "moves ", "startpos", "sfen ", "resign", "1-0", "null", "true", "1.5", "-1", '"move":{},',
    '"forks":[[]],', '"comments":["# time w"],', "5_5", "OTHER",
)  # fmt: skip
PIECES = (*LETTERS, *WORDS_OF_RECORDS)
ENDS = ("checkmate", "repetition", "perpetual_check", "declaration", "default", "no_mate", "unknown", "draw")


def record(rng: random.Random) -> Game:
    """Return a random game of any variant. Some games end for a reason of KIF, with an unknown word, or not at all, and
    some have variations that replace the end."""
    name = rng.choice([*VARIANTS, "shogi", "shogi", "minishogi"])
    made = game(name, rng.randrange(60))
    if rng.random() < 0.6:
        return made
    recorder = Recorder(name, made.start)
    if rng.random() < 0.5:
        recorder.say(rng.choice(WORDS))
    extend(recorder, rng, rng.randrange(12), comments=True)
    outcome = recorder.position.outcome() or Outcome(rng.choice((0, 1, None)), rng.choice(ENDS))
    if rng.random() < 0.8:
        text = rng.choice(("", "", "時計故障", "RENDA"))
        recorder.finish(Outcome(None, "unknown") if text else outcome, rng.choice((None, 3000.0)), text)
        recorder.say(rng.choice(WORDS))
        if recorder.position.moves and not recorder.position.outcome():
            recorder.branch(rng.randint(0, len(recorder.position.moves)))
            extend(recorder, rng, 3, comments=True)
    recorder.game.black, recorder.game.label = rng.choice(("", "a：b", "\u3000名 前")), rng.choice(("", "7"))
    recorder.game.headers = {"棋戦": "第1回", "持ち時間": "10:00+30", "備考": ""}
    return recorder.game


def damaged_record(seed: int) -> tuple[str, str, bytes]:
    """Return (variant, format, content) of a file with the number `seed`."""
    rng = random.Random(f"damage {seed}")
    while True:
        made, form = record(rng), rng.choice(FORMS)
        try:
            text = b"".join(games_as_bytes([made] * rng.choice((1, 1, 1, 2)), form)).decode(FORMATS[form].encoding)
            break
        except GameError:
            continue  # the format cannot store the game
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        text = _damaged(text, rng)
    text = text.replace("\n", rng.choice(("\n", "\n", "\r\n", "\r")))
    encoding = rng.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "cp932", "euc_jp"))
    if form in ("usi", "sfen"):
        return made.variant.name, form, text.encode()  # Python decodes each line of these formats for itself
    data = text.encode(encoding, errors="replace")
    if encoding == "utf-8" and rng.random() < 0.1:
        at = rng.randrange(len(data) + 1)
        data = data[:at] + bytes([rng.randrange(0xA1, 0xE0)]) + data[at + rng.randint(0, 1) :]
    return made.variant.name, form, data


def _damaged(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    row = rng.randrange(len(lines))
    line, kind = lines[row], rng.randrange(6)
    at = rng.randrange(len(line) + 1)
    if kind == 0:
        lines[row] = line[:at] + line[at + 1 :]
    elif kind == 1:
        lines[row] = line[:at] + rng.choice(PIECES) + line[at:]
    elif kind == 2:
        lines[row] = line[:at] + rng.choice(PIECES) + line[at + 1 :]
    elif kind == 3:
        del lines[row]
    elif kind == 4:
        lines.insert(row, rng.choice((rng.choice(lines), rng.choice(PIECES))))
    else:
        other = rng.randrange(len(lines))
        lines[row], lines[other] = lines[other], lines[row]
    return "\n".join(lines)
