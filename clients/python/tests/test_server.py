"""A Postern that this process starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from postern_mail import ConnectionFailedError, Postern, StartError, start_postern

from .conftest import send


def test_it_starts_and_stops(postern_bin: str) -> None:
    with start_postern(postern_bin) as server, server.client() as client:
        inbox = client.inboxes.create()
        send(server.smtp_host, server.smtp_port, inbox.address, "493817")
        assert inbox.wait_for_code() == "493817"
    with pytest.raises(ConnectionFailedError), Postern(server.url) as client:
        client.account()
    server.stop()


def test_it_ends_with_a_process_that_is_killed(postern_bin: str) -> None:
    code = (
        "import sys, time; from postern_mail import start_postern\n"
        "server = start_postern(sys.argv[1]); print(server.url, flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code, postern_bin], stdout=subprocess.PIPE, text=True)
    assert child.stdout
    url = child.stdout.readline().strip()
    with Postern(url) as client:
        assert client.account().plan
        child.send_signal(signal.SIGKILL)
        child.communicate()
        ends = time.monotonic() + 20
        while time.monotonic() < ends:
            try:
                client.account()
            except ConnectionFailedError:
                return
    pytest.fail("it is still there")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_one_that_fails_says_what_it_printed(tmp_path: Path) -> None:
    bad = tmp_path / "postern"
    bad.write_text("#!/bin/sh\necho 'the disk is full' >&2\nexit 1\n")
    bad.chmod(0o755)
    with pytest.raises(StartError, match="the disk is full") as caught:
        start_postern(str(bad))
    assert caught.value.code == "start_failed"
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 60\n")
    silent.chmod(0o755)
    with pytest.raises(StartError, match=r"not ready within 0\.3 s"):
        start_postern(str(silent), timeout=0.3)
