"""What configurations change in the brokers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from confluent_kafka.cimpl import MockCluster

_LARGEST_INT, _LARGEST_LONG = 2**31 - 1, 2**63 - 1
# The configurations of topics that have an effect.
OF_TOPICS = (
    "cleanup.policy",
    "max.message.bytes",
    "message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms",
    "message.timestamp.type",
)


def apply_to_topic(cluster: MockCluster, topic: str, values: Mapping[str, str]) -> None:
    """Change what a topic accepts.

    A topic accepts everything until a value is set: Kafka's defaults of max.message.bytes and
    message.timestamp.after.max.ms would refuse messages that tests send to the embedded cluster.

    Args:
        cluster: the brokers.
        topic: the name of the topic.
        values: the values of `OF_TOPICS` that were set for the topic, or for all brokers.
    """
    cluster._set_topic_rules(
        topic,
        int(values.get("max.message.bytes", _LARGEST_INT)),
        int(values.get("message.timestamp.before.max.ms", _LARGEST_LONG)),
        int(values.get("message.timestamp.after.max.ms", _LARGEST_LONG)),
        values.get("message.timestamp.type") == "LogAppendTime",
        "compact" in values.get("cleanup.policy", "").split(","),
    )


def apply_to_group(cluster: MockCluster, group: str, values: Mapping[str, str]) -> None:
    """Change how groups behave. The brokers have one value for all groups."""
    seconds = {name: int(value) / 1000 for name, value in values.items() if name.endswith(".ms")}
    for name, change in (
        ("consumer.heartbeat.interval.ms", cluster.set_group_consumer_heartbeat_interval),
        ("consumer.session.timeout.ms", cluster.set_group_consumer_session_timeout),
        ("share.heartbeat.interval.ms", cluster.set_share_group_heartbeat_interval),
        ("share.record.lock.duration.ms", cluster.set_share_group_record_lock_duration),
    ):
        if name in seconds:
            change(seconds[name])
    if "share.auto.offset.reset" in values:
        earliest = values["share.auto.offset.reset"] == "earliest"
        cluster.set_share_group_auto_offset_reset("earliest" if earliest else "latest")
    if "share.delivery.count.limit" in values:
        cluster.set_share_group_delivery_count_limit(int(values["share.delivery.count.limit"]))
