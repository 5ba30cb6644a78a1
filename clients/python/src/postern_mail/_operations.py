"""Every operation of the API, once, for both clients."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Union
from uuid import uuid4

from ._asking import ask, do, fetch, read_list, walk
from ._steps import Answer, ItemSteps, Request, Steps, begin
from ._streaming import find_start, stream_from
from ._waiting import wait
from ._wire import Server, check, get, keyed, not_postern, path, read_results, send_json
from .models import (
    Account,
    BatchResult,
    BatchVerification,
    Checks,
    Code,
    DiaryEntry,
    InboxData,
    Link,
    Message,
    MessageSummary,
    OutboundEmail,
    SmtpFault,
    Verification,
)

Since = Union[str, datetime]
#: Files to send: dicts in the form of the API, but `content` may be bytes.
Attachments = Sequence[Mapping[str, Any]]
#: Default duration of a wait, in seconds.
TIMEOUT_S = 20.0


def given(**values: Any) -> dict[str, Any]:
    """Returns the given arguments by the API's names: `from_` is `from`."""
    return {name.rstrip("_"): value for name, value in values.items() if value is not None}


def _encode(attachments: Attachments | None) -> list[dict[str, Any]] | None:
    """Returns the files with their bytes in base64, for JSON."""
    if attachments is None:
        return None
    return [_encode_one(one) for one in attachments]


def _encode_one(attachment: Mapping[str, Any]) -> dict[str, Any]:
    content = attachment.get("content")
    if not isinstance(content, (bytes, bytearray)):
        return dict(attachment)
    return {**attachment, "content": b64encode(content).decode()}


def create(where: str, body: Mapping[str, Any] | None, idempotency_key: str | None, *, method: str = "POST") -> Request:
    """Returns a request that creates something once."""
    key = idempotency_key or str(uuid4())
    return send_json(method, where, body, key) if body is not None else keyed(method, where, key)


def account(server: Server) -> Steps[Account]:
    """Returns the key's account: its plan, its caps, and its usage this month."""
    return fetch(server, get(path("account")), Account)


# Inboxes


def create_inbox(
    server: Server,
    *,
    label: str | None = None,
    routing_key: str | None = None,
    public: bool | None = None,
    metadata: Mapping[str, Any] | None = None,
    domain: str | None = None,
    idempotency_key: str | None = None,
) -> Steps[InboxData]:
    """Creates an inbox.

    Args:
        label: a name for people, at most 120 characters.
        routing_key: the part before the @; random by default.
        public: whether anybody may read its codes and links without a key.
        metadata: your own data, at most 4096 bytes as JSON; every message of the inbox has it.
        domain: the id of one of your domains; by default the server's own.
        idempotency_key: the same key creates the same inbox once; random by default.
    """
    body = given(label=label, routing_key=routing_key, public=public, metadata=metadata, domain=domain)
    return fetch(server, create(path("inboxes"), body, idempotency_key), InboxData)


def get_inbox(server: Server, inbox: str) -> Steps[InboxData]:
    """Returns an inbox by its id or address. In a trap, every address is an inbox."""
    return fetch(server, get(path("inboxes", inbox)), InboxData)


def list_inboxes(
    server: Server, *, address: str | None = None, limit: int | None = None
) -> Steps[ItemSteps[InboxData]]:
    """Iterates over all inboxes, newest first. `limit` is the size of a page, from 1 to 100."""
    return begin(walk(server, path("inboxes"), given(address=address, limit=limit), InboxData))


def update_inbox(
    server: Server,
    inbox: str,
    *,
    label: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    public: bool | None = None,
    is_enabled: bool | None = None,
) -> Steps[InboxData]:
    """Changes the given fields. An inbox with `is_enabled=False` refuses mail and keeps the mail it has."""
    body = given(label=label, metadata=metadata, public=public, is_enabled=is_enabled)
    return fetch(server, send_json("PATCH", path("inboxes", inbox), body), InboxData)


def delete_inbox(server: Server, inbox: str) -> Steps[None]:
    """Deletes an inbox and its messages."""
    return do(server, Request("DELETE", path("inboxes", inbox)))


# Waiting


