"""The command `convert`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from kogoma.lab.kifu.formats import read_games, write_games
from kogoma.lab.kifu.kif import kif
from kogoma.rules.variants import VARIANTS
from support.kifu.convert import convert
from support.kifu.games import game


def test_files_pipes_and_folders(tmp_path: Path) -> None:
    made = game("shogi", 5)
    write_games(tmp_path / "a.kifu", [made], "kifu")
    assert convert(tmp_path / "a.kifu", tmp_path / "a.csa") == (0, b"", f"{tmp_path / 'a.csa'}: 1 game\n")
    code, text, _ = convert("--from", "csa", "--to", "kif", "-", "-", stdin=(tmp_path / "a.csa").read_bytes())
    assert (code, text) == (0, kif(made).encode("cp932"))
    write_games(tmp_path / "b.kif", [game("minishogi", 5)], "kif")
    code, _, said = convert(tmp_path / "a.kifu", tmp_path / "b.kif", tmp_path / "new" / "folder", "--to", "jsonl")
    assert code == 0, said
    names = sorted(path.name for path in (tmp_path / "new" / "folder").iterdir())
    assert names == ["a.jsonl", "b.jsonl"]
    [back] = read_games(tmp_path / "new" / "folder" / "b.jsonl", "jsonl")
    assert (back.variant.name, back.moves) == ("minishogi", game("minishogi", 5).moves)


@pytest.mark.long
def test_several_files_need_a_folder_or_the_flag_together(tmp_path: Path) -> None:
    for name in ("a.kif", "b.kif"):
        write_games(tmp_path / name, [game("shogi", 5)], "kif")
    sources, both = (tmp_path / "a.kif", tmp_path / "b.kif"), tmp_path / "both.kifu"
    for words in ((), ("--to", "kifu")):
        code, _, said = convert(*sources, both, *words)
        assert (code, both.is_dir()) == ((0, True) if words else (2, False)), said
        assert ("to a folder" in said and "with --together" in said) == (not words), said
    both = tmp_path / "one.kifu"
    assert convert("--together", *sources, both) == (0, b"", f"{both}: 2 games\n")
    assert [made.moves for made in read_games(both, "kifu")] == 2 * [game("shogi", 5).moves]
    code, _, said = convert(*sources, both, "--to", "kifu")
    assert code == 2 and "with --together" in said


def test_the_name_of_a_custom_variant_may_have_digits(tmp_path: Path) -> None:
    """Check that conversions keep the name of a custom variant if this name contains digits. Only the name shows that
    the game is not a game of minishogi."""
    (tmp_path / "own.toml").write_text('name = "mini-2"\nlike = "minishogi"\n', encoding="utf-8")
    line = f"position sfen {VARIANTS['minishogi'].start} moves 3e3d # game 7, mini-2: A - B 1-0 resign\n"
    (tmp_path / "0.usi").write_text(line, encoding="utf-8")
    forms = ("usi", "kifu", "kif", "sfen", "jsonl", "usi")
    for number, (before, form) in enumerate(pairwise(forms)):
        files = tmp_path / f"{number}.{before}", tmp_path / f"{number + 1}.{form}"
        assert convert("--variants", tmp_path / "own.toml", *files)[0] == 0
        if form == "kifu":
            assert files[1].read_text(encoding="utf-8").startswith("# game 7, mini-2\n")
    assert (tmp_path / f"{len(forms) - 1}.usi").read_text(encoding="utf-8") == line


def test_a_kif_file_holds_one_game(tmp_path: Path) -> None:
    games = [game("shogi", seed) for seed in range(3)]
    write_games(tmp_path / "m.csa", games, "csa")
    for name in ("m.kif", "m.ki2u"):
        stem, form = name.split(".")
        files = [tmp_path / f"{stem}-{number:03}.{form}" for number in (1, 2, 3)]
        assert convert(tmp_path / "m.csa", tmp_path / name)[2].startswith(f"{files[0]} to {files[2].name}: 3 games\n")
        for file, made in zip(files, games):
            [back] = read_games(file, form)
            assert back.moves == made.moves
        convert("--together", tmp_path / "m.csa", tmp_path / name)
        assert [back.moves for back in read_games(tmp_path / name, form)] == [made.moves for made in games]
    code, _, said = convert(tmp_path / "m.kif", tmp_path / "m-002.kif", tmp_path / "new.kif", "--to", "kif")
    assert code == 0 and (tmp_path / "new.kif").is_dir(), said
    before = (tmp_path / "m-002.kif").read_bytes()
    code, _, said = convert("--together", tmp_path / "m-002.kif", tmp_path / "m-002.kif")
    assert code == 2 and "m-002.kif would overwrite an input file" in said
    assert (tmp_path / "m-002.kif").read_bytes() == before


def test_errors_are_reported(tmp_path: Path) -> None:
    write_games(tmp_path / "a.kifu", [game("shogi", 4)], "kifu")
    text = (tmp_path / "a.kifu").read_text("utf-8").replace("   3 ", "   3 ９九玉(11)\n   4 ", 1)
    (tmp_path / "bad.kifu").write_text(text, "utf-8")
    (tmp_path / "a.html").write_text("<html>")
    code, out, said = convert(tmp_path / "bad.kifu", tmp_path / "a.csa")
    first, *rest = said.splitlines()
    assert code == 1 and "1 game" in first
    assert (
        "bad.kifu: line " in rest[0] and "move 3, ９九玉(11)" in rest[0] and "2 moves before that are kept" in rest[0]
    )
    [kept] = read_games(tmp_path / "a.csa", "csa")
    assert kept.moves == game("shogi", 4).moves[:2]
    before = (tmp_path / "a.csa").read_bytes()
    large = tmp_path / "large.kif"
    with open(large, "wb") as file:
        file.truncate(100_000_000)
    for words, message, expected in (
        ((tmp_path / "a.html", tmp_path / "a.csa"), "a.html: unknown extension; known: .kif, ", 2),
        ((tmp_path / "none.kif", tmp_path / "a.csa"), "No such file or directory", 1),
        ((large, tmp_path / "a.csa"), "large.kif: the file is too large for a game record", 1),
        ((tmp_path / "a.kifu", tmp_path / "a.kifu"), "a.kifu would overwrite an input file", 2),
        ((tmp_path / "a.kifu", tmp_path), "the format of the files with --to", 2),
    ):
        code, out, said = convert(*words)
        assert (code, out, said.count("\n")) == (expected, b"", 1) and message in said, said
    assert (tmp_path / "a.csa").read_bytes() == before
    assert not list(tmp_path.glob("*.unfinished")) + list(tmp_path.glob(".*"))


def test_lost_information_is_reported(tmp_path: Path) -> None:
    write_games(tmp_path / "a.kifu", [game("shogi", 12)], "kifu")
    code, _, said = convert(tmp_path / "a.kifu", tmp_path / "a.usi")
    assert code == 0 and "usi cannot store variations, which 1 game has" in said and "comments" in said
