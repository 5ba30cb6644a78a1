"""The client for asyncio."""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Coroutine
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable

from . import _events
from . import _operations as operations
from ._async import (
    AsyncBound,
    AsyncBoundInbox,
    AsyncIO,
    asynchronous,
    items,
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

__all__ = [
    "AsyncAllowlist",
    "AsyncDomains",
    "AsyncInbox",
    "AsyncInboxCalls",
    "AsyncInboxWebhook",
    "AsyncInboxes",
    "AsyncMessageCalls",
    "AsyncOutbound",
    "AsyncPostern",
    "AsyncRules",
    "AsyncSmtpFaults",
    "AsyncThreads",
    "AsyncWebhooks",
]


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


class AsyncInboxWebhook(AsyncBoundInbox):
    """The webhook of one inbox, which gets `email.received`."""

    def __init__(self, io: AsyncIO, name: str) -> None:
        super().__init__(io)
        self._name = name

    set = on_inbox(_events.set_inbox_webhook)
    get = on_inbox(_events.get_inbox_webhook)
    delete = on_inbox(_events.delete_inbox_webhook)
    rotate = on_inbox(_events.rotate_inbox_webhook)
    enable = on_inbox(_events.enable_inbox_webhook)
    disable = on_inbox(_events.disable_inbox_webhook)
    test = on_inbox(_events.test_inbox_webhook)
    deliveries = items_on_inbox(_events.list_inbox_deliveries)
    replay = on_inbox(_events.replay_inbox_webhook)


class AsyncInboxCalls(AsyncBoundInbox):
    """The operations on an inbox of which only the id or address is known."""

    def __init__(self, io: AsyncIO, name: str) -> None:
        super().__init__(io)
        self._name = name
        self.webhook = AsyncInboxWebhook(io, name)

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
    senders = on_inbox(_events.get_senders)
    set_senders = on_inbox(_events.set_senders)
    withheld = items_on_inbox(_events.list_withheld)
    hold = on_inbox(_events.get_inbox_hold)
    set_hold = on_inbox(_events.set_inbox_hold)


class AsyncInbox(InboxFields, AsyncInboxCalls):
    """An inbox: its fields as they were when it was fetched, and its operations."""

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
    """The operations on a message, by its id."""

    get = asynchronous(operations.get_message)
    mark = asynchronous(operations.mark_message)
    set_tags = asynchronous(operations.set_tags)
    delete = asynchronous(operations.delete_message)
    batch = asynchronous(operations.batch)
    accept = asynchronous(operations.accept_message)
    diary = asynchronous(operations.diary)
    raw = asynchronous(operations.raw)
    attachment = asynchronous(operations.attachment)
    checks = asynchronous(operations.checks)


class AsyncWebhooks(AsyncBound):
    """The webhooks of the whole account."""

    create = asynchronous(_events.create_webhook)
    get = asynchronous(_events.get_webhook)
    update = asynchronous(_events.update_webhook)
    delete = asynchronous(_events.delete_webhook)
    rotate = asynchronous(_events.rotate_webhook)
    enable = asynchronous(_events.enable_webhook)
    disable = asynchronous(_events.disable_webhook)
    test = asynchronous(_events.test_webhook)
    replay = asynchronous(_events.replay_webhook)
    deliveries = items(_events.list_deliveries)
    list = items(_events.list_webhooks)


class AsyncRules(AsyncBound):
    """Rules for mail as it arrives."""

    create = asynchronous(_events.create_rule)
    get = asynchronous(_events.get_rule)
    update = asynchronous(_events.update_rule)
    delete = asynchronous(_events.delete_rule)
    dry_run = items(_events.dry_run_rules)
    list = asynchronous(_events.list_rules)


class AsyncThreads(AsyncBound):
    """Conversations: messages received and sent."""

    get = asynchronous(_events.get_thread)
    messages = items(_events.list_thread_messages)
    list = items(_events.list_threads)


class AsyncOutbound(AsyncBound):
    """Sent emails, and emails that wait for an owner's approval."""

    get = asynchronous(_events.get_outbound)
    raw = asynchronous(_events.raw_outbound)
    approve = asynchronous(_events.approve_outbound)
    reject = asynchronous(_events.reject_outbound)
    hold = asynchronous(_events.get_hold)
    set_hold = asynchronous(_events.set_hold)
    list = items(_events.list_outbound)


class AsyncAllowlist(AsyncBound):
    """Recipients that an owner approved."""

    add = asynchronous(_events.add_recipient)
    get = asynchronous(_events.get_recipient)
    delete = asynchronous(_events.delete_recipient)
    set_enabled = asynchronous(_events.set_allowlist)
    list = items(_events.list_recipients)


class AsyncDomains(AsyncBound):
    """Your own domains."""

    create = asynchronous(_events.create_domain)
    get = asynchronous(_events.get_domain)
    delete = asynchronous(_events.delete_domain)
    verify = asynchronous(_events.verify_domain)
    set_catch_all = asynchronous(_events.set_catch_all)
    set_up_sending = asynchronous(_events.set_up_sending)
    list = items(_events.list_domains)


class AsyncSmtpFaults(AsyncBound):
    """Faults of a trap's SMTP: what it answers instead of accepting mail."""

    add = asynchronous(operations.add_fault)
    list = asynchronous(operations.list_faults)
    delete = asynchronous(operations.delete_fault)
    clear = asynchronous(operations.clear_faults)


class AsyncPostern(AsyncBound):
    """A client of one Postern. It belongs to one event loop, and holds one connection for each concurrent request.

    Args:
        url: the URL of the server. By default POSTERN_URL, or else http://127.0.0.1:8025.
        api_key: by default POSTERN_API_KEY. A trap on your own machine needs none.

    Raises:
        ValidationError: the URL is not valid.
    """

    def __init__(self, url: str | None = None, api_key: str | None = None) -> None:
        super().__init__(AsyncIO(find_server(url, api_key)))
        self.inboxes = AsyncInboxes(self._io)
        self.message = AsyncMessageCalls(self._io)
        self.threads = AsyncThreads(self._io)
        self.outbound = AsyncOutbound(self._io)
        self.allowlist = AsyncAllowlist(self._io)
        self.webhooks = AsyncWebhooks(self._io)
        self.rules = AsyncRules(self._io)
        self.domains = AsyncDomains(self._io)
        self.smtp_faults = AsyncSmtpFaults(self._io)

    @property
    def url(self) -> str:
        """The URL of the server, without a slash at its end."""
        return self._io.server.url

    def inbox(self, name: str) -> AsyncInboxCalls:
        """Returns an inbox by its id or address, without checking that it exists. In a trap, every address does."""
        return AsyncInboxCalls(self._io, name)

    account = asynchronous(operations.account)
    wait_for_code = on_all(operations.wait_for_code)
    wait_for_link = on_all(operations.wait_for_link)
    wait_for_message = on_all(operations.wait_for_message)
    stream = items_on_all(operations.stream)
    messages = items_on_all(operations.messages)
    send = asynchronous(operations.send)
    sent = asynchronous(operations.sent)
    events = items(_events.events)
    audit_log = items(_events.audit_log)
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
