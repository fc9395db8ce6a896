"""Every blocking call is interrupted by Ctrl-C wherever it waits, and no message is lost.

The call raises KeyboardInterrupt soon, and not after its timeout. Messages are neither lost nor
repeated, and the client works as before.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    DeserializingConsumer,
    KafkaError,
    KafkaException,
    Producer,
    SerializingProducer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.columns import AvroDecoder
from confluent_kafka.compat import kafka, kafka_2
from confluent_kafka.testing import MockCluster
from tests.support.cancelling import NOTHING, SUSPENSIONS
from tests.support.interrupting import MOMENTS, Interrupter, interrupts, read_in_pieces
from tests.support.kafka import committed, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = [
    needs("mock-on-request"),
    # Ctrl-C may come before the coroutine of a deserializer has begun.
    pytest.mark.filterwarnings("ignore:.*never awaited"),
    # Ctrl-C may come while a call closes a client that it has created itself.
    pytest.mark.filterwarnings("ignore:.*was not closed:ResourceWarning"),
]

MILLISECONDS = int(TIMEOUT * 1000)

by_moment = pytest.mark.parametrize("moment", MOMENTS)


def name_of(value: Any) -> str:
    return value.__name__ if isinstance(value, type) else str(value)


def offsets_of(result: Any) -> list[int]:
    if result is None:
        return []
    if hasattr(result, "__arrow_c_array__"):
        # polars replaces the handler of SIGINT.
        pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

        offsets: list[int] = pyarrow.record_batch(result)["offset"].to_pylist()
        return offsets
    if isinstance(result, dict):
        result = list(itertools.chain.from_iterable(result.values()))
    found = result if isinstance(result, list) else [result]
    return [one.offset() if callable(one.offset) else one.offset for one in found]


# ---- calls that return messages ----

READS: dict[str, Callable[[Any], Any]] = {
    "poll": lambda consumer: consumer.poll(TIMEOUT),
    "consume": lambda consumer: consumer.consume(3, 0.5),
    "consume_arrow": lambda consumer: consumer.consume_arrow(3, 0.5),
    "consume_arrow of values": lambda consumer: consumer.consume_arrow(
        3, 0.5, value=AvroDecoder('"int"')
    ),
    "next": next,
}


@pytest.mark.parametrize(
    ("kind", "read", "moment"),
    [
        *((Consumer, read, "wait") for read in READS),
        *((DeserializingConsumer, "poll", moment) for moment in ("wait", "function")),
    ],
    ids=name_of,
)
def test_reads(
    interrupter: Interrupter,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    kind: type[Any],
    read: str,
    moment: str,
) -> None:
    """Each message is returned once and in order; position and stored offset are one after the last
    message."""
    config: dict[str, Any] = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": kafka_topic,
        "enable.auto.commit": False,
        "fetch.wait.max.ms": 20,
    }
    if kind is DeserializingConsumer:
        config["value.deserializer"] = lambda data, _: data
    place = TopicPartition(kafka_topic, 0, 0)
    with kind(config) as consumer:
        consumer.assign([place])

        def check(count: int) -> None:
            assert consumer.position([place])[0].offset == count
            with contextlib.suppress(KafkaException):  # there is nothing new to commit
                consumer.commit(asynchronous=False)
            assert committed(consumer, kafka_topic) == count

        read_in_pieces(
            interrupter,
            lambda: offsets_of(READS[read](consumer)),
            lambda count: send(producer, kafka_topic, [b"\0"] * count),
            check,
            moment,
        )


FACE_READS: dict[str, Callable[[Any], Any]] = {
    "poll": lambda consumer: consumer.poll(timeout_ms=MILLISECONDS, max_records=3),
    "next": next,
}


@pytest.mark.parametrize("moment", ["wait", "function"])
@pytest.mark.parametrize("deserializes", [False, True], ids=["bytes", "objects"])
@pytest.mark.parametrize("api", [kafka, kafka_2], ids=["kafka", "kafka_2"])
@pytest.mark.parametrize("read", FACE_READS)
def test_reads_of_kafka_python(
    interrupter: Interrupter,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    api: Any,
    read: str,
    deserializes: bool,
    moment: str,
) -> None:
    """With kafka-python's API, each message is returned once and in order, too."""
    place = api.TopicPartition(kafka_topic, 0)
    consumer = api.KafkaConsumer(
        bootstrap_servers=kafka_cluster.bootstrap_servers,
        group_id=kafka_topic,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        fetch_max_wait_ms=20,
        value_deserializer=(lambda data: data) if deserializes else None,
    )
    with contextlib.closing(consumer):
        consumer.assign([place])

        def check(count: int) -> None:
            assert consumer.position(place) == count
            consumer.commit()
            assert consumer.committed(place) == count

        read_in_pieces(
            interrupter,
            lambda: offsets_of(FACE_READS[read](consumer)),
            lambda count: send(producer, kafka_topic, [b"\0"] * count),
            check,
            moment,
        )


