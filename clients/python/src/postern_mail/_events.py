"""Operations on what an account is told of and sets up: webhooks, events, rules, threads, sending, domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Union

from ._asking import ask, do, fetch, read_list, walk
from ._operations import Since, create, fetch_bytes, given
from ._steps import Answer, Item, ItemSteps, Request, Steps, begin
from ._wire import Server, check, get, path, read_data_of, read_rows, send_json
from .models import (
    ApprovedRecipient,
    AuditEntry,
    Delivery,
    Domain,
    DryRunMatch,
    Event,
    MessageSummary,
    OutboundEmail,
    Replayed,
    Rule,
    SenderLists,
    Thread,
    ThreadSummary,
    Webhook,
    WebhookTest,
    WithheldMessage,
    read_thread_message,
)


class _Unset:
    """What was not given, where None means something."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()
Text = Union[str, _Unset, None]


def _set(**values: Any) -> dict[str, Any]:
    return {name.rstrip("_"): value for name, value in values.items() if not isinstance(value, _Unset)}


def _post(where: str) -> Request:
    return Request("POST", where)


def _time(since: Since) -> str:
    return since.isoformat() if isinstance(since, datetime) else since


# Webhooks: of an inbox, and of the account. `where` is the path of one.


def _inbox_hook(inbox: str, *rest: str) -> str:
    return path("inboxes", inbox, "webhook", *rest)


def _replay(event_id: str | None, since: Since | None) -> dict[str, Any]:
    return given(event_id=event_id, since=None if since is None else _time(since))


def set_inbox_webhook(server: Server, inbox: str, url: str, *, idempotency_key: str | None = None) -> Steps[Webhook]:
    """Creates the webhook of this inbox, or changes its URL. Its `secret` is new, and shown once."""
    request = create(_inbox_hook(inbox), {"url": url}, idempotency_key, method="PUT")
    return fetch(server, request, Webhook)


def get_inbox_webhook(server: Server, inbox: str) -> Steps[Webhook]:
    """The webhook of this inbox. Raises NotFoundError when it has none."""
    return fetch(server, get(_inbox_hook(inbox)), Webhook)


def delete_inbox_webhook(server: Server, inbox: str) -> Steps[None]:
    """Deletes it. What is pending is dropped."""
    return do(server, Request("DELETE", _inbox_hook(inbox)))


def rotate_inbox_webhook(server: Server, inbox: str, *, idempotency_key: str | None = None) -> Steps[Webhook]:
    """Makes a new `secret`, shown once. The old one signs too for 24 more hours."""
    return fetch(server, create(_inbox_hook(inbox, "rotate"), None, idempotency_key), Webhook)


def enable_inbox_webhook(server: Server, inbox: str) -> Steps[Webhook]:
    """Turns it on. What is pending is sent at once."""
    return fetch(server, _post(_inbox_hook(inbox, "enable")), Webhook)


def disable_inbox_webhook(server: Server, inbox: str) -> Steps[Webhook]:
    """Turns it off. What is pending is kept."""
    return fetch(server, _post(_inbox_hook(inbox, "disable")), Webhook)


def test_inbox_webhook(server: Server, inbox: str) -> Steps[WebhookTest]:
    """Sends a sample message to it now, and returns its answer."""
    return fetch(server, _post(_inbox_hook(inbox, "test")), WebhookTest)


def list_inbox_deliveries(server: Server, inbox: str, *, limit: int | None = None) -> Steps[ItemSteps[Delivery]]:
    """Iterates over the deliveries of 30 days, newest event first."""
    return begin(walk(server, _inbox_hook(inbox, "deliveries"), given(limit=limit), Delivery))


def replay_inbox_webhook(
    server: Server, inbox: str, *, event_id: str | None = None, since: Since | None = None
) -> Steps[Replayed]:
    """Sends one event again, or all after a time. When `next_since` is not None, go on from there."""
    return fetch(server, send_json("POST", _inbox_hook(inbox, "replay"), _replay(event_id, since)), Replayed)


