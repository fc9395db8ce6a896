"""MockCluster.on_request(): requests that a test answers itself."""

from __future__ import annotations

import contextlib
import gc
import struct
import threading
import warnings
import weakref
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, protocol
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockAction, MockCluster, RequestContext
from tests.embedded.conftest import MakeProducer
from tests.embedded.wire import api_versions
from tests.support.patches import needs
from tests.support.protocol import answer_of, begin, sized, text
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("mock-on-request")

LOG_DIRS = protocol.DescribeLogDirsRequest.api_key
# Only brokers send this request to each other, so the embedded cluster does not answer it.
READ_SHARE_STATE = protocol.ReadShareGroupStateRequest.api_key
METADATA = protocol.MetadataRequest.api_key
PRODUCE = protocol.ProduceRequest.api_key


def log_dirs(name: str) -> Any:
    """A response with one log directory of this name."""
    response = protocol.DescribeLogDirsResponse
    return response(results=[response.DescribeLogDirsResult(log_dir=name)])


def held_answers(cluster: MockCluster, name: str) -> tuple[threading.Event, threading.Event]:
    """Answer with log_dirs(name), but not before the test allows it.

    Returns:
        The event that a request has come, and the event that the test sets to allow the answers.
    """
    come, go = threading.Event(), threading.Event()

    def answer(request: Any, context: RequestContext) -> Any:
        come.set()
        assert go.wait(TIMEOUT)
        return log_dirs(name)

    cluster.on_request(LOG_DIRS, answer)
    return come, go


def told(admin: AdminClient, broker: int = 1, timeout: float = TIMEOUT) -> list[str]:
    """The log directories that a broker reports."""
    futures = admin.describe_log_dirs([broker], request_timeout=timeout)
    return list(futures[broker].result(TIMEOUT))


def code_of(admin: AdminClient, timeout: float = TIMEOUT) -> int:
    """The error code of a broker that is asked for its log directories."""
    with pytest.raises(KafkaException) as raised:
        told(admin, timeout=timeout)
    code: int = raised.value.args[0].code()
    return code


def connect(cluster: MockCluster) -> AdminClient:
    return AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "client.id": "me"})


# ---- requests and answers ----


@needs("mock-on-request", "raw-request")
def test_a_request_is_answered(kafka_cluster: MockCluster) -> None:
    """If the brokers do not support a request, the handler gets it, and the client gets the
    answer."""
    asked = []

    def answer(request: Any, context: RequestContext) -> Any:
        asked.append((request, context))
        return log_dirs(f"/data/{context.broker_id}")

    kafka_cluster.on_request(LOG_DIRS, answer)
    with connect(kafka_cluster) as admin:
        assert told(admin, broker=2) == ["/data/2"]
    [(request, context)] = asked
    assert request == protocol.DescribeLogDirsRequest(topics=None)
    assert (context.broker_id, context.api_key, context.client_id) == (2, LOG_DIRS, "me")
    assert context.version in protocol.DescribeLogDirsRequest.valid_versions


@pytest.mark.parametrize("version", protocol.DescribeLogDirsRequest.valid_versions)
def test_every_version(kafka_cluster: MockCluster, version: int) -> None:
    """Requests and answers have the header of their version, with or without tagged fields."""
    versions = []

    def answer(request: Any, context: RequestContext) -> Any:
        versions.append((context.version, context.correlation_id, context.client_id))
        assert [topic.topic for topic in request.topics] == ["orders"]
        return log_dirs("/data")

    kafka_cluster.on_request(LOG_DIRS, answer, versions=(version, version))
    request = protocol.DescribeLogDirsRequest
    body = request(topics=[request.DescribableLogDirTopic(topic="orders")]).encode(version)
    flexible = protocol.request_header_version(LOG_DIRS, version) == 2
    tags = b"\0" if flexible else b""
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    assert api_versions(address)[LOG_DIRS] == (version, version)
    with begin(address, LOG_DIRS, version, body, tags) as connection:
        answered = answer_of(connection)
    assert answered.startswith(tags)
    decoded = protocol.DescribeLogDirsResponse.decode(answered[len(tags) :], version)
    assert decoded.results[0].log_dir == "/data"
    assert versions == [(version, 1, "tests")]


