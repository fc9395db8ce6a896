"""MockCluster with real clients: topics, moved leaders, outages, injected errors, the request
log."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable

import pytest

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition, libversion
from confluent_kafka.cimpl import MockCluster as BrokersOfLibrdkafka
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeProducer
from tests.embedded.wire import api_versions, racks
from tests.support.kafka import send
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

PINNED = 0x020F0000  # the brokers of an older librdkafka support fewer requests


def deliver(producer: Producer, topic: str, values: list[bytes]) -> list[KafkaError | None]:
    """Send `values` one after the other; return the error of each."""
    errors: list[KafkaError | None] = []

    def delivered(error: KafkaError | None, _message: Message) -> None:
        errors.append(error)

    for value in values:
        producer.produce(topic, value, on_delivery=delivered)
        assert producer.flush(TIMEOUT) == 0
    return errors


def read(consumer: Consumer, topic: str, count: int) -> list[bytes | None]:
    """The first `count` values of partition 0."""
    consumer.assign([TopicPartition(topic, 0, 0)])
    messages = consumer.consume(count, TIMEOUT)
    assert [message.error() for message in messages] == [None] * count
    return [message.value() for message in messages]


def heartbeats(cluster: MockCluster) -> int:
    """The number of KIP-848 heartbeats since the request log was started."""
    return [each.request for each in cluster.requests()].count("ConsumerGroupHeartbeat")


def seconds(call: Callable[[], object]) -> float:
    """How long a call takes."""
    watch = Stopwatch()
    call()
    return watch.elapsed


# ---- topics and partitions ----


def test_topics_have_what_was_asked_for(kafka_cluster: MockCluster, producer: Producer) -> None:
    """Clients see the partitions and replicas that create_topic() was called with."""
    kafka_cluster.create_topic("orders", partitions=5, replication_factor=2)
    partitions = producer.list_topics("orders", TIMEOUT).topics["orders"].partitions
    assert sorted(partitions) == [0, 1, 2, 3, 4]
    for partition in partitions.values():
        assert len(set(partition.replicas)) == 2
        assert partition.leader in partition.replicas


def test_records_come_back(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """A client reads in order what another client has sent."""
    values = [b"%d" % i for i in range(10)]
    assert deliver(producer, kafka_topic, values) == [None] * 10
    assert read(consumer, kafka_topic, 10) == values


def test_a_topics_error(kafka_cluster: MockCluster, producer: Producer) -> None:
    """set_topic_error() sets the error of Metadata responses until None removes it."""
    kafka_cluster.create_topic("secret")
    kafka_cluster.set_topic_error("secret", KafkaError.TOPIC_AUTHORIZATION_FAILED)
    error = producer.list_topics("secret", TIMEOUT).topics["secret"].error
    assert error is not None
    assert error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED
    kafka_cluster.set_topic_error("secret", None)
    assert producer.list_topics("secret", TIMEOUT).topics["secret"].error is None


def test_leaders_move(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """set_leader() changes the leader in Metadata; with None, the partition has no leader."""
    for broker_id, leader in ((1, 1), (2, 2), (3, 3), (None, -1)):
        kafka_cluster.set_leader(kafka_topic, 0, broker_id)
        topic = producer.list_topics(kafka_topic, TIMEOUT).topics[kafka_topic]
        assert topic.partitions[0].leader == leader


def test_a_partition_without_a_leader(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """Clients that have found a leader wait until there is one again.

    Newer versions of Produce and Fetch report the leader. Without a leader, librdkafka's mock
    brokers would crash in these versions.
    """
    assert deliver(producer, kafka_topic, [b"before"]) == [None]
    assert read(consumer, kafka_topic, 1) == [b"before"]
    kafka_cluster.start_request_tracking()
    kafka_cluster.set_leader(kafka_topic, 0, None)
    producer.produce(kafka_topic, b"after")
    wait_until(
        lambda: "Produce" in [request.request for request in kafka_cluster.requests()],
        lambda: producer.poll(0.01),
    )
    kafka_cluster.set_leader(kafka_topic, 0, 2)
    assert producer.flush(TIMEOUT) == 0
    assert read(consumer, kafka_topic, 2) == [b"before", b"after"]


def test_nothing_is_lost_when_leaders_move(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """Clients follow the leader: each record is delivered once and read in order."""
    kafka_cluster.set_leader(kafka_topic, 0, 1)
    values = [b"%d" % i for i in range(9)]
    errors = []
    for broker_id in (1, 2, 3):
        kafka_cluster.set_leader(kafka_topic, 0, broker_id)
        start = 3 * (broker_id - 1)
        errors += deliver(producer, kafka_topic, values[start : start + 3])
    assert errors == [None] * 9
    assert read(consumer, kafka_topic, 9) == values


def test_consumers_fetch_from_the_follower(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """set_follower() redirects fetches; records that the follower does not have are not read
    (KIP-392)."""
    kafka_cluster.set_leader(kafka_topic, 0, 1)
    kafka_cluster.set_follower(kafka_topic, 0, 2)
    kafka_cluster.set_follower_watermarks(kafka_topic, 0, None, 2)
    assert deliver(producer, kafka_topic, [b"0", b"1", b"2"]) == [None] * 3
    kafka_cluster.start_request_tracking()
    assert read(consumer, kafka_topic, 2) == [b"0", b"1"]
    fetched_from = {r.broker_id for r in kafka_cluster.requests() if r.request == "Fetch"}
    assert fetched_from == {1, 2}
    kafka_cluster.set_follower_watermarks(kafka_topic, 0, None, None)
    (message,) = consumer.consume(1, TIMEOUT)
    assert message.value() == b"2"


# ---- brokers ----


def test_a_broker_goes_down_and_comes_back(kafka_cluster: MockCluster, producer: Producer) -> None:
    """Metadata does not contain a stopped broker; after its start, it has the same address."""
    before = {b.id: b.port for b in producer.list_topics(timeout=TIMEOUT).brokers.values()}
    kafka_cluster.set_broker_down(2)
    assert sorted(producer.list_topics(timeout=TIMEOUT).brokers) == [1, 3]
    kafka_cluster.set_broker_up(2)
    after = {b.id: b.port for b in producer.list_topics(timeout=TIMEOUT).brokers.values()}
    assert after == before


def test_nothing_is_lost_in_an_outage(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """Records produced while every broker is down are delivered once they are back."""
    assert deliver(producer, kafka_topic, [b"before"]) == [None]
    kafka_cluster.set_broker_down()
    producer.produce(kafka_topic, b"during")
    assert producer.flush(0.3) == 1
    kafka_cluster.set_broker_up()
    assert producer.flush(TIMEOUT) == 0
    assert read(consumer, kafka_topic, 2) == [b"before", b"during"]


def test_racks(kafka_cluster: MockCluster) -> None:
    """set_rack() sets the rack of one broker, or of all brokers."""
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    assert racks(address) == {1: None, 2: None, 3: None}
    kafka_cluster.set_rack(None, "everywhere")
    kafka_cluster.set_rack(2, "elsewhere")
    assert racks(address) == {1: "everywhere", 2: "elsewhere", 3: "everywhere"}


def test_round_trip_time(kafka_cluster: MockCluster, producer: Producer) -> None:
    """set_round_trip_time() delays every response until it is set to 0 again."""
    producer.list_topics(timeout=TIMEOUT)
    kafka_cluster.set_round_trip_time(None, 1)
    assert seconds(lambda: producer.list_topics(timeout=TIMEOUT)) >= 1
    kafka_cluster.set_round_trip_time(None, 0)
    # On a busy machine, a single call may also take a second without a delay.
    assert min(seconds(lambda: producer.list_topics(timeout=TIMEOUT)) for _ in range(5)) < 1


# ---- injected errors ----


def test_errors_are_taken_in_order(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """Each request takes one error, and NO_ERROR lets a request pass. After the last error,
    requests succeed."""
    kafka_cluster.inject_errors(
        "Produce",
        [
            KafkaError.RECORD_LIST_TOO_LARGE,
            KafkaError.NO_ERROR,
            KafkaError.INVALID_REQUIRED_ACKS,
        ],
    )
    errors = deliver(producer, kafka_topic, [b"a", b"b", b"c", b"d"])
    assert [error and error.code() for error in errors] == [
        KafkaError.RECORD_LIST_TOO_LARGE,
        None,
        KafkaError.INVALID_REQUIRED_ACKS,
        None,
    ]


@pytest.mark.parametrize(
    "code", [KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.REQUEST_TIMED_OUT]
)
def test_retriable_errors_are_retried(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, code: int
) -> None:
    """The record is delivered; each injected error causes one additional request."""
    assert deliver(producer, kafka_topic, [b"first"]) == [None]
    kafka_cluster.start_request_tracking()
    kafka_cluster.inject_errors("Produce", [code] * 3)
    assert deliver(producer, kafka_topic, [b"second"]) == [None]
    requests = [request.request for request in kafka_cluster.requests()]
    assert requests.count("Produce") == 4


def test_a_closed_connection(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_producer: Callable[..., Producer],
    consumer: Consumer,
) -> None:
    """_TRANSPORT closes the connection; an idempotent producer still writes the record once."""
    producer = make_producer({"enable.idempotence": True})
    assert deliver(producer, kafka_topic, [b"0"]) == [None]
    kafka_cluster.inject_errors("Produce", [KafkaError._TRANSPORT])
    assert deliver(producer, kafka_topic, [b"1", b"2"]) == [None, None]
    assert read(consumer, kafka_topic, 3) == [b"0", b"1", b"2"]


def test_errors_of_one_broker(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """A broker's own errors come before the errors for all brokers; pending_errors() counts the
    errors that are left."""
    kafka_cluster.set_leader(kafka_topic, 0, 2)
    kafka_cluster.inject_errors("Produce", [KafkaError.INVALID_REQUIRED_ACKS])
    kafka_cluster.inject_errors("Produce", [KafkaError.INVALID_MSG], broker_id=1)
    kafka_cluster.inject_errors("Produce", [KafkaError.TOPIC_AUTHORIZATION_FAILED], broker_id=2)
    assert [kafka_cluster.pending_errors("Produce", b) for b in (1, 2, 3)] == [1, 1, 0]
    assert kafka_cluster.pending_errors("Fetch", 1) == 0
    (error,) = deliver(producer, kafka_topic, [b"x"])
    assert error is not None
    assert error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED
    assert [kafka_cluster.pending_errors("Produce", b) for b in (1, 2, 3)] == [1, 0, 0]


def test_a_delayed_response(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """round_trip_time delays only the responses with which it was given."""
    assert deliver(producer, kafka_topic, [b"first"]) == [None]
    for broker_id in (1, 2, 3):
        kafka_cluster.inject_errors(
            "Produce", [KafkaError.NO_ERROR], broker_id=broker_id, round_trip_time=1
        )
    assert seconds(lambda: send(producer, kafka_topic, [b"slow"])) >= 1
    # On a busy machine, a single call may also take a second without a delay.
    assert min(seconds(lambda: send(producer, kafka_topic, [b"fast"])) for _ in range(5)) < 1


@pytest.mark.parametrize("request_name", ["Produce", None])
def test_errors_can_be_taken_back(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, request_name: str | None
) -> None:
    """clear_errors() removes the errors for all brokers, of one kind of request or of every
    kind."""
    kafka_cluster.inject_errors("Produce", [KafkaError.TOPIC_AUTHORIZATION_FAILED] * 5)
    kafka_cluster.clear_errors(request_name)
    assert deliver(producer, kafka_topic, [b"x"]) == [None]


# ---- versions and the request log ----


def request_names(cluster: BrokersOfLibrdkafka) -> set[str]:
    with pytest.raises(ValueError, match="must be one of") as refused:
        cluster.clear_errors("-")
    names = str(refused.value).partition("[")[2].partition("]")[0].replace("'", "").split(", ")
    assert len(names) == len(set(names))
    return set(names)


def test_every_request_kind_has_its_name() -> None:
    """Every request that librdkafka's brokers answer has a name, and no other request has one."""
    with BrokersOfLibrdkafka(1) as brokers:
        address = brokers.bootstrap_servers
        announced = set(api_versions(address))
        names = request_names(brokers)
        assert len(names) >= len(announced)
        for name in names - {"ApiVersions"}:
            brokers.set_api_versions(name, None, None)
        assert set(api_versions(address)) == {18}
    if libversion()[1] >= PINNED:
        assert len(names) == len(announced)


