"""The steps of an operation, independent of how bytes travel.

Each operation is written once, as a generator: it yields what is to be done (``Send``, ``Sleep``, ``Open``, ``Read``)
and is sent the result, or thrown a ``NotReached`` or ``Cut``. ``_blocking`` and ``_async`` carry it out, so that
both clients have the same logic.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, Union

T = TypeVar("T")

#: Seconds of silence after which an answer is abandoned.
SILENCE_S = 30.0
#: Seconds after which an answer that trickles in is abandoned.
WHOLE_S = 600.0


@dataclass(frozen=True)
class Request:
    """One HTTP request. Its path begins with a slash, below the URL of the server."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    silence_s: float = SILENCE_S
    whole_s: float = WHOLE_S

    @property
    def is_repeatable(self) -> bool:
        """Whether the request can be repeated without doing anything twice."""
        return self.method in ("GET", "HEAD") or "Idempotency-Key" in self.headers


@dataclass(frozen=True)
class Answer:
    """A response. Names of headers are in lower case; the body of a stream is empty and is read by ``Read``."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


class NotReached(Exception):
    """No connection could be made, so nothing was sent."""


class Cut(Exception):
    """The connection ended, or fell silent, before the answer was complete."""


@dataclass(frozen=True)
class Send:
    """Sends a request; the result is its ``Answer``."""

    request: Request


@dataclass(frozen=True)
class Sleep:
    """Waits this many seconds; the result is None."""

    seconds: float


@dataclass(frozen=True)
class Open:
    """Sends a request whose body is read in parts; the result is its ``Answer``. Closes the one before."""

    request: Request


@dataclass(frozen=True)
class Read:
    """Reads the next chunk of the opened body; the result is bytes, empty at its end."""


@dataclass(frozen=True)
class Item(Generic[T]):
    """Yields an item to the caller; the result is None."""

    value: T


Step = Union[Send, Sleep]
#: An operation that ends with a result.
Steps = Generator[Step, Any, T]
#: An operation that yields items.
ItemSteps = Generator[Union[Step, Open, Read, Item[T]], Any, None]


def begin(items: ItemSteps[T]) -> Steps[ItemSteps[T]]:
    """For operations whose first item needs no preparation."""
    yield from ()
    return items
