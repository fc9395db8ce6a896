"""Resources of every type that have configurations, on real brokers."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator

import pytest

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ResourceType,
)
from confluent_kafka.aio import AIOAdminClient
from tests.integration.kafka_cluster import KafkaCluster, OwnKafkaCluster
from tests.support.aio import in_loop
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request"), pytest.mark.both_clusters]

SET, DELETE = AlterConfigOpType.SET, AlterConfigOpType.DELETE
LOGGER = "org.apache.kafka.storage.internals.log.TimeIndex"  # this logger writes almost nothing


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


@pytest.fixture
def metrics() -> ConfigResource:
    """The resource of client metrics that no other test uses."""
    return ConfigResource("client_metrics", f"metrics-{uuid.uuid4().hex[:12]}")


def altered(
    admin: AdminClient, resource: ConfigResource, name: str, value: str | None, check: bool = False
) -> KafkaException | None:
    """Sets a configuration, or removes it; returns the error, or None."""
    entry = ConfigEntry(name, value, incremental_operation=DELETE if value is None else SET)
    changed = ConfigResource(resource.restype, resource.name, incremental_configs=[entry])
    (future,) = admin.incremental_alter_configs([changed], validate_only=check).values()
    error = future.exception(TIMEOUT)
    assert error is None or isinstance(error, KafkaException)
    return error


def described(admin: AdminClient, resource: ConfigResource) -> dict[str, ConfigEntry]:
    return admin.describe_configs([resource])[resource].result(TIMEOUT)


def described_with(
    admin: AdminClient, resource: ConfigResource, name: str, value: str
) -> dict[str, ConfigEntry]:
    """Wait until a broker returns this value; return all of the resource's configurations."""
    found: list[dict[str, ConfigEntry]] = []

    def is_there() -> bool:
        found.append(described(admin, resource))
        return found[-1][name].value == value

    wait_until(is_there)
    return found[-1]


def listed(admin: AdminClient, *types: ResourceType) -> set[ConfigResource]:
    return set(admin.list_config_resources(set(types)).result(TIMEOUT))


def test_client_metrics(admin: AdminClient, metrics: ConfigResource) -> None:
    """Client metrics can be set, described and removed; they are listed while something is set."""
    before = described(admin, metrics)["interval.ms"]
    assert (before.is_default, before.source) == (True, ConfigSource.DEFAULT_CONFIG)
    assert altered(admin, metrics, "interval.ms", "60000", check=True) is None
    assert altered(admin, metrics, "interval.ms", "60000") is None
    entry = described_with(admin, metrics, "interval.ms", "60000")["interval.ms"]
    assert (entry.is_default, entry.source) == (False, ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG)
    wait_until(lambda: metrics in listed(admin, ResourceType.CLIENT_METRICS))
    assert altered(admin, metrics, "interval.ms", None) is None
    wait_until(lambda: metrics not in listed(admin, ResourceType.CLIENT_METRICS))


def test_a_check_changes_nothing(admin: AdminClient, metrics: ConfigResource) -> None:
    """A value that was only validated stays unset, even after a later change has taken effect."""
    assert altered(admin, metrics, "interval.ms", "60000", check=True) is None
    assert altered(admin, metrics, "match", "client_id=none") is None
    found = described_with(admin, metrics, "match", "client_id=none")
    assert found["interval.ms"].is_default
    assert altered(admin, metrics, "match", None) is None


def test_broker_logger(own_kafka: OwnKafkaCluster, admin: AdminClient) -> None:
    """The level of one broker's logger changes at once; the levels of other brokers stay."""
    first, second = (ConfigResource("broker_logger", node) for node in (1, 2))
    before = described(admin, first)[LOGGER].value
    assert altered(admin, first, LOGGER, "ERROR") is None
    entry = described(admin, first)[LOGGER]
    assert (entry.value, entry.source) == ("ERROR", ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG)
    assert described(admin, second)[LOGGER].value == before
    assert altered(admin, first, LOGGER, before) is None
    assert described(admin, first)[LOGGER].value == before


@pytest.mark.parametrize(
    ("kind", "name", "config", "code", "text"),
    [
        ("client_metrics", "m", "nosuch", KafkaError.INVALID_REQUEST, "nosuch"),
        ("broker_logger", "1", LOGGER, KafkaError.INVALID_CONFIG, "not a supported log level"),
    ],
)
def test_changes_that_are_refused(
    own_kafka: OwnKafkaCluster,
    admin: AdminClient,
    kind: str,
    name: str,
    config: str,
    code: int,
    text: str,
) -> None:
    """A refused change raises the broker's code and text."""
    error = altered(admin, ConfigResource(kind, name), config, "loud")
    assert error is not None
    assert error.code() == code
    assert text in error.args[0].str()


def test_each_type_in_one_request(
    own_kafka: OwnKafkaCluster, admin: AdminClient, topic: str, metrics: ConfigResource
) -> None:
    """One call can describe topics, brokers, loggers and client metrics; each has its own
    result."""
    topic_, missing = ConfigResource("topic", topic), ConfigResource("topic", f"{topic}x")
    loggers = [ConfigResource("broker_logger", node) for node in (1, 3)]
    resources = [loggers[0], topic_, metrics, missing, loggers[1]]
    futures = admin.describe_configs(resources)
    assert list(futures) == resources
    assert "retention.ms" in futures[topic_].result(TIMEOUT)
    assert "interval.ms" in futures[metrics].result(TIMEOUT)
    for logger in loggers:
        assert LOGGER in futures[logger].result(TIMEOUT)
    error = futures[missing].exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART


@in_loop
async def test_list(own_kafka: OwnKafkaCluster, topic: str) -> None:
    """AIOAdminClient lists every topic and broker, also by type."""
    async with AIOAdminClient(own_kafka.config()) as admin:
        brokers = {ConfigResource("broker", node) for node in (1, 2, 3)}
        known = brokers | {ConfigResource("topic", topic)}
        # A broker that was stopped for some time is missing until it has registered again.
        while not known <= set(await admin.list_config_resources()):
            await asyncio.sleep(0.01)
        while set(await admin.list_config_resources({ResourceType.BROKER})) != brokers:
            await asyncio.sleep(0.01)
        groups = await admin.list_config_resources({ResourceType.GROUP})
        assert {each.restype for each in groups} <= {ResourceType.GROUP}
        with pytest.raises(KafkaException) as caught:
            await admin.describe_configs([ConfigResource("broker_logger", 77)], request_timeout=2)
        assert caught.value.code() == KafkaError._TIMED_OUT