# ---- all other calls: the client works as before ----

Call = Callable[[Any, str], Any]

CLIENT: dict[str, Call] = {
    "list_topics": lambda client, topic: client.list_topics(topic, TIMEOUT),
    "cluster_id": lambda client, _: client.cluster_id(TIMEOUT),
    "request": lambda client, _: client.request(16, 0, b"", timeout=TIMEOUT),
    "api_versions": lambda client, _: client.api_versions(timeout=TIMEOUT),
    "connect": lambda client, topic: client.connect(TIMEOUT, topic),
}
OFFSET = 1


def place_in(topic: str, offset: int = OFFSET) -> TopicPartition:
    return TopicPartition(topic, 0, offset)


def flushed(producer: Producer, topic: str) -> None:
    producer.produce(topic, b"value", partition=0)
    producer.flush(TIMEOUT)


CALLS: dict[type[Any], dict[str, Call]] = {
    Producer: CLIENT
    | {
        "flush": flushed,
        "produce": lambda producer, topic: [
            producer.produce(topic, b"value", partition=0, block=TIMEOUT) for _ in range(9)
        ],
        "produce_batch": lambda producer, topic: producer.produce_batch(
            topic, [b"value"] * 9, partition=0, block=TIMEOUT
        ),
    },
    SerializingProducer: {
        "flush": lambda producer, topic: (
            producer.produce(topic, value="value", partition=0),
            producer.flush(TIMEOUT),
        ),
    },
    Consumer: CLIENT
    | {
        "commit": lambda consumer, topic: consumer.commit(
            offsets=[place_in(topic)], asynchronous=False
        ),
        "committed": lambda consumer, topic: consumer.committed([place_in(topic)], TIMEOUT),
        "offsets_for_times": lambda consumer, topic: consumer.offsets_for_times(
            [place_in(topic)], TIMEOUT
        ),
        "get_watermark_offsets": lambda consumer, topic: consumer.get_watermark_offsets(
            place_in(topic), TIMEOUT
        ),
        "seek": lambda consumer, topic: consumer.seek(place_in(topic)),
        "unsubscribe": lambda consumer, _: consumer.unsubscribe(),
        "close": lambda consumer, _: consumer.close(),
    },
    AdminClient: CLIENT
    | {
        "list_groups": lambda admin, _: admin.list_groups(timeout=TIMEOUT),
        "create_topics": lambda admin, topic: admin.create_topics([NewTopic(f"{topic}-b", 1)])[
            f"{topic}-b"
        ].result(TIMEOUT),
        "describe_cluster": lambda admin, _: admin.describe_cluster().result(TIMEOUT),
        "close": lambda admin, _: admin.close(),
    },
}


def producer_works(producer: Any, topic: str) -> None:
    producer.flush(TIMEOUT)
    producer.produce(topic, value=b"value", partition=0)
    assert producer.flush(TIMEOUT) == 0


def consumer_works(consumer: Consumer, topic: str) -> None:
    consumer.unsubscribe()
    consumer.assign([place_in(topic, 0)])
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.offset() == 0


def admin_works(admin: AdminClient, topic: str) -> None:
    assert topic in admin.list_topics(topic, TIMEOUT).topics
    assert admin.describe_cluster().result(TIMEOUT).nodes


WORKS: dict[type[Any], Call] = {
    Producer: producer_works,
    SerializingProducer: producer_works,
    Consumer: consumer_works,
    AdminClient: admin_works,
}


def config_of(kind: type[Any], cluster: MockCluster) -> dict[str, Any]:
    config: dict[str, Any] = {"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0}
    if kind is Consumer:
        config |= {"group.id": "group", "auto.offset.reset": "earliest", "fetch.wait.max.ms": 20}
    elif kind is SerializingProducer:
        config["value.serializer"] = lambda value, _: b"value"
    elif kind is Producer:
        config |= {"queue.buffering.max.messages": 3, "linger.ms": 0}
    return config


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind in CALLS for name in CALLS[kind]], ids=name_of
)
def test_the_client_works_after_every_call(
    interrupter: Interrupter,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    kind: type[Any],
    name: str,
) -> None:
    """If a call is interrupted anywhere, its client is as usable as before, or can be closed."""
    send(producer, kafka_topic, [b"value"])
    config = config_of(kind, kafka_cluster)
    for moment, at in interrupts():
        with kind(config) as client:
            if name != "close":
                WORKS[kind](client, kafka_topic)
            with contextlib.suppress(KafkaException):
                interrupter.run(lambda: CALLS[kind][name](client, kafka_topic), moment, at)
            if name != "close":
                WORKS[kind](client, kafka_topic)
        with pytest.raises(RuntimeError):
            client.list_topics(timeout=1)


