"""Texts of errors are the same as in confluent-kafka, because programs match them.

Additional advice is in a note of the exception, or after that text.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import (
    ConcurrentModificationException,
    Consumer,
    KafkaException,
    Message,
    Producer,
    ShareConsumer,
    TopicPartition,
    consistent,
    fnv1a,
    murmur2,
)
from confluent_kafka.admin import AdminClient
from tests.support.clients import (
    ADMIN_REQUESTS,
    COMMON_CALLS,
    CONSUMER_CALLS,
    PRODUCER_CALLS,
    SHARE_CALLS,
    config,
    partitions,
)
from tests.support.waiting import TIMEOUT, wait_until

HANDLE = "Handle has been closed"
# Methods of the handle. For a share consumer, set_sasl_credentials() has a text of its own.
OF_THE_HANDLE = (
    *("list_topics", "list_groups", "cluster_id", "request", "api_versions"),
    "set_sasl_credentials",
)
ADMIN_CALLS: dict[str, Callable[[Any], object]] = COMMON_CALLS | {
    "poll": lambda admin: admin.poll(0),
    "list_groups": lambda admin: admin.list_groups(timeout=0),
    **{
        name: lambda admin, request=request: request(admin, 1.0)
        for name, request in ADMIN_REQUESTS.items()
    },
}
CLOSED: list[tuple[Any, dict[str, Callable[[Any], object]], str]] = [
    (Producer, PRODUCER_CALLS, "Producer has been closed"),
    (Consumer, CONSUMER_CALLS | {"next": next}, "Consumer closed"),
    (AdminClient, ADMIN_CALLS, "AdminClient has been closed"),
    (ShareConsumer, SHARE_CALLS, "Share consumer closed"),
]


def text_of(call: Callable[[], object], kind: type[Exception]) -> str:
    """The text of the exception, without notes."""
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


@pytest.mark.filterwarnings("ignore:list_groups")
@pytest.mark.parametrize("state", ["closed", "not initialised"])
@pytest.mark.parametrize(
    ("client", "name", "call", "text"),
    [
        pytest.param(client, name, call, text, id=f"{client.__name__}-{name}")
        for client, calls, text in CLOSED
        for name, call in calls.items()
    ],
)
def test_not_open(
    client: Any, name: str, call: Callable[[Any], object], text: str, state: str
) -> None:
    """Every method of a closed client, or of a subclass that did not call __init__, raises the same
    text."""
    if state == "closed":
        made = client(config(client=client))
        made.close()
    else:
        made = type("Sub", (client,), {"__init__": lambda _: None})()
    if name in OF_THE_HANDLE and (client is not ShareConsumer or name != "set_sasl_credentials"):
        text = HANDLE
    with pytest.raises(RuntimeError) as caught:
        call(made)
    assert str(caught.value) == text
    advice = "create a new one" if state == "closed" else "call super().__init__(config) first"
    assert caught.value.__notes__[0].endswith(advice)


@pytest.mark.parametrize("client", [Producer, AdminClient])
def test_length_of_one_that_is_not_initialised(client: Any) -> None:
    """A client that is not initialised has the length 0, because it has nothing to deliver."""
    assert len(type("Sub", (client,), {"__init__": lambda _: None})()) == 0


@pytest.mark.parametrize(("client", "calls", "closed"), CLOSED)
def test_initialise_again(client: Any, calls: object, closed: object) -> None:
    """A second __init__ raises with the name of the client's own class, also for a subclass."""
    made = type("Sub", (client,), {})(config(client=client))
    text = text_of(lambda: made.__init__(config(client=client)), RuntimeError)
    assert text == f"{client.__name__} already initialized"
    made.close()


