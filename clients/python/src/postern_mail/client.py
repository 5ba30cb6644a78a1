"""The client that blocks."""

from __future__ import annotations

import functools
from collections.abc import Generator
from types import TracebackType
from typing import TYPE_CHECKING, Callable

from . import _operations as operations
from ._blocking import (
    Blocking,
    BlockingInbox,
    BlockingIO,
    blocking,
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

__all__ = ["Inbox", "InboxCalls", "Inboxes", "MessageCalls", "Postern", "SmtpFaults"]


def _new_inbox(
    steps: Callable[Concatenate[Server, P], Steps[InboxData]],
) -> Callable[Concatenate[Blocking, P], Inbox]:
    @functools.wraps(steps)
    def method(self: Blocking, /, *args: P.args, **kwargs: P.kwargs) -> Inbox:
        data = self._io.run(steps(self._io.server, *args, **kwargs))
        return Inbox(self._io, data, data.id)

    return method


def _named_inbox(
    steps: Callable[Concatenate[Server, str, P], Steps[InboxData]],
) -> Callable[Concatenate[Blocking, str, P], Inbox]:
    @functools.wraps(steps)
    def method(self: Blocking, inbox: str, /, *args: P.args, **kwargs: P.kwargs) -> Inbox:
        return Inbox(self._io, self._io.run(steps(self._io.server, inbox, *args, **kwargs)), inbox)

    return method


def _same_inbox(
    steps: Callable[Concatenate[Server, str, P], Steps[InboxData]],
) -> Callable[Concatenate[BlockingInbox, P], Inbox]:
    @functools.wraps(steps)
    def method(self: BlockingInbox, /, *args: P.args, **kwargs: P.kwargs) -> Inbox:
        return Inbox(self._io, self._io.run(steps(self._io.server, self._name, *args, **kwargs)), self._name)

    return method


def _each_inbox(
    steps: Callable[Concatenate[Server, P], Steps[ItemSteps[InboxData]]],
) -> Callable[Concatenate[Blocking, P], Generator[Inbox, None, None]]:
    @functools.wraps(steps)
    def method(self: Blocking, /, *args: P.args, **kwargs: P.kwargs) -> Generator[Inbox, None, None]:
        for data in self._io.iterate(self._io.run(steps(self._io.server, *args, **kwargs))):
            yield Inbox(self._io, data, data.id)

    return method


class InboxCalls(BlockingInbox):
    """What can be done with an inbox of which only the id or address is known."""

    def __init__(self, io: BlockingIO, name: str) -> None:
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


class Inbox(InboxFields, InboxCalls):
    """An inbox: its fields as they were when it was asked for, and what can be done with it."""

    def __init__(self, io: BlockingIO, data: InboxData, name: str) -> None:
        super().__init__(io, name)
        self.data = data


class Inboxes(Blocking):
    """The inboxes of the account."""

    create = _new_inbox(operations.create_inbox)
    get = _named_inbox(operations.get_inbox)
    update = _named_inbox(operations.update_inbox)
    delete = blocking(operations.delete_inbox)
    list = _each_inbox(operations.list_inboxes)


class MessageCalls(Blocking):
    """What can be done with a message, by its id."""

    get = blocking(operations.get_message)
    mark = blocking(operations.mark_message)
    set_tags = blocking(operations.set_tags)
    delete = blocking(operations.delete_message)
    batch = blocking(operations.batch)
    raw = blocking(operations.raw)
    attachment = blocking(operations.attachment)
    checks = blocking(operations.checks)


class SmtpFaults(Blocking):
    """What the SMTP of a trap answers instead of accepting mail."""

    add = blocking(operations.add_fault)
    list = blocking(operations.list_faults)
    delete = blocking(operations.delete_fault)
    clear = blocking(operations.clear_faults)


class Postern(Blocking):
    """A Postern. One client may be shared by threads, and holds one connection for each request at a time.

    Args:
        url: of the server; POSTERN_URL unless given, and then http://127.0.0.1:8025.
        api_key: POSTERN_API_KEY unless given. A trap on your own machine needs none.

    Raises:
        ValidationError: the URL is none.
    """

    def __init__(self, url: str | None = None, api_key: str | None = None) -> None:
        super().__init__(BlockingIO(find_server(url, api_key)))
        self.inboxes = Inboxes(self._io)
        self.message = MessageCalls(self._io)
        self.smtp_faults = SmtpFaults(self._io)

    @property
    def url(self) -> str:
        """The URL of the server, without a slash at its end."""
        return self._io.server.url

    def inbox(self, name: str) -> InboxCalls:
        """An inbox by its id or address, without asking whether it exists. In a trap every address does."""
        return InboxCalls(self._io, name)

    account = blocking(operations.account)
    wait_for_code = on_all(operations.wait_for_code)
    wait_for_link = on_all(operations.wait_for_link)
    wait_for_message = on_all(operations.wait_for_message)
    stream = items_on_all(operations.stream)
    messages = items_on_all(operations.messages)
    send = blocking(operations.send)
    sent = blocking(operations.sent)
    verify = blocking(operations.verify)
    verify_batch = blocking(operations.verify_batch)

    def close(self) -> None:
        """Closes the connections."""
        self._io.close()

    def __enter__(self) -> Postern:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
