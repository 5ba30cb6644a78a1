"""Your own Postern, for as long as your program runs."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from .errors import make_error

if TYPE_CHECKING:
    from .aclient import AsyncPostern
    from .client import Postern

__all__ = ["RunningPostern", "start_postern"]

START_S = 30.0
STOP_S = 10.0
#: Variables that would change its settings, including those of other tools that capture accepts.
FOREIGN = ("POSTERN_", "MP_", "MH_")
#: How much of its output an error shows.
SAID_CHARS = 2000


class RunningPostern:
    """A trap for test mail that was started by `start_postern`. As a context manager, it stops at the end.

    Attributes:
        url: the URL of its API and dashboard.
        smtp_host: where your app must send its mail, with `smtp_port`.
        smtp_port: see `smtp_host`.
        api_key: the key for the API. Programs on this machine need none.
    """

    def __init__(self, process: subprocess.Popen[bytes], ready: Mapping[str, str], folder: str) -> None:
        self.url = ready["http"]
        self.smtp_host, self.smtp_port = split_address(ready["smtp"])
        self.api_key = ready["api_key"]
        self._process = process
        self._folder = folder
        atexit.register(self.stop)

    def client(self) -> Postern:
        """Returns a client for it."""
        from .client import Postern

        return Postern(self.url, self.api_key)

    def async_client(self) -> AsyncPostern:
        """Returns an asyncio client for it."""
        from .aclient import AsyncPostern

        return AsyncPostern(self.url, self.api_key)

    def stop(self) -> None:
        """Stops it and removes its mail. Further calls do nothing."""
        atexit.unregister(self.stop)
        stop_process(self._process)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> RunningPostern:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def start_postern(
    bin: str | Sequence[str] | None = None,
    *,
    env: Mapping[str, str] | None = None,
    timeout: float = START_S,
) -> RunningPostern:
    """Starts a trap for test mail on free ports of this machine, with nothing in it.

    It stops with `stop()`, at the end of a `with`, and when this process ends in any way.

    Args:
        bin: the executable, or the words of a command. By default POSTERN_BIN, or else `postern` on the PATH.
        env: its settings, such as `{"POSTERN_SMTP_STARTTLS": "on"}`. Those of this process are not passed on.
        timeout: how many seconds it may take to start.

    Raises:
        StartError: there is no executable, or it did not start; the text has its output.
    """
    command = find_command(bin)
    folder = tempfile.mkdtemp(prefix="postern-")
    listen = ["--http-listen", "127.0.0.1:0", "--smtp-listen", "127.0.0.1:0"]
    said = os.path.join(folder, "log")
    process = None
    try:
        with open(said, "wb") as log:
            process = subprocess.Popen(
                [*command, "capture", "--json", "--quiet", "--exit-on-stdin-close", *listen],
                # This end of the pipe closes when this process ends, even if it is killed.
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                env={**clean_environment(), **(env or {})},
                # Ctrl-C is for this process, whose tests may still read mail while they end.
                start_new_session=True,
            )
        return RunningPostern(process, _read_ready(process, said, timeout), folder)
    except BaseException as fault:
        if process is not None:
            stop_process(process)
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(fault, OSError):
            raise make_error("start_failed", f"{' '.join(command)}: {fault}.") from fault
        raise


def clean_environment() -> dict[str, str]:
    """Returns the environment without Postern's settings, which are meant for this process or another server."""
    return {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}


def find_command(bin: str | Sequence[str] | None) -> list[str]:
    """Returns the command that starts Postern. Raises StartError if there is nothing to start."""
    asked = bin or os.environ.get("POSTERN_BIN")
    if asked is not None and not isinstance(asked, str):
        return [os.path.abspath(asked[0]) if os.sep in asked[0] else asked[0], *asked[1:]]
    # The process gets its own folder, where a relative path would mean something else.
    found = shutil.which(asked or "postern")
    if found is None:
        raise make_error("executable_not_found", f"There is no executable {asked or 'postern'}.")
    return [os.path.abspath(found)]


def stop_process(process: subprocess.Popen[bytes]) -> None:
    """Asks the process to end, and kills it if it does not."""
    if process.poll() is None:
        process.terminate()
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def split_address(address: str) -> tuple[str, int]:
    """Splits `127.0.0.1:1025` or `[::1]:1025`."""
    host, _, port = address.rpartition(":")
    return host.strip("[]") or "127.0.0.1", int(port)


def _read_ready(process: subprocess.Popen[bytes], said: str, timeout: float) -> dict[str, str]:
    """Reads the line that it prints when it is ready."""
    lines: list[bytes] = []
    is_there = threading.Event()

    def read() -> None:
        assert process.stdout is not None
        try:
            lines.append(process.stdout.readline())
            is_there.set()
            # Keep reading, or the process would block when the pipe is full.
            while process.stdout.read(65536):
                pass
        except ValueError:
            pass  # Closed by stop_process.
        finally:
            is_there.set()

    threading.Thread(target=read, name="postern-stdout", daemon=True).start()
    has_spoken = is_there.wait(timeout)
    try:
        ready: dict[str, str] = json.loads(lines[0])
        if ready["event"] == "ready" and ready["api_key"]:
            return ready
    except (IndexError, ValueError, KeyError, TypeError):
        pass
    what = "ended before it was ready" if has_spoken else f"was not ready within {timeout:g} s"
    if has_spoken:
        stop_process(process)
    with open(said, encoding="utf-8", errors="replace") as log:
        text = log.read().strip()[-SAID_CHARS:]
    raise make_error("start_failed", f"Postern {what}. It printed:\n{text or '(nothing)'}\n")