@pytest.mark.parametrize("client", [Producer, Consumer, ShareConsumer])
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "expected configuration dict"),
        ((None,), "expected configuration dict"),
        (([1],), "expected configuration dict"),
        (("x",), "expected configuration dict"),
        (({}, {}), "expected tuple containing single dict"),
    ],
)
def test_no_configuration(client: Any, arguments: tuple[object, ...], text: str) -> None:
    """The note shows what a configuration looks like."""
    with pytest.raises(TypeError) as caught:
        client(*arguments)
    assert str(caught.value) == text
    assert "{'bootstrap.servers': 'localhost:9092'}" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("client", "noun"),
    [
        (Producer, "producer"),
        (Consumer, "consumer"),
        (AdminClient, "admin client"),
        (ShareConsumer, "share consumer"),
    ],
)
def test_client_that_librdkafka_refuses(client: Any, noun: str) -> None:
    """The text ends with librdkafka's reason."""
    wrong = config({"security.protocol": "sasl_ssl", "sasl.mechanism": "NONE"}, client)
    with pytest.raises((KafkaException, ValueError)) as caught:
        client(wrong)
    assert f"Failed to create {noun}: Unsupported SASL mechanism: NONE" in str(caught.value)


@pytest.mark.parametrize("count", [-1, 1_000_001, 2**33])
def test_number_of_messages(count: int) -> None:
    """The error states the range of num_messages, in confluent-kafka-python's words."""
    with Consumer(config()) as consumer:
        text = text_of(lambda: consumer.consume(count, 0), ValueError)
    assert text == "num_messages must be between 0 and 1000000 (1M)"


@pytest.mark.parametrize("call", ["commit", "store_offsets"])
def test_message_and_offsets(call: str) -> None:
    """The two arguments exclude each other. store_offsets() needs one of them."""
    with Consumer(config()) as consumer:
        method = getattr(consumer, call)
        both = {"message": Message("t", 0, 0), "offsets": partitions()}
        text = text_of(lambda: method(**both), ValueError)
        assert text == "message and offsets are mutually exclusive"
        if call == "store_offsets":
            assert text_of(method, ValueError) == "expected either message or offsets"


@pytest.mark.parametrize("function", [murmur2, consistent, fnv1a])
@pytest.mark.parametrize("count", [0, -1])
def test_partition_count(function: Callable[..., int], count: int) -> None:
    """The error shows the given number."""
    text = text_of(lambda: function(b"key", count), ValueError)
    assert text == f"partition_count must be > 0, got {count}"


@pytest.mark.parametrize("wrong", [None, 3, "t", {}, {"t"}])
def test_lists(wrong: object) -> None:
    """The note names the argument and the given value."""
    with Consumer(config()) as consumer:
        with pytest.raises(TypeError) as caught:
            consumer.subscribe(wrong)  # type: ignore[arg-type]
        assert str(caught.value) == "expected list of topic unicode strings"
        assert caught.value.__notes__[0].startswith("topics must be a list of str, not ")
        for call in (consumer.assign, consumer.pause, consumer.committed, consumer.position):
            text = text_of(lambda call=call: call(wrong), TypeError)  # type: ignore[misc]
            assert text == "requires list of TopicPartition"


@pytest.mark.parametrize("wrong", [None, 3, "t", ("t", 0)])
def test_not_a_topic_partition(wrong: Any) -> None:
    """The note names the wrong argument or element, and the given value."""
    kind = type(wrong).__name__
    with Consumer(config()) as consumer:
        for name, call in {
            "partition": lambda: consumer.seek(wrong),
            "partitions[1]": lambda: consumer.assign([TopicPartition("t", 0), wrong]),
            "offsets[0]": lambda: consumer.store_offsets(offsets=[wrong]),
        }.items():
            with pytest.raises(TypeError) as caught:
                call()
            assert str(caught.value) == "expected cimpl.TopicPartition"
            assert caught.value.__notes__ == [f"{name} must be a TopicPartition, not {kind}"]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (None, "Message at index 1 must be a dict"),
        (3, "Message at index 1 must be a dict"),
        ("text", "Message at index 1 must be a dict"),
        ({"value": 3}, "Message value at index 1 must be bytes or str"),
        ({"key": 1.5}, "Message key at index 1 must be bytes or str"),
        ({"partition": "0"}, "Message partition at index 1 must be int"),
    ],
)
def test_message_of_a_batch(message: Any, text: str) -> None:
    """The error has the index of the message and the name of the field."""
    producer = Producer(config())
    batch = [{"value": b"good"}, message]
    assert text_of(lambda: producer.produce_batch("t", batch), TypeError).startswith(text)
    producer.purge()
    producer.close()


