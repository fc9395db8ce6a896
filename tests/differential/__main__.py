"""Runs random scripts on this package and on the original packages, and prints every difference.

python -m tests.differential                      # 100 scripts for each original
python -m tests.differential --scripts 1000 --only aiokafka
python -m tests.differential --brokers localhost:9092
python -m tests.differential --real --scripts 25       # Apache Kafka, which this starts
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from confluent_kafka.testing import MockCluster
from tests.differential.machine import PEERS, compare, make_topic

_AT_ONCE = 25  # number of scripts that one process runs


def main() -> int:
    """Return the exit status, which is 1 if there is a difference that no document names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--scripts", type=int, default=100, help="scripts for each original")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first script")
    parser.add_argument("--only", default="", help="only originals whose names contain this text")
    parser.add_argument("--brokers", help="use these brokers instead of the embedded cluster")
    parser.add_argument(
        "--real", action="store_true", help="start and use a broker of Apache Kafka"
    )
    arguments = parser.parse_args()
    different = 0
    with contextlib.ExitStack() as stack:
        servers = arguments.brokers or stack.enter_context(_cluster(arguments.real))
        topic = f"differential-{uuid.uuid4().hex[:8]}"
        make_topic(servers, topic)
        for peer in (one for one in PEERS if arguments.only in one.name):
            found = []
            last = arguments.first + arguments.scripts
            for first in range(arguments.first, last, _AT_ONCE):
                seeds = range(first, min(first + _AT_ONCE, last))
                for difference in compare(peer, servers, topic, seeds):
                    print(difference, flush=True)
                    found.append(difference)
            print(f"{peer.name}: {arguments.scripts} scripts, {len(found)} with a difference")
            different += len(found)
    return 1 if different else 0


@contextlib.contextmanager
def _cluster(real: bool) -> Iterator[str]:
    """Yield the addresses of a cluster that runs during the block."""
    if not real:
        with MockCluster(1) as cluster:
            yield cluster.bootstrap_servers
        return
    # The import is here, because its packages are installed only for tests on real brokers.
    from tests.integration.kafka_cluster import running_cluster
    from tests.support.real_kafka import kafka_home

    with (
        tempfile.TemporaryDirectory() as folder,
        running_cluster(kafka_home(), Path(folder), brokers=1) as cluster,
    ):
        yield cluster.bootstrap_servers


if __name__ == "__main__":
    sys.exit(main())
