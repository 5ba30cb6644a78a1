"""Carries out steps with httpx and asyncio."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator, Coroutine
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


class AsyncIO:
    """One pool of connections to one server. Belongs to one event loop."""

    def __init__(self, server: Server) -> None:
        import httpx

        self.server = server
        self._http = httpx.AsyncClient(**make_options(server))

    async def close(self) -> None:
        await self._http.aclose()

    async def run(self, steps: Steps[T]) -> T:
        """Carries out an operation and returns its result."""
        result: Any = None
        fault: Exception | None = None
        try:
            while True:
                step = steps.send(result) if fault is None else steps.throw(fault)
                result, fault = None, None
                try:
                    result = await self._do(step)
                except (NotReached, Cut) as error:
                    fault = error
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            steps.close()

    async def iterate(self, begin: Steps[ItemSteps[T]]) -> AsyncGenerator[T, None]:
        """Carries out an operation that yields items."""
        steps = await self.run(begin)
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
                            await opened.aclose()
                        opened = await self._open(step.request)
                        parts = opened.aiter_bytes()
                        result = Answer(opened.status_code, read_headers(opened))
                    elif isinstance(step, Read):
                        result = await self._read(parts)
                    else:
                        result = await self._do(step)
                except (NotReached, Cut) as error:
                    fault = error
        except StopIteration:
            return
        finally:
            steps.close()
            if opened is not None:
                await opened.aclose()

    async def _do(self, step: object) -> Answer | None:
        if isinstance(step, Sleep):
            await asyncio.sleep(step.seconds)
            return None
        assert isinstance(step, Send)
        response = await self._open(step.request)
        try:
            reading = Reading(step.request)
            async for part in response.aiter_bytes():
                reading.take(part)
            return Answer(response.status_code, read_headers(response), reading.body)
        except Exception as fault:
            raise_named(fault)
        finally:
            await response.aclose()

    async def _open(self, request: Request) -> httpx.Response:
        try:
            built = self._http.build_request(**make_request(self.server, request))
            return await self._http.send(built, stream=True)
        except Exception as fault:
            raise_named(fault)

    async def _read(self, parts: Any) -> bytes:
        try:
            # An empty chunk would look like the end.
            async for part in parts:
                if part:
                    return bytes(part)
            return b""
        except Exception as fault:
            raise_named(fault)


class AsyncBound:
    """An object with a pool of connections."""

    def __init__(self, io: AsyncIO) -> None:
        self._io = io


class AsyncBoundInbox(AsyncBound):
    """An object that belongs to one inbox."""

    #: The id, or the address by which the inbox was fetched, which may be a sub-address.
    _name: str


def asynchronous(
    steps: Callable[Concatenate[Server, P], Steps[T]],
) -> Callable[Concatenate[AsyncBound, P], Coroutine[Any, Any, T]]:
    """Returns the method that carries out an operation, with its arguments and documentation."""

    @functools.wraps(steps)
    async def method(self: AsyncBound, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._io.run(steps(self._io.server, *args, **kwargs))

    return method


def on_all(
    steps: Callable[Concatenate[Server, None, P], Steps[T]],
) -> Callable[Concatenate[AsyncBound, P], Coroutine[Any, Any, T]]:
    """Like `asynchronous`, for an operation over all inboxes of the account."""

    @functools.wraps(steps)
    async def method(self: AsyncBound, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._io.run(steps(self._io.server, None, *args, **kwargs))

    return method


def items_on_all(
    steps: Callable[Concatenate[Server, None, P], Steps[ItemSteps[T]]],
) -> Callable[Concatenate[AsyncBound, P], AsyncGenerator[T, None]]:
    """Like `on_all`, for an operation that yields items."""

    @functools.wraps(steps)
    def method(self: AsyncBound, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
        return self._io.iterate(steps(self._io.server, None, *args, **kwargs))

    return method


def items(
    steps: Callable[Concatenate[Server, P], Steps[ItemSteps[T]]],
) -> Callable[Concatenate[AsyncBound, P], AsyncGenerator[T, None]]:
    """Like `items_on_all`, for an operation that is independent of inboxes."""

    @functools.wraps(steps)
    def method(self: AsyncBound, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
        return self._io.iterate(steps(self._io.server, *args, **kwargs))

    return method


def on_inbox(
    steps: Callable[Concatenate[Server, str, P], Steps[T]],
) -> Callable[Concatenate[AsyncBoundInbox, P], Coroutine[Any, Any, T]]:
    """Returns the method of an inbox that carries out an operation on it."""

    @functools.wraps(steps)
    async def method(self: AsyncBoundInbox, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._io.run(steps(self._io.server, self._name, *args, **kwargs))

    return method


def items_on_inbox(
    steps: Callable[Concatenate[Server, str, P], Steps[ItemSteps[T]]],
) -> Callable[Concatenate[AsyncBoundInbox, P], AsyncGenerator[T, None]]:
    """Like `on_inbox`, for an operation that yields items."""

    @functools.wraps(steps)
    def method(self: AsyncBoundInbox, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[T, None]:
        return self._io.iterate(steps(self._io.server, self._name, *args, **kwargs))

    return method