def test_a_handler_goes_before_the_brokers_own(
    kafka_cluster: MockCluster, make_producer: MakeProducer
) -> None:
    """A handler can answer some requests. If it returns None, the broker answers the request
    itself."""
    kafka_cluster.create_topic("orders")
    asked = []

    def refuse_the_first(request: Any, context: RequestContext) -> Any:
        asked.append(context.version)
        if len(asked) > 1:
            return None
        topic = request.topic_data[0]
        response = protocol.ProduceResponse
        topics, partitions = response.TopicProduceResponse, response.PartitionProduceResponse
        [partition] = topic.partition_data
        refused = partitions(
            index=partition.index, error_code=KafkaError.NOT_ENOUGH_REPLICAS, base_offset=-1
        )
        return response(responses=[topics(name=topic.name, partition_responses=[refused])])

    kafka_cluster.on_request(PRODUCE, refuse_the_first)
    delivered: list[Any] = []
    producer = make_producer()
    producer.produce("orders", value="x", on_delivery=lambda *report: delivered.append(report))
    assert producer.flush(TIMEOUT) == 0
    [(error, message)] = delivered
    assert (error, message.offset(), len(asked)) == (None, 0, 2)


def test_versions_of_the_brokers_own_answers_stay(kafka_cluster: MockCluster) -> None:
    """A handler for a supported request does not change the versions that the brokers report."""
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    before = api_versions(address)
    kafka_cluster.on_request(PRODUCE, lambda request, context: None)
    assert api_versions(address) == before
    kafka_cluster.set_api_versions("Produce", 0, 7)
    assert api_versions(address)[PRODUCE] == (0, 7)


def test_without_handler_again(kafka_cluster: MockCluster) -> None:
    """A removed handler gets no requests, and the brokers do not report the request any more."""
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    kafka_cluster.on_request(READ_SHARE_STATE, lambda request, context: None)
    assert READ_SHARE_STATE in api_versions(address)
    kafka_cluster.on_request(READ_SHARE_STATE, None)
    assert READ_SHARE_STATE not in api_versions(address)


def test_answers_keep_their_order(kafka_cluster: MockCluster) -> None:
    """A broker answers the requests of a connection in order, even if a handler answers some of
    them."""
    go_on = threading.Event()

    def answer(request: Any, context: RequestContext) -> Any:
        assert go_on.wait(TIMEOUT)
        return log_dirs("/data")

    kafka_cluster.on_request(LOG_DIRS, answer)
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    body = protocol.DescribeLogDirsRequest(topics=None).encode(1)
    all_topics = struct.pack(">i", -1)
    with begin(address, LOG_DIRS, 1, body) as connection:
        for number, key, rest in ((2, METADATA, all_topics), (3, LOG_DIRS, body)):
            connection.sendall(sized(struct.pack(">hhi", key, 1, number) + text("tests") + rest))
        go_on.set()
        stream = connection.makefile("rb")
        numbers = []
        for _ in range(3):
            (size,) = struct.unpack(">i", stream.read(4))
            numbers.append(struct.unpack_from(">i", stream.read(size))[0])
        stream.close()
    assert numbers == [1, 2, 3]


@needs("mock-on-request", "raw-request")
def test_a_handler_uses_the_cluster(kafka_cluster: MockCluster) -> None:
    """A handler may call the same methods of the cluster as a test."""

    def answer(request: Any, context: RequestContext) -> Any:
        kafka_cluster.create_topic("made-by-the-handler")
        return log_dirs("/data")

    kafka_cluster.on_request(LOG_DIRS, answer)
    with connect(kafka_cluster) as admin:
        assert told(admin) == ["/data"]
        assert "made-by-the-handler" in admin.list_topics(timeout=TIMEOUT).topics