def create_webhook(
    server: Server, *, url: str, events: Sequence[str], idempotency_key: str | None = None
) -> Steps[Webhook]:
    """Creates a webhook of the whole account. Its `secret` is shown once.

    Args:
        url: where events are posted to, by https.
        events: the kinds that it gets, such as `email.received` and `email.bounced`.
        idempotency_key: the same key creates the same webhook once; random unless given.
    """
    body = {"url": url, "events": list(events)}
    return fetch(server, create(path("webhooks"), body, idempotency_key), Webhook)


def list_webhooks(server: Server, *, limit: int | None = None) -> Steps[ItemSteps[Webhook]]:
    """Iterates over the webhooks of the account, newest first."""
    return begin(walk(server, path("webhooks"), given(limit=limit), Webhook))


def get_webhook(server: Server, id: str) -> Steps[Webhook]:
    """A webhook of the account."""
    return fetch(server, get(path("webhooks", id)), Webhook)


def update_webhook(
    server: Server,
    id: str,
    *,
    url: str | None = None,
    events: Sequence[str] | None = None,
    enabled: bool | None = None,
) -> Steps[Webhook]:
    """Changes what is given. The secret stays."""
    body = given(url=url, events=None if events is None else list(events), enabled=enabled)
    return fetch(server, send_json("PATCH", path("webhooks", id), body), Webhook)


def delete_webhook(server: Server, id: str) -> Steps[None]:
    """Deletes it. What is pending is dropped."""
    return do(server, Request("DELETE", path("webhooks", id)))


def rotate_webhook(server: Server, id: str, *, idempotency_key: str | None = None) -> Steps[Webhook]:
    """Makes a new `secret`, shown once. The old one signs too for 24 more hours."""
    return fetch(server, create(path("webhooks", id, "rotate"), None, idempotency_key), Webhook)


def enable_webhook(server: Server, id: str) -> Steps[Webhook]:
    """Turns it on. What is pending is sent at once."""
    return fetch(server, _post(path("webhooks", id, "enable")), Webhook)


def disable_webhook(server: Server, id: str) -> Steps[Webhook]:
    """Turns it off. What is pending is kept."""
    return fetch(server, _post(path("webhooks", id, "disable")), Webhook)


def test_webhook(server: Server, id: str) -> Steps[WebhookTest]:
    """Sends a sample message to it now, and returns its answer."""
    return fetch(server, _post(path("webhooks", id, "test")), WebhookTest)


def list_deliveries(server: Server, id: str, *, limit: int | None = None) -> Steps[ItemSteps[Delivery]]:
    """Iterates over the deliveries of 30 days, newest event first."""
    return begin(walk(server, path("webhooks", id, "deliveries"), given(limit=limit), Delivery))


def replay_webhook(
    server: Server, id: str, *, event_id: str | None = None, since: Since | None = None
) -> Steps[Replayed]:
    """Sends one event again, or all after a time. When `next_since` is not None, go on from there."""
    return fetch(server, send_json("POST", path("webhooks", id, "replay"), _replay(event_id, since)), Replayed)


def events(
    server: Server,
    *,
    since: Since | None = None,
    event: str | None = None,
    inbox_id: str | None = None,
    limit: int | None = None,
) -> Steps[ItemSteps[Event]]:
    """Iterates over what happened, oldest first, for programs that no webhook can reach.

    The first call turns it on for the account.

    Args:
        since: only later ones: the `created_at` of the last event that you have, as a time or as `event.json` has it.
        event: only this kind.
        inbox_id: only of this inbox, by its id or address.
        limit: how many one request brings, from 1 to 100.
    """
    return begin(walk(server, path("events"), given(since=since, event=event, inbox_id=inbox_id, limit=limit), Event))


def audit_log(server: Server, *, limit: int | None = None) -> Steps[ItemSteps[AuditEntry]]:
    """Iterates over who did what in the account, newest first; for keys of owners.

    `limit` is how many one request brings, from 1 to 100.
    """
    return begin(walk(server, path("audit_log"), given(limit=limit), AuditEntry))


# Rules


