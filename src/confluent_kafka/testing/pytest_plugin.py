"""Fixtures for pytest: ``kafka_cluster`` and ``kafka_topic``.

pytest finds this module through the package's entry point; ``-p no:confluent_kafka`` turns it off.
It imports only pytest and the extension, and starts no broker unless a test asks for one.

Options in the ini file:

- ``kafka_cluster_brokers``: brokers of ``kafka_cluster``, 1 to 100 (default 3).
- ``kafka_cluster_scope``: how long one ``kafka_cluster`` is used: ``function`` (default),
  ``class``, ``module``, ``package`` or ``session``. Use a wider scope only for fixtures that need
  one: starting a cluster takes a few milliseconds, and errors that one test injects stay in effect
  for the next test.

Marker ``kafka_topic(partitions=1, replication_factor=1)``: the arguments of the topic that
``kafka_topic`` creates.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka.testing import MockCluster

_SCOPES = ("function", "class", "module", "package", "session")
_topic_numbers = itertools.count(1)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("kafka_cluster_brokers", "brokers of kafka_cluster, 1 to 100", default="3")
    parser.addini(
        "kafka_cluster_scope", f"scope of kafka_cluster: {', '.join(_SCOPES)}", default="function"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "kafka_topic(partitions=1, replication_factor=1): what the fixture kafka_topic creates",
    )
    # Checked here, because pytest would report an error in the function below as its own.
    scope = config.getini("kafka_cluster_scope")
    if scope not in _SCOPES:
        raise pytest.UsageError(
            f"kafka_cluster_scope must be one of {', '.join(_SCOPES)}, not {scope!r}"
        )


def _cluster_scope(fixture_name: str, config: pytest.Config) -> Any:
    return config.getini("kafka_cluster_scope")


def _broker_count(config: pytest.Config) -> int:
    text = config.getini("kafka_cluster_brokers")
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise pytest.UsageError(f"kafka_cluster_brokers must be 1 to 100, not {text!r}")
    return int(text)


@pytest.fixture(scope=_cluster_scope)
def kafka_cluster(pytestconfig: pytest.Config) -> Iterator[MockCluster]:
    """A running ``confluent_kafka.testing.MockCluster``, new for every test by default."""
    with MockCluster(brokers=_broker_count(pytestconfig)) as cluster:
        yield cluster


@pytest.fixture
def kafka_topic(request: pytest.FixtureRequest, kafka_cluster: MockCluster) -> str:
    """The name of a new topic in ``kafka_cluster``, with one partition.

    To change that, use ``@pytest.mark.kafka_topic(partitions=3, replication_factor=2)``.
    """
    marker = request.node.get_closest_marker("kafka_topic")
    args, kwargs = (marker.args, marker.kwargs) if marker else ((), {})
    test = re.sub(r"[^A-Za-z0-9._-]+", "-", request.node.name)[:200]
    topic = f"{test}-{next(_topic_numbers)}"
    kafka_cluster.create_topic(topic, *args, **kwargs)
    return topic
