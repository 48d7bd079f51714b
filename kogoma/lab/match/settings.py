"""The settings of a match, from flags, a TOML file, or the first line of its journal."""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from kogoma.console.arguments import CommandLineError
from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.engines.clock import TimeControl
from kogoma.lab.engines.factory import KOGOMA, PROTOCOLS, make_engine
from kogoma.lab.kifu.formats import ENDINGS
from kogoma.lab.match.flags import Group, Words, override
from kogoma.lab.match.luck import DEPTH as LUCK_DEPTH
from kogoma.lab.match.openings import SHIPPED
from kogoma.lab.match.pgn import PgnOutput
from kogoma.lab.match.play import Adjudication
from kogoma.lab.stats.sprt import MODELS, Sprt
from kogoma.rules.custom.writer import definition_digest
from kogoma.rules.variants import Die, Variant, find

TOURNAMENTS = ("match", "roundrobin", "gauntlet")
ORDERS = ("sequential", "random")
FORMATS = ("epd", "sfen")  # of openings: both have one position per line
NOTATIONS = ("usi", "uci")  # of moves in PGN: fastchess's `uci` means the engines' own notation
USUAL, STANDARD = "minishogi", "standard"  # the variant without -variant, and OpenBench's name of the usual one
UNTIL_DECIDED = 1_000_000  # default number of games of an SPRT
RECORDS = ".jsonl"
MOST_LUCK_DEPTH = 10
# Settings of -resign and -draw, and their names in `Adjudication`.
RESIGN = {"movecount": "moves", "score": "score", "twosided": "twosided"}
DRAW = {"movenumber": "from", "movecount": "moves", "score": "score"}


@dataclass(frozen=True)
class OpeningChoice:
    """Which openings to play: a file (or `shipped`, `start`), the order, the first one (from 1), and the plies of each
    (None: all)."""

    file: str = SHIPPED
    order: str = "random"
    plies: int | None = None
    start: int = 1


@dataclass(frozen=True)
class Settings:
    """The settings of a match. `games` is the number per encounter and round. `repeat` is the number of games per
    opening: 2 (with both colours) or 1. If `noswap` is set, the engine named first always plays Black, and `repeat` is
    1. In a gauntlet, the first `seeds` engines play against all others. `records` is the path of the journal, and
    `exports` are files to write at the end. If `with_pv` is set, the journal has the principal variation of every move.
    `luck_depth` is the depth of the searches that value die rolls (0: none).
    As in cutechess, `-maxmoves` and `-draw` count full moves: one by each side. The fields from `recover` on concern
    only how a match is run, and may change when it is resumed. `processors` are those to which games are bound (None:
    none), and `score_interval` is the number of games after which the score is printed."""

    engines: tuple[EngineSpec, ...]
    variant: Variant
    tournament: str = "match"
    games: int = 2
    rounds: int = 1
    repeat: int = 2
    noswap: bool = False
    seeds: int = 1
    openings: OpeningChoice = OpeningChoice()
    adjudication: Adjudication = field(default_factory=Adjudication)
    sprt: Sprt | None = None
    seed: int = 0
    with_pv: bool = False
    luck_depth: int = 0
    recover: bool = False
    concurrency: int | None = None
    wait_ms: int = 0
    processors: tuple[int, ...] | None = None
    rating_interval: int = 0
    score_interval: int = 1
    lines_only: bool = False
    pgn: PgnOutput | None = None
    records: Path = Path("match.jsonl")
    exports: tuple[Path, ...] = ()
    resume: bool = False
    cluster: str | None = None

    def described(self) -> dict[str, Any]:
        """Return the settings that a journal stores to resume the match. They have the form of a TOML file of flags,
        with the digest of a custom variant added."""
        adjudication, openings, test = self.adjudication, self.openings, self.sprt
        found: dict[str, Any] = {
            "engine": [_described(spec) for spec in self.engines],
            "variant": self.variant.name,
            **definition_digest(self.variant),
            "tournament": self.tournament,
            "games": self.games,
            "rounds": self.rounds,
            "repeat": self.repeat,
            "openings": {"file": openings.file, "order": openings.order, "start": openings.start},
            "srand": self.seed,
        }
        if openings.plies is not None:
            found["openings"]["plies"] = openings.plies
        if adjudication.max_plies:
            found["maxmoves"] = adjudication.max_plies // 2
        if adjudication.resign_moves:
            found["resign"] = {word: getattr(adjudication, f"resign_{name}") for word, name in RESIGN.items()}
        if adjudication.draw_moves:
            found["draw"] = {word: getattr(adjudication, f"draw_{name}") for word, name in DRAW.items()}
            found["draw"]["movenumber"] //= 2
        if test is not None:
            found["sprt"] = {name: value for name, value in asdict(test).items() if name != "luck"}
            if test.luck:
                found["sprt"]["luck"] = "on"
        if self.noswap:
            found["noswap"] = True
        if self.seeds > 1:
            found["seeds"] = self.seeds
        if self.with_pv:
            found["pv"] = True
        if self.variant.die is not Die.NONE and self.luck_depth != LUCK_DEPTH:
            found["luck"] = self.luck_depth
        return found

    def resuming(self) -> str:
        """Return the command line, without the program's name, that resumes the match and writes the same files."""
        words = ["match", "--resume", str(self.records)]
        words += [word for path in self.exports for word in ("-out", str(path))]
        words += self.pgn.words() if self.pgn else []
        return shlex.join(words)