def test_names_in_the_request_log(kafka_cluster: MockCluster) -> None:
    """The log contains Kafka's names also for requests that only Python answers."""
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    names = {}
    for api_key in range(128):
        with contextlib.suppress(ValueError):
            names[api_key] = protocol.request_class(api_key).__name__.removesuffix("Request")
    kafka_cluster.start_request_tracking()
    for api_key in names:
        version = protocol.request_class(api_key).valid_versions[0]
        kafka_cluster.on_request(
            api_key, lambda request, context: MockAction.DISCONNECT, versions=(version, version)
        )
        # no tags in the header of a flexible version; for other versions, a wrong body
        no_tags = b"\0"
        with begin(address, api_key, version, no_tags) as connection:
            assert connection.recv(1) == b""
    logged = {each.api_key: each.request for each in kafka_cluster.requests()}
    assert logged == {api_key: names[api_key] for api_key in names}


@needs("mock-on-request")
def test_a_handler_that_waits(kafka_cluster: MockCluster) -> None:
    """While a handler waits, the cluster answers the requests that have no handler."""
    come, go = held_answers(kafka_cluster, "/late")
    with connect(kafka_cluster) as waiting, connect(kafka_cluster) as other:
        late = waiting.describe_log_dirs([1])[1]
        assert come.wait(TIMEOUT)
        try:
            assert other.describe_cluster().result(TIMEOUT).cluster_id
            assert other.list_topics(timeout=TIMEOUT).brokers
        finally:
            go.set()
        assert list(late.result(TIMEOUT)) == ["/late"]


# ---- handlers that send no answer ----


@needs("mock-on-request", "raw-request")
def test_disconnect(kafka_cluster: MockCluster) -> None:
    """DISCONNECT closes the connection; the next request is on a new one."""
    answers = iter([MockAction.DISCONNECT, log_dirs("/data")])
    kafka_cluster.on_request(LOG_DIRS, lambda request, context: next(answers))
    with connect(kafka_cluster) as admin:
        assert code_of(admin) == KafkaError._TRANSPORT
        assert told(admin) == ["/data"]


@needs("mock-on-request", "raw-request")
def test_no_answer(kafka_cluster: MockCluster) -> None:
    """With NO_ANSWER, one client waits, and other clients do not."""

    def answer(request: Any, context: RequestContext) -> Any:
        return MockAction.NO_ANSWER if context.client_id == "me" else log_dirs("/data")

    kafka_cluster.on_request(LOG_DIRS, answer)
    other = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "client.id": "other"}
    with connect(kafka_cluster) as admin, AdminClient(other) as other_admin:
        future = admin.describe_log_dirs([1], request_timeout=10 * TIMEOUT)[1]
        assert told(other_admin) == ["/data"]
        assert not future.done()


@needs("mock-on-request", "raw-request")
def test_none_where_nothing_else_answers(kafka_cluster: MockCluster) -> None:
    """The result is the same as without the handler: the broker closes the connection."""
    kafka_cluster.on_request(92, lambda request, context: None)
    with connect(kafka_cluster) as admin, pytest.raises(KafkaException) as raised:
        admin.request(92, 0, b"\0\x01\0", timeout=TIMEOUT)
    assert raised.value.args[0].code() == KafkaError._TRANSPORT


def test_a_client_that_is_gone(kafka_cluster: MockCluster) -> None:
    """If the client has disconnected, a late answer is dropped; the next client gets its own
    answer."""
    come, go = held_answers(kafka_cluster, "/data")
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    body = protocol.DescribeLogDirsRequest(topics=None).encode(1)
    with begin(address, LOG_DIRS, 1, body):
        assert come.wait(TIMEOUT)
    go.set()
    with begin(address, LOG_DIRS, 1, body) as connection:
        assert b"/data" in answer_of(connection)


def test_bytes_that_are_no_request(kafka_cluster: MockCluster) -> None:
    """Bytes that are no request close the connection, as in a real broker, and do not count as a
    failed handler."""
    kafka_cluster.on_request(LOG_DIRS, lambda request, context: log_dirs("/data"))
    address = kafka_cluster.bootstrap_servers.split(",")[0]
    with begin(address, LOG_DIRS, 1, b"\x7f\xff\xff\xff") as connection:
        assert connection.recv(1) == b""


# ---- handlers that fail ----


def failing(request: Any, context: RequestContext) -> Any:
    raise LookupError("the handler's")


