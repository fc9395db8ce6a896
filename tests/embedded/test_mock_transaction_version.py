"""Version 2 of the protocol of transactions (KIP-890) on the embedded cluster."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition, protocol
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockAction, MockCluster
from tests.embedded.test_mock_transactions import values, written
from tests.support.kafka import committed
from tests.support.patches import needs
from tests.support.protocol import sized, text
from tests.support.waiting import TIMEOUT, wait_until

patched = needs("mock-transaction-version", "transactions-v2", "mock-on-request")

END = protocol.EndTxnRequest


@pytest.fixture(autouse=True)
def coordinator(kafka_cluster: MockCluster) -> None:
    """Broker 1 is the coordinator of the transactional.id "one"."""
    kafka_cluster.set_coordinator("transaction", "one", 1)


def producer_of(cluster: MockCluster, **config: Any) -> Producer:
    common = {"bootstrap.servers": cluster.bootstrap_servers, "transactional.id": "one"}
    producer = Producer(common | {"log_level": 0} | config)
    producer.init_transactions(TIMEOUT)
    return producer


def admin_of(cluster: MockCluster) -> AdminClient:
    return AdminClient({"bootstrap.servers": cluster.bootstrap_servers})


def ask(admin: AdminClient, request: Any) -> Any:
    """The answer of the coordinator of the transactional.id "one"."""
    # the version of InitProducerId and EndTxn on a cluster with version 2 of transactions
    version = 5
    body = request.encode(version)
    answer = admin.request(request.api_key, version, body, broker=1, timeout=TIMEOUT)
    return request.response_class.decode(answer, version)


def abort(producer_id: int, epoch: int) -> Any:
    """EndTxn of the transactional.id "one"."""
    return END(
        transactional_id="one", producer_id=producer_id, producer_epoch=epoch, committed=False
    )


def end_all(cluster: MockCluster, producer_id: int, epochs: Iterable[int]) -> None:
    """End transactions of many epochs, without waiting for each answer."""
    host, port = cluster.bootstrap_servers.split(",")[0].split(":")
    head = struct.pack(">hhi", END.api_key, 5, 1) + text("tests") + b"\0"
    requests = [sized(head + abort(producer_id, epoch).encode(5)) for epoch in epochs]
    with (
        socket.create_connection((host, int(port)), TIMEOUT) as connection,
        connection.makefile("rb") as answers,
    ):
        connection.sendall(b"".join(requests))
        for _ in requests:
            (size,) = struct.unpack(">i", answers.read(4))
            answers.read(size)


@patched
def test_no_partition_is_added(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Records and offsets begin a transaction by themselves; it is committed as a whole."""
    with (
        producer_of(kafka_cluster) as producer,
        Consumer(
            {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
        ) as consumer,
    ):
        kafka_cluster.start_request_tracking()
        for offset in (3, 4):
            written(producer, kafka_topic, b"%d" % offset)
            producer.send_offsets_to_transaction(
                [TopicPartition(kafka_topic, 0, offset)], consumer.consumer_group_metadata()
            )
            assert values(kafka_cluster, kafka_topic, "read_committed") == [b"3"][: offset - 3]
            producer.commit_transaction(TIMEOUT)
            assert committed(consumer, kafka_topic) == offset
        sent = {request.api_key for request in kafka_cluster.requests()}
    assert END.api_key in sent
    assert protocol.AddPartitionsToTxnRequest.api_key not in sent
    assert protocol.AddOffsetsToTxnRequest.api_key not in sent


@patched
def test_a_transaction_of_offsets(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A transaction without records commits its offsets, or drops them."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    with producer_of(kafka_cluster) as producer, Consumer(config) as consumer:
        for offset, end in ((3, producer.commit_transaction), (7, producer.abort_transaction)):
            producer.begin_transaction()
            producer.send_offsets_to_transaction(
                [TopicPartition(kafka_topic, 0, offset)], consumer.consumer_group_metadata()
            )
            end(TIMEOUT)
            assert committed(consumer, kafka_topic) == 3


@patched
def test_every_transaction_has_its_epoch(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """EndTxn returns the next epoch, after a commit and after an abort."""
    epochs = []

    def note(request: Any, context: object) -> None:
        epochs.append((request.producer_id, request.producer_epoch))

    kafka_cluster.on_request(END.api_key, note)
    with producer_of(kafka_cluster) as producer:
        for end in (producer.commit_transaction, producer.abort_transaction) * 2:
            written(producer, kafka_topic, b"value")
            end(TIMEOUT)
    [(number, first), *_] = epochs
    assert epochs == [(number, first + step) for step in range(4)]
    assert values(kafka_cluster, kafka_topic, "read_committed") == [b"value"] * 2


@patched
@pytest.mark.parametrize("late", [True, False], ids=["commit", "abort"])
def test_a_late_end(kafka_cluster: MockCluster, kafka_topic: str, late: bool) -> None:
    """A late EndTxn of the previous transaction ends nothing: the coordinator fences it."""
    held: list[Any] = []

    def hold_the_first(request: Any, context: object) -> MockAction | None:
        held.append(request)
        return MockAction.DISCONNECT if len(held) == 1 else None

    kafka_cluster.on_request(END.api_key, hold_the_first)
    with (
        producer_of(kafka_cluster, **{"retry.backoff.ms": 10}) as producer,
        admin_of(kafka_cluster) as admin,
    ):
        written(producer, kafka_topic, b"first")
        (producer.commit_transaction if late else producer.abort_transaction)(TIMEOUT)
        written(producer, kafka_topic, b"second")
        assert ask(admin, held[0]).error_code == KafkaError.PRODUCER_FENCED
        found = values(kafka_cluster, kafka_topic, "read_committed")
        assert found == ([b"first"] if late else [])
        (producer.abort_transaction if late else producer.commit_transaction)(TIMEOUT)
    found = values(kafka_cluster, kafka_topic, "read_committed")
    assert found == ([b"first"] if late else [b"second"])


@patched
def test_an_answer_that_is_lost(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A repeated EndTxn returns the same epoch as the first one."""
    first = []

    def note(request: Any, context: object) -> None:
        first.append(request)

    kafka_cluster.on_request(END.api_key, note)
    with producer_of(kafka_cluster) as producer, admin_of(kafka_cluster) as admin:
        written(producer, kafka_topic, b"value")
        producer.commit_transaction(TIMEOUT)
        [request] = first
        repeated = ask(admin, request)
        changed = ask(admin, abort(request.producer_id, request.producer_epoch))
        assert repeated.error_code == 0
        assert repeated.producer_epoch == request.producer_epoch + 1
        assert changed.error_code == KafkaError.INVALID_TXN_STATE
        written(producer, kafka_topic, b"next")
        producer.commit_transaction(TIMEOUT)
    assert values(kafka_cluster, kafka_topic, "read_committed") == [b"value", b"next"]


@patched
def test_a_second_producer(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The second producer aborts the first producer's open transaction, and fences the first
    producer."""
    first = producer_of(kafka_cluster)
    written(first, kafka_topic, b"left open")
    with producer_of(kafka_cluster) as second:
        written(second, kafka_topic, b"new")
        second.commit_transaction(TIMEOUT)
    assert values(kafka_cluster, kafka_topic, "read_committed") == [b"new"]
    with pytest.raises(KafkaException) as caught:
        first.commit_transaction(TIMEOUT)
    assert caught.value.args[0].code() == KafkaError._FENCED
    first.close(0)


@patched
def test_timeout(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """After transaction.timeout.ms, the commit fails, and the producer works after an abort."""
    timeouts = {"transaction.timeout.ms": 1000, "message.timeout.ms": 1000}
    with producer_of(kafka_cluster, **timeouts) as producer:
        written(producer, kafka_topic, b"too late")
        with producer_of(kafka_cluster, **{"transactional.id": "another"}) as another:
            written(another, kafka_topic, b"behind it")
            another.commit_transaction(TIMEOUT)
        wait_until(lambda: values(kafka_cluster, kafka_topic, "read_committed") == [b"behind it"])
        with pytest.raises(KafkaException) as caught:
            producer.commit_transaction(TIMEOUT)
        assert caught.value.args[0].txn_requires_abort()
        producer.abort_transaction(TIMEOUT)
        written(producer, kafka_topic, b"in time")
        producer.commit_transaction(TIMEOUT)
    assert values(kafka_cluster, kafka_topic, "read_committed") == [b"behind it", b"in time"]


@patched
def test_the_version_changes(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A producer works when the version goes down and up; it learns the version when it
    connects."""
    told: list[int] = []
    statistics = {
        "statistics.interval.ms": 50,
        "stats_cb": lambda text: told.append(json.loads(text)["eos"]["txn_version"]),
        "reconnect.backoff.ms": 10,
        "reconnect.backoff.max.ms": 50,
    }
    with producer_of(kafka_cluster, **statistics) as producer:
        for version in (2, 1, 2):
            kafka_cluster.set_transaction_version(version)
            kafka_cluster.set_broker_down()
            kafka_cluster.set_broker_up()
            wait_until(
                lambda expected=version: told[-1:] == [expected], lambda: producer.poll(0.01)
            )
            written(producer, kafka_topic, b"%d" % version)
            producer.commit_transaction(TIMEOUT)
    assert values(kafka_cluster, kafka_topic, "read_committed") == [b"2", b"1", b"2"]


@patched
def test_the_feature_is_described(kafka_cluster: MockCluster) -> None:
    """describe_features() returns the version, and the versions that the brokers support."""
    with admin_of(kafka_cluster) as admin:
        features = admin.describe_features().result(TIMEOUT)
    assert features.finalized_features["transaction.version"].max_version_level == 2
    assert features.supported_features["transaction.version"].max_version == 2


@patched
def test_the_epochs_of_a_producer_end(kafka_cluster: MockCluster) -> None:
    """After the last epoch, EndTxn returns a new producer id, and fences the old one."""
    with admin_of(kafka_cluster) as admin:
        start = ask(
            admin,
            protocol.InitProducerIdRequest(transactional_id="one", transaction_timeout_ms=1000),
        )
        number, first = start.producer_id, start.producer_epoch
        last = 2**15 - 2
        end_all(kafka_cluster, number, range(first, last))
        answer = ask(admin, abort(number, last))
        assert answer.error_code == 0
        assert answer.producer_id != number
        assert answer.producer_epoch == 0
        assert ask(admin, abort(number, last - 1)).error_code == KafkaError.PRODUCER_FENCED
        assert ask(admin, abort(answer.producer_id, 0)).error_code == 0
