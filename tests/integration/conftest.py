"""Names of topics and groups; the cluster itself is a fixture of all tests."""

from __future__ import annotations

import uuid

import pytest

from tests.support.real_kafka import MakeTopic as MakeTopic
from tests.support.real_kafka import kafka_home as kafka_home


@pytest.fixture
def topic(make_topic: MakeTopic) -> str:
    """A topic with one partition."""
    return make_topic()


@pytest.fixture
def group() -> str:
    """The id of a group that no other test has."""
    return f"group-{uuid.uuid4().hex[:12]}"
