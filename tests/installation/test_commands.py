"""Every installation command in the README and the guides works as typed, and installs this
package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement

from .package_index import OTHER, Index, installed, serving, wheel

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PRIVATE_INDEX = "https://packages.example.com/simple"
_FENCED = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"`([^`]*pip\s+install\s[^`]+)`")
_INSTALLS = re.compile(r"\bpip3? install\b|\buv (?:pip|add|sync) ")
# The command in the guide that shows which distribution is installed.
_WHICH = "python -P -c \"import confluent_kafka; print(confluent_kafka.build_info()['version'])\""
_SECONDS = 600


def commands(document: Path) -> list[str]:
    """Return the installation commands of a document as a reader would type them."""
    text = re.sub(r"^> ?", "", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    blocks = "\n".join(block for kind, block in _FENCED.findall(text) if kind != "python")
    blocks = blocks.replace("\\\n", " ")
    lines = [re.sub(r"^(?:\$|RUN) ", "", line.strip()) for line in blocks.splitlines()]
    inline = [" ".join(one.split()) for one in _INLINE.findall(_FENCED.sub("", text))]
    return [line for line in (*lines, *inline) if _INSTALLS.search(line)]


EVERY = list(dict.fromkeys(line for document in DOCUMENTS for line in commands(document)))


def names_package(command: str) -> bool:
    return "dist/requirements" in command or re.search(r"\bconfluent-kafka\b", command) is not None


@pytest.mark.parametrize("command", EVERY)
def test_no_command_leaves_the_choice_to_the_public_index(command: str) -> None:
    """No command lets pip choose the public index: another distribution has this name there."""
    if names_package(command):
        assert re.search("--requirement|--no-index|--index-url .*--constraint", command)
        assert "--extra-index-url" not in command
        assert "--upgrade" not in command


def test_the_documents_have_commands() -> None:
    """The search finds commands for the wheel, a checkout and an index, so the tests have commands
    to run."""
    for wanted in (
        "--find-links dist ",
        "pip install .",
        PRIVATE_INDEX,
    ):
        assert any(wanted in command for command in EVERY)
    texts = [path.read_text(encoding="utf-8") for path in DOCUMENTS]
    assert sum(len(re.findall(r"pip install [^\s`]", text)) for text in texts) <= sum(
        len(commands(path)) for path in DOCUMENTS
    )


class Checkout(NamedTuple):
    """A copy of this checkout, with the files that `make wheel` creates."""

    folder: Path
    environment: dict[str, str]

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS,
        )

    def renew(self) -> None:
        """Replace the checkout's environment, which is first on PATH, with a new one."""
        folder = self.folder / "env"
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, symlinks=True)
        [packages] = folder.glob("lib/python*/site-packages")
        # ensurepip would take seconds each time.
        for path in pip_files():
            (packages / path.name).symlink_to(path)
        pip = folder / "bin" / "pip"
        pip.write_text(f'#!/bin/sh\nexec "{folder}/bin/python" -m pip "$@"\n')
        pip.chmod(0o755)


def pip_files() -> list[Path]:
    found = metadata.distribution("pip")
    places = {path.parts[0] for path in found.files or [] if path.parts[0].startswith("pip")}
    return [Path(str(found.locate_file(place))) for place in sorted(places)]


def own_environment(**more: str) -> dict[str, str]:
    """Return the environment variables of this process without those for Python, pip and the
    loader."""
    kept = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(("PIP_", "PYTHON", "UV_", "LD_PRELOAD", "VIRTUAL_ENV"))
    }
    return kept | {"PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"} | more


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """A built checkout. It reuses objects that are already compiled, so only the extension is
    linked."""
    folder = tmp_path_factory.mktemp("checkout")
    parts = (
        "pyproject.toml",
        "setup.py",
        "MANIFEST.in",
        "README.md",
        "LICENSE",
        "LICENSE.librdkafka",
    )
    for name in parts:
        shutil.copy2(ROOT / name, folder)
    skipped = shutil.ignore_patterns("*.so", "*.egg-info", "__pycache__")
    for name in ("src", "tools", "build/objects"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, folder / name, ignore=skipped)
    build = [sys.executable, "setup.py", "-q", "bdist_wheel"]
    subprocess.run(build, cwd=folder, env=own_environment(), check=True, timeout=_SECONDS)
    sys.path.insert(0, str(ROOT / "tools"))
    import wheels

    wheels.constrain(folder / "dist")
    # The first line of the guide's Dockerfile copies the file to this place.
    shutil.copy(folder / "dist" / "constraints.txt", folder)
    [ours] = (folder / "dist").glob("*.whl")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [
        Requirement(text) for extra in project["optional-dependencies"].values() for text in extra
    ]
    versions = {
        one.name: next(part.version for part in one.specifier if part.operator == ">=")
        for one in needed
    }
    setuptools, tools = installed("setuptools")
    # The other distribution: the public index has it with a later version and with the same
    # version.
    later, same = (
        {
            f"confluent_kafka-{version}-py3-none-any.whl": wheel(
                "confluent-kafka", version, {"confluent_kafka/__init__.py": OTHER.encode()}
            )
        }
        for version in ("99.0", project["version"])
    )
    shared = {f"setuptools-{setuptools}-py3-none-any.whl": tools, **later}
    with (
        serving(Index(versions, {**shared, **same})) as public,
        serving(Index(versions, {**shared, ours.name: ours.read_bytes()})) as private,
    ):
        environment = own_environment(
            PATH=f"{folder}/env/bin{os.pathsep}{os.environ['PATH']}",
            PIP_INDEX_URL=public,
            PIP_NO_CACHE_DIR="1",
            PIP_NO_COMPILE="1",
            PRIVATE_INDEX=private,
        )
        yield Checkout(folder, environment)


def test_every_command_installs_this_package(checkout: Checkout) -> None:
    """Each command runs in a new environment; only the example's address becomes a real one. The
    public index has the other distribution, with a later version and with the same version."""
    for command in EVERY:
        checkout.renew()
        done = checkout.run(command.replace(PRIVATE_INDEX, checkout.environment["PRIVATE_INDEX"]))
        assert done.returncode == 0, f"{command}\n{done.stdout}"
        assert not re.search("confluent-kafka .*does not provide the extra", done.stdout), command
        if names_package(command):
            found = checkout.run(_WHICH)
            assert found.returncode == 0, f"{command}\n{done.stdout}{found.stdout}"


def test_what_the_box_says_of_the_other_distribution(checkout: Checkout) -> None:
    """Without a constraint, pip installs the other distribution, and replaces this package if a
    requirement excludes it. With a constraint, pip refuses. The documented commands replace the
    other distribution, and keep an installed package."""
    [repair] = [one for one in EVERY if "--force-reinstall" in one]
    checkout.renew()

    def installs(command: str, *, ours: bool, status: int = 0) -> None:
        done = checkout.run(command)
        assert done.returncode == status, f"{command}\n{done.stdout}"
        found = checkout.run(_WHICH)
        assert found.returncode == (0 if ours else 1), f"{command}\n{done.stdout}{found.stdout}"
        assert ours or "AttributeError" in found.stdout

    installs("python -m pip install confluent-kafka", ours=False)
    installs(repair, ours=True)
    installs("python -m pip install 'confluent-kafka[cli]'", ours=True)
    constrained = 'PIP_CONSTRAINT="$PWD/dist/constraints.txt" python -m pip install'
    installs(f"{constrained} confluent-kafka==99.0", ours=True, status=1)
    installs("python -m pip install confluent-kafka==99.0", ours=False)
