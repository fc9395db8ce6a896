"""Share consumers are interrupted by Ctrl-C wherever they wait, and no record is lost.

If a call has fetched a record and not returned it, the next poll() returns it. Nothing accepts the
record before that.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import (
    DeserializingShareConsumer,
    IllegalStateException,
    KafkaException,
    Producer,
    ShareConsumer,
)
from confluent_kafka.testing import MockCluster
from tests.support.cancelling import NOTHING
from tests.support.interrupting import Interrupter, interrupts, read_in_pieces
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = [
    needs("mock-on-request"),
    # Ctrl-C may come before the coroutine of a deserializer has begun.
    pytest.mark.filterwarnings("ignore:.*never awaited"),
]


def name_of(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else str(value)


by_kind = pytest.mark.parametrize("kind", [ShareConsumer, DeserializingShareConsumer], ids=name_of)
by_mode = pytest.mark.parametrize("mode", ["explicit", "implicit"])


@pytest.fixture
def make(kafka_cluster: MockCluster, kafka_topic: str) -> Callable[..., ShareConsumer]:
    """make(kind, "explicit", "group"): a share consumer that has subscribed to `kafka_topic`."""
    kafka_cluster.set_share_group_auto_offset_reset("earliest")
    kafka_cluster.set_share_group_heartbeat_interval(0.05)

    def new(kind: type[Any], mode: str, group: str = "group") -> ShareConsumer:
        config: dict[str, Any] = {
            "bootstrap.servers": kafka_cluster.bootstrap_servers,
            "group.id": group,
            "share.acknowledgement.mode": mode,
            "fetch.wait.max.ms": 20,
            "log_level": 0,
        }
        if kind is DeserializingShareConsumer:
            config["value.deserializer"] = lambda data, _: data
        consumer: ShareConsumer = kind(config)
        consumer.subscribe([kafka_topic])
        return consumer

    return new


def accepted(consumer: ShareConsumer, mode: str) -> list[int]:
    """Accept the next records, which are delivered for the first time; return their offsets."""
    batch = consumer.poll(TIMEOUT)
    for message in batch:
        assert message.error() is None
        assert message.delivery_count() == 1
        if mode == "explicit":
            consumer.acknowledge(message)
    return [message.offset() or 0 for message in batch]


@pytest.mark.parametrize("moment", ["wait", "request", "function"])
@by_mode
@by_kind
def test_reads(
    interrupter: Interrupter,
    make: Callable[..., ShareConsumer],
    kafka_topic: str,
    producer: Producer,
    kind: type[Any],
    mode: str,
    moment: str,
) -> None:
    """Each record is returned once, at its first delivery, whichever poll() was interrupted."""
    with make(kind, mode) as consumer:
        taken: list[int] = []

        def read() -> list[int]:
            # reading the tuple cannot be interrupted
            messages = consumer.poll(TIMEOUT)._messages
            if mode == "explicit":
                for message in messages:
                    consumer.acknowledge(message)
            return [message.offset() or 0 for message in messages if message.delivery_count() == 1]

        def check(count: int) -> None:
            assert set(consumer.commit_sync(TIMEOUT).values()) <= {None}
            taken.append(count)

        read_in_pieces(
            interrupter,
            read,
            lambda count: send(producer, kafka_topic, [b"v"] * count),
            check,
            moment,
        )
        assert taken
        assert consumer.poll(0.1).is_empty()


@by_kind
def test_an_interrupted_poll_accepts_nothing(
    interrupter: Interrupter,
    make: Callable[..., ShareConsumer],
    kafka_topic: str,
    producer: Producer,
    kind: type[Any],
) -> None:
    """Records that an interrupted poll() has fetched are not accepted by a commit.

    The commit has nothing to accept, or is refused until the next poll() has returned the records.
    """
    send(producer, kafka_topic, [b"v"] * 3)
    for moment, at in interrupts():
        with make(kind, "implicit", f"{moment}-{at}") as consumer:
            if interrupter.run(lambda: consumer.poll(TIMEOUT), moment, at) is not NOTHING:
                continue
            with contextlib.suppress(IllegalStateException):
                assert consumer.commit_sync(TIMEOUT) == {}
            assert accepted(consumer, "implicit") == [0, 1, 2]


COMMITS: dict[str, Callable[[ShareConsumer], Any]] = {
    "commit_sync": lambda consumer: consumer.commit_sync(TIMEOUT),
    "commit_async": lambda consumer: consumer.commit_async(),
    "poll": lambda consumer: consumer.poll(0.1),
    "close": lambda consumer: consumer.close(),
}


@by_mode
@pytest.mark.parametrize(
    ("kind", "name"),
    [(ShareConsumer, name) for name in COMMITS]
    + [(DeserializingShareConsumer, name) for name in ("poll", "close")],
    ids=name_of,
)
def test_acknowledgements(
    interrupter: Interrupter,
    make: Callable[..., ShareConsumer],
    kafka_topic: str,
    producer: Producer,
    kind: type[Any],
    name: str,
    mode: str,
) -> None:
    """Accepted records are never delivered again, even if the call that acknowledges them is
    interrupted.

    In implicit mode, only close() accepts nothing, interrupted or not.
    """
    send(producer, kafka_topic, [b"v"] * 3)
    for moment, at in interrupts():
        group = f"{moment}-{at}"
        with make(kind, mode, group) as consumer:
            offsets = accepted(consumer, mode)
            assert offsets[:3] == [0, 1, 2]
            interrupter.run(lambda: COMMITS[name](consumer), moment, at)
            if name != "close":
                consumer.commit_sync(TIMEOUT)
        with make(kind, "explicit", group) as consumer:
            send(producer, kafka_topic, [b"v"])
            if name == "close" and mode == "implicit":
                assert [message.offset() for message in consumer.poll(TIMEOUT)][:3] == [0, 1, 2]
            else:
                came = [message.offset() for message in consumer.poll(TIMEOUT)]
                assert came
                assert not set(came) & set(offsets)


CALLS: dict[str, Callable[[ShareConsumer, str], Any]] = {
    "subscribe": lambda consumer, topic: consumer.subscribe([topic]),
    "unsubscribe": lambda consumer, _: consumer.unsubscribe(),
    "subscription": lambda consumer, _: consumer.subscription(),
    "list_topics": lambda consumer, topic: consumer.list_topics(topic, TIMEOUT),
    "cluster_id": lambda consumer, _: consumer.cluster_id(TIMEOUT),
    "connect": lambda consumer, topic: consumer.connect(TIMEOUT, topic),
    "close": lambda consumer, _: consumer.close(),
}


@pytest.mark.parametrize(
    ("kind", "name"),
    [(ShareConsumer, name) for name in CALLS] + [(DeserializingShareConsumer, "close")],
    ids=name_of,
)
def test_the_client_works_after_every_call(
    interrupter: Interrupter,
    make: Callable[..., ShareConsumer],
    kafka_topic: str,
    producer: Producer,
    kind: type[Any],
    name: str,
) -> None:
    """If a call is interrupted anywhere, its client is as usable as before, or can be closed."""
    send(producer, kafka_topic, [b"v"])
    for moment, at in interrupts():
        with make(kind, "explicit", f"{moment}-{at}") as consumer:
            with contextlib.suppress(KafkaException):
                interrupter.run(lambda: CALLS[name](consumer, kafka_topic), moment, at)
            if name != "close":
                consumer.subscribe([kafka_topic])
                assert accepted(consumer, "explicit") == [0]
        with pytest.raises(IllegalStateException):
            consumer.list_topics(timeout=1)
