"""The zip file for Windows under Wine, in a path with a space and with characters outside Western code pages.

Upper limits of times are of the processor time of the engine's process, as in tests/usi/test_time.py.
"""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from kogoma.japanese import LANGUAGE
from kogoma.lab.release.windows_zip import PROGRAMS
from kogoma.rules.variants import VARIANTS
from kogoma.version import __version__
from support import lab_runs, referee
from support.browsers.board_server import Talk, board_server
from support.info_report import sections, states
from support.peers import absent
from support.permissions import read_only
from support.usi_client import PATIENCE, ROOT, UsiClient, default_interrupt, until
from support.wine import Wine, contents, copy, find_zip, one_error, unpack

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="Wine runs on Linux"),
]

LARGEST = 45_000_000  # bytes
PROMPT = 0.05  # seconds of processor time between `stop` and `bestmove`
MATE = "4k/5/4G/5/K4 b G 1"
LIBRARIES = Path("runtime", "packages", "kogoma", "native", "prebuilt")
# This program opens a file so that no other program can open it until the input ends.
LOCK = """
import ctypes, sys
opened = ctypes.windll.kernel32.CreateFileW(sys.argv[1], 0xC0000000, 0, None, 3, 0, None)
print("locked" if opened not in (-1, 0xFFFFFFFF) else "failed", flush=True)
sys.stdin.read()
"""
# This program lets an engine play at most 20 moves against itself, and prints the moves.
CSHOGI = """
import sys
sys.path.insert(0, sys.argv[1])
from cshogi.usi import Engine
engine, moves = Engine(sys.argv[2]), []
engine.setoption("USI_Variant", "minishogi")
engine.isready()
engine.usinewgame()
while len(moves) < 20 and moves[-1:] not in (["resign"], ["win"]):
    engine.position(moves)
    moves.append(engine.go(byoyomi=100)[0])
engine.quit()
print(*moves)
"""
# This program prints a text of the version resource.
VERSION = """
import ctypes, sys
version, path, name = ctypes.WinDLL("version"), sys.argv[1], sys.argv[2]
content = ctypes.create_string_buffer(version.GetFileVersionInfoSizeW(path, None))
version.GetFileVersionInfoW(path, 0, len(content), content)
text, length = ctypes.c_wchar_p(), ctypes.c_uint()
version.VerQueryValueW(content, "\\\\StringFileInfo\\\\040904b0\\\\" + name, ctypes.byref(text), ctypes.byref(length))
print(text.value)
"""


@pytest.fixture(scope="module")
def archive() -> Path:
    return find_zip()


@pytest.fixture(scope="module")
def wine(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wine]:
    started = Wine(tmp_path_factory.mktemp("wine"))
    yield started
    started.close()


@pytest.fixture(scope="module")
def kogoma(wine: Wine, archive: Path) -> Path:
    """Unpack the zip file, and return the folder of the programs, C:\\将棋\\Kogoma 1\\Kogoma."""
    return unpack(archive, wine.drive / "将棋" / "Kogoma 1")


@pytest.fixture
def engine(wine: Wine, kogoma: Path) -> Iterator[UsiClient]:
    with wine.usi(kogoma / "kogoma.exe").ready() as client:
        yield client


@pytest.fixture
def changed(wine: Wine, kogoma: Path) -> Iterator[Path]:
    """Yield a copy of the folder of the programs. A test may damage this copy."""
    folder = copy(kogoma, wine.drive / "copy")
    yield folder
    shutil.rmtree(folder)


