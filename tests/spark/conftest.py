"""One Spark session and one embedded cluster for all Spark tests; a topic for each test."""

from __future__ import annotations

import os
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka.testing import MockCluster

from .starting import pytest_collection_modifyitems as pytest_collection_modifyitems


@pytest.fixture(scope="session")
def java() -> None:
    """Skip the test if Java, which Spark needs, is missing."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java", path=f"{home}/bin" if home else None) is None:
        pytest.skip("there is no Java: Spark needs Java 17 or newer")


@pytest.fixture(scope="session")
def spark(java: None) -> Iterator[Any]:
    """A local session on two cores, with as little memory and output as possible."""
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    # The tests provoke errors on purpose, and look at the exceptions.
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def cluster() -> Iterator[MockCluster]:
    """A cluster that executors, which are other processes, reach over TCP."""
    with MockCluster(3) as brokers:
        yield brokers


@pytest.fixture
def new_topic(cluster: MockCluster) -> Callable[..., str]:
    """Create a topic that no other test has."""

    def create(partitions: int = 2) -> str:
        name = f"spark-{uuid.uuid4().hex[:8]}"
        cluster.create_topic(name, partitions)
        return name

    return create