def wait_for_code(
    server: Server,
    inbox: str | None,
    *,
    timeout: float = TIMEOUT_S,
    from_: str | None = None,
    subject: str | None = None,
    since: Since | None = None,
    min_confidence: float | None = None,
    claim: bool = True,
) -> Steps[Code]:
    """Waits for a message with a one-time code, and returns the code, with its message as `code.message`.

    An unread message that is already there counts, so it does not matter whether the mail arrives before or after
    the call.

    Args:
        timeout: in seconds, as long as you like.
        from_: only messages whose From contains this, case-insensitive.
        subject: only messages whose subject contains this, case-insensitive.
        since: only messages received after this time or message id. By default, stored unread messages count too.
        min_confidence: from 0 to 1. Codes with a lower confidence don't count.
        claim: mark the message read in the same step, so that no other wait gets it. False leaves it unread.

    Raises:
        WaitTimeoutError: no such message arrived; its text says what arrived instead.
    """
    conditions = given(from_=from_, subject_contains=subject, since=since, min_confidence=min_confidence)
    message = yield from wait(server, inbox, "otp", timeout, claim, conditions)
    code = Code(message.otp or "")
    code.message = message
    return code


def wait_for_link(
    server: Server,
    inbox: str | None,
    *,
    timeout: float = TIMEOUT_S,
    from_: str | None = None,
    subject: str | None = None,
    since: Since | None = None,
    claim: bool = True,
) -> Steps[Link]:
    """Waits for a message with a magic link, and returns the link, with its message as `link.message`.

    The arguments and errors are those of `wait_for_code`.
    """
    conditions = given(from_=from_, subject_contains=subject, since=since)
    message = yield from wait(server, inbox, "link", timeout, claim, conditions)
    link = Link(message.magic_link or "")
    link.message = message
    return link


def wait_for_message(
    server: Server,
    inbox: str | None,
    *,
    timeout: float = TIMEOUT_S,
    require: str = "message",
    from_: str | None = None,
    subject: str | None = None,
    since: Since | None = None,
    min_confidence: float | None = None,
    claim: bool = True,
) -> Steps[Message]:
    """Waits for a message: any (`require="message"`), or one with a code or link (`otp`, `link`, `any`).

    The other arguments and the errors are those of `wait_for_code`.
    """
    conditions = given(from_=from_, subject_contains=subject, since=since, min_confidence=min_confidence)
    return wait(server, inbox, require, timeout, claim, conditions)


def stream(
    server: Server,
    inbox: str | None,
    *,
    require: str = "message",
    from_: str | None = None,
    subject: str | None = None,
    since: Since | None = None,
    min_confidence: float | None = None,
) -> Steps[ItemSteps[Message]]:
    """Iterates over messages as they arrive, without end. Each comes once, whatever happens to the connection.

    It starts with messages that arrive from now on (in the async client: from the first step of the loop), or after
    `since`: a time, the id of a message, or "0" for the stored unread messages. The other arguments are
    those of `wait_for_code`.
    """
    conditions = given(require=require, from_=from_, subject_contains=subject, min_confidence=min_confidence)
    start = since.isoformat() if isinstance(since, datetime) else since
    is_given = start is not None
    if start is None:
        start = yield from find_start(server, inbox)
    return stream_from(server, inbox, start, conditions, was_answered=not is_given)


# Messages


def messages(
    server: Server,
    inbox: str | None,
    *,
    search: str | None = None,
    q: str | None = None,
    from_: str | None = None,
    subject_contains: str | None = None,
    has_otp: bool | None = None,
    read: bool | None = None,
    limit: int | None = None,
) -> Steps[ItemSteps[MessageSummary]]:
    """Iterates over the stored messages, newest first.

    Args:
        search: words and conditions, such as `from:ann has:attachment`.
        q: part of the subject or of From.
        from_: part of From.
        subject_contains: part of the subject.
        has_otp: only messages with a code.
        read: only read or only unread ones.
        limit: the size of a page, from 1 to 100.
    """
    filters = given(
        search=search,
        q=q,
        from_=from_,
        subject_contains=subject_contains,
        has_otp=has_otp,
        read=read,
        limit=limit,
    )
    where = path("messages") if inbox is None else path("inboxes", inbox, "messages")
    return begin(walk(server, where, filters, MessageSummary))


def latest(server: Server, inbox: str) -> Steps[Message]:
    """Returns the newest message. Raises NotFoundError if there is none."""
    return fetch(server, get(path("inboxes", inbox, "messages", "latest")), Message)


def get_message(server: Server, id: str) -> Steps[Message]:
    """Returns a whole message."""
    return fetch(server, get(path("messages", id)), Message)


def mark_message(server: Server, id: str, *, read: bool = True) -> Steps[Message]:
    """Marks a message read or unread."""
    return fetch(server, send_json("PATCH", path("messages", id), {"read": read}), Message)