def create_rule(
    server: Server,
    *,
    name: Text = UNSET,
    is_enabled: bool | _Unset = UNSET,
    position: int | _Unset = UNSET,
    inbox_id: Text = UNSET,
    from_: Text = UNSET,
    to: Text = UNSET,
    subject: Text = UNSET,
    has_code: bool | _Unset | None = UNSET,
    tags: Sequence[str] | _Unset = UNSET,
    mark_read: bool | _Unset = UNSET,
    delete_after_days: int | _Unset | None = UNSET,
    forward_to: Sequence[str] | _Unset = UNSET,
    notify: Mapping[str, str] | _Unset | None = UNSET,
    stop: bool | _Unset = UNSET,
    idempotency_key: str | None = None,
) -> Steps[Rule]:
    """Creates a rule: what is done with mail as it arrives.

    Args:
        name: for people.
        is_enabled: whether it is asked.
        position: its place in the order, from 1; the last unless given.
        inbox_id: only mail to this inbox, by its id or address.
        from_: part of From; with `*`, all of it.
        to: the same of the recipient.
        subject: the same of the subject.
        has_code: only mail with a code, or only mail without.
        tags: added to the message.
        mark_read: whether it is read from the beginning on.
        delete_after_days: from 1 to 3650.
        forward_to: approved recipients, at most 5.
        notify: `{"url": ..., "template": ...}`; the template is a string of JSON with placeholders.
        stop: whether later rules are not asked when this one matches.
        idempotency_key: the same key creates the same rule once; random unless given.
    """
    body = _set(
        name=name,
        is_enabled=is_enabled,
        position=position,
        inbox_id=inbox_id,
        from_=from_,
        to=to,
        subject=subject,
        has_code=has_code,
        tags=tags,
        mark_read=mark_read,
        delete_after_days=delete_after_days,
        forward_to=forward_to,
        notify=notify,
        stop=stop,
    )
    return fetch(server, create(path("rules"), body, idempotency_key), Rule)


def list_rules(server: Server) -> Steps[list[Rule]]:
    """All rules, in their order."""
    return read_list(server, path("rules"), Rule)


def get_rule(server: Server, id: str) -> Steps[Rule]:
    """A rule."""
    return fetch(server, get(path("rules", id)), Rule)


def update_rule(
    server: Server,
    id: str,
    *,
    name: Text = UNSET,
    is_enabled: bool | _Unset = UNSET,
    position: int | _Unset = UNSET,
    inbox_id: Text = UNSET,
    from_: Text = UNSET,
    to: Text = UNSET,
    subject: Text = UNSET,
    has_code: bool | _Unset | None = UNSET,
    tags: Sequence[str] | _Unset = UNSET,
    mark_read: bool | _Unset = UNSET,
    delete_after_days: int | _Unset | None = UNSET,
    forward_to: Sequence[str] | _Unset = UNSET,
    notify: Mapping[str, str] | _Unset | None = UNSET,
    stop: bool | _Unset = UNSET,
) -> Steps[Rule]:
    """Changes what is given; None takes a condition away. The arguments are those of `create`."""
    body = _set(
        name=name,
        is_enabled=is_enabled,
        position=position,
        inbox_id=inbox_id,
        from_=from_,
        to=to,
        subject=subject,
        has_code=has_code,
        tags=tags,
        mark_read=mark_read,
        delete_after_days=delete_after_days,
        forward_to=forward_to,
        notify=notify,
        stop=stop,
    )
    return fetch(server, send_json("PATCH", path("rules", id), body), Rule)


def delete_rule(server: Server, id: str) -> Steps[None]:
    """Deletes a rule."""
    return do(server, Request("DELETE", path("rules", id)))


def dry_run_rules(
    server: Server,
    *,
    rule_id: str | None = None,
    inbox_id: str | None = None,
    from_: str | None = None,
    to: str | None = None,
    subject: str | None = None,
    has_code: bool | None = None,
    tags: Sequence[str] | None = None,
    mark_read: bool | None = None,
    delete_after_days: int | None = None,
    forward_to: Sequence[str] | None = None,
    notify: Mapping[str, str] | None = None,
    stop: bool | None = None,
) -> Steps[ItemSteps[DryRunMatch]]:
    """Iterates over the mail that is there and what a rule would do with it, newest first. Nothing is changed or sent.

    `rule_id` is a stored rule; the other arguments are those of `create`, for one that is not stored. Without any, all
    rules that are on are asked.
    """
    rule = given(
        rule_id=rule_id,
        inbox_id=inbox_id,
        from_=from_,
        to=to,
        subject=subject,
        has_code=has_code,
        tags=tags,
        mark_read=mark_read,
        delete_after_days=delete_after_days,
        forward_to=forward_to,
        notify=notify,
        stop=stop,
    )
    return begin(_walk_dry_run(server, rule))


