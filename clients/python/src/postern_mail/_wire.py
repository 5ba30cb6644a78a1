"""Builds requests of the API and reads its answers, including errors."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, TypeVar
from urllib.parse import quote, urlsplit

from ._steps import Answer, Cut, NotReached, Request
from .errors import PosternError, make_error
from .models import M, read_model

T = TypeVar("T")

API = "/api/v1"
DEFAULT_URL = "http://127.0.0.1:8025"
#: How much an error shows of an answer that is not Postern's.
EXCERPT_CHARS = 120


@dataclass(frozen=True)
class Server:
    """The server that requests go to, and their key."""

    url: str
    api_key: str | None

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, for which the environment's proxy must not be used."""
        host = urlsplit(self.url).hostname or ""
        return host in ("localhost", "::1") or host.startswith("127.")


def find_server(url: str | None, api_key: str | None) -> Server:
    """Falls back to POSTERN_URL and POSTERN_API_KEY. Raises ValidationError for an impossible URL or key."""
    key = (api_key if api_key is not None else os.environ.get("POSTERN_API_KEY", "")).strip()
    if not key.isascii() or not key.isprintable():
        raise make_error("authentication_required", "The API key has characters that no key has.")
    return Server(_clean_url(url or os.environ.get("POSTERN_URL") or DEFAULT_URL), key or None)


def _clean_url(given: str) -> str:
    url = given.strip().rstrip("/")
    if url.endswith(API):
        url = url[: -len(API)]
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, is_web = urlsplit(""), False
    if not is_web:
        raise make_error("invalid_url", f"{given!r} is not the URL of a Postern.")
    if parts.username is not None or parts.query or parts.fragment:
        raise make_error(
            "invalid_url",
            f"The URL of a Postern has no user name, query or fragment (pass the key as api_key): {url!r}.",
        )
    return url


def path(*segments: str) -> str:
    """Returns a path with each segment escaped. Raises ValidationError for a segment that names nothing."""
    for before, segment in zip(("", *segments), segments):
        # Servers and proxies resolve "." and "..", escaped or not, before routing.
        if segment in ("", ".", ".."):
            field = "inbox" if before == "inboxes" else "id"
            why = f"must be an id{' or an address' if field == 'inbox' else ''}, not {segment!r}"
            raise make_error("validation_error", f"{field}: {why}.", fields={field: [why]})
    return "/".join([API, *(quote(segment, safe="@") for segment in segments)])


def write_query(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, _write_value(value)) for name, value in values.items() if value is not None)


def _write_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    isoformat: Callable[[], str] | None = getattr(value, "isoformat", None)
    return isoformat() if isoformat else str(value)


def get(where: str, query: Mapping[str, Any] | None = None) -> Request:
    return Request("GET", where, write_query(query or {}))


def send_json(method: str, where: str, body: Any, idempotency_key: str | None = None) -> Request:
    headers: dict[str, str] = {"Content-Type": "application/json"}
    if idempotency_key is not None:
        headers["Idempotency-Key"] = idempotency_key
    return Request(method, where, (), headers, json.dumps(body).encode())


def keyed(method: str, where: str, idempotency_key: str) -> Request:
    """Returns a request without a body that is carried out once."""
    return Request(method, where, (), {"Idempotency-Key": idempotency_key})


def read_json(server: Server, answer: Answer) -> Any:
    """Returns the JSON of a body."""
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        raise not_postern(server, answer) from None


def read_data(server: Server, answer: Answer, model: type[M]) -> M:
    return _shaped(server, answer, lambda: read_model(model, read_json(server, answer)["data"]))


def read_rows(server: Server, answer: Answer, model: type[M]) -> tuple[list[M], str | None]:
    """Returns the rows of a page, and the cursor of the next one."""

    def read() -> tuple[list[M], str | None]:
        page = read_json(server, answer)
        cursor = page["pagination"]["next_cursor"] if page["pagination"]["has_more"] else None
        return [read_model(model, row) for row in page["data"]], cursor

    return _shaped(server, answer, read)


def read_data_of(server: Server, answer: Answer, read: Callable[[Any], T]) -> tuple[T, str | None]:
    """Returns the parsed `data`, and the cursor of the next page if there is one."""

    def read_page() -> tuple[T, str | None]:
        page = read_json(server, answer)
        pagination = page.get("pagination") or {}
        return read(page["data"]), pagination["next_cursor"] if pagination.get("has_more") else None

    return _shaped(server, answer, read_page)


def read_results(server: Server, answer: Answer, model: type[M]) -> list[M]:
    """Returns the results of a batch."""
    return _shaped(
        server,
        answer,
        lambda: [read_model(model, row) for row in read_json(server, answer)["data"]["results"]],
    )


def _shaped(server: Server, answer: Answer, read: Callable[[], T]) -> T:
    try:
        return read()
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise not_postern(server, answer) from fault


def check(server: Server, answer: Answer) -> Answer:
    """Returns a successful answer, and raises the error of any other."""
    if 200 <= answer.status < 300:
        return answer
    raise read_error(server, answer)


def read_error(server: Server, answer: Answer) -> PosternError:
    try:
        error = json.loads(answer.body)["error"]
        return make_error(
            str(error["code"]),
            str(error["message"]),
            answer.status,
            fields=dict(error.get("fields") or {}),
            request_id=error.get("request_id") or answer.headers.get("x-request-id"),
            retry_after_s=read_retry_after(answer),
            values={"url": server.url},
        )
    except (ValueError, RecursionError, KeyError, TypeError):
        return not_postern(server, answer)


def read_retry_after(answer: Answer) -> float | None:
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def not_postern(server: Server, answer: Answer) -> PosternError:
    """Describes an answer that is not Postern's: its status, redirect, type and beginning."""
    kind = answer.headers.get("content-type", "nothing").split(";")[0]
    text = " ".join(answer.body[:1000].decode("utf-8", "replace").split())
    start = f", which begins with {text[:EXCERPT_CHARS]!r}" if text and answer.status != 204 else ""
    to = answer.headers.get("location")
    moved = f" and sends to {to}" if to else ""
    return make_error(
        "not_postern",
        f"{server.url} answered {answer.status}{moved} with {kind}{start}, not as a Postern does.",
        answer.status,
        request_id=answer.headers.get("x-request-id"),
        values={"url": server.url},
    )


def unreachable(server: Server, fault: NotReached) -> PosternError:
    return make_error("unreachable", f"{server.url}: {str(fault).rstrip('.')}.", values={"url": server.url})


def connection_lost(server: Server, fault: Cut) -> PosternError:
    return make_error("connection_lost", f"{server.url}: {str(fault).rstrip('.')}.", values={"url": server.url})
