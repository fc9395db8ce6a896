"""tools/librdkafka.py compiles only the pinned sources, and its errors contain advice."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tools import librdkafka

ROOT = Path(__file__).parents[2]
TOOL = ROOT / "tools" / "librdkafka.py"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "sources.tar.gz"
    path.write_bytes(b"not what was pinned")
    return path


def run_tool(
    cache: Path, *arguments: str, **environment: object
) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("LIBRDKAFKA")}
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
        """The tool does not unpack or compile an archive with an unexpected digest.

        The error shows both digests.
        """
        result = run_tool(
            tmp_path, LIBRDKAFKA_ARCHIVE=archive, LIBRDKAFKA_SHA256=(expected := "0" * 64)
        )
        assert result.returncode == 1
        assert expected in result.stderr
        assert hashlib.sha256(archive.read_bytes()).hexdigest() in result.stderr
        assert not list(tmp_path.rglob("include"))

    def test_digest_is_that_of_the_pinned_archive(self, archive: Path, tmp_path: Path) -> None:
        """Without LIBRDKAFKA_SHA256, every archive is compared with the pinned digest."""
        result = run_tool(tmp_path, LIBRDKAFKA_ARCHIVE=archive)
        assert result.returncode == 1
        assert librdkafka.NPM_SHA256 in result.stderr
        assert "set LIBRDKAFKA_SHA256" in result.stderr

    def test_path_is_printed(self, archive: Path, tmp_path: Path) -> None:
        """The tool prints the path of the archive, so that users can copy it to a machine without a
        network."""
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        given = {"LIBRDKAFKA_ARCHIVE": archive, "LIBRDKAFKA_SHA256": digest}
        result = run_tool(tmp_path, "--print", "archive", **given)
        assert (result.returncode, result.stdout) == (0, f"{archive}\n")

    def test_archive_that_cannot_be_read(self, tmp_path: Path) -> None:
        """The error names the wrong path."""
        missing = tmp_path / "missing.tar.gz"
        result = run_tool(tmp_path, LIBRDKAFKA_ARCHIVE=missing, LIBRDKAFKA_SHA256="0" * 64)
        assert result.returncode == 1
        assert str(missing) in result.stderr

    def test_archive_of_something_else(self, tmp_path: Path) -> None:
        """The error for a valid archive without librdkafka differs from the error for a failed
        build."""
        other = tmp_path / "other.tar.gz"
        with tarfile.open(other, "w:gz") as tar:
            tar.add(TOOL, TOOL.name)
        digest = hashlib.sha256(other.read_bytes()).hexdigest()
        result = run_tool(tmp_path, LIBRDKAFKA_ARCHIVE=other, LIBRDKAFKA_SHA256=digest)
        assert result.returncode == 1
        assert "configure.self" in result.stderr


def test_prefix_given_by_the_user_is_used_as_it_is(tmp_path: Path) -> None:
    """LIBRDKAFKA_PREFIX takes precedence over the system's librdkafka and over the pinned
    librdkafka."""
    result = run_tool(tmp_path, "--print", "cflags", LIBRDKAFKA_PREFIX="/opt/kafka")
    assert result.returncode == 0
    assert "/opt/kafka" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for pkg-config")
class TestSystem:
    """The tool uses the system's library only with LIBRDKAFKA=system."""

    @pytest.fixture
    def pkg_config(self, tmp_path: Path) -> Path:
        """A pkg-config that finds only librdkafka, with the version in $SYSTEM."""
        path = tmp_path / "pkg-config"
        path.write_text(
            """#!/bin/sh
            [ "$2" = rdkafka ] && [ -n "$SYSTEM" ] || exit 1
            case $1 in
                --modversion) echo "$SYSTEM" ;;
                --atleast-version=*)
                    printf '%s\\n' "${1#*=}" "$SYSTEM" | sort -CV || exit 1 ;;
                --cflags) echo -I/opt/system/include ;;
                --libs) echo -lrdkafka ;;
                *) exit 1 ;;
            esac
            """
        )
        path.chmod(0o755)
        return path

    def test_is_not_taken_by_default(self, pkg_config: Path, tmp_path: Path) -> None:
        """Without LIBRDKAFKA=system, the system's library is not used, even if it is new enough."""
        result = run_tool(tmp_path / "cache", "--check", PKG_CONFIG=pkg_config, SYSTEM="2.15.1")
        assert result.returncode == 1  # because the tool would download the pinned sources

    def test_is_taken_when_asked_for(self, pkg_config: Path, tmp_path: Path) -> None:
        environment = {"PKG_CONFIG": pkg_config, "SYSTEM": "2.15.1", "LIBRDKAFKA": "system"}
        assert run_tool(tmp_path, "--check", **environment).returncode == 0
        result = run_tool(tmp_path, "--print", "cflags", **environment)
        assert (result.returncode, result.stdout) == (0, "-isystem/opt/system/include\n")

    @pytest.mark.parametrize("version", ["2.13.2", ""])
    def test_too_old_or_missing(self, pkg_config: Path, tmp_path: Path, version: str) -> None:
        """A library that is too old or missing is an error, and no other library is used
        instead."""
        result = run_tool(tmp_path, PKG_CONFIG=pkg_config, SYSTEM=version, LIBRDKAFKA="system")
        assert result.returncode == 1
        assert (version or "knows no librdkafka") in result.stderr
        assert "unset LIBRDKAFKA" in result.stderr

    def test_other_words_are_errors(self, tmp_path: Path) -> None:
        """A misspelt LIBRDKAFKA raises an error instead of silently building another library."""
        result = run_tool(tmp_path, LIBRDKAFKA="sytem")
        assert result.returncode == 1
        assert "sytem" in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands in for pkg-config")
