"""The Japanese texts of the command line are complete, none is unused, and users see them."""

from __future__ import annotations

import argparse
import ast
import errno
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kogoma import japanese
from kogoma.japanese import HELP, MESSAGES, Template, templates, width
from kogoma.lab.match.flags import FLAGS, match_help
from kogoma.usi_engine.commands import COMMANDS, Parser, overview
from support.usi_client import ENGINE, ROOT

pytestmark = pytest.mark.slow

PLACEHOLDER = re.compile(r"\{(\w+)\}")
JAPANESE = re.compile("[ぁ-ヿ一-龥]")


@pytest.fixture(autouse=True)
def in_japanese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(japanese.LANGUAGE, "ja")
    monkeypatch.setenv("COLUMNS", "80")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ENGINE, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300)


def helps() -> Iterator[str]:
    """Yield the help texts of all commands and subcommands."""
    yield overview("usi-engine")
    yield match_help("usi-engine")
    for name, command in COMMANDS.items():
        if command.set_up is not None:
            parser = Parser(prog=f"usi-engine {name}", description=command.summary)
            command.set_up(parser)
            yield parser.format_help()
            for action in parser._actions:
                if isinstance(action, argparse._SubParsersAction):
                    yield from (one.format_help() for one in action.choices.values())


def test_the_help_is_complete_and_no_text_is_unused(monkeypatch: pytest.MonkeyPatch) -> None:
    unused, unknown, match = set(templates(HELP)), set[str](), japanese.match

    def recorded(kind: str, english: str) -> tuple[Template, re.Match[str]] | None:
        found = match(kind, english)
        if found is None:
            unknown.add(english)
        else:
            unused.discard(found[0])
        return found

    monkeypatch.setattr(japanese, "match", recorded)
    assert len(list(helps())) > len(COMMANDS)
    assert not unknown
    assert not [template.english for template in unused]


def test_the_help_fits_a_terminal() -> None:
    for text in helps():
        assert JAPANESE.search(text)
        assert not [line for line in text.splitlines() if width(line) > 80]
        assert not [line for line in text.splitlines() if re.match(r"\s*[;、。)」]", line)], "as typesetting forbids"


@pytest.mark.parametrize("kind", [HELP, MESSAGES])
def test_each_template_is_found(kind: str) -> None:
    """Check that each English text is matched by its own template and not by an earlier one. The Japanese template must
    have no placeholder that the English template lacks."""
    for template in templates(kind):
        names = set(PLACEHOLDER.findall(template.english))
        values = {name: str(number) for number, name in enumerate(names, 10)} | {"side": "Black"}
        text = template.english.format_map(values)
        found = japanese.match(kind, text)
        assert found is not None and found[0] is template, (text, found)
        assert set(PLACEHOLDER.findall(template.japanese)) <= names, text
        assert JAPANESE.search(template.japanese)
        for encoding in ("cp932", "euc_jp"):  # encodings of consoles and files on systems without UTF-8
            assert template.japanese.encode(encoding)


def test_each_message_is_one_of_the_sources() -> None:
    """Check that each English template of a message is still in use. The longest part of the template between
    placeholders and punctuation must occur in a string of Kogoma's or argparse's source, or in an error message of the
    system; for an error of a game record, it is enough that its code is such a string."""
    texts = [*map(os.strerror, errno.errorcode)]
    for path in [*(ROOT / "kogoma").rglob("*.py"), Path(argparse.__file__)]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value.replace("%(", "\n").replace("%s", "\n").replace("%r", "\n"))
    everything = "\n".join(texts)
    missing = []
    for template in templates(MESSAGES):
        if template.code in texts and template.code:
            continue
        longest = max((part.strip(" ,;:") for part in re.split(r"\{\w+\}|[,;:] ", template.english)), key=len)
        if longest not in everything:
            missing.append(template.english)
    assert not missing


def test_each_code_of_an_error_in_a_record_has_texts() -> None:
    used = set[str]()
    for path in (ROOT / "kogoma" / "lab" / "kifu").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name.endswith(("Error.of", "wrapped")):
                codes = [one.value for one in ast.walk(node.args[-1]) if isinstance(one, ast.Constant)]
                used |= {code for code in codes if isinstance(code, str)}
    assert len(used) > 50 and used <= set(japanese.record_errors())


def test_the_list_of_commands() -> None:
    text = run("help").stdout
    assert "将棋 GUI 用の USI エンジン" in text
    assert all(f"  {name} " in text for name in COMMANDS)


def test_the_help_of_commands() -> None:
    text = run("analyse", "--help").stdout
    assert text.startswith("使い方: ") and "\nオプション:\n" in text and "棋譜の全局面を解析" in text
    text = run("match", "--help").stdout
    assert text.startswith("使い方: ") and all(f"  -{flag} " in text for flag in FLAGS)


@pytest.mark.parametrize(
    "words, code, text",
    [
        ("nonsense", 2, "コマンド 'nonsense' はありません"),
        ("bench deep", 2, "引数 DEPTH: 1から100までの整数を指定してください('deep')\n使い方: "),
        ("bench 3 --quick", 2, "不明な引数です: --quick\n使い方: "),
        ("convert", 2, "必須の引数がありません: IN, OUT\n使い方: "),
        ("convert missing.kif out.csa", 1, "missing.kif: ファイルまたはフォルダーがありません"),
        ("convert README.md out.csa", 2, "README.md: 拡張子から棋譜の形式がわかりません"),
        ("export minishogi -o missing/bot.py", 1, "missing/bot.py: "),
        ("perft 1 rbsgk/4p/5/P4/KGSBX b - 1", 2, "駒 'X' は不明です"),
        ("perft 1 1/1 b - 1", 2, "1×2 の盤のゲームはありません"),
        ("mate missing", 2, "'missing' というファイルはなく、SFEN でもありません"),
        ("match -engine -rounds x", 2, "match: "),
        ("tune shoggi", 2, "引数 VARIANT: ゲーム 'shoggi' はありません"),
        ("book show docs", 1, "book: "),
        ("--variants", 2, "--variants には独自の将棋のファイル名が必要です"),
        ("--variants missing.toml", 2, "missing.toml: 読めません: ファイルまたはフォルダーがありません"),
    ],
)
def test_errors(words: str, code: int, text: str) -> None:
    done = run(*words.split())
    assert done.returncode == code, done.stderr
    assert text in done.stderr and JAPANESE.search(done.stderr)
    assert not re.search(r"[a-z]{3,} [a-z]{3,} [a-z]{3,}", done.stderr), done.stderr