def settings_from(words: Words) -> Settings:
    """Return the settings of the match that these flags describe. Raises CommandLineError if they are invalid."""
    try:
        return _settings(words)
    except ValueError as error:
        raise CommandLineError(str(error)) from None


def _settings(words: Words) -> Settings:
    name = words.get("variant", USUAL)
    variant = find(USUAL if name == STANDARD else name)
    engines = _engines(words.get("engine", []), words.get("each", {}))
    if variant.die is not Die.NONE and (pondering := [spec.name for spec in engines if spec.ponder]):
        raise CommandLineError(f"{pondering[0]}: ponder=on is not possible with a die")
    if "log" in words:
        if "cluster" in words:
            raise CommandLineError("-log cannot be used with -cluster: the engines run on other machines")
        engines = tuple(replace(spec, log=os.path.abspath(words["log"])) for spec in engines)
    tournament = words.get("tournament", "match" if len(engines) == 2 else "roundrobin")
    _check_choice("tournament", tournament, TOURNAMENTS)
    if len(engines) < 2 or (tournament == "match" and len(engines) > 2):
        raise CommandLineError(
            f"a {tournament} needs two engines{' or more' * (tournament != 'match')}, not {len(engines)}"
        )
    test = _sprt(words["sprt"]) if "sprt" in words else None
    if test is not None and len(engines) != 2:
        raise CommandLineError("-sprt needs exactly two engines")
    endless = test is not None and "games" not in words and "rounds" not in words
    noswap = _switch("noswap", words.get("noswap", "false"))
    repeat = _number("repeat", words.get("repeat", "1" if noswap else "2"), 1, 2)
    if noswap and repeat == 2:
        raise CommandLineError("-noswap and -repeat exclude each other: with both, pairs of games would be the same")
    seeds = _number("seeds", words.get("seeds", "1"), 1, len(engines) - 1)
    if seeds > 1 and tournament != "gauntlet":
        raise CommandLineError("-seeds needs -tournament gauntlet")
    has_die = variant.die is not Die.NONE
    luck_depth = _number("luck", words.get("luck", str(LUCK_DEPTH * has_die)), 0, MOST_LUCK_DEPTH)
    tests_luck = test is not None and test.luck
    if (luck_depth or tests_luck) and not has_die:
        raise CommandLineError(f"{variant.name} is played without a die")
    if tests_luck and not luck_depth:
        raise CommandLineError("-sprt luck=on needs the luck of the rolls, which -luck 0 switches off")
    records, exports = _outputs(words.get("out", []))
    resume = words.get("resume")
    if resume not in (None, "true", "false"):
        records = Path(resume)
    pgn = _pgn(words)
    if pgn is not None and pgn.path.resolve() in [path.resolve() for path in (records, *exports)]:
        raise CommandLineError(f"-out and -pgnout name the same file: {pgn.path}")
    return Settings(
        engines,
        variant,
        tournament,
        games=UNTIL_DECIDED if endless else _number("games", words.get("games", "2"), 1),
        rounds=_number("rounds", words.get("rounds", "1"), 1),
        repeat=repeat,
        noswap=noswap,
        seeds=seeds,
        openings=_openings(words.get("openings", {})),
        adjudication=_adjudication(words),
        sprt=test,
        seed=_number("srand", words.get("srand", "0"), 0),
        with_pv=_switch("pv", words.get("pv", "false")),
        luck_depth=luck_depth,
        recover=_switch("recover", words.get("recover", "false")),
        concurrency=_number("concurrency", words["concurrency"], 1, 1000) if "concurrency" in words else None,
        wait_ms=_number("wait", words.get("wait", "0"), 0),
        processors=_processors(words),
        rating_interval=_number("ratinginterval", words.get("ratinginterval", "0"), 0),
        score_interval=_number("scoreinterval", words.get("scoreinterval", "1"), 0),
        lines_only=_switch("testEnv", words.get("testEnv", "false")),
        pgn=pgn,
        records=records,
        exports=exports,
        resume=resume not in (None, "false"),
        cluster=words.get("cluster"),
    )


