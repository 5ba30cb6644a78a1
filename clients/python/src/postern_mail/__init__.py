"""Postern's client for Python: inboxes for tests, programs and agents.

from postern_mail import Postern

with Postern() as client:
    inbox = client.inboxes.create()
    sign_up(inbox.address)  # what your app does
    code = inbox.wait_for_code()
"""

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
    Attachment,
    BatchResult,
    BatchVerification,
    Candidate,
    Checks,
    Code,
    InboxData,
    Link,
    Message,
    MessageSummary,
    OutboundEmail,
    Recipient,
    SmtpFault,
    Verification,
    WebhookEvent,
)
from .server import RunningPostern, start_postern

__version__ = "0.1.0"

__all__ = [
    "Account",
    "AsyncInbox",
    "AsyncInboxCalls",
    "AsyncPostern",
    "Attachment",
    "AuthenticationError",
    "BatchResult",
    "BatchVerification",
    "Candidate",
    "Checks",
    "Code",
    "ConflictError",
    "ConnectionFailedError",
    "Inbox",
    "InboxCalls",
    "InboxData",
    "Link",
    "Message",
    "MessageSummary",
    "NotFoundError",
    "NotPosternError",
    "OutboundEmail",
    "PermissionDeniedError",
    "Postern",
    "PosternError",
    "RateLimitError",
    "Recipient",
    "RunningPostern",
    "ServerError",
    "SignatureError",
    "SmtpFault",
    "StartError",
    "ValidationError",
    "Verification",
    "WaitTimeoutError",
    "WebhookEvent",
    "start_postern",
    "webhooks",
]
