"""The compatibility APIs do what the originals do, call by call, in scripts that nobody wrote."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from confluent_kafka.testing import MockCluster

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.differential.known import KNOWN
from tests.differential.machine import PEERS, Peer, compare, make_topic
from tests.support.peers import InstallationError

SCRIPTS = (*range(12), 15)  # 7 and 15 have rules, users and leaders
DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_the_same_scripts(peer: Peer, kafka_cluster: MockCluster) -> None:
    """Each step returns the same as in the original, or raises what a handler for the original's
    exception catches; at the end the group has committed the same."""
    topic = f"differential-{uuid.uuid4().hex[:8]}"
    make_topic(kafka_cluster.bootstrap_servers, topic)
    try:
        found = compare(peer, kafka_cluster.bootstrap_servers, topic, SCRIPTS)
    except InstallationError as error:
        pytest.skip(str(error))
    assert not found, "\n".join(map(str, found))


def test_known_differences_are_documented() -> None:
    """Each difference that the machine passes over is in a table that users read."""
    tables = "".join(file.read_text() for file in DOCUMENTS.rglob("*.md"))
    for known in KNOWN:
        assert f"| {known.document}" in tables, known.document
