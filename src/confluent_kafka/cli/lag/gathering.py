"""Asks a cluster for everything that `why` makes its findings from."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from confluent_kafka import (
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.cli.connection.administration import settled
from confluent_kafka.cli.groups.view import View
from confluent_kafka.cli.groups.views import view
from confluent_kafka.cli.lag.facts import Facts, Partition, Quota, Sample, Transaction
from confluent_kafka.cli.lag.finding import topics_of
from confluent_kafka.cli.lag.sizes import next_batches
from confluent_kafka.cli.topics.partition_offsets import offsets_at
from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, ProducerState, TransactionDescription

_VIEWS = 60
_SLOWING = ("consumer_byte_rate", "request_percentage")


def gather(admin: AdminClient, name: str, seconds: float, timeout: float) -> Facts:
    """Return the facts about a group, or end the command because it does not exist.

    Args:
        admin: the client.
        name: the name of the group.
        seconds: the time between the two samples; with 0, there is only one.
        timeout: seconds to wait for the brokers.
    """
    from confluent_kafka.admin import OffsetSpec

    group = view(admin, name, timeout)
    partitions, missing, unreadable = _partitions(admin, topics_of(group.places), timeout)
    # A partition without a leader has no offsets, and librdkafka would wait for a leader.
    places = [place for place, each in sorted(partitions.items()) if each.leader is not None]
    starts = offsets_at(admin, places, OffsetSpec.earliest(), timeout)
    first = _sample(admin, group, places, timeout)
    views = _watched(admin, name, seconds, timeout)
    last = _sample(admin, views[-1], places, timeout) if views else first
    facts = Facts(first, last, time.time(), starts, partitions, unreadable, missing)
    return dataclasses.replace(
        facts,
        between=views[:-1],
        transactions=_transactions(admin, list(facts.held_back), timeout),
        batches=_batches(admin, facts, timeout),
        quotas=_quotas(admin, {member.client for member in last.group.members}, timeout),
    )


def _watched(admin: AdminClient, name: str, seconds: float, timeout: float) -> list[View]:
    """Return views of the group until the time is over: one a second, and at most _VIEWS."""
    count = min(_VIEWS, max(1, int(seconds))) if seconds else 0
    views = []
    for _ in range(count):
        time.sleep(seconds / count)
        views.append(view(admin, name, timeout))
    return views


def _sample(admin: AdminClient, group: View, places: list[Place], timeout: float) -> Sample:
    from confluent_kafka.admin import OffsetSpec

    # The committed offsets of the group are older than these ends, so no lag is too small.
    stable = offsets_at(admin, places, OffsetSpec.latest(), timeout, IsolationLevel.READ_COMMITTED)
    ends = offsets_at(admin, places, OffsetSpec.latest(), timeout)
    return Sample(time.monotonic(), group, ends, stable)


def _partitions(
    admin: AdminClient, topics: list[str], timeout: float
) -> tuple[dict[Place, Partition], frozenset[str], dict[str, str]]:
    """Return the partitions of topics, the missing topics, and the topics that are unreadable."""
    found: dict[Place, Partition] = {}
    missing, unreadable = set(), {}
    asked = admin.describe_topics(TopicCollection(topics), request_timeout=timeout)
    for topic, future in asked.items():
        try:
            described = future.result().partitions
        except KafkaException as error:
            if error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                missing.add(topic)
            else:
                unreadable[topic] = error.args[0].str()
            continue
        for each in described:
            found[topic, each.id] = Partition(
                # librdkafka returns a node with the id -1 for a leader that is missing.
                None if each.leader is None or each.leader.id < 0 else each.leader.id,
                [node.id for node in each.replicas],
                [node.id for node in each.isr],
            )
    return found, frozenset(missing), unreadable


def _transactions(admin: AdminClient, places: list[Place], timeout: float) -> list[Transaction]:
    """Return the open transactions in partitions, as far as this user may know them."""
    producers: list[tuple[Place, ProducerState]] = []
    if places:
        asked = admin.describe_producers(
            [TopicPartition(*place) for place in places], request_timeout=timeout
        )
        for place, future in zip(places, asked.values(), strict=True):
            try:
                states = future.result()
            except KafkaException:
                continue
            producers += [
                (place, each)
                for each in states
                if each.current_transaction_start_offset is not None
            ]
    known = _coordinated(admin, {each.producer_id for _, each in producers}, timeout)
    return [_transaction(place, each, known) for place, each in producers]


def _transaction(
    place: Place, producer: ProducerState, known: Mapping[int, tuple[str, TransactionDescription]]
) -> Transaction:
    start = producer.current_transaction_start_offset
    assert start is not None
    written = producer.last_timestamp / 1000 if producer.last_timestamp > 0 else None
    if producer.producer_id not in known:
        return Transaction(place, start, producer.producer_id, since=written)
    name, described = known[producer.producer_id]
    began = described.transaction_start_time_ms
    is_open = any((each.topic, each.partition) == place for each in described.topic_partitions)
    since = began / 1000 if is_open and began is not None else written
    return Transaction(place, start, producer.producer_id, name, since, is_open)


def _coordinated(
    admin: AdminClient, producers: Iterable[int], timeout: float
) -> dict[int, tuple[str, TransactionDescription]]:
    """Return the transactional ids and the transactions of producers, as far as they are known."""
    ids = set(producers)
    if not ids:
        return {}
    try:
        found = admin.list_transactions(producer_ids=ids, request_timeout=timeout).result()
    except KafkaException:
        return {}
    names = {each.transactional_id: each.producer_id for each in found.valid}
    if not names:
        return {}
    asked = admin.describe_transactions(list(names), request_timeout=timeout)
    described, _ = settled("transactional id", asked)
    return {names[name]: (name, each) for name, each in described.items()}


def _batches(admin: AdminClient, facts: Facts, timeout: float) -> dict[Place, int]:
    committed = facts.group.committed
    offsets = {place: committed[place] for place in facts.waiting if place in committed}
    leaders = {
        place: each.leader for place, each in facts.partitions.items() if each.leader is not None
    }
    return next_batches(admin, offsets, leaders, timeout)


def _quotas(admin: AdminClient, clients: set[str], timeout: float) -> list[Quota]:
    """Return the quotas of client ids, as far as this user may know them."""
    from confluent_kafka.admin import ClientQuotaEntity, ClientQuotaFilter

    try:
        found = admin.describe_client_quotas(
            ClientQuotaFilter.all(), request_timeout=timeout
        ).result()
    except KafkaException:
        return []
    return [
        Quota(entity.entries[ClientQuotaEntity.CLIENT_ID], name, value)
        for entity, values in found.items()
        if set(entity.entries) == {ClientQuotaEntity.CLIENT_ID}
        and entity.entries[ClientQuotaEntity.CLIENT_ID] in {None, *clients}
        for name, value in sorted(values.items())
        if name in _SLOWING
    ]
