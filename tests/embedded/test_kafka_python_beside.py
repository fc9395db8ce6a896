"""The same program runs on compat.kafka and on kafka-python, with the same results."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from confluent_kafka.compat.kafka import __version__
from confluent_kafka.testing import MockCluster

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import started
from tests.support.peers import installed, outcomes

SCRIPT = Path(__file__).parents[1] / "support" / "programs" / "kafka_python_calls.py"


@pytest.fixture(scope="module")
def peer() -> Path:
    """An interpreter with kafka-python. It is separate, because both packages have the module name
    `kafka`."""
    return installed(f"kafka-python=={__version__}")


def test_the_same_program(peer: Path, kafka_cluster: MockCluster) -> None:
    """Each call returns the same value, or raises an exception of the same class.

    Differences that the documentation lists are left out.
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
