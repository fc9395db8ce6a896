"""MockCluster as an object: its life cycle, its arguments, and the errors of wrong arguments."""

from __future__ import annotations

import copy
import gc
import inspect
import itertools
import os
import pickle
import resource
import socket
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.testing import MockCluster
from tests.support.clients import config
from tests.support.kafka import Reports
from tests.support.patches import LACKS
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT, wait_until

# Every method, with arguments that it accepts.
CALLS: dict[str, tuple[Any, ...]] = {
    "create_topic": ("topic",),
    "set_topic_error": ("topic", None),
    "set_leader": ("topic", 0, 1),
    "set_follower": ("topic", 0, 1),
    "set_follower_watermarks": ("topic", 0, None, None),
    "set_broker_down": (1,),
    "set_broker_up": (1,),
    "set_rack": (1, "rack"),
    "set_round_trip_time": (1, 0),
    "set_coordinator": ("group", "key", 1),
    "set_transaction_version": (2,),
    "set_group_initial_rebalance_delay": (0,),
    "set_group_consumer_heartbeat_interval": (1,),
    "set_group_consumer_session_timeout": (1,),
    "set_share_group_auto_offset_reset": ("earliest",),
    "set_share_group_heartbeat_interval": (1,),
    "set_share_group_record_lock_duration": (1,),
    "set_share_group_delivery_count_limit": (1,),
    "inject_errors": ("Produce", [KafkaError.NOT_LEADER_FOR_PARTITION]),
    "pending_errors": ("Produce", 1),
    "clear_errors": (),
    "set_api_versions": ("Produce", 0, 7),
    "on_request": (35, None),
    "compact": ("topic",),
    "client_config": (),
    "start_request_tracking": (),
    "requests": (),
    "clear_requests": (),
    "stop_request_tracking": (),
}


