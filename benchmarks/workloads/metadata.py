"""Measure how long it takes to decode a large response. The program does not use the cluster."""

from __future__ import annotations

import argparse
import time
from statistics import quantiles

from benchmarks.workloads.common import print_result
from confluent_kafka.protocol import MetadataResponse

VERSION = 12
BROKERS, TOPICS, PARTITIONS = 6, 2_200, 10  # about 1 MB


def answer() -> bytes:
    """Return the metadata of a large cluster."""
    brokers = [
        MetadataResponse.MetadataResponseBroker(node_id=i, host=f"{i}.example.com", port=9092)
        for i in range(BROKERS)
    ]
    partitions = [
        MetadataResponse.MetadataResponsePartition(
            partition_index=i,
            leader_id=i % BROKERS,
            leader_epoch=3,
            replica_nodes=[(i + more) % BROKERS for more in range(3)],
            isr_nodes=[(i + more) % BROKERS for more in range(3)],
        )
        for i in range(PARTITIONS)
    ]
    topics = [
        MetadataResponse.MetadataResponseTopic(name=f"name.of.a-topic-{i}", partitions=partitions)
        for i in range(TOPICS)
    ]
    return MetadataResponse(brokers=brokers, topics=topics).encode(VERSION)


def main() -> None:
    """Decode the response for some time and print the percentiles."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", help="not used")
    parser.add_argument("--seconds", type=float, required=True)
    args = parser.parse_args()
    data = answer()
    found = []
    end = time.perf_counter() + args.seconds
    while (start := time.perf_counter()) < end:
        MetadataResponse.decode(data, VERSION)
        found.append(time.perf_counter() - start)
    cuts = quantiles(found, n=100)
    print_result(p50_seconds=cuts[49], p99_seconds=cuts[98], count=len(found))


if __name__ == "__main__":
    main()
