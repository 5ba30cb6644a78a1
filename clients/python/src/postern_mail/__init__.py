"""Postern's client for Python: inboxes for tests, programs and agents.

from postern_mail import Postern

with Postern() as client:
    inbox = client.inboxes.create()
    sign_up(inbox.address)  # what your app does
    code = inbox.wait_for_code()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import webhooks
    from .aclient import AsyncInbox, AsyncInboxCalls, AsyncPostern
    from .client import Inbox, InboxCalls, Postern
    from .errors import (
        AuthenticationError,
        ConflictError,
        ConnectionFailedError,
        NotFoundError,
        NotPosternError,
        PermissionDeniedError,
        PosternError,
        RateLimitError,
        ServerError,
        SignatureError,
        StartError,
        ValidationError,
        WaitTimeoutError,
    )
    from .models import (
        Account,
        ApprovedRecipient,
        Attachment,
        Attempt,
        AuditEntry,
        BatchResult,
        BatchVerification,
        Candidate,
        Checks,
        Code,
        Delivery,
        DiaryEntry,
        Domain,
        DryRunMatch,
        Event,
        Held,
        InboxData,
        Link,
        Message,
        MessageSummary,
        OutboundAttachment,
        OutboundEmail,
        PlannedAction,
        Recipient,
        Replayed,
        Rule,
        SenderLists,
        SmtpFault,
        Thread,
        ThreadSummary,
        Verification,
        Webhook,
        WebhookEvent,
        WebhookTest,
        WithheldMessage,
    )
    from .server import RunningPostern, start_postern

__version__ = "0.1.0"

__all__ = [
    "Account",
    "ApprovedRecipient",
    "AsyncInbox",
    "AsyncInboxCalls",
    "AsyncPostern",
    "Attachment",
    "Attempt",
    "AuditEntry",
    "AuthenticationError",
    "BatchResult",
    "BatchVerification",
    "Candidate",
    "Checks",
    "Code",
    "ConflictError",
    "ConnectionFailedError",
    "Delivery",
    "DiaryEntry",
    "Domain",
    "DryRunMatch",
    "Event",
    "Held",
    "Inbox",
    "InboxCalls",
    "InboxData",
    "Link",
    "Message",
    "MessageSummary",
    "NotFoundError",
    "NotPosternError",
    "OutboundAttachment",
    "OutboundEmail",
    "PermissionDeniedError",
    "PlannedAction",
    "Postern",
    "PosternError",
    "RateLimitError",
    "Recipient",
    "Replayed",
    "Rule",
    "RunningPostern",
    "SenderLists",
    "ServerError",
    "SignatureError",
    "SmtpFault",
    "StartError",
    "Thread",
    "ThreadSummary",
    "ValidationError",
    "Verification",
    "WaitTimeoutError",
    "Webhook",
    "WebhookEvent",
    "WebhookTest",
    "WithheldMessage",
    "start_postern",
    "webhooks",
]

#: The module of each name. A module is loaded when one of its names is first used, so blocking code needs no asyncio.
_MODULES = {
    "aclient": (
        "AsyncInbox",
        "AsyncInboxCalls",
        "AsyncPostern",
    ),
    "client": (
        "Inbox",
        "InboxCalls",
        "Postern",
    ),
    "errors": (
        "AuthenticationError",
        "ConflictError",
        "ConnectionFailedError",
        "NotFoundError",
        "NotPosternError",
        "PermissionDeniedError",
        "PosternError",
        "RateLimitError",
        "ServerError",
        "SignatureError",
        "StartError",
        "ValidationError",
        "WaitTimeoutError",
    ),
    "models": (
        "Account",
        "ApprovedRecipient",
        "Attachment",
        "Attempt",
        "AuditEntry",
        "BatchResult",
        "BatchVerification",
        "Candidate",
        "Checks",
        "Code",
        "Delivery",
        "DiaryEntry",
        "Domain",
        "DryRunMatch",
        "Event",
        "Held",
        "InboxData",
        "Link",
        "Message",
        "MessageSummary",
        "OutboundAttachment",
        "OutboundEmail",
        "PlannedAction",
        "Recipient",
        "Replayed",
        "Rule",
        "SenderLists",
        "SmtpFault",
        "Thread",
        "ThreadSummary",
        "Verification",
        "Webhook",
        "WebhookEvent",
        "WebhookTest",
        "WithheldMessage",
    ),
    "server": (
        "RunningPostern",
        "start_postern",
    ),
}


def __getattr__(name: str) -> Any:
    if name == "webhooks":
        return import_module(".webhooks", __name__)
    for module, names in _MODULES.items():
        if name in names:
            found = getattr(import_module(f".{module}", __name__), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
