"""Fixtures for pytest: a Postern for the run, and an inbox for each test.

With POSTERN_URL (and POSTERN_API_KEY, and POSTERN_SMTP as host:port), tests use that server. Otherwise a Postern is
started for the run, one for all workers of pytest-xdist. The report of a failed test shows the last mails of its inbox.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .client import Inbox, Postern
    from .models import MessageSummary
    from .server import RunningPostern

DEFAULT_SMTP = "127.0.0.1:1025"
#: How many of the latest messages a failed test's report shows, and how much of each text.
SHOWN_MAILS = 5
SHOWN_CHARS = 2000
#: How workers of pytest-xdist get the server of the run.
WORKER_INPUT = "postern"


@dataclass(frozen=True)
class PosternServer:
    """Where the Postern of the run is. Your app must send its mail to `smtp_host` and `smtp_port`."""

    url: str
    smtp_host: str
    smtp_port: int
    api_key: str | None


_used = pytest.StashKey["tuple[Postern, Inbox]"]()


class PosternPlugin:
    """The Postern of this run. It starts when the first test needs it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._running: RunningPostern | None = None
        self._server: PosternServer | None = None

    def find_server(self) -> PosternServer:
        if self._server is None:
            given = getattr(self._config, "workerinput", {}).get(WORKER_INPUT)
            self._server = PosternServer(**given) if given else self._find_or_start()
        return self._server

    def _find_or_start(self) -> PosternServer:
        from .server import split_address, start_postern

        url = os.environ.get("POSTERN_URL")
        if url:
            host, port = split_address(os.environ.get("POSTERN_SMTP") or DEFAULT_SMTP)
            return PosternServer(url, host, port, os.environ.get("POSTERN_API_KEY") or None)
        running = self._running = start_postern()
        return PosternServer(running.url, running.smtp_host, running.smtp_port, running.api_key)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Called by pytest-xdist before a worker starts. If Postern can't start, only tests that need it fail."""
        from .errors import StartError

        try:
            node.workerinput[WORKER_INPUT] = asdict(self.find_server())
        except StartError:
            node.workerinput[WORKER_INPUT] = None

    def pytest_unconfigure(self) -> None:
        if self._running is not None:
            self._running.stop()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        used = item.stash.get(_used, None)
        if used is not None and report.failed and report.when == "call":
            report.sections.append((f"mail of {used[1].address}", describe_mails(*used)))
        return report


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(PosternPlugin(config), "postern-run")


@pytest.fixture(scope="session")
def postern_server(pytestconfig: pytest.Config) -> PosternServer:
    """Where the Postern of the run is: `url`, `api_key`, and `smtp_host` and `smtp_port` for your app."""
    plugin = pytestconfig.pluginmanager.get_plugin("postern-run")
    assert isinstance(plugin, PosternPlugin)
    return plugin.find_server()


@pytest.fixture(scope="session")
def postern(postern_server: PosternServer) -> Iterator[Postern]:
    """A client of the Postern of the run."""
    from .client import Postern

    with Postern(postern_server.url, postern_server.api_key) as client:
        yield client


@pytest.fixture
def inbox(postern: Postern, request: pytest.FixtureRequest) -> Iterator[Inbox]:
    """An inbox for this test alone. It is deleted afterwards; the report of a failed test shows its latest messages."""
    made = postern.inboxes.create(label=request.node.name[:120])
    request.node.stash[_used] = (postern, made)
    yield made
    from .errors import PosternError

    # A test may delete it, or stop the server, to see what its app does.
    with suppress(PosternError):
        made.delete()


def describe_mails(postern: Postern, inbox: Inbox) -> str:
    """Returns the latest messages of an inbox as text for people."""
    from itertools import islice

    from .errors import PosternError

    try:
        mails = list(islice(inbox.messages(limit=SHOWN_MAILS), SHOWN_MAILS))
        return "\n\n".join(_describe(postern, mail) for mail in mails) or "No message came."
    except PosternError as error:
        return f"It could not be read: {error}"


def _describe(postern: Postern, mail: MessageSummary) -> str:
    from .errors import NotFoundError

    found = (("Code", mail.otp), ("Link", mail.magic_link))
    lines = [
        f"Subject: {mail.subject}",
        f"From: {mail.from_}",
        f"To: {mail.envelope_recipient}",
        f"Received: {mail.received_at.isoformat()}",
        *(f"{name}: {value}" for name, value in found if value),
    ]
    try:
        text = postern.message.get(mail.id).text.strip()
    except NotFoundError:
        text = "(deleted meanwhile)"
    return "\n".join([*lines, "", text[:SHOWN_CHARS] + (" …" if len(text) > SHOWN_CHARS else "")])
