"""tools/reproducible.py: two builds of the same sources have the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tools import reproducible

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    not (ROOT / ".git").exists() or shutil.which("git") is None, reason="there is no repository"
)


def source_distribution(folder: Path, umask: int) -> Path:
    """A source distribution that is built from the tracked files in a new folder."""
    before = os.umask(umask)
    try:
        reproducible.checkout(folder)
        subprocess.run(
            [sys.executable, "setup.py", "-q", "sdist"],
            cwd=folder,
            env=os.environ | {"SOURCE_DATE_EPOCH": "1764000000"},
            check=True,
            capture_output=True,
            timeout=120,
        )
    finally:
        os.umask(before)
    [archive] = folder.glob("dist/*.tar.gz")
    return archive


def test_source_distributions_are_equal(tmp_path: Path) -> None:
    """Source distributions from folders with different names and permissions are equal, and contain
    all files for a build."""
    first = source_distribution(tmp_path / "a", 0o022)
    second = source_distribution(tmp_path / "elsewhere" / "b", 0o077)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        members = archive.getmembers()
        names = [member.name.partition("/")[2] for member in members]
        times = {member.mtime for member in members}
        epoch = archive.extractfile(f"{members[0].name.partition('/')[0]}/{reproducible.FILE}")
        assert epoch is not None
        assert epoch.read() == b"1764000000\n"
    assert times == {1764000000}
    assert names == sorted(names)
    setup = (ROOT / "setup.py").read_text()
    for module in ("librdkafka", "prerequisites", "reproducible", "sbom"):
        assert f"import {module}" in setup
        assert f"tools/{module}.py" in names
    assert {"tools/stub_docs.py", "LICENSE.librdkafka"} <= set(names)


@pytest.mark.skipif(sys.platform == "win32", reason="setup.py uses no such option with MSVC")
def test_objects_do_not_name_their_folder(tmp_path: Path) -> None:
    """Neither __FILE__ nor debug information has the path of the sources."""
    setup = (ROOT / "setup.py").read_text()
    assert 'flags.append(f"-ffile-prefix-map={ROOT}=.")' in setup
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    objects = []
    for name in ("a", "a-longer-name"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "part.c").write_text("const char *where(void) { return __FILE__; }\n")
        flags = ["-g", "-c", f"-ffile-prefix-map={folder}=.", "-o", folder / "part.o"]
        subprocess.run([compiler, *flags, folder / "part.c"], cwd=folder, check=True, timeout=60)
        objects.append((folder / "part.o").read_bytes())
    assert objects[0] == objects[1]
    assert str(tmp_path).encode() not in objects[0]


def test_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """SOURCE_DATE_EPOCH takes precedence over the time of the last commit."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    commit = reproducible.date()
    assert commit is not None
    assert commit > 1_600_000_000
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1764000000")
    assert reproducible.date() == 1764000000
