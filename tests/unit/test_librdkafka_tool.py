"""tools/librdkafka.py: what is compiled is what was pinned, and its errors say what to do."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "librdkafka.py"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "sources.tar.gz"
    path.write_bytes(b"not what was pinned")
    return path


def run_tool(
    cache: Path, *arguments: str, **environment: object
) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("LIBRDKAFKA_")}
    given = {name: str(value) for name, value in environment.items()}
    return subprocess.run(
        [sys.executable, str(TOOL), *arguments],
        env=inherited | {"XDG_CACHE_HOME": str(cache)} | given,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="librdkafka comes from vcpkg on Windows")
class TestArchive:
    def test_other_digest_is_an_error_that_shows_both(self, archive: Path, tmp_path: Path) -> None:
        """Nothing is unpacked or compiled from an archive that is not the one expected."""
        result = run_tool(
            tmp_path, LIBRDKAFKA_ARCHIVE=archive, LIBRDKAFKA_SHA256=(expected := "0" * 64)
        )
        assert result.returncode == 1
        assert expected in result.stderr
        assert hashlib.sha256(archive.read_bytes()).hexdigest() in result.stderr
        assert not list(tmp_path.rglob("include"))

    def test_digest_is_required(self, archive: Path, tmp_path: Path) -> None:
        """An archive of the user's own is never taken on trust."""
        result = run_tool(tmp_path, LIBRDKAFKA_ARCHIVE=archive)
        assert result.returncode == 1
        assert "LIBRDKAFKA_SHA256" in result.stderr

    def test_archive_that_cannot_be_read(self, tmp_path: Path) -> None:
        """A wrong path is named."""
        missing = tmp_path / "missing.tar.gz"
        result = run_tool(tmp_path, LIBRDKAFKA_ARCHIVE=missing, LIBRDKAFKA_SHA256="0" * 64)
        assert result.returncode == 1
        assert str(missing) in result.stderr

    def test_archive_of_something_else(self, tmp_path: Path) -> None:
        """A genuine archive without librdkafka in it is told apart from a broken build."""
        other = tmp_path / "other.tar.gz"
        with tarfile.open(other, "w:gz") as tar:
            tar.add(TOOL, TOOL.name)
        digest = hashlib.sha256(other.read_bytes()).hexdigest()
        result = run_tool(tmp_path, LIBRDKAFKA_ARCHIVE=other, LIBRDKAFKA_SHA256=digest)
        assert result.returncode == 1
        assert "configure.self" in result.stderr


def test_prefix_given_by_the_user_is_used_as_it_is(tmp_path: Path) -> None:
    """LIBRDKAFKA_PREFIX stands above the system's librdkafka and the pinned one."""
    result = run_tool(tmp_path, "--print", "cflags", LIBRDKAFKA_PREFIX="/opt/kafka")
    assert result.returncode == 0
    assert "/opt/kafka" in result.stdout
