"""Requests of a transaction that arrive during the next transaction.

A network may deliver a request long after its client gave it up. With version 1 of the transaction
protocol, such a request affects the next transaction of the same producer (KIP-890).
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

import pytest

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from tests.chaos.request_proxy import Holding, RequestProxy
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.integration.test_transactions import all_values
from tests.integration.transactional import new_id, set_version, transactional
from tests.support.command_line import run
from tests.support.kafka import committed
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

# The requests of a transaction, with their API keys.
REQUESTS = {
    "Produce": 0,
    "AddPartitionsToTxn": 24,
    "AddOffsetsToTxn": 25,
    "EndTxn": 26,
    "TxnOffsetCommit": 28,
}
# With version 2 of the protocol, the producer does not send these requests.
ONLY_VERSION_1 = {"AddPartitionsToTxn", "AddOffsetsToTxn"}
# If no answer comes within this time, the client gives up the request and sends it again.
GIVEN_UP_MS = 1000


@pytest.fixture(params=[1, 2])
def version(own_kafka: OwnKafkaCluster, request: pytest.FixtureRequest) -> Iterator[int]:
    """Sets the cluster's version of transactions; restores the brokers' default afterwards."""
    chosen: int = request.param
    set_version(own_kafka, chosen)
    yield chosen
    set_version(own_kafka, 2)


@pytest.fixture
def network(own_kafka: OwnKafkaCluster) -> Iterator[Holding]:
    """Proxies between clients of the PROXIED listeners and the brokers."""
    holding = Holding()
    with contextlib.ExitStack() as stack:
        for broker in own_kafka.brokers:
            proxy = RequestProxy(broker.listeners["PROXIED"], broker.behind_proxy, holding)
            stack.enter_context(proxy)
        yield holding


def test_doctor(own_kafka: OwnKafkaCluster, version: int) -> None:
    """`confluent-kafka doctor` shows which version of transactions producers use."""
    done = run("doctor", "--json", "-b", own_kafka.bootstrap_servers)
    found = {row["part"]: row["found"] for row in map(json.loads, done.stdout.splitlines())}
    assert found["transactions"].startswith(f"version {version}")


@needs("transactions-v2")
def test_the_version_changes(own_kafka: OwnKafkaCluster, make_topic: MakeTopic) -> None:
    """A producer works while the version goes up and down, and its statistics contain the
    version."""
    topic = make_topic()
    told: list[int] = []
    statistics = {
        "statistics.interval.ms": 100,
        "stats_cb": lambda text: told.append(json.loads(text)["eos"]["txn_version"]),
    }
    try:
        set_version(own_kafka, 1)
        with transactional(own_kafka, new_id(), statistics) as producer:
            for number, version in enumerate([1, 2, 1, 2]):
                set_version(own_kafka, version)
                producer.begin_transaction()
                producer.produce(topic, b"%d" % number)
                producer.commit_transaction(TIMEOUT)
            wait_until(lambda: told != [], lambda: producer.poll(0.1))
        with transactional(own_kafka, new_id(), statistics) as producer:
            told.clear()
            wait_until(lambda: told != [], lambda: producer.poll(0.1))
            assert set(told) == {2}
    finally:
        set_version(own_kafka, 2)
    assert all_values(own_kafka, topic) == [b"0", b"1", b"2", b"3"]


class Application:
    """Produces, and commits offsets of a group, in one transaction after another."""

    def __init__(self, producer: Producer, consumer: Consumer, topic: str) -> None:
        self.producer = producer
        self._group = consumer.consumer_group_metadata()
        self._topic = topic

    def begin(self, number: int) -> None:
        """Opens a transaction with one message and one offset, both of this number."""
        self.producer.begin_transaction()
        self.producer.produce(self._topic, b"%d" % number)
        repeated(
            lambda: self.producer.send_offsets_to_transaction(
                [TopicPartition(self._topic, 0, number)], self._group, TIMEOUT
            )
        )

    def commit(self) -> None:
        repeated(lambda: self.producer.commit_transaction(TIMEOUT))

    def abort(self) -> None:
        repeated(lambda: self.producer.abort_transaction(TIMEOUT))


def repeated(call: object) -> None:
    """Repeats a step if the error is retriable, as an application does."""
    assert callable(call)
    for _ in range(10):
        try:
            call()
            return
        except KafkaException as error:
            if not error.args[0].retriable():
                raise
    raise AssertionError("it could be tried again for ever")


@needs("transactions-v2")
@pytest.mark.parametrize("first", ["committed", "aborted"])
@pytest.mark.parametrize("request_name", REQUESTS)
def test_a_late_request(
    own_kafka: OwnKafkaCluster,
    network: Holding,
    make_topic: MakeTopic,
    group: str,
    version: int,
    request_name: str,
    first: str,
) -> None:
    """A late request does not affect the transaction in which it arrives: the request neither
    commits the transaction nor adds to it."""
    if version == 2 and request_name in ONLY_VERSION_1:
        pytest.skip("version 2 has no such request")
    topic = make_topic()
    behind = {
        "bootstrap.servers": own_kafka.servers("PROXIED"),
        "socket.timeout.ms": GIVEN_UP_MS,
        "socket.max.fails": 1,
    }
    config = own_kafka.config() | {"group.id": group, "enable.auto.commit": False}
    with Consumer(config) as consumer, transactional(own_kafka, new_id(), behind) as producer:
        application = Application(producer, consumer, topic)
        application.begin(1)
        application.commit()
        network.hold_next(REQUESTS[request_name])
        application.begin(2)
        if request_name != "EndTxn":
            # An abort would remove a request that is still in the producer's queue.
            network.held()
        application.commit() if first == "committed" else application.abort()
        late = network.held()
        application.begin(3)
        producer.flush(TIMEOUT)
        late.deliver()
        late.wait_for_answer()
        application.abort()
        assert committed(consumer, topic) == (2 if first == "committed" else 1)
        application.begin(4)
        application.commit()
        assert committed(consumer, topic) == 4
    values = [b"1", b"2", b"4"] if first == "committed" else [b"1", b"4"]
    assert all_values(own_kafka, topic) == values
