"""Transactional producers, and what their errors say."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.waiting import TIMEOUT


def new_id() -> str:
    """A transactional.id that no other test has."""
    return f"transaction-{uuid.uuid4().hex[:12]}"


def transactional(
    kafka: KafkaCluster, transactional_id: str | None = None, config: dict[str, Any] | None = None
) -> Producer:
    """A producer that may begin a transaction."""
    common: dict[str, Any] = {"transactional.id": transactional_id or new_id()}
    producer = writer(kafka, common | (config or {}))
    producer.init_transactions(TIMEOUT)
    return producer


def committed_reader(kafka: KafkaCluster, config: dict[str, Any] | None = None) -> Consumer:
    """Sees only what is committed, and tells of the ends of partitions."""
    common = {"isolation.level": "read_committed", "enable.partition.eof": True}
    return reader(kafka, common | (config or {}))


def error_of(call: Callable[[], object]) -> KafkaError:
    """The KafkaError that the call raises."""
    with pytest.raises(KafkaException) as caught:
        call()
    error = caught.value.args[0]
    assert isinstance(error, KafkaError)
    return error


def assert_error(error: KafkaError, code: int, advice: str) -> None:
    """It has the code, and tells to do one thing: "fatal", "abort", "retry", or none of them."""
    assert error == code, error
    given = {
        "fatal": error.fatal(),
        "abort": error.txn_requires_abort(),
        "retry": error.retriable(),
    }
    assert [each for each, is_given in given.items() if is_given] == (
        [] if advice == "none" else [advice]
    )