def test_brokers_of_another_version(kafka_cluster: MockCluster) -> None:
    """set_api_versions() changes the supported range of one request, or withdraws the request."""
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    before = api_versions(address)
    kafka_cluster.set_api_versions("Produce", 3, 7)
    kafka_cluster.set_api_versions("ConsumerGroupHeartbeat", None, None)
    assert api_versions(address) == {
        api_key: (3, 7) if api_key == 0 else versions
        for api_key, versions in before.items()
        if api_key != 68
    }


def test_brokers_offer_no_version_that_they_cannot_read(kafka_cluster: MockCluster) -> None:
    """set_api_versions() accepts at most the versions of a new cluster, because the brokers crash
    in later ones."""
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    for request in request_names(kafka_cluster) - {"ApiVersions"}:
        before = api_versions(address)
        kafka_cluster.set_api_versions(request, None, None)
        after = api_versions(address)
        # None if librdkafka is too old for the request
        for api_key in before.keys() - after.keys():
            highest = before[api_key][1]
            if libversion()[1] >= PINNED:
                kafka_cluster.set_api_versions(request, 0, highest)
            with pytest.raises(ValueError, match="max_version must be"):
                kafka_cluster.set_api_versions(request, 0, highest + 1)


def test_the_request_log(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer
) -> None:
    """The log contains each request's name, its broker, and its time on the monotonic clock."""
    kafka_cluster.set_leader(kafka_topic, 0, 3)
    start = time.monotonic()
    kafka_cluster.start_request_tracking()
    assert deliver(make_producer(), kafka_topic, [b"x", b"y"]) == [None, None]
    requests = kafka_cluster.requests()
    api_keys = {request.request: request.api_key for request in requests}
    assert {"ApiVersions": 18, "Metadata": 3, "Produce": 0}.items() <= api_keys.items()
    assert [r.broker_id for r in requests if r.request == "Produce"] == [3, 3]
    times = [request.timestamp for request in requests]
    assert times == sorted(times)
    if sys.platform == "linux":
        assert start - 0.001 <= times[0] <= times[-1] <= time.monotonic() + 0.001