def set_tags(server: Server, id: str, tags: Sequence[str]) -> Steps[Message]:
    """Replaces the tags of a message. At most 20, of a-z 0-9 _ and -."""
    return fetch(server, send_json("PUT", path("messages", id, "tags"), {"tags": list(tags)}), Message)


def delete_message(server: Server, id: str) -> Steps[None]:
    """Deletes a message."""
    return do(server, Request("DELETE", path("messages", id)))


def batch(server: Server, action: str, ids: Sequence[str]) -> Steps[list[BatchResult]]:
    """Applies `mark_read`, `delete` or `fetch` to at most 100 messages. The results are in the order of the ids."""
    request = send_json("POST", path("messages", "batch"), {"action": action, "ids": list(ids)})
    return ask(server, request, lambda answer: read_results(server, check(server, answer), BatchResult))


def accept_message(server: Server, id: str) -> Steps[Message]:
    """Hands on a message that the sender lists of its inbox withheld. It keeps its id and is received now."""
    return fetch(server, Request("POST", path("messages", id, "accept")), Message)


def diary(server: Server, id: str) -> Steps[list[DiaryEntry]]:
    """Returns what rules did to a message, oldest first."""
    return read_list(server, path("messages", id, "diary"), DiaryEntry)


def raw(server: Server, id: str) -> Steps[bytes]:
    """Returns the bytes of a message as received."""
    return fetch_bytes(server, path("messages", id, "raw"))


def attachment(server: Server, id: str, index: int) -> Steps[bytes]:
    """Returns the decoded bytes of an attachment."""
    return fetch_bytes(server, path("messages", id, "attachments", str(index)))


def fetch_bytes(server: Server, where: str) -> Steps[bytes]:
    def read(answer: Answer) -> bytes:
        # An attachment may be an HTML page, so only this distinguishes it from a proxy's page.
        if "x-request-id" not in check(server, answer).headers:
            raise not_postern(server, answer)
        return answer.body

    return ask(server, get(where), read)


def checks(server: Server, id: str, *, fetch_links: bool = False) -> Steps[Checks]:
    """Checks what is wrong with a message. With `fetch_links`, the server requests at most 20 of its links."""
    query = {"fetch": "links"} if fetch_links else {}
    return fetch(server, get(path("messages", id, "checks"), query), Checks)


# Sending


def send(
    server: Server,
    *,
    from_address: str,
    to: Sequence[str],
    subject: str,
    cc: Sequence[str] | None = None,
    bcc: Sequence[str] | None = None,
    reply_to: str | None = None,
    body_text: str | None = None,
    body_html: str | None = None,
    attachments: Attachments | None = None,
    idempotency_key: str | None = None,
) -> Steps[OutboundEmail]:
    """Queues an email from an address on one of your verified domains. `sent(email.id)` returns its status.

    An attachment is `{"filename": "a.pdf", "content_type": "application/pdf", "content": b"..."}`, or one of a received
    message: `{"message_id": message.id, "index": 0}`. At most 25 MiB in all.
    """
    body = given(
        from_address=from_address,
        to=to,
        cc=cc,
        bcc=bcc,
        reply_to=reply_to,
        subject=subject,
        body_text=body_text,
        body_html=body_html,
        attachments=_encode(attachments),
    )
    return fetch(server, create(path("outbound_emails"), body, idempotency_key), OutboundEmail)


def compose(
    server: Server,
    inbox: str,
    *,
    to: Sequence[str],
    subject: str,
    cc: Sequence[str] | None = None,
    body_text: str | None = None,
    body_html: str | None = None,
    attachments: Attachments | None = None,
    idempotency_key: str | None = None,
) -> Steps[OutboundEmail]:
    """Queues an email from this inbox. Its domain must be yours and verified, DKIM included.

    Attachments are those of `client.send`.
    """
    files = _encode(attachments)
    body = given(to=to, subject=subject, cc=cc, body_text=body_text, body_html=body_html, attachments=files)
    return fetch(server, create(path("inboxes", inbox, "compose"), body, idempotency_key), OutboundEmail)


def reply(
    server: Server,
    inbox: str,
    message: str | Message | MessageSummary,
    *,
    body_text: str | None = None,
    body_html: str | None = None,
    cc: Sequence[str] | None = None,
    reply_all: bool | None = None,
    attachments: Attachments | None = None,
    idempotency_key: str | None = None,
) -> Steps[OutboundEmail]:
    """Answers a message (or its id) of this inbox. Attachments are those of `client.send`."""
    files = _encode(attachments)
    body = given(body_text=body_text, body_html=body_html, cc=cc, reply_all=reply_all, attachments=files)
    where = path("inboxes", inbox, "messages", _name(message), "reply")
    return fetch(server, create(where, body, idempotency_key), OutboundEmail)


