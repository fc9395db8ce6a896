"""Starts the real cluster, once for all tests of a run in all folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.integration.kafka_cluster import KafkaCluster, OwnKafkaCluster

ROOT = Path(__file__).resolve().parents[2]
NOT_THERE = (
    "Apache Kafka is not there: install Java 17 and Maven, "
    "or set KAFKA_HOME to a distribution or BOOTSTRAP to a running cluster"
)


def kafka_home() -> Path:
    """The folder of the distribution that `make kafka` assembles."""
    if "KAFKA_HOME" not in os.environ and shutil.which("mvn") is None:
        pytest.skip(NOT_THERE)
    command = [sys.executable, str(ROOT / "tools" / "kafka.py")]
    return Path(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    )


@pytest.fixture(scope="session")
def real_kafka(request: pytest.FixtureRequest) -> Iterator[KafkaCluster]:
    """Three brokers, or the brokers in BOOTSTRAP. If a test fails, the brokers' logs are kept."""
    bootstrap = os.environ.get("BOOTSTRAP")
    if bootstrap:
        from tests.integration.kafka_cluster import KafkaCluster

        yield KafkaCluster(bootstrap)
        return
    folder = ROOT / "build" / "integration" / str(os.getpid())
    # The import is here, because its packages are installed only for tests on real brokers.
    from tests.integration.kafka_cluster import running_cluster

    with running_cluster(kafka_home(), folder) as cluster:
        yield cluster
    if request.session.testsfailed:
        print(f"\nthe brokers' logs are in {folder}")
    else:
        # Errors are ignored, because a broker that was just killed may have written one more file.
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def kafka(real_kafka: KafkaCluster) -> KafkaCluster:
    """The cluster of a test; tests in `tests/integration` may also get an embedded cluster."""
    return real_kafka


@pytest.fixture
def own_kafka(kafka: KafkaCluster) -> OwnKafkaCluster:
    """The tests' own cluster, for a test that breaks, changes or inspects brokers."""
    from tests.integration.kafka_cluster import OwnKafkaCluster

    if not isinstance(kafka, OwnKafkaCluster):
        pytest.skip("the cluster in BOOTSTRAP does not belong to the tests")
    return kafka


MakeTopic = Callable[..., str]


@pytest.fixture
def make_topic(kafka: KafkaCluster) -> MakeTopic:
    """A function make_topic(partitions=1, **config) that returns the name of a new topic."""
    from tests.integration.topics import create_topic

    def make(partitions: int = 1, **config: str) -> str:
        name = f"topic-{uuid.uuid4().hex[:12]}"
        create_topic(
            kafka, name, partitions, {key.replace("_", "."): config[key] for key in config}
        )
        return name

    return make
