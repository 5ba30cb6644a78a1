"""Calls the methods of both clients by the names of the contract, and makes JSON of what they return."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable, Union, cast

from postern_mail import AsyncInbox, AsyncPostern, Code, Inbox, Link, Postern, PosternError, webhooks
from postern_mail.models import Model

ARGUMENTS = {"timeout_s": "timeout", "from": "from_", "now_s": "now", "tolerance_s": "tolerance"}
ITERATORS = {
    "stream",
    "messages",
    "events",
    "audit_log",
    "withheld",
    "rules.dry_run",
    "threads.messages",
    "webhook.deliveries",
    "webhooks.deliveries",
    *(f"{name}.list" for name in ("inboxes", "webhooks", "threads", "outbound", "allowlist", "domains")),
}

AnyInbox = Union[Inbox, AsyncInbox]


def find_method(client: Any, inbox: AnyInbox | None, name: str, args: dict[str, Any]) -> Callable[..., Any]:
    if name == "webhooks.verify":
        return webhooks.verify
    found: Any = inbox or client
    if "inbox" in args and not name.startswith("inboxes."):
        found = client.inbox(args.pop("inbox"))
    for part in name.split("."):
        found = getattr(found, part)
    return cast("Callable[..., Any]", found)


def prepare(args: dict[str, Any], name: str) -> tuple[list[Any], dict[str, Any]]:
    named = {ARGUMENTS.get(key, key): value for key, value in args.items()}
    positional = [named.pop("inbox")] if name.startswith("inboxes.") and "inbox" in named else []
    return positional, named


def to_json(result: Any) -> Any:
    if isinstance(result, (Code, Link)):
        kind = "code" if isinstance(result, Code) else "link"
        return {kind: str(result), "message": result.message.json}
    if isinstance(result, (Model, Inbox, AsyncInbox)):
        return result.json
    if isinstance(result, list):
        return [to_json(one) for one in result]
    return result.decode() if isinstance(result, bytes) else result


def error_to_json(error: BaseException) -> dict[str, Any]:
    if isinstance(error, PosternError):
        return {**vars(error), "kind": error.kind, **{key: getattr(error, key, None) for key in ("arrived", "reason")}}
    name = type(error).__name__
    return {"kind": "aborted" if name == "CancelledError" else name, "message": str(error)}


class BlockingCaller:
    """Runs each call in a thread."""

    can_cancel = False

    def __init__(self, url: str, api_key: str | None) -> None:
        self._threads = ThreadPoolExecutor(8)
        self._client = Postern(url, api_key)

    def begin(self, name: str, inbox: AnyInbox | None, args: dict[str, Any], take: int | None) -> Future[Any]:
        method = find_method(self._client, inbox, name, args)
        positional, named = prepare(args, name)

        def run() -> Any:
            result = method(*positional, **named)
            if name not in ITERATORS:
                return result
            items: list[Any] = []
            for item in result:
                items.append(item)
                if len(items) == take:
                    break
            result.close()
            return items

        return self._threads.submit(run)

    def close(self) -> None:
        self._threads.shutdown(wait=True)
        self._client.close()


class AsyncCaller:
    """Runs all calls in one event loop, in a thread of its own."""

    can_cancel = True

    def __init__(self, url: str, api_key: str | None) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        try:
            self._client = AsyncPostern(url, api_key)
        except BaseException:
            self._stop()
            raise

    def begin(self, name: str, inbox: AnyInbox | None, args: dict[str, Any], take: int | None) -> Future[Any]:
        method = find_method(self._client, inbox, name, args)
        positional, named = prepare(args, name)

        async def run() -> Any:
            result = method(*positional, **named)
            if name not in ITERATORS:
                return await result if asyncio.iscoroutine(result) else result
            items: list[Any] = []
            try:
                async for item in result:
                    items.append(item)
                    if len(items) == take:
                        break
            finally:
                await result.aclose()
            return items

        return asyncio.run_coroutine_threadsafe(run(), self._loop)

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._client.close(), self._loop).result()
        self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
