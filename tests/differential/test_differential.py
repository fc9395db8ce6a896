"""The compatibility APIs behave like the original packages, call by call, in random scripts."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from confluent_kafka.testing import MockCluster

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.differential.known import KNOWN
from tests.differential.machine import PEERS, Peer, compare, make_topic
from tests.support.peers import InstallationError

SCRIPTS = (*range(12), 15)  # the scripts 7 and 15 have steps with ACLs, users and leaders
DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_the_same_scripts(peer: Peer, kafka_cluster: MockCluster) -> None:
    """Each step has the original's result, or an exception that handlers for the original catch.

    At the end, the group's committed offsets are the same.
    """
    topic = f"differential-{uuid.uuid4().hex[:8]}"
    make_topic(kafka_cluster.bootstrap_servers, topic)
    try:
        found = compare(peer, kafka_cluster.bootstrap_servers, topic, SCRIPTS)
    except InstallationError as error:
        pytest.skip(str(error))
    assert not found, "\n".join(map(str, found))


def test_known_differences_are_documented() -> None:
    """Each difference that the comparison ignores is in a table of the documentation."""
    tables = "".join(file.read_text() for file in DOCUMENTS.rglob("*.md"))
    for known in KNOWN:
        assert f"| {known.document}" in tables, known.document
