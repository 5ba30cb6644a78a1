"""Operations on the rest of an account: webhooks, events, rules, threads, senders, sending, domains."""

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
    """Stands for an argument that was not given, where None has a meaning."""

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
    """Creates the webhook of this inbox, or changes its URL. Its `secret` is new and shown once."""
    request = create(_inbox_hook(inbox), {"url": url}, idempotency_key, method="PUT")
    return fetch(server, request, Webhook)


def get_inbox_webhook(server: Server, inbox: str) -> Steps[Webhook]:
    """Returns the webhook of this inbox. Raises NotFoundError if it has none."""
    return fetch(server, get(_inbox_hook(inbox)), Webhook)


def delete_inbox_webhook(server: Server, inbox: str) -> Steps[None]:
    """Deletes it, with its pending deliveries."""
    return do(server, Request("DELETE", _inbox_hook(inbox)))


def rotate_inbox_webhook(server: Server, inbox: str, *, idempotency_key: str | None = None) -> Steps[Webhook]:
    """Creates a new `secret`, shown once. The old one also signs for 24 more hours."""
    return fetch(server, create(_inbox_hook(inbox, "rotate"), None, idempotency_key), Webhook)


def enable_inbox_webhook(server: Server, inbox: str) -> Steps[Webhook]:
    """Enables it. Pending deliveries are sent at once."""
    return fetch(server, _post(_inbox_hook(inbox, "enable")), Webhook)


def disable_inbox_webhook(server: Server, inbox: str) -> Steps[Webhook]:
    """Disables it. Pending deliveries are kept."""
    return fetch(server, _post(_inbox_hook(inbox, "disable")), Webhook)


def test_inbox_webhook(server: Server, inbox: str) -> Steps[WebhookTest]:
    """Sends it a sample message now, and returns its receiver's answer."""
    return fetch(server, _post(_inbox_hook(inbox, "test")), WebhookTest)


def list_inbox_deliveries(server: Server, inbox: str, *, limit: int | None = None) -> Steps[ItemSteps[Delivery]]:
    """Iterates over the deliveries of the last 30 days, newest event first."""
    return begin(walk(server, _inbox_hook(inbox, "deliveries"), given(limit=limit), Delivery))


def replay_inbox_webhook(
    server: Server, inbox: str, *, event_id: str | None = None, since: Since | None = None
) -> Steps[Replayed]:
    """Sends one event again, or all after a time. If `next_since` is not None, call it again from there."""
    return fetch(server, send_json("POST", _inbox_hook(inbox, "replay"), _replay(event_id, since)), Replayed)


def create_webhook(
    server: Server, *, url: str, events: Sequence[str], idempotency_key: str | None = None
) -> Steps[Webhook]:
    """Creates a webhook of the whole account. Its `secret` is shown once.

    Args:
        url: the https URL to which events are posted.
        events: the kinds of event that it receives, such as `email.received` and `email.bounced`.
        idempotency_key: the same key creates the same webhook once; random by default.
    """
    body = {"url": url, "events": list(events)}
    return fetch(server, create(path("webhooks"), body, idempotency_key), Webhook)


def list_webhooks(server: Server, *, limit: int | None = None) -> Steps[ItemSteps[Webhook]]:
    """Iterates over the webhooks of the account, newest first."""
    return begin(walk(server, path("webhooks"), given(limit=limit), Webhook))


def get_webhook(server: Server, id: str) -> Steps[Webhook]:
    """Returns a webhook of the account."""
    return fetch(server, get(path("webhooks", id)), Webhook)


def update_webhook(
    server: Server,
    id: str,
    *,
    url: str | None = None,
    events: Sequence[str] | None = None,
    enabled: bool | None = None,
) -> Steps[Webhook]:
    """Changes the given fields. The secret stays."""
    body = given(url=url, events=None if events is None else list(events), enabled=enabled)
    return fetch(server, send_json("PATCH", path("webhooks", id), body), Webhook)


def delete_webhook(server: Server, id: str) -> Steps[None]:
    """Deletes it, with its pending deliveries."""
    return do(server, Request("DELETE", path("webhooks", id)))


def rotate_webhook(server: Server, id: str, *, idempotency_key: str | None = None) -> Steps[Webhook]:
    """Creates a new `secret`, shown once. The old one also signs for 24 more hours."""
    return fetch(server, create(path("webhooks", id, "rotate"), None, idempotency_key), Webhook)


def enable_webhook(server: Server, id: str) -> Steps[Webhook]:
    """Enables it. Pending deliveries are sent at once."""
    return fetch(server, _post(path("webhooks", id, "enable")), Webhook)


