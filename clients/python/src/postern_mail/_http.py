"""Shared by the blocking and the async client: options and errors of httpx, and a bound for each answer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from ._steps import Cut, NotReached, Request
from ._wire import Server

if TYPE_CHECKING:
    import httpx

CONNECT_S = 10.0
#: How many idle connections are kept open, and for how many seconds. The server closes those that are idle for longer.
KEPT = 100
KEPT_S = 5.0


def make_options(server: Server) -> dict[str, Any]:
    """Returns the options of httpx clients. Each wait holds a connection, so their number has no bound here."""
    import httpx

    from . import __version__

    headers = {"Accept": "application/json, */*;q=0.5", "User-Agent": f"postern-python/{__version__}"}
    if server.api_key is not None:
        headers["Authorization"] = f"Bearer {server.api_key}"
    return {
        "headers": headers,
        "follow_redirects": False,
        "trust_env": not server.is_local,
        # Loading all root certificates takes longer than most waits, and redirects are not followed.
        "verify": server.url.startswith("https:"),
        "limits": httpx.Limits(max_connections=None, max_keepalive_connections=KEPT, keepalive_expiry=KEPT_S),
    }


def make_request(server: Server, request: Request) -> dict[str, Any]:
    """Returns the arguments of build_request."""
    import httpx

    return {
        "method": request.method,
        "url": server.url + request.path,
        "params": request.query or None,
        "headers": dict(request.headers),
        "content": request.body,
        "timeout": httpx.Timeout(request.silence_s, connect=min(CONNECT_S, request.silence_s), pool=None),
    }


def read_headers(response: httpx.Response) -> Mapping[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


class Reading:
    """Collects the body of an answer as it arrives."""

    def __init__(self, request: Request) -> None:
        self._ends = time.monotonic() + request.whole_s
        self._parts: list[bytes] = []

    def take(self, part: bytes) -> None:
        if time.monotonic() > self._ends:
            raise Cut("the answer took too long")
        self._parts.append(part)

    @property
    def body(self) -> bytes:
        return b"".join(self._parts)


def raise_named(fault: Exception) -> NoReturn:
    """Raises NotReached or Cut for an error of the connection, and any other error unchanged."""
    import httpx

    what = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
    if isinstance(fault, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)):
        raise NotReached(what) from fault
    if isinstance(fault, (httpx.TransportError, httpx.DecodingError, httpx.StreamError)):
        raise Cut(what) from fault
    raise fault
