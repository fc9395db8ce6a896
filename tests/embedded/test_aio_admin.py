"""AIOAdminClient: the same requests as AdminClient, awaited."""

from __future__ import annotations

import asyncio
import gc
import inspect
import threading
import weakref
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec
from confluent_kafka.aio import AIOAdminClient, Answers
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED
from tests.support.aio import LoopErrors, in_loop, until
from tests.support.clients import QUIET
from tests.support.kafka import NO_BROKER
from tests.support.waiting import TIMEOUT

# Methods that AIOAdminClient does not need, because its loop does their work.
NOT_THERE = {"poll", "wakeup", "io_event_enable"}


def operations(kind: type[Any]) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_every_operation_is_there() -> None:
    """AIOAdminClient has all operations, with AdminClient's names, defaults and order of
    arguments."""
    assert operations(AIOAdminClient) >= operations(AdminClient) - NOT_THERE
    for name in operations(AdminClient) - NOT_THERE - {"close", "last_error"}:
        ours = inspect.signature(getattr(AIOAdminClient, name)).parameters
        theirs = inspect.signature(getattr(AdminClient, name)).parameters
        assert [(one.name, one.default) for one in ours.values()] == [
            (one.name, one.default) for one in theirs.values()
        ], name


def admin_of(cluster: MockCluster, **more: Any) -> AIOAdminClient:
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "retry.backoff.ms": 10}
    return AIOAdminClient(settings | more)


@in_loop
async def test_answers(kafka_cluster: MockCluster, filled: str) -> None:
    """Answers can be awaited together or one by one, and no thread is started for them."""
    place, other = TopicPartition(filled, 0), TopicPartition(filled, 99)
    threads = set(threading.enumerate())
    async with admin_of(kafka_cluster) as admin:
        first = admin.list_offsets({place: OffsetSpec.earliest()})
        assert isinstance(first, Answers)
        assert (await first)[place].offset == 0
        assert (await first[place]).offset == 0
        assert set(threading.enumerate()) <= threads
        both = admin.list_offsets({place: OffsetSpec.latest(), other: OffsetSpec.latest()})
        with pytest.raises(KafkaException) as raised:
            await both
        assert raised.value.args[0].code() == KafkaError._UNKNOWN_PARTITION
        assert (await both[place]).offset == FILLED
        topics = await admin.list_topics(timeout=TIMEOUT)
        assert filled in topics.topics
        groups = await admin.list_consumer_groups(request_timeout=TIMEOUT)
        assert groups.valid == []  # which the embedded cluster cannot list


@in_loop
async def test_wrong_argument(kafka_cluster: MockCluster) -> None:
    """The call itself raises the error of a wrong argument, before anything is awaited."""
    wrong: Any = "topic"
    async with admin_of(kafka_cluster) as admin:
        with pytest.raises(TypeError, match="new_topics"):
            admin.create_topics(wrong)
        with pytest.raises(ValueError, match="new_topics must not be empty"):
            admin.create_topics([])


@in_loop
async def test_closed_with_requests_that_wait() -> None:
    """When the client is closed, waiting requests fail with _DESTROY, later calls with
    RuntimeError."""
    admin = AIOAdminClient({"bootstrap.servers": NO_BROKER, "logger": QUIET})
    waiting = [admin.create_topics([NewTopic(f"topic-{number}", 1)]) for number in range(100)]
    one = admin.describe_cluster()
    await admin.close()
    for answer in [*waiting, one]:
        with pytest.raises(KafkaException) as raised:
            await answer
        assert raised.value.args[0].code() == KafkaError._DESTROY
    with pytest.raises(RuntimeError, match="AIOAdminClient is closed"):
        admin.describe_cluster()
    with pytest.raises(RuntimeError, match="AIOAdminClient is closed"):
        await admin.list_topics()
    await admin.close()