# ---- Engines ---------------------------------------------------------------------------------------------------------


def _engines(groups: Sequence[Group], each: Group) -> tuple[EngineSpec, ...]:
    found: list[EngineSpec] = []
    names: set[str] = set()
    for number, group in enumerate(groups, 1):
        try:
            spec = _engine(override(each, group))
            if "name" in group and spec.name in names:
                raise CommandLineError(f"two engines are called {spec.name!r}")
            base, copies = spec.name, 1
            while spec.name in names:
                copies += 1
                spec = replace(spec, name=f"{base} {copies}")
            make_engine(spec)  # raises ValueError if the protocol cannot express its limits
        except ValueError as error:
            text = str(error)
            raise CommandLineError(
                text if "name" in group and group["name"] in text else f"engine {number}: {text}"
            ) from None
        names.add(spec.name)
        found.append(spec)
    return tuple(found)


def _engine(group: Group) -> EngineSpec:
    command = (*_split(group.get("cmd", KOGOMA)), *group.get("arg", []))
    if not command:
        raise CommandLineError("cmd= is empty")
    protocol = group.get("proto", "usi")
    _check_choice("proto=", protocol, tuple(PROTOCOLS))
    limits = [group["tc"]] if "tc" in group else []
    limits += [f"{name}={group[name]}" for name in ("st", "first", "nodes", "depth") if name in group]
    name = group.get("name") or ("Kogoma" if command[0] == KOGOMA else Path(command[0]).name)
    if not name.isprintable():
        raise CommandLineError(f"the engine name {name!r} contains unprintable characters")
    restart = group.get("restart", "auto")
    return EngineSpec(
        name,
        command,
        protocol,
        folder=group.get("dir"),
        environment=_named("env.", group),
        options=_named("option.", group),
        check_options=_switch("checkoptions=", group.get("checkoptions", "on")),
        limits=TimeControl.parse(" ".join(limits)),
        time_margin_ms=_number("timemargin=", group.get("timemargin", "0"), 0),
        send=tuple(group["initstr"].replace("\\n", "\n").splitlines()) if "initstr" in group else (),
        ponder=_switch("ponder=", group.get("ponder", "off")),
        restart=None if restart == "auto" else _switch("restart=", restart),
    )


def _split(command: str) -> list[str]:
    """Split a command into arguments. On Windows, backslashes separate folders and do not escape characters."""
    return shlex.split(command.replace("\\", "/") if os.name == "nt" else command)


def _named(prefix: str, group: Group) -> tuple[tuple[str, str], ...]:
    return tuple((key.removeprefix(prefix), value) for key, value in group.items() if key.startswith(prefix))


def _described(spec: EngineSpec) -> dict[str, Any]:
    words = [word if "=" in word else f"tc={word}" for word in str(spec.limits).split() if word != "inf"]
    found: dict[str, Any] = {
        "name": spec.name,
        "cmd": shlex.join(spec.command),
        "proto": spec.protocol,
        "dir": spec.folder,
        **dict(word.split("=") for word in words),
        "timemargin": spec.time_margin_ms or None,
        "ponder": spec.ponder or None,
        "restart": spec.restart,
        "initstr": "\\n".join(spec.send) if spec.send else None,
        "env": dict(spec.environment) or None,
        "option": dict(spec.options) or None,
        "checkoptions": None if spec.check_options else False,
    }
    return {name: value for name, value in found.items() if value is not None}


# ---- The rest --------------------------------------------------------------------------------------------------------


def _openings(group: Group) -> OpeningChoice:
    order = group.get("order", "random")
    _check_choice("order=", order, ORDERS)
    _check_choice("format=", group.get("format", FORMATS[0]), FORMATS)
    plies = _number("plies=", group["plies"], 0) if "plies" in group else None
    return OpeningChoice(group.get("file", SHIPPED), order, plies, _number("start=", group.get("start", "1"), 1))


def _adjudication(words: Words) -> Adjudication:
    resign, draw = words.get("resign"), words.get("draw")
    found = Adjudication(max_plies=2 * _number("maxmoves", words.get("maxmoves", "0"), 0))
    if resign is not None:
        found = replace(
            found,
            resign_moves=_number("movecount=", resign.get("movecount", "3"), 1),
            resign_score=_number("score=", resign.get("score", ""), 0),
            resign_twosided=_switch("twosided=", resign.get("twosided", "false")),
        )
    if draw is not None:
        found = replace(
            found,
            draw_from=2 * _number("movenumber=", draw.get("movenumber", "0"), 0),
            draw_moves=_number("movecount=", draw.get("movecount", ""), 1),
            draw_score=_number("score=", draw.get("score", ""), 0),
        )
    return found


