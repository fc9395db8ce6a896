"""AIOKafkaConsumer of compat.aiokafka: groups, listeners, positions and commits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from confluent_kafka import KafkaError, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.compat.aiokafka import (
    ConsumerRebalanceListener,
    ConsumerStoppedError,
    OffsetAndMetadata,
    TopicPartition,
)
from confluent_kafka.compat.aiokafka.errors import (
    CommitFailedError,
    GroupAuthorizationFailedError,
    IllegalStateError,
    KafkaTimeoutError,
    NoOffsetForPartitionError,
    OffsetOutOfRangeError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED
from tests.support.aio import in_loop, until
from tests.support.aiokafka_consumer import Told, consumer_at, raised_by, reading, values
from tests.support.kafka import numbers, send
from tests.support.waiting import TIMEOUT

GROUP = "group"
JOIN_GROUP = 11


@pytest.fixture(autouse=True)
def _groups_form_at_once(kafka_cluster: MockCluster) -> None:
    kafka_cluster.set_group_initial_rebalance_delay(0)


def partitions_of(topic: str, count: int) -> set[TopicPartition]:
    return {TopicPartition(topic, partition) for partition in range(count)}


class TestListeners:
    """ConsumerRebalanceListener."""

    @pytest.mark.kafka_topic(partitions=4)
    @in_loop
    async def test_a_second_member(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """Each rebalance revokes all partitions and assigns new ones, even if nobody reads."""
        everything = partitions_of(kafka_topic, 4)
        servers = kafka_cluster.bootstrap_servers
        first, second = Told(), Told()
        one, two = consumer_at(servers, group_id=GROUP), consumer_at(servers, group_id=GROUP)
        one.subscribe([kafka_topic], listener=first)
        async with one:
            assert first.calls == [("revoked", set()), ("assigned", everything)]
            assert one.assignment() == everything
            two.subscribe([kafka_topic], listener=second)
            async with two:
                await until(lambda: len(first.calls) == 4)
                assert first.calls[2] == ("revoked", everything)
                assert first.calls[3] == ("assigned", set(one.assignment()))
                assert second.calls == [("revoked", set()), ("assigned", set(two.assignment()))]
                assert one.assignment() | two.assignment() == everything
                assert not one.assignment() & two.assignment()
            await until(lambda: one.assignment() == everything)
        assert len(second.calls) == 2
        assert [name for name, _ in first.calls] == ["revoked", "assigned"] * 3

    @in_loop
    async def test_another_subscription(
        self, kafka_cluster: MockCluster, kafka_topic: str, filled: str
    ) -> None:
        """The assignment is empty at once. unsubscribe() and stop() do not call listeners."""
        listener = Told()
        consumer = consumer_at(kafka_cluster.bootstrap_servers, group_id=GROUP)
        consumer.subscribe([kafka_topic], listener=listener)
        async with consumer:
            consumer.subscribe([filled], listener=listener)
            assert consumer.assignment() == set()
            assert consumer.subscription() == {filled}
            await until(consumer.assignment)
            assert await values(consumer, 1) == [b"0"]
            assert listener.calls[2:] == [
                ("revoked", partitions_of(kafka_topic, 1)),
                ("assigned", partitions_of(filled, 1)),
            ]
            consumer.unsubscribe()
            assert consumer.assignment() == consumer.subscription() == set()
        assert len(listener.calls) == 4

    @in_loop
    async def test_unsubscribed_and_subscribed(
        self, kafka_cluster: MockCluster, kafka_topic: str, filled: str
    ) -> None:
        """unsubscribe() removes the assignment at once, even if it was assigned by hand."""
        listener = Told()
        place = TopicPartition(filled, 0)
        async with consumer_at(kafka_cluster.bootstrap_servers, group_id=GROUP) as consumer:
            for _ in range(2):
                consumer.subscribe([filled], listener=listener)
                assert await values(consumer, 1) == [b"0"]
                consumer.unsubscribe()
                assert consumer.assignment() == consumer.subscription() == set()
            consumer.assign([place])
            assert consumer.subscription() == {filled}
            consumer.unsubscribe()
            assert consumer.subscription() == set()
            consumer.subscribe([filled], listener=listener)
            assert await values(consumer, 1) == [b"0"]
        assert listener.calls == [
            ("revoked", set()),
            ("assigned", {place}),
            *[("revoked", {place}), ("assigned", {place})] * 2,
        ]

    @in_loop
    async def test_without_a_group(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """Without a group, the listener is never called."""
        listener = Told()
        consumer = consumer_at(kafka_cluster.bootstrap_servers)
        consumer.subscribe([kafka_topic], listener=listener)
        async with consumer:
            assert consumer.assignment() == partitions_of(kafka_topic, 1)
        assert listener.calls == []

    @pytest.mark.parametrize("error", [ValueError("listener"), asyncio.CancelledError()])
    @in_loop
    async def test_exceptions(
        self,
        kafka_cluster: MockCluster,
        filled: str,
        error: BaseException,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """Exceptions of a listener are logged, and the rebalance continues."""

        class Raises(ConsumerRebalanceListener):
            def on_partitions_revoked(self, revoked: Any) -> None:
                raise error

            async def on_partitions_assigned(self, assigned: Any) -> None:
                raise error

        consumer = consumer_at(kafka_cluster.bootstrap_servers, group_id=GROUP)
        consumer.subscribe([filled], listener=Raises())
        async with consumer:
            assert await values(consumer, 1) == [b"0"]
        texts = [record.getMessage() for record in caplog.records]
        assert [text.split("()")[0] for text in texts if "listener failed" in text] == [
            "on_partitions_revoked",
            "on_partitions_assigned",
        ]

    @in_loop
    async def test_a_listener_that_seeks(self, kafka_cluster: MockCluster, filled: str) -> None:
        """A listener can call position(), and its seek() selects the first message."""
        seen: list[Any] = []

        class Seeks(ConsumerRebalanceListener):
            async def on_partitions_revoked(self, revoked: Any) -> None:
                pass

            async def on_partitions_assigned(self, assigned: Any) -> None:
                (partition,) = assigned
                seen.append(consumer.assignment() == assigned)
                seen.append(await consumer.position(partition))
                consumer.seek(partition, 9)
                seen.append(await consumer.position(partition))
                seen.append(await consumer.committed(partition))

        consumer = consumer_at(kafka_cluster.bootstrap_servers, group_id=GROUP)
        consumer.subscribe([filled], listener=Seeks())
        async with consumer:
            assert await values(consumer, 3) == numbers(9, 12)
        assert seen == [True, 0, 9, None]


@in_loop
async def test_a_pattern(kafka_cluster: MockCluster) -> None:
    """subscription() contains a matching topic soon after it appears, and each new topic is a
    rebalance."""
    listener = Told()
    consumer = consumer_at(kafka_cluster.bootstrap_servers, group_id=GROUP, metadata_max_age_ms=100)
    consumer.subscribe(pattern="a.+", listener=listener)
    async with consumer:
        assert consumer.subscription() == consumer.assignment() == set()
        assert listener.calls == [("revoked", set()), ("assigned", set())]
        kafka_cluster.create_topic("aa")
        kafka_cluster.create_topic("ba")
        await until(lambda: consumer.assignment() == partitions_of("aa", 1))
        assert consumer.subscription() == {"aa"}
        kafka_cluster.create_topic("ab")
        await until(lambda: len(consumer.assignment()) == 2)
        assert consumer.subscription() == {"aa", "ab"}
    assert listener.calls[2:] == [
        ("revoked", set()),
        ("assigned", partitions_of("aa", 1)),
        ("revoked", partitions_of("aa", 1)),
        ("assigned", partitions_of("aa", 1) | partitions_of("ab", 1)),
    ]


@in_loop
async def test_a_pattern_without_a_group(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """Without a group, new topics are read, too, and reading of earlier topics continues."""
    consumer = consumer_at(kafka_cluster.bootstrap_servers, metadata_max_age_ms=100)
    consumer.subscribe(pattern=f"{kafka_topic}|new")
    async with consumer:
        await asyncio.to_thread(send, producer, kafka_topic, [b"1"])
        assert await values(consumer, 1) == [b"1"]
        kafka_cluster.create_topic("new")
        await asyncio.to_thread(send, producer, "new", [b"2"])
        assert await values(consumer, 1) == [b"2"]
        await asyncio.to_thread(send, producer, kafka_topic, [b"3"])
        assert await values(consumer, 1) == [b"3"]
        assert consumer.subscription() == {kafka_topic, "new"}


@pytest.mark.parametrize(
    "properties",
    [{"group.protocol": "consumer"}, {"partition.assignment.strategy": "cooperative-sticky"}],
)
@in_loop
async def test_incremental_protocols(
    kafka_cluster: MockCluster, filled: str, kafka_topic: str, properties: dict[str, Any]
) -> None:
    """Incremental protocols call listeners as eager protocols do. A seek works in a partition that
    had no offset."""
    listener = Told()
    partition = TopicPartition(filled, 0)
    consumer = consumer_at(
        kafka_cluster.bootstrap_servers,
        group_id=GROUP,
        auto_offset_reset="none",
        properties=properties,
    )
    consumer.subscribe([filled], listener=listener)
    async with consumer:
        await until(lambda: consumer.assignment() == {partition})
        for offset in (7, FILLED * 2):
            with pytest.raises((NoOffsetForPartitionError, OffsetOutOfRangeError)):
                await consumer.getone()
            consumer.seek(partition, offset)
            if offset < FILLED:
                assert await values(consumer, 2) == numbers(offset, offset + 2)
                consumer.seek(partition, FILLED * 2)
        with pytest.raises(OffsetOutOfRangeError):
            await consumer.getone()
        consumer.seek(partition, 3)
        assert await values(consumer, 2) == numbers(3, 5)
        consumer.subscribe([kafka_topic], listener=listener)
        await until(lambda: consumer.assignment() == partitions_of(kafka_topic, 1))
    told = [call for call in listener.calls if call[1]]
    assert told == [
        ("assigned", {partition}),
        ("revoked", {partition}),
        ("assigned", partitions_of(kafka_topic, 1)),
    ]


@pytest.mark.parametrize("group", [None, GROUP])
@in_loop
async def test_a_topic_that_may_not_be_read(
    kafka_cluster: MockCluster, filled: str, group: str | None
) -> None:
    """If a topic may not be read, start() or getone() raises its error."""
    kafka_cluster.set_topic_error(filled, KafkaError.TOPIC_AUTHORIZATION_FAILED)
    with pytest.raises(TopicAuthorizationFailedError):
        async with consumer_at(kafka_cluster.bootstrap_servers, filled, group_id=group) as consumer:
            await consumer.getone()


@pytest.mark.parametrize("is_by_hand", [False, True])
@pytest.mark.parametrize("group", [None, GROUP])
@in_loop
async def test_a_topic_that_nobody_creates(
    kafka_cluster: MockCluster, filled: str, group: str | None, is_by_hand: bool
) -> None:
    """start() raises the topic's error after request_timeout_ms, even if another topic exists."""
    consumer = consumer_at(
        kafka_cluster.bootstrap_servers,
        group_id=group,
        request_timeout_ms=300,
        properties={"allow.auto.create.topics": False},
    )
    if is_by_hand:
        consumer.assign([TopicPartition(filled, 0), TopicPartition("absent", 0)])
    else:
        consumer.subscribe([filled, "absent"])
    with pytest.raises(UnknownTopicOrPartitionError):
        await consumer.start()