def can_connect(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except ConnectionRefusedError:
        return False
    return True


def test_calls_name_every_method() -> None:
    """The table above is complete, so the tests that use it leave no method out."""
    methods = {name for name in dir(MockCluster) if not name.startswith("_")}
    assert methods - {"bootstrap_servers", "brokers", "close"} == set(CALLS)


def test_every_method_works_on_an_open_cluster() -> None:
    """All methods succeed with the arguments of the table, so failures in other tests have other
    causes."""
    with MockCluster(brokers=1) as cluster:
        for name, args in CALLS.items():
            if name != "on_request" or "mock-on-request" not in LACKS:
                getattr(cluster, name)(*args)


@pytest.mark.parametrize("name", CALLS)
def test_signatures_can_be_inspected(name: str) -> None:
    """help(), editors and the stub test can read the arguments of each method."""
    parameters = inspect.signature(getattr(MockCluster, name)).parameters
    assert [p for p in parameters.values() if p.kind is p.VAR_POSITIONAL] == []
    assert len(parameters) - 1 >= len(CALLS[name])


def test_addresses_of_all_brokers() -> None:
    """bootstrap_servers contains one listener per broker, on the loopback interface."""
    with MockCluster(brokers=5) as cluster:
        addresses = cluster.bootstrap_servers.split(",")
        assert cluster.brokers == len(addresses) == len(set(addresses)) == 5
        assert all(address.startswith("127.0.0.1:") for address in addresses)
        assert all(map(can_connect, addresses))


def test_three_brokers_by_default() -> None:
    """Three brokers are the default, so a replication factor of three needs no argument."""
    with MockCluster() as cluster:
        assert cluster.brokers == 3


def test_close_frees_the_ports_and_can_be_repeated() -> None:
    """After close(), no port is open any more; a second close() does nothing."""
    cluster = MockCluster(brokers=2)
    addresses = cluster.bootstrap_servers.split(",")
    cluster.close()
    cluster.close()
    assert not any(map(can_connect, addresses))
    assert repr(cluster) == "<MockCluster, closed>"


def test_an_abandoned_cluster_ends() -> None:
    """Without close(), the brokers end when the last reference is deleted."""
    cluster = MockCluster(brokers=1)
    address = cluster.bootstrap_servers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        del cluster
    assert not can_connect(address)


def test_an_abandoned_cluster_is_reported() -> None:
    """Python warns once about a cluster that was not closed, as it does for a file."""
    cluster = MockCluster(brokers=1)
    with pytest.warns(ResourceWarning, match="MockCluster was not closed") as record:
        del cluster
    assert len(record) == 1


@pytest.mark.parametrize("end", ["close", "drop"])
def test_a_cluster_ends_while_clients_are_connected(end: str) -> None:
    """Clients that are in the middle of a call lose the brokers, and can be closed."""
    cluster = MockCluster(brokers=1)
    settings = config({"bootstrap.servers": cluster.bootstrap_servers})
    with Producer(settings) as producer, Consumer(settings) as consumer:
        producer.connect(TIMEOUT)
        consumer.subscribe(["topic"])
        consumer.poll(0)
        cluster.set_round_trip_time(1, TIMEOUT)
        reports = Reports()
        producer.produce("topic", b"value", on_delivery=reports)
        if end == "close":
            cluster.close()
        gone = weakref.ref(cluster)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            del cluster
            wait_until(lambda: gone() is None)  # the cluster's thread may still refer to it
        wait_until(lambda: producer.last_error, lambda: producer.poll(0.01))
        consumer.poll(0)
        producer.purge()
        assert producer.flush(TIMEOUT) == 0
        assert len(reports) == 1


def test_no_subclasses() -> None:
    """MockCluster cannot be subclassed, so that no subclass can forget to initialise or close
    it."""
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Sub", (MockCluster,), {})


def test_the_context_manager_closes_after_an_exception() -> None:
    """The end of a `with` block stops the brokers, and does not catch the exception."""
    with pytest.raises(ZeroDivisionError), MockCluster(brokers=1) as cluster:
        raise ZeroDivisionError
    with pytest.raises(RuntimeError, match="has been closed"), cluster:
        pass


@pytest.mark.parametrize("name", CALLS)
def test_methods_of_a_closed_cluster(name: str) -> None:
    """Each method of a closed cluster raises a RuntimeError with advice."""
    cluster = MockCluster(brokers=1)
    cluster.close()
    with pytest.raises(RuntimeError, match="has been closed: create a new one"):
        getattr(cluster, name)(*CALLS[name])


def test_addresses_of_a_closed_cluster() -> None:
    """bootstrap_servers raises, instead of returning an address where no broker listens."""
    cluster = MockCluster(brokers=1)
    cluster.close()
    with pytest.raises(RuntimeError, match="has been closed"):
        _ = cluster.bootstrap_servers


@pytest.mark.parametrize("copier", [pickle.dumps, copy.copy, copy.deepcopy])
def test_copies_are_refused(copier: Callable[[object], object]) -> None:
    """The cluster cannot be pickled or copied: the error advises passing the address to other
    processes."""
    with MockCluster(brokers=1) as cluster, pytest.raises(TypeError, match="bootstrap_servers"):
        copier(cluster)


BAD_ARGUMENTS: list[tuple[str, tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    ("create_topic", (), {}, TypeError, "needs argument 'topic'"),
    ("create_topic", ("t", 1, 1, 1), {}, TypeError, "at most 3"),
    ("create_topic", ("t",), {"partition": 1}, TypeError, "partitions"),
    ("create_topic", (None,), {}, TypeError, "topic"),
    ("create_topic", (b"t",), {}, TypeError, "topic"),
    ("create_topic", ("",), {}, ValueError, "topic must be 1 to 249"),
    ("create_topic", ("t" * 250,), {}, ValueError, "topic must be 1 to 249"),
    ("create_topic", ("..",), {}, ValueError, "topic must be"),
    ("create_topic", ("a/b",), {}, ValueError, "topic must be .* not 'a/b'"),
    ("create_topic", ("a\0b",), {}, ValueError, "topic"),
    ("create_topic", ("\ud800",), {}, ValueError, "topic"),
    ("create_topic", ("t", 0), {}, ValueError, "partitions must be an int from 1 to 10000"),
    ("create_topic", ("t", 10_001), {}, ValueError, "partitions"),
    ("create_topic", ("t", 2**33), {}, ValueError, "partitions"),
    ("create_topic", ("t", 2**70), {}, OverflowError, "partitions"),
    ("create_topic", ("t", 1.5), {}, TypeError, "partitions"),
    ("create_topic", ("t", 1, 3), {}, ValueError, "replication_factor .* 1 to 2, not 3"),
    ("set_leader", ("t", -1, 1), {}, ValueError, "partition"),
    ("set_leader", ("t", 0, 3), {}, ValueError, "broker_id must be an int from 1 to 2, not 3"),
    ("set_leader", ("t", 0, "1"), {}, TypeError, "broker_id"),
    ("set_follower", ("t", 2**33, 1), {}, ValueError, "partition"),
    ("set_follower_watermarks", ("t", 0, -1, None), {}, ValueError, "low"),
    ("set_follower_watermarks", ("t", 0, None, "1"), {}, TypeError, "high"),
    ("set_broker_down", (0,), {}, ValueError, "broker_id"),
    ("set_broker_up", (2**33,), {}, ValueError, "broker_id"),
    ("set_rack", (1, None), {}, TypeError, "rack"),
    ("set_rack", (1, "a\0b"), {}, ValueError, "rack"),
    ("set_round_trip_time", (1, None), {}, TypeError, "round_trip_time"),
    ("set_round_trip_time", (1, -0.1), {}, ValueError, "round_trip_time must be 0 to 86400"),
    ("set_round_trip_time", (1, float("nan")), {}, ValueError, "round_trip_time"),
    ("set_round_trip_time", (1, float("inf")), {}, ValueError, "round_trip_time"),
    ("set_coordinator", ("groups", "g", 1), {}, ValueError, "'group' or 'transaction'"),
    ("set_coordinator", ("group", None, 1), {}, TypeError, "key"),
    ("set_coordinator", ("group", "g", None), {}, TypeError, "broker_id"),
    ("set_transaction_version", (3,), {}, ValueError, "version must be an int from 1 to 2"),
    ("set_transaction_version", (None,), {}, TypeError, "version"),
    ("set_group_initial_rebalance_delay", ("3",), {}, TypeError, "delay"),
    ("set_group_consumer_heartbeat_interval", (0,), {}, ValueError, "interval must be at least"),
    ("set_group_consumer_session_timeout", (1e-9,), {}, ValueError, "timeout must be at least"),
    ("set_share_group_auto_offset_reset", ("none",), {}, ValueError, "'earliest' or 'latest'"),
    ("set_share_group_heartbeat_interval", (0,), {}, ValueError, "interval must be at least"),
    ("set_share_group_record_lock_duration", (0,), {}, ValueError, "duration must be at least"),
    ("set_share_group_delivery_count_limit", (0,), {}, ValueError, "limit must be an int from 1"),
    ("inject_errors", ("Produc", [3]), {}, ValueError, "did you mean 'Produce'"),
    ("inject_errors", ("?", [3]), {}, ValueError, "request must be one of .*'Fetch'.* not '\\?'"),
    ("inject_errors", (0, [3]), {}, TypeError, "request"),
    ("inject_errors", ("Produce", 3), {}, TypeError, "errors"),
    ("inject_errors", ("Produce", ["3"]), {}, TypeError, "errors must be error codes"),
    ("inject_errors", ("Produce", [9999]), {}, ValueError, "9999"),
    ("inject_errors", ("Produce", [2**40]), {}, ValueError, "errors"),
    ("inject_errors", ("Produce", [KafkaError._TIMED_OUT]), {}, ValueError, "_TRANSPORT"),
    ("inject_errors", ("Produce", [3]), {"round_trip_time": 1}, ValueError, "needs broker_id"),
    ("inject_errors", ("Produce", [3], 1), {}, TypeError, "at most 2 positional"),
    ("pending_errors", ("Produce", None), {}, TypeError, "broker_id"),
    ("clear_errors", ("produce",), {}, ValueError, "did you mean 'Produce'"),
    ("set_topic_error", ("t", KafkaError._TRANSPORT), {}, ValueError, "error"),
    ("set_topic_error", ("t", "x"), {}, TypeError, "error"),
    ("set_api_versions", ("Produce", None, 3), {}, TypeError, "min_version"),
    ("set_api_versions", ("Produce", 3, 2), {}, ValueError, "max_version"),
    ("set_api_versions", ("Produce", 0, 2**15), {}, ValueError, "max_version"),
]


@pytest.mark.parametrize(("name", "args", "kwargs", "error", "message"), BAD_ARGUMENTS)
def test_bad_arguments(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any], error: type[Exception], message: str
) -> None:
    """A wrong argument raises a typed error that names it and the allowed values; it never
    crashes."""
    with MockCluster(brokers=2) as cluster, pytest.raises(error, match=message):
        getattr(cluster, name)(*args, **kwargs)


@pytest.mark.parametrize(
    ("brokers", "error"),
    [(0, ValueError), (101, ValueError), (2**33, ValueError), ("3", TypeError), (None, TypeError)],
)
def test_bad_number_of_brokers(brokers: Any, error: type[Exception]) -> None:
    """The constructor's error names the argument, too."""
    with pytest.raises(error, match="brokers"):
        MockCluster(brokers)


def test_librdkafkas_own_errors_are_kafka_exceptions() -> None:
    """If only the brokers can find an error, it is a KafkaException with the code and the name."""
    with MockCluster(brokers=1) as cluster:
        cluster.create_topic("t")
        with pytest.raises(KafkaException) as twice:
            cluster.create_topic("t")
        with pytest.raises(KafkaException) as beyond:
            cluster.set_leader("t", 1, 1)
    assert twice.value.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS
    assert twice.value.args[0].str() == "topic 't' already exists"
    assert beyond.value.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert beyond.value.args[0].str() == "topic 't' has no partition 1"


def test_errors_can_be_given_as_objects() -> None:
    """A KafkaError object can be given instead of its code."""
    with MockCluster(brokers=1) as cluster:
        error = KafkaError(KafkaError.REQUEST_TIMED_OUT)
        cluster.inject_errors("Produce", (error, KafkaError.NO_ERROR), broker_id=1)
        assert cluster.pending_errors("Produce", 1) == 2


def test_too_few_file_descriptors() -> None:
    """If there are too few file descriptors, the constructor raises OSError; librdkafka would end
    the process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = len(os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 20, hard))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            MockCluster(brokers=100)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    # descriptors of earlier tests may be closed meanwhile
    assert len(os.listdir("/proc/self/fd")) <= used


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals for threads")
def test_a_signal_does_not_end_it() -> None:
    """The brokers' thread blocks signals.

    A signal would end the thread, and free memory that the object still uses.
    """
    check_script("""
        import os, signal
        from confluent_kafka.testing import MockCluster

        told = []
        signal.signal(signal.SIGALRM, lambda number, frame: told.append(number))
        with MockCluster(1) as cluster:
            # With the other threads deaf, only the brokers' could take it.
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
            for number in range(20):
                os.kill(os.getpid(), signal.SIGALRM)
                cluster.create_topic(f"topic-{number}")
            assert not told
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGALRM])
        assert told == [signal.SIGALRM]
    """)


def test_a_forked_child_is_told_what_to_do() -> None:
    """In a child, the cluster's methods raise, with advice; its address is still valid."""
    with MockCluster(brokers=1) as cluster:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                answer = f"{can_connect(cluster.bootstrap_servers)} "
                cluster.create_topic("t")
            except RuntimeError as error:
                answer += str(error)
            finally:
                cluster.close()
                os.write(writer, answer.encode())
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as stream:
            answer = stream.read()
        assert os.waitpid(child, 0) == (child, 0)
        assert answer.startswith("True MockCluster was created before os.fork()")
        assert can_connect(cluster.bootstrap_servers)


