"""The objects of the API, as frozen dataclasses with the API's own names.

``from`` is a keyword of Python, so that field is ``from_``. Times are aware datetimes in UTC. Every object has
``json``, as the server sent it, including fields that this version of the package does not know.

A field that the server omitted is not set, and reading it raises AttributeError.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from typing import Any, Callable, Optional, TypeVar

M = TypeVar("M", bound="Model")
Json = Mapping[str, Any]
#: For each field its name, its name on the wire, and the function that reads its value.
Plan = tuple[tuple[str, str, Optional[Callable[[Any], Any]]], ...]

_plans: dict[type, Plan] = {}


@dataclass(frozen=True, repr=False)
class Model:
    """An object of the API."""

    json: Json = field(compare=False)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if name != "json")
        return f"{type(self).__name__}({shown})"


def read_model(model: type[M], json: Any) -> M:
    """Reads an object of the API. Raises TypeError or ValueError if it is not one."""
    if not isinstance(json, dict):
        raise TypeError(f"{model.__name__} is an object, not {type(json).__name__}")
    plan = _plans.get(model)
    if plan is None:
        named = (one for one in fields(model) if one.name != "json")
        plan = tuple((one.name, one.name.rstrip("_"), one.metadata.get("read")) for one in named)
        _plans[model] = plan
    # Not through __init__, which would refuse an object in which the server omits a field.
    made = model.__new__(model)
    values = vars(made)
    values["json"] = json
    for one in fields(model):
        if one.default_factory is not MISSING:
            values[one.name] = one.default_factory()
    for name, key, read in plan:
        if key in json:
            values[name] = json[key] if read is None or json[key] is None else read(json[key])
    return made


def read_time(text: str) -> datetime:
    """Reads a time of the API. Python before 3.11 does not know the Z."""
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _time(default: Any = MISSING) -> Any:
    if default is MISSING:
        return field(metadata={"read": read_time})
    return field(default=default, metadata={"read": read_time})


def _each(model: type[Model]) -> Any:
    def read(rows: list[Any]) -> list[Model]:
        return [read_model(model, row) for row in rows]

    return field(default_factory=list, metadata={"read": read})


@dataclass(frozen=True, repr=False)
class Account(Model):
    """The key's own account. ``caps`` and ``usage`` have the names of the API."""

    id: str
    plan: str
    kind: str
    status: str
    caps: Mapping[str, int]
    usage: Mapping[str, Any]
    created_at: datetime = _time()


@dataclass(frozen=True, repr=False)
class InboxData(Model):
    """The fields of an inbox. The last two are None in a list."""

    id: str
    address: str
    routing_key: str
    label: str
    domain: str | None
    is_public: bool
    is_enabled: bool
    is_catch_all: bool
    metadata: Mapping[str, Any]
    created_at: datetime = _time()
    updated_at: datetime = _time()
    message_count_month: int | None = None
    webhook_configured: bool | None = None


@dataclass(frozen=True, repr=False)
class Candidate(Model):
    """A candidate for the code."""

    code: str
    confidence: float
    context: str


@dataclass(frozen=True, repr=False)
class Attachment(Model):
    """A file of a message. Its ``index`` fetches it: ``client.message.attachment(message.id, index)``."""

    index: int
    filename: str | None
    content_type: str
    size: int
    content_id: str | None
    inline: bool


@dataclass(frozen=True, repr=False)
class AnyMessage(Model):
    """The fields that a message and its summary share."""

    id: str
    inbox_id: str
    from_: str
    to: list[str]
    cc: list[str]
    subject: str
    status: str
    otp: str | None
    otp_confidence: float
    magic_link: str | None
    links: list[str]
    has_html: bool
    read: bool
    size: int
    envelope_recipient: str
    received_at: datetime = _time()
    read_at: datetime | None = _time(None)
    tags: list[str] = field(default_factory=list)
    thread_id: str = ""


@dataclass(frozen=True, repr=False)
class MessageSummary(AnyMessage):
    """A message as lists have it."""

    attachment_count: int = 0


@dataclass(frozen=True, repr=False)
class WithheldMessage(MessageSummary):
    """A message that the sender lists withhold: ``blocked``, ``not_allowed``, ``unproven`` or ``unauthenticated``."""

    withheld: str = ""


@dataclass(frozen=True, repr=False)
class SenderLists(Model):
    """Who may write to an inbox. ``mode`` is ``everyone`` or ``allowed_only``."""

    mode: str
    allow: list[str]
    block: list[str]


@dataclass(frozen=True, repr=False)
class DiaryEntry(Model):
    """What a rule did to a message. ``status`` is ``done``, ``pending``, ``failed`` or ``refused``."""

    rule_id: str
    rule_name: str
    action: str
    detail: str
    status: str
    reason: str | None
    attempts: int
    outbound_email_id: str | None
    at: datetime = _time()
    next_attempt_at: datetime | None = _time(None)