def test_the_request_log_is_emptied_and_stopped(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """clear_requests() empties the log and recording continues. Without recording, requests()
    raises."""
    kafka_cluster.start_request_tracking()
    deliver(producer, kafka_topic, [b"x"])
    kafka_cluster.clear_requests()
    deliver(producer, kafka_topic, [b"y"])
    counted = Counter(request.request for request in kafka_cluster.requests())
    assert counted["Produce"] == 1
    kafka_cluster.stop_request_tracking()
    with pytest.raises(RuntimeError, match=r"call start_request_tracking\(\) first"):
        kafka_cluster.requests()


# ---- groups ----


@pytest.mark.parametrize("broker_id", [1, 2, 3])
def test_coordinators(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_consumer: Callable[..., Consumer],
    broker_id: int,
) -> None:
    """set_coordinator() chooses the broker to which a group's members send their requests."""
    kafka_cluster.set_coordinator("group", "group", broker_id)
    kafka_cluster.start_request_tracking()
    consumer = make_consumer({"group.id": "group"})
    consumer.subscribe([kafka_topic])
    wait_until(lambda: bool(consumer.assignment()), lambda: consumer.poll(0.01))
    joins = {r.broker_id for r in kafka_cluster.requests() if r.request == "JoinGroup"}
    assert joins == {broker_id}


def test_the_initial_rebalance_delay(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """A new group gets its first assignment after the delay, and not before."""
    kafka_cluster.set_group_initial_rebalance_delay(0.5)
    start = time.monotonic()
    consumer.subscribe([kafka_topic])
    wait_until(lambda: bool(consumer.assignment()), lambda: consumer.poll(0.01))
    assert time.monotonic() - start >= 0.5


def test_two_members_share_the_first_assignment(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """Members that join within the delay get the same generation, without another rebalance."""
    kafka_cluster.create_topic("shared", 2)
    kafka_cluster.set_group_initial_rebalance_delay(2)
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "pair"}
    kafka_cluster.start_request_tracking()
    with Consumer(config) as one, Consumer(config) as two:
        for consumer in (one, two):
            # The members find and reach the coordinator now, so that only joining takes part of the
            # delay.
            consumer.committed([TopicPartition("shared", 0)], TIMEOUT)
        for consumer in (one, two):
            consumer.subscribe(["shared"])
        wait_until(
            lambda: len(one.assignment()) == len(two.assignment()) == 1,
            lambda: (one.poll(0.01), two.poll(0.01)),
        )
        requests = Counter(request.request for request in kafka_cluster.requests())
    assert requests["SyncGroup"] == 2


def test_kip_848_heartbeats(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """set_group_consumer_heartbeat_interval() sets how often members send heartbeats. With the
    default, 50 heartbeats of two members would take 75 s."""
    kafka_cluster.create_topic("shared", 2)
    kafka_cluster.set_group_consumer_heartbeat_interval(0.05)
    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "new",
        "group.protocol": "consumer",
    }
    kafka_cluster.start_request_tracking()
    with Consumer(config) as one, Consumer(config) as two:
        for consumer in (one, two):
            consumer.subscribe(["shared"])
        wait_until(
            lambda: len(one.assignment()) == len(two.assignment()) == 1,
            lambda: (one.poll(0.01), two.poll(0.01)),
        )

        wait_until(lambda: heartbeats(kafka_cluster) >= 50, lambda: one.poll(0.01))


def test_kip_848_silent_members_are_removed(kafka_cluster: MockCluster) -> None:
    """After set_group_consumer_session_timeout(), another member gets a silent member's
    partitions."""
    kafka_cluster.create_topic("shared", 2)
    kafka_cluster.set_group_consumer_session_timeout(0.5)
    kafka_cluster.set_group_consumer_heartbeat_interval(60)
    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "new",
        "group.protocol": "consumer",
    }
    kafka_cluster.start_request_tracking()
    with Consumer(config) as silent, Consumer(config) as heir:
        silent.subscribe(["shared"])
        wait_until(lambda: len(silent.assignment()) == 2, lambda: silent.poll(0.01))
        # One heartbeat joins and one acknowledges. A later answer to the second one would contain
        # the new interval.
        wait_until(lambda: heartbeats(kafka_cluster) >= 2, lambda: silent.poll(0.01))
        # the brokers' only thread has finished the previous call
        silent.list_topics(timeout=TIMEOUT)
        kafka_cluster.set_group_consumer_heartbeat_interval(0.05)
        heir.subscribe(["shared"])
        wait_until(lambda: len(heir.assignment()) == 2, lambda: heir.poll(0.01))


def test_no_errors(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """An empty list of errors has no effect, for one broker or for all brokers."""
    kafka_cluster.inject_errors("Produce", [])
    for broker in range(1, kafka_cluster.brokers + 1):
        kafka_cluster.inject_errors("Produce", [], broker_id=broker)
        assert kafka_cluster.pending_errors("Produce", broker) == 0
    assert deliver(producer, kafka_topic, [b"a"]) == [None]