def _walk_dry_run(server: Server, rule: Mapping[str, Any]) -> ItemSteps[DryRunMatch]:
    cursor: str | None = None

    def read(answer: Answer) -> tuple[list[DryRunMatch], str | None]:
        return read_rows(server, check(server, answer), DryRunMatch)

    while True:
        body = {**rule, **given(cursor=cursor)}
        rows, cursor = yield from ask(server, send_json("POST", path("rules", "dry_run"), body), read)
        for row in rows:
            yield Item(row)
        if cursor is None:
            return


# Conversations


def list_threads(server: Server, *, limit: int | None = None) -> Steps[ItemSteps[ThreadSummary]]:
    """Iterates over conversations, the one with the newest message first."""
    return begin(walk(server, path("threads"), given(limit=limit), ThreadSummary))


def get_thread(server: Server, id: str, *, limit: int | None = None) -> Steps[Thread]:
    """A conversation with its first messages, oldest first: 25, or `limit`."""
    return fetch(server, get(path("threads", id), given(limit=limit)), Thread)


def list_thread_messages(
    server: Server, id: str, *, limit: int | None = None
) -> Steps[ItemSteps[MessageSummary | OutboundEmail]]:
    """Iterates over all messages of a conversation, oldest first: received and sent ones."""
    return begin(_walk_thread(server, path("threads", id), given(limit=limit)))


def _walk_thread(server: Server, where: str, filters: Mapping[str, Any]) -> ItemSteps[MessageSummary | OutboundEmail]:
    cursor: str | None = None

    def read(answer: Answer) -> tuple[list[MessageSummary | OutboundEmail], str | None]:
        return read_data_of(
            server, check(server, answer), lambda data: [read_thread_message(row) for row in data["messages"]]
        )

    while True:
        rows, cursor = yield from ask(server, get(where, {**filters, "cursor": cursor}), read)
        for row in rows:
            yield Item(row)
        if cursor is None:
            return


# Who may write to an inbox


def get_senders(server: Server, inbox: str) -> Steps[SenderLists]:
    """Who may write to this inbox: its allowed and blocked senders."""
    return fetch(server, get(path("inboxes", inbox, "senders")), SenderLists)


def set_senders(
    server: Server,
    inbox: str,
    *,
    mode: str | None = None,
    allow: Sequence[str] | None = None,
    block: Sequence[str] | None = None,
) -> Steps[SenderLists]:
    """Changes what is given. `mode` is `everyone` or `allowed_only`; the lists have addresses and domains."""
    body = given(mode=mode, allow=allow, block=block)
    return fetch(server, send_json("PUT", path("inboxes", inbox, "senders"), body), SenderLists)


def list_withheld(server: Server, inbox: str, *, limit: int | None = None) -> Steps[ItemSteps[WithheldMessage]]:
    """Iterates over the mail that those lists keep out, newest first. `client.message.accept(id)` hands it on."""
    return begin(walk(server, path("inboxes", inbox, "withheld"), given(limit=limit), WithheldMessage))


# Sending


def list_outbound(
    server: Server, *, status: str | None = None, limit: int | None = None
) -> Steps[ItemSteps[OutboundEmail]]:
    """Iterates over the emails that were sent or wait, newest first."""
    return begin(walk(server, path("outbound_emails"), given(status=status, limit=limit), OutboundEmail))


def get_outbound(server: Server, id: str) -> Steps[OutboundEmail]:
    """An email that was sent, with what became of it."""
    return fetch(server, get(path("outbound_emails", id)), OutboundEmail)


def raw_outbound(server: Server, id: str) -> Steps[bytes]:
    """The bytes of an email that is held, as they would be sent."""
    return fetch_bytes(server, path("outbound_emails", id, "raw"))


def approve_outbound(server: Server, id: str) -> Steps[OutboundEmail]:
    """Lets an email that is held go out."""
    return fetch(server, _post(path("outbound_emails", id, "approve")), OutboundEmail)