@dataclass(frozen=True, repr=False)
class Message(AnyMessage):
    """A whole message. ``html`` is as it was sent: sanitise it before you show it."""

    message_id: str | None = None
    reply_to: str | None = None
    sent_at: datetime | None = _time(None)
    otp_context: str | None = None
    otp_candidates: list[Candidate] = _each(Candidate)
    otp_reason: str | None = None
    magic_link_reason: str | None = None
    text: str = ""
    html: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    envelope_from: str = ""
    smtp_user: str | None = None
    attachments: list[Attachment] = _each(Attachment)
    authentication: Mapping[str, Any] | None = None
    truncated: bool = False
    in_reply_to: str | None = None
    references: list[str] = field(default_factory=list)
    reply_text: str = ""
    withheld: str | None = None


@dataclass(frozen=True, repr=False)
class BatchResult(Model):
    """The result of a batch for one message: ``ok``, ``deleted`` or ``not_found``; with ``fetch`` also the message."""

    id: str
    status: str
    message: Message | None = field(default=None, metadata={"read": lambda json: read_model(Message, json)})


@dataclass(frozen=True, repr=False)
class Checks(Model):
    """What is wrong with a message (docs/checks.md)."""

    html: Mapping[str, Any]
    links: list[Mapping[str, Any]]
    list_unsubscribe: Mapping[str, Any]
    size: Mapping[str, Any]
    accessibility: list[Mapping[str, str]]
    headers: list[Mapping[str, str]]


@dataclass(frozen=True, repr=False)
class Recipient(Model):
    """One recipient of an outbound email, with its server's response."""

    email: str
    status: str
    response: str | None


@dataclass(frozen=True, repr=False)
class OutboundAttachment(Model):
    """A file of an outbound email."""

    filename: str
    content_type: str
    size: int


@dataclass(frozen=True, repr=False)
class Held(Model):
    """Until when an email waits for an owner's approval, and who wrote it."""

    by: str | None
    until: datetime = _time()


@dataclass(frozen=True, repr=False)
class ApprovedRecipient(Model):
    """An address that an owner approved for outbound email."""

    id: str
    email: str
    created_at: datetime = _time()


@dataclass(frozen=True, repr=False)
class OutboundEmail(Model):
    """An outbound email: ``held``, ``queued``, ``sending``, ``sent``, ``failed``, ``rejected`` or ``bounced``."""

    id: str
    inbox_id: str | None
    from_address: str
    to: list[str]
    cc: list[str]
    bcc: list[str]
    reply_to: str | None
    subject: str
    status: str
    attempts: int
    last_error: str | None
    message_id: str
    kind: str
    created_at: datetime = _time()
    sent_at: datetime | None = _time(None)
    recipients: list[Recipient] = _each(Recipient)
    attachments: list[OutboundAttachment] = _each(OutboundAttachment)
    held: Held | None = field(default=None, metadata={"read": lambda json: read_model(Held, json)})
    in_reply_to: str | None = None
    references: list[str] = field(default_factory=list)
    thread_id: str = ""
    reply_text: str | None = None


def read_thread_message(json: Any) -> MessageSummary | OutboundEmail:
    """Reads a message of a conversation: received, or sent."""
    return read_model(OutboundEmail, json) if json["direction"] == "out" else read_model(MessageSummary, json)


@dataclass(frozen=True, repr=False)
class ThreadSummary(Model):
    """A conversation as lists have it. ``latest.json["direction"]`` is ``in`` or ``out``."""

    id: str
    subject: str
    message_count: int
    latest: MessageSummary | OutboundEmail = field(metadata={"read": read_thread_message})
    latest_at: datetime = _time()


@dataclass(frozen=True, repr=False)
class Thread(Model):
    """A conversation with its first messages, received and sent, oldest first."""

    id: str
    subject: str
    message_count: int
    messages: list[MessageSummary | OutboundEmail] = field(
        default_factory=list, metadata={"read": lambda rows: [read_thread_message(row) for row in rows]}
    )


@dataclass(frozen=True, repr=False)
class Verification(Model):
    """Whether an address is real. ``deliverable`` is ``deliverable``, ``risky``, ``undeliverable`` or ``unknown``."""

    email: str
    deliverable: str
    syntax_valid: bool
    domain: str | None
    has_mx: bool
    is_disposable: bool
    is_role: bool
    reason: str
    checked: str
    is_free: bool = False
    suggestion: str | None = None
    normalized: str | None = None
    lists_date: str | None = None
    smtp: Mapping[str, Any] | None = None


@dataclass(frozen=True, repr=False)
class BatchVerification(Model):
    """The verifications of many addresses, and the number of each verdict."""

    mode: str
    summary: Mapping[str, int]
    results: list[Verification] = _each(Verification)


