"""Transactions that are open in partitions, and which of them hang."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.cli.connection.administration import settled
from confluent_kafka.cli.lag.facts import Transaction
from confluent_kafka.cli.lag.finding import place_name
from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, ProducerState, TransactionDescription

_LONGEST = 900  # seconds; the default of transaction.max.timeout.ms


def seconds_open(transaction: Transaction, now: float) -> float:
    """Return for how many seconds a transaction has been open, or 0 if that is unknown.

    Args:
        transaction: the transaction.
        now: the time, in seconds since 1970.
    """
    return 0.0 if transaction.since is None else max(0.0, now - transaction.since)


def hangs(transaction: Transaction, now: float) -> bool:
    """Return whether a transaction hangs: it is not open in its coordinator.

    If the state in the coordinator is unknown, an old transaction counts as hanging.

    Args:
        transaction: the transaction.
        now: the time, in seconds since 1970.
    """
    if transaction.coordinated is None:
        return seconds_open(transaction, now) > _LONGEST
    return not transaction.coordinated


def open_transactions(
    admin: AdminClient, places: list[Place], timeout: float
) -> tuple[list[Transaction], list[str]]:
    """Return the open transactions in partitions, and a line for each unknown partition.

    Args:
        admin: the client.
        places: the partitions.
        timeout: seconds to wait for the brokers.
    """
    producers: list[tuple[Place, ProducerState]] = []
    failures = []
    if places:
        asked = admin.describe_producers(
            [TopicPartition(*place) for place in places], request_timeout=timeout
        )
        for place, future in zip(places, asked.values(), strict=True):
            try:
                states = future.result()
            except KafkaException as error:
                failures.append(f"partition {place_name(place)}: {error.args[0].str()}")
                continue
            producers += [
                (place, each)
                for each in states
                if each.current_transaction_start_offset is not None
            ]
    known = _coordinated(admin, {each.producer_id for _, each in producers}, timeout)
    return [_transaction(place, each, known) for place, each in producers], failures


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
