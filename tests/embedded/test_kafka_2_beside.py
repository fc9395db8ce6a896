"""The same program runs on compat.kafka_2 and on kafka-python 2, with the same results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka.testing import MockCluster

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import started
from tests.support.peers import installed, outcomes

SCRIPT = Path(__file__).parents[1] / "support" / "programs" / "kafka_2_calls.py"
# CPython 3.12 and newer cannot import 2.0.2; 2.0.6 is the most similar version.
VERSION = "kafka-python==2.0.2" if sys.version_info < (3, 12) else "kafka-python==2.0.6"


@pytest.fixture(scope="module")
def peer() -> Path:
    """An interpreter with kafka-python 2. It is separate, because both packages have the module
    name `kafka`."""
    return installed(VERSION)


def agree(our: Any, wanted: Any) -> bool:
    """Whether a result is what a program for kafka-python expects."""
    if isinstance(wanted, list) and isinstance(our, list):
        return set(wanted) <= set(our)
    return bool(our == wanted)


def test_the_same_program(peer: Path, kafka_cluster: MockCluster) -> None:
    """Each call returns the same value, or raises what the same ``except`` clauses catch.

    Differences that the documentation lists are left out. More clauses may catch an exception of
    this package.
    """
    servers = kafka_cluster.bootstrap_servers
    theirs = subprocess.Popen(
        [str(peer), "-W", "ignore", str(SCRIPT), servers, "beside-theirs"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    wanted = outcomes(theirs)
    ours = outcomes(started("run", "--as", "kafka:2", str(SCRIPT), servers, "beside-ours"))
    assert ours.keys() == wanted.keys()
    differences = {
        name: (ours[name], wanted[name])
        for name in wanted
        if not all(map(agree, ours[name], wanted[name]))
    }
    assert not differences
