"""``topics compare-replicas``: find replicas whose batches differ from the leader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

import click

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.cli.base.declared import argument
from confluent_kafka.cli.base.ending import FAILED, fail, note
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    administering,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.topics.names import existing, partitions_of
from confluent_kafka.cli.topics.selection import Selection, selection_or_pattern

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.cli.topics.place import Place
    from confluent_kafka.protocol import FetchResponse

COLUMNS = ("topic", "partition", "offset", "leader", "replica", "difference")

# The version of Fetch. It uses topic names, and followers answer it since Kafka 2.4.
_VERSION = 11
_CHUNK = 1 << 20

_Row = tuple[str, int, int, int, int, str]


class Batch(NamedTuple):
    """The fields of a batch that are compared between replicas."""

    last_offset: int
    crc: int


def compare_replicas(
    topics: Annotated[
        list[Selection],
        argument(
            metavar="TOPIC[:PARTITION,...]...",
            parse=selection_or_pattern,
            help="Topics with all their partitions, or with some, as in orders:0,2. A name that "
            "begins with ^ is a regular expression.",
        ),
    ],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Compare the batches of the replicas of partitions by their checksums.

    The command reads all committed messages of the partitions from each replica, and shows the
    first batch at which a replica differs from the leader. Replicas of compacted topics can differ,
    because each broker compacts its own replica.

    Exit status: 0 all replicas have the same batches, 1 replicas differ, or the command failed,
    2 wrong usage, 130 ended by Ctrl-C.
    """
    with administering(connection, timeout) as admin:
        places = [(one.topic, one.partition) for one in partitions_of(admin, topics, timeout)]
        rows: list[_Row] = []
        failures = []
        for place in places:
            try:
                rows += _differences(admin, place, timeout)
            except KafkaException as error:
                failures.append(f"partition {place[0]}:{place[1]}: {error.args[0].str()}")
    show(COLUMNS, rows, as_json)
    if failures:
        fail(*failures)
    if rows:
        raise click.exceptions.Exit(FAILED)
    note(f"the replicas of {counted(len(places), 'partition')} have the same batches")


def _differences(admin: AdminClient, place: Place, timeout: float) -> Iterator[_Row]:
    """Yield a row for each replica that differs from the leader."""
    topic, number = place
    partition = existing(admin, [topic], timeout)[topic].partitions[number]
    leader = partition.leader
    if leader < 0:
        raise KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE))
    for replica in partition.replicas:
        if replica == leader:
            continue
        found = _first_difference(admin, place, leader, replica, timeout)
        if found is not None:
            yield (*place, found[0], leader, replica, found[1])


def _first_difference(
    admin: AdminClient, place: Place, leader: int, replica: int, timeout: float
) -> tuple[int, str] | None:
    """Return the offset at which a replica first differs from the leader, and how; or None."""
    start, end = _range(admin, place, timeout)
    ours = _batches(admin, place, leader, start, end, timeout)
    theirs = _batches(admin, place, replica, start, end, timeout)
    offset = start
    for batch in ours:
        other = next(theirs, None)
        if other is None:
            return offset, "the batch is missing"
        if other.last_offset != batch.last_offset:
            return offset, f"the batch ends at {other.last_offset}, not at {batch.last_offset}"
        if other.crc != batch.crc:
            return offset, f"the checksum is {other.crc:08x}, not {batch.crc:08x}"
        offset = batch.last_offset + 1
    extra = next(theirs, None)
    return None if extra is None else (offset, "the leader does not have the batch")


def _range(admin: AdminClient, place: Place, timeout: float) -> tuple[int, int]:
    """Return the first offset of a partition, and the end of what is committed to all replicas."""
    from confluent_kafka.admin import OffsetSpec
    from confluent_kafka.cli.topics.partition_offsets import offsets_at

    start = offsets_at(admin, [place], OffsetSpec.earliest(), timeout)[place]
    end = offsets_at(admin, [place], OffsetSpec.latest(), timeout)[place]
    if start is None or end is None:
        raise KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE))
    return start, end


def _batches(
    admin: AdminClient, place: Place, broker: int, start: int, end: int, timeout: float
) -> Iterator[Batch]:
    """Yield the batches that a broker has between two offsets."""
    from confluent_kafka.protocol import records

    offset = start
    while offset < end:
        data = _fetched(admin, place, broker, offset, timeout)
        try:
            found = [
                one for one in records.read(data, check_crc=False) if one.last_offset >= offset
            ]
        except records.RecordsError as error:
            raise _failure(KafkaError._BAD_MSG, broker, str(error)) from None
        if not found:  # the follower does not have the offset yet, or lost it
            return
        for batch in found:
            if offset >= end:
                return
            offset = batch.last_offset + 1
            yield Batch(batch.last_offset, batch.crc)


def _fetched(admin: AdminClient, place: Place, broker: int, offset: int, timeout: float) -> bytes:
    """Return the batches that a broker sends from an offset on."""
    from confluent_kafka.protocol import FetchRequest

    topic, number = place
    partition = FetchRequest.FetchPartition(
        partition=number, fetch_offset=offset, partition_max_bytes=_CHUNK
    )
    request = FetchRequest(
        # A follower learns of the end of the committed messages a moment after the leader.
        max_wait_ms=1000,
        min_bytes=1,
        max_bytes=_CHUNK,
        topics=[FetchRequest.FetchTopic(topic=topic, partitions=[partition])],
    )
    answer = admin.request(
        request.api_key, _VERSION, request.encode(_VERSION), broker=broker, timeout=timeout
    )
    response: FetchResponse = request.response_class.decode(answer, _VERSION)
    code = response.error_code
    if response.responses:
        (found,) = response.responses[0].partitions
        code = code or found.error_code
        if found.preferred_read_replica >= 0:  # replica.selector.class of the broker
            node = found.preferred_read_replica
            raise _failure(KafkaError._NOT_IMPLEMENTED, broker, f"sends readers to broker {node}")
    if code:
        raise _failure(code, broker, KafkaError(code).str())
    return bytes(found.records or b"")


def _failure(code: int, broker: int, reason: str) -> KafkaException:
    return KafkaException(KafkaError(code, f"broker {broker}: {reason}"))
