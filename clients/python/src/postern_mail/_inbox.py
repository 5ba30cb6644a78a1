"""Shared by the inboxes of both clients."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from .models import InboxData, Json


class InboxFields:
    """The fields of an inbox, as they were when it was fetched."""

    data: InboxData

    @property
    def id(self) -> str:
        return self.data.id

    @property
    def address(self) -> str:
        return self.data.address

    @property
    def routing_key(self) -> str:
        return self.data.routing_key

    @property
    def label(self) -> str:
        return self.data.label

    @property
    def domain(self) -> str | None:
        return self.data.domain

    @property
    def is_public(self) -> bool:
        return self.data.is_public

    @property
    def is_enabled(self) -> bool:
        return self.data.is_enabled

    @property
    def is_catch_all(self) -> bool:
        return self.data.is_catch_all

    @property
    def metadata(self) -> Mapping[str, Any]:
        return self.data.metadata

    @property
    def created_at(self) -> datetime:
        return self.data.created_at

    @property
    def updated_at(self) -> datetime:
        return self.data.updated_at

    @property
    def json(self) -> Json:
        """The JSON that the server sent."""
        return self.data.json

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.data.json.get('address')!r})"