def test_the_zip_file(archive: Path) -> None:
    assert archive.stat().st_size <= LARGEST
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        assert {entry.date_time for entry in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        readme = opened.read("Kogoma/README.txt").decode("utf-8-sig")
    top = {name.split("/")[1] for name in names}
    licences = {"LICENSE.txt", "THIRD-PARTY-LICENSES.txt"}
    programs = {f"{program.name}.exe" for program in PROGRAMS}
    others = {"README.txt", *licences, "sbom.cdx.json", "runtime"}
    assert top == {"kogoma.exe", "kogoma-minishogi.exe", "kogoma-66shogi.exe", *programs, *others}
    assert all(name.isascii() and name.startswith("Kogoma/") for name in names)
    assert "Unpack the whole zip file" in readme and "展開" in readme
    assert not [name for name in names if re.search(r"/(numba|llvmlite|tests?)/|tkinter|tcl", name)]


def test_a_conversation(wine: Wine, kogoma: Path) -> None:
    """Check that the engine answers all commands from `usi` to `quit`, and writes nothing into its own folder or the
    user's folders."""
    before, users = contents(kogoma), contents(wine.drive / "users")
    with wine.usi(kogoma / "kogoma.exe", variant=None) as engine:
        engine.send("usi")
        assert engine.read_until("usiok")[0].startswith("id name Kogoma ")
        engine.ready()
        engine.send("position startpos moves 7g7f")
        infos, move = engine.go("movetime", 300)
        assert infos and move in referee.legal_moves(*at("shogi", "7g7f"))
        engine.send("setoption name USI_Variant value minishogi", "usinewgame", f"position sfen {MATE}")
        assert engine.answer() == []
        engine.send("go mate 10000")
        end = referee.Game(MATE, "minishogi").play(engine.read_until("checkmate ")[-1].split()[1])
        assert end is not None and end.reason == "checkmate"
        assert engine.quit() == 0
        assert engine.errors() == ""
    assert contents(kogoma) == before
    assert contents(wine.drive / "users") == users


def test_the_variant_by_the_programs_name(wine: Wine, changed: Path) -> None:
    """Check that kogoma-minishogi.exe starts with minishogi, and a copy of it with the variant in the copy's name. The
    name of a program that has started it does not count."""
    shutil.copy(changed / "kogoma-minishogi.exe", changed / "kogoma-Gorogoro.exe")
    wine.environment["KOGOMA_PROGRAM"] = "kogoma-kyoto"
    try:
        for name, variant in (("minishogi", "minishogi"), ("Gorogoro", "gorogoro")):
            done = wine.run(changed / f"kogoma-{name}.exe", text="usi\nquit\n")
            assert f"option name USI_Variant type combo default {variant} " in done.stdout, done
        assert "combo default shogi " in wine.run(changed / "kogoma.exe", text="usi\nquit\n").stdout
    finally:
        del wine.environment["KOGOMA_PROGRAM"]


def test_the_program_without_a_console(kogoma: Path) -> None:
    """Check that Windows opens a console for all programs but this one: the subsystem in the header is 2, not 3."""
    for program in PROGRAMS:
        content = (kogoma / f"{program.name}.exe").read_bytes()
        header = int.from_bytes(content[0x3C:0x40], "little")
        subsystem = int.from_bytes(content[header + 92 : header + 94], "little")
        assert subsystem == (2 if program.name == "kogoma-board-no-console" else 3), program


def at(variant: str, *moves: str) -> tuple[str, list[str], str]:
    """Return the arguments with which the referee gets a position: the start position, the moves played from it, and
    the variant."""
    return VARIANTS[variant].start, list(moves), variant


def test_bench_equals_that_on_linux(wine: Wine, kogoma: Path, tmp_path: Path) -> None:
    here = lab_runs.run("bench", folder=tmp_path).stdout
    there = wine.run(kogoma / "kogoma.exe", "bench").stdout
    nodes = re.search(r"Nodes searched.*", here)
    assert nodes is not None and nodes[0] in there, (here, there)


def test_info(wine: Wine, kogoma: Path) -> None:
    done = wine.run(kogoma / "kogoma.exe", "info")
    assert (done.returncode, done.stderr) == (0, "")
    found = sections(done.stdout)
    assert found["Kogoma"] == [__version__, "zip file for Windows: C:\\将棋\\Kogoma 1\\Kogoma\\runtime\\packages"]
    assert found["System"][0].startswith("Windows-") and found["Processor"][-1].startswith("x86-64-v3: ")
    assert "numba: not installed" in found["Packages"] and found["Cache"][0].startswith("~\\")
    assert set(states(done.stdout).values()) == {"prebuilt", "-"}
    assert found["Self-test"][-1].startswith("passed after") and ", correct, " in found["Self-test"][3]


def test_all_variants(engine: UsiClient) -> None:
    """Check that the engine finds a move with the libraries of every board layout."""
    for variant in ("minishogi", "dice", "onitama", "shogi", "generals", "dobutsu"):
        assert engine.answer(f"setoption name USI_Variant value {variant}", "position startpos") == []
        _, move = engine.go("nodes", 2000)
        assert move != "resign"


def test_ponder_and_stop(engine: UsiClient) -> None:
    engine.send("position startpos moves 3e3d")
    engine.send("go ponder btime 10000 wtime 10000 byoyomi 100")
    engine.read_until("info depth")
    assert not any(line.startswith("bestmove") for line in engine.answer())
    engine.send("ponderhit")
    engine.read_until("bestmove ")
    for _ in range(5):
        engine.send("position startpos", "go infinite")
        engine.read_until("info depth 5")
        cost, line = engine.cost("stop")
        assert line.split()[1] in referee.legal_moves(*at("minishogi"))
        assert cost.worked <= PROMPT, cost


def test_two_engines_at_once(engine: UsiClient, wine: Wine, kogoma: Path) -> None:
    with wine.usi(kogoma / "kogoma.exe").ready() as other:
        for client in (engine, other):
            client.send("position startpos", "go infinite")
        for client in (engine, other):
            client.read_until("info depth 4")
            client.send("stop")
            client.read_until("bestmove ")
            assert client.quit() == 0


def test_a_match_with_the_engine_for_linux(wine: Wine, kogoma: Path, tmp_path: Path) -> None:
    wine.script(tmp_path / "windows", kogoma / "kogoma.exe")
    words = ["-engine", "name=windows", f"cmd={tmp_path / 'windows'}", "-engine", "name=linux", "cmd=kogoma"]
    lab_runs.finish(tmp_path, *words, "-each", "nodes=2000", "-games", "2", "-out", "games.jsonl")
    games = lab_runs.read_games(tmp_path / "games.jsonl")
    assert len(games) == 2 and not any(game.get("fault") for game in games)
    assert {game["black"] for game in games} == {"windows", "linux"}


def test_a_game_through_cshogi(wine: Wine, kogoma: Path, tmp_path: Path) -> None:
    """Check that the engine can play a game through cshogi's USI client. The client comes from cshogi's wheel for
    Windows and runs in the Python of the zip file."""
    try:
        package = f"cshogi=={version('cshogi')}"
    except PackageNotFoundError:
        absent("cshogi")
    machine = ["--platform", "win_amd64", "--python-version", "3.11", "--only-binary=:all:", "--no-deps"]
    pip = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", *machine, "-d", str(tmp_path)]
    subprocess.run([*pip, package], check=True)
    [wheel] = tmp_path.glob("cshogi-*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(wine.drive / "cshogi")
    python, program = kogoma / "runtime" / "python.exe", windows_path(wine, kogoma / "kogoma.exe")
    done = wine.run(python, "-c", CSHOGI, "C:\\cshogi", program)
    assert done.returncode == 0, done
    game, played = referee.Game(at("minishogi")[0], "minishogi"), done.stdout.split()
    verdicts = [game.play(move) for move in played]
    assert verdicts and not any(verdicts[:-1])
    assert len(played) == 20 or verdicts[-1] is not None
    assert verdicts[-1] is None or verdicts[-1].reason != "illegal_move", played


def test_closed_pipes(wine: Wine, kogoma: Path) -> None:
    with wine.usi(kogoma / "kogoma.exe").ready() as engine:  # the engine's input ends
        assert engine.process.stdin is not None
        engine.process.stdin.close()
        assert engine.process.wait(PATIENCE) == 0
        assert engine.errors() == ""
    command = wine.command(kogoma / "kogoma.exe")
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=wine.environment, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        while (line := process.stdout.readline()) == b"\n":  # while the engine loads slowly
            pass
        assert line == b"readyok\n"
        process.stdout.close()  # nobody reads the engine's output
        process.stdin.write(b"isready\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == b""


def test_ctrl_c(wine: Wine, kogoma: Path) -> None:
    """Check that Ctrl-C ends the engine without an error message. Wine converts SIGINT to Ctrl-C."""
    with default_interrupt(), wine.usi(kogoma / "kogoma.exe").ready() as engine:
        engine.send("position startpos", "go infinite")
        engine.read_until("info depth")
        engine.process.send_signal(signal.SIGINT)
        engine.process.wait(PATIENCE)
        assert engine.errors() == ""


def windows_path(wine: Wine, path: Path) -> str:
    return "C:\\" + str(path.relative_to(wine.drive)).replace("/", "\\")


def test_a_name_in_any_script(wine: Wine, kogoma: Path) -> None:
    done = wine.run(kogoma / "kogoma.exe", "check", "棋.toml")
    assert done.returncode == 1 and "棋.toml" in done.stderr, done


def test_version_and_icon(wine: Wine, kogoma: Path) -> None:
    for name in (program.name for program in PROGRAMS):
        program, python = kogoma / f"{name}.exe", kogoma / "runtime" / "python.exe"
        texts = [
            wine.run(python, "-c", VERSION, windows_path(wine, program), key).stdout.strip()
            for key in ("ProductVersion", "OriginalFilename")
        ]
        assert texts == [__version__, f"{name}.exe"]
        icon = ROOT / "kogoma" / "web" / "icons" / "icon-192.png"
        assert icon.read_bytes() in program.read_bytes()


def test_the_board(wine: Wine, kogoma: Path) -> None:
    """Check that the server sends the web page and the list of games, that an engine answers, and that Ctrl-C ends the
    server."""

    async def search(talk: Talk) -> Any:
        assert await talk.open() == {"tell": "ready"}
        return await talk.search(nodes=2000)

    with board_server(command=wine.command(kogoma / "kogoma-board.exe"), env=wine.environment) as server:
        assert b"<title>" in server.get("/").body
        until(lambda: json.loads(server.get("/games/index.json").body)["games"])
        games = json.loads(server.get("/games/index.json").body)["games"]
        assert {game["name"] for game in games} == VARIANTS.keys()
        assert server.get(f"/{games[0]['kernels']}").body[:4] == b"\0asm"
        assert server.talk(search)["best"] in referee.legal_moves(*at("minishogi"))
        assert server.end() == 0
        assert len([line for line in server.lines if "still waiting" not in line]) == 2  # a slow machine waits


def test_the_test_of_platforms(wine: Wine, archive: Path) -> None:
    """Check that `.ci/platform`, which the workflows run on Windows, passes with the zip file."""
    done = subprocess.run(
        [sys.executable, ROOT / ".ci" / "platform", archive, *wine.start],
        env=wine.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\nboard: " in done.stdout


def test_incomplete_unpacking(wine: Wine, changed: Path) -> None:
    """Check that an error message names the missing file if a file is missing or too short, if the list of files is
    missing, or if a program was copied without the other files."""
    library = changed / "runtime" / "packages" / "numpy" / "version.pyc"
    content = library.read_bytes()
    library.unlink()
    program = changed / "kogoma.exe"
    one_error(wine.run(program), ["runtime\\packages\\numpy\\version.pyc is missing", "unpack the whole zip file"])
    library.write_bytes(content[:-1])
    one_error(wine.run(program), ["runtime\\packages\\numpy\\version.pyc is missing or incomplete"])
    (changed / "runtime" / "files.txt").unlink()
    one_error(wine.run(program), ["runtime\\files.txt is missing", "unpack"])
    alone = wine.drive / "alone"
    alone.mkdir()
    shutil.copy(changed / "kogoma-board.exe", alone)
    one_error(wine.run(alone / "kogoma-board.exe"), ["files.txt is missing", "unpack"], "kogoma-board")


def test_an_error_in_japanese(wine: Wine, changed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that, if the language is Japanese, error messages on standard error are in Japanese, and error messages in
    `info string` lines are in English. The program kogoma.exe and its Python code must choose the language in the same
    way."""
    monkeypatch.setitem(wine.environment, LANGUAGE, "ja_JP.UTF-8")
    program = changed / "kogoma.exe"
    assert wine.run(program, "nonsense").stderr.startswith("kogoma: コマンド 'nonsense' はありません")
    (changed / "runtime" / "files.txt").unlink()
    done = wine.run(program)
    assert done.returncode == 1 and done.stderr.startswith("kogoma: runtime\\files.txt がないか、不完全です: ")
    assert done.stdout.startswith("info string error: runtime\\files.txt is missing")


def test_a_missing_dll(wine: Wine, changed: Path) -> None:
    for name in ("python311.dll", "vcruntime140.dll", "libffi-8.dll"):
        (changed / "runtime" / name).rename(changed / "away")
        one_error(wine.run(changed / "kogoma.exe"), [f"runtime\\{name} is missing", "unpack"])
        (changed / "away").rename(changed / "runtime" / name)


def test_a_dll_that_windows_cannot_load(wine: Wine, changed: Path) -> None:
    library = changed / "runtime" / "python311.dll"
    size = library.stat().st_size
    library.unlink()
    library.write_bytes(bytes(size))
    one_error(wine.run(changed / "kogoma.exe"), ["runtime\\python311.dll cannot be loaded", "Windows error"])


def test_a_corrupt_library(wine: Wine, changed: Path) -> None:
    for library in (changed / LIBRARIES).glob("rules-64.*"):
        content = bytearray(library.read_bytes())
        content[len(content) // 2] ^= 1
        library.unlink()
        library.write_bytes(content)
    done = wine.run(changed / "kogoma.exe", text="setoption name USI_Variant value minishogi\nisready\n")
    one_error(done, ["rules-64", "is damaged"])


@pytest.mark.parametrize(
    "name", ["files.txt", "python311.zip", "python311.dll", "packages/kogoma/native/prebuilt/rules-64.x86-64-v3.dll"]
)
def test_a_file_that_cannot_be_read(wine: Wine, kogoma: Path, changed: Path, name: str) -> None:
    """Check that an error message names a file if another program, such as a virus scanner, has locked the file, or if
    the user has no permission to read the file."""
    file, script = changed / "runtime" / name, "setoption name USI_Variant value minishogi\nisready\n"
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content)  # a new file, because the old one was a hard link
    command = wine.command(kogoma / "runtime" / "python.exe", "-c", LOCK, windows_path(wine, file))
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=wine.environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == "locked"
        done = wine.run(changed / "kogoma.exe", text=script)
        holder.communicate("")
    one_error(done, [f"{file.name} cannot be read: another program is using it (Windows error 32)"])
    file.chmod(0)
    done = wine.run(changed / "kogoma.exe", text=script)
    one_error(done, [f"{file.name} cannot be read: access is denied (Windows error 5)"])


def test_a_path_that_is_too_long(wine: Wine, kogoma: Path) -> None:
    """Check that a path that is too long gives an error message. The test uses the longest path that works, a path that
    is one character longer, and two much longer paths."""
    longest = int((kogoma / "runtime" / "files.txt").read_text().split()[0])
    possible = 260 - 2 - longest  # a backslash and a zero byte
    for length in (possible, possible + 1, 250, 375):
        above = wine.drive / ("x" * 120)
        folder = copy(kogoma, above / ("y" * (length - len(windows_path(wine, above)) - 3)) / "K")
        assert len(windows_path(wine, folder)) == length
        done = wine.run(windows_path(wine, folder / "kogoma.exe"), text="isready\nquit\n")
        if length == possible:
            # While the engine loads slowly, it sends empty lines.
            assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "readyok", "")
        else:
            one_error(done, [f"the path of Kogoma's folder is too long: it has {length} characters", "C:\\Kogoma"])
        shutil.rmtree(above)


def test_read_only_folders(wine: Wine, changed: Path) -> None:
    """Check that the programs work if their folder and the user's folders are read-only."""
    write = "try: open(__import__('sys').executable + '.new', 'w')\nexcept OSError: print('read-only')"
    with read_only(changed, wine.drive / "users"):
        assert wine.run(changed / "runtime" / "python.exe", "-c", write).stdout.strip() == "read-only"
        done = wine.run(changed / "kogoma.exe", text=f"isready\nposition sfen {MATE}\ngo mate 10000\nquit\n")
        assert (done.returncode, done.stderr) == (0, "") and done.stdout.lstrip().startswith("readyok\n"), done
        with board_server(command=wine.command(changed / "kogoma-board.exe"), env=wine.environment) as server:
            assert b"<title>" in server.get("/").body
            assert server.end() == 0
