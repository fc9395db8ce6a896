"""compat.aiokafka: transaction steps that overlap, are cancelled, or fail."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, protocol
from confluent_kafka.aio import _transaction
from confluent_kafka.compat.aiokafka import AIOKafkaProducer, TopicPartition
from confluent_kafka.compat.aiokafka import errors as failures
from confluent_kafka.testing import MockCluster
from tests.support.aio import in_loop, until
from tests.support.clients import QUIET
from tests.support.kafka import read, values_of
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.kafka_topic(partitions=1), needs("mock-on-request")]

END = protocol.EndTxnRequest.api_key
OFFSETS = protocol.TxnOffsetCommitRequest.api_key
BEGIN_PRODUCER = protocol.InitProducerIdRequest.api_key

Step = Callable[[], Awaitable[Any]]


@contextlib.asynccontextmanager
async def started(cluster: MockCluster, **keywords: Any) -> AsyncIterator[AIOKafkaProducer]:
    properties = {"logger": QUIET}
    async with AIOKafkaProducer(
        bootstrap_servers=cluster.bootstrap_servers,
        transactional_id="t",
        properties=properties,
        **keywords,
    ) as producer:
        yield producer


class Held:
    """Requests of one kind that the brokers do not answer until the test allows it."""

    def __init__(self, cluster: MockCluster, api_key: int) -> None:
        self._come = threading.Event()
        self._go = threading.Event()
        cluster.on_request(api_key, self._wait)

    def _wait(self, request: Any, context: Any) -> None:
        self._come.set()
        self._go.wait(2 * TIMEOUT)  # longer than the calls that must not wait for this request

    async def come(self) -> None:
        assert await asyncio.to_thread(self._come.wait, TIMEOUT)

    def go(self) -> None:
        self._go.set()


@pytest.fixture
def held(kafka_cluster: MockCluster) -> Iterator[Callable[[int], Held]]:
    made: list[Held] = []

    def hold(api_key: int) -> Held:
        made.append(Held(kafka_cluster, api_key))
        return made[-1]

    yield hold
    for one in made:
        one.go()


def others(producer: AIOKafkaProducer, topic: str) -> dict[str, Step]:
    """Calls that are not allowed while a transaction ends."""
    batch = producer.create_batch()
    batch.append(timestamp=None, key=None, value=b"late")
    return {
        "send": lambda: producer.send(topic, b"late", partition=0),
        "send_and_wait": lambda: producer.send_and_wait(topic, b"late"),
        "send_batch": lambda: producer.send_batch(batch, topic, partition=0),
        "begin": producer.begin_transaction,
        "commit": producer.commit_transaction,
        "abort": producer.abort_transaction,
        "offsets": lambda: producer.send_offsets_to_transaction({TopicPartition(topic, 0): 1}, "g"),
    }


async def runs_again(producer: AIOKafkaProducer, topic: str) -> None:
    """Check that the producer can begin a transaction, send a message and commit."""
    await producer.begin_transaction()
    await producer.send(topic, b"again", partition=0)
    await producer.commit_transaction()


@pytest.mark.parametrize("end", ["commit_transaction", "abort_transaction"])
@in_loop
async def test_nothing_comes_into_a_transaction_that_ends(
    kafka_cluster: MockCluster, kafka_topic: str, held: Callable[[int], Held], end: str
) -> None:
    """From the beginning of a commit or abort until its end, every other call is refused."""
    ends = held(END)
    async with started(kafka_cluster) as producer:
        await producer.begin_transaction()
        await producer.send(kafka_topic, b"v", partition=0)
        ending = asyncio.ensure_future(getattr(producer, end)())
        await asyncio.sleep(0)
        for moment in (lambda: asyncio.sleep(0), ends.come):
            await moment()
            for name, step in others(producer, kafka_topic).items():
                with pytest.raises(failures.IllegalOperation, match="is being"):
                    pytest.fail(f"{name} returned {await step()}")
        ends.go()
        await ending
        with pytest.raises(failures.IllegalOperation, match="no transaction is open"):
            await producer.send(kafka_topic, b"late")
        await runs_again(producer, kafka_topic)


@pytest.mark.parametrize("end", ["commit_transaction", "abort_transaction"])
@in_loop
async def test_an_end_that_is_cancelled_goes_on(
    kafka_cluster: MockCluster, kafka_topic: str, held: Callable[[int], Held], end: str
) -> None:
    """A cancelled end of a transaction continues, and then the next transaction can begin."""
    ends = held(END)
    async with started(kafka_cluster) as producer:
        await producer.begin_transaction()
        await producer.send(kafka_topic, b"v", partition=0)
        ending = asyncio.ensure_future(getattr(producer, end)())
        await ends.come()
        ending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ending
        with pytest.raises(failures.IllegalOperation, match="is being"):
            await producer.begin_transaction()
        ends.go()
        transactions = producer._transactional()
        await until(lambda: transactions._ending is None)
        await runs_again(producer, kafka_topic)


async def cut_off(block: Coroutine[Any, Any, None], come: Awaitable[Any]) -> None:
    """Cancel a block when `come` is done: the block has then reached the point that the test
    needs."""
    running = asyncio.ensure_future(block)
    await come
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


@pytest.mark.parametrize("moment", ["body", "commit"])
@in_loop
async def test_a_cancelled_block_leaves_its_end(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    held: Callable[[int], Held],
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
) -> None:
    """The cancelled block does not wait for a silent broker; the next begin waits, and raises
    nothing."""
    monkeypatch.setattr(_transaction, "SECONDS_ON_THE_WAY_OUT", 0.01)
    ends = held(END)
    inside = asyncio.Event()
    async with started(kafka_cluster) as producer:

        async def block() -> None:
            async with producer.transaction():
                await producer.send(kafka_topic, b"v", partition=0)
                inside.set()
                if moment == "body":
                    await asyncio.Event().wait()

        come = inside.wait() if moment == "body" else ends.come()
        await asyncio.wait_for(cut_off(block(), come), TIMEOUT)
        again = asyncio.ensure_future(runs_again(producer, kafka_topic))
        await ends.come()
        assert not again.done()
        ends.go()
        await again


@in_loop
async def test_a_cancelled_block_whose_commit_fails(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """If the commit of a cancelled block fails, the client aborts the transaction in the
    background."""
    inside = asyncio.Event()
    async with started(kafka_cluster) as producer:
        kafka_cluster.inject_errors("TxnOffsetCommit", [KafkaError.GROUP_AUTHORIZATION_FAILED])

        async def block() -> None:
            async with producer.transaction():
                with pytest.raises(failures.GroupAuthorizationFailedError):
                    await others(producer, kafka_topic)["offsets"]()
                inside.set()

        await cut_off(block(), inside.wait())
        await runs_again(producer, kafka_topic)


@pytest.mark.parametrize("error", [asyncio.CancelledError, KeyboardInterrupt])
@in_loop
async def test_a_block_without_a_broker(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: type[BaseException],
) -> None:
    """One Ctrl-C ends the block and the program; the log names the steps that continue."""
    monkeypatch.setattr(_transaction, "SECONDS_ON_THE_WAY_OUT", 0.01)
    async with started(kafka_cluster) as producer:

        async def block() -> None:
            async with producer.transaction():
                await producer.send_and_wait(kafka_topic, b"v", partition=0)
                kafka_cluster.set_broker_down()
                await producer.send(kafka_topic, b"v", partition=0)
                raise error

        with pytest.raises(error):
            await block()
        assert "aborted in the background" in caplog.text
        kafka_cluster.set_broker_up()
        await runs_again(producer, kafka_topic)


@pytest.mark.parametrize("turns", range(8))
@in_loop
async def test_a_begin_that_is_cancelled(
    kafka_cluster: MockCluster, kafka_topic: str, turns: int
) -> None:
    """If a begin is cancelled at any point, the next begin works, and no other transaction stays
    open."""

    async def block() -> None:
        async with producer.transaction():
            await asyncio.sleep(TIMEOUT)

    async with started(kafka_cluster) as producer:
        for begin in (producer.begin_transaction, block):
            beginning = asyncio.ensure_future(begin())
            for _ in range(turns):
                await asyncio.sleep(0)
            if not beginning.cancel():  # it has already begun
                await producer.abort_transaction()
                continue
            with pytest.raises(asyncio.CancelledError):
                await beginning
            await runs_again(producer, kafka_topic)


@in_loop
async def test_two_that_begin_at_once(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If two tasks begin a transaction at once, one succeeds, even if the other one was
    cancelled."""
    async with started(kafka_cluster) as producer:
        first, second, third = (
            asyncio.ensure_future(producer.begin_transaction()) for _ in range(3)
        )
        await asyncio.sleep(0)
        first.cancel()
        outcomes = await asyncio.gather(first, second, third, return_exceptions=True)
        assert [type(one) for one in outcomes] == [
            asyncio.CancelledError,
            type(None),
            failures.IllegalOperation,
        ]
        await producer.commit_transaction()