def forward(
    server: Server,
    inbox: str,
    message: str | Message | MessageSummary,
    *,
    to: Sequence[str],
    body_text: str | None = None,
    body_html: str | None = None,
    include_attachments: bool | None = None,
    as_attachment: bool | None = None,
    attachments: Attachments | None = None,
    idempotency_key: str | None = None,
) -> Steps[OutboundEmail]:
    """Forwards a message (or its id) of this inbox.

    Args:
        to: the recipients.
        body_text: what you write above it.
        body_html: the same as HTML.
        include_attachments: whether to keep its attachments.
        as_attachment: whether to attach the whole message, bytes unchanged, instead of quoting it.
        attachments: further attachments, as for `client.send`.
        idempotency_key: the same key queues the same email once; random by default.
    """
    body = given(
        to=to,
        body_text=body_text,
        body_html=body_html,
        include_attachments=include_attachments,
        as_attachment=as_attachment,
        attachments=_encode(attachments),
    )
    where = path("inboxes", inbox, "messages", _name(message), "forward")
    return fetch(server, create(where, body, idempotency_key), OutboundEmail)


def _name(message: str | Message | MessageSummary) -> str:
    return message if isinstance(message, str) else message.id


def sent(server: Server, id: str) -> Steps[OutboundEmail]:
    """Returns a sent email with its current status."""
    return fetch(server, get(path("outbound_emails", id)), OutboundEmail)


# Verification


def verify(server: Server, email: str, *, mode: str | None = None) -> Steps[Verification]:
    """Checks whether an address is real: its syntax and DNS (`safe`), or its mail server too (`full`)."""
    return fetch(server, send_json("POST", path("verify"), given(email=email, mode=mode)), Verification)


def verify_batch(
    server: Server,
    emails: Sequence[str] | None = None,
    *,
    text: str | None = None,
    mode: str | None = None,
) -> Steps[BatchVerification]:
    """Checks at most 100 addresses, given as a list or as text that contains them."""
    body = given(emails=emails, text=text, mode=mode)
    return fetch(server, send_json("POST", path("verify", "batch"), body), BatchVerification)


# SMTP faults


def add_fault(
    server: Server,
    *,
    stage: str,
    recipient: str | None = None,
    sender: str | None = None,
    reply: str | None = None,
    drop: bool | None = None,
    delay_ms: int | None = None,
    skip: int | None = None,
    times: int | None = None,
    expires_in_s: int | None = None,
    probability: float | None = None,
    seed: int | None = None,
) -> Steps[SmtpFault]:
    """Makes a trap's SMTP refuse, wait or hang up, to test your mailer's retries.

    Args:
        stage: `connect`, `ehlo`, `auth`, `mail`, `rcpt`, `data` or `dot` (after the data; the mail is not stored).
        recipient: only for this recipient; `*` is any run of characters.
        sender: only for this sender; the same.
        reply: the answer, such as `450 4.2.1 try later`.
        drop: close the connection without an answer.
        delay_ms: wait this long before that.
        skip: how many matches to let pass first.
        times: how many matches to answer.
        expires_in_s: end the fault after this many seconds.
        probability: answer this share of the matches, from 0 to 1; the same `seed` answers the same ones.
        seed: see `probability`.
    """
    body = given(
        stage=stage,
        recipient=recipient,
        sender=sender,
        reply=reply,
        drop=drop,
        delay_ms=delay_ms,
        skip=skip,
        times=times,
        expires_in_s=expires_in_s,
        probability=probability,
        seed=seed,
    )
    return fetch(server, send_json("POST", path("smtp_faults"), body), SmtpFault)


def list_faults(server: Server) -> Steps[list[SmtpFault]]:
    """Returns all faults, oldest first, including used-up ones. `hits` is how often each has answered."""
    return read_list(server, path("smtp_faults"), SmtpFault)


def delete_fault(server: Server, id: str) -> Steps[None]:
    """Deletes a fault."""
    return do(server, Request("DELETE", path("smtp_faults", id)))


def clear_faults(server: Server) -> Steps[None]:
    """Deletes all faults."""
    return do(server, Request("DELETE", path("smtp_faults")))
