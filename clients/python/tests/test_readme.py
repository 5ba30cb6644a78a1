"""The code of README.md, as printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from postern_mail.pytest_plugin import PosternServer
from postern_mail.server import clean_environment

README = Path(__file__).parents[1] / "README.md"


def test_every_block_runs(tmp_path: Path, postern_bin: str, trap: PosternServer) -> None:
    test, program, with_asyncio = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    environment = {**clean_environment(), "POSTERN_BIN": postern_bin}
    (tmp_path / "test_sign_up.py").write_text(test)
    ran = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_sign_up.py"], tmp_path, environment)
    assert "1 passed" in ran
    assert "No message came" in run(["-c", program], tmp_path, environment)
    given = {**environment, "POSTERN_URL": trap.url, "POSTERN_API_KEY": trap.api_key or ""}
    assert run(["-c", with_asyncio], tmp_path, given).count("WaitTimeoutError") == 2


def run(words: list[str], folder: Path, environment: dict[str, str]) -> str:
    ended = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_table_of_errors_is_the_contracts() -> None:
    shared = Path(os.environ.get("POSTERN_CONTRACT") or Path(__file__).parents[2] / "contract") / "errors.json"
    ours = Path(__file__).parents[1] / "src" / "postern_mail" / "errors.json"
    if ours.exists():
        assert ours.read_bytes() == shared.read_bytes()
