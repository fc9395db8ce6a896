"""The cluster that all programs use: mock brokers in a separate process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.rows import PARTITIONS, RECORDS, TOPICS, VALUES


@dataclass(frozen=True)
class Cluster:
    """The address of the cluster, and the version of its librdkafka."""

    bootstrap_servers: str
    librdkafka: str


@contextmanager
def new_cluster(native: Path, topics: Mapping[str, int]) -> Iterator[Cluster]:
    """Run a cluster with these topics and numbers of partitions, until the block ends."""
    names = ",".join(f"{name}:{partitions}" for name, partitions in topics.items())
    process = subprocess.Popen(
        [native, "cluster", "--topics", names], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    # The end of the block closes the cluster's standard input, so that the cluster ends.
    with process:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the cluster ended with status {process.wait()}")
        yield Cluster(**json.loads(line))


@contextmanager
def running_cluster(native: Path, messages: int) -> Iterator[Cluster]:
    """Run the cluster, with ``messages`` messages in each topic to read, until the block ends."""
    with new_cluster(native, TOPICS) as cluster:
        _load(native, cluster, VALUES, messages, keyed=False)
        _load(native, cluster, RECORDS, messages, keyed=True)
        yield cluster


def _load(native: Path, cluster: Cluster, topic: str, messages: int, *, keyed: bool) -> None:
    subprocess.run(
        [
            *(native, "load", "--bootstrap", cluster.bootstrap_servers, "--topic", topic),
            *("--partitions", str(PARTITIONS), "--messages", str(messages)),
            *("--keyed", str(int(keyed))),
        ],
        check=True,
    )
