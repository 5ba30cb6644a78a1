"""What comes back: objects, codes and errors as a program sees them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import pickle
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, ClassVar

import pytest

from postern_mail import (
    AuthenticationError,
    NotFoundError,
    Postern,
    SignatureError,
    ValidationError,
    WaitTimeoutError,
    webhooks,
)
from postern_mail._sse import EventReader
from postern_mail._wire import find_server
from postern_mail.errors import make_error
from postern_mail.pytest_plugin import PosternServer

from .conftest import SendCode


def test_a_message_has_the_fields_of_the_api(trap: PosternServer, send_code: SendCode) -> None:
    with Postern(trap.url + "/api/v1/", trap.api_key) as client:
        inbox = client.inboxes.create(label="objects", metadata={"run": 1})
        began = datetime.now(timezone.utc)
        send_code(inbox.address, "493817")
        code = inbox.wait_for_code(from_="APP@", subject="sign in")
        message = code.message
        assert (code, code.code, message.otp) == ("493817", "493817", "493817")
        assert message.from_ == "app@example.com"
        assert message.read
        assert abs((message.received_at - began).total_seconds()) < 60
        assert message.otp_candidates[0].code == "493817"
        assert message.metadata == {"run": 1}
        assert client.message.get(message.id) == message
        assert [one.id for one in inbox.messages()] == [message.id]
        assert "493817" in repr(message)
        assert inbox.update(label="changed").label == "changed"
        with pytest.raises(AttributeError):
            message.subject = "x"  # type: ignore[misc]


def test_errors_say_what_to_do_and_survive_pickling(trap: PosternServer) -> None:
    with Postern(trap.url, "pst_live_revoked") as client, pytest.raises(AuthenticationError) as caught:
        client.account()
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(error) == str(caught.value)
    assert "revoked" in str(error)
    assert error.request_id in str(error)
    assert isinstance(make_error("wait_timeout", "x"), (WaitTimeoutError, TimeoutError))
    with pytest.raises(ValueError, match="http://") as wrong:
        Postern("localhost:8025")
    assert isinstance(wrong.value, ValidationError)
    with pytest.raises(NotFoundError), Postern(trap.url, trap.api_key) as client:
        client.message.get("msg_00000000000000000000000000000000")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_the_same_in_whatever_parts_they_come(size: int) -> None:
    text = "\ufeffretry: 1\r\n\r\nid: a\rdata: Grüße\rdata\r\rdata:x\n: note\nevent: bye\nid: b\n\nid\ndata: 1\n\n"
    raw = f"{text}data: cut".encode()
    reader = EventReader()
    events = [event for at in range(0, len(raw), size) for event in reader.feed(raw[at : at + size])]
    assert [(event.kind, event.id, event.data) for event in events] == [
        ("message", "a", "Grüße\n"),
        ("bye", "b", "x"),
        ("message", "", "1"),
    ]


@pytest.mark.parametrize("ending", ["", "/", "/api/v1", "/api/v1/"])
def test_a_url_may_have_a_path(ending: str) -> None:
    assert find_server(f"https://home.example/mail{ending}", None).url == "https://home.example/mail"


class Asked(BaseHTTPRequestHandler):
    """Answers each request with 201, and keeps its body."""

    bodies: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        body = b'{"data": {"id": "out_1", "status": "queued"}}'
        self.send_response(201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_attachments_may_be_bytes_and_rules_know_none() -> None:
    server = HTTPServer(("127.0.0.1", 0), Asked)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    content = bytes(range(256)) * 300
    with Postern(f"http://127.0.0.1:{server.server_port}", "key") as client:
        file = {"filename": "a.bin", "content": content}
        assert client.inbox("inbox_1").reply("msg_1", body_text="Hi.", attachments=[file]).status == "queued"
        client.rules.create(subject="x", from_=None, stop=True)
    server.shutdown()
    server.server_close()
    reply, rule = Asked.bodies
    assert base64.b64decode(reply["attachments"][0]["content"]) == content
    assert rule == {"subject": "x", "from": None, "stop": True}


@pytest.mark.parametrize("header", ["t=1795248000,v1=\udcff", "t=1795248000,v1=é", "t=1795248000"])
def test_a_signature_of_any_characters_is_refused(header: str) -> None:
    with pytest.raises(SignatureError):
        webhooks.verify(b"{}", {"X-Service-Signature": header}, "whsec_x", now=1795248000)


def test_an_event_about_an_email_has_no_message() -> None:
    json_event = {"id": "evt_1", "event": "email.sent", "created_at": "2026-11-21T08:00:00Z"}
    body = json.dumps({**json_event, "data": {"outbound_email": {"id": "out_1"}}}).encode()
    mac = hmac.new(b"whsec_x", b"1795248000." + body, hashlib.sha256).hexdigest()
    event = webhooks.verify(body, {"X-Service-Signature": f"t=1795248000,v1={mac}"}, "whsec_x", now=1795248000)
    assert (event.event, event.data["outbound_email"]["id"]) == ("email.sent", "out_1")
    assert not hasattr(event, "message")