def repeat(step: Callable[[], Any]) -> None:
    """Repeat a step, unless it has ended meanwhile."""
    try:
        step()
    except KafkaException as error:
        if error.args[0].code() != KafkaError._STATE:
            raise


@by_moment
@pytest.mark.parametrize(
    "step", ["init_transactions", "commit_transaction", "abort_transaction", "send_offsets"]
)
def test_transactions(
    interrupter: Interrupter, kafka_cluster: MockCluster, kafka_topic: str, step: str, moment: str
) -> None:
    """An interrupted step continues, and the next step waits for its end."""
    config = config_of(Producer, kafka_cluster) | {"transactional.id": kafka_topic}
    with Consumer(config_of(Consumer, kafka_cluster)) as consumer:
        group = consumer.consumer_group_metadata()
    steps: dict[str, Callable[[Producer], Any]] = {
        "init_transactions": lambda producer: producer.init_transactions(TIMEOUT),
        "commit_transaction": lambda producer: producer.commit_transaction(TIMEOUT),
        "abort_transaction": lambda producer: producer.abort_transaction(TIMEOUT),
        "send_offsets": lambda producer: producer.send_offsets_to_transaction(
            [place_in(kafka_topic)], group, TIMEOUT
        ),
    }
    for at in range(1, 1 + SUSPENSIONS):
        with Producer(config) as producer:
            if step != "init_transactions":
                producer.init_transactions(TIMEOUT)
                producer.begin_transaction()
                producer.produce(kafka_topic, b"value", partition=0)
            was_cut = interrupter.run(lambda: steps[step](producer), moment, at) is NOTHING
            if was_cut:
                repeat(partial(steps[step], producer))
            if step == "send_offsets":
                producer.commit_transaction(TIMEOUT)
            for end in (producer.commit_transaction, producer.abort_transaction):
                producer.begin_transaction()
                producer.produce(kafka_topic, b"value", partition=0)
                end(TIMEOUT)


