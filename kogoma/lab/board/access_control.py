"""Access control of the local server: it accepts its own pages only, and requires a token.

Every account of the machine can connect to a port of 127.0.0.1, so the address that the server prints contains a token,
which the browser then keeps as a cookie. Any page that is open in a browser can send requests, with this cookie. So
`Host` must be a name of this server, which prevents DNS rebinding, and `Origin`, if sent, must be the server itself.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

# Headers of all responses. They forbid foreign content and frames, and isolate the page from other origins, which
# browsers require for memory that threads share.
CSP = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:;"
    " worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Server": "Kogoma",
}

BURST, PER_SECOND = 200, 100  # a page's messages: most in a burst, and per second; a held arrow key sends fewer
OPEN_THE_ADDRESS = "Open the whole address that the server printed: it contains the token."
# The page at "/" for a browser without the token.
NO_TOKEN = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Kogoma</title>
<h1>Kogoma: the token is missing</h1>
<p>Open the whole address that <code>board</code> printed when it started: it ends with <code>?token=...</code>, and
this browser then remembers the token. Other accounts of the computer, which do not know the token, cannot use the
engines. Every start makes a new token.</p>
<h2 lang="ja">トークンがありません</h2>
<p lang="ja"><code>board</code> が起動時に表示した、<code>?token=...</code> で終わるアドレスを開いてください。
トークンはこのブラウザーに保存されます。トークンを知らないほかのユーザーは、エンジンを使えません。
トークンは起動のたびに変わります。</p>
</html>
"""


@dataclass(frozen=True)
class Guard:
    """Accepts or refuses requests by their headers. `host` is the argument of `--host`, or None for loopback only."""

    port: int
    token: str
    host: str | None = None
    names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        names = set(LOOPBACK)
        if self.host is not None:
            hostname = socket.gethostname().lower()
            names |= {bracketed(self.host).lower(), hostname, f"{hostname}.local"}
        object.__setattr__(self, "names", frozenset(names))

    @property
    def cookie(self) -> str:
        """The name of the cookie that holds the token. It includes the port, because browsers share cookies between
        ports."""
        return f"kogoma-{self.port}"

    def refusal(self, headers: Mapping[str, str], is_socket: bool) -> str:
        """Return why a request is refused, or "" if it is accepted. `is_socket` is true for WebSocket requests."""
        host = headers.get("Host", "").lower()
        if not self._is_own(host):
            return "the Host header is not a name of this server"
        origin = headers.get("Origin")
        if (origin is not None or is_socket) and (origin or "").lower() != f"http://{host}":
            return "this server accepts requests from its own pages only"
        is_visit = headers.get("Sec-Fetch-Mode") == "navigate" and headers.get("Sec-Fetch-Dest") == "document"
        if headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin") and (is_socket or not is_visit):
            return "this server accepts requests from its own pages only"
        return ""

    def _is_own(self, host: str) -> bool:
        name, port = host, "80"
        if not host.endswith("]") and ":" in host:
            name, _, port = host.rpartition(":")
        if port != str(self.port):
            return False
        return name in self.names or (self.host is not None and _is_address(name))

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Return whether a request's cookie has the token."""
        try:
            found = SimpleCookie(headers.get("Cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return found is not None and self._is_token(found.value)

    def query_has_token(self, query: str) -> bool:
        """Return whether the query part of an address contains the token."""
        given = parse_qs(query).get("token", [""])
        return self._is_token(given[0])

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(errors="replace"), self.token.encode())


def bracketed(host: str) -> str:
    """Return a host as it is written in a URL: an IPv6 address in brackets, for example `[::1]`."""
    return f"[{host}]" if ":" in host else host


def _is_address(name: str) -> bool:
    """Return whether a host is an IP address. Such hosts are safe from DNS rebinding, which needs a host name."""
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


class RateLimit:
    """A token bucket that limits the messages of a page."""

    def __init__(self) -> None:
        self._left = float(BURST)
        self._at = time.monotonic()

    def spend(self) -> bool:
        """Count one message and return whether the rate limit allows it."""
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._at) * PER_SECOND)
        self._at = now
        self._left -= 1
        return self._left >= 0
