"""The model's view of a topic's partitions, and the operations that change the topic."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from confluent_kafka import Producer
from confluent_kafka.protocol.records import Record, RecordBatch
from confluent_kafka.testing import MockCluster
from tests.support.kafka import Reports
from tests.support.record_batches import sent
from tests.support.waiting import TIMEOUT


@dataclass
class Log:
    """The contents of a partition."""

    records: dict[int, bytes] = field(default_factory=dict)
    """These include deleted records, because a consumer may have fetched them before."""
    start: int = 0
    end: int = 0
    starts: set[int] = field(default_factory=lambda: {0})
    """All starts of the log so far."""

    def after(self, offset: int) -> list[int]:
        """The offsets of the readable records at or after `offset`."""
        return [each for each in sorted(self.records) if each >= max(offset, self.start)]

    def next_record(self, offset: int) -> int:
        """The offset of the next record, or the end of the log."""
        return next(iter(self.after(offset)), self.end)

    def may_follow(self, offset: int) -> set[int]:
        """The offsets that a consumer at `offset` may get next.

        The consumer may have fetched records before they were deleted.
        """
        firsts = (max(offset, start) for start in self.starts)
        fetched = {min((each for each in self.records if each >= at), default=at) for at in firsts}
        return {self.next_record(offset), *fetched}


class Topic:
    """A topic of the embedded cluster, with methods for every kind of change."""

    _names = itertools.count()

    def __init__(self, cluster: MockCluster, partitions: int = 2) -> None:
        self.cluster = cluster
        self.name = f"model-{next(self._names)}"
        self._values = itertools.count()
        self._create(partitions)

    def _create(self, partitions: int) -> None:
        self.logs = [Log() for _ in range(partitions)]
        self.first_value = next(self._values)
        self.cluster.create_topic(self.name, partitions)
        config = {"bootstrap.servers": self.cluster.bootstrap_servers, "linger.ms": 0}
        self._producer = Producer(config | {"topic.metadata.refresh.interval.ms": 50})
        self._transactions = Producer(config | {"transactional.id": self.name})
        self._transactions.init_transactions(TIMEOUT)

    def close(self) -> None:
        self._producer.close(0)
        self._transactions.close(0)

    def create_again(self) -> None:
        """Create the topic again, empty and with another id.

        The new topic's leader epochs are lower, because the old leaders move before.
        """
        self.close()
        for partition in range(len(self.logs)):
            for broker in (1, 2, 3):
                self.move_leader(partition, broker)
        self.cluster._delete_topic(self.name)
        self._create(len(self.logs))

    def is_former(self, value: bytes | None) -> bool:
        """Whether the value was in the topic before it was created again."""
        return value is not None and int(value) < self.first_value

    def _value(self) -> bytes:
        return b"%d" % next(self._values)

    def produce(self, partition: int, count: int) -> None:
        """Produce records, one after another."""
        self._append(self._producer, partition, [self._value() for _ in range(count)])

    def _append(self, producer: Producer, partition: int, values: list[bytes]) -> None:
        reports = Reports()
        for value in values:
            producer.produce(self.name, value, partition=partition, on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
        assert set(reports.errors) <= {None}
        log = self.logs[partition]
        for message in reports.messages:
            offset = message.offset()
            assert offset is not None
            log.records[offset] = message.value() or b""
            log.end = max(log.end, offset + 1)

    def transaction(self, partition: int, count: int, commit: bool) -> None:
        """Write a transaction. Its marker takes one offset, which has no record.

        Consumers do not get aborted records.
        """
        log = self.logs[partition]
        before = log.end
        self._transactions.begin_transaction()
        self._append(self._transactions, partition, [self._value() for _ in range(count)])
        if commit:
            self._transactions.commit_transaction(TIMEOUT)
        else:
            self._transactions.abort_transaction(TIMEOUT)
            for offset in range(before, log.end):
                del log.records[offset]
        log.end += 1

    def compacted(self, partition: int, kept: set[int], size: int) -> None:
        """Append a batch of `size` offsets, as after compaction.

        Only the offsets in `kept` have records.
        """
        log = self.logs[partition]
        records = [
            Record(offset=log.end + each, timestamp=1000, key=None, value=self._value(), headers=())
            for each in sorted(kept)
            if each < size
        ]
        batch = RecordBatch.of(records, base_offset=log.end, last_offset=log.end + size - 1)
        sent(self.cluster, self.name, batch.encode(), partition)
        log.records.update({each.offset: each.value or b"" for each in records})
        log.end += size

    def delete_records(self, partition: int, offset: int) -> None:
        """Delete the records before the offset, as retention does."""
        log = self.logs[partition]
        target = min(max(offset, log.start), log.end)
        self.cluster._delete_records(self.name, partition, target)
        log.start = target
        log.starts.add(target)

    def move_leader(self, partition: int, broker: int) -> None:
        self.cluster.set_leader(self.name, partition, broker)

    def add_partition(self) -> None:
        self.cluster._add_partitions(self.name, len(self.logs) + 1)
        self.logs.append(Log())
        known = self._producer.list_topics(self.name, TIMEOUT).topics[self.name]
        assert len(known.partitions) == len(self.logs)
