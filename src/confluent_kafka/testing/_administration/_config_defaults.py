"""Configuration names, their types and Kafka's documented defaults."""

from __future__ import annotations

from dataclasses import dataclass

# The types of values; the numbers are those of DescribeConfigs.
BOOLEAN, STRING, INT, LONG, DOUBLE, LIST = 1, 2, 3, 5, 6, 7

_NEVER = str(2**63 - 1)
_NUMBERS = {
    INT: range(-(2**31), 2**31),
    LONG: range(-(2**63), 2**63),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting that topics or brokers have.

    Attributes:
        type: the number of its type.
        default: its default value.
        values: the allowed values, or None if every value of the type is allowed.
    """

    type: int
    default: str
    values: tuple[str, ...] | None = None

    def refusal(self, value: str) -> str | None:
        """Return why a value is refused, or None."""
        try:
            if self.type in _NUMBERS and int(value) not in _NUMBERS[self.type]:
                return f"{value} is too large"
            if self.type == DOUBLE:
                float(value)
        except ValueError:
            return f"{value!r} is not a number"
        if self.type == BOOLEAN and value.lower() not in ("true", "false"):
            return f"{value!r} is neither 'true' nor 'false'"
        parts = value.split(",") if self.type == LIST else [value]
        unknown = [part for part in parts if self.values is not None and part not in self.values]
        if unknown:
            return f"{unknown[0]!r} is not one of {', '.join(self.values or ())}"
        return None


# https://kafka.apache.org/documentation/#topicconfigs
TOPIC = {
    "cleanup.policy": Setting(LIST, "delete", ("compact", "delete")),
    "compression.gzip.level": Setting(INT, "-1"),
    "compression.lz4.level": Setting(INT, "9"),
    "compression.type": Setting(
        STRING, "producer", ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
    ),
    "compression.zstd.level": Setting(INT, "3"),
    "delete.retention.ms": Setting(LONG, "86400000"),
    "file.delete.delay.ms": Setting(LONG, "60000"),
    "flush.messages": Setting(LONG, _NEVER),
    "flush.ms": Setting(LONG, _NEVER),
    "follower.replication.throttled.replicas": Setting(LIST, ""),
    "index.interval.bytes": Setting(INT, "4096"),
    "leader.replication.throttled.replicas": Setting(LIST, ""),
    "local.retention.bytes": Setting(LONG, "-2"),
    "local.retention.ms": Setting(LONG, "-2"),
    "max.compaction.lag.ms": Setting(LONG, _NEVER),
    "max.message.bytes": Setting(INT, "1048588"),
    "message.timestamp.after.max.ms": Setting(LONG, "3600000"),
    "message.timestamp.before.max.ms": Setting(LONG, _NEVER),
    "message.timestamp.type": Setting(STRING, "CreateTime", ("CreateTime", "LogAppendTime")),
    "min.cleanable.dirty.ratio": Setting(DOUBLE, "0.5"),
    "min.compaction.lag.ms": Setting(LONG, "0"),
    "min.insync.replicas": Setting(INT, "1"),
    "preallocate": Setting(BOOLEAN, "false"),
    "remote.log.copy.disable": Setting(BOOLEAN, "false"),
    "remote.log.delete.on.disable": Setting(BOOLEAN, "false"),
    "remote.storage.enable": Setting(BOOLEAN, "false"),
    "retention.bytes": Setting(LONG, "-1"),
    "retention.ms": Setting(LONG, "604800000"),
    "segment.bytes": Setting(INT, "1073741824"),
    "segment.index.bytes": Setting(INT, "10485760"),
    "segment.jitter.ms": Setting(LONG, "0"),
    "segment.ms": Setting(LONG, "604800000"),
    "unclean.leader.election.enable": Setting(BOOLEAN, "false"),
}

# Some of the settings in https://kafka.apache.org/documentation/#brokerconfigs that can be changed
# at run time.
BROKER = {
    "background.threads": Setting(INT, "10"),
    "compression.type": TOPIC["compression.type"],
    "follower.replication.throttled.rate": Setting(LONG, _NEVER),
    "leader.replication.throttled.rate": Setting(LONG, _NEVER),
    "log.cleaner.threads": Setting(INT, "1"),
    "log.retention.bytes": Setting(LONG, "-1"),
    "log.retention.ms": Setting(LONG, "604800000"),
    "log.segment.bytes": Setting(INT, "1073741824"),
    "max.connections": Setting(INT, "2147483647"),
    "message.max.bytes": Setting(INT, "1048588"),
    "min.insync.replicas": Setting(INT, "1"),
    "num.io.threads": Setting(INT, "8"),
    "num.network.threads": Setting(INT, "3"),
    "replica.alter.log.dirs.io.max.bytes.per.second": Setting(LONG, _NEVER),
    "unclean.leader.election.enable": Setting(BOOLEAN, "false"),
}

# https://kafka.apache.org/documentation/#groupconfigs
GROUP = {
    "consumer.heartbeat.interval.ms": Setting(INT, "5000"),
    "consumer.session.timeout.ms": Setting(INT, "45000"),
    "share.auto.offset.reset": Setting(STRING, "latest", ("latest", "earliest")),
    "share.delivery.count.limit": Setting(INT, "5"),
    "share.heartbeat.interval.ms": Setting(INT, "5000"),
    "share.isolation.level": Setting(
        STRING, "read_uncommitted", ("read_committed", "read_uncommitted")
    ),
    "share.record.lock.duration.ms": Setting(INT, "30000"),
    "share.session.timeout.ms": Setting(INT, "45000"),
    "streams.heartbeat.interval.ms": Setting(INT, "5000"),
    "streams.num.standby.replicas": Setting(INT, "0"),
    "streams.session.timeout.ms": Setting(INT, "45000"),
}
