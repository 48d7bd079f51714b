"""Requests that the local server refuses: pages, host names, paths and messages that are not those of its own page."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import resource
import shlex
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import aiohttp
import pytest

from kogoma.rules.variants import VARIANTS
from support import lab_records, scope
from support.accounts import as_another_account
from support.browsers.board_server import COMMAND, BoardServer, Talk, board_server
from support.usi_client import PATIENCE, ROOT, until

pytestmark = pytest.mark.slow

SECRETS = (b"[metadata]", b"root:", b"import ")
POLICY, TOO_BIG = 1008, 1009
BOT = ROOT / "tests" / "support" / "bots" / "scripted.py"


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("board") / "match.jsonl"
    lab_records.write(path, 4, [VARIANTS["minishogi"], VARIANTS["dice"]])
    return path


@pytest.fixture(scope="module")
def server(records: Path) -> Iterator[BoardServer]:
    with board_server(str(records), "--engine", f"quick={shlex.join([sys.executable, '-S', str(BOT)])} usi") as found:
        yield found


def test_every_response_has_headers_that_isolate_the_page(server: BoardServer) -> None:
    for path in ("/", "/games/index.json", "/matches/0", "/nothing", "/socket"):
        headers = server.get(path).headers
        assert headers["cross-origin-opener-policy"] == "same-origin", path
        assert headers["cross-origin-embedder-policy"] == "require-corp", path
        assert headers["cross-origin-resource-policy"] == "same-origin", path
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["referrer-policy"] == "no-referrer", path
        policy = headers["content-security-policy"]
        assert (
            "default-src 'self'" in policy
            and "unsafe-inline" not in policy
            and "unsafe-eval'" not in policy.replace("'wasm-unsafe-eval'", "")
        )
        assert "Python" not in headers["server"] and "access-control-allow-origin" not in headers


def test_files_have_types_and_are_compressed(server: BoardServer) -> None:
    for path, kind in (
        ("/", "text/html"),
        ("/page/main.js", "text/javascript"),
        ("/style.css", "text/css"),
        ("/manifest.webmanifest", "application/manifest+json"),
        ("/icons/icon.svg", "image/svg+xml"),
        ("/games/index.json", "application/json"),
    ):
        plain, small = server.get(path), server.get(path, {"Accept-Encoding": "gzip, br"})
        assert plain.status == 200 and plain.headers["content-type"].startswith(kind), path
        assert len(small.body) < len(plain.body) or len(plain.body) < 500, path
        again = server.get(path, {"If-None-Match": plain.headers["etag"]})
        assert again.status in (304, 200 if "index.json" in path else 304), path


def test_foreign_pages_and_names_are_refused(server: BoardServer) -> None:
    port = server.port
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{port}",
                 f"127.0.0.2:{port}", "", f"[::1]:{port + 1}", f"localhost:{port}@evil.example"):  # fmt: skip
        for path in ("/", "/games/index.json", "/matches/0"):
            assert server.get(path, {"Host": host}).status in (400, 403), (host, path)
    own = f"http://127.0.0.1:{port}"
    for origin in ("http://evil.example", "null", "", "http://127.0.0.1:1", f"https://127.0.0.1:{port}",
                   f"http://localhost:{port}", f"{own}.evil.example", f"{own}@evil.example"):  # fmt: skip
        assert server.get("/games/index.json", {"Origin": origin}).status == 403, origin
    for site in ("cross-site", "same-site"):
        fetched = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
        assert server.get("/matches/0", fetched).status == 403
        framed = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        assert server.get("/", framed).status == 403
        visited = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        assert server.get("/", visited).status == 200
    assert server.get("/", {"Origin": own}).status == 200
    assert server.get("/", {"Host": f"localhost:{port}"}).status == 200


def test_a_foreign_page_gets_no_socket(server: BoardServer) -> None:
    async def status(headers: dict[str, str]) -> int:
        async with aiohttp.ClientSession() as session:
            try:
                async with session.ws_connect(f"{server.origin}/socket", headers=headers):
                    return 101
            except aiohttp.WSServerHandshakeError as error:
                return error.status

    async def all_of_them() -> list[int]:
        own = server.origin
        return [await status({"Cookie": server.cookie, **headers}) for headers in (
            {}, {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": f"http://localhost:{server.port}"},
            {"Origin": own, "Host": "evil.example"},
            {"Origin": f"http://evil.example:{server.port}", "Host": f"evil.example:{server.port}"},
            {"Origin": own, "Sec-Fetch-Site": "cross-site"}, {"Origin": own},
        )]  # fmt: skip

    assert asyncio.run(all_of_them()) == [403] * 7 + [101]


def test_no_path_leads_out_of_the_site(server: BoardServer) -> None:
    for path in ("/../setup.cfg", "/page/../../setup.cfg", "/%2e%2e/setup.cfg", "/..%2fsetup.cfg",
                 "/page/..%2f..%2fsetup.cfg",
                 "/%2e%2e%2f%2e%2e%2fetc/passwd", "//etc/passwd", "/etc/passwd", "/%2fetc%2fpasswd", "/..\\setup.cfg",
                 "/page/main.js%00.html", "/%00", "/index.html/", "/page/", "/page", "/site.py", "/__init__.py",
                 "/engine/package.json", "/matches/1", "/matches/-1", "/matches/00", "/matches/%30", "/matches/0/../0",
                 "/matches/../matches/0", "/matches/" + "9" * 5000, "/games/../games/index.json", "/%",
                 "http://evil.example/", "file:///etc/passwd", "*", "/" + "a" * 60_000):  # fmt: skip
        answer = server.get(path)
        assert answer.status in (400, 403, 404, 414), path[:60]
        assert not any(secret in answer.body for secret in SECRETS), path[:60]
    host = f"Host: {server.host}\r\nConnection: close\r\n\r\n".encode()
    for line in (b"GET /\0 HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: evil.example\r\n", b"\0\xff\r\n", b"GET\r\n"):
        assert b" 200 " not in server.raw(line + host).split(b"\r\n")[0]


def test_only_messages_can_be_sent(server: BoardServer) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "FOO"):
        assert server.get("/", method=method).status in (400, 405), method
    head = f"POST / HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\nContent-Length: 10000000\r\n\r\n"
    assert b" 405 " in server.raw(head.encode() + bytes(10_000_000)).split(b"\r\n")[0]
    assert server.get("/").status == 200


def malformed(host: str, cookie: str, chance: random.Random) -> Iterator[bytes]:
    """Yield requests that violate HTTP, and some that are incomplete."""
    own = f"Host: {host}\r\nCookie: {cookie}\r\n".encode()
    get, post = b"GET / HTTP/1.1\r\n" + own, b"POST / HTTP/1.1\r\n" + own
    chunked = b"Transfer-Encoding: chunked\r\n\r\n"
    socket_ = (
        b"GET /socket HTTP/1.1\r\n" + own + f"Origin: http://{host}\r\n".encode() + b"Connection: Upgrade\r\n"
        b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    )
    key = b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    yield from (
        b"",
        b"\0",
        b"\n" * 100,
        b"\r\n\r\n",
        b"GET",
        b"GET /",
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01" * 99,
    )
    for version in (
        b"HTTP/9.9",
        b"HTTP/0.9",
        b"HTTP/1",
        b"HTTP/",
        b"HTTP/1.1.1",
        b"HTTP/-1.1",
        b"FTP/1.1",
        b"",
        b"HTTP/2.0",
    ):
        yield b"GET / " + version + b"\r\n" + own + b"\r\n"
    for target in (b"http://[::1", b"//", b"?", b"\xff\xfe", b"http://", b"/%zz\0", b"/" + b"a" * 100_000, b"http://a:b:c/",
                   b"http://h:99999/"):  # fmt: skip
        yield b"GET " + target + b" HTTP/1.1\r\n" + own + b"\r\n"
        yield b"CONNECT " + target + b" HTTP/1.1\r\n" + own + b"\r\n"
    headers = (
        b"no colon", b": empty", b"A B: c", b"X: " + b"y" * 200_000, b"X: a\0b", b"X\xff: \xff", b"Host: x", b" x",
        b"Content-Length: -1", b"Content-Length: x", b"Content-Length: 5\r\nContent-Length: 6",
        b"Content-Length: " + b"9" * 500, b"Expect: more", b"Expect: 100-continue", b"Upgrade: h2c",
        b"Transfer-Encoding: x", b"Transfer-Encoding: chunked\r\nContent-Length: 4", b"Cookie: \x01=; ;",
        b"Cookie: kogoma-%s=\xff" % host.rpartition(":")[2].encode(), b"Sec-WebSocket-Key: \xff",
        b"Content-Encoding: gzip", b"\r".join(b"A%d: b" % n for n in range(9)),
        b"\r\n".join(b"A%d: b" % n for n in range(20_000)),
    )  # fmt: skip
    for header in headers:
        for head in (get, post, socket_):
            yield head + header + b"\r\n\r\n"
            yield head + header + b"\r\n\r\nabcd"
    bodies = (
        b"zz\r\n", b"-5\r\nabcde\r\n", b"5\r\nabc", b"5\r\nabcdefgh\r\n", b"f" * 100 + b"\r\n", b"5;" + b"x" * 99_999,
        b"0\r\nbad trailer\r\n\r\n", b"\r\n\r\n", b"5\nabcde\n0\n\n",
    )  # fmt: skip
    for body in bodies:
        yield get + chunked + body
        yield post + chunked + body
        yield post + b"Content-Encoding: deflate\r\n" + chunked + body
    yield get + b"\r\n" + get + b"\r\n" + b"garbage\xff\r\n\r\n"
    for frames in (
        b"\xff" * 50,
        b"\x81\x7f" + b"\xff" * 8,
        b"\x81\x05hello",
        b"\x88\x01",
        b"\xc1\x80\0\0\0\0",
        b"\x81",
        b"garbage\r\n" * 99,
    ):
        yield socket_ + key + frames
        yield socket_ + b"\r\n" + frames
    whole = (get + b"\r\n", post + chunked + b"5\r\nabcde\r\n0\r\n\r\n", socket_ + key)
    for _ in range(scope.count(600, 100)):
        damaged = bytearray(chance.choice(whole))
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(damaged))
            damaged[at : at + chance.choice((0, 1, 3))] = chance.randbytes(chance.choice((0, 1, 2)))
        yield bytes(damaged)


def test_no_request_prints_anything(records: Path, seed: int) -> None:
    """Check that malformed and incomplete requests make the server print nothing, in particular no traceback. After a
    request, some clients stop sending, and others reset or close the connection."""
    chance = random.Random(seed)
    with board_server(str(records)) as server:
        for request in malformed(server.host, server.cookie, chance):
            with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
                with contextlib.suppress(ConnectionError):
                    connection.sendall(request)
                end = chance.choice(("half", "reset", "close"))
                if end == "half":
                    connection.settimeout(0.02)
                    with contextlib.suppress(OSError):
                        connection.shutdown(socket.SHUT_WR)
                        while connection.recv(1 << 16):
                            pass
                elif end == "reset":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        until(lambda: server.get("/").status == 200)
        assert server.end() == 0
        printed = "".join(server.lines)
        assert printed.startswith("The board: ") and "\nCtrl-C ends it.\n" in printed
        usual = ("The board: ", "Ctrl-C ", "compil", "another Kogoma compiles ")
        assert [line for line in printed.splitlines() if not line.startswith(usual)] == []


def test_a_malformed_body_after_the_answer_prints_nothing(records: Path) -> None:
    """Check that the server prints nothing if the body of a request arrives after the answer and cannot be decoded."""
    with board_server(str(records)) as server:
        head = f"POST / HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\nContent-Encoding: deflate\r\n"
        for rest in ("Transfer-Encoding: chunked\r\n\r\n", "Content-Length: 9\r\n\r\n"):
            for body in (b"zz\r\n", b"5\r\nabcde\r\n0\r\n\r\n", b"not deflate"):
                with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
                    connection.sendall((head + rest).encode())
                    assert connection.recv(1 << 16).startswith(b"HTTP/1.1 4")
                    with contextlib.suppress(ConnectionError):
                        connection.sendall(body)
                        connection.settimeout(0.2)
                        with contextlib.suppress(OSError):
                            while connection.recv(1 << 16):
                                pass
        assert server.end() == 0
        assert not [line for line in server.lines if line.startswith("board: ")], server.lines


RUBBISH: tuple[Any, ...] = (
    "", "x", "[]", "1", "null", "[" * 30_000, '{"do": "open"', "9" * 60_000, {}, {"do": 1},
    {"do": "exec", "command": "ls"},
    {"do": "open"}, {"do": "open", "engine": "/bin/sh", "variant": "minishogi"},
    {"do": "open", "engine": ["kogoma"], "variant": "minishogi"}, {"do": "open", "engine": "kogoma", "variant": "../x"},
    {"do": "open", "engine": "kogoma", "variant": "minishogi", "command": "sh"},
    {"do": "open", "engine": "kogoma", "variant": "minishogi", "threads": 10**9},
    {"do": "open", "engine": "kogoma", "variant": "minishogi", "hashMb": "16\nquit"},
    {"do": "search", "id": 1, "start": "", "moves": [], "limits": {}, "options": {}},
    {"do": "newGame"}, b"\0\1",
)  # fmt: skip

# SEARCH is a valid message. Each change in WRONG makes it invalid. The messages are sent after an engine was opened.
SEARCH = {"do": "search", "id": 1, "start": "", "moves": [], "limits": {"nodes": 10}, "options": {}}
WRONG: tuple[dict[str, Any], ...] = (
    {"id": "1"}, {"id": -1}, {"id": True}, {"id": 1.5}, {"start": 1}, {"start": "x" * 1000},
    {"start": "startpos\nquit"},
    {"moves": "3e3d"}, {"moves": ["3e3d\nquit"]}, {"moves": ["3e3d quit"]}, {"moves": [1]}, {"moves": ["3e3d"] * 5000},
    {"limits": []}, {"limits": {"nodes": "1"}}, {"limits": {"nodes": 0}}, {"limits": {"nodes": 10**13}},
    {"limits": {"nodes": 1e3}}, {"limits": {"ponder": True}}, {"limits": {"infinite": 1}}, {"limits": {"mate": 5}},
    {"limits": {"depth": 1001}}, {"limits": {"dice": 7}}, {"limits": {"searchmoves": ["a\nb"]}},
    {"options": {"multipv": 0}}, {"options": {"multipv": 10**6}}, {"options": {"USI_Hash": 1}},
    {"options": {"multipv": [1]}}, {"more": 1},
)  # fmt: skip


def test_invalid_messages_end_the_connection(server: BoardServer) -> None:
    async def closed(message: Any, opened: bool) -> int | None:
        async with server.socket() as talk:
            if opened:
                assert await talk.open("quick") == {"tell": "ready"}
            if isinstance(message, bytes):
                await talk.connection.send_bytes(message)
            else:
                await talk.connection.send_str(message if isinstance(message, str) else json.dumps(message))
            code: int | None = (await asyncio.wait_for(talk.hear(), PATIENCE)).get("closed")
            return code

    async def all_of_them() -> list[tuple[Any, int | None]]:
        found = [(message, await closed(message, False)) for message in RUBBISH]
        return found + [(wrong, await closed({**SEARCH, **wrong}, True)) for wrong in WRONG]

    assert [(str(what)[:80], code) for what, code in asyncio.run(all_of_them()) if code != POLICY] == []
    assert server.get("/").status == 200


def test_large_and_many_messages_end_the_connection(server: BoardServer) -> None:
    async def large(talk: Talk) -> Any:
        try:
            await talk.connection.send_str("x" * 10_000_000)
        except ConnectionError:
            pass
        return (await talk.hear())["closed"]

    async def many(talk: Talk) -> Any:
        assert await talk.open("quick") == {"tell": "ready"}
        try:
            for _ in range(1000):
                await talk.say(do="stop")
        except ConnectionError:
            pass
        return (await talk.hear())["closed"]

    assert server.talk(large) in (TOO_BIG, 1006)
    assert server.talk(many) in (POLICY, 1006)

    async def still(talk: Talk) -> Any:
        assert await talk.open("quick") == {"tell": "ready"}
        return await talk.search(nodes=100)

    assert server.talk(still)["tell"] == "result"


@pytest.mark.parametrize("host", [[], ["--host", "0.0.0.0"]], ids=["loopback", "network"])
def test_a_token_is_needed(records: Path, host: list[str]) -> None:
    with board_server(*host, str(records)) as server:
        token = server.address.partition("?token=")[2]
        assert len(token) >= 32
        for path in ("/", "/games/index.json", "/matches/0", "/socket", "/?token=", "/?token=x",
                     f"/page/main.js?token={token}",
                     f"/?token={token[:-1]}", f"/?token={token.swapcase()}", "/?token=%ff%00"):  # fmt: skip
            refused = server.get(path, {"Origin": server.origin, "Cookie": None})
            assert refused.status == 403 and token.encode() not in refused.body, path
            assert b"Open the whole address that" in refused.body, path
        given = server.get(f"/?token={token}", {"Cookie": None})
        assert (given.status, given.headers["location"]) == (303, "/")
        cookie, *flags = given.headers["set-cookie"].split("; ")
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(flags)
        name = cookie.partition("=")[0]
        for wrong in ("x", f"{name}=x", f"{name}=", f"other={token}", f'{name}="{token[:-2]}"'):
            assert server.get("/", {"Cookie": wrong}).status == 403, wrong
        known = {"Cookie": cookie}
        assert server.get("/", known).status == server.get("/matches/0", known).status == 200
        # An IP address is accepted as the host if other machines may connect. A host name is not accepted,
        # because a foreign site could direct its name to this server.
        assert server.get("/", {**known, "Host": f"192.168.1.5:{server.port}"}).status == (200 if host else 403)
        assert server.get("/", {**known, "Host": f"evil.example:{server.port}"}).status == 403
        assert server.get("/", {**known, "Origin": "http://evil.example"}).status == 403

        async def sockets() -> list[int]:
            found = []
            async with aiohttp.ClientSession() as session:
                for sent in ({}, known, {**known, "Origin": "http://evil.example"}):
                    try:
                        headers = {"Origin": server.origin, **sent}
                        async with session.ws_connect(f"{server.origin}/socket", headers=headers):
                            found.append(101)
                    except aiohttp.WSServerHandshakeError as error:
                        found.append(error.status)
            return found

        assert asyncio.run(sockets()) == [403, 101, 403]
        assert server.end(signal.SIGTERM) == 0


def conversation(port: int, request: str) -> bytes:
    """Send a request to a server on this machine, and return all that the server sends before it closes the
    connection."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.sendall(request.encode())
        connection.settimeout(PATIENCE)
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def readable(what: str) -> dict[str, bytes]:
    """Return a dictionary from the path /proc/PID/`what` of each process to the contents of this file. Files that this
    account cannot read are left out."""
    found = {}
    for path in Path("/proc").glob(f"[0-9]*/{what}"):
        with contextlib.suppress(OSError):
            found[str(path)] = path.read_bytes()
    return found


