"""The errors of transactions show the next step: repeat the call, abort, or start again.

Tests with mock brokers cover faults that real brokers cannot produce quickly.
"""

from __future__ import annotations

import pytest

from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from tests.integration.conftest import MakeTopic
from tests.integration.group_members import PROTOCOLS, Member, poll_until, share
from tests.integration.kafka_cluster import KafkaCluster, OwnKafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.integration.transactional import (
    assert_error,
    committed_reader,
    error_of,
    new_id,
    set_version,
    transactional,
)
from tests.support.kafka import Reports, poll_values, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]


# ---- fencing ----


def test_fenced_producer(kafka: KafkaCluster, topic: str) -> None:
    """A second producer with the same id aborts the first one's transaction; the first one must
    end."""
    transactional_id = new_id()
    reports = Reports()
    with transactional(kafka, transactional_id) as first:
        first.begin_transaction()
        send(first, topic, [b"of the first"])
        with transactional(kafka, transactional_id) as second:
            first.produce(topic, b"late", on_delivery=reports)
            calls = (first.commit_transaction, first.abort_transaction, first.begin_transaction)
            for call in calls:
                error = error_of(call)
                assert_error(error, KafkaError._FENCED, "fatal")
            assert reports.errors == [KafkaError.INVALID_PRODUCER_EPOCH]
            assert error_of(lambda: first.produce(topic, b"later")).fatal()
            second.begin_transaction()
            second.produce(topic, b"of the second")
            second.commit_transaction(TIMEOUT)
    with committed_reader(kafka) as consumer:
        consumer.assign([TopicPartition(topic, 0, 0)])
        assert poll_values(consumer, 1) == [b"of the second"]


def test_fenced_between_transactions(kafka: KafkaCluster, topic: str) -> None:
    """A fenced producer without an open transaction gets the error from its next transaction."""
    transactional_id = new_id()
    with transactional(kafka, transactional_id) as first, transactional(kafka, transactional_id):
        first.begin_transaction()
        first.produce(topic, b"late")
        error = error_of(lambda: first.commit_transaction(TIMEOUT))
    assert_error(error, KafkaError._FENCED, "fatal")


@pytest.mark.parametrize("version", [1, 2])
def test_transaction_timeout(own_kafka: OwnKafkaCluster, topic: str, version: int) -> None:
    """After transaction.timeout.ms, the brokers abort the transaction, and its producer cannot
    commit it.

    With version 1, the producer is fenced. With version 2, it continues after abort_transaction().
    """
    config = {"transaction.timeout.ms": 4000, "message.timeout.ms": 4000}
    set_version(own_kafka, version)
    try:
        with transactional(own_kafka, config=config) as producer, reader(own_kafka) as witness:
            producer.begin_transaction()
            send(producer, topic, [b"too late"])
            partition = TopicPartition(topic, 0)
            # The second record is the brokers' marker.
            wait_until(lambda: witness.get_watermark_offsets(partition, TIMEOUT)[1] == 2)
            if version == 2:
                assert_only_abort_helps(producer, topic, KafkaError.INVALID_TXN_STATE)
            else:
                error = error_of(lambda: producer.commit_transaction(TIMEOUT))
                assert_error(error, KafkaError._FENCED, "fatal")
    finally:
        set_version(own_kafka, 2)


# ---- the transaction must be aborted ----


def assert_only_abort_helps(producer: Producer, topic: str, code: int) -> None:
    """Check that each commit fails with the code, and that the producer works after an abort."""
    for _ in range(2):
        error = error_of(lambda: producer.commit_transaction(TIMEOUT))
        assert_error(error, code, "abort")
    producer.abort_transaction(TIMEOUT)
    producer.begin_transaction()
    producer.produce(topic, b"after")
    producer.commit_transaction(TIMEOUT)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_offsets_of_a_member_that_has_left(
    kafka: KafkaCluster, topic: str, group: str, protocol: str
) -> None:
    """If a member has left its group, its offsets are refused with UNKNOWN_MEMBER_ID."""
    config = PROTOCOLS[protocol]
    with (
        transactional(kafka) as producer,
        Member(kafka, group, config) as gone,
        Member(kafka, group, config) as member,
    ):
        gone.join(topic)
        share([gone], 1)
        metadata = gone.consumer_group_metadata()
        gone.close()
        member.join(topic)
        share([member], 1)
        producer.begin_transaction()
        offsets = [TopicPartition(topic, 0, 1)]
        error = error_of(lambda: producer.send_offsets_to_transaction(offsets, metadata, TIMEOUT))
        assert_error(error, KafkaError.UNKNOWN_MEMBER_ID, "abort")
        assert_only_abort_helps(producer, topic, KafkaError.UNKNOWN_MEMBER_ID)


