"""Every case of the contract that all clients share (clients/contract/README.md), with both clients."""

from __future__ import annotations

import json
import os
import smtplib
import time
import uuid
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotDone
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Union

import pytest

from .contract.callers import AsyncCaller, BlockingCaller, error_to_json, to_json
from .contract.peer import Peer, find_closed_port
from .contract.values import Memory, difference

FOLDER = Path(os.environ.get("POSTERN_CONTRACT") or Path(__file__).parents[2] / "contract")
SERVERS: dict[str, dict[str, str]] = json.loads(os.environ.get("POSTERN_CONTRACT_SERVERS", "{}"))
WITHIN_S = 15.0

Caller = Union[BlockingCaller, AsyncCaller]
Begun = tuple["Future[Any]", float]


def list_cases() -> list[Any]:
    files = sorted((FOLDER / "cases").glob("*.json"))
    return [
        pytest.param(case, id=f"{file.stem}: {case['title']}")
        for file in files
        for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
    ]


@pytest.mark.parametrize("kind", [BlockingCaller, AsyncCaller], ids=["sync", "async"])
@pytest.mark.parametrize("case", list_cases())
def test_case(case: dict[str, Any], kind: type[Caller]) -> None:
    if any("cancel" in step for step in case["steps"]) and not kind.can_cancel:
        pytest.skip("a call that blocks can't be cancelled")
    if "server" in case and case["server"] not in SERVERS:
        pytest.skip("POSTERN_CONTRACT_SERVERS names no such server")
    memory = Memory(unique=uuid.uuid4().hex[:10], closed=find_closed_port())
    peer = Peer(case["peer"], memory) if "peer" in case else None
    server = SERVERS[case["server"]] if peer is None else {"url": peer.url, "api_key": "pst_live_contract"}
    memory.saved["peer"] = server["url"]
    run = Run(kind, {**server, **memory.fill(case.get("client", {}))}, memory)
    try:
        for step in case["steps"]:
            run.do(step)
    finally:
        run.close()
    assert (peer.close() if peer else []) == []


class Run:
    """One case with one client."""

    def __init__(self, kind: type[Caller], server: dict[str, Any], memory: Memory) -> None:
        self.kind, self.server, self.memory = kind, server, memory
        self.caller: Caller | None = None
        self.inboxes: dict[str, Any] = {}
        self.begun: dict[str, Begun] = {}

    def do(self, step: dict[str, Any]) -> None:
        if "pause_ms" in step:
            time.sleep(step["pause_ms"] / 1000)
        elif "mail" in step:
            self.send_mail(self.memory.fill(step["mail"]))
        elif "begin" in step:
            self.begun[step["begin"]] = self.begin(step)
        elif "end" in step:
            begun = self.begun.pop(step["end"])
            if step.get("cancel"):
                begun[0].cancel()
            self.finish(step, begun)
        else:
            self.finish(step, self.begin(step))

    def begin(self, step: dict[str, Any]) -> Begun:
        began = time.monotonic()
        inbox = self.inboxes[step["on"]] if "on" in step else None
        args = self.memory.fill(step.get("args", {}))
        try:
            # Here and not before: a URL that is none is an error of the first call.
            self.caller = self.caller or self.kind(self.server["url"], self.server["api_key"])
            return self.caller.begin(step["call"], inbox, args, step.get("take")), began
        except Exception as fault:
            failed: Future[Any] = Future()
            failed.set_exception(fault)
            return failed, began

    def finish(self, step: dict[str, Any], begun: Begun) -> None:
        future, began = begun
        name = step.get("call") or step["end"]
        result, error = None, None
        try:
            result = future.result(timeout=step.get("within_s", WITHIN_S))
        except NotDone:
            if not future.done():
                future.cancel()
                pytest.fail(f"{name} took longer than {step.get('within_s', WITHIN_S)} s")
            error = error_to_json(future.exception() or AssertionError())
        except (Exception, CancelledError) as fault:
            error = error_to_json(fault)
        took = time.monotonic() - began
        assert took >= step.get("after_s", 0), f"{name} took only {took} s"
        if "error" in step:
            assert error is not None, f"{name} succeeded with {to_json(result)}"
            assert difference(self.memory.fill(step["error"]), error, self.memory, f"the error of {name}") is None
            return
        assert error is None, f"{name} failed: {error}"
        if "result" in step:
            expected = self.memory.fill(step["result"])
            assert difference(expected, to_json(result), self.memory, name) is None
        if "save" in step:
            self.memory.saved[step["save"]] = to_json(result)
            self.inboxes[step["save"]] = result

    def send_mail(self, mail: dict[str, Any]) -> None:
        host, port = self.server["smtp"].rsplit(":", 1)
        to = mail["to"] if isinstance(mail["to"], list) else [mail["to"]]
        sender = mail.get("from", "app@example.com")
        code = mail.get("code", 250)
        with smtplib.SMTP(host, int(port)) as smtp:
            try:
                smtp.sendmail(sender, to, write_mail(mail, sender, to))
                got = 250
            except smtplib.SMTPRecipientsRefused as refused:
                got = next(iter(refused.recipients.values()))[0]
            except smtplib.SMTPResponseException as refused:
                got = refused.smtp_code
        assert got == code

    def close(self) -> None:
        for future, _ in self.begun.values():
            future.cancel()
        if self.caller:
            self.caller.close()


def write_mail(mail: dict[str, Any], sender: str, to: list[str]) -> bytes:
    headers = {"From": sender, "To": ", ".join(to), "Subject": mail.get("subject", "")}
    if "headers" in mail:
        lines = [f"{name}: {value}" for name, value in {**headers, **mail["headers"]}.items()]
        return "\r\n".join([*lines, "", mail.get("text", "")]).encode()
    message = EmailMessage()
    for name, value in headers.items():
        message[name] = value
    message.set_content(mail.get("text", ""))
    if "html" in mail:
        message.add_alternative(mail["html"], subtype="html")
    return message.as_bytes()