def test_other_accounts_can_use_no_engine(records: Path, tmp_path: Path) -> None:
    """Check that another account of the machine can connect to the server, but cannot find the token. The token is
    neither in the server's answers nor in the files in /proc that this account can read. The account also cannot read
    the temporary file that contains the token."""
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(
        f'#!/bin/sh\nexec >{opened}.new 2>&1\nprintf %s "$1"\nmv {opened}.new {opened}\n'
        f"while [ -e {opened} ]; do sleep 0.1; done\n"
    )
    browser.chmod(0o755)
    with board_server(str(records), opens=True, env={"BROWSER": f"{browser} %s"}) as server:
        until(opened.exists)
        port, token, origin = server.port, server.token.encode(), server.origin
        file = Path(url2pathname(urlsplit(opened.read_text()).path))

        def stranger() -> tuple[list[bytes], list[str], bool]:
            head = f"Host: 127.0.0.1:{port}\r\nOrigin: {origin}\r\n"
            upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            answers = [
                conversation(port, f"GET {path} HTTP/1.1\r\n{head}Connection: close\r\n\r\n")
                for path in ("/", "/games/index.json", "/matches/0", "/page/main.js")
            ]
            answers.append(conversation(port, f"GET /socket HTTP/1.0\r\n{head}{upgrade}{key}\r\n"))
            contents = {**readable("cmdline"), **readable("environ")}
            told = [name for name, content in contents.items() if token in content]
            return answers, told, os.access(file, os.R_OK)

        answers, told, can_read = as_another_account(stranger)
        assert [answer.split(b" ", 2)[1] for answer in answers] == [b"403"] * 5
        assert not any(token in answer for answer in answers)
        assert told == [] and not can_read
        opened.unlink()
        # The owner's browser gets the address from this file, which the server deletes when it ends.
        assert server.address in file.read_text()
        server.end()
        assert not file.exists()


