"""Topics with given partitions and configuration, created within milliseconds."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from confluent_kafka import KafkaError
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.protocol import Answer, array, ask, text
from tests.support.waiting import wait_until

LIST_OFFSETS, METADATA, CREATE_TOPICS, DELETE_TOPICS, CREATE_PARTITIONS = 2, 3, 19, 20, 37
TIMEOUT_MS = 30_000
CLIENT, LATEST = -1, -1
DEFAULT_REPLICATION = -1


def create_topic(
    kafka: KafkaCluster, name: str, partitions: int = 1, config: Mapping[str, str] | None = None
) -> None:
    """Creates the topic and waits until clients can use each of its partitions.

    Afterwards, every broker has all earlier changes of topics, configurations and ACLs, because
    brokers receive changes in order.
    """
    topic = text(name) + struct.pack(">ih", partitions, DEFAULT_REPLICATION)
    topic += array([])  # no assignments: the brokers choose
    topic += array([text(key) + text(value) for key, value in (config or {}).items()])
    body = array([topic]) + struct.pack(">ib", TIMEOUT_MS, False)
    # A broker that forwards the request may wait long for the answer, and then send it again.
    _change(kafka, CREATE_TOPICS, 4, body, KafkaError.TOPIC_ALREADY_EXISTS)
    wait_for_topic(kafka, name, partitions)


def add_partitions(kafka: KafkaCluster, name: str, total: int) -> None:
    """Adds partitions to the topic, and waits until clients can use them."""
    topic = text(name) + struct.pack(">ii", total, -1)
    _change(kafka, CREATE_PARTITIONS, 1, array([topic]) + struct.pack(">ib", TIMEOUT_MS, False))
    wait_for_topic(kafka, name, total)


def delete_topic(kafka: KafkaCluster, name: str) -> None:
    """Deletes the topic and waits until no broker has it; until then brokers accept messages."""
    _change(kafka, DELETE_TOPICS, 3, array([text(name)]) + struct.pack(">i", TIMEOUT_MS))
    wait_for_topic(kafka, name, 0)


def wait_for_topic(kafka: KafkaCluster, name: str, partitions: int) -> None:
    """Waits until every broker has the topic and its leaders lead. With 0 partitions, waits until
    no broker has the topic."""
    leaders: dict[int, str] = {}

    def is_known(address: str) -> bool:
        nonlocal leaders
        leaders = _leaders(address, name)
        return len(leaders) == partitions

    for address in kafka.bootstrap_servers.split(","):
        wait_until(lambda address=address: is_known(address))  # type: ignore[misc]
    # Brokers name a leader before the leader has created its log, and librdkafka does not repeat
    # administrative requests for records and offsets.
    wait_until(lambda: all(_leads(leaders[number], name, number) for number in leaders))


def _change(
    kafka: KafkaCluster, api_key: int, version: int, body: bytes, done: int = KafkaError.NO_ERROR
) -> None:
    """Changes one topic; any broker forwards the request to the controller.

    `done` is the error code of a broker if the change has already been made.
    """
    answer = Answer(ask(kafka.bootstrap_servers.split(",")[0], api_key, version, body))
    answer.numbers("ii")  # throttle time, count of topics
    name, code = answer.text(), answer.number("h")
    assert code in (KafkaError.NO_ERROR, done), f"{name}: {KafkaError(code)}"


def _leaders(address: str, name: str) -> dict[int, str]:
    """The address of each partition's leader in this broker's metadata (v4)."""
    answer = Answer(ask(address, METADATA, 4, array([text(name)]) + struct.pack(">b", False)))
    brokers = _brokers(answer)
    answer.numbers("ih")  # count of topics, error code
    answer.text()
    answer.number("b")  # internal
    leaders = {}
    for _ in range(answer.number("i")):
        code, partition, leader = answer.numbers("hii")
        for _list in ("replicas", "in sync"):
            answer.numbers(f"{answer.number('i')}i")
        if code == KafkaError.NO_ERROR and leader in brokers:
            leaders[partition] = brokers[leader]
    return leaders


def _brokers(answer: Answer) -> dict[int, str]:
    """Addresses by id; skips throttle time, cluster and controller."""
    answer.number("i")
    brokers = {}
    for _ in range(answer.number("i")):
        number, host, port = answer.number("i"), answer.text(), answer.number("i")
        answer.text()  # rack
        brokers[number] = f"{host}:{port}"
    answer.text()
    answer.number("i")
    return brokers


def _leads(address: str, name: str, partition: int) -> bool:
    """Whether this broker answers a request that only the partition's leader can answer (v1)."""
    place = array([struct.pack(">iq", partition, LATEST)])
    body = struct.pack(">i", CLIENT) + array([text(name) + place])
    answer = Answer(ask(address, LIST_OFFSETS, 1, body))
    answer.number("i")  # count of topics
    answer.text()
    _count, _partition, code = answer.numbers("iih")
    return code == KafkaError.NO_ERROR
