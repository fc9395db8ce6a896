"""A real schema registry: Apicurio's, which has Confluent's HTTP API, in memory."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.java import QUICK_START
from tests.support.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
# The JVM starts within a few seconds on a laptop, but needs longer on a busy machine.
START_SECONDS = 120.0


def registry_jar() -> Path:
    """Return the registry's program; skip the test if Maven or Java is missing."""
    if shutil.which("mvn") is None or shutil.which("java") is None:
        pytest.skip("Apicurio Registry is missing: install Java 17 and Maven")
    command = [sys.executable, str(ROOT / "tools" / "apicurio.py")]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Path(done.stdout.strip())


@contextmanager
def running_apicurio(folder: Path) -> Iterator[str]:
    """Run a registry on its own port; yield the URL of its API."""
    jar = registry_jar()
    log = folder / "registry.log"
    # With port 0, Quarkus chooses a free port and logs it.
    settings = {"QUARKUS_HTTP_HOST": "127.0.0.1", "QUARKUS_HTTP_PORT": "0"}
    command = ["java", "-Xmx256m", *QUICK_START.split(), "-jar", str(jar)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env=os.environ | settings, cwd=folder
        )
    try:

        def started() -> re.Match[str] | None:
            text = log.read_text(encoding="utf-8", errors="replace")
            assert process.poll() is None, f"the registry ended:\n{text[-2000:]}"
            return re.search(r"Listening on: (http://127\.0\.0\.1:\d+)", text)

        wait_until(started, timeout=START_SECONDS)
        found = started()
        assert found is not None
        yield f"{found[1]}/apis/ccompat/v7"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
