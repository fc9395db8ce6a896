"""Runs one broker from the distribution of Apache Kafka that the tests use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.native_program import ROOT
from tests.integration.kafka_cluster import KafkaCluster, running_cluster

# The brokers of the tests start quickly and need little memory. This broker must be fast instead.
_JAVA_OPTIONS = "-XX:TieredStopAtLevel=4 -Xmx1g"


@contextmanager
def running_broker(folder: Path) -> Iterator[KafkaCluster]:
    """Run a broker. Its data, which can be gigabytes, are removed at the end of the block."""
    shutil.rmtree(folder, ignore_errors=True)
    tool = [sys.executable, str(ROOT / "tools" / "kafka.py")]
    home = subprocess.run(tool, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    try:
        with running_cluster(Path(home), folder, brokers=1, java_options=_JAVA_OPTIONS) as cluster:
            yield cluster
    finally:
        shutil.rmtree(folder, ignore_errors=True)
