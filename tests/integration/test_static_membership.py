"""group.instance.id: a member that restarts in time keeps its partitions, and the id is unique."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException
from tests.integration.conftest import MakeTopic
from tests.integration.group_members import (
    PROTOCOLS,
    Member,
    poll_until,
    settle,
    share,
    with_long_sessions,
)
from tests.integration.kafka_cluster import KafkaCluster

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

PARTITIONS = 4
every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


def static(protocol: str, instance: str) -> dict[str, Any]:
    return PROTOCOLS[protocol] | {"group.instance.id": instance}


@every_protocol
def test_a_restart_is_no_rebalance(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """A member that restarts soon gets its partitions back, without a rebalance of the other
    member."""
    topic = make_topic(partitions=PARTITIONS)
    sessions = with_long_sessions(kafka, group, protocol)
    restarts = static(protocol, "restarts") | sessions
    with Member(kafka, group, static(protocol, "stays") | sessions) as stays:
        stays.join(topic)
        with Member(kafka, group, restarts) as before:
            before.join(topic)
            share([stays, before], PARTITIONS)
            settle([stays, before])
            its_partitions = before.partitions
        known = list(stays.events)
        with Member(kafka, group, restarts) as after:
            after.join(topic)
            poll_until([stays, after], lambda: after.partitions == its_partitions)
            assert [event.kind for event in after.events] == ["assign"]
        assert stays.events == known
        assert stays.errors == []


def assert_fatal(member: Member, code: int) -> None:
    """Check that poll() returned one fatal error whose text contains the reason."""
    (error,) = member.errors
    assert error.fatal()
    assert error == KafkaError._FATAL
    assert KafkaError(code).str() in error.str()


@pytest.mark.parametrize("protocol", ["range", "cooperative-sticky"])
def test_the_second_fences_the_first(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """If two members have the same id, the first one gets a fatal error and cannot commit any
    more."""
    topic = make_topic(partitions=PARTITIONS)
    with (
        Member(kafka, group, static(protocol, "same")) as first,
        Member(kafka, group, static(protocol, "same")) as second,
    ):
        first.join(topic)
        share([first], PARTITIONS)
        second.join(topic)
        poll_until([first, second], lambda: first.errors and len(second.partitions) == PARTITIONS)
        assert_fatal(first, KafkaError.FENCED_INSTANCE_ID)
        with pytest.raises(KafkaException) as caught:
            first.commit(offsets=first.assignment(), asynchronous=False)
        assert caught.value.args[0].fatal()
        assert second.errors == []


def test_the_first_keeps_the_second_out(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str
) -> None:
    """Under KIP-848, the second member gets the fatal error as long as the first one is alive."""
    topic = make_topic(partitions=PARTITIONS)
    with (
        Member(kafka, group, static("consumer", "same")) as first,
        Member(kafka, group, static("consumer", "same")) as second,
    ):
        first.join(topic)
        share([first], PARTITIONS)
        second.join(topic)
        poll_until([first, second], lambda: second.errors)
        assert_fatal(second, KafkaError.UNRELEASED_INSTANCE_ID)
        assert second.events == []
        assert (len(first.partitions), first.errors) == (PARTITIONS, [])