@in_loop
async def test_a_partition_that_is_not_there(kafka_cluster: MockCluster, filled: str) -> None:
    """position() of a missing partition raises after request_timeout_ms; other partitions are
    read."""
    missing = TopicPartition(filled, 7)
    async with reading(
        kafka_cluster.bootstrap_servers, missing, TopicPartition(filled, 0), request_timeout_ms=300
    ) as consumer:
        assert await values(consumer, 3) == numbers(0, 3)
        with pytest.raises(KafkaTimeoutError):
            await consumer.position(missing)


@in_loop
async def test_a_framework_that_cancels_all_tasks(kafka_cluster: MockCluster, filled: str) -> None:
    """The consumer restarts its background work when it is used next."""
    consumer = consumer_at(kafka_cluster.bootstrap_servers, group_id=GROUP, metadata_max_age_ms=100)
    consumer.subscribe(pattern=f"{filled}.*")
    others = asyncio.all_tasks()
    async with consumer:
        for task in asyncio.all_tasks() - others:
            task.cancel()
        await asyncio.sleep(0)
        assert await values(consumer, 1) == [b"0"]
        kafka_cluster.create_topic(f"{filled}-more")
        await until(lambda: f"{filled}-more" in consumer.subscription())


@in_loop
async def test_stop_while_start_waits(kafka_cluster: MockCluster, filled: str) -> None:
    """start() raises ConsumerStoppedError, and the consumer is stopped."""
    kafka_cluster.set_group_initial_rebalance_delay(600)
    consumer = consumer_at(kafka_cluster.bootstrap_servers, filled, group_id=GROUP)
    start = asyncio.ensure_future(consumer.start())
    kafka_cluster.start_request_tracking()
    await until(lambda: any(r.api_key == JOIN_GROUP for r in kafka_cluster.requests()))
    await consumer.stop()
    assert type(await raised_by(start)) is ConsumerStoppedError