@dataclass(frozen=True, repr=False)
class SmtpFault(Model):
    """A fault that makes a trap's SMTP refuse, wait or hang up. ``hits`` is how often it has answered."""

    id: str
    stage: str
    recipient: str | None
    sender: str | None
    reply: str | None
    drop: bool
    delay_ms: int
    skip: int
    times: int | None
    hits: int
    created_at: datetime = _time()
    probability: float | None = None
    seed: int | None = None
    expires_at: datetime | None = _time(None)


@dataclass(frozen=True, repr=False)
class Webhook(Model):
    """A webhook of an inbox, or of the whole account. It has its secret only when created or rotated."""

    id: str
    inbox_id: str | None
    url: str
    events: list[str]
    enabled: bool
    disabled_reason: str | None
    consecutive_failures: int
    created_at: datetime = _time()
    updated_at: datetime = _time()
    failing_since: datetime | None = _time(None)
    previous_secret_until: datetime | None = _time(None)
    secret: str | None = None


@dataclass(frozen=True, repr=False)
class Attempt(Model):
    """One attempt to deliver an event."""

    response_status: int | None
    error: str | None
    duration_ms: int
    at: datetime = _time()


@dataclass(frozen=True, repr=False)
class Delivery(Model):
    """An event for a webhook: ``pending``, ``delivered`` or ``failed``, with its attempts."""

    event_id: str
    event: str
    message_id: str | None
    status: str
    attempts: list[Attempt] = _each(Attempt)
    next_attempt_at: datetime | None = _time(None)


@dataclass(frozen=True, repr=False)
class Replayed(Model):
    """The number of events that are sent again, and the time to continue from; None if that is all."""

    replayed: int
    next_since: datetime | None = _time(None)


@dataclass(frozen=True, repr=False)
class WebhookTest(Model):
    """A receiver's answer to a sample message."""

    delivered: bool
    response_status: int
    signature_version: str
    event_id: str


@dataclass(frozen=True, repr=False)
class Event(Model):
    """Something that happened. ``data`` is in the form of the API."""

    id: str
    event: str
    inbox_id: str | None
    data: Mapping[str, Any]
    created_at: datetime = _time()


@dataclass(frozen=True, repr=False)
class AuditEntry(Model):
    """Who did what. ``actor`` is a mapping with ``kind``, ``id`` and ``name``."""

    id: str
    action: str
    account_id: str | None
    actor: Mapping[str, Any]
    ip: str | None
    user_agent: str | None
    target: str | None
    details: Mapping[str, str]
    at: datetime = _time()


@dataclass(frozen=True, repr=False)
class Rule(Model):
    """A rule for mail as it arrives. Rules run in the order of ``position``."""

    id: str
    name: str
    is_enabled: bool
    position: int
    inbox_id: str | None
    inbox_address: str | None
    from_: str | None
    to: str | None
    subject: str | None
    has_code: bool | None
    tags: list[str]
    mark_read: bool
    delete_after_days: int | None
    forward_to: list[str]
    notify: Mapping[str, str] | None
    stop: bool
    created_at: datetime = _time()
    updated_at: datetime = _time()


@dataclass(frozen=True, repr=False)
class PlannedAction(Model):
    """An action of a rule; ``refused`` says why it would not be carried out."""

    rule_id: str | None
    rule_name: str
    action: str
    detail: str
    refused: str | None


@dataclass(frozen=True, repr=False)
class DryRunMatch(Model):
    """A message that rules match, with their actions."""

    message_id: str
    inbox_id: str
    from_: str
    subject: str
    received_at: datetime = _time()
    actions: list[PlannedAction] = _each(PlannedAction)


@dataclass(frozen=True, repr=False)
class Domain(Model):
    """Your domain: ``pending_dns``, ``verified``, ``failed`` or ``disabled``, with the records to publish."""

    id: str
    name: str
    status: str
    verification_txt_host: str
    verification_token: str
    mx_target: str
    last_error: str | None
    catch_all: bool
    catch_all_inbox_id: str | None
    dkim_status: str | None
    dkim_selector: str | None
    dkim_public_key_txt: str | None
    created_at: datetime = _time()
    last_checked_at: datetime | None = _time(None)


@dataclass(frozen=True, repr=False)
class WebhookEvent(Model):
    """A delivery of a webhook. Store the ids that you have handled, because the same event may come again.

    ``data`` is in the form of the API. For ``message.deleted``, the message has only its ids and its time; for an event
    about something else, such as ``email.sent``, it is not set.
    """

    id: str
    event: str
    data: Mapping[str, Any]
    created_at: datetime = _time()
    message: Message = field(init=False)


class Code(str):
    """A one-time code: the text itself, and its message."""

    message: Message

    @property
    def code(self) -> str:
        return str(self)


class Link(str):
    """A magic link: the URL itself, and its message."""

    message: Message

    @property
    def link(self) -> str:
        return str(self)
