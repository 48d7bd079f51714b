"""The Japanese texts of the command `help`: the list of commands."""

from __future__ import annotations

import os
import re
import sys
import unicodedata

LANGUAGE = "KOGOMA_LANG"  # environment variable: `ja` or `en`; by default the system's language decides
_JAPANESE = 0x11  # Windows' number of the Japanese language, without the country
_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")

SUMMARIES = {  # name of a command -> what it does
    "": "将棋 GUI 用の USI エンジン",
    "warmup": "エンジンを今コンパイルし、最初の対局をすぐに始められるようにする(既定は全ゲーム)",
    "bench": "決まった局面を探索する。ノード数はエンジンの動作の指紋になる",
    "perft": "DEPTH 手先の末端局面を、初手ごとに数える",
    "check": "独自の将棋のファイルを検査し、誤りを列挙する",
    "codingame": "CodinGame の minishogi、dice、onitama のボットとして標準入出力で指す",
    "codeabbey": "CodeAbbey の問題469(将軍のゲーム): 指し手を数える、最善手を探す、対局する",
    "export": "アリーナ用のボットを1つのファイルに書き出す",
    "wasm": "エンジンを Web ページ用の WebAssembly として書き出す",
    "match": "エンジン同士を対局させる",
    "openings": "対局用の開始局面を作る",
    "tune": "評価関数(--search では探索パラメーター)を調整する",
    "mate": "詰将棋を解く、検査する、作る",
    "book": "定跡を作る、表示する、変換する",
    "board": "ブラウザーで対局・検討する。--export は静的なサイトを書き出す",
    "analyse": "棋譜の全局面を解析し、悪手を示す",
    "report": "エンジン同士の対局の結果を HTML のページにする",
    "convert": "棋譜を KIF、KI2、CSA、JKF、USI、SFEN の間で変換する",
    "release": "すべての環境用のリリースを作る",
    "help [COMMAND]": "コマンドまたはそのオプションを一覧する",
    "--version": "版を表示する",
}
USAGE = "使い方: {program} [コマンド ...]"
END = (
    "--variants FILE をどこかに付けると、独自の将棋が加わる。",
    "コマンドのオプションは「コマンド --help」で表示される(英語)。",
)


def wanted() -> bool:
    """Return whether texts should be in Japanese, according to KOGOMA_LANG or, if it is not set, the system's
    language."""
    for name in (LANGUAGE, *_LOCALE):
        value = os.environ.get(name)
        if value:
            return value.lower().startswith("ja")
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF == _JAPANESE)
    return False


def width(text: str) -> int:
    """Return the number of columns that a text takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def wrapped(text: str, columns: int) -> list[str]:
    """Split a text into lines of at most `columns` columns, not counting punctuation at the end of a line. A line can
    end after any character, except in a Latin word and before punctuation."""
    lines: list[str] = []
    for part in re.findall(r"[!-~]+[、。)]?|.[、。)]?", text):
        if not lines or width(lines[-1] + part.rstrip("、。)")) > columns:
            lines.append(part.lstrip())
        else:
            lines[-1] += part
    return lines