def test_offsets_of_an_earlier_generation(kafka: KafkaCluster, topic: str, group: str) -> None:
    """After a rebalance, offsets with the old metadata are refused with ILLEGAL_GENERATION."""
    with (
        transactional(kafka) as producer,
        Member(kafka, group) as one,
        Member(kafka, group) as two,
    ):
        one.join(topic)
        share([one], 1)
        metadata = one.consumer_group_metadata()
        two.join(topic)
        poll_until([one, two], lambda: two.events)
        producer.begin_transaction()
        offsets = [TopicPartition(topic, 0, 1)]
        error = error_of(lambda: producer.send_offsets_to_transaction(offsets, metadata, TIMEOUT))
        assert_error(error, KafkaError.ILLEGAL_GENERATION, "abort")
        assert_only_abort_helps(producer, topic, KafkaError.ILLEGAL_GENERATION)


def test_a_record_that_is_refused(kafka: KafkaCluster, topic: str, make_topic: MakeTopic) -> None:
    """If a record is refused, its delivery report and commit_transaction() have the broker's
    error."""
    small = make_topic(max_message_bytes="1000")
    reports = Reports()
    with transactional(kafka) as producer:
        producer.begin_transaction()
        producer.produce(topic, b"before")
        producer.produce(small, b"x" * 2000, on_delivery=reports)
        assert_only_abort_helps(producer, topic, KafkaError.MSG_SIZE_TOO_LARGE)
    assert reports.errors == [KafkaError.MSG_SIZE_TOO_LARGE]
    with committed_reader(kafka) as consumer:
        consumer.assign([TopicPartition(topic, 0, 0)])
        assert poll_values(consumer, 1) == [b"after"]


# ---- calls that can be repeated, and wrong calls ----


@needs("late-result")
def test_a_call_that_timed_out_is_resumed(kafka: KafkaCluster, topic: str) -> None:
    """_TIMED_OUT is retriable: until the same call has succeeded, every other call is refused."""
    # With linger.ms, the message is still in its queue when the commit begins.
    with writer(kafka, {"transactional.id": new_id(), "linger.ms": 5000}) as producer:
        error = error_of(lambda: producer.init_transactions(0))
        assert_error(error, KafkaError._TIMED_OUT, "retry")
        producer.init_transactions(TIMEOUT)
        committed = begun_commits(producer, topic)
        refused = error_of(lambda: producer.abort_transaction(TIMEOUT))
        assert refused == KafkaError._CONFLICT
        producer.commit_transaction(TIMEOUT)
    with committed_reader(kafka) as consumer:
        consumer.assign([TopicPartition(topic, 0, 0)])
        assert poll_values(consumer, committed) == [b"v"] * committed


def begun_commits(producer: Producer, topic: str) -> int:
    """Commit transactions of one message until one times out; return the number of transactions.

    On a busy machine, a whole commit can happen while this thread does not run. Such a commit
    succeeds without a timeout.
    """
    for number in range(1, 11):
        producer.begin_transaction()
        producer.produce(topic, b"v")
        try:
            producer.commit_transaction(0)
        except KafkaException as error:
            assert_error(error.args[0], KafkaError._TIMED_OUT, "retry")
            return number
    raise AssertionError("none of ten commits without a time to wait has timed out")


def test_wrong_order(kafka: KafkaCluster, topic: str) -> None:
    """A call in the wrong order raises _STATE, and has no effect on the producer."""
    with writer(kafka, {"transactional.id": new_id()}) as producer:
        assert error_of(producer.begin_transaction) == KafkaError._STATE
        producer.init_transactions(TIMEOUT)

        def produce() -> None:
            producer.produce(topic, b"outside")

        for call in (producer.commit_transaction, producer.abort_transaction, produce):
            error = error_of(call)
            assert_error(error, KafkaError._STATE, "none")
        producer.begin_transaction()
        error = error_of(producer.begin_transaction)
        assert_error(error, KafkaError._STATE, "none")
        producer.produce(topic, b"inside")
        producer.commit_transaction(TIMEOUT)
    with committed_reader(kafka) as consumer:
        consumer.assign([TopicPartition(topic, 0, 0)])
        assert poll_values(consumer, 1) == [b"inside"]


def test_without_transactional_id(kafka: KafkaCluster) -> None:
    """Without transactional.id, the transaction methods raise _NOT_CONFIGURED."""
    with writer(kafka) as producer:
        for call in (producer.init_transactions, producer.begin_transaction):
            error = error_of(call)
            assert_error(error, KafkaError._NOT_CONFIGURED, "none")


def test_a_timeout_that_the_brokers_refuse(kafka: KafkaCluster) -> None:
    """A timeout above transaction.max.timeout.ms raises INVALID_TRANSACTION_TIMEOUT, which is
    fatal."""
    config = {"transactional.id": new_id(), "transaction.timeout.ms": 1_000_000}
    with writer(kafka, config) as producer:
        error = error_of(lambda: producer.init_transactions(TIMEOUT))
    assert_error(error, KafkaError.INVALID_TRANSACTION_TIMEOUT, "fatal")
