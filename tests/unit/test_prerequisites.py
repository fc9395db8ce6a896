"""tools/prerequisites.py: one message of a build names everything that is missing, with advice."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tools"))
import prerequisites  # noqa: E402

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="librdkafka comes from vcpkg there")


def build(tmp_path: Path, commands: tuple[str, ...], **environment: str) -> str:
    """The error of `setup.py build_ext` on a machine that has only these commands."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in commands:
        if (found := shutil.which(name)) is not None:
            (folder / name).symlink_to(found)
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("LIBRDKAFKA")}
    inherited |= {"PATH": str(folder), "XDG_CACHE_HOME": str(tmp_path), "CC": "cc"}
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--build-lib", str(tmp_path / "lib")],
        cwd=ROOT,
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_machine_with_nothing(tmp_path: Path) -> None:
    """One message names everything that is missing, and the packages to install."""
    said = build(tmp_path, ())
    for thing in ("a C compiler (cc", "pkg-config", "make", "patch", "bash", "LIBRDKAFKA_ARCHIVE"):
        assert f"  - {thing}" in said or thing in said
    assert "Debian's packages are: build-essential pkg-config make patch bash npm" in said


def test_without_a_compiler(tmp_path: Path) -> None:
    """If only the compiler is missing, the message names only the compiler.

    Nothing is compiled or downloaded before.
    """
    said = build(tmp_path, ("pkg-config", "make", "patch", "bash", "npm", "apt-get"))
    assert said.count("  - ") == 1
    assert "a C compiler (cc; the variable CC can name another one)" in said
    if shutil.which("apt-get"):
        assert "apt-get install -y --no-install-recommends build-essential\n" in said


def test_without_headers(tmp_path: Path) -> None:
    """The message names each library that pkg-config does not find."""
    pkg_config = tmp_path / "finds-nothing"
    pkg_config.write_text("#!/bin/sh\nexit 1\n")
    pkg_config.chmod(0o755)
    commands = ("cc", "make", "patch", "bash", "npm", "sh")
    said = build(tmp_path, commands, PKG_CONFIG=str(pkg_config))
    for package in ("libssl-dev", "libcurl4-openssl-dev", "libzstd-dev", "zlib1g-dev"):
        assert package in said
    assert "build-essential" not in said


def test_without_sources(tmp_path: Path) -> None:
    """Without npm and without an archive, the message names both ways to get the sources."""
    said = build(tmp_path, ("cc", "pkg-config", "make", "patch", "bash", "sh"))
    assert "the sources of librdkafka" in said
    assert "npm pack @confluentinc/kafka-javascript@" in said
    assert said.count("  - ") == 1


def test_system_script_names_the_same_libraries() -> None:
    """tools/system.sh, which can also install the libraries, looks for the same libraries and
    packages."""
    script = (ROOT / "tools" / "system.sh").read_text()
    for name, need in prerequisites.LIBRARIES.items():
        assert f"{name}:{need.packages['apt-get']}" in script
