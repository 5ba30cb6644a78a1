"""The client for asyncio."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Coroutine
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable

from . import _operations as operations
from ._async import (
    AsyncBound,
    AsyncBoundInbox,
    AsyncIO,
    asynchronous,
    items_on_all,
    items_on_inbox,
    on_all,
    on_inbox,
)
from ._inbox import InboxFields
from ._steps import ItemSteps, Steps
from ._wire import Server, find_server
from .models import InboxData

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")

__all__ = ["AsyncInbox", "AsyncInboxCalls", "AsyncInboxes", "AsyncMessageCalls", "AsyncPostern", "AsyncSmtpFaults"]


def _new_inbox(
    steps: Callable[Concatenate[Server, P], Steps[InboxData]],
) -> Callable[Concatenate[AsyncBound, P], Coroutine[Any, Any, AsyncInbox]]:
    @functools.wraps(steps)
    async def method(self: AsyncBound, /, *args: P.args, **kwargs: P.kwargs) -> AsyncInbox:
        data = await self._io.run(steps(self._io.server, *args, **kwargs))
        return AsyncInbox(self._io, data, data.id)

    return method


def _named_inbox(
    steps: Callable[Concatenate[Server, str, P], Steps[InboxData]],
) -> Callable[Concatenate[AsyncBound, str, P], Coroutine[Any, Any, AsyncInbox]]:
    @functools.wraps(steps)
    async def method(self: AsyncBound, inbox: str, /, *args: P.args, **kwargs: P.kwargs) -> AsyncInbox:
        return AsyncInbox(self._io, await self._io.run(steps(self._io.server, inbox, *args, **kwargs)), inbox)

    return method


def _same_inbox(
    steps: Callable[Concatenate[Server, str, P], Steps[InboxData]],
) -> Callable[Concatenate[AsyncBoundInbox, P], Coroutine[Any, Any, AsyncInbox]]:
    @functools.wraps(steps)
    async def method(self: AsyncBoundInbox, /, *args: P.args, **kwargs: P.kwargs) -> AsyncInbox:
        return AsyncInbox(self._io, await self._io.run(steps(self._io.server, self._name, *args, **kwargs)), self._name)

    return method


def _each_inbox(
    steps: Callable[Concatenate[Server, P], Steps[ItemSteps[InboxData]]],
) -> Callable[Concatenate[AsyncBound, P], AsyncGenerator[AsyncInbox, None]]:
    @functools.wraps(steps)
    async def method(self: AsyncBound, /, *args: P.args, **kwargs: P.kwargs) -> AsyncGenerator[AsyncInbox, None]:
        async for data in self._io.iterate(steps(self._io.server, *args, **kwargs)):
            yield AsyncInbox(self._io, data, data.id)

    return method


class AsyncInboxCalls(AsyncBoundInbox):
    """What can be done with an inbox of which only the id or address is known."""

    def __init__(self, io: AsyncIO, name: str) -> None:
        super().__init__(io)
        self._name = name

    update = _same_inbox(operations.update_inbox)
    delete = on_inbox(operations.delete_inbox)
    wait_for_code = on_inbox(operations.wait_for_code)
    wait_for_link = on_inbox(operations.wait_for_link)
    wait_for_message = on_inbox(operations.wait_for_message)
    stream = items_on_inbox(operations.stream)
    messages = items_on_inbox(operations.messages)
    latest = on_inbox(operations.latest)
    send = on_inbox(operations.compose)
    reply = on_inbox(operations.reply)
    forward = on_inbox(operations.forward)


class AsyncInbox(InboxFields, AsyncInboxCalls):
    """An inbox: its fields as they were when it was asked for, and what can be done with it."""

    def __init__(self, io: AsyncIO, data: InboxData, name: str) -> None:
        super().__init__(io, name)
        self.data = data


class AsyncInboxes(AsyncBound):
    """The inboxes of the account."""

    create = _new_inbox(operations.create_inbox)
    get = _named_inbox(operations.get_inbox)
    update = _named_inbox(operations.update_inbox)
    delete = asynchronous(operations.delete_inbox)
    list = _each_inbox(operations.list_inboxes)


class AsyncMessageCalls(AsyncBound):
    """What can be done with a message, by its id."""

    get = asynchronous(operations.get_message)
    mark = asynchronous(operations.mark_message)
    set_tags = asynchronous(operations.set_tags)
    delete = asynchronous(operations.delete_message)
    batch = asynchronous(operations.batch)
    raw = asynchronous(operations.raw)
    attachment = asynchronous(operations.attachment)
    checks = asynchronous(operations.checks)


class AsyncSmtpFaults(AsyncBound):
    """What the SMTP of a trap answers instead of accepting mail."""

    add = asynchronous(operations.add_fault)
    list = asynchronous(operations.list_faults)
    delete = asynchronous(operations.delete_fault)
    clear = asynchronous(operations.clear_faults)


class AsyncPostern(AsyncBound):
    """A Postern. One client belongs to one event loop, and holds one connection for each request at a time.

    Args:
        url: of the server; POSTERN_URL unless given, and then http://127.0.0.1:8025.
        api_key: POSTERN_API_KEY unless given. A trap on your own machine needs none.

    Raises:
        ValidationError: the URL is none.
    """

    def __init__(self, url: str | None = None, api_key: str | None = None) -> None:
        super().__init__(AsyncIO(find_server(url, api_key)))
        self.inboxes = AsyncInboxes(self._io)
        self.message = AsyncMessageCalls(self._io)
        self.smtp_faults = AsyncSmtpFaults(self._io)

    @property
    def url(self) -> str:
        """The URL of the server, without a slash at its end."""
        return self._io.server.url

    def inbox(self, name: str) -> AsyncInboxCalls:
        """An inbox by its id or address, without asking whether it exists. In a trap every address does."""
        return AsyncInboxCalls(self._io, name)

    account = asynchronous(operations.account)
    wait_for_code = on_all(operations.wait_for_code)
    wait_for_link = on_all(operations.wait_for_link)
    wait_for_message = on_all(operations.wait_for_message)
    stream = items_on_all(operations.stream)
    messages = items_on_all(operations.messages)
    send = asynchronous(operations.send)
    sent = asynchronous(operations.sent)
    verify = asynchronous(operations.verify)
    verify_batch = asynchronous(operations.verify_batch)

    async def close(self) -> None:
        """Closes the connections."""
        await self._io.close()

    async def __aenter__(self) -> AsyncPostern:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
