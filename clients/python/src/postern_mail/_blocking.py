"""Carries out steps with httpx, and blocks meanwhile."""

from __future__ import annotations

import functools
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from ._http import Reading, make_options, make_request, raise_named, read_headers
from ._steps import Answer, Cut, Item, ItemSteps, NotReached, Open, Read, Request, Send, Sleep, Steps
from ._wire import Server

if TYPE_CHECKING:
    import httpx
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")
D = TypeVar("D")


class BlockingIO:
    """One pool of connections to one server. May be shared by threads."""

    def __init__(self, server: Server) -> None:
        import httpx

        self.server = server
        self._http = httpx.Client(**make_options(server))

    def close(self) -> None:
        self._http.close()

    def run(self, steps: Steps[T]) -> T:
        """Carries out an operation and returns its result."""
        result: Any = None
        fault: Exception | None = None
        try:
            while True:
                step = steps.send(result) if fault is None else steps.throw(fault)
                result, fault = None, None
                try:
                    result = self._do(step)
                except (NotReached, Cut) as error:
                    fault = error
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            steps.close()

    def iterate(self, steps: ItemSteps[T]) -> Generator[T, None, None]:
        """Carries out an operation that yields items."""
        result: Any = None
        fault: Exception | None = None
        opened: httpx.Response | None = None
        parts: Any = None
        try:
            while True:
                step = steps.send(result) if fault is None else steps.throw(fault)
                result, fault = None, None
                if isinstance(step, Item):
                    yield step.value
                    continue
                try:
                    if isinstance(step, Open):
                        if opened is not None:
                            opened.close()
                        opened = self._open(step.request)
                        parts = opened.iter_bytes()
                        result = Answer(opened.status_code, read_headers(opened))
                    elif isinstance(step, Read):
                        result = self._read(parts)
                    else:
                        result = self._do(step)
                except (NotReached, Cut) as error:
                    fault = error
        except StopIteration:
            return
        finally:
            steps.close()
            if opened is not None:
                opened.close()

    def _do(self, step: object) -> Answer | None:
        if isinstance(step, Sleep):
            time.sleep(step.seconds)
            return None
        assert isinstance(step, Send)
        response = self._open(step.request)
        try:
            reading = Reading(step.request)
            for part in response.iter_bytes():
                reading.take(part)
            return Answer(response.status_code, read_headers(response), reading.body)
        except Exception as fault:
            raise_named(fault)
        finally:
            response.close()

    def _open(self, request: Request) -> httpx.Response:
        try:
            built = self._http.build_request(**make_request(self.server, request))
            return self._http.send(built, stream=True)
        except Exception as fault:
            raise_named(fault)

    def _read(self, parts: Any) -> bytes:
        try:
            # An empty chunk would look like the end.
            return next((part for part in parts if part), b"")
        except Exception as fault:
            raise_named(fault)


class Blocking:
    """An object with a pool of connections."""

    def __init__(self, io: BlockingIO) -> None:
        self._io = io


class BlockingInbox(Blocking):
    """An object that belongs to one inbox."""

    #: The id, or the address by which the inbox was fetched, which may be a sub-address.
    _name: str


def blocking(steps: Callable[Concatenate[Server, P], Steps[T]]) -> Callable[Concatenate[Blocking, P], T]:
    """Returns the method that carries out an operation, with its arguments and documentation."""

    @functools.wraps(steps)
    def method(self: Blocking, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._io.run(steps(self._io.server, *args, **kwargs))

    return method


def on_all(
    steps: Callable[Concatenate[Server, None, P], Steps[T]],
) -> Callable[Concatenate[Blocking, P], T]:
    """Like `blocking`, for an operation over all inboxes of the account."""

    @functools.wraps(steps)
    def method(self: Blocking, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._io.run(steps(self._io.server, None, *args, **kwargs))

    return method


def items_on_all(
    steps: Callable[Concatenate[Server, None, P], Steps[ItemSteps[T]]],
) -> Callable[Concatenate[Blocking, P], Generator[T, None, None]]:
    """Like `on_all`, for an operation that yields items. Its preparation is done at once."""

    @functools.wraps(steps)
    def method(self: Blocking, /, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        return self._io.iterate(self._io.run(steps(self._io.server, None, *args, **kwargs)))

    return method


def items(
    steps: Callable[Concatenate[Server, P], Steps[ItemSteps[T]]],
) -> Callable[Concatenate[Blocking, P], Generator[T, None, None]]:
    """Like `items_on_all`, for an operation that is independent of inboxes."""

    @functools.wraps(steps)
    def method(self: Blocking, /, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        return self._io.iterate(self._io.run(steps(self._io.server, *args, **kwargs)))

    return method


def on_inbox(
    steps: Callable[Concatenate[Server, str, P], Steps[T]],
) -> Callable[Concatenate[BlockingInbox, P], T]:
    """Returns the method of an inbox that carries out an operation on it."""

    @functools.wraps(steps)
    def method(self: BlockingInbox, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._io.run(steps(self._io.server, self._name, *args, **kwargs))

    return method


def items_on_inbox(
    steps: Callable[Concatenate[Server, str, P], Steps[ItemSteps[T]]],
) -> Callable[Concatenate[BlockingInbox, P], Generator[T, None, None]]:
    """Like `on_inbox`, for an operation that yields items."""

    @functools.wraps(steps)
    def method(self: BlockingInbox, /, *args: P.args, **kwargs: P.kwargs) -> Generator[T, None, None]:
        return self._io.iterate(self._io.run(steps(self._io.server, self._name, *args, **kwargs)))

    return method
