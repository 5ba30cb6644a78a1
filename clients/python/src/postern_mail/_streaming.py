"""A stream of messages that reconnects by itself and yields each message once."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

from ._asking import AWAY, ask
from ._sse import EventReader, ServerEvent, TooLarge
from ._steps import Answer, Cut, Item, ItemSteps, NotReached, Open, Read, Request, Sleep, Steps
from ._waiting import name_messages
from ._wire import (
    Server,
    connection_lost,
    not_postern,
    path,
    read_error,
    read_retry_after,
    unreachable,
    write_query,
)
from .errors import PosternError
from .models import Message, read_model

#: The server sends a heartbeat every 10 s. After this much silence the connection is dead.
SILENCE_S = 25.0
#: A connection that lasted this long was not a failure.
STEADY_S = 3.0
#: Pauses before reconnecting, shortest first; about a minute and a half in all.
PAUSES_S = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 30.0)
#: The same if no connection was ever made, so that a wrong address is an error soon.
FIRST_PAUSES_S = (0.25, 0.5, 1.0, 2.0)


def find_start(server: Server, inbox: str | None) -> Steps[str]:
    """Returns the position of a stream that starts now, by the server's clock.

    Empty when the server refuses: the answer to HEAD has no body, so the stream itself is asked why.
    """
    request = Request("HEAD", name_messages(inbox, "wait"), write_query({"require": "message"}))
    return ask(server, request, lambda answer: answer.headers.get("x-wait-since") or "")


def stream_from(
    server: Server, inbox: str | None, since: str, conditions: Mapping[str, Any], *, was_answered: bool
) -> ItemSteps[Message]:
    """Yields messages as they arrive, without end. `was_answered` means that the server has answered before."""
    streaming = _Streaming(server, since, PAUSES_S if was_answered else FIRST_PAUSES_S)
    where = path("messages", "stream") if inbox is None else path("inboxes", inbox, "stream")
    query = write_query(conditions)
    while True:
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
        if streaming.since:
            headers["Last-Event-ID"] = streaming.since
        pause = 0.0
        try:
            request = Request("GET", where, query, headers, None, SILENCE_S)
            answer: Answer = yield Open(request)
            if answer.status == 200:
                yield from streaming.read(answer)
                pause = streaming.end()
            else:
                pause = yield from streaming.refuse(answer)
        except NotReached as fault:
            pause = streaming.note_failure(unreachable(server, fault))
        except Cut as fault:
            pause = streaming.note_failure(connection_lost(server, fault))
        if pause > 0:
            yield Sleep(pause)


class _Streaming:
    """How far a stream has come."""

    def __init__(self, server: Server, since: str, pauses: tuple[float, ...]) -> None:
        self.server = server
        #: Where to continue: the id of the last message, or a time.
        self.since = since
        self.pauses: Iterator[float] = iter(pauses)
        self.began = 0.0

    def read(self, answer: Answer) -> ItemSteps[Message]:
        """Yields the messages of one connection."""
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            part = yield Read()
            raise not_postern(self.server, Answer(answer.status, answer.headers, part))
        reader = EventReader()
        self.began = time.monotonic()
        while True:
            part = yield Read()
            if part == b"":
                return
            try:
                events = list(reader.feed(part))
            except TooLarge:
                raise not_postern(self.server, answer) from None
            # Not when connected: a proxy may accept the connection without a server behind it.
            if events or time.monotonic() - self.began > STEADY_S:
                self.pauses = iter(PAUSES_S)
            for event in events:
                message = self.take(event, answer)
                if message is not None:
                    yield Item(message)

    def end(self) -> float:
        """Handles a clean end of the connection; returns the seconds to pause."""
        if time.monotonic() - self.began > STEADY_S:
            return 0.0
        return self.note_failure(connection_lost(self.server, Cut("streams end as soon as they begin")))

    def take(self, event: ServerEvent, answer: Answer) -> Message | None:
        try:
            if event.kind == "message":
                message = read_model(Message, json.loads(event.data))
                self.since = event.id or self.since
                return message
            if event.kind == "bye":
                self.since = str(json.loads(event.data).get("since") or self.since)
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise not_postern(self.server, Answer(answer.status, answer.headers, event.data.encode())) from None
        return None

    def refuse(self, answer: Answer) -> Any:
        """Handles an answer that is not a stream; returns the seconds to pause."""
        body = b""
        while len(body) < 65536:
            part = yield Read()
            if part == b"":
                break
            body += part
        whole = Answer(answer.status, answer.headers, body)
        error = read_error(self.server, whole)
        if answer.status != 429 and answer.status not in AWAY:
            raise error
        return self.note_failure(error, read_retry_after(whole))

    def note_failure(self, error: PosternError, asked: float | None = None) -> float:
        """Returns the seconds to pause before reconnecting. Raises the error after too many attempts."""
        pause = next(self.pauses, None)
        if pause is None:
            raise error
        return pause if asked is None else min(max(pause, asked), PAUSES_S[-1])