@in_loop
async def test_a_broker_that_goes_away(kafka_cluster: MockCluster, filled: str) -> None:
    """Without a broker, requests end after their timeout, or are answered when the broker is up
    again."""
    async with admin_of(kafka_cluster, **{"logger": QUIET, "reconnect.backoff.ms": 10}) as admin:
        place = TopicPartition(filled, 0)
        latest = {place: OffsetSpec.latest()}
        await admin.list_offsets(latest)
        kafka_cluster.set_broker_down()
        late = [admin.list_offsets(latest, request_timeout=0.2) for _ in range(100)]
        found = await asyncio.gather(*late, return_exceptions=True)
        assert all(isinstance(one, KafkaException) for one in found)
        waiting = admin.list_offsets(latest, request_timeout=TIMEOUT)
        kafka_cluster.set_broker_up()
        assert (await waiting)[place].offset == FILLED


@in_loop
async def test_cancelled_wait(kafka_cluster: MockCluster, filled: str) -> None:
    """Cancelling the wait for all answers leaves the answers to other tasks; cancelling the wait
    for one answer discards it."""
    place = TopicPartition(filled, 0)
    async with admin_of(kafka_cluster) as admin:
        answers = admin.list_offsets({place: OffsetSpec.latest()})

        async def wait() -> object:
            return await answers

        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert (await answers)[place].offset == FILLED
        discarded = admin.list_offsets({place: OffsetSpec.latest()})
        discarded[place].cancel()
        with pytest.raises(asyncio.CancelledError):
            await discarded


@in_loop
async def test_dropped_while_its_answer_is_awaited(kafka_cluster: MockCluster, filled: str) -> None:
    """A waiting task keeps the client alive; afterwards the client is collected, with a warning."""
    place = TopicPartition(filled, 0)
    with pytest.warns(ResourceWarning, match="AdminClient"):  # noqa: PT031 - the collector runs when it likes
        waiting = admin_of(kafka_cluster).list_offsets({place: OffsetSpec.latest()})
        gc.collect()
        assert (await waiting)[place].offset == FILLED
        del waiting
        gc.collect()


class Recipient:
    """A callback for an answer. It refers to its client, like a task that waits for the answer."""

    def __init__(self, client: AdminClient, calls: list[object]) -> None:
        self.client = client
        self.calls = calls

    def __call__(self, *outcome: object) -> None:
        self.calls.append(outcome)


@pytest.mark.filterwarnings("ignore:AdminClient was not closed:ResourceWarning")
def test_collected_together_with_who_waits() -> None:
    """The client calls no callback that the garbage collector may have cleared, because that could
    crash."""
    calls: list[object] = []
    client = AdminClient({"bootstrap.servers": NO_BROKER, "logger": QUIET})
    client._answer_in_loop()
    recipient = Recipient(client, calls)
    client._request("describe_cluster", None, {}, recipient)
    kept = weakref.ref(recipient)
    del client, recipient
    gc.collect()
    assert (kept(), calls) == (None, [])


@in_loop
async def test_other_loop(kafka_cluster: MockCluster) -> None:
    """A call from another loop is refused."""
    async with admin_of(kafka_cluster) as admin:

        async def elsewhere() -> None:
            await admin.describe_cluster()

        with pytest.raises(RuntimeError, match="belongs to another event loop"):
            await asyncio.to_thread(asyncio.run, elsewhere())


@pytest.mark.parametrize("coroutine", [True, False])
@in_loop
async def test_callbacks(kafka_cluster: MockCluster, coroutine: bool) -> None:
    """Callbacks run in the loop, without poll(); the loop's exception handler gets their
    exceptions."""
    seen: list[str] = []

    def on_statistics(statistics: str) -> None:
        asyncio.get_running_loop()
        seen.append(statistics)
        raise ZeroDivisionError

    async def on_statistics_later(statistics: str) -> None:
        on_statistics(statistics)

    callback = on_statistics_later if coroutine else on_statistics
    more = {"statistics.interval.ms": 100, "stats_cb": callback}
    with LoopErrors() as errors:
        async with admin_of(kafka_cluster, **more):
            await until(lambda: len(seen) > 2 and len(errors.seen) > 2)
    assert {type(error) for error in errors.seen} == {ZeroDivisionError}
