"""Waiting for a message, for as long as the caller likes, across failures on the way."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

from ._asking import AWAY, PAUSES_S
from ._steps import Answer, Cut, NotReached, Request, Send, Sleep, Steps
from ._wire import (
    Server,
    connection_lost,
    get,
    path,
    read_data,
    read_error,
    read_retry_after,
    unreachable,
)
from .errors import PosternError, WaitTimeoutError, load_table, make_error
from .models import Message

#: The longest and the shortest wait of one request (docs/api-v1.md, Wait).
ONE_WAIT_S = 25.0
ONE_WAIT_S_MIN = 1.0
#: How much later than the end of its wait an answer may arrive.
GRACE_S = 5.0
#: Extra time that a wait of less than a second gets for the round trip.
SHORT_GRACE_S = 0.4
#: Longest pause before trying a server again that is away or has no free slot.
PAUSE_S_MAX = 2.0


def name_messages(inbox: str | None, last: str) -> str:
    """Returns the path of `last` for the messages of an inbox, or of all inboxes."""
    return path("messages", last) if inbox is None else path("inboxes", inbox, "messages", last)


def wait(
    server: Server,
    inbox: str | None,
    require: str,
    timeout: float,
    claim: bool,
    conditions: Mapping[str, Any],
) -> Steps[Message]:
    """Waits for a message. Raises WaitTimeoutError if none arrives in time."""
    query = {"require": require, "mark_read": claim, **conditions}
    query["since"] = query.get("since") or "0"
    waiting = _Waiting(server, timeout)
    # The same key for all requests of this wait, so that a claim whose answer was lost is answered again.
    key = {"Idempotency-Key": str(uuid4())} if claim else {}
    where = name_messages(inbox, "wait")
    while True:
        request = replace(waiting.slice(get(where, {**query, "timeout": waiting.slice_s})), headers=key)
        began = time.monotonic()
        try:
            answer: Answer = yield Send(request)
            if answer.status == 200:
                return read_data(server, answer, Message)
            pause = waiting.note(answer, query)
            # A proxy that answers 204 by itself must not be polled without a pause.
            pause = pause or (PAUSES_S[0] if time.monotonic() - began < PAUSES_S[0] else 0.0)
        except NotReached as fault:
            pause = waiting.note_failure(unreachable(server, fault))
        except Cut as fault:
            pause = waiting.note_failure(connection_lost(server, fault))
        waiting.end_if_over()
        if pause > 0:
            yield Sleep(min(pause, waiting.left_s))


class _Waiting:
    """The progress of a wait."""

    def __init__(self, server: Server, timeout: float) -> None:
        self.server = server
        self.ends = time.monotonic() + timeout
        self.left_s = max(0.0, timeout)
        self.arrived = 0
        self.arrived_since: str | None = None
        self.reason = "no_message"
        #: Why the last request could not wait; None if it did.
        self.error: PosternError | None = None
        self.was_answered = False
        self.pauses: Iterator[float] = iter(PAUSES_S)
        self.timeout = timeout

    @property
    def slice_s(self) -> float:
        """The timeout of the next request. Never below the server's shortest, so that the last one is not too long."""
        left = self.left_s
        if ONE_WAIT_S < left < ONE_WAIT_S + ONE_WAIT_S_MIN:
            left -= ONE_WAIT_S_MIN
        return round(max(ONE_WAIT_S_MIN, min(ONE_WAIT_S, left)), 3)

    def slice(self, request: Request) -> Request:
        """Returns how long the client itself waits for the answer."""
        is_short = self.left_s < ONE_WAIT_S_MIN
        bound = self.left_s + SHORT_GRACE_S if is_short else self.slice_s + GRACE_S
        return replace(request, silence_s=bound, whole_s=bound)

    def note(self, answer: Answer, query: dict[str, Any]) -> float:
        """Handles an answer without a message; returns the seconds to pause."""
        if answer.status == 204:
            self._count(answer, query)
            return 0.0
        if answer.status not in AWAY and answer.status != 429:
            raise read_error(self.server, answer)
        error = read_error(self.server, answer)
        asked = read_retry_after(answer)
        if answer.status != 429:
            return self.note_failure(error)
        self.error, self.was_answered = error, True
        if error.code == "rate_limited" and (asked or 0) > self.left_s:
            raise error
        # A slot may become free long before the time that the server names.
        return min(PAUSE_S_MAX, asked or PAUSES_S[0])

    def _count(self, answer: Answer, query: dict[str, Any]) -> None:
        self.error, self.was_answered, self.pauses = None, True, iter(PAUSES_S)
        arrived = answer.headers.get("x-wait-arrived", "0")
        count = int(arrived) if arrived.isascii() and arrived.isdigit() else 0
        # From the same start, the server counts the same messages again.
        self.arrived = max(self.arrived, count) if self.arrived_since == query["since"] else self.arrived + count
        self.arrived_since = query["since"]
        if count > 0:
            self.reason = answer.headers.get("x-wait-reason", self.reason)
        query["since"] = answer.headers.get("x-wait-since") or query["since"]

    def note_failure(self, error: PosternError) -> float:
        """Handles an absent server. One that never answered is probably a wrong address, and an error soon."""
        self.error = error
        pause = next(self.pauses, None)
        if pause is None and not self.was_answered:
            raise error
        return PAUSE_S_MAX if pause is None else pause

    def end_if_over(self) -> None:
        self.left_s = self.ends - time.monotonic()
        if self.left_s > 0:
            return
        # This client ends a wait of less than a second, not the server's answer.
        is_ours = self.timeout < ONE_WAIT_S_MIN and self.error is not None and self.error.code == "connection_lost"
        if self.error is not None and not is_ours:
            raise self.error
        raise self._time_out()

    def _time_out(self) -> WaitTimeoutError:
        table = load_table()
        row = "none" if self.arrived == 0 else "one" if self.arrived == 1 else "many"
        came = str(table["arrived_text"][row]).replace("{arrived}", str(self.arrived))
        came = came.replace("{reason_text}", str(table["reasons"].get(self.reason, "none matches")))
        values: dict[str, str | int] = {"arrived_text": came, "arrived": self.arrived}
        error = make_error("wait_timeout", f"No matching message within {self.timeout:g} s.", values=values)
        assert isinstance(error, WaitTimeoutError)
        error.arrived, error.reason = self.arrived, self.reason
        return error
