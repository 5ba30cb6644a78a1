"""Asking the server: what is tried again, how often, and after how long."""

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

#: Pauses before the second to the fifth try after a connection that failed: a restart takes about this long.
PAUSES_S = (0.25, 0.5, 1.0, 2.0)
#: A 429 is waited for at most this long, and this often.
RETRY_AFTER_S_MAX = 30.0
RETRY_AFTER_TIMES = 3
#: What a proxy answers for a server that is away, and the server itself when it can't take a request now.
AWAY = (502, 503, 504)


def ask(server: Server, request: Request, read: Callable[[Answer], T]) -> Steps[T]:
    """Sends a request until it has an answer, and returns what `read` makes of that."""
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
    """Seconds until a 429 may be asked again; None when that is too long to wait for."""
    seconds = read_retry_after(answer)
    return seconds if seconds is not None and seconds <= RETRY_AFTER_S_MAX else None


def next_pause(pauses: Iterator[float], error: PosternError) -> float:
    """The pause before the next try. Raises the error when there is none."""
    pause = next(pauses, None)
    if pause is None:
        raise error
    return pause


def fetch(server: Server, request: Request, model: type[M]) -> Steps[M]:
    """Asks for one object."""
    return ask(server, request, lambda answer: read_data(server, check(server, answer), model))


def do(server: Server, request: Request) -> Steps[None]:
    """Asks for something that has no answer but that it was done."""

    def read(answer: Answer) -> None:
        check(server, answer)

    return ask(server, request, read)


def read_list(server: Server, where: str, model: type[M]) -> Steps[list[M]]:
    """Asks for a list that has one page."""
    return ask(server, get(where), lambda answer: read_rows(server, check(server, answer), model)[0])


def walk(server: Server, where: str, filters: Mapping[str, Any], model: type[M]) -> ItemSteps[M]:
    """Yields the rows of a list, and asks for the next page when it is needed."""
    cursor: str | None = None

    def read(answer: Answer) -> tuple[list[M], str | None]:
        return read_rows(server, check(server, answer), model)

    while True:
        rows, cursor = yield from ask(server, get(where, {**filters, "cursor": cursor}), read)
        for row in rows:
            yield Item(row)
        if cursor is None:
            return