@in_loop
async def test_offsets_that_are_cancelled_go_on(
    kafka_cluster: MockCluster, kafka_topic: str, held: Callable[[int], Held]
) -> None:
    """If sending offsets is cancelled, it continues, and the commit waits for it."""
    offsets = held(OFFSETS)
    async with started(kafka_cluster) as producer:
        await producer.begin_transaction()
        sending = asyncio.ensure_future(others(producer, kafka_topic)["offsets"]())
        await offsets.come()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        committing = asyncio.ensure_future(producer.commit_transaction())
        await asyncio.sleep(0)
        offsets.go()
        await committing
        await runs_again(producer, kafka_topic)


def added(request: Any, context: Any) -> protocol.AddPartitionsToTxnResponse:
    """A coordinator's answer to the request that adds partitions to a transaction."""
    response = protocol.AddPartitionsToTxnResponse
    topics = [
        response.AddPartitionsToTxnTopicResult(
            name=topic.name,
            results_by_partition=[
                response.AddPartitionsToTxnPartitionResult(partition_index=each)
                for each in topic.partitions
            ],
        )
        for topic in request.v3_and_below_topics
    ]
    return response(results_by_topic_v3_and_below=topics)


@in_loop
async def test_a_commit_that_takes_longer_than_librdkafka_waits(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """The commit is repeated until it succeeds, because steps of aiokafka have no timeout of their
    own."""
    # The coordinator aborts a transaction whose end comes after its timeout, so no transaction
    # begins there.
    kafka_cluster.set_transaction_version(1)
    kafka_cluster.on_request(protocol.AddPartitionsToTxnRequest.api_key, added)
    async with started(kafka_cluster, transaction_timeout_ms=1000) as producer:
        await producer.begin_transaction()
        await producer.send_and_wait(kafka_topic, b"v", partition=0)
        kafka_cluster.inject_errors("EndTxn", [KafkaError.COORDINATOR_NOT_AVAILABLE] * 30)
        committing = asyncio.ensure_future(producer.commit_transaction())
        done, _ = await asyncio.wait([committing], timeout=1.5)
        assert not done
        kafka_cluster.clear_errors()
        await committing
        await runs_again(producer, kafka_topic)


@in_loop
async def test_a_transaction_that_failed(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The failed transaction accepts no more messages, and can only be aborted."""
    async with started(kafka_cluster) as producer:
        await producer.begin_transaction()
        kafka_cluster.inject_errors("TxnOffsetCommit", [KafkaError.GROUP_AUTHORIZATION_FAILED])
        steps = others(producer, kafka_topic)
        with pytest.raises(failures.GroupAuthorizationFailedError):
            await steps["offsets"]()
        for name in ("send", "send_batch"):
            with pytest.raises(failures.IllegalOperation, match="has failed"):
                await steps[name]()
        with pytest.raises(failures.GroupAuthorizationFailedError):
            await producer.commit_transaction()
        for name in ("send", "send_batch", "begin", "commit", "offsets"):
            with pytest.raises(failures.IllegalOperation, match="has failed"):
                await steps[name]()
        await producer.abort_transaction()
        await runs_again(producer, kafka_topic)


@in_loop
async def test_a_cancelled_commit_that_fails(
    kafka_cluster: MockCluster, kafka_topic: str, held: Callable[[int], Held]
) -> None:
    """The next call raises the error, and the transaction can be aborted."""
    async with started(kafka_cluster) as producer:
        await producer.begin_transaction()
        kafka_cluster.inject_errors("TxnOffsetCommit", [KafkaError.GROUP_AUTHORIZATION_FAILED])
        with pytest.raises(failures.GroupAuthorizationFailedError):
            await others(producer, kafka_topic)["offsets"]()
        committing = asyncio.ensure_future(producer.commit_transaction())
        await asyncio.sleep(0)
        committing.cancel()
        transactions = producer._transactional()
        await until(lambda: transactions._ending is None)
        with pytest.raises(failures.IllegalOperation, match="has failed") as raised:
            await producer.begin_transaction()
        assert isinstance(raised.value.__cause__, failures.GroupAuthorizationFailedError)
        await producer.abort_transaction()
        await runs_again(producer, kafka_topic)


@in_loop
async def test_all_tasks_are_cancelled(
    kafka_cluster: MockCluster, kafka_topic: str, held: Callable[[int], Held]
) -> None:
    """If a framework cancels every task during a commit, the producer can still be used."""
    ends = held(END)
    tests_own = asyncio.all_tasks()
    async with started(kafka_cluster) as producer:
        await producer.begin_transaction()
        await producer.send(kafka_topic, b"v", partition=0)
        committing = asyncio.ensure_future(producer.commit_transaction())
        await ends.come()
        for task in asyncio.all_tasks() - tests_own:
            task.cancel()
        await asyncio.wait([committing])
        ends.go()
        await producer.abort_transaction()
        await runs_again(producer, kafka_topic)


@in_loop
async def test_a_batch_that_waits_for_room_belongs_to_its_transaction(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """A commit waits until send_batch() has enqueued the whole batch, so the batch is committed as
    a whole."""
    async with AIOKafkaProducer(
        bootstrap_servers=kafka_cluster.bootstrap_servers,
        transactional_id="t",
        max_batch_size=10**6,
        properties={"queue.buffering.max.messages": 10},
    ) as producer:
        await producer.client._wait_on_metadata(kafka_topic)
        await producer.begin_transaction()
        batch = producer.create_batch()
        for number in range(100):
            batch.append(timestamp=None, key=None, value=b"%d" % number)
        sending = asyncio.ensure_future(producer.send_batch(batch, kafka_topic, partition=0))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not sending.done()
        await producer.commit_transaction()
        await (await sending)
    messages = await asyncio.to_thread(read, consumer, kafka_topic, 100)
    assert values_of(messages) == [b"%d" % number for number in range(100)]


@in_loop
async def test_the_exception_of_a_block_stays(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The block raises its own exception, even if its code has ended the transaction or the
    producer."""

    async def block(producer: AIOKafkaProducer, end: str) -> None:
        async with producer.transaction():
            await producer.send(kafka_topic, b"v", partition=0)
            await getattr(producer, end)()
            _ = 1 / 0

    for end in ("commit_transaction", "abort_transaction", "stop"):
        async with started(kafka_cluster) as producer:
            with pytest.raises(ZeroDivisionError):
                await block(producer, end)


@in_loop
async def test_stop_waits_for_a_commit(
    kafka_cluster: MockCluster, kafka_topic: str, held: Callable[[int], Held]
) -> None:
    """stop() returns after the commit has succeeded, if the brokers answer."""
    ends = held(END)
    async with started(kafka_cluster) as producer:
        await producer.begin_transaction()
        await producer.send(kafka_topic, b"v", partition=0)
        committing = asyncio.ensure_future(producer.commit_transaction())
        await ends.come()
        stopping = asyncio.ensure_future(producer.stop())
        await asyncio.sleep(0)
        stopping.cancel()
        ends.go()
        await committing
        await producer.stop()


@in_loop
async def test_a_start_that_is_cancelled(
    kafka_cluster: MockCluster, kafka_topic: str, held: Callable[[int], Held]
) -> None:
    """After a cancelled start(), the producer can be started again."""
    asked = held(BEGIN_PRODUCER)
    producer = AIOKafkaProducer(
        bootstrap_servers=kafka_cluster.bootstrap_servers,
        transactional_id="t",
        properties={"logger": QUIET},
    )
    starting = asyncio.ensure_future(producer.start())
    await asked.come()
    starting.cancel()
    asked.go()
    with pytest.raises(asyncio.CancelledError):
        await starting
    async with producer:
        await runs_again(producer, kafka_topic)