def test_two_threads_in_a_share_consumer() -> None:
    """The error names both threads."""
    consumer = ShareConsumer(config(client=ShareConsumer))
    consumer.subscribe(["topic"])
    texts: list[str] = []

    def refused() -> bool:
        try:
            consumer.poll(0)
        except ConcurrentModificationException as error:
            texts.append(str(error))
        return bool(texts)

    def poll() -> None:
        while True:  # while the other thread may be inside poll()
            with contextlib.suppress(ConcurrentModificationException):
                consumer.poll(TIMEOUT)
                return

    polling = threading.Thread(target=poll)
    polling.start()
    wait_until(refused)
    consumer.wakeup()
    polling.join(TIMEOUT)
    consumer.close()
    ids = re.fullmatch(
        r"Share consumer is not safe for multi-threaded access\. "
        r"currentThread\(id: (\d+)\) otherThread\(id: (\d+)\)",
        texts[0],
    )
    assert ids is not None
    assert [int(number) for number in ids.groups()] == [threading.get_ident(), polling.ident]


# ---- advice ----


def test_a_message_that_is_too_large() -> None:
    """For a message above the producer's own limit, the text contains the limit, the size, and the
    topic's setting."""
    with Producer(config({"message.max.bytes": 2000})) as producer:
        with pytest.raises(KafkaException) as raised:
            producer.produce("t", b"x" * 3000, b"key")
        text = raised.value.args[0].str()
        assert text.startswith("Unable to produce message: Broker: Message size too large: ")
        assert "3003 bytes of key and value" in text
        assert "message.max.bytes of the producer allows (2000)" in text
        assert "max.message.bytes of the topic" in text
        producer.close(0)


def test_transactions_out_of_order() -> None:
    """The text names the missing call, or the call that may be made only once."""
    conf = {"test.mock.num.brokers": 1, "transactional.id": "x"}
    with Consumer(config({"group.id": "g"})) as consumer:
        metadata = consumer.consumer_group_metadata()

    def refused(call: Callable[..., Any], *args: Any) -> str:
        with pytest.raises(KafkaException) as raised:
            call(*args)
        return str(raised.value.args[0].str())

    with Producer(config(conf)) as producer:
        offsets = [TopicPartition("t", 0, 1)]
        steps = [
            (producer.commit_transaction,),
            (producer.abort_transaction,),
            (producer.send_offsets_to_transaction, offsets, metadata),
        ]
        for step in (*steps, (producer.begin_transaction,)):
            assert refused(*step).endswith("state Init: call init_transactions() first")
        assert "call begin_transaction() first" in refused(producer.produce, "t", b"x")
        producer.init_transactions(TIMEOUT)
        for step in steps:
            assert refused(*step).endswith("state Ready: call begin_transaction() first")
        assert refused(producer.init_transactions).endswith("init_transactions() is called once")
        assert "call begin_transaction() first" in refused(producer.produce, "t", b"x")
        producer.begin_transaction()
        said = refused(producer.begin_transaction)
        assert said.endswith("call commit_transaction() or abort_transaction() first")
        producer.abort_transaction(TIMEOUT)


@pytest.mark.parametrize(
    ("key", "here"),
    [
        ("log_cb", "'logger'"),
        ("rebalance_cb", "on_assign="),
        ("consume_cb", "poll()"),
        ("dr_cb", "on_delivery="),
        ("dr_msg_cb", "on_delivery="),
        ("offset_commit_cb", "'on_commit'"),
        ("socket_cb", "leave it out"),
        ("opaque", "functools.partial"),
    ],
)
@pytest.mark.parametrize("client", [Producer, Consumer, AdminClient])
@pytest.mark.parametrize("value", [lambda *_: None, "text"], ids=["callable", "text"])
def test_properties_of_programs_in_c(client: type[Any], key: str, here: str, value: Any) -> None:
    """The error for a property of programs in C names its replacement in Python."""
    with pytest.raises(
        KafkaException, match=rf'"{key}" is for programs in C \(.*{re.escape(here)}'
    ):
        client(config({key: value}, client=client))
