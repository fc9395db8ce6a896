"""Asks a cluster for everything that `why` makes its findings from."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

from confluent_kafka import (
    IsolationLevel,
    KafkaError,
    KafkaException,
    TopicCollection,
)
from confluent_kafka.cli.groups.view import View
from confluent_kafka.cli.groups.views import view
from confluent_kafka.cli.lag.facts import Facts, Partition, Quota, Sample
from confluent_kafka.cli.lag.finding import topics_of
from confluent_kafka.cli.lag.sizes import next_batches
from confluent_kafka.cli.lag.transactions import open_transactions
from confluent_kafka.cli.topics.partition_offsets import offsets_at
from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

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
        transactions=open_transactions(admin, list(facts.held_back), timeout)[0],
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