def disable_webhook(server: Server, id: str) -> Steps[Webhook]:
    """Disables it. Pending deliveries are kept."""
    return fetch(server, _post(path("webhooks", id, "disable")), Webhook)


def test_webhook(server: Server, id: str) -> Steps[WebhookTest]:
    """Sends it a sample message now, and returns its receiver's answer."""
    return fetch(server, _post(path("webhooks", id, "test")), WebhookTest)


def list_deliveries(server: Server, id: str, *, limit: int | None = None) -> Steps[ItemSteps[Delivery]]:
    """Iterates over the deliveries of the last 30 days, newest event first."""
    return begin(walk(server, path("webhooks", id, "deliveries"), given(limit=limit), Delivery))


def replay_webhook(
    server: Server, id: str, *, event_id: str | None = None, since: Since | None = None
) -> Steps[Replayed]:
    """Sends one event again, or all after a time. If `next_since` is not None, call it again from there."""
    return fetch(server, send_json("POST", path("webhooks", id, "replay"), _replay(event_id, since)), Replayed)


def events(
    server: Server,
    *,
    since: Since | None = None,
    event: str | None = None,
    inbox_id: str | None = None,
    limit: int | None = None,
) -> Steps[ItemSteps[Event]]:
    """Iterates over events, oldest first, for programs that no webhook can reach.

    The first call turns this on for the account.

    Args:
        since: only later events: the `created_at` of the last one that you have, as a time or as in `event.json`.
        event: only this kind.
        inbox_id: only of this inbox, by its id or address.
        limit: the size of a page, from 1 to 100.
    """
    return begin(walk(server, path("events"), given(since=since, event=event, inbox_id=inbox_id, limit=limit), Event))


def audit_log(server: Server, *, limit: int | None = None) -> Steps[ItemSteps[AuditEntry]]:
    """Iterates over who did what in the account, newest first. Needs an owner's key.

    `limit` is the size of a page, from 1 to 100.
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
    """Creates a rule for mail as it arrives.

    Args:
        name: a name for people.
        is_enabled: whether the rule applies.
        position: its place in the order, from 1; by default the last.
        inbox_id: only mail to this inbox, by its id or address.
        from_: part of From; with `*`, all of it.
        to: the same for the recipient.
        subject: the same for the subject.
        has_code: only mail with a code, or only mail without.
        tags: added to the message.
        mark_read: whether to mark the message as read.
        delete_after_days: from 1 to 3650.
        forward_to: approved recipients, at most 5.
        notify: `{"url": ..., "template": ...}`; the template is a string of JSON with placeholders.
        stop: whether later rules are skipped when this one matches.
        idempotency_key: the same key creates the same rule once; random by default.
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
    """Returns all rules in order."""
    return read_list(server, path("rules"), Rule)


def get_rule(server: Server, id: str) -> Steps[Rule]:
    """Returns a rule."""
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
    """Changes the given fields; None removes a condition. The arguments are those of `create`."""
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
    """Iterates over stored mail and what a rule would do to it, newest first. Nothing is changed or sent.

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
    """Returns a conversation with its first messages (25, or `limit`), oldest first."""
    return fetch(server, get(path("threads", id), given(limit=limit)), Thread)


def list_thread_messages(
    server: Server, id: str, *, limit: int | None = None
) -> Steps[ItemSteps[MessageSummary | OutboundEmail]]:
    """Iterates over all messages of a conversation, received and sent, oldest first."""
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
    """Returns who may write to this inbox: its allowed and blocked senders."""
    return fetch(server, get(path("inboxes", inbox, "senders")), SenderLists)


def set_senders(
    server: Server,
    inbox: str,
    *,
    mode: str | None = None,
    allow: Sequence[str] | None = None,
    block: Sequence[str] | None = None,
) -> Steps[SenderLists]:
    """Changes the given fields. `mode` is `everyone` or `allowed_only`; the lists have addresses and domains."""
    body = given(mode=mode, allow=allow, block=block)
    return fetch(server, send_json("PUT", path("inboxes", inbox, "senders"), body), SenderLists)


def list_withheld(server: Server, inbox: str, *, limit: int | None = None) -> Steps[ItemSteps[WithheldMessage]]:
    """Iterates over the mail that those lists withhold, newest first. `client.message.accept(id)` hands it on."""
    return begin(walk(server, path("inboxes", inbox, "withheld"), given(limit=limit), WithheldMessage))


# Sending


def list_outbound(
    server: Server, *, status: str | None = None, limit: int | None = None
) -> Steps[ItemSteps[OutboundEmail]]:
    """Iterates over sent and waiting emails, newest first."""
    return begin(walk(server, path("outbound_emails"), given(status=status, limit=limit), OutboundEmail))


def get_outbound(server: Server, id: str) -> Steps[OutboundEmail]:
    """Returns a sent email with its current status."""
    return fetch(server, get(path("outbound_emails", id)), OutboundEmail)


def raw_outbound(server: Server, id: str) -> Steps[bytes]:
    """Returns the bytes of a held email, as they would be sent."""
    return fetch_bytes(server, path("outbound_emails", id, "raw"))


def approve_outbound(server: Server, id: str) -> Steps[OutboundEmail]:
    """Approves a held email, which is then sent."""
    return fetch(server, _post(path("outbound_emails", id, "approve")), OutboundEmail)


def reject_outbound(server: Server, id: str, *, reason: str | None = None) -> Steps[OutboundEmail]:
    """Rejects a held email, which is then never sent. Its author sees the reason."""
    where = path("outbound_emails", id, "reject")
    return fetch(server, send_json("POST", where, given(reason=reason)), OutboundEmail)


def _enabled(server: Server, request: Request) -> Steps[bool]:
    return ask(
        server,
        request,
        lambda answer: read_data_of(server, check(server, answer), lambda data: bool(data["enabled"]))[0],
    )


def get_hold(server: Server) -> Steps[bool]:
    """Returns whether emails from members wait for an owner's approval, in the whole account."""
    return _enabled(server, get(path("outbound_hold")))


