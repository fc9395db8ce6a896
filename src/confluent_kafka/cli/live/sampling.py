"""Asks a cluster for its state: brokers, topics, and groups of all kinds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka.cli.groups.views import views
from confluent_kafka.cli.lag.facts import Partition
from confluent_kafka.cli.live.snapshot import Snapshot
from confluent_kafka.cli.topics.partition_offsets import offsets_of_some
from confluent_kafka.cli.topics.place import Place

_MESSAGES = 100
_BYTES = 16384  # of a key, a value or a header

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, ClusterMetadata


def sample(admin: AdminClient, timeout: float) -> Snapshot:
    """Return the state of a cluster.

    Args:
        admin: a connected client.
        timeout: seconds to wait for each answer.

    Raises:
        KafkaException: the cluster did not answer, or refused.
    """
    from confluent_kafka.admin import OffsetSpec

    # Any broker can answer this: the controller may be the broker that is down.
    metadata = admin.list_topics(timeout=timeout)
    partitions = _partitions(metadata)
    groups, failures = views(admin, None, timeout)
    # The committed offsets are older than these ends, so no lag is too small. A partition without
    # a leader has no offsets, and librdkafka would wait for a leader.
    places = [place for place, each in sorted(partitions.items()) if each.leader is not None]
    ends, unknown = offsets_of_some(admin, places, OffsetSpec.latest(), timeout)
    return Snapshot(
        time.monotonic(),
        {id_: f"{each.host}:{each.port}" for id_, each in sorted(metadata.brokers.items())},
        None if metadata.controller_id < 0 else metadata.controller_id,
        partitions,
        ends,
        groups,
        _refused(metadata) + failures + unknown,
    )


def _partitions(metadata: ClusterMetadata) -> dict[Place, Partition]:
    return {
        (topic, number): Partition(
            None if each.leader < 0 else each.leader, list(each.replicas), list(each.isrs)
        )
        for topic, described in sorted(metadata.topics.items())
        for number, each in sorted(described.partitions.items())
    }


def _refused(metadata: ClusterMetadata) -> list[str]:
    return [
        f"topic {name!r}: {topic.error.str()}"
        for name, topic in sorted(metadata.topics.items())
        if topic.error is not None
    ]


def last_messages(config: Mapping[str, Any], place: Place, timeout: float) -> list[dict[str, Any]]:
    """Return the last messages of a partition. No group is joined and nothing is committed.

    Args:
        config: the configuration of a Consumer.
        place: the partition.
        timeout: seconds to wait for the cluster.

    Raises:
        KafkaException: the cluster did not answer, or refused.
    """
    # Imported here, because --once reads no messages.
    from confluent_kafka.cli.base.bound import Bound
    from confluent_kafka.cli.messages import samples
    from confluent_kafka.cli.messages.redaction import Redaction

    limits = samples.Limits(_MESSAGES, _BYTES)
    return samples.sample(
        config, [place], Bound("last", _MESSAGES), limits, Redaction((), ()), timeout
    )
