"""What the API answers, as frozen dataclasses with the API's own names.

``from`` is a keyword of Python, so that field is ``from_``. Times are aware datetimes in UTC. Every object has
``json``, which is what the server sent: fields that this version of the package does not know are there.

A field that the server left out is not set, and reading it raises AttributeError.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import datetime
from typing import Any, Callable, Optional, TypeVar

M = TypeVar("M", bound="Model")
Json = Mapping[str, Any]
#: For each field its name, its name on the wire, and what reads its value.
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
    """Reads an object of the API. Raises TypeError or ValueError when it is not one."""
    if not isinstance(json, dict):
        raise TypeError(f"{model.__name__} is an object, not {type(json).__name__}")
    plan = _plans.get(model)
    if plan is None:
        named = (one for one in fields(model) if one.name != "json")
        plan = tuple((one.name, one.name.rstrip("_"), one.metadata.get("read")) for one in named)
        _plans[model] = plan
    # Not through __init__, which would refuse an object of a server that leaves a field out.
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
    """The key's own account. ``caps`` and ``usage`` go by the names of the API."""

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
    """What could be the code."""

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
    """What a message and its summary have in common."""

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


@dataclass(frozen=True, repr=False)
class MessageSummary(AnyMessage):
    """A message as lists have it."""

    attachment_count: int = 0


@dataclass(frozen=True, repr=False)
class Message(AnyMessage):
    """A whole message. ``html`` is as it was sent: clean it before you show it."""

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


@dataclass(frozen=True, repr=False)
class BatchResult(Model):
    """What a batch did to one message: ``ok``, ``deleted`` or ``not_found``; ``fetch`` brings the message too."""

    id: str
    status: str
    message: Message | None = field(default=None, metadata={"read": lambda json: read_model(Message, json)})


@dataclass(frozen=True, repr=False)
class Checks(Model):
    """What is wrong with a mail (docs/checks.md)."""

    html: Mapping[str, Any]
    links: list[Mapping[str, Any]]
    list_unsubscribe: Mapping[str, Any]
    size: Mapping[str, Any]
    accessibility: list[Mapping[str, str]]
    headers: list[Mapping[str, str]]


@dataclass(frozen=True, repr=False)
class Recipient(Model):
    """One recipient of an outbound email, with what its server answered."""

    email: str
    status: str
    response: str | None


@dataclass(frozen=True, repr=False)
class OutboundEmail(Model):
    """An email that was sent, or is on its way: ``queued sending sent failed rejected bounced``."""

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


@dataclass(frozen=True, repr=False)
class Verification(Model):
    """Whether an address is real: ``deliverable`` is ``deliverable risky undeliverable`` or ``unknown``."""

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
    """The verifications of many addresses, and how many there are of each verdict."""

    mode: str
    summary: Mapping[str, int]
    results: list[Verification] = _each(Verification)


@dataclass(frozen=True, repr=False)
class SmtpFault(Model):
    """A rule that makes the SMTP of a trap refuse, wait or hang up. ``hits`` is how often it answered."""

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
class WebhookEvent(Model):
    """A delivery of a webhook. Keep the ids that were handled: the same event may come again."""

    id: str
    event: str
    message: Message
    created_at: datetime = _time()


class Code(str):
    """A one-time code: the text itself, and the message that brought it."""

    message: Message

    @property
    def code(self) -> str:
        return str(self)


class Link(str):
    """A magic link: the address itself, and the message that brought it."""

    message: Message

    @property
    def link(self) -> str:
        return str(self)