def test_produce_enqueues_all_or_nothing(
    interrupter: Interrupter, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """If a produce() that waits for room is interrupted, its message is not enqueued."""
    config = config_of(Producer, kafka_cluster) | {"linger.ms": 60_000}
    sent = 0
    with Producer(config) as producer:
        for at in range(1, 1 + SUSPENSIONS):
            while len(producer) < 3:
                producer.produce(kafka_topic, b"value", partition=0)
                sent += 1

            def produce() -> None:
                producer.produce(kafka_topic, b"value", partition=0, block=TIMEOUT)

            assert interrupter.run(produce, "wait", at) is NOTHING
            assert producer.flush(TIMEOUT) == 0
    with Consumer(config_of(Consumer, kafka_cluster)) as consumer:
        assert consumer.get_watermark_offsets(place_in(kafka_topic), TIMEOUT) == (0, sent)


@by_moment
def test_joining(
    interrupter: Interrupter,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    moment: str,
) -> None:
    """If poll() is interrupted while the consumer joins its group, later calls return its
    messages."""
    send(producer, kafka_topic, [b"value"])
    for at in range(1, 1 + SUSPENSIONS):
        config = config_of(Consumer, kafka_cluster) | {"group.id": f"{moment}-{at}"}
        with Consumer(config) as consumer:
            consumer.subscribe([kafka_topic])
            message = interrupter.run(lambda: consumer.poll(TIMEOUT), moment, at)
            if message is NOTHING:
                message = consumer.poll(TIMEOUT)
            assert message is not None
            assert message.value() == b"value"


# ---- kafka-python's API ----

FACES: dict[str, dict[str, Call]] = {
    "KafkaConsumer": {
        "topics": lambda consumer, _: consumer.topics(),
        "partitions_for_topic": lambda consumer, place: consumer.partitions_for_topic(place.topic),
        "committed": lambda consumer, place: consumer.committed(place),
        "commit": lambda consumer, _: consumer.commit(),
        "position": lambda consumer, place: consumer.position(place),
        "beginning_offsets": lambda consumer, place: consumer.beginning_offsets([place]),
        "end_offsets": lambda consumer, place: consumer.end_offsets([place]),
        "offsets_for_times": lambda consumer, place: consumer.offsets_for_times({place: 0}),
        "seek_to_end": lambda consumer, place: (
            consumer.seek_to_end(place),
            consumer.position(place),
        ),
        "close": lambda consumer, _: consumer.close(),
    },
    "KafkaProducer": {
        "send": lambda producer, place: producer.send(place.topic, b"value", partition=0),
        "get": lambda producer, place: producer.send(place.topic, b"value", partition=0).get(
            TIMEOUT
        ),
        "flush": lambda producer, place: (
            producer.send(place.topic, b"value", partition=0),
            producer.flush(TIMEOUT),
        ),
        "partitions_for": lambda producer, place: producer.partitions_for(place.topic),
        "close": lambda producer, _: producer.close(),
    },
    "KafkaAdminClient": {
        "list_topics": lambda admin, _: admin.list_topics(),
        "describe_topics": lambda admin, place: admin.describe_topics([place.topic]),
        "describe_cluster": lambda admin, _: admin.describe_cluster(),
        "close": lambda admin, _: admin.close(),
    },
}


def face_works(name: str, client: Any, place: Any) -> None:
    if name == "KafkaConsumer":
        client.seek(place, 0)
        assert next(client).offset == 0
    elif name == "KafkaProducer":
        assert client.send(place.topic, b"value", partition=0).get(TIMEOUT).partition == 0
    else:
        assert place.topic in client.list_topics()


@pytest.mark.parametrize("api", [kafka, kafka_2], ids=["kafka", "kafka_2"])
@pytest.mark.parametrize(
    ("client_name", "name"), [(client, name) for client in FACES for name in FACES[client]]
)
def test_clients_of_kafka_python_work_after_every_call(
    interrupter: Interrupter,
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    api: Any,
    client_name: str,
    name: str,
) -> None:
    """If a call is interrupted anywhere, its client is as usable as before, or can be closed."""
    send(producer, kafka_topic, [b"value"])
    place = api.TopicPartition(kafka_topic, 0)
    more = {"group_id": kafka_topic, "fetch_max_wait_ms": 20}
    for moment, at in interrupts():
        client = getattr(api, client_name)(
            bootstrap_servers=kafka_cluster.bootstrap_servers,
            **more if client_name == "KafkaConsumer" else {},
        )
        with contextlib.closing(client):
            if client_name == "KafkaConsumer":
                client.assign([place])
            call = partial(FACES[client_name][name], client, place)
            interrupter.run(call, moment, at)
            if name != "close":
                face_works(client_name, client, place)


FACE_STEPS: dict[str, Call] = {
    "init_transactions": lambda producer, _: producer.init_transactions(),
    "begin_transaction": lambda producer, _: producer.begin_transaction(),
    "send": lambda producer, topic: producer.send(topic, b"value", partition=0),
    "send_offsets": lambda producer, topic: producer.send_offsets_to_transaction(
        {kafka.TopicPartition(topic, 0): kafka.OffsetAndMetadata(1, "", -1)}, "group"
    ),
    "commit_transaction": lambda producer, _: producer.commit_transaction(),
    "abort_transaction": lambda producer, _: producer.abort_transaction(),
}


def taken(producer: Any, topic: str, names: Iterable[str]) -> None:
    for name in names:
        FACE_STEPS[name](producer, topic)


@pytest.mark.parametrize("step", FACE_STEPS)
def test_transactions_of_kafka_python(
    interrupter: Interrupter, kafka_cluster: MockCluster, kafka_topic: str, step: str
) -> None:
    """An interrupted step is repeated or is already done, and further transactions begin and
    end."""
    steps = list(FACE_STEPS)[:-2]
    before = steps[: steps.index(step)] if step in steps else steps
    for moment, at in interrupts():
        producer = kafka.KafkaProducer(
            bootstrap_servers=kafka_cluster.bootstrap_servers,
            transactional_id=f"{kafka_topic}-{moment}-{at}",
        )
        with contextlib.closing(producer):
            taken(producer, kafka_topic, before)
            call = partial(FACE_STEPS[step], producer, kafka_topic)
            was_cut = interrupter.run(call, moment, at) is NOTHING
            if step not in steps:
                with contextlib.suppress(kafka.errors.KafkaError):  # the step continues
                    if was_cut:
                        call()
            else:
                if was_cut:
                    call()
                rest = steps[steps.index(step) + 1 :]
                taken(producer, kafka_topic, [*rest, "commit_transaction"])
            for end in ("abort_transaction", "commit_transaction"):
                taken(producer, kafka_topic, ["begin_transaction", "send", "send_offsets", end])
