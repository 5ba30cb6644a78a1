"""An HTTP server that answers what a case says, one request after the other."""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from .values import Memory, difference


class Peer:
    """Listens from the beginning on; `close` returns what was not as expected."""

    def __init__(self, answers: list[dict[str, Any]], memory: Memory) -> None:
        self._answers = list(answers)
        self._memory = memory
        self._faults: list[str] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> list[str]:
        self._socket.close()
        left = [f"nobody asked for {answer}" for answer in self._answers]
        return self._faults + left

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                try:
                    self._answer(connection)
                except Exception as fault:
                    self._faults.append(f"the peer failed: {fault!r}")

    def _answer(self, connection: socket.socket) -> None:
        request = read_request(connection)
        if request is None:
            return
        if not self._answers:
            self._faults.append(f"a request too many: {request['method']} {request['path']}")
            return
        answer = self._answers.pop(0)
        fault = difference(self._memory.fill(answer.get("expect", {})), request, self._memory, "the request")
        if fault:
            self._faults.append(fault)
        time.sleep(answer.get("delay_ms", 0) / 1000)
        if answer.get("cut") != "before":
            connection.sendall(write_answer(answer, request["method"] == "HEAD"))
            # Whoever reads has read what came by then.
            time.sleep(0.1 if "cut" in answer else 0)


def read_request(connection: socket.socket) -> dict[str, Any] | None:
    data = b""
    while b"\r\n\r\n" not in data:
        part = connection.recv(65536)
        if not part:
            return None
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    parts = urlsplit(target)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    request: dict[str, Any] = {"method": method, "path": parts.path, "query": query, "headers": headers}
    return {**request, "body": json.loads(body)} if body else request


def write_answer(answer: dict[str, Any], is_head: bool) -> bytes:
    body = answer.get("text", json.dumps(answer["body"]) if "body" in answer else "").encode()
    headers = {"content-type": "application/json"} if "body" in answer else {}
    headers.update({"x-request-id": "req_1", "connection": "close"})
    status = answer.get("status", 200)
    if status != 204 and not is_head:
        headers["content-length"] = str(len(body) + (1 if answer.get("cut") == "middle" else 0))
    headers.update(answer.get("headers", {}))
    lines = [f"HTTP/1.1 {status} So", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + (b"" if is_head or status == 204 else body)


def find_closed_port() -> str:
    """The URL of a port where nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return f"http://127.0.0.1:{one.getsockname()[1]}"
