"""One broker of the tests' distribution of Apache Kafka."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.native_program import ROOT
from tests.integration.kafka_cluster import KafkaCluster, running_cluster

# The tests' brokers are to be ready soon and small; this one is to be fast.
_JAVA_OPTIONS = "-XX:TieredStopAtLevel=4 -Xmx1g"


@contextmanager
def running_broker(folder: Path) -> Iterator[KafkaCluster]:
    """Run a broker, its data in a folder that is removed at the exit: it is gigabytes."""
    shutil.rmtree(folder, ignore_errors=True)
    tool = [sys.executable, str(ROOT / "tools" / "kafka.py")]
    home = subprocess.run(tool, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    try:
        with running_cluster(Path(home), folder, brokers=1, java_options=_JAVA_OPTIONS) as cluster:
            yield cluster
    finally:
        shutil.rmtree(folder, ignore_errors=True)