def set_hold(server: Server, enabled: bool) -> Steps[bool]:
    """Turns that on or off."""
    return _enabled(server, send_json("PUT", path("outbound_hold"), {"enabled": enabled}))


def get_inbox_hold(server: Server, inbox: str) -> Steps[bool]:
    """Returns whether emails from members wait for an owner's approval in this inbox."""
    return _enabled(server, get(path("inboxes", inbox, "outbound_hold")))


def set_inbox_hold(server: Server, inbox: str, enabled: bool) -> Steps[bool]:
    """Turns that on or off."""
    return _enabled(server, send_json("PUT", path("inboxes", inbox, "outbound_hold"), {"enabled": enabled}))


def add_recipient(server: Server, email: str, *, idempotency_key: str | None = None) -> Steps[ApprovedRecipient]:
    """Approves a recipient."""
    return fetch(server, create(path("outbound_allowlist"), {"email": email}, idempotency_key), ApprovedRecipient)


def list_recipients(server: Server, *, limit: int | None = None) -> Steps[ItemSteps[ApprovedRecipient]]:
    """Iterates over approved recipients, newest first."""
    return begin(walk(server, path("outbound_allowlist"), given(limit=limit), ApprovedRecipient))


def get_recipient(server: Server, id: str) -> Steps[ApprovedRecipient]:
    """Returns an approved recipient."""
    return fetch(server, get(path("outbound_allowlist", id)), ApprovedRecipient)


def delete_recipient(server: Server, id: str) -> Steps[None]:
    """Revokes the approval of a recipient."""
    return do(server, Request("DELETE", path("outbound_allowlist", id)))


def set_allowlist(server: Server, enabled: bool) -> Steps[bool]:
    """Sets whether emails may go only to approved recipients. Returns the new setting."""
    return _enabled(server, send_json("POST", path("outbound_allowlist", "mode"), {"enabled": enabled}))


# Domains


def create_domain(server: Server, name: str, *, idempotency_key: str | None = None) -> Steps[Domain]:
    """Adds one of your domains. The result has the DNS records to publish."""
    return fetch(server, create(path("domains"), {"name": name}, idempotency_key), Domain)


def list_domains(server: Server, *, limit: int | None = None) -> Steps[ItemSteps[Domain]]:
    """Iterates over your domains, newest first."""
    return begin(walk(server, path("domains"), given(limit=limit), Domain))


def get_domain(server: Server, id: str) -> Steps[Domain]:
    """Returns a domain."""
    return fetch(server, get(path("domains", id)), Domain)


def delete_domain(server: Server, id: str) -> Steps[None]:
    """Deletes a domain."""
    return do(server, Request("DELETE", path("domains", id)))


def verify_domain(server: Server, id: str) -> Steps[Domain]:
    """Checks its DNS records now."""
    return fetch(server, _post(path("domains", id, "verify")), Domain)


def set_catch_all(server: Server, id: str, catch_all: bool, *, inbox_id: str | None = None) -> Steps[Domain]:
    """Turns the catch-all on or off. Without `inbox_id`, an inbox is created to receive its mail."""
    body = given(catch_all=catch_all, inbox_id=inbox_id)
    return fetch(server, send_json("PATCH", path("domains", id, "catch_all"), body), Domain)


def set_up_sending(server: Server, id: str) -> Steps[Domain]:
    """Creates a DKIM key. The result has the record to publish."""
    return fetch(server, _post(path("domains", id, "sending_setup")), Domain)