def test_errors_in_records(tmp_path: Path) -> None:
    record, variant = tmp_path / "game.csa", tmp_path / "game.toml"
    record.write_text("V2\nPI\n+\n+7776FU\n+3334FU\n", "utf-8")
    done = run("convert", str(record), str(tmp_path / "game.usi"))
    assert (
        "5行目の1文字目: 2手目 +3334FU: 手番は '+' ではなく '-' です" in done.stderr
        and "(その前の1手は残します)" in done.stderr
    )
    variant.write_text('name = "x"\nfiles = 99\n', "utf-8")
    done = run("check", str(variant))
    assert f"{variant} の2行目: files には1から9までの整数を指定してください(99)" in done.stderr


@pytest.mark.parametrize(
    "english, expected",
    [
        (
            "the engine cannot be loaded: KernelError: /x/search-64.so is missing: unpack or install Kogoma again",
            "エンジンを読み込めません: /x/search-64.so がありません: "
            "Kogoma をもう一度展開またはインストールしてください",
        ),
        (
            "/x/index.json cannot be read: another program is using it (Windows error 32)",
            "/x/index.json を読めません: 別のプログラムが使用中です(Windows のエラー 32)",
        ),
        (
            "there are no prebuilt libraries for linux-riscv64, and numba, which could compile the engine, is not "
            "installed: run ./engine.sh once, or pip install numba",
            "linux-riscv64 用のライブラリーがなく、エンジンをコンパイルする numba もインストールされていません: "
            "./engine.sh を一度実行するか、pip install numba を実行してください",
        ),
        (
            "this processor has no AVX2, or a virtual machine hides it",
            "プロセッサーが AVX2 に対応していないか、仮想マシンがそれを隠しています",
        ),
        ("a.kif: No space left on device\nusage: x", "a.kif: ディスクの空き容量がありません\n使い方: x"),
        (
            "x.toml, line 3: start: sfen: Black has no king (and 2 more: `check` lists them)",
            "x.toml の3行目: start: 先手の玉がありません(ほかに2件。`check` で一覧できます)",
        ),
        ("something that has no translation: 12", "something that has no translation: 12"),
    ],
)
def test_translations(english: str, expected: str) -> None:
    assert japanese.message(english) == expected


def test_an_engine_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Check that an engine that cannot be loaded reports this in Japanese on standard error, and in English over
    USI."""
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path / "none"))
    lines = "usi\nsetoption name USI_Variant value minishogi\nisready\nquit\n"
    done = subprocess.run(ENGINE, cwd=ROOT, input=lines, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert done.stderr.startswith(
        "kogoma: エンジンを読み込めません: 環境変数 KOGOMA_WEIGHTS にはフォルダーを指定してください"
    )
    assert "info string error: the engine cannot be loaded" in done.stdout and not JAPANESE.search(done.stdout)


def test_other_languages_are_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(japanese.LANGUAGE, "en")
    done = run("bench", "--help")
    assert done.stdout.startswith("usage: ") and done.stdout.isascii()
    assert run("help").stdout.isascii() and run("nonsense").stderr.isascii()


@pytest.mark.long
def test_results_of_a_match_and_its_analysis(tmp_path: Path) -> None:
    """Check that the standings of a match, the mistakes in its games and the summary of mate problems are in Japanese.
    The columns of the table must be aligned, though Japanese characters are two columns wide."""
    journal = tmp_path / "m.jsonl"
    words = ["-each", "nodes=300", "-engine", "name=a", "-engine", "name=b", "-games", "2", "-rounds", "2"]
    done = run("match", *words, "-variant", "minishogi", "-out", str(journal))
    assert done.returncode == 0, done.stderr
    head, *rows = (line for line in done.stdout.splitlines() if line.startswith(("エンジン ", "a   ", "b   ")))
    assert len(rows) == 2 and {width(row[: row.index("%")]) for row in rows} == {
        width(head[: head.index("率") + 1]) - 1
    }
    for text in ("minishogi 4局、毎分", "a: 先手 ", "1組(2局)の得点が", "先手 +", "終局: ", "対局記録: "):
        assert f"\n{text}" in f"\n{done.stdout}", (text, done.stdout)
    done = run("analyse", str(journal), "--nodes", "500", "-o", str(tmp_path / "out.kifu"))
    assert done.returncode == 0 and "1局目、先手(" in done.stdout and "正確さ" in done.stdout, done
    assert re.search(
        r"^  \d+\. \S+: (大悪手|悪手|疑問手|\d+手詰の見逃し): 前は .*、後は .*。最善は ", done.stdout, re.MULTILINE
    )
    done = run("mate", "4k/5/4G/5/K4 b G 1")
    assert re.search(r"^1題: 1 mate。[\d.]+秒、中央値 [\d.]+ ミリ秒、最長 [\d.]+ ミリ秒$", done.stderr, re.MULTILINE), (
        done
    )
