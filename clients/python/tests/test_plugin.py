"""The fixtures, in runs of pytest of their own."""

from __future__ import annotations

import pytest

from postern_mail.pytest_plugin import PosternServer

TESTS = """
import smtplib

def send(server, address, code):
    mail = f"From: app@example.com\\r\\nTo: {address}\\r\\nSubject: Sign in\\r\\n\\r\\nYour code is {code}.\\r\\n"
    with smtplib.SMTP(server.smtp_host, server.smtp_port) as smtp:
        smtp.sendmail("app@example.com", [address], mail)

def test_one(inbox, postern_server):
    send(postern_server, inbox.address, "493817")
    assert inbox.wait_for_code() == "493817"

def test_two(inbox, postern_server):
    assert list(inbox.messages()) == []
    send(postern_server, inbox.address, "271828")
    assert inbox.wait_for_code() == "314159"

def test_three(inbox, postern):
    assert postern.inboxes.get(inbox.id).label == "test_three"
    inbox.delete()
"""


@pytest.fixture
def given(trap: PosternServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTERN_URL", trap.url)
    monkeypatch.setenv("POSTERN_SMTP", f"{trap.smtp_host}:{trap.smtp_port}")
    monkeypatch.setenv("POSTERN_API_KEY", trap.api_key or "")


@pytest.mark.usefixtures("given")
def test_each_test_has_an_inbox_and_a_failed_one_shows_its_mail(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*mail of *@*", "Subject: Sign in", "Code: 271828", "Your code is 271828."])


def test_without_a_server_one_is_started_for_the_run(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, postern_bin: str
) -> None:
    monkeypatch.delenv("POSTERN_URL", raising=False)
    monkeypatch.setenv("POSTERN_BIN", postern_bin)
    pytester.makepyfile("def test_url(postern_server, postern, inbox):\n    print('URL', postern_server.url)\n")
    result = pytester.runpytest_subprocess("-s", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    result.stdout.re_match_lines([r".*URL http://127\.0\.0\.1:\d+"])


def test_without_an_executable_the_error_says_what_to_do(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("POSTERN_URL", raising=False)
    monkeypatch.setenv("POSTERN_BIN", "no-such-postern")
    pytester.makepyfile("def test_one(inbox): pass\ndef test_two(): pass\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*There is no executable no-such-postern. Install Postern*"])