def reject_outbound(server: Server, id: str, *, reason: str | None = None) -> Steps[OutboundEmail]:
    """An email that is held is never sent. Whoever wrote it sees the reason."""
    where = path("outbound_emails", id, "reject")
    return fetch(server, send_json("POST", where, given(reason=reason)), OutboundEmail)


def _enabled(server: Server, request: Request) -> Steps[bool]:
    return ask(
        server,
        request,
        lambda answer: read_data_of(server, check(server, answer), lambda data: bool(data["enabled"]))[0],
    )


def get_hold(server: Server) -> Steps[bool]:
    """Whether emails of members wait for an owner's approval, in the whole account."""
    return _enabled(server, get(path("outbound_hold")))


def set_hold(server: Server, enabled: bool) -> Steps[bool]:
    """Sets that."""
    return _enabled(server, send_json("PUT", path("outbound_hold"), {"enabled": enabled}))


def get_inbox_hold(server: Server, inbox: str) -> Steps[bool]:
    """Whether emails of members from this inbox wait for an owner's approval."""
    return _enabled(server, get(path("inboxes", inbox, "outbound_hold")))


def set_inbox_hold(server: Server, inbox: str, enabled: bool) -> Steps[bool]:
    """Sets that."""
    return _enabled(server, send_json("PUT", path("inboxes", inbox, "outbound_hold"), {"enabled": enabled}))


def add_recipient(server: Server, email: str, *, idempotency_key: str | None = None) -> Steps[ApprovedRecipient]:
    """Approves a recipient."""
    return fetch(server, create(path("outbound_allowlist"), {"email": email}, idempotency_key), ApprovedRecipient)


def list_recipients(server: Server, *, limit: int | None = None) -> Steps[ItemSteps[ApprovedRecipient]]:
    """Iterates over approved recipients, newest first."""
    return begin(walk(server, path("outbound_allowlist"), given(limit=limit), ApprovedRecipient))


def get_recipient(server: Server, id: str) -> Steps[ApprovedRecipient]:
    """An approved recipient."""
    return fetch(server, get(path("outbound_allowlist", id)), ApprovedRecipient)


def delete_recipient(server: Server, id: str) -> Steps[None]:
    """Takes the approval back."""
    return do(server, Request("DELETE", path("outbound_allowlist", id)))


def set_allowlist(server: Server, enabled: bool) -> Steps[bool]:
    """Whether emails may go to approved recipients only. Returns what is set now."""
    return _enabled(server, send_json("POST", path("outbound_allowlist", "mode"), {"enabled": enabled}))


# Domains


def create_domain(server: Server, name: str, *, idempotency_key: str | None = None) -> Steps[Domain]:
    """Adds a domain of yours. What comes back has the DNS records to publish."""
    return fetch(server, create(path("domains"), {"name": name}, idempotency_key), Domain)


def list_domains(server: Server, *, limit: int | None = None) -> Steps[ItemSteps[Domain]]:
    """Iterates over your domains, newest first."""
    return begin(walk(server, path("domains"), given(limit=limit), Domain))


def get_domain(server: Server, id: str) -> Steps[Domain]:
    """A domain."""
    return fetch(server, get(path("domains", id)), Domain)


def delete_domain(server: Server, id: str) -> Steps[None]:
    """Deletes a domain."""
    return do(server, Request("DELETE", path("domains", id)))


def verify_domain(server: Server, id: str) -> Steps[Domain]:
    """Looks up its records now."""
    return fetch(server, _post(path("domains", id, "verify")), Domain)


def set_catch_all(server: Server, id: str, catch_all: bool, *, inbox_id: str | None = None) -> Steps[Domain]:
    """Whether an inbox gets all mail for addresses that do not exist; without `inbox_id` one is created for it."""
    body = given(catch_all=catch_all, inbox_id=inbox_id)
    return fetch(server, send_json("PATCH", path("domains", id, "catch_all"), body), Domain)


def set_up_sending(server: Server, id: str) -> Steps[Domain]:
    """Makes a key for DKIM. What comes back has the record to publish."""
    return fetch(server, _post(path("domains", id, "sending_setup")), Domain)
