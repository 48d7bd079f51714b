"""Custom variants in the lab: tuning, and work that is not continued after the variant's file has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kogoma.lab.analysis.examine import Settings, Store
from kogoma.lab.analysis.judge import Moves, ScoredLine
from kogoma.lab.tune.spsa import SearchPlan, SpsaRun
from kogoma.lab.tune.store import DataError
from kogoma.rules.custom.reader import read_variant
from kogoma.rules.custom.writer import GAME_FILE, definition_digest
from kogoma.rules.variants import VARIANTS
from support.lab_runs import finish

pytestmark = pytest.mark.slow

ZOO = 'name = "zoo"\nlike = "dobutsu"\nranks = 5\nstart = "gle/1c1/3/1C1/ELG b - 1"\n'
MATCH = "match -variant zoo -engine name=one -engine name=two -each nodes=20 -openings file=start -games 2".split()
TUNE = "tune zoo --positions 5000 --nodes 100 --match-nodes 30 --games 40 --elo0 -200 --elo1 -150 --data data".split()
DONE = (0, 3)  # exit codes if the new weights are installed or not; both are possible
BOOK = "book zoo --positions 2 --nodes 200 --folder book".split()


def run(folder: Path, *words: str, code: int | tuple[int, ...] = 0) -> str:
    return finish(folder, "zoo.toml", *words, code=code, command="--variants")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the file of a custom variant, and with the results of the commands `tune`, `match` and
    `book` for this variant."""
    folder = tmp_path_factory.mktemp("zoo")
    (folder / "zoo.toml").write_text(ZOO)
    told = run(folder, *TUNE, code=DONE)
    assert (folder / "zoo.json").exists() == told.splitlines()[-1].startswith("new weights: ")
    run(folder, *MATCH, "-out", "m.jsonl")
    run(folder, *BOOK)
    return folder


@pytest.mark.long
def test_tuned_weights_are_in_the_folder_of_the_variant_file(begun: Path) -> None:
    for name in ("zoo.json", "zoo.network.xz"):
        fitted = begun / "data" / "candidate" / name
        assert fitted.stat().st_size
        assert not (begun / name).exists() or (begun / name).read_bytes() == fitted.read_bytes()


@pytest.mark.long
def test_work_is_not_continued_with_a_changed_variant(begun: Path) -> None:
    assert "2 games are there already" in run(begun, "match", "--resume", "m.jsonl")
    assert "data/candidate: fitted" in run(begun, *TUNE, code=DONE)
    (begun / "zoo.toml").write_text(f"# only a comment\n{ZOO}")
    assert "2 positions so far" in run(begun, *BOOK)
    (begun / "zoo.toml").write_text(f"{ZOO}repetition_fold = 3\n")
    was, now = (
        definition_digest(read_variant(text.encode()))[GAME_FILE] for text in (ZOO, f"{ZOO}repetition_fold = 3\n")
    )
    other_match = f'm.jsonl was played with other settings: {GAME_FILE} was "{was}", and is now "{now}"'
    plan = f"kogoma_book 1, variant zoo, nodes 200, lines 4, {GAME_FILE} {was}"
    for words, told in (
        ("match --resume m.jsonl".split(), f"match: {other_match}\n"),
        ([*MATCH, "-out", "m.jsonl", "--resume"], f"match: {other_match}\n"),
        (TUNE, f"tune: data/000000.npz was made with another {GAME_FILE}: {was!r}, now {now!r}\n"),
        (BOOK, f"book: book/positions.jsonl belongs to another plan: {plan}; name another --folder\n"),
    ):
        assert run(begun, *words, code=(1, 2)) == told


def test_an_analysis_starts_again_with_a_changed_variant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, path = Moves("zoo", "gle/1c1/3/1C1/ELG b - 1", ("2d2c",)), tmp_path / "game.part"
    for text, known in ((ZOO, {}), (ZOO, {1}), (f"{ZOO}repetition_fold = 3\n", set())):
        monkeypatch.setitem(VARIANTS, "zoo", read_variant(text.encode()))
        store = Store(path, game, Settings())
        assert store.known.keys() == set(known)
        store.keep(1, (ScoredLine(("1a1b",), "cp", 0, 1),))
        store.close()


def test_parameters_of_a_changed_variant_are_not_tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (ZOO, f"# only a comment\n{ZOO}"):
        monkeypatch.setitem(VARIANTS, "zoo", read_variant(text.encode()))
        SpsaRun(SearchPlan("zoo"), tmp_path)
    monkeypatch.setitem(VARIANTS, "zoo", read_variant(f"{ZOO}repetition_fold = 3\n".encode()))
    with pytest.raises(DataError, match=f"spsa.jsonl was made with another {GAME_FILE}: "):
        SpsaRun(SearchPlan("zoo"), tmp_path)
