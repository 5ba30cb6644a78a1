"""The servers that these tests use: those that are given, or one that is started."""

from __future__ import annotations

import json
import os
import smtplib
from collections.abc import Callable, Iterator

import pytest

from postern_mail import StartError, start_postern
from postern_mail.pytest_plugin import PosternServer
from postern_mail.server import find_command, split_address

pytest_plugins = ["pytester"]

SendCode = Callable[[str, str], None]


@pytest.fixture(scope="session")
def trap() -> Iterator[PosternServer]:
    """A trap: the contract's, or one of POSTERN_BIN."""
    given = json.loads(os.environ.get("POSTERN_CONTRACT_SERVERS", "{}")).get("trap")
    if given:
        yield PosternServer(given["url"], *split_address(given["smtp"]), given["api_key"])
        return
    try:
        running = start_postern()
    except StartError as error:
        pytest.skip(str(error))
    with running:
        yield PosternServer(running.url, running.smtp_host, running.smtp_port, running.api_key)


@pytest.fixture(scope="session")
def postern_bin() -> str:
    """The executable, for tests that start their own."""
    try:
        return find_command(None)[0]
    except StartError as error:
        pytest.skip(str(error))


@pytest.fixture
def send_code(trap: PosternServer) -> SendCode:
    """Sends a mail with a code to an address."""
    return lambda address, code: send(trap.smtp_host, trap.smtp_port, address, code)


def send(host: str, port: int, address: str, code: str) -> None:
    mail = f"From: app@example.com\r\nTo: {address}\r\nSubject: Sign in {code}\r\n\r\nYour code is {code}.\r\n"
    with smtplib.SMTP(host, port) as smtp:
        smtp.sendmail("app@example.com", [address], mail)