def ask(cluster: MockCluster) -> None:
    """Send a request, whose connection the cluster closes."""
    body = protocol.DescribeLogDirsRequest(topics=None).encode(1)
    with begin(cluster.bootstrap_servers.split(",")[0], LOG_DIRS, 1, body) as connection:
        assert connection.recv(1) == b""


def ask_one_that_answers(handler: Any, then: Exception | None = None) -> None:
    """Sends a request to a new cluster, and raises `then` before the cluster is closed."""
    with MockCluster(1) as cluster:
        cluster.on_request(LOG_DIRS, handler)
        ask(cluster)
        if then is not None:
            raise then


def test_exceptions_are_raised_at_the_end() -> None:
    """close() raises the first exception of a handler once, with the number of further
    exceptions."""
    cluster = MockCluster(1)
    cluster.on_request(LOG_DIRS, failing)
    ask(cluster)
    ask(cluster)
    with pytest.raises(LookupError, match="the handler's") as raised:
        cluster.close()
    assert raised.value.__notes__ == ["handlers of on_request() failed 2 times"]
    cluster.close()


def test_exceptions_end_the_block() -> None:
    """The end of a with block also raises the exception of a handler."""
    with pytest.raises(LookupError, match="the handler's"):
        ask_one_that_answers(failing)


def test_exceptions_do_not_hide_others() -> None:
    """The exception that ends the block is raised, and a handler's exception becomes a note of
    it."""
    with pytest.raises(ZeroDivisionError) as raised:
        ask_one_that_answers(failing, then=ZeroDivisionError())
    [note] = raised.value.__notes__
    assert note.startswith("a handler of on_request() failed:\nTraceback")
    assert "LookupError: the handler's" in note


@pytest.mark.parametrize("answer", [b"bytes", protocol.MetadataResponse(), True])
def test_an_answer_of_another_kind(answer: object) -> None:
    """Only a response to the request is an answer; anything else is the handler's mistake."""
    with pytest.raises(TypeError, match=r"must return a DescribeLogDirsResponse, a MockAction or"):
        ask_one_that_answers(lambda request, context: answer)


# ---- arguments ----


@pytest.mark.parametrize(
    ("api_key", "handler", "versions", "message"),
    [
        (999, failing, None, "999"),
        (-1, failing, None, "-1"),
        (LOG_DIRS, 1, None, "handler must be callable or None, not 1"),
        (
            LOG_DIRS,
            failing,
            (1, 99),
            r"must be two of 1 to \d+, the lower one first, not \(1, 99\)",
        ),
        (LOG_DIRS, failing, (4, 3), "the lower one first"),
        (LOG_DIRS, failing, (0, 3), "must be two of 1 to"),
    ],
)
def test_arguments(
    kafka_cluster: MockCluster, api_key: int, handler: Any, versions: Any, message: str
) -> None:
    """A request that cannot be answered is refused, and the error names the allowed requests."""
    with pytest.raises((ValueError, TypeError), match=message):
        kafka_cluster.on_request(api_key, handler, versions=versions)


# ---- the end of the cluster ----


def test_closed() -> None:
    """A closed cluster accepts no handlers."""
    cluster = MockCluster(1)
    cluster.close()
    with pytest.raises(RuntimeError, match="has been closed"):
        cluster.on_request(LOG_DIRS, failing)


def test_closed_by_a_handler() -> None:
    """A handler may close the cluster; a later close() returns at once."""
    cluster = MockCluster(1)
    closed = threading.Event()

    def close(request: Any, context: RequestContext) -> Any:
        cluster.close()
        closed.set()

    cluster.on_request(LOG_DIRS, close)
    ask(cluster)
    assert closed.wait(TIMEOUT)
    cluster.close()


def test_dropped() -> None:
    """The thread of the handlers does not keep a dropped cluster alive, and the thread ends."""
    before = threading.active_count()
    cluster = MockCluster(1)
    cluster.on_request(LOG_DIRS, failing)
    known = weakref.ref(cluster)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        del cluster
        wait_until(lambda: known() is None, gc.collect)
    wait_until(lambda: threading.active_count() <= before)
