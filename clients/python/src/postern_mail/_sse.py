"""Server-Sent Events (WHATWG HTML, section 9.2.6), parsed from the bytes of a stream in chunks of any size."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass

#: Bound on one event, in characters. A message has at most a few million; more would only fill the memory.
EVENT_CHARS_MAX = 256 * 1024 * 1024


class TooLarge(Exception):
    """An event of the stream exceeds the bound."""


@dataclass(frozen=True)
class ServerEvent:
    kind: str
    #: The last id in the stream, empty before the first.
    id: str
    data: str


class EventReader:
    """Parses events. An incomplete event at the end of the stream is dropped."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._rest: list[str] = []
        self._rest_chars = 0
        self._after_return = False
        self._kind = ""
        self._data: list[str] = []
        self._data_chars = 0
        self._id = ""

    def feed(self, part: bytes) -> Iterator[ServerEvent]:
        """Yields the events that this chunk completes."""
        text = self._decoder.decode(part)
        if self._after_return and text:
            # A line ended with the previous chunk; this is the other half of its CRLF.
            text = text[1:] if text[0] == "\n" else text
            self._after_return = False
        if "\n" not in text and "\r" not in text:
            self._keep(text)
            return
        self._after_return = text.endswith("\r")
        lines = ("".join(self._rest) + text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest, self._rest_chars = [], 0
        self._keep(lines.pop())
        for line in lines:
            if line == "":
                yield from self._dispatch()
            else:
                self._take(line)

    def _keep(self, text: str) -> None:
        self._rest.append(text)
        self._rest_chars += len(text)
        if self._rest_chars > EVENT_CHARS_MAX:
            raise TooLarge

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._kind = value
        elif name == "data":
            self._data.append(value)
            self._data_chars += len(value)
            if self._data_chars > EVENT_CHARS_MAX:
                raise TooLarge
        elif name == "id" and "\0" not in value:
            self._id = value

    def _dispatch(self) -> Iterator[ServerEvent]:
        if self._data:
            yield ServerEvent(self._kind or "message", self._id, "\n".join(self._data))
        self._kind, self._data, self._data_chars = "", [], 0
