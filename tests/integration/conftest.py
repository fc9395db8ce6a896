"""The cluster of each test, real and embedded, and names of topics and groups."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from confluent_kafka.testing import MockCluster
from tests.integration.embedded_kafka import EmbeddedKafkaCluster
from tests.integration.kafka_cluster import BROKERS, KafkaCluster, SecuredKafkaCluster
from tests.support.real_kafka import MakeTopic as MakeTopic
from tests.support.real_kafka import kafka_home as kafka_home


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests marked `both_clusters` run on the real cluster and on an embedded one.

    If a test or a parameter is also marked `real_only(limits.LIMIT)`, it runs on the real cluster
    only.
    """
    needs = set(metafunc.fixturenames)
    if "kafka" not in needs or "real_kafka" in needs:
        return
    marked = metafunc.definition.get_closest_marker
    if marked("both_clusters") and not marked("real_only"):
        ids = [pytest.HIDDEN_PARAM, "embedded"]
        metafunc.parametrize("kafka", ["real", "embedded"], ids=ids, indirect=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A parameter that is marked `real_only` does not run on the embedded cluster."""
    items[:] = [
        item for item in items if not (item.get_closest_marker("real_only") and _is_embedded(item))
    ]


def _is_embedded(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    return callspec is not None and callspec.params.get("kafka") == "embedded"


@pytest.fixture
def kafka(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[KafkaCluster]:
    """The real cluster, or an embedded one of the test's own."""
    if getattr(request, "param", "real") == "real":
        yield request.getfixturevalue("real_kafka")
        return
    with MockCluster(brokers=BROKERS) as cluster:
        embedded = EmbeddedKafkaCluster(cluster, tmp_path / "certificates")
        with contextlib.closing(embedded):
            yield embedded


@pytest.fixture
def secured_kafka(kafka: KafkaCluster) -> SecuredKafkaCluster:
    """A cluster for tests that need more than a PLAINTEXT listener."""
    if not isinstance(kafka, SecuredKafkaCluster):
        pytest.skip("the cluster in BOOTSTRAP does not belong to the tests")
    return kafka


@pytest.fixture
def topic(make_topic: MakeTopic) -> str:
    """A topic with one partition."""
    return make_topic()


@pytest.fixture
def group() -> str:
    """The id of a group that no other test has."""
    return f"group-{uuid.uuid4().hex[:12]}"
