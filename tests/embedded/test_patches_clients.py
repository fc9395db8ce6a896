"""Clients in states in which an unpatched librdkafka crashes or hangs."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeProducer
from tests.support.kafka import Reports, numbers, send
from tests.support.mock_brokers import withdraw
from tests.support.native import ROOT, build_program, run_program
from tests.support.patches import needs
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT, wait_until

LIST_GROUPS, DELETE_GROUPS = 16, 42


@needs("stop-once")
def test_assignments_in_a_row(kafka_cluster: MockCluster) -> None:
    """The process does not end if assign() is called while partitions of the previous assign() are
    still being stopped.

    Without stop-once.patch, librdkafka stopped a fetcher that had not yet answered the first stop
    request, and aborted on the second answer.
    """
    kafka_cluster.create_topic("reassigned", 100)
    check_script(
        """
        import sys
        from confluent_kafka import Consumer, Producer, TopicPartition

        config = {"bootstrap.servers": sys.argv[1]}
        partitions = [TopicPartition("reassigned", number, 0) for number in range(100)]
        with Producer(config) as producer:
            for each in partitions:
                producer.produce(each.topic, b"value", partition=each.partition)
        with Consumer(config | {"group.id": "group"}) as consumer:
            consumer.assign(partitions)
            consumed = 0
            while consumed < 100:
                consumed += len(consumer.consume(100, 0.1))
            for _ in range(20):
                consumer.assign(partitions[:50])
        """,
        kafka_cluster.bootstrap_servers,
    )


def sent(cluster: MockCluster) -> list[str]:
    """The names of the requests since start_request_tracking()."""
    return [each.request for each in cluster.requests()]


@needs("abort-nothing")
@pytest.mark.parametrize("delay", [0, 0.5], ids=["refused", "not answered"])
def test_abort_before_the_transaction_began(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer, delay: float
) -> None:
    """If the coordinator still ends the previous transaction, there is nothing to abort.

    Without abort-nothing.patch, the answer to EndTxn was INVALID_TXN_STATE, which is fatal.
    """
    kafka_cluster.set_transaction_version(1)  # otherwise no request makes the coordinator begin
    producer = make_producer({"transactional.id": kafka_topic})
    producer.init_transactions(TIMEOUT)
    producer.begin_transaction()
    # The request is repeated every 20 ms, even while this thread is blocked.
    busy = [KafkaError.CONCURRENT_TRANSACTIONS] * 5_000
    kafka_cluster.inject_errors("AddPartitionsToTxn", busy)
    kafka_cluster.inject_errors("EndTxn", [KafkaError.INVALID_TXN_STATE])
    kafka_cluster.start_request_tracking()
    kafka_cluster.set_round_trip_time(None, delay)
    producer.produce(kafka_topic, b"dropped", partition=0)
    wait_until(lambda: "AddPartitionsToTxn" in sent(kafka_cluster))
    producer.abort_transaction(TIMEOUT)
    assert "EndTxn" in sent(kafka_cluster)
    kafka_cluster.set_round_trip_time(None, 0)
    kafka_cluster.clear_errors()
    producer.begin_transaction()
    producer.produce(kafka_topic, b"kept", partition=0)
    producer.commit_transaction(TIMEOUT)


@needs("abort-nothing", "transactions-v2")
@pytest.mark.parametrize("version", [1, pytest.param(2, marks=needs("mock-transaction-version"))])
def test_abort_of_what_the_coordinator_lost(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer, version: int
) -> None:
    """If the coordinator has lost a transaction that had begun, the error is still fatal."""
    kafka_cluster.set_transaction_version(version)
    producer = make_producer({"transactional.id": kafka_topic})
    producer.init_transactions(TIMEOUT)
    producer.begin_transaction()
    producer.produce(kafka_topic, b"dropped", partition=0)
    assert producer.flush(TIMEOUT) == 0
    kafka_cluster.inject_errors("EndTxn", [KafkaError.INVALID_TXN_STATE])
    with pytest.raises(KafkaException) as caught:
        producer.abort_transaction(TIMEOUT)
    assert caught.value.args[0].fatal()
    assert caught.value.args[0].code() == KafkaError.INVALID_TXN_STATE


@needs("admin-coordinator")
@pytest.mark.parametrize("name", ["list_consumer_group_offsets", "alter_consumer_group_offsets"])
def test_coordinator_that_is_found_late(kafka_cluster: MockCluster, name: str) -> None:
    """The coordinator of an admin request may be found after the request has timed out.

    Without admin-coordinator.patch, librdkafka replied to the deleted request, and aborted.
    """
    kafka_cluster.create_topic("topic")
    kafka_cluster.set_round_trip_time(None, 0.4)
    script = """
        import sys
        from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
        from confluent_kafka.admin import AdminClient

        alters = sys.argv[2].startswith("alter")
        place = TopicPartition("topic", 0, 1) if alters else TopicPartition("topic", 0)
        group = [ConsumerGroupTopicPartitions("group", [place])]
        with AdminClient({"bootstrap.servers": sys.argv[1]}) as admin:
            first = getattr(admin, sys.argv[2])(group, request_timeout=0.1)["group"]
            print(first.exception(30).args[0].name())
            second = getattr(admin, sys.argv[2])(group, request_timeout=30)["group"]
            print(second.exception(60))
        """
    output = check_script(script, kafka_cluster.bootstrap_servers, name)
    assert output == "_TIMED_OUT\nNone\n"


@needs("admin-coordinator")
def test_request_that_the_coordinator_does_not_know(kafka_cluster: MockCluster) -> None:
    """The future fails, and the client can be closed.

    Without admin-coordinator.patch, librdkafka released the reply queue twice, and then aborted.
    """
    withdraw(kafka_cluster, DELETE_GROUPS)
    script = """
        import sys
        from confluent_kafka.admin import AdminClient

        with AdminClient({"bootstrap.servers": sys.argv[1]}) as admin:
            future = admin.delete_consumer_groups(["group"])["group"]
            print(future.exception(30).args[0].name())
        """
    assert check_script(script, kafka_cluster.bootstrap_servers) == "_UNSUPPORTED_FEATURE\n"


@needs("list-groups-reply")
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="mallinfo2() is glibc's")
def test_groups_that_a_broker_does_not_list(kafka_cluster: MockCluster) -> None:
    """If a request is refused, its client still frees all memory.

    Without list-groups-reply.patch, librdkafka kept a queue of some 200 bytes for each client.
    """
    withdraw(kafka_cluster, LIST_GROUPS)
    script = """
        import ctypes, sys
        from confluent_kafka.admin import AdminClient

        class Figures(ctypes.Structure):
            _fields_ = [(name, ctypes.c_size_t) for name in (
                "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
                "uordblks", "fordblks", "keepcost",
            )]

        mallinfo2 = ctypes.CDLL(None).mallinfo2
        mallinfo2.restype = Figures

        def ask(times):
            for _ in range(times):
                with AdminClient({"bootstrap.servers": sys.argv[1], "log_level": 0}) as admin:
                    assert admin.list_consumer_groups().result(30).errors
            return mallinfo2().uordblks

        before = ask(20)
        print((ask(100) - before) // 100)
        """
    assert int(check_script(script, kafka_cluster.bootstrap_servers)) < 100


@needs("topic-error")
def test_topic_that_may_not_be_read(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """poll() returns the error of a topic that the client may not read."""
    kafka_cluster.set_topic_error(kafka_topic, KafkaError.TOPIC_AUTHORIZATION_FAILED)
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.error() == KafkaError.TOPIC_AUTHORIZATION_FAILED
    assert (message.topic(), message.partition()) == (kafka_topic, 0)


@needs("oidc-token")
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="memory is filled by glibc")
def test_oidc_token_that_is_cut_short() -> None:
    """A payload without its closing brace is refused, whatever comes after it in memory."""
    script = """
        import base64, http.server, json, threading
        from confluent_kafka import Producer

        payload = b'{"exp": 4000000000, "iat": 1, "sub": "alice"'
        # A multiple of three: the decoder adds no bytes. Too large for the cache of malloc().
        payload = payload.ljust(3 * 2000)
        encode = lambda data: base64.urlsafe_b64encode(data).decode()
        token = ".".join(map(encode, (b'{"alg": "none"} ', payload, b"signature")))

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                body = json.dumps({"access_token": token}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        errors = []
        config = {
            "bootstrap.servers": "127.0.0.1:1",
            "error_cb": errors.append,
            "log_level": 0,
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.oauthbearer.client.id": "alice",
            "sasl.oauthbearer.client.secret": "secret",
            "sasl.oauthbearer.method": "oidc",
            "sasl.oauthbearer.token.endpoint.url": f"http://127.0.0.1:{server.server_port}/",
            "security.protocol": "sasl_plaintext",
        }
        with Producer(config) as producer:
            while not errors:
                producer.poll(0.1)
        assert errors[0].name() == "_AUTHENTICATION", errors
        """
    # glibc fills what malloc() returns with the complement of this byte: with closing braces.
    check_script(script, env={"MALLOC_PERTURB_": str(0xFF ^ ord("}"))})


@needs("late-assign")
def test_close_while_an_assignment_waits(tmp_path: Path) -> None:
    """A commit in the last rebalance callback succeeds, because the consumer leaves its group
    later.

    Without late-assign.patch, librdkafka mistook the answer to the assignment for the answer to the
    revocation.
    """
    program = build_program(ROOT / "tests" / "native" / "late_assign.c", tmp_path)
    result = run_program(program, timeout=60)
    assert (result.returncode, result.stdout) == (0, "NO_ERROR\n"), result.stderr


@needs("late-metadata")
@pytest.mark.parametrize("what", ["cluster", "topics"])
def test_destroyed_with_an_answer_in_its_hands(tmp_path: Path, what: str) -> None:
    """If the client is closed during describe_cluster() or describe_topics(), they end with
    _DESTROY.

    Without late-metadata.patch, librdkafka treated the answer as complete, and the process ended.
    """
    program = build_program(ROOT / "tests" / "native" / "late_metadata.c", tmp_path)
    result = run_program(program, what, timeout=60)
    assert (result.returncode, result.stdout) == (0, "_DESTROY\n"), result.stderr


@needs("left-group")
def test_commit_while_the_group_ends(tmp_path: Path) -> None:
    """The commit ends with _DESTROY. Without the patch, it waited for ever."""
    program = build_program(ROOT / "tests" / "native" / "left_group.c", tmp_path)
    result = run_program(program, timeout=60)
    assert (result.returncode, result.stdout) == (0, "_DESTROY\n"), result.stderr


@needs("tls-greeting")
def test_a_server_that_speaks_before_a_tls_handshake() -> None:
    """If the server's first bytes come too early, the error is still _SSL and contains the failure.

    Without tls-greeting.patch, the error was _TRANSPORT if bytes came before the first step of the
    handshake.
    """
    script = """
        import socket, threading
        from confluent_kafka import KafkaError, Producer

        listener = socket.create_server(("127.0.0.1", 0))

        def greet():
            while True:
                connection, _ = listener.accept()
                connection.sendall(b"220 this is no TLS")
                connections.append(connection)

        connections, codes = [], []
        threading.Thread(target=greet, daemon=True).start()
        config = {
            "bootstrap.servers": "127.0.0.1:%d" % listener.getsockname()[1],
            "security.protocol": "ssl",
            "reconnect.backoff.ms": 0,
            "log_level": 0,
            "error_cb": lambda error: codes.append(error.code()),
        }
        for _ in range(40):
            seen = len(codes)
            with Producer(config) as producer:
                while len(codes) == seen:
                    producer.poll(0.1)
        print(set(codes) - {KafkaError._ALL_BROKERS_DOWN} == {KafkaError._SSL})
        """
    assert check_script(script) == "True\n"


@needs("late-timeouts")
def test_a_message_times_out_while_no_broker_is_there() -> None:
    """A message fails after message.timeout.ms, and not only when the client next tries to connect.

    Without late-timeouts.patch, the broker's thread slept for the whole time between two attempts.
    """
    with MockCluster(1) as cluster:  # one, because its only connection is never made again
        cluster.create_topic("topic")
        config = {
            "bootstrap.servers": cluster.bootstrap_servers,
            "message.timeout.ms": 1000,
            "reconnect.backoff.ms": 4 * int(TIMEOUT * 1000),
            "reconnect.backoff.max.ms": 4 * int(TIMEOUT * 1000),
            "log_level": 0,
        }
        with Producer(config) as producer:
            wait_until(lambda: producer.list_topics("topic", TIMEOUT).topics["topic"].partitions)
            cluster.set_broker_down()
            for _ in range(2):  # while the connection is being lost, and afterwards
                reports = Reports()
                producer.produce("topic", b"gone", partition=0, on_delivery=reports)
                assert producer.flush(TIMEOUT) == 0
                assert reports.errors == [KafkaError._MSG_TIMED_OUT]


@needs("late-offset")
@pytest.mark.parametrize(
    ("place", "expected"), [(5, [5, 6, 7, 8, 9]), (OFFSET_BEGINNING, list(range(10)))]
)
def test_a_seek_while_an_offset_is_asked_for(
    kafka_cluster: MockCluster, kafka_topic: str, place: int, expected: list[int]
) -> None:
    """Messages are read once, from the offset of the seek on.

    Without late-offset.patch, librdkafka returned to the offset of assign() half a second after the
    answer to its request, which came after the seek.
    """
    servers = kafka_cluster.bootstrap_servers
    with Producer({"bootstrap.servers": servers, "linger.ms": 0}) as producer:
        send(producer, kafka_topic, numbers(0, 10))
    passed = [KafkaError.NO_ERROR]
    for broker in range(1, 4):  # one of them leads the partition
        kafka_cluster.inject_errors("ListOffsets", passed, broker_id=broker, round_trip_time=0.5)
    kafka_cluster.start_request_tracking()
    with Consumer({"bootstrap.servers": servers, "group.id": "g"}) as consumer:
        consumer.assign([TopicPartition(kafka_topic, 0, OFFSET_BEGINNING)])
        wait_until(lambda: any(one.request == "ListOffsets" for one in kafka_cluster.requests()))
        consumer.seek(TopicPartition(kafka_topic, 0, place))
        found = consumer.consume(len(expected), TIMEOUT)
        # longer than librdkafka waits before it repeats the request
        found += consumer.consume(1, 1.5)
    assert [message.offset() for message in found] == expected


@needs("exit-openssl")
def test_threads_that_outlive_openssl(tmp_path: Path) -> None:
    """The threads of a client that nobody destroys can run until the process has ended.

    Without exit-openssl.patch, OpenSSL's exit handler freed memory that the threads used (SIGSEGV).
    Clients without TLS used OpenSSL, too, for random numbers.
    """
    source = ROOT / "tests" / "native" / "exit_openssl.c"
    program = build_program(source, tmp_path, "-Wl,--wrap=RAND_priv_bytes")
    assert run_program(program, "plaintext").stdout == "random calls 0\n"
    assert run_program(program, "ssl").stdout == "OpenSSL works\n"