def test_idle_connections_do_not_delay_a_player(records: Path) -> None:
    """Check that the server answers a player although 1,100 idle connections are open. The server starts with a limit
    of only 256 file descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 1300:
        pytest.skip("needs 1,300 file descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))  # the server inherits this limit
    try:
        context = board_server("--host", "0.0.0.0", str(records))
        server = context.__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1300), hard))
    idle: list[socket.socket] = []
    try:
        for number in range(1100):
            idle.append(socket.create_connection(("127.0.0.1", server.port), PATIENCE))
            if number % 2:
                idle[-1].sendall(b"GET / HT")
            if number % 100 == 99:
                assert server.get("/").status == 200
        assert sum(map(len, server.lines)) < 4000, "the server logs too much"
    finally:
        for each in idle:
            each.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        context.__exit__(None, None, None)


@pytest.mark.long
def test_impossible_settings_give_a_one_line_error(tmp_path: Path, records: Path, server: BoardServer) -> None:
    (tmp_path / "rubbish").write_text("no records\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        cases = (
            ([f"--port={taken.getsockname()[1]}"], "--port 0 for any free one"),
            ([f"--port={server.port}"], "--port 0 for any free one"),
            (["--port=x"], "--port"),
            (["--port=65536"], "--port"),
            (["--host=no.such.host.invalid"], "cannot resolve no.such.host.invalid"),
            (["--host=192.0.2.1"], "192.0.2.1"),
            (["--engine=no-such-program"], "there is no program no-such-program"),
            (["--engine='"], "--engine"),
            (["--engine=A=sh", "--engine=A=sh"], "two engines are called 'A'"),
            (["--engine=kogoma=sh"], "two engines are called 'kogoma'"),
            ([str(tmp_path / "nothing.jsonl")], "nothing.jsonl"),
            ([str(tmp_path / "rubbish")], "contains no records"),
        )
        begun = [
            subprocess.Popen(
                [*COMMAND, "--no-open", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for words, _ in cases
        ]
        for process, (words, expected) in zip(begun, cases):
            out, errors = process.communicate(timeout=PATIENCE)
            assert process.returncode in (1, 2) and expected in errors and "Traceback" not in errors, (words, errors)
            assert len(errors.strip().splitlines()) <= 2 and out == "", words


def test_a_match_is_requested_by_its_number(server: BoardServer, records: Path) -> None:
    told = json.loads(server.get("/games/index.json").body)["server"]
    assert (told["engines"], told["matches"]) == (["kogoma", "quick"], [records.name])
    assert str(records.parent) not in json.dumps(told)
    match = json.loads(server.get("/matches/0").body)
    assert match["of"] == len(match["games"]) == 4
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    for game, record in zip(match["games"], (line for line in lines if "moves" in line)):
        assert game["moves"] == record["book"] + record["moves"] and game["book"] == len(record["book"])
        assert [game[name] for name in ("number", "variant", "start", "winner")] == [
            record[name] for name in ("game", "variant", "start", "winner")
        ]
