"""Transactions and producers: how real brokers describe and end them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AbortTransactionSpec,
    AdminClient,
    ListTransactionsResult,
    ProducerState,
    TransactionListing,
    TransactionState,
)
from confluent_kafka.aio import AIOAdminClient
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.transactional import new_id, transactional, wait_for_markers
from tests.support.aio import in_loop
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.real_kafka import MakeTopic
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters, needs("raw-request")]


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


@pytest.fixture
def transactional_id() -> str:
    return new_id()


@pytest.fixture
def producer(kafka: KafkaCluster, topic: str, transactional_id: str) -> Iterator[Producer]:
    """A producer whose transaction is open, with one record in the topic."""
    transactional(kafka, transactional_id).close()  # so that there is an earlier epoch
    # The timeout is long, because the test fails if the coordinator aborts the transaction.
    with transactional(kafka, transactional_id, {"transaction.timeout.ms": 600_000}) as producer:
        producer.begin_transaction()
        send(producer, topic, [b"value"])
        yield producer


def listed(admin: AdminClient, transactional_id: str, **filters: object) -> TransactionListing:
    """Return the listing of the id, which must exist."""
    result: ListTransactionsResult = admin.list_transactions(**filters).result(TIMEOUT)  # type: ignore[arg-type]
    assert result.errors == []
    (found,) = (each for each in result.valid if each.transactional_id == transactional_id)
    return found


def ids(result: ListTransactionsResult) -> set[str]:
    assert result.errors == []
    return {each.transactional_id for each in result.valid}


def producers(admin: AdminClient, place: TopicPartition) -> list[ProducerState]:
    return admin.describe_producers([place])[place].result(TIMEOUT)


def code_of(error: BaseException | None) -> int:
    assert isinstance(error, KafkaException)
    return error.code()


@pytest.mark.usefixtures("producer")
def test_open_transaction(admin: AdminClient, topic: str, transactional_id: str) -> None:
    """An open transaction is listed, and described with its partitions and its producer."""
    place = TopicPartition(topic, 0)
    listing = listed(admin, transactional_id)
    assert listing.state is TransactionState.ONGOING
    found = admin.describe_transactions([transactional_id])[transactional_id].result(TIMEOUT)
    assert found.state is TransactionState.ONGOING
    assert found.producer_id == listing.producer_id
    assert found.topic_partitions == {place}
    assert found.transaction_timeout_ms == 600_000
    assert abs((found.transaction_start_time_ms or 0) / 1000 - time.time()) < 600
    assert found.coordinator_id in admin.list_topics(topic).brokers
    (state,) = producers(admin, place)
    assert (state.producer_id, state.producer_epoch) == (found.producer_id, found.producer_epoch)
    assert (state.last_sequence, state.current_transaction_start_offset) == (0, 0)
    assert state.coordinator_epoch is None


def test_transaction_that_has_ended(
    kafka: KafkaCluster, admin: AdminClient, producer: Producer, topic: str, transactional_id: str
) -> None:
    """An ended transaction has no start and no partitions, and its producer has none in the
    topic."""
    producer.commit_transaction(TIMEOUT)
    wait_for_markers(kafka, topic)
    complete = TransactionState.COMPLETE_COMMIT
    wait_until(lambda: listed(admin, transactional_id).state is complete)
    found = admin.describe_transactions([transactional_id])[transactional_id].result(TIMEOUT)
    assert found.state is complete
    assert found.topic_partitions == frozenset()
    (state,) = producers(admin, TopicPartition(topic, 0))
    assert state.current_transaction_start_offset is None
    assert state.coordinator_epoch is not None


@pytest.mark.usefixtures("producer")
def test_filters(admin: AdminClient, transactional_id: str) -> None:
    """Transactions are filtered by state, by producer, by time open, and by a pattern of the id."""
    ongoing = {TransactionState.ONGOING}
    listing = listed(admin, transactional_id, states=ongoing)
    assert listed(admin, transactional_id, producer_ids={listing.producer_id}) == listing
    wait_until(lambda: transactional_id in ids(admin.list_transactions(duration=0.001).result()))
    assert listed(admin, transactional_id, transactional_id_pattern="transaction-.*") == listing
    others = [
        admin.list_transactions(states={TransactionState.COMPLETE_ABORT}),
        admin.list_transactions(producer_ids={listing.producer_id + 1_000_000}),
        admin.list_transactions(duration=600),
        admin.list_transactions(transactional_id_pattern="x"),
    ]
    for future in others:
        assert transactional_id not in ids(future.result(TIMEOUT))


def test_unknown_transactional_id(admin: AdminClient, transactional_id: str) -> None:
    """The description of an unknown transactional.id fails, with the reason."""
    found = admin.describe_transactions([transactional_id])
    error = found[transactional_id].exception(TIMEOUT)
    assert code_of(error) == 105
    assert "TRANSACTIONAL_ID_NOT_FOUND" in str(error)


@pytest.mark.usefixtures("producer")
def test_producers_of_several_partitions(
    kafka: KafkaCluster, admin: AdminClient, topic: str, make_topic: MakeTopic
) -> None:
    """Each request goes to the leader or to the given broker; each partition has its own result."""
    idle = make_topic(partitions=3)
    there = [TopicPartition(topic, 0), *(TopicPartition(idle, each) for each in range(3))]
    missing = [TopicPartition(topic, 7), TopicPartition("not-there", 0)]
    found = admin.describe_producers(there + missing)
    assert [len(found[each].result(TIMEOUT)) for each in there] == [1, 0, 0, 0]
    errors = [found[each].exception(TIMEOUT) for each in missing]
    assert {code_of(error) for error in errors} == {KafkaError.UNKNOWN_TOPIC_OR_PART}
    for broker in admin.list_topics(topic).topics[topic].partitions[0].replicas:
        state = admin.describe_producers(there[:1], broker=broker)[there[0]].result(TIMEOUT)
        assert [each.current_transaction_start_offset for each in state] == [0]


@pytest.mark.usefixtures("producer")
def test_abort_transaction(kafka: KafkaCluster, admin: AdminClient, topic: str) -> None:
    """The partition has no open transaction afterwards. Brokers refuse an earlier epoch."""
    place = TopicPartition(topic, 0)
    (state,) = producers(admin, place)
    early = AbortTransactionSpec(place, state.producer_id, state.producer_epoch - 1)
    error = admin.abort_transaction(early).exception(TIMEOUT)
    assert code_of(error) == KafkaError.INVALID_PRODUCER_EPOCH
    spec = AbortTransactionSpec(place, state.producer_id, state.producer_epoch)
    assert admin.abort_transaction(spec).result(TIMEOUT) is None
    (state,) = producers(admin, place)
    assert state.current_transaction_start_offset is None
    wait_for_markers(kafka, topic)


def test_fence_producers(
    kafka: KafkaCluster, admin: AdminClient, producer: Producer, topic: str, transactional_id: str
) -> None:
    """Fencing aborts the producer's open transaction, so its commit fails. An unused id can be
    fenced, too."""
    before = admin.describe_transactions([transactional_id])[transactional_id].result(TIMEOUT)
    unused = new_id()
    fenced = admin.fence_producers([transactional_id, unused])
    taken = fenced[transactional_id].result(TIMEOUT)
    assert (taken.producer_id, taken.producer_epoch) > (before.producer_id, before.producer_epoch)
    assert fenced[unused].result(TIMEOUT).producer_epoch == 0
    wait_for_markers(kafka, topic)
    with pytest.raises(KafkaException) as caught:
        producer.commit_transaction(TIMEOUT)
    assert caught.value.args[0].fatal()


def test_force_terminate_transaction(
    kafka: KafkaCluster, admin: AdminClient, producer: Producer, topic: str, transactional_id: str
) -> None:
    """The transaction is aborted, and its producer cannot commit it."""
    assert admin.force_terminate_transaction(transactional_id).result(TIMEOUT) is None
    wait_for_markers(kafka, topic)
    with pytest.raises(KafkaException) as caught:
        producer.commit_transaction(TIMEOUT)
    assert caught.value.args[0].fatal()


@pytest.mark.usefixtures("producer")
@in_loop
async def test_awaited(kafka: KafkaCluster, topic: str, transactional_id: str) -> None:
    """AIOAdminClient supports these operations, too, also if one call needs several requests."""
    place = TopicPartition(topic, 0)
    async with AIOAdminClient(kafka.config()) as admin:
        assert transactional_id in ids(await admin.list_transactions())
        described = await admin.describe_transactions([transactional_id])
        assert described[transactional_id].topic_partitions == {place}
        (state,) = (await admin.describe_producers([place]))[place]
        assert state.producer_id == described[transactional_id].producer_id
        await admin.force_terminate_transaction(transactional_id)
        (state,) = (await admin.describe_producers([place]))[place]
        assert state.current_transaction_start_offset is None
        await admin.fence_producers([transactional_id])
        await admin.abort_transaction(
            AbortTransactionSpec(place, state.producer_id, state.producer_epoch)
        )