def _sprt(group: Group) -> Sprt:
    if missing := [name for name in ("elo0", "elo1") if name not in group]:
        raise CommandLineError(f"-sprt needs {missing[0]}=")
    numbers = {name: _decimal(f"{name}=", value) for name, value in group.items() if name not in ("model", "luck")}
    return replace(
        Sprt(numbers["elo0"], numbers["elo1"]),
        **numbers,
        model=group.get("model", MODELS[0]),
        luck=_switch("luck=", group.get("luck", "off")),
    )


def _pgn(words: Words) -> PgnOutput | None:
    if "pgnout" not in words:
        return None
    group = words["pgnout"]
    if not group.get("file"):
        raise CommandLineError("-pgnout needs a file")
    _check_choice("notation=", group.get("notation", NOTATIONS[0]), NOTATIONS)
    brief, nodes = (_switch(f"{name}=", group.get(name, "false")) for name in ("min", "nodes"))
    return PgnOutput(Path(group["file"]), words.get("event", "?"), words.get("site", "?"), brief, nodes)


def _processors(words: Words) -> tuple[int, ...] | None:
    """Return the processors to which games are bound (`-use-affinity`), or None if they are not to be bound."""
    text = words.get("use-affinity", "false")
    if text == "false":
        return None
    if sys.platform != "linux" or "cluster" in words:
        raise CommandLineError("-use-affinity is possible only on Linux, without -cluster")
    there = sorted(os.sched_getaffinity(0))
    if text in ("all", "true"):
        return tuple(there)
    if not re.fullmatch(r"[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*", text):
        raise CommandLineError(f"-use-affinity needs processors like 0-3,6, not {text[:40]!r}")
    chosen: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen |= set(range(int(first), int(last or first) + 1))
    if not chosen or not chosen <= set(there):
        raise CommandLineError(f"-use-affinity {text[:40]}: the processors are {', '.join(map(str, there))}")
    return tuple(sorted(chosen))


def _outputs(paths: Sequence[str]) -> tuple[Path, tuple[Path, ...]]:
    """Return the path of the journal and the paths of the other files to write. `paths` are the values of `-out`."""
    found = [Path(path) for path in paths]
    if odd := [path for path in found if path.suffix not in (RECORDS, *ENDINGS)]:
        if odd[0].is_dir():
            raise CommandLineError(f"-out {odd[0]}: it is a folder")
        raise CommandLineError(f"-out {odd[0]}: the extension must be one of {', '.join((RECORDS, *ENDINGS))}")
    records = [path for path in found if path.suffix == RECORDS]
    exports = tuple(path for path in found if path.suffix != RECORDS)
    if len(records) > 1:
        raise CommandLineError(f"-out: only one match journal can be written: {records[0]}, {records[1]}")
    if exports and not records:
        records = [exports[0].with_suffix(RECORDS)]
    return records[0] if records else _unused_name(time.strftime("match-%Y%m%d-%H%M%S")), exports


def _unused_name(stem: str) -> Path:
    """Return a path for a journal that does not exist yet, even if other matches were started in the same second."""
    path, number = Path(f"{stem}{RECORDS}"), 1
    while path.exists():
        number += 1
        path = Path(f"{stem}-{number}{RECORDS}")
    return path


def _number(name: str, text: str, least: int, most: int = 10**12) -> int:
    if not re.fullmatch(r"[0-9]{1,13}", text) or not least <= int(text) <= most:
        bounds = f"from {least} to {most}" if most < 10**12 else f"from {least} on"
        raise CommandLineError(f"{_flag_name(name)} needs a whole number {bounds}, not {text[:40]!r}")
    return int(text)


def _decimal(name: str, text: str) -> float:
    if not re.fullmatch(r"[+-]?[0-9]{1,9}(\.[0-9]{1,9})?", text):
        raise CommandLineError(f"{_flag_name(name)} needs a number, not {text[:40]!r}")
    return float(text)


def _switch(name: str, text: str) -> bool:
    if text not in ("true", "on", "false", "off"):
        raise CommandLineError(f"{_flag_name(name)} must be on or off, not {text[:40]!r}")
    return text in ("true", "on")


def _check_choice(name: str, text: str, known: Sequence[str]) -> None:
    if text not in known:
        raise CommandLineError(f"{_flag_name(name)}: unknown {text[:40]!r}; known: {', '.join(known)}")


def _flag_name(name: str) -> str:
    return name if name.endswith("=") else f"-{name}"
