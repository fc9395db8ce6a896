"""Share groups on real brokers: how an administrator describes and changes them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (
    AclOperation,
    AdminClient,
    GroupListing,
    GroupState,
    GroupType,
    ListGroupsResult,
    OffsetSpec,
    SharePartitionOffsetInfo,
)
from confluent_kafka.aio import AIOAdminClient
from tests.integration.group_members import Member as ConsumerMember
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import writer
from tests.integration.share_groups import Member, configure_group, wait_for_coordinator
from tests.support.aio import in_loop
from tests.support.kafka import numbers, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request"), pytest.mark.both_clusters]

Offsets = dict[TopicPartition, SharePartitionOffsetInfo]


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


@pytest.fixture
def ten(kafka: KafkaCluster, topic: str, group: str) -> str:
    """The topic with ten records, which the group reads from the beginning."""
    # Sessions and record locks do not end even if the machine stops for some seconds.
    configure_group(
        kafka, group, share_session_timeout_ms="45000", share_record_lock_duration_ms="60000"
    )
    wait_for_coordinator(kafka, group, topic)
    with writer(kafka) as producer:
        send(producer, topic, numbers(0, 10))
    return topic


def read_all(kafka: KafkaCluster, group: str, topic: str) -> None:
    """Have a member finish ten records and leave."""
    with Member(kafka, group) as member:
        member.subscribe([topic])
        seen = 0
        while seen < 10:
            records = member.fetch()
            member.accept(records)
            seen += len(records)
        wait_until(lambda: len(member.acknowledged) == 10, lambda: member.poll(0.1))


def offsets(admin: AdminClient, group: str, places: list[TopicPartition] | None = None) -> Offsets:
    return admin.list_share_group_offsets({group: places})[group].result(TIMEOUT)


def start_of(admin: AdminClient, group: str, topic: str) -> int | None:
    place = TopicPartition(topic, 0)
    return offsets(admin, group, [place])[place].start_offset


def listed(result: ListGroupsResult, group: str) -> list[GroupListing]:
    assert result.errors == []
    return [each for each in result.valid if each.group_id == group]


def code_of(error: BaseException | None) -> int:
    assert isinstance(error, KafkaException)
    return error.code()


def test_group_with_a_member(kafka: KafkaCluster, admin: AdminClient, ten: str, group: str) -> None:
    """A group with a member is listed as stable, and described with the member and its
    partitions."""
    with Member(kafka, group, client_id="me") as member:
        member.subscribe([ten])
        member.accept(member.fetch())
        stable = GroupListing(group, GroupType.SHARE, "share", GroupState.STABLE)
        assert listed(admin.list_share_groups().result(TIMEOUT), group) == [stable]
        only = admin.list_share_groups(states={GroupState.STABLE})
        assert listed(only.result(TIMEOUT), group) == [stable]
        others = admin.list_share_groups(states={GroupState.EMPTY, GroupState.DEAD})
        assert listed(others.result(TIMEOUT), group) == []
        futures = admin.describe_share_groups([group], include_authorized_operations=True)
        found = futures[group].result(TIMEOUT)
    assert (found.group_id, found.state) == (group, GroupState.STABLE)
    (described,) = found.members
    assert described.client_id == "me"
    assert described.assignment.topic_partitions == [TopicPartition(ten, 0)]
    assert described.member_epoch <= found.group_epoch
    assert found.target_assignment_epoch <= found.group_epoch
    brokers = admin.list_topics().brokers
    assert found.coordinator.port == brokers[found.coordinator.id].port
    assert AclOperation.DELETE in (found.authorized_operations or [])


def test_offsets(kafka: KafkaCluster, admin: AdminClient, ten: str, group: str) -> None:
    """An offset shows how far the group has read, with the lag; an unread partition has none."""
    read_all(kafka, group, ten)
    place, never = TopicPartition(ten, 0), TopicPartition("never-read", 3)
    wait_until(lambda: offsets(admin, group)[place].lag == 0)
    with writer(kafka) as producer:
        send(producer, ten, numbers(0, 2))
    wait_until(lambda: offsets(admin, group)[place].lag == 2)
    found = offsets(admin, group, [place, never])
    assert found[place].start_offset in range(11)  # brokers increase it later
    latest = admin.list_offsets({place: OffsetSpec.latest()})[place].result(TIMEOUT)
    # The epoch is 0, unless there was an election.
    assert found[place].leader_epoch in range((latest.leader_epoch or 0) + 1)
    assert found[place].error is None
    assert found[never] == SharePartitionOffsetInfo()


def test_offsets_set_and_forgotten(
    kafka: KafkaCluster, admin: AdminClient, ten: str, group: str
) -> None:
    """The group continues at an offset that was set; a deleted offset does not exist any more."""
    read_all(kafka, group, ten)
    place, missing = TopicPartition(ten, 0), TopicPartition(ten, 7)
    wait_until(lambda: admin_is_empty(admin, group))
    altered = admin.alter_share_group_offsets(group, {place: 4, missing: 0})
    assert altered[place].result(TIMEOUT) is None
    assert code_of(altered[missing].exception(TIMEOUT)) == KafkaError.UNKNOWN_TOPIC_OR_PART
    wait_until(lambda: start_of(admin, group, ten) == 4)
    with Member(kafka, group) as member:
        member.subscribe([ten])
        assert member.fetch()[0].offset() == 4
        in_use = admin.alter_share_group_offsets(group, {place: 0})[place]
        assert code_of(in_use.exception(TIMEOUT)) == KafkaError.NON_EMPTY_GROUP
        in_use = admin.delete_share_group_offsets(group, [ten])[ten]
        assert code_of(in_use.exception(TIMEOUT)) == KafkaError.NON_EMPTY_GROUP
    wait_until(lambda: admin_is_empty(admin, group))
    deleted = admin.delete_share_group_offsets(group, [ten, "not-there"])
    assert deleted[ten].result(TIMEOUT) is None
    error = deleted["not-there"].exception(TIMEOUT)
    assert code_of(error) == KafkaError.UNKNOWN_TOPIC_OR_PART
    wait_until(lambda: place not in offsets(admin, group))


def admin_is_empty(admin: AdminClient, group: str) -> bool:
    found = admin.describe_share_groups([group])[group].result(TIMEOUT)
    return found.state is GroupState.EMPTY


def test_deleted(kafka: KafkaCluster, admin: AdminClient, ten: str, group: str) -> None:
    """A group with a member cannot be deleted; without members it can, and then does not exist."""
    with Member(kafka, group) as member:
        member.subscribe([ten])
        member.accept(member.fetch())
        in_use = admin.delete_share_groups([group])[group]
        assert code_of(in_use.exception(TIMEOUT)) == KafkaError.NON_EMPTY_GROUP
    wait_until(lambda: admin_is_empty(admin, group))
    assert admin.delete_share_groups([group])[group].result(TIMEOUT) is None
    assert listed(admin.list_share_groups().result(TIMEOUT), group) == []
    gone = admin.delete_share_groups([group])[group]
    assert code_of(gone.exception(TIMEOUT)) == KafkaError.GROUP_ID_NOT_FOUND


def test_groups_that_are_none(
    kafka: KafkaCluster, admin: AdminClient, ten: str, group: str
) -> None:
    """A missing group and a consumer group have no share offsets; only their descriptions fail."""
    consumers, missing = f"{group}-consumers", f"{group}-missing"
    with ConsumerMember(kafka, consumers) as consumer:
        consumer.commit(offsets=[TopicPartition(ten, 0, 0)], asynchronous=False)
    read_all(kafka, group, ten)
    described = admin.describe_share_groups([group, consumers, missing])
    assert described[group].result(TIMEOUT).group_id == group
    for each in (consumers, missing):
        assert code_of(described[each].exception(TIMEOUT)) == KafkaError.GROUP_ID_NOT_FOUND
        assert offsets(admin, each) == {}
    altered = admin.alter_share_group_offsets(consumers, {TopicPartition(ten, 0): 0})
    error = altered[TopicPartition(ten, 0)].exception(TIMEOUT)
    assert code_of(error) == KafkaError.GROUP_ID_NOT_FOUND
    assert listed(admin.list_share_groups().result(TIMEOUT), consumers) == []


@in_loop
async def test_awaited(kafka: KafkaCluster, topic: str, group: str) -> None:
    """AIOAdminClient describes, changes and deletes a group that it created by setting offsets."""
    wait_for_coordinator(kafka, group, topic)
    place = TopicPartition(topic, 0)
    async with AIOAdminClient(kafka.config()) as admin:
        assert await admin.alter_share_group_offsets(group, {place: 0}) == {place: None}
        assert (await admin.describe_share_groups([group]))[group].members == []
        assert len(listed(await admin.list_share_groups(), group)) == 1
        assert (await admin.list_share_group_offsets({group: None}))[group].keys() == {place}
        assert await admin.delete_share_group_offsets(group, [topic]) == {topic: None}
        assert await admin.delete_share_groups([group]) == {group: None}
