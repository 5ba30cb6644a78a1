"""Errors, one class per kind.

Every error says what happened and what to do about it. Match on the class, or on ``code``, which is the
API's own (docs/api-v1.md, Errors); the text may change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

__all__ = [
    "AuthenticationError",
    "ConflictError",
    "ConnectionFailedError",
    "NotFoundError",
    "NotPosternError",
    "PermissionDeniedError",
    "PosternError",
    "RateLimitError",
    "ServerError",
    "SignatureError",
    "StartError",
    "ValidationError",
    "WaitTimeoutError",
]


class PosternError(Exception):
    """Any error of this package.

    Attributes:
        code: what happened: the API's error code, or this package's if the API was not reached.
        status: the HTTP status; None when there was no response.
        message: what happened, in words.
        advice: what to do about it; may be empty.
        fields: maps each wrong field of the request to the reasons.
        request_id: finds the request in the server's log; None when there was no response.
        retry_after_s: seconds after which to try again; None if the server did not say.
    """

    kind = "server"

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        fields: Mapping[str, Sequence[str]] | None = None,
        request_id: str | None = None,
        retry_after_s: float | None = None,
        advice: str = "",
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.status = status
        self.fields: Mapping[str, Sequence[str]] = fields or {}
        self.request_id = request_id
        self.retry_after_s = retry_after_s
        self.advice = advice

    def __str__(self) -> str:
        request = f"(request {self.request_id})" if self.request_id else ""
        return " ".join(part for part in (self.message, self.advice, request) if part)

    def __reduce__(self) -> Any:
        # Errors cross processes in pytest-xdist and multiprocessing, so the keywords must be pickled too.
        return _rebuild, (type(self), self.code, self.message, dict(self.__dict__))


class AuthenticationError(PosternError):
    """The key is missing, wrong or revoked."""

    kind = "authentication"


class PermissionDeniedError(PosternError):
    """This account, key or plan may not do that."""

    kind = "permission"


class NotFoundError(PosternError):
    """It does not exist, or belongs to another account."""

    kind = "not_found"


class ConflictError(PosternError):
    """The request conflicts with the current state."""

    kind = "conflict"


class ValidationError(PosternError, ValueError):
    """The request is wrong; ``fields`` says where. It is also a ``ValueError``."""

    kind = "validation"


class RateLimitError(PosternError):
    """Too many requests, or no free slot for a wait."""

    kind = "rate_limit"


class ServerError(PosternError):
    """The server failed."""

    kind = "server"


class ConnectionFailedError(PosternError, ConnectionError):
    """There was no answer. It is also a ``ConnectionError``."""

    kind = "connection"


class NotPosternError(PosternError):
    """Something other than Postern answered, such as a proxy."""

    kind = "not_postern"


class WaitTimeoutError(PosternError, TimeoutError):
    """No matching message arrived in time. It is also a ``TimeoutError``.

    Attributes:
        arrived: how many messages arrived without matching.
        reason: why the closest of them did not match, such as ``no_code``.
    """

    kind = "wait_timeout"
    arrived = 0
    reason = "no_message"


class SignatureError(PosternError):
    """A webhook delivery was not signed with this secret, or not recently."""

    kind = "signature"


class StartError(PosternError):
    """No Postern could be started."""

    kind = "start"


_classes: dict[str, type[PosternError]] = {
    one.kind: one
    for one in (
        AuthenticationError,
        PermissionDeniedError,
        NotFoundError,
        ConflictError,
        ValidationError,
        RateLimitError,
        ServerError,
        ConnectionFailedError,
        NotPosternError,
        WaitTimeoutError,
        SignatureError,
        StartError,
    )
}


@cache
def load_table() -> Mapping[str, Any]:
    """Returns all codes with their kinds and advice: a copy of ``clients/contract/errors.json``."""
    import json
    import pkgutil

    return dict(json.loads(pkgutil.get_data("postern_mail", "errors.json") or b"{}"))


def make_error(code: str, message: str, status: int | None = None, **more: Any) -> PosternError:
    """Creates the error for a code. ``values`` fills the placeholders of its advice; the rest goes to the error."""
    values: Mapping[str, object] = more.pop("values", {})
    row = load_table()["codes"].get(code, {})
    kind = row.get("kind") or _kind_of_status(status)
    advice = str(row.get("advice", ""))
    for name, value in {"retry_after_s": _plain(more.get("retry_after_s")), **values}.items():
        advice = advice.replace("{" + name + "}", str(value))
    return _classes[kind](code, message, status=status, advice=advice, **more)


def _plain(seconds: float | None) -> str:
    return "a few" if seconds is None else f"{seconds:g}"


def _kind_of_status(status: int | None) -> str:
    known = {401: "authentication", 402: "permission", 403: "permission", 404: "not_found", 409: "conflict"}
    if status is None or status >= 500:
        return "server"
    return "rate_limit" if status == 429 else known.get(status, "validation")


def _rebuild(kind: type[PosternError], code: str, message: str, state: dict[str, Any]) -> PosternError:
    error = kind(code, message)
    error.__dict__.update(state)
    return error