@in_loop
async def test_stop_in_the_middle_of_a_rebalance(kafka_cluster: MockCluster, filled: str) -> None:
    """stop() waits for the listener to end."""
    going_on = asyncio.Event()
    ended = asyncio.Event()

    class Slow(ConsumerRebalanceListener):
        async def on_partitions_revoked(self, revoked: Any) -> None:
            pass

        async def on_partitions_assigned(self, assigned: Any) -> None:
            going_on.set()
            await asyncio.sleep(0.1)
            ended.set()

    consumer = consumer_at(kafka_cluster.bootstrap_servers, group_id=GROUP)
    consumer.subscribe([filled], listener=Slow())
    start = asyncio.ensure_future(consumer.start())
    await going_on.wait()
    await consumer.stop()
    assert ended.is_set()
    assert type(await raised_by(start)) in (ConsumerStoppedError, type(None))


class TestPositions:
    """seek() and similar methods, position(), and requests to brokers."""

    @in_loop
    async def test_seeks(self, kafka_cluster: MockCluster, filled: str) -> None:
        """A seek has taken effect when the call returns."""
        partition = TopicPartition(filled, 0)
        async with reading(kafka_cluster.bootstrap_servers, partition) as consumer:
            assert await consumer.position(partition) == 0
            assert await values(consumer, 2) == numbers(0, 2)
            for offset in (50, 3):
                consumer.seek(partition, offset)
                assert await consumer.position(partition) == offset
            assert await values(consumer, 2) == numbers(3, 5)
            assert await consumer.seek_to_end()
            assert await consumer.position(partition) == FILLED
            assert await consumer.getmany() == {}
            assert await consumer.seek_to_beginning(partition)
            assert await values(consumer, 2) == numbers(0, 2)

    @in_loop
    async def test_a_seek_right_after_the_start(
        self, kafka_cluster: MockCluster, filled: str
    ) -> None:
        """The look-up of the first offset, which is still running, does not undo the seek."""
        for offset in range(10):
            consumer = consumer_at(kafka_cluster.bootstrap_servers)
            consumer.assign([TopicPartition(filled, 0)])
            async with consumer:
                consumer.seek(TopicPartition(filled, 0), offset)
                assert await values(consumer, 1) == [b"%d" % offset]

    @in_loop
    async def test_latest(
        self, kafka_cluster: MockCluster, filled: str, producer: Producer
    ) -> None:
        """The consumer starts at the end that the partition had when start() returned."""
        partition = TopicPartition(filled, 0)
        async with reading(
            kafka_cluster.bootstrap_servers, partition, auto_offset_reset="latest"
        ) as consumer:
            await asyncio.to_thread(send, producer, filled, [b"new"])
            assert await consumer.position(partition) == FILLED
            assert await values(consumer, 1) == [b"new"]

    @in_loop
    async def test_offsets_of_brokers(self, kafka_cluster: MockCluster, filled: str) -> None:
        """The client returns first and last offsets, also of partitions that are not assigned."""
        partition = TopicPartition(filled, 0)
        async with reading(kafka_cluster.bootstrap_servers) as consumer:
            assert await consumer.beginning_offsets([partition]) == {partition: 0}
            assert await consumer.end_offsets([partition]) == {partition: FILLED}
            assert await consumer.end_offsets([]) == {}
            assert await consumer.offsets_for_times({}) == {}
            with pytest.raises(ValueError, match="negative"):
                await consumer.offsets_for_times({partition: -1})
            assert await consumer.topics() == {filled}
            assert consumer.partitions_for_topic(filled) == {0}

    @in_loop
    async def test_offsets_of_partitions_that_are_not_there(
        self, kafka_cluster: MockCluster, kafka_topic: str, filled: str
    ) -> None:
        """Requests for offsets of missing partitions raise KafkaTimeoutError after
        request_timeout_ms. They end earlier if the partitions are created, or after stop()."""
        there, other = TopicPartition(filled, 0), TopicPartition(filled, 9)
        async with reading(
            kafka_cluster.bootstrap_servers, there, request_timeout_ms=1000
        ) as consumer:
            for times in ({other: 0}, {there: 0, other: 0}):
                with pytest.raises(KafkaTimeoutError):
                    await consumer.offsets_for_times(times)
            for ask in (consumer.beginning_offsets, consumer.end_offsets):
                with pytest.raises(KafkaTimeoutError):
                    await ask([there, other])
        async with reading(kafka_cluster.bootstrap_servers, there) as consumer:
            waiting = [
                asyncio.ensure_future(consumer.offsets_for_times({other: 0})),
                asyncio.ensure_future(consumer.end_offsets([other])),
            ]
            await asyncio.wait(waiting, timeout=0.3)
        for one in waiting:
            assert type(await raised_by(one)) is ConsumerStoppedError

    @in_loop
    async def test_facts_of_the_last_fetch(self, kafka_cluster: MockCluster, filled: str) -> None:
        """highwater() and similar methods return values once the consumer has read a message."""
        partition = TopicPartition(filled, 0)
        async with reading(kafka_cluster.bootstrap_servers, partition) as consumer:
            assert consumer.last_poll_timestamp(partition) is None
            await consumer.getone()
            assert consumer.highwater(partition) == FILLED
            assert consumer.last_stable_offset(partition) == FILLED
            timestamp = consumer.last_poll_timestamp(partition)
            assert timestamp is not None
            assert timestamp > 1_500_000_000_000

    @pytest.mark.kafka_topic(partitions=2)
    @in_loop
    async def test_polls_of_a_partition(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """Each partition has its own poll time; a call without partitions sets the time of all
        partitions."""
        one, two = sorted(partitions_of(kafka_topic, 2))
        async with reading(kafka_cluster.bootstrap_servers, one, two) as consumer:
            assert await consumer.getmany(one) == {}
            first = consumer.last_poll_timestamp(one)
            assert first is not None
            assert consumer.last_poll_timestamp(two) is None
            await consumer.getmany()
            assert (consumer.last_poll_timestamp(two) or 0) >= first

    @pytest.mark.parametrize("partitions", [(), (0,)])
    @in_loop
    async def test_bytes_of_a_partition(
        self, kafka_cluster: MockCluster, kafka_topic: str, small: Producer, partitions: Any
    ) -> None:
        """getmany() returns no record that would exceed the limit, except if it is the first
        one."""
        sizes = [40, 40, 40, 300, 40]
        # The messages are one batch, because the first of two batches could arrive alone.
        await asyncio.to_thread(send, small, kafka_topic, [b"x" * size for size in sizes])
        place = TopicPartition(kafka_topic, 0)
        found: list[list[int]] = []
        async with reading(
            kafka_cluster.bootstrap_servers, place, max_partition_fetch_bytes=100
        ) as consumer:
            await until(lambda: consumer.highwater(place) == len(sizes))
            while sum(map(len, found)) < len(sizes):
                named = [place for _ in partitions]
                taken = await consumer.getmany(*named, timeout_ms=1000)
                found += [[len(record.value) for record in each] for each in taken.values()]
        assert found == [[40, 40], [40], [300], [40]]

    @pytest.mark.parametrize("group", [None, GROUP])
    @in_loop
    async def test_no_offset(
        self, kafka_cluster: MockCluster, filled: str, group: str | None
    ) -> None:
        """With "none", every call raises until the application seeks."""
        partition = TopicPartition(filled, 0)
        async with consumer_at(
            kafka_cluster.bootstrap_servers, filled, group_id=group, auto_offset_reset="none"
        ) as consumer:
            for _ in range(2):
                with pytest.raises(NoOffsetForPartitionError, match=filled):
                    await consumer.getone()
                with pytest.raises(NoOffsetForPartitionError, match=filled):
                    await consumer.getmany(partition, timeout_ms=1000)
            with pytest.raises(NoOffsetForPartitionError):
                await consumer.position(partition)
            consumer.seek(partition, 7)
            assert await values(consumer, 2) == numbers(7, 9)

    @pytest.mark.parametrize("group", [None, GROUP])
    @in_loop
    async def test_out_of_range(
        self, kafka_cluster: MockCluster, filled: str, group: str | None
    ) -> None:
        """With "none", every call raises until the application seeks to an existing offset."""
        partition = TopicPartition(filled, 0)
        consumer = consumer_at(
            kafka_cluster.bootstrap_servers, group_id=group, auto_offset_reset="none"
        )
        consumer.assign([partition])
        async with consumer:
            consumer.seek(partition, 10_000)
            for _ in range(2):
                with pytest.raises(OffsetOutOfRangeError, match="10000"):
                    await consumer.getone()
                assert await consumer.position(partition) == 10_000
            consumer.seek(partition, 7)
            assert await values(consumer, 2) == numbers(7, 9)


class TestCommits:
    """commit() and committed()."""

    @in_loop
    async def test_forms(self, kafka_cluster: MockCluster, filled: str) -> None:
        """commit() commits the positions or the given offsets, with or without metadata."""
        partition = TopicPartition(filled, 0)
        async with consumer_at(kafka_cluster.bootstrap_servers, filled, group_id=GROUP) as consumer:
            assert await consumer.committed(partition) is None
            await values(consumer, 3)
            await consumer.commit()
            assert await consumer.committed(partition) == 3
            forms = (5, (6, "text"), OffsetAndMetadata(7, "text"))
            for offset, form in enumerate(forms, 5):
                await consumer.commit({partition: form})  # type: ignore[dict-item]
                assert await consumer.committed(partition) == offset
            assert await consumer.seek_to_committed() == {partition: 7}
            assert await values(consumer, 1) == [b"7"]
            consumer.seek(partition, 20)
            await consumer.commit()
            assert await consumer.committed(partition) == 20
            with pytest.raises(IllegalStateError, match="other"):
                await consumer.commit({TopicPartition("other", 0): 1})

    @in_loop
    async def test_automatic_commits(self, kafka_cluster: MockCluster, filled: str) -> None:
        """stop() commits the offsets of the returned records, and nothing else."""
        for start in (0, 4):
            async with consumer_at(
                kafka_cluster.bootstrap_servers, filled, group_id=GROUP, enable_auto_commit=True
            ) as consumer:
                assert await values(consumer, 4) == numbers(start, start + 4)

    @in_loop
    async def test_what_a_deserializer_refuses_is_not_committed(
        self, kafka_cluster: MockCluster, filled: str
    ) -> None:
        """If a deserializer raises, the record is not committed: the next consumer starts with
        it."""

        def refuse(value: bytes) -> bytes:
            if value == b"2":
                raise ValueError(value)
            return value

        async with consumer_at(
            kafka_cluster.bootstrap_servers,
            filled,
            group_id=GROUP,
            enable_auto_commit=True,
            value_deserializer=refuse,
        ) as consumer:
            await values(consumer, 2)
            with pytest.raises(ValueError, match="2"):
                await consumer.getone()
        async with consumer_at(kafka_cluster.bootstrap_servers, filled, group_id=GROUP) as consumer:
            assert await values(consumer, 1) == [b"2"]

    @in_loop
    async def test_nothing_to_commit(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """A member without partitions commits nothing; before the first assignment, there is no
        member."""
        servers = kafka_cluster.bootstrap_servers
        async with (
            consumer_at(servers, kafka_topic, group_id=GROUP) as one,
            consumer_at(servers, kafka_topic, group_id=GROUP) as two,
        ):
            await until(lambda: len(one.assignment()) + len(two.assignment()) == 1)
            await (two if one.assignment() else one).commit()
        async with consumer_at(servers, group_id=GROUP) as consumer:
            with pytest.raises(IllegalStateError, match="Not subscribed to any topics"):
                await consumer.commit()
            consumer.assign([])
            await consumer.commit()
            consumer.unsubscribe()
            consumer.subscribe([kafka_topic])
            with pytest.raises(IllegalStateError, match="No partitions assigned"):
                await consumer.commit()

    @in_loop
    async def test_refused(self, kafka_cluster: MockCluster, filled: str) -> None:
        """An error of the coordinator raises aiokafka's exception."""
        async with consumer_at(kafka_cluster.bootstrap_servers, filled, group_id=GROUP) as consumer:
            await consumer.getone()
            for code, error in (
                (KafkaError.GROUP_AUTHORIZATION_FAILED, GroupAuthorizationFailedError),
                (KafkaError.ILLEGAL_GENERATION, CommitFailedError),
            ):
                kafka_cluster.inject_errors("OffsetCommit", [code])
                with pytest.raises(error):
                    await consumer.commit()

    @in_loop
    async def test_fenced(self, kafka_cluster: MockCluster, filled: str) -> None:
        """Every commit raises CommitFailedError, not only the first; stop() raises nothing."""
        async with consumer_at(
            kafka_cluster.bootstrap_servers, filled, group_id=GROUP, group_instance_id="one"
        ) as consumer:
            await consumer.getone()
            kafka_cluster.inject_errors("OffsetCommit", [KafkaError.FENCED_INSTANCE_ID])
            for _ in range(2):
                with pytest.raises(CommitFailedError):
                    await consumer.commit()

    @pytest.mark.kafka_topic(partitions=2)
    @in_loop
    async def test_after_a_revocation(
        self, kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
    ) -> None:
        """A commit after a revocation raises CommitFailedError; the position stays at the next
        message."""
        servers = kafka_cluster.bootstrap_servers
        told, may_go_on = Told(), asyncio.Event()
        may_go_on.set()

        class Slow(ConsumerRebalanceListener):
            async def on_partitions_revoked(self, revoked: Any) -> None:
                await may_go_on.wait()

            async def on_partitions_assigned(self, assigned: Any) -> None:
                pass

        consumer, slow, third = (consumer_at(servers, group_id=GROUP) for _ in range(3))
        consumer.subscribe([kafka_topic], listener=told)
        slow.subscribe([kafka_topic], listener=Slow())
        third.subscribe([kafka_topic])
        async with consumer, slow:
            await until(lambda: len(consumer.assignment()) == len(slow.assignment()) == 1)
            (place,) = consumer.assignment()
            for value in numbers(0, 10):
                producer.produce(kafka_topic, value, partition=place.partition)
            assert await asyncio.to_thread(producer.flush, TIMEOUT) == 0
            await values(consumer, 10)
            await consumer.commit()
            may_go_on.clear()
            told.calls.clear()
            starting = asyncio.ensure_future(third.start())
            await until(lambda: bool(told.calls))
            for _ in range(20):  # the rebalance does not end, because it waits for `slow`
                await asyncio.sleep(0)
            assert told.calls == [("revoked", {place})]
            assert await consumer.position(place) == 10
            for offsets in (None, {place: 0}):
                with pytest.raises(CommitFailedError):
                    await consumer.commit(offsets)
            may_go_on.set()
            await starting
            assert await third.committed(place) == 10
            await third.stop()


@in_loop
async def test_a_group_that_may_not_be_used(kafka_cluster: MockCluster, filled: str) -> None:
    """getone() raises the error of a group that may not be used."""
    kafka_cluster.inject_errors("JoinGroup", [KafkaError.GROUP_AUTHORIZATION_FAILED] * 50)
    consumer = consumer_at(kafka_cluster.bootstrap_servers, filled, group_id=GROUP)
    with pytest.raises(GroupAuthorizationFailedError):
        async with consumer:
            pass


@in_loop
async def test_a_topic_of_a_pattern_that_is_deleted(kafka_cluster: MockCluster) -> None:
    """A deleted topic that matched a pattern is not created again, and is no longer read. Topics
    that are subscribed to by name are created again."""
    kafka_cluster.create_topic("aa")
    kafka_cluster.create_topic("ab")
    consumer = consumer_at(kafka_cluster.bootstrap_servers, group_id=GROUP, metadata_max_age_ms=100)
    consumer.subscribe(pattern="a.+")
    async with consumer:
        await until(lambda: len(consumer.assignment()) == 2)
        with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
            (deleted,) = admin.delete_topics(["aa"]).values()
            await asyncio.to_thread(deleted.result)
        await until(lambda: consumer.subscription() == {"ab"})
        await until(lambda: consumer.assignment() == partitions_of("ab", 1))
        await asyncio.sleep(0.5)  # librdkafka requests metadata several times in this time
        assert await consumer.topics() == {"ab"}


@pytest.mark.parametrize("properties", [{}, {"group.protocol": "consumer"}])
@in_loop
async def test_a_handler_that_hangs(
    kafka_cluster: MockCluster, filled: str, properties: dict[str, Any]
) -> None:
    """After max_poll_interval_ms, another member has the partitions, and nothing is committed.

    The next read joins the group again.
    """
    told = Told()
    partition = TopicPartition(filled, 0)
    keywords: dict[str, Any] = {"group_id": GROUP, "properties": properties}
    servers = kafka_cluster.bootstrap_servers
    hanging = consumer_at(
        servers,
        enable_auto_commit=True,
        max_poll_interval_ms=300,
        session_timeout_ms=300,
        **keywords,
    )
    hanging.subscribe([filled], listener=told)
    async with hanging:
        assert await values(hanging, 3) == numbers(0, 3)
        async with consumer_at(servers, filled, **keywords) as other:
            await until(lambda: other.assignment() == {partition})
            assert hanging.assignment() == {partition}  # it has not noticed the rebalance yet
            assert await hanging.position(partition) == 3
            with pytest.raises(CommitFailedError):
                await hanging.commit()
            assert await values(other, 5) == numbers(0, 5)
            await other.commit()
        assert told.calls == [("revoked", set()), ("assigned", {partition})]
        assert await values(hanging, 2) == numbers(5, 7)
        assert told.calls[2:] == [("revoked", {partition}), ("assigned", {partition})]


@in_loop
async def test_a_static_member_that_hangs(kafka_cluster: MockCluster, filled: str) -> None:
    """The hanging member keeps its partitions, and so does a static member that waits for
    messages."""
    servers = kafka_cluster.bootstrap_servers
    for group, static in (("static", "one"), ("waiting", None)):
        async with consumer_at(
            servers, filled, group_id=group, group_instance_id=static, max_poll_interval_ms=100
        ) as consumer:
            await values(consumer, FILLED)
            waiting = asyncio.ensure_future(
                consumer.getone() if static is None else asyncio.sleep(9)
            )
            await asyncio.wait([waiting], timeout=0.4)
            waiting.cancel()
            await consumer.commit()
