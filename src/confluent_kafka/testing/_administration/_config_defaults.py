"""Configuration names of topics, groups and client metrics, with Kafka's documented defaults."""

from __future__ import annotations

from dataclasses import dataclass

# The types of values; the numbers are those of DescribeConfigs.
UNKNOWN, BOOLEAN, STRING, INT, SHORT, LONG, DOUBLE, LIST, CLASS, PASSWORD = range(10)

_NEVER = str(2**63 - 1)
_NUMBERS = {
    SHORT: ("SHORT", range(-(2**15), 2**15)),
    INT: ("INT", range(-(2**31), 2**31)),
    LONG: ("LONG", range(-(2**63), 2**63)),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a kind of resource.

    Attributes:
        type: the number of its type.
        default: its default value, or None if it has none.
        values: the allowed values, or None if every value of the type is allowed.
        broker_name: the setting of brokers that is the default of this setting.
        lowest: the lowest allowed number, or None.
        highest: the highest allowed number, or None.
        read_only: whether it cannot be changed.
    """

    type: int
    default: str | None
    values: tuple[str, ...] | None = None
    broker_name: str = ""
    lowest: int | None = None
    highest: int | None = None
    read_only: bool = False

    def refusal(self, value: str) -> str | None:
        """Return why a value is refused, or None."""
        if self.type in _NUMBERS:
            return self._refusal_of_number(value)
        if self.type == DOUBLE:
            return None if _is_float(value) else "Not a number of type DOUBLE"
        if self.type == BOOLEAN and value.lower() not in ("true", "false"):
            return "Expected value to be either true or false"
        parts = [part for part in value.split(",") if part] if self.type == LIST else [value]
        if self.values is not None and not set(parts) <= set(self.values):
            return f"String must be one of: {', '.join(self.values)}"
        return None

    def _refusal_of_number(self, value: str) -> str | None:
        name, numbers = _NUMBERS[self.type]
        try:
            number = int(value)
        except ValueError:
            number = numbers.stop
        if number not in numbers:
            return f"Not a number of type {name}"
        if self.lowest is not None and number < self.lowest:
            return f"Value must be at least {self.lowest}"
        if self.highest is not None and number > self.highest:
            return f"Value must be no more than {self.highest}"
        return None


def _is_float(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


# https://kafka.apache.org/documentation/#topicconfigs
TOPIC = {
    "cleanup.policy": Setting(
        LIST, "delete", ("compact", "delete"), broker_name="log.cleanup.policy"
    ),
    "compression.gzip.level": Setting(INT, "-1", broker_name="compression.gzip.level"),
    "compression.lz4.level": Setting(INT, "9", broker_name="compression.lz4.level"),
    "compression.type": Setting(
        STRING,
        "producer",
        ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
        broker_name="compression.type",
    ),
    "compression.zstd.level": Setting(INT, "3", broker_name="compression.zstd.level"),
    "delete.retention.ms": Setting(
        LONG, "86400000", broker_name="log.cleaner.delete.retention.ms", lowest=0
    ),
    "file.delete.delay.ms": Setting(
        LONG, "60000", broker_name="log.segment.delete.delay.ms", lowest=0
    ),
    "flush.messages": Setting(LONG, _NEVER, broker_name="log.flush.interval.messages", lowest=1),
    "flush.ms": Setting(LONG, _NEVER, broker_name="log.flush.interval.ms", lowest=0),
    "follower.replication.throttled.replicas": Setting(LIST, ""),
    "index.interval.bytes": Setting(INT, "4096", broker_name="log.index.interval.bytes", lowest=0),
    "leader.replication.throttled.replicas": Setting(LIST, ""),
    "local.retention.bytes": Setting(
        LONG, "-2", broker_name="log.local.retention.bytes", lowest=-2
    ),
    "local.retention.ms": Setting(LONG, "-2", broker_name="log.local.retention.ms", lowest=-2),
    "max.compaction.lag.ms": Setting(
        LONG, _NEVER, broker_name="log.cleaner.max.compaction.lag.ms", lowest=1
    ),
    "max.message.bytes": Setting(INT, "1048588", broker_name="message.max.bytes", lowest=0),
    "message.timestamp.after.max.ms": Setting(
        LONG, "3600000", broker_name="log.message.timestamp.after.max.ms", lowest=0
    ),
    "message.timestamp.before.max.ms": Setting(
        LONG, _NEVER, broker_name="log.message.timestamp.before.max.ms", lowest=0
    ),
    "message.timestamp.type": Setting(
        STRING,
        "CreateTime",
        ("CreateTime", "LogAppendTime"),
        broker_name="log.message.timestamp.type",
    ),
    "min.cleanable.dirty.ratio": Setting(
        DOUBLE, "0.5", broker_name="log.cleaner.min.cleanable.ratio"
    ),
    "min.compaction.lag.ms": Setting(
        LONG, "0", broker_name="log.cleaner.min.compaction.lag.ms", lowest=0
    ),
    "min.insync.replicas": Setting(INT, "1", broker_name="min.insync.replicas", lowest=1),
    "preallocate": Setting(BOOLEAN, "false", broker_name="log.preallocate"),
    "remote.log.copy.disable": Setting(BOOLEAN, "false"),
    "remote.log.delete.on.disable": Setting(BOOLEAN, "false"),
    "remote.storage.enable": Setting(BOOLEAN, "false"),
    "retention.bytes": Setting(LONG, "-1", broker_name="log.retention.bytes"),
    "retention.ms": Setting(LONG, "604800000", broker_name="log.retention.ms", lowest=-1),
    "segment.bytes": Setting(INT, "1073741824", broker_name="log.segment.bytes", lowest=1048576),
    "segment.index.bytes": Setting(
        INT, "10485760", broker_name="log.index.size.max.bytes", lowest=4
    ),
    "segment.jitter.ms": Setting(LONG, "0", broker_name="log.roll.jitter.ms", lowest=0),
    "segment.ms": Setting(LONG, "604800000", broker_name="log.roll.ms", lowest=1),
    "unclean.leader.election.enable": Setting(
        BOOLEAN, "false", broker_name="unclean.leader.election.enable"
    ),
}

# https://kafka.apache.org/documentation/#groupconfigs
GROUP = {
    "consumer.assignment.interval.ms": Setting(
        INT, "1000", broker_name="group.consumer.assignment.interval.ms"
    ),
    "consumer.heartbeat.interval.ms": Setting(
        INT, "5000", broker_name="group.consumer.heartbeat.interval.ms"
    ),
    "consumer.session.timeout.ms": Setting(
        INT, "45000", broker_name="group.consumer.session.timeout.ms"
    ),
    "errors.deadletterqueue.copy.record.enable": Setting(BOOLEAN, "false"),
    "errors.deadletterqueue.topic.name": Setting(STRING, ""),
    "share.assignment.interval.ms": Setting(
        INT, "1000", broker_name="group.share.assignment.interval.ms"
    ),
    "share.auto.offset.reset": Setting(STRING, "latest", ("latest", "earliest")),
    "share.delivery.count.limit": Setting(INT, "5", broker_name="group.share.delivery.count.limit"),
    "share.heartbeat.interval.ms": Setting(
        INT, "5000", broker_name="group.share.heartbeat.interval.ms"
    ),
    "share.isolation.level": Setting(
        STRING, "read_uncommitted", ("read_committed", "read_uncommitted")
    ),
    "share.partition.max.record.locks": Setting(
        INT, "2000", broker_name="group.share.partition.max.record.locks"
    ),
    "share.record.lock.duration.ms": Setting(
        INT, "30000", broker_name="group.share.record.lock.duration.ms"
    ),
    "share.renew.acknowledge.enable": Setting(BOOLEAN, "true"),
    "share.session.timeout.ms": Setting(INT, "45000", broker_name="group.share.session.timeout.ms"),
    "streams.assignment.interval.ms": Setting(
        INT, "1000", broker_name="group.streams.assignment.interval.ms"
    ),
    "streams.assignor.name": Setting(
        STRING, "sticky", ("sticky",), broker_name="group.streams.assignors"
    ),
    "streams.heartbeat.interval.ms": Setting(
        INT, "5000", broker_name="group.streams.heartbeat.interval.ms"
    ),
    "streams.initial.rebalance.delay.ms": Setting(
        INT, "3000", broker_name="group.streams.initial.rebalance.delay.ms"
    ),
    "streams.num.standby.replicas": Setting(
        INT, "0", broker_name="group.streams.num.standby.replicas"
    ),
    "streams.rack.aware.assignment.tags": Setting(
        LIST, "", broker_name="group.streams.rack.aware.assignment.tags"
    ),
    "streams.session.timeout.ms": Setting(
        INT, "45000", broker_name="group.streams.session.timeout.ms"
    ),
}

# https://kafka.apache.org/documentation/#clientmetricsconfigs
CLIENT_METRICS = {
    "interval.ms": Setting(INT, "300000"),
    "match": Setting(LIST, ""),
    "metrics": Setting(LIST, ""),
}
