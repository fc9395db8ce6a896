"""Transactions of the embedded cluster: how administrators describe and end them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition, protocol
from confluent_kafka.admin import (
    AbortTransactionSpec,
    AdminClient,
    FeatureUpdate,
    TransactionState,
    UpgradeType,
)
from confluent_kafka.testing import MockCluster
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

patched = needs("mock-txns-listed", "mock-on-request", "raw-request")


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Iterator[AdminClient]:
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        yield admin


@pytest.fixture
def producer(kafka_cluster: MockCluster) -> Iterator[Producer]:
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "transactional.id": "one"}
    with Producer(config) as producer:
        producer.init_transactions(TIMEOUT)
        yield producer


def state_of(admin: AdminClient, transactional_id: str) -> TransactionState:
    described = admin.describe_transactions([transactional_id])[transactional_id].result(TIMEOUT)
    (listed,) = admin.list_transactions().result(TIMEOUT).valid
    assert listed.state is described.state
    return described.state


@patched
@pytest.mark.parametrize("version", [1, 2])
def test_states(
    kafka_cluster: MockCluster,
    admin: AdminClient,
    kafka_topic: str,
    version: int,
) -> None:
    """A transactional.id has the state of its latest transaction, until a producer starts."""
    kafka_cluster.set_transaction_version(version)
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "transactional.id": "one"}
    with Producer(config) as producer:
        producer.init_transactions(TIMEOUT)
        assert state_of(admin, "one") is TransactionState.EMPTY
        for end, state in (
            (producer.commit_transaction, TransactionState.COMPLETE_COMMIT),
            (producer.abort_transaction, TransactionState.COMPLETE_ABORT),
        ):
            producer.begin_transaction()
            send(producer, kafka_topic, [b"value"])
            assert state_of(admin, "one") is TransactionState.ONGOING
            end(TIMEOUT)
            assert state_of(admin, "one") is state
    with Producer(config) as producer:
        producer.init_transactions(TIMEOUT)
        assert state_of(admin, "one") is TransactionState.EMPTY


@patched
def test_producers_that_are_not_transactional(
    kafka_cluster: MockCluster, admin: AdminClient, kafka_topic: str
) -> None:
    """An idempotent producer is described, but a producer without idempotence is not."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    place = TopicPartition(kafka_topic, 0)
    with Producer(config) as plain, Producer(config | {"enable.idempotence": True}) as idempotent:
        send(plain, kafka_topic, [b"plain"])
        assert admin.describe_producers([place])[place].result(TIMEOUT) == []
        send(idempotent, kafka_topic, [b"0", b"1"])
    (state,) = admin.describe_producers([place])[place].result(TIMEOUT)
    assert (state.producer_epoch, state.last_sequence) == (0, 1)
    assert (state.coordinator_epoch, state.current_transaction_start_offset) == (None, None)


@patched
def test_a_marker_commits(
    kafka_cluster: MockCluster, admin: AdminClient, producer: Producer, kafka_topic: str
) -> None:
    """Readers see records that a marker has committed; a later marker of the coordinator changes
    nothing."""
    producer.begin_transaction()
    send(producer, kafka_topic, [b"value"])
    place = TopicPartition(kafka_topic, 0)
    (state,) = admin.describe_producers([place])[place].result(TIMEOUT)
    message = protocol.WriteTxnMarkersRequest
    topic = message.WritableTxnMarkerTopic(name=kafka_topic, partition_indexes=[0, 7])
    marker = message.WritableTxnMarker(
        producer_id=state.producer_id,
        producer_epoch=state.producer_epoch,
        transaction_result=True,
        topics=[topic],
        coordinator_epoch=0,
    )
    request = message(markers=[marker])
    answer = admin.request(request.api_key, 1, request.encode(1), broker=1, timeout=TIMEOUT)
    response = protocol.WriteTxnMarkersResponse.decode(answer, 1)
    results = response.markers[0].topics[0].partitions
    assert [each.error_code for each in results] == [0, KafkaError.UNKNOWN_TOPIC_OR_PART]
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    with Consumer(config) as consumer:
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        (found,) = consumer.consume(1, TIMEOUT)
        assert found.value() == b"value"
        producer.abort_transaction(TIMEOUT)
        assert consumer.get_watermark_offsets(place, TIMEOUT) == (0, 2)


@patched
def test_a_coordinator_of_the_past(
    admin: AdminClient, producer: Producer, kafka_topic: str
) -> None:
    """Markers of a former coordinator are refused."""
    producer.begin_transaction()
    send(producer, kafka_topic, [b"value"])
    producer.commit_transaction(TIMEOUT)
    place = TopicPartition(kafka_topic, 0)
    (state,) = admin.describe_producers([place])[place].result(TIMEOUT)
    spec = AbortTransactionSpec(place, state.producer_id, state.producer_epoch, -1)
    error = admin.abort_transaction(spec).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.args[0].code() == KafkaError.TRANSACTION_COORDINATOR_FENCED


@patched
@pytest.mark.parametrize(
    ("feature", "level", "kind", "reason"),
    [
        ("transaction.version", 1, UpgradeType.UPGRADE, "downgrade"),
        ("transaction.version", 3, UpgradeType.UPGRADE, "versions 1-2"),
        ("unknown.version", 1, UpgradeType.UPGRADE, "does not support this feature"),
    ],
)
def test_features_that_are_refused(
    admin: AdminClient, feature: str, level: int, kind: UpgradeType, reason: str
) -> None:
    """The error is INVALID_UPDATE_VERSION, with the reason, and nothing has changed."""
    update = FeatureUpdate(level, kind)
    error = admin.update_features({feature: update})[feature].exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.args[0].code() == KafkaError.INVALID_UPDATE_VERSION
    assert reason in error.args[0].str()
    features = admin.describe_features().result(TIMEOUT).finalized_features
    assert features["transaction.version"].max_version_level == 2


@patched
def test_validate_only(admin: AdminClient) -> None:
    """An update that is only validated changes nothing."""
    update = {"transaction.version": FeatureUpdate(1, UpgradeType.SAFE_DOWNGRADE)}
    for dry_run, level in ((True, 2), (False, 1)):
        admin.update_features(update, validate_only=dry_run)["transaction.version"].result(TIMEOUT)

        def current() -> int:
            features = admin.describe_features().result(TIMEOUT).finalized_features
            return features["transaction.version"].max_version_level

        assert current() == level
