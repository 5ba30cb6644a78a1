"""Nothing is lost and nothing comes twice, whatever happens to the connections."""

from __future__ import annotations

import asyncio
import os
import signal
import smtplib
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from postern_mail import AsyncPostern, ConnectionFailedError, Postern, WaitTimeoutError
from postern_mail.pytest_plugin import PosternServer
from postern_mail.server import clean_environment, find_command

from .bad_proxy import BadProxy
from .conftest import SendCode, send

MAILS = 30
CODES = [str(493811 + number) for number in range(MAILS)]


@pytest.fixture(params=[1, 2, *(pytest.param(seed, marks=pytest.mark.load) for seed in range(3, 8))])
def proxy(trap: PosternServer, request: pytest.FixtureRequest) -> Iterator[BadProxy]:
    bad = BadProxy(trap.url, request.param, enough=25)
    yield bad
    bad.close()


def send_all(send_code: SendCode, address: str) -> threading.Thread:
    def run() -> None:
        for code in CODES:
            send_code(address, code)
            time.sleep(0.02)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_a_stream_through_cut_connections(trap: PosternServer, proxy: BadProxy, send_code: SendCode) -> None:
    with Postern(trap.url, trap.api_key) as straight, Postern(proxy.url, trap.api_key) as client:
        address = straight.inboxes.create().address
        stream = client.inbox(address).stream()
        sender = send_all(send_code, address)
        got = [message.otp for message in islice(stream, MAILS)]
        stream.close()
        sender.join()
    assert got == CODES
    assert proxy.cuts > 0


def test_a_stream_through_cut_connections_with_asyncio(
    trap: PosternServer, proxy: BadProxy, send_code: SendCode
) -> None:
    async def run() -> list[str | None]:
        async with AsyncPostern(proxy.url, trap.api_key) as client:
            address = (await client.inboxes.create()).address
            sender = send_all(send_code, address)
            got: list[str | None] = []
            async for message in client.inbox(address).stream(since="0"):
                got.append(message.otp)
                if len(got) == MAILS:
                    break
            sender.join()
            return got

    assert asyncio.run(run()) == CODES


def test_waits_that_claim_through_cut_connections(trap: PosternServer, proxy: BadProxy, send_code: SendCode) -> None:
    async def run() -> list[str]:
        async with AsyncPostern(proxy.url, trap.api_key) as client:
            inbox = await client.inboxes.create()
            sender = send_all(send_code, inbox.address)
            codes = await asyncio.gather(*(inbox.wait_for_code(timeout=30) for _ in CODES))
            sender.join()
            return [str(code) for code in codes]

    assert sorted(asyncio.run(run())) == CODES


class Restartable:
    """A trap on ports and in a folder that stay, so that it can end and begin again."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
            self.http, self.smtp = one.getsockname()[1], two.getsockname()[1]
        listen = ["--http-listen", f"127.0.0.1:{self.http}", "--smtp-listen", f"127.0.0.1:{self.smtp}"]
        self._command = [*find_command(None), "capture", "--json", "--quiet", "--data", str(folder), *listen]
        self.url = f"http://127.0.0.1:{self.http}"

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=clean_environment()
        )
        assert self._process.stdout
        assert b"ready" in self._process.stdout.readline()

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()


@pytest.mark.skipif("POSTERN_BIN" not in os.environ, reason="POSTERN_BIN is not set")
def test_a_server_that_is_killed_and_restarts(tmp_path: Path) -> None:
    server = Restartable(tmp_path / "data")
    server.start()
    try:
        with Postern(server.url) as client:
            inbox = client.inboxes.create()
            stream = inbox.stream()
            send("127.0.0.1", server.smtp, inbox.address, "111222")
            assert next(stream).otp == "111222"
            got: list[str] = []
            waiting = threading.Thread(target=lambda: got.append(inbox.wait_for_code(timeout=30, subject="333444")))
            waiting.start()
            time.sleep(0.3)
            server.kill()
            time.sleep(0.5)
            server.start()
            send("127.0.0.1", server.smtp, inbox.address, "333444")
            assert next(stream).otp == "333444"
            waiting.join()
            assert got == ["333444"]
            server.kill()
            with pytest.raises(ConnectionFailedError, match="No Postern answers"):
                inbox.wait_for_code(timeout=1)
            server.start()
            stream.close()
    finally:
        server.kill()


def test_a_clock_that_is_wrong_changes_nothing(
    trap: PosternServer, send_code: SendCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 0.0)
    with Postern(trap.url, trap.api_key) as client:
        inbox = client.inboxes.create()
        stream = inbox.stream()
        send_code(inbox.address, "493817")
        assert next(stream).otp == inbox.wait_for_code() == "493817"


def test_a_wait_ends_in_time_when_the_server_is_silent() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Postern(url) as client:
            began = time.monotonic()
            with pytest.raises((WaitTimeoutError, ConnectionFailedError)):
                client.wait_for_code(timeout=0.3)
            assert time.monotonic() - began < 3


def test_cancelling_a_wait_frees_its_slot_and_claims_nothing(trap: PosternServer, send_code: SendCode) -> None:
    async def run() -> str:
        async with AsyncPostern(trap.url, trap.api_key) as client:
            inbox = await client.inboxes.create()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(inbox.wait_for_code(timeout=60), 0.3)
            send_code(inbox.address, "493817")
            return await inbox.wait_for_code(timeout=10)

    assert asyncio.run(run()) == "493817"


@pytest.mark.load
def test_two_hundred_waits_share_one_client(trap: PosternServer) -> None:
    async def run() -> None:
        async with AsyncPostern(trap.url, trap.api_key) as client:
            inboxes = await asyncio.gather(*(client.inboxes.create() for _ in range(200)))
            waits = [asyncio.ensure_future(inbox.wait_for_code(timeout=60)) for inbox in inboxes]
            with smtplib.SMTP(trap.smtp_host, trap.smtp_port) as smtp:
                mail = "From: app@example.com\r\nSubject: Sign in\r\n\r\nYour code is 493817.\r\n"
                await asyncio.to_thread(smtp.sendmail, "app@example.com", [one.address for one in inboxes[:100]], mail)
                await asyncio.to_thread(smtp.sendmail, "app@example.com", [one.address for one in inboxes[100:]], mail)
            assert set(await asyncio.gather(*waits)) == {"493817"}

    asyncio.run(run())
