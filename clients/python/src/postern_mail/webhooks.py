"""Checks that a webhook delivery comes from your Postern."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping

from .errors import make_error
from .models import Message, WebhookEvent, read_model

__all__ = ["verify"]

SIGNATURE = "x-service-signature"
#: How far the clocks of the two sides may differ, in seconds.
TOLERANCE_S = 300.0


def verify(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str,
    *,
    tolerance: float = TOLERANCE_S,
    now: float | None = None,
) -> WebhookEvent:
    """Returns the event of a delivery that was signed with this secret, in the last five minutes.

    Args:
        body: the body exactly as received, before any parsing.
        headers: the headers of the request, whatever their case.
        secret: the secret of the webhook, `whsec_` included.
        tolerance: how old a delivery may be, in seconds.
        now: Unix time; by default this machine's clock.

    Raises:
        SignatureError: it was not signed with this secret, or not recently. Answer 401.
    """
    raw = body.encode() if isinstance(body, str) else bytes(body)
    header = next((value for name, value in headers.items() if name.lower() == SIGNATURE), "")
    stamp, *given = header.split(",")
    signed_at = stamp[2:] if stamp.startswith("t=") else ""
    # Other digits, such as ² or ٣, are digits for Python too.
    if not (signed_at.isascii() and signed_at.isdigit() and len(signed_at) <= 15):
        raise make_error("webhook_signature_invalid", "The delivery has no signature of Postern's.")
    # An empty secret means that its setting is missing, and anybody could sign with it.
    if secret == "":
        raise make_error("webhook_signature_invalid", "The secret is empty.")
    mac = hmac.new(secret.encode(), signed_at.encode() + b"." + raw, hashlib.sha256)
    expected = f"v1={mac.hexdigest()}".encode()
    # Some servers put bytes that are not UTF-8 into a header as lone surrogates.
    if not any(hmac.compare_digest(one.strip().encode(errors="replace"), expected) for one in given):
        raise make_error("webhook_signature_invalid", "The delivery was not signed with this secret.")
    age = (time.time() if now is None else now) - int(signed_at)
    if abs(age) > tolerance:
        raise make_error("webhook_timestamp_stale", f"The delivery was signed {age:g} s ago by this clock.")
    return _read_event(raw)


def _read_event(raw: bytes) -> WebhookEvent:
    try:
        event = read_model(WebhookEvent, json.loads(raw))
        # Read from JSON, so they may be anything, whatever the model says.
        texts: list[object] = [event.id, event.event]
        if not all(isinstance(one, str) for one in texts):
            raise TypeError("ids and kinds are text")
        message = event.data.get("message")
        if message is not None:
            vars(event)["message"] = read_model(Message, message)
        return event
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise make_error("webhook_signature_invalid", "The delivery is signed, but is no event.") from None
