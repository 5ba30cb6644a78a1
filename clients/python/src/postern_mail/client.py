"""The client that blocks."""

from __future__ import annotations

import functools
from collections.abc import Generator
from types import TracebackType
from typing import TYPE_CHECKING, Callable

from . import _events
from . import _operations as operations
from ._blocking import (
    Blocking,
    BlockingInbox,
    BlockingIO,
    blocking,
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
    "Allowlist",
    "Domains",
    "Inbox",
    "InboxCalls",
    "InboxWebhook",
    "Inboxes",
    "MessageCalls",
    "Outbound",
    "Postern",
    "Rules",
    "SmtpFaults",
    "Threads",
    "Webhooks",
]


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


class InboxWebhook(BlockingInbox):
    """The webhook of one inbox, which gets `email.received`."""

    def __init__(self, io: BlockingIO, name: str) -> None:
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


class InboxCalls(BlockingInbox):
    """The operations on an inbox of which only the id or address is known."""

    def __init__(self, io: BlockingIO, name: str) -> None:
        super().__init__(io)
        self._name = name
        self.webhook = InboxWebhook(io, name)

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


class Inbox(InboxFields, InboxCalls):
    """An inbox: its fields as they were when it was fetched, and its operations."""

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
    """The operations on a message, by its id."""

    get = blocking(operations.get_message)
    mark = blocking(operations.mark_message)
    set_tags = blocking(operations.set_tags)
    delete = blocking(operations.delete_message)
    batch = blocking(operations.batch)
    accept = blocking(operations.accept_message)
    diary = blocking(operations.diary)
    raw = blocking(operations.raw)
    attachment = blocking(operations.attachment)
    checks = blocking(operations.checks)


class Webhooks(Blocking):
    """The webhooks of the whole account."""

    create = blocking(_events.create_webhook)
    get = blocking(_events.get_webhook)
    update = blocking(_events.update_webhook)
    delete = blocking(_events.delete_webhook)
    rotate = blocking(_events.rotate_webhook)
    enable = blocking(_events.enable_webhook)
    disable = blocking(_events.disable_webhook)
    test = blocking(_events.test_webhook)
    replay = blocking(_events.replay_webhook)
    deliveries = items(_events.list_deliveries)
    list = items(_events.list_webhooks)


class Rules(Blocking):
    """Rules for mail as it arrives."""

    create = blocking(_events.create_rule)
    get = blocking(_events.get_rule)
    update = blocking(_events.update_rule)
    delete = blocking(_events.delete_rule)
    dry_run = items(_events.dry_run_rules)
    list = blocking(_events.list_rules)


class Threads(Blocking):
    """Conversations: messages received and sent."""

    get = blocking(_events.get_thread)
    messages = items(_events.list_thread_messages)
    list = items(_events.list_threads)


class Outbound(Blocking):
    """Sent emails, and emails that wait for an owner's approval."""

    get = blocking(_events.get_outbound)
    raw = blocking(_events.raw_outbound)
    approve = blocking(_events.approve_outbound)
    reject = blocking(_events.reject_outbound)
    hold = blocking(_events.get_hold)
    set_hold = blocking(_events.set_hold)
    list = items(_events.list_outbound)


class Allowlist(Blocking):
    """Recipients that an owner approved."""

    add = blocking(_events.add_recipient)
    get = blocking(_events.get_recipient)
    delete = blocking(_events.delete_recipient)
    set_enabled = blocking(_events.set_allowlist)
    list = items(_events.list_recipients)


class Domains(Blocking):
    """Your own domains."""

    create = blocking(_events.create_domain)
    get = blocking(_events.get_domain)
    delete = blocking(_events.delete_domain)
    verify = blocking(_events.verify_domain)
    set_catch_all = blocking(_events.set_catch_all)
    set_up_sending = blocking(_events.set_up_sending)
    list = items(_events.list_domains)


class SmtpFaults(Blocking):
    """Faults of a trap's SMTP: what it answers instead of accepting mail."""

    add = blocking(operations.add_fault)
    list = blocking(operations.list_faults)
    delete = blocking(operations.delete_fault)
    clear = blocking(operations.clear_faults)


class Postern(Blocking):
    """A client of one Postern. Threads may share it, and it holds one connection for each concurrent request.

    Args:
        url: the URL of the server. By default POSTERN_URL, or else http://127.0.0.1:8025.
        api_key: by default POSTERN_API_KEY. A trap on your own machine needs none.

    Raises:
        ValidationError: the URL is not valid.
    """

    def __init__(self, url: str | None = None, api_key: str | None = None) -> None:
        super().__init__(BlockingIO(find_server(url, api_key)))
        self.inboxes = Inboxes(self._io)
        self.message = MessageCalls(self._io)
        self.threads = Threads(self._io)
        self.outbound = Outbound(self._io)
        self.allowlist = Allowlist(self._io)
        self.webhooks = Webhooks(self._io)
        self.rules = Rules(self._io)
        self.domains = Domains(self._io)
        self.smtp_faults = SmtpFaults(self._io)

    @property
    def url(self) -> str:
        """The URL of the server, without a slash at its end."""
        return self._io.server.url

    def inbox(self, name: str) -> InboxCalls:
        """Returns an inbox by its id or address, without checking that it exists. In a trap, every address does."""
        return InboxCalls(self._io, name)

    account = blocking(operations.account)
    wait_for_code = on_all(operations.wait_for_code)
    wait_for_link = on_all(operations.wait_for_link)
    wait_for_message = on_all(operations.wait_for_message)
    stream = items_on_all(operations.stream)
    messages = items_on_all(operations.messages)
    send = blocking(operations.send)
    sent = blocking(operations.sent)
    events = items(_events.events)
    audit_log = items(_events.audit_log)
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
