"""Members of consumer groups on real brokers, described and removed by an administrator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AclOperation, AdminClient, GroupState, MemberToRemove
from confluent_kafka.aio import AIOAdminClient
from tests.integration.group_members import INCREMENTAL, Member, poll_until
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.aio import in_loop
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, needs("raw-request"), pytest.mark.both_clusters]

LONG = {"session.timeout.ms": 45_000}  # no broker removes a member during the test


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


def joined(kafka: KafkaCluster, group: str, topic: str, config: dict[str, Any]) -> Member:
    """A member that reads partition 0."""
    member = Member(kafka, group, config)
    member.join(topic)
    poll_until([member], lambda: member.partitions == [0])
    return member


def static(instance: str) -> dict[str, Any]:
    return LONG | {"group.instance.id": instance}


def instances(admin: AdminClient, group: str) -> set[str | None]:
    """The group.instance.id of each member; None for a dynamic member."""
    found = admin.describe_consumer_groups([group])[group].result(TIMEOUT)
    return {member.group_instance_id for member in found.members}


def is_stable(admin: AdminClient, group: str) -> bool:
    found = admin.describe_classic_groups([group])[group].result(TIMEOUT)
    return found.state is GroupState.STABLE


def code_of(error: BaseException | None) -> int:
    assert isinstance(error, KafkaException)
    return error.code()


class TestClassicGroups:
    def test_members_and_what_they_read(
        self, kafka: KafkaCluster, admin: AdminClient, topic: str, group: str
    ) -> None:
        """A stable group is described with members, partitions, coordinator and allowed
        operations."""
        with joined(kafka, group, topic, static("one") | {"client.id": "me"}) as member:
            futures = admin.describe_classic_groups([group], include_authorized_operations=True)
            found = futures[group].result(TIMEOUT)
            (described,) = found.members
            assert described.member_id == member.memberid()
        assert (found.group_id, found.state) == (group, GroupState.STABLE)
        assert (found.protocol, found.protocol_data) == ("consumer", "range")
        assert not found.is_simple_consumer_group
        assert (described.client_id, described.group_instance_id) == ("me", "one")
        assert described.assignment is not None
        assert described.assignment.topic_partitions == [TopicPartition(topic, 0)]
        assert described.target_assignment is None
        brokers = admin.list_topics().brokers
        assert found.coordinator.port == brokers[found.coordinator.id].port
        assert AclOperation.DELETE in (found.authorized_operations or [])

    def test_offsets_without_members(
        self, kafka: KafkaCluster, admin: AdminClient, topic: str, group: str
    ) -> None:
        """A group that only has offsets is empty and has no protocol."""
        with Member(kafka, group) as member:
            place = TopicPartition(topic, 0, 0)
            member.commit(offsets=[place], asynchronous=False)
        found = admin.describe_classic_groups([group])[group].result(TIMEOUT)
        assert (found.state, found.members) == (GroupState.EMPTY, [])
        assert found.is_simple_consumer_group
        assert found.authorized_operations is None

    def test_each_group_has_its_own_outcome(
        self, kafka: KafkaCluster, admin: AdminClient, topic: str, group: str
    ) -> None:
        """Each group has its own result: a group of another protocol and a missing group fail."""
        modern, missing = f"{group}-modern", f"{group}-missing"
        with (
            joined(kafka, group, topic, LONG),
            joined(kafka, modern, topic, INCREMENTAL["consumer"]),
        ):
            futures = admin.describe_classic_groups([group, modern, missing])
            assert len(futures[group].result(TIMEOUT).members) == 1
            for each in (modern, missing):
                error = futures[each].exception(TIMEOUT)
                assert code_of(error) == KafkaError.GROUP_ID_NOT_FOUND


class TestRemoved:
    def test_static_member(
        self, kafka: KafkaCluster, admin: AdminClient, topic: str, group: str
    ) -> None:
        """A static member is removed at once, before its session ends; an unknown member has its
        own error."""
        joined(kafka, group, topic, static("gone")).close()
        assert instances(admin, group) == {"gone"}
        gone, unknown = MemberToRemove("gone"), MemberToRemove("unknown")
        futures = admin.remove_members_from_consumer_group(
            group, [gone, unknown], reason="it is to be replaced"
        )
        assert futures[gone].result(TIMEOUT) is None
        assert code_of(futures[unknown].exception(TIMEOUT)) == KafkaError.UNKNOWN_MEMBER_ID
        assert instances(admin, group) == set()

    def test_all_members(
        self, kafka: KafkaCluster, admin: AdminClient, topic: str, group: str
    ) -> None:
        """All static and dynamic members are removed; a member that still polls joins again."""
        with joined(kafka, group, topic, LONG) as dynamic:
            with Member(kafka, group, static("static")) as other:
                other.join(topic)
                poll_until([dynamic, other], lambda: instances(admin, group) == {None, "static"})
                poll_until([dynamic, other], lambda: is_stable(admin, group))
            assert instances(admin, group) == {None, "static"}
            before = dynamic.memberid()
            reason = "x" * 300  # longer than brokers accept
            removed = admin.remove_members_from_consumer_group(group, reason=reason)
            assert removed.result(TIMEOUT) is None
            assert "static" not in instances(admin, group)
            # The member keeps its partitions until it learns of the removal. It has no id while it
            # joins again.
            poll_until([dynamic], lambda: dynamic.memberid() not in ("", None, before))
            poll_until([dynamic], lambda: instances(admin, group) == {None})
            poll_until([dynamic], lambda: dynamic.partitions == [0])

    def test_member_of_a_group_of_brokers(
        self, kafka: KafkaCluster, admin: AdminClient, topic: str, group: str
    ) -> None:
        """If the brokers assign partitions (KIP-848), a removed member loses them and joins
        again."""
        with joined(kafka, group, topic, INCREMENTAL["consumer"]) as member:
            assert admin.remove_members_from_consumer_group(group).result(TIMEOUT) is None
            poll_until([member], lambda: "lost" in [event.kind for event in member.events])
            poll_until([member], lambda: member.partitions == [0])

    def test_group_without_members(
        self, kafka: KafkaCluster, admin: AdminClient, topic: str, group: str
    ) -> None:
        """Removing all members of an empty group succeeds; an unknown group fails."""
        # afterwards the group has a coordinator
        admin.describe_classic_groups([group])[group].exception(TIMEOUT)
        missing = admin.remove_members_from_consumer_group(group)
        assert code_of(missing.exception(TIMEOUT)) == KafkaError.GROUP_ID_NOT_FOUND
        with Member(kafka, group) as member:
            member.commit(offsets=[TopicPartition(topic, 0, 0)], asynchronous=False)
        assert admin.remove_members_from_consumer_group(group).result(TIMEOUT) is None

    @in_loop
    async def test_awaited(self, kafka: KafkaCluster, topic: str, group: str) -> None:
        """AIOAdminClient also removes some or all members of a group."""
        with joined(kafka, group, topic, static("gone")):
            async with AIOAdminClient(kafka.config()) as admin:
                described = (await admin.describe_classic_groups([group]))[group]
                assert [each.group_instance_id for each in described.members] == ["gone"]
                gone = [MemberToRemove("gone")]
                removed = await admin.remove_members_from_consumer_group(group, gone)
                assert removed == {gone[0]: None}
                assert await admin.remove_members_from_consumer_group(group) is None


def test_deadline(admin: AdminClient, group: str) -> None:
    """The timeout applies to the whole operation, even if it consists of several requests."""
    future = admin.remove_members_from_consumer_group(group, request_timeout=0.001)
    assert code_of(future.exception(TIMEOUT)) == KafkaError._TIMED_OUT
