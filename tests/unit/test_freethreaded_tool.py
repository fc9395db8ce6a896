"""tools/freethreaded.py finds a CPython without a GIL, or compiles one from checked sources."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "freethreaded.py"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tool needs apt-get and make")

# apt-get downloads into the current folder. This one has only one file, whatever the package is.
APT_GET = """
case "$*" in *" source "*) cp {archive} {name} ;; esac
"""
CONFIGURE = """
for each; do
    case $each in --prefix=*) bin='$(DESTDIR)'${each#*=}/bin ;; esac
done
printf 'all:\\ninstall:\\n\\tmkdir -p %s\\n\\ttouch %s/python3.14t\\n' "$bin" "$bin" > Makefile
"""


def command(path: Path, script: str = "") -> Path:
    """Write an executable shell script."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}")
    path.chmod(0o755)
    return path


def run_tool(folder: Path, *arguments: str, **given: str) -> subprocess.CompletedProcess[str]:
    """Run the tool with the commands in `folder/bin`, and with an empty cache in `folder`."""
    inherited = {k: v for k, v in os.environ.items() if k != "FREETHREADED_PYTHON"}
    path = os.pathsep.join([str(folder / "bin"), "/usr/bin", "/bin"])
    return subprocess.run(
        [sys.executable, str(TOOL), *arguments],
        env=inherited | {"PATH": path, "XDG_CACHE_HOME": str(folder)} | given,
        capture_output=True,
        text=True,
        timeout=60,
    )


def serve(folder: Path, package: str, archive: Path) -> None:
    """Let apt-get download this archive as the sources of a package."""
    name = f"{package}.orig.tar.xz"
    command(folder / "bin" / "apt-get", APT_GET.format(archive=archive, name=name))


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((), "python3.14t"),
        (("--version", "3.14"), "python3.14t"),
        (("--version", "3.13"), "python3.13t"),
    ],
)
def test_finds_an_interpreter_on_path(
    tmp_path: Path, arguments: tuple[str, ...], name: str
) -> None:
    """The tool uses the requested version on PATH, or the newest one if you request no version."""
    for each in ("python3.13t", "python3.14t"):
        command(tmp_path / "bin" / each)
    assert run_tool(tmp_path, *arguments).stdout == f"{tmp_path / 'bin' / name}\n"


def test_a_given_interpreter_takes_precedence(tmp_path: Path) -> None:
    """FREETHREADED_PYTHON takes precedence over the interpreters on PATH."""
    command(tmp_path / "bin" / "python3.14t")
    assert run_tool(tmp_path, FREETHREADED_PYTHON="/given/python").stdout == "/given/python\n"


def test_compiles_the_release_that_the_suite_has(tmp_path: Path) -> None:
    """The tool compiles a version that is not on PATH, and the next run uses the result."""
    command(tmp_path / "bin" / "python3.13t")
    archive = tmp_path / "sources.tar.xz"
    with tarfile.open(archive, "w:xz") as sources:
        sources.add(command(tmp_path / "configure", CONFIGURE), "Python-3.14.99/configure")
    serve(tmp_path, "python3.14_3.14.99", archive)
    first = run_tool(tmp_path, "--version", "3.14")
    assert first.returncode == 0, first.stderr
    assert Path(first.stdout.strip()).name == "python3.14t"
    assert Path(first.stdout.strip()).is_file()
    command(tmp_path / "bin" / "apt-get", "exit 1")
    assert run_tool(tmp_path, "--version", "3.14").stdout == first.stdout


def test_refuses_other_sources_than_pinned(tmp_path: Path) -> None:
    """The tool does not unpack or keep sources whose checksum is not the pinned one."""
    archive = tmp_path / "sources.tar.xz"
    archive.write_bytes(b"not what was pinned")
    serve(tmp_path, "python3.13_3.13.5", archive)
    result = run_tool(tmp_path, "--version", "3.13")
    assert result.returncode == 1
    assert "error: python3.13_3.13.5.orig.tar.xz is not what was pinned" in result.stderr
    assert list((tmp_path / "confluent-kafka").iterdir()) == []


def test_reports_a_download_that_fails(tmp_path: Path) -> None:
    """If apt-get cannot download the sources, the tool shows what apt-get has printed."""
    command(tmp_path / "bin" / "apt-get", "echo '404  Not Found'; exit 100")
    result = run_tool(tmp_path, "--version", "3.14")
    assert result.returncode == 1
    assert "404  Not Found" in result.stderr
    assert list((tmp_path / "confluent-kafka").iterdir()) == []
