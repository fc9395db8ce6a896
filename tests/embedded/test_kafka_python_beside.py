"""compat.kafka beside kafka-python: the same program on both, with the same results."""

from __future__ import annotations

import json
import subprocess
import venv
from pathlib import Path

import pytest

from confluent_kafka.compat.kafka import __version__
from confluent_kafka.testing import MockCluster

pytest.importorskip("typer", reason="the extra [cli] is not installed")

from tests.support.command_line import started

SCRIPT = Path(__file__).parents[1] / "support" / "programs" / "kafka_python_calls.py"
INSTALLATION, PROGRAM = 60, 100  # seconds; together less than faulthandler_timeout


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with kafka-python, which has its name in common with the face."""
    folder = tmp_path_factory.mktemp("peer")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "-q", f"kafka-python=={__version__}"]
    try:
        subprocess.run(install, check=True, timeout=INSTALLATION, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"kafka-python cannot be installed: {error}")
    return python


def outcomes(process: subprocess.Popen[bytes]) -> dict[str, list[str]]:
    """What the program has printed, by the names of the calls."""
    output, complaints = process.communicate(timeout=PROGRAM)
    assert process.returncode == 0, complaints.decode()[-4000:]
    found: dict[str, list[str]] = {}
    for line in output.decode().splitlines():
        name, outcome = json.loads(line)
        found.setdefault(name, []).append(outcome)
    return found


def test_the_same_program(peer: Path, kafka_cluster: MockCluster) -> None:
    """Each call returns the same, or raises an exception of the same class.

    What the documentation has as a difference is not among them.
    """
    servers = kafka_cluster.bootstrap_servers
    theirs = subprocess.Popen(
        [str(peer), "-W", "ignore", str(SCRIPT), servers, "beside-theirs"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wanted = outcomes(theirs)
    ours = outcomes(started("run", "--as", "kafka", str(SCRIPT), servers, "beside-ours"))
    assert ours.keys() == wanted.keys()
    differences = {
        name: (ours[name], wanted[name]) for name in wanted if ours[name] != wanted[name]
    }
    assert not differences
