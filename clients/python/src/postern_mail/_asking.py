"""Requests to the server: which are repeated, how often, and after which pause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Callable, TypeVar

from ._steps import Answer, Cut, Item, ItemSteps, NotReached, Request, Send, Sleep, Steps
from ._wire import (
    Server,
    check,
    connection_lost,
    get,
    read_data,
    read_retry_after,
    read_rows,
    unreachable,
)
from .errors import PosternError
from .models import M

T = TypeVar("T")

#: Pauses before the second to the fifth attempt after a failed connection. A restart takes about this long in all.
PAUSES_S = (0.25, 0.5, 1.0, 2.0)
#: The longest `Retry-After` that is waited for after a 429, and how often.
RETRY_AFTER_S_MAX = 30.0
RETRY_AFTER_TIMES = 3
#: The answers of a proxy for a server that is away, and of a server that can't accept a request now.
AWAY = (502, 503, 504)


def ask(server: Server, request: Request, read: Callable[[Answer], T]) -> Steps[T]:
    """Sends a request until it has an answer, and returns the result of `read`."""
    pauses = iter(PAUSES_S if request.is_repeatable else ())
    waits = 0
    while True:
        pause: float | None = None
        try:
            answer: Answer = yield Send(request)
            if answer.status in AWAY:
                pause = next(pauses, None)
            elif answer.status == 429 and waits < RETRY_AFTER_TIMES:
                waits += 1
                pause = read_short_wait(answer)
            if pause is None:
                return read(answer)
        except NotReached as fault:
            pause = next_pause(pauses, unreachable(server, fault))
        except Cut as fault:
            pause = next_pause(pauses, connection_lost(server, fault))
        yield Sleep(pause)


def read_short_wait(answer: Answer) -> float | None:
    """Returns the seconds to wait after a 429, or None if that is too long."""
    seconds = read_retry_after(answer)
    return seconds if seconds is not None and seconds <= RETRY_AFTER_S_MAX else None


def next_pause(pauses: Iterator[float], error: PosternError) -> float:
    """Returns the pause before the next attempt. Raises the error if there is none."""
    pause = next(pauses, None)
    if pause is None:
        raise error
    return pause


def fetch(server: Server, request: Request, model: type[M]) -> Steps[M]:
    """Requests one object."""
    return ask(server, request, lambda answer: read_data(server, check(server, answer), model))


def do(server: Server, request: Request) -> Steps[None]:
    """Sends a request whose answer has no body."""

    def read(answer: Answer) -> None:
        check(server, answer)

    return ask(server, request, read)


def read_list(server: Server, where: str, model: type[M]) -> Steps[list[M]]:
    """Requests a list that has one page."""
    return ask(server, get(where), lambda answer: read_rows(server, check(server, answer), model)[0])


def walk(server: Server, where: str, filters: Mapping[str, Any], model: type[M]) -> ItemSteps[M]:
    """Yields the rows of a list, and requests the next page when it is needed."""
    cursor: str | None = None

    def read(answer: Answer) -> tuple[list[M], str | None]:
        return read_rows(server, check(server, answer), model)

    while True:
        rows, cursor = yield from ask(server, get(where, {**filters, "cursor": cursor}), read)
        for row in rows:
            yield Item(row)
        if cursor is None:
            return