def test_exit_with_a_live_cluster() -> None:
    """A script that ends without close() ends cleanly; the brokers log nothing on stderr."""
    script = (
        "from confluent_kafka.testing import MockCluster\n"
        "cluster = MockCluster(brokers=2)\n"
        "cycle = [MockCluster(brokers=1)]; cycle.append(cycle)\n"
        "cluster.create_topic('t')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_close_while_other_threads_call() -> None:
    """Calls of other threads succeed or are refused; none finds a half-closed cluster."""

    def call_until_closed(cluster: MockCluster, name: str, started: threading.Barrier) -> str:
        started.wait(30)
        try:
            for number in itertools.count():
                cluster.create_topic(f"{name}-{number}")
        except RuntimeError as error:
            return str(error)
        raise AssertionError

    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            cluster = MockCluster(brokers=2)
            started = threading.Barrier(5)
            calls = [
                pool.submit(call_until_closed, cluster, name, started)
                for name in ("a", "b", "c", "d")
            ]
            started.wait(30)
            cluster.close()
            outcomes = {call.result(30) for call in calls}
            assert outcomes == {"MockCluster has been closed: create a new one"}


def test_nothing_is_leaked() -> None:
    """The numbers of objects, threads and descriptors do not grow with each round of use and
    failure."""

    def use() -> None:
        with MockCluster(brokers=2) as cluster:
            for name, args in CALLS.items():
                getattr(cluster, name)(*args)
        for name, args, kwargs, error, _ in BAD_ARGUMENTS:
            with pytest.raises(error):
                getattr(cluster, name)(*args, **kwargs)

    def held() -> tuple[int, int, int, int]:
        gc.collect()
        return (
            len(os.listdir("/proc/self/fd")),
            len(os.listdir("/proc/self/task")),
            sys.getrefcount(MockCluster),
            sum(isinstance(item, MockCluster) for item in gc.get_objects()),
        )

    def held_after_a_round() -> tuple[int, int, int, int]:
        use()
        return held()

    rounds = [held_after_a_round() for _ in range(4)]
    # Two equal rounds are enough: objects of earlier tests may still be freed, but a leak grows in
    # each round.
    assert any(one == following for one, following in itertools.pairwise(rounds)), rounds
