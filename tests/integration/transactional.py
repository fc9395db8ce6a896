"""Transactional producers, and the contents of their errors."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, FeatureUpdate, UpgradeType
from tests.integration.kafka_cluster import KafkaCluster, OwnKafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.waiting import TIMEOUT, wait_until


def new_id() -> str:
    """A transactional.id that no other test uses."""
    return f"transaction-{uuid.uuid4().hex[:12]}"


def transactional(
    kafka: KafkaCluster, transactional_id: str | None = None, config: dict[str, Any] | None = None
) -> Producer:
    """A producer that can begin a transaction."""
    common: dict[str, Any] = {"transactional.id": transactional_id or new_id()}
    producer = writer(kafka, common | (config or {}))
    producer.init_transactions(TIMEOUT)
    return producer


def set_version(kafka: OwnKafkaCluster, version: int) -> None:
    """Sets the cluster's version of transactions; returns when every broker has it."""
    feature = "transaction.version"
    with AdminClient(kafka.config()) as admin:

        def versions() -> set[int]:
            return {
                admin.describe_features(broker=each.appid)
                .result(TIMEOUT)
                .finalized_features[feature]
                .max_version_level
                for each in kafka.brokers
            }

        now = max(versions())
        if now != version:
            kind = UpgradeType.UPGRADE if version > now else UpgradeType.SAFE_DOWNGRADE
            update = FeatureUpdate(version, kind)
            admin.update_features({feature: update})[feature].result(TIMEOUT)
            wait_until(lambda: versions() == {version})


def committed_reader(kafka: KafkaCluster, config: dict[str, Any] | None = None) -> Consumer:
    """A consumer that sees only committed messages."""
    return reader(kafka, {"isolation.level": "read_committed"} | (config or {}))


def wait_for_markers(kafka: KafkaCluster, topic: str, partitions: int = 1) -> None:
    """Waits until every transaction has also ended in the partitions.

    The brokers answer a commit when it is decided, and write its markers afterwards. Until then, a
    partition's last stable offset is smaller than its high watermark. A read_committed consumer
    reads only up to the last stable offset.
    """
    every = [TopicPartition(topic, partition) for partition in range(partitions)]
    with (
        committed_reader(kafka) as stable,
        reader(kafka, {"isolation.level": "read_uncommitted"}) as all_records,
    ):

        def all_ended() -> bool:
            try:
                return all(
                    stable.get_watermark_offsets(each, TIMEOUT)
                    == all_records.get_watermark_offsets(each, TIMEOUT)
                    for each in every
                )
            except KafkaException as error:
                if error.args[0] != KafkaError.NOT_LEADER_FOR_PARTITION:
                    raise
                return False  # busy machines elect leaders; the next round asks the new leader

        wait_until(all_ended)


def error_of(call: Callable[[], object]) -> KafkaError:
    """The KafkaError that the call raises."""
    with pytest.raises(KafkaException) as caught:
        call()
    error = caught.value.args[0]
    assert isinstance(error, KafkaError)
    return error


def assert_error(error: KafkaError, code: int, advice: str) -> None:
    """Check that the error has the code and only this advice: "fatal", "abort", "retry" or
    "none"."""
    assert error == code, error
    given = {
        "fatal": error.fatal(),
        "abort": error.txn_requires_abort(),
        "retry": error.retriable(),
    }
    assert [each for each, is_given in given.items() if is_given] == (
        [] if advice == "none" else [advice]
    )
