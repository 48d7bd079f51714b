"""Who may talk to the server: pages that it has served itself, and with `--host` whoever knows the token.

A browser sends requests for any page that is open in it. So `Host` has to be a name of this server (a foreign name that
leads here is DNS rebinding), and `Origin`, where there is one, the server itself.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

# What every answer says: nothing from elsewhere, no frames, memory shared between threads.
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

BURST, A_SECOND = 200, 100  # messages of a page at once, and in the long run: an arrow key held down
OPEN_THE_ADDRESS = "Open the address that the server printed: it holds the token."


def new_token() -> str:
    """A secret for an address."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Guard:
    """Judges requests by their headers. `host` is what `--host` said, None for loopback alone; then there is a
    `token`."""

    port: int
    host: str | None = None
    token: str | None = None
    names: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        names = set(LOOPBACK)
        if self.host is not None:
            own = socket.gethostname().lower()
            names |= {bracketed(self.host).lower(), own, f"{own}.local"}
        object.__setattr__(self, "names", frozenset(names))

    @property
    def cookie(self) -> str:
        """The name of the cookie that holds the token; cookies do not know ports."""
        return f"kogoma-{self.port}"

    def refusal(self, headers: Mapping[str, str], is_socket: bool) -> str:
        """Why a request is refused, whatever it asks for; "" if it is not."""
        host = headers.get("Host", "").lower()
        if not self._is_own(host):
            return "this server has another name"
        origin = headers.get("Origin")
        if (origin is not None or is_socket) and (origin or "").lower() != f"http://{host}":
            return "this server talks to its own pages alone"
        is_visit = headers.get("Sec-Fetch-Mode") == "navigate" and headers.get("Sec-Fetch-Dest") == "document"
        if headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin") and (is_socket or not is_visit):
            return "this server talks to its own pages alone"
        return ""

    def _is_own(self, host: str) -> bool:
        name, port = host, "80"
        if not host.endswith("]") and ":" in host:
            name, _, port = host.rpartition(":")
        if port != str(self.port):
            return False
        return name in self.names or (self.host is not None and _is_address(name))

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has the cookie, where one is needed."""
        if self.token is None:
            return True
        try:
            found = SimpleCookie(headers.get("Cookie", "")).get(self.cookie)
        except CookieError:
            return False
        return found is not None and self._is_token(found.value)

    def brings_token(self, query: str) -> bool:
        """Whether an address has the token."""
        given = parse_qs(query).get("token", [""])
        return self.token is not None and self._is_token(given[0])

    def _is_token(self, text: str) -> bool:
        return self.token is not None and hmac.compare_digest(text.encode(), self.token.encode())


def bracketed(host: str) -> str:
    """A host as it stands in an address: `[::1]`."""
    return f"[{host}]" if ":" in host else host


def _is_address(name: str) -> bool:
    """Whether it is an IP address: a foreign name would be needed to lead a browser here unnoticed."""
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


class Rate:
    """How many messages a page may still send."""

    def __init__(self) -> None:
        self._left = float(BURST)
        self._at = time.monotonic()

    def spend(self) -> bool:
        """Count a message; False if it is one too many."""
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._at) * A_SECOND)
        self._at = now
        self._left -= 1
        return self._left >= 0