class TestZstd:
    """The tool finds libzstd, which the extension itself calls."""

    def test_of_pkg_config(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """pkg-config determines the place of libzstd, whichever librdkafka is used."""
        path = tmp_path / "pkg-config"
        flags = "case $1 in --cflags) echo -I/opt/zstd;; --libs) echo -lzstd;; esac"
        path.write_text(f'#!/bin/sh\n[ "$2" = libzstd ] || exit 1\n{flags}\n')
        path.chmod(0o755)
        monkeypatch.setenv("PKG_CONFIG", str(path))
        system = librdkafka.Flags("", [], ["-lrdkafka"], "system")
        assert librdkafka.zstd(system) == (["-isystem/opt/zstd"], ["-lzstd"])

    @pytest.mark.parametrize(
        ("libs", "expected"),
        [(["-lrdkafka", "-lzstd"], ([], ["-lzstd"])), (["-lrdkafka"], None)],
    )
    def test_without_pkg_config(
        self,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        libs: list[str],
        expected: tuple[list[str], list[str]] | None,
    ) -> None:
        """Without pkg-config, the flags of a static librdkafka show whether libzstd is there."""
        monkeypatch.setenv("PKG_CONFIG", str(tmp_path / "missing"))
        assert librdkafka.zstd(librdkafka.Flags("", [], libs, "prefix")) == expected


def test_oldest_version_is_that_of_the_extension() -> None:
    """pkg-config and the #error in compat.h require the same version."""
    text = (ROOT / "src/confluent_kafka/csrc/base/compat.h").read_text()
    [number] = re.findall(r"#if RD_KAFKA_VERSION < 0x(\w+)\n#error", text)
    major, minor = librdkafka.OLDEST.split(".")
    assert number == f"{int(major):02x}{int(minor):02x}0000"


class TestPatches:
    def test_order(self) -> None:
        """The patches of the speed series apply to sources that already have the correctness
        series."""
        names = [librdkafka.patch_name(patch) for patch in librdkafka.PATCHES]
        assert names == sorted(names)
        assert {name.partition("/")[0] for name in names} == set(librdkafka.SERIES)

    def test_no_patch_is_outside_a_series(self) -> None:
        """A patch outside of a series would not be applied."""
        found = set((ROOT / "tools" / "patches").rglob("*.patch"))
        assert found == set(librdkafka.PATCHES)

    def test_context_must_match(self, tmp_path: Path) -> None:
        """If the lines around a patch have changed, applying the patch fails, because a guess could
        be wrong."""
        (tmp_path / "file.c").write_text("one\nchanged\nthree\nfour\nfive\nsix\nseven\n")
        patch = tmp_path / "a.patch"
        patch.write_text(
            "--- a/file.c\n+++ b/file.c\n@@ -1,7 +1,7 @@\n"
            " one\n two\n three\n-four\n+4\n five\n six\n seven\n"
        )
        with pytest.raises(librdkafka.BuildError, match=r"a\.patch"):
            librdkafka.apply(patch, tmp_path, tmp_path / "log")
        assert "four" in (tmp_path / "file.c").read_text()
