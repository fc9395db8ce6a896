"""The life of a client: made, used, closed, forked, dropped, and the interpreter's end."""

from __future__ import annotations

import contextlib
import copy
import gc
import os
import pickle
import textwrap
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaException, Producer
from tests.support.clients import CONSUMER_CALLS, PRODUCER_CALLS, config, partitions
from tests.support.scripts import check_script, run_script
from tests.support.waiting import TIMEOUT, Stopwatch

CLIENTS = (Producer, Consumer)
CALLS: list[tuple[type[Any], str, Callable[[Any], object]]] = [
    *((Producer, name, call) for name, call in PRODUCER_CALLS.items()),
    *((Consumer, name, call) for name, call in CONSUMER_CALLS.items()),
    (Consumer, "__next__", next),
    (Producer, "__enter__", lambda client: client.__enter__()),
    (Consumer, "__enter__", lambda client: client.__enter__()),
]
each_call = pytest.mark.parametrize(
    ("client", "call"),
    [pytest.param(client, call, id=f"{client.__name__}.{name}") for client, name, call in CALLS],
)
each_client = pytest.mark.parametrize("client", CLIENTS)
CALLBACKS = ("error", "stats", "throttle", "oauth")
SECONDS = 3.0  # for a call that shall be waiting while something else is looked at
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork()")


class FailingLogger:
    """What a broken logging configuration looks like from the client."""

    def log(self, *args: object) -> None:
        raise ZeroDivisionError


def assert_collected(make: Callable[[], object]) -> None:
    """The object that `make` returns, and only keeps in cycles, is freed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        reference = weakref.ref(make())
        gc.collect()
    assert reference() is None


@each_client
def test_calls_name_every_method(client: type[Any]) -> None:
    """The table is complete, so the tests that use it leave no method out."""
    methods = {name for name in dir(client) if not name.startswith("_")}
    table = {name for kind, name, _ in CALLS if kind is client and not name.startswith("_")}
    assert methods - {"close"} == table


@each_call
def test_call_on_an_open_client(client: type[Any], call: Callable[[Any], object]) -> None:
    """The arguments in the table are right, so a failure elsewhere is not theirs."""
    if call is next:
        pytest.skip("it waits for a message")
    with client(config()) as opened:
        with contextlib.suppress(KafkaException):
            call(opened)
        if client is Producer:
            opened.close(0)


class TestClosed:
    @each_call
    def test_every_method_raises(self, client: type[Any], call: Callable[[Any], object]) -> None:
        """RuntimeError that names the client and says what to do."""
        closed = client(config())
        closed.close()
        with pytest.raises(RuntimeError, match=f"{client.__name__} has been closed: create a new"):
            call(closed)

    @each_client
    def test_close_again(self, client: type[Any]) -> None:
        """Closing a closed client does nothing, as with files."""
        closed = client(config())
        first = closed.close()
        assert closed.close() == first

    def test_length_and_truth(self) -> None:
        """Nothing is outstanding in a closed producer; a client is never false."""
        producer = Producer(config())
        assert (len(producer), bool(producer)) == (0, True)
        producer.close()
        assert (len(producer), bool(producer)) == (0, True)

    @each_client
    def test_initialise_again(self, client: type[Any]) -> None:
        """A closed client cannot be opened again."""
        closed = client(config())
        closed.close()
        with pytest.raises(RuntimeError, match="initialised already"):
            closed.__init__(config())
        with pytest.raises(RuntimeError, match="has been closed"):
            closed.poll(0)


class TestContextManager:
    @each_client
    def test_closes(self, client: type[Any]) -> None:
        """`with` gives the client itself and closes it."""
        made = client(config())
        with made as entered:
            assert entered is made
        with pytest.raises(RuntimeError, match="has been closed"):
            made.poll(0)

    @each_client
    def test_lets_exceptions_through(self, client: type[Any]) -> None:
        """And still closes."""
        with pytest.raises(ZeroDivisionError), client(config()) as made:
            raise ZeroDivisionError
        with pytest.raises(RuntimeError, match="has been closed"):
            made.poll(0)

    @each_client
    def test_calls_the_close_of_a_subclass(self, client: type[Any]) -> None:
        """What a subclass does when it is closed is done at the end of `with` too."""
        closed = []

        class Sub(client):  # type: ignore[misc]
            def close(self) -> None:
                closed.append(True)
                super().close()

        with Sub(config()):
            pass
        assert closed == [True]

    @each_client
    def test_closed_within(self, client: type[Any]) -> None:
        """An explicit close() inside the block is fine."""
        with client(config()) as made:
            made.close()


class TestInitialisation:
    @each_client
    def test_twice(self, client: type[Any]) -> None:
        """A second __init__ is refused, and the client goes on working."""
        with client(config()) as made:
            with pytest.raises(RuntimeError, match="initialised already"):
                made.__init__(config())
            made.poll(0)

    @each_call
    def test_not_at_all(self, client: type[Any], call: Callable[[Any], object]) -> None:
        """A subclass that forgets super().__init__() is told so, by every method."""

        class Sub(client):  # type: ignore[misc]
            def __init__(self) -> None:
                pass

        with pytest.raises(RuntimeError, match=r"call super\(\).__init__\(config\) first"):
            call(Sub())

    @each_client
    def test_close_without(self, client: type[Any]) -> None:
        """close() in the `finally` of a constructor that failed is no second error."""
        made = client.__new__(client)
        made.close()
        made.close()

    @each_client
    def test_after_failure(self, client: type[Any]) -> None:
        """__init__ that failed can be repeated with a better configuration."""
        made = client.__new__(client)
        for _ in range(3):
            with pytest.raises(KafkaException):
                made.__init__(config({"no.such.key": 1}))
            with pytest.raises(KafkaException, match="cannot create"):
                made.__init__(config({"security.protocol": "sasl_ssl", "sasl.mechanism": "?"}))
        made.__init__(config())
        made.poll(0)
        made.close()

    def test_base_of_the_clients(self) -> None:
        """It is there for isinstance() at most."""
        base = Producer.__mro__[1]
        assert base in Consumer.__mro__
        with pytest.raises(TypeError, match="cannot create"):
            base(config())  # type: ignore[call-arg]

    def test_both_at_once(self) -> None:
        """One object cannot be two clients."""
        with pytest.raises(TypeError, match="lay-out conflict"):
            type("Both", (Producer, Consumer), {})


class TestSubclass:
    @each_client
    def test_with_attributes(self, client: type[Any]) -> None:
        """Subclasses have a __dict__, methods and __init__ of their own."""

        class Sub(client):  # type: ignore[misc]
            def __init__(self, name: str) -> None:
                super().__init__(config())
                self.name = name

            def poll(self, timeout: float = 0) -> Any:
                return self.name, super().poll(timeout)

        with Sub("mine") as made:
            assert made.poll()[0] == "mine"
            assert vars(made) == {"name": "mine"}
            assert isinstance(made, client)

    @each_client
    def test_with_slots(self, client: type[Any]) -> None:
        """__slots__ work, and without a __dict__ nothing else can be set."""

        class Sub(client):  # type: ignore[misc]
            __slots__ = ("name",)

        with Sub(config()) as made:
            made.name = "mine"
            assert made.name == "mine"
            with pytest.raises(AttributeError):
                made.other = 1

    @each_client
    def test_attribute_of_a_client_itself(self, client: type[Any]) -> None:
        """A misspelt attribute is an error, not a new attribute."""
        with client(config()) as made, pytest.raises(AttributeError):
            made.timeout = 1

    @each_client
    def test_finalizer_that_keeps_the_client(self, client: type[Any]) -> None:
        """An object that its __del__ made live again is a working client."""
        kept: list[Any] = []

        class Sub(client):  # type: ignore[misc]
            def __del__(self) -> None:
                if not kept:
                    kept.append(self)

        Sub(config())
        gc.collect()
        (made,) = kept
        made.poll(0)
        made.close()


class TestReferences:
    @each_client
    def test_weak_reference(self, client: type[Any]) -> None:
        """A weak reference does not keep a client, and ends with it."""
        made = client(config())
        reference = weakref.ref(made)
        assert reference() is made
        made.close()
        del made
        gc.collect()
        assert reference() is None

    @each_client
    def test_as_a_key(self, client: type[Any]) -> None:
        """Clients are equal to themselves only, and can be in sets and dicts."""
        with client(config()) as first, client(config()) as second:
            assert first != second
            assert {first: 1, second: 2}[second] == 2

    @pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
    @pytest.mark.parametrize(
        ("client", "key"),
        [
            *((kind, f"{name}_cb") for kind in CLIENTS for name in CALLBACKS),
            (Producer, "on_delivery"),
            (Consumer, "on_commit"),
        ],
    )
    def test_cycle_through_a_callback(self, client: type[Any], key: str, closed: bool) -> None:
        """A callback that refers to its client, as methods do, is collected with it."""

        def make() -> Any:
            holder: dict[str, Any] = {}
            holder["client"] = made = client(config({key: lambda *_: holder}))
            if closed:
                made.close()
            return made

        assert_collected(make)

    @each_client
    def test_cycle_through_the_logger(self, client: type[Any]) -> None:
        """The same for a logger, which may be an object of the application's."""

        class Log:
            client: Any

            def log(self, *args: object) -> None:
                pass

        def make() -> Any:
            log = Log()
            log.client = client(config({"logger": log}))
            return log.client

        assert_collected(make)

    def test_cycle_through_rebalance_callbacks(self) -> None:
        """subscribe(on_assign=self.assigned) in a class that has the consumer."""

        class Reader:
            def __init__(self) -> None:
                self.consumer = Consumer(config())
                self.consumer.subscribe(
                    ["topic"], on_assign=self.seen, on_revoke=self.seen, on_lost=self.seen
                )

            def seen(self, *_: object) -> None:
                pass

        assert_collected(lambda: Reader().consumer)

    def test_cycle_through_a_subclass(self) -> None:
        """A client that has itself as an attribute."""

        class Sub(Producer):
            me: Any

        def make() -> Producer:
            made = Sub(config())
            made.me = made
            return made

        assert_collected(make)

    def test_cycle_through_an_exception_not_raised_yet(self) -> None:
        """What callbacks raised and no call has raised yet refers to the client's frames."""

        def make() -> Producer:
            holder: dict[str, Producer] = {}

            def fail(*_: object) -> None:
                made = holder["client"]
                made.poll(0)
                raise ZeroDivisionError(made)

            made = Producer(config({"stats_cb": fail, "statistics.interval.ms": 1}))
            holder["client"] = made
            # The first exception comes out, those of the polls within it wait their turn.
            with pytest.raises(ZeroDivisionError):
                made.poll(TIMEOUT)
            return made

        assert_collected(make)


class TestResourceWarning:
    @each_client
    def test_client_that_was_not_closed(self, client: type[Any]) -> None:
        """Dropping an open client warns, as files and sockets do."""
        made = client(config())
        with pytest.warns(ResourceWarning, match=f"{client.__name__} was not closed") as caught:
            del made
        assert "call close() or use 'with'" in str(caught[0].message)

    def test_name_of_a_subclass(self) -> None:
        """It names the class that the application knows."""

        class Mine(Producer):
            pass

        made = Mine(config())
        with pytest.warns(ResourceWarning, match="Mine was not closed"):
            del made

    @each_client
    def test_no_warning(self, client: type[Any]) -> None:
        """Neither for a closed client nor for one that was never opened."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            client(config()).close()
            client.__new__(client)
            with pytest.raises(KafkaException):
                client(config({"no.such.key": 1}))
            with pytest.raises(ZeroDivisionError):
                client(config({"logger": FailingLogger(), "debug": "all"}))
            gc.collect()
        assert not caught

    @each_client
    def test_warning_as_an_error(self, client: type[Any]) -> None:
        """With -W error the finalizer cannot raise: sys.unraisablehook gets it."""
        script = """
            import sys, warnings
            from confluent_kafka import Consumer, Producer

            warnings.simplefilter("error")
            sys.unraisablehook = lambda info: print(info.exc_type.__name__, info.object is not None)
            try:
                made = {client}({{"group.id": "group", "log_level": 0}})
                1 / 0
            except ZeroDivisionError as error:
                del made
                print(type(sys.exception() if hasattr(sys, "exception") else error).__name__)
        """
        output = check_script(script.format(client=client.__name__))
        assert output.split() == ["ResourceWarning", "True", "ZeroDivisionError"]


class TestPickle:
    @pytest.mark.parametrize("copier", [pickle.dumps, copy.copy, copy.deepcopy])
    @each_client
    def test_refused(self, client: type[Any], copier: Callable[[object], object]) -> None:
        """Spark and multiprocessing pickle what a task refers to: the error says what to do."""
        with (
            client(config()) as made,
            pytest.raises(TypeError, match=f"cannot pickle .*{client.__name__}: send its conf"),
        ):
            copier(made)


@needs_fork
class TestFork:
    def test_child_and_parent(self) -> None:
        """In the child every method says what to do and the exit does not hang; the parent's
        clients go on working."""
        output = check_fork(
            """
            from tests.support.clients import CONSUMER_CALLS, PRODUCER_CALLS

            with MockCluster(1) as cluster:
                settings = {"bootstrap.servers": cluster.bootstrap_servers}
                producer = Producer(settings)
                consumer = Consumer(settings, **{"group.id": "g", "auto.offset.reset": "earliest"})
                consumer.subscribe(["topic"])
                producer.produce("topic", b"before")
                assert producer.flush() == 0
                producer.produce("topic", b"before, not delivered when the child begins")
                child = os.fork()
                if child == 0:
                    calls = [(producer, call) for call in PRODUCER_CALLS.values()]
                    calls += [(consumer, call) for call in CONSUMER_CALLS.values()]
                    calls += [(consumer, next), (producer, len), (producer, Producer.__enter__)]
                    for client, call in calls:
                        try:
                            call(client)
                        except RuntimeError as error:
                            assert "before os.fork()" in str(error), error
                            assert f"create a new {type(client).__name__}" in str(error), error
                        else:
                            raise AssertionError("no error")
                    producer.close()
                    consumer.close()
                    with Producer(settings) as fresh:
                        fresh.produce("topic", b"child")
                        assert fresh.flush() == 0
                    del producer, consumer
                    gc.collect()
                    sys.exit(7)
                assert wait(child) == 7
                producer.produce("topic", b"after")
                assert producer.flush() == 0
                values = set()
                while len(values) < 4:
                    values.add(consumer.poll(30).value())
                consumer.close()
                producer.close()
                print(len(values))
        """
        )
        assert output == "4\n"

    def test_while_other_threads_are_inside(self) -> None:
        """A fork at any moment: the threads that hold locks do not exist in the child."""
        check_fork(
            """
            import threading

            with MockCluster(1) as cluster:
                settings = {"bootstrap.servers": cluster.bootstrap_servers}
                producer = Producer(settings | {"stats_cb": str, "statistics.interval.ms": 1})
                consumer = Consumer(settings, **{"group.id": "g"})
                consumer.subscribe(["topic"])
                stop = threading.Event()

                def work(step):
                    while not stop.wait(0.001):
                        step()

                steps = [
                    lambda: producer.poll(0.01),
                    lambda: producer.produce("topic", b"value"),
                    lambda: consumer.consume(100, 0.01),
                    lambda: producer.list_topics(timeout=10),
                ]
                threads = [threading.Thread(target=work, args=(step,)) for step in steps]
                for thread in threads:
                    thread.start()
                began = time.monotonic()
                for _ in range(20):
                    child = os.fork()
                    if child == 0:
                        for client in (producer, consumer):
                            try:
                                client.poll(1)
                            except RuntimeError as error:
                                assert "before os.fork()" in str(error)
                            else:
                                raise AssertionError("no error")
                            client.close()
                        del producer, consumer, client, steps, threads
                        gc.collect()
                        sys.exit(7)
                    assert wait(child) == 7
                # Nobody waited for the threads that the children do not have.
                assert time.monotonic() - began < 30
                stop.set()
                for thread in threads:
                    thread.join()
                producer.close()
                consumer.close()
        """,
            timeout=120,
        )

    def test_in_a_callback(self) -> None:
        """A child made inside a callback leaves poll() instead of waiting for the parent's
        threads."""
        output = check_fork(
            """
            with MockCluster(1) as cluster:
                settings = {"bootstrap.servers": cluster.bootstrap_servers}
                children = []
                producer = Producer(settings)
                producer.produce("topic", b"1", callback=lambda *_: children.append(os.fork()))
                producer.produce("topic", b"2")
                while not children:
                    producer.poll(10)
                if children == [0]:
                    try:
                        producer.poll(10)
                    except RuntimeError:
                        sys.exit(7)
                    sys.exit(8)
                print(wait(children[0]))
                assert producer.flush() == 0
                producer.close()
        """
        )
        assert output == "7\n"

    def test_multiprocessing(self) -> None:
        """A pool of forked workers with the parent's client among their globals."""
        check_fork(
            """
            import multiprocessing

            def work(number):
                with Producer(settings) as own:
                    own.produce("topic", str(number))
                try:
                    producer.produce("topic", b"value")
                except RuntimeError:
                    return number

            with MockCluster(1) as cluster:
                settings = {"bootstrap.servers": cluster.bootstrap_servers}
                producer = Producer(settings)
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    assert pool.map(work, range(8)) == list(range(8))
                    pool.close()
                    pool.join()
                producer.close()
        """
        )

    def test_client_that_is_dropped_in_the_child(self) -> None:
        """Neither a ResourceWarning nor a crash: the client is the parent's to close."""
        check_fork(
            """
            warnings.simplefilter("error", ResourceWarning)
            producer = Producer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
            producer.produce("topic", b"value", callback=print)
            child = os.fork()
            if child == 0:
                del producer
                gc.collect()
                sys.exit(7)
            assert wait(child) == 7
            producer.purge()
            assert producer.flush() == 0
            producer.close()
        """
        )


FORK = """
import gc, os, sys, time, warnings
from confluent_kafka import Consumer, Producer
from confluent_kafka.testing import MockCluster

# CPython 3.12 warns of what is tested here.
warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)

def wait(child):
    # A child that hangs prints its stacks and ends by its own watchdog.
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def check_fork(script: str, timeout: int = 60) -> str:
    """The output of a script that forks."""
    return check_script(FORK + textwrap.dedent(script), timeout=timeout, forks=True)


class TestExit:
    @pytest.mark.parametrize(
        "script",
        [
            pytest.param("client = Producer(settings)", id="producer"),
            pytest.param("client = Consumer(settings)", id="consumer"),
            pytest.param(
                "client = Producer(settings)\nclient.produce('topic', b'value', callback=print)",
                id="message outstanding",
            ),
            pytest.param(
                "client = Consumer(settings)\nclient.subscribe(['topic'])\nclient.poll(0.1)",
                id="member of a group",
            ),
            pytest.param(
                "import sys\nclient = Producer(settings)\nsys.client = client\n"
                "cycle = type('Sub', (Consumer,), {})(settings)\ncycle.me = cycle\ndel cycle",
                id="kept for ever",
            ),
            pytest.param(
                "def generate():\n with Consumer(settings) as consumer:\n  yield consumer\n"
                "generator = generate()\nnext(generator)",
                id="in a generator",
            ),
            pytest.param(
                "import atexit\nclient = Producer(settings)\n"
                "atexit.register(client.close)\natexit.register(client.flush, 0)",
                id="closed by atexit",
            ),
            pytest.param(
                "class Sub(Producer):\n def __del__(self):\n  self.close()\n"
                "client = Sub(settings)\nclient.me = client",
                id="closed by __del__",
            ),
            pytest.param(
                "client = Producer(settings | {'error_cb': str, 'stats_cb': str, 'debug': 'all',"
                " 'statistics.interval.ms': 1, 'logger': quiet})\nclient.poll(0.05)",
                id="callbacks",
            ),
            pytest.param(
                "client = Producer(settings | {'sasl.mechanism': 'OAUTHBEARER', 'security.protocol'"
                ": 'sasl_plaintext', 'oauth_cb': lambda _: ('token', 4e9)})",
                id="oauth_cb",
            ),
        ],
    )
    def test_live_client(self, script: str) -> None:
        """Exit code 0 and no output, whatever state the client is in."""
        assert check_script(EXIT + script, timeout=60) == ""

    @pytest.mark.parametrize(
        ("client", "call"),
        [
            ("Producer", "client.poll()"),
            ("Producer", "client.flush()"),
            ("Producer", "client.produce('topic', b'value', block=-1)"),
            ("Producer", "client.list_topics()"),
            ("Producer", "client.cluster_id()"),
            ("Consumer", "client.poll()"),
            ("Consumer", "client.consume(10)"),
            ("Consumer", "client.consume_arrow(10)"),
            ("Consumer", "next(client, None)"),
            ("Consumer", "client.list_topics()"),
            ("Consumer", "client.committed([TopicPartition('topic', 0)])"),
            ("Consumer", "client.commit(offsets=[TopicPartition('t', 0, 0)], asynchronous=False)"),
            ("Consumer", "client.get_watermark_offsets(TopicPartition('topic', 0))"),
        ],
    )
    def test_threads_inside(self, client: str, call: str) -> None:
        """Daemon threads inside a call without a timeout: they are let go, quietly."""
        full = ", 'queue.buffering.max.messages': 1" if client == "Producer" else ""
        script = f"""
import threading

client = {client}(settings | {{'log_level': 0{full}}})
if isinstance(client, Producer):
    client.produce("topic", b"value")
inside = threading.Barrier(4)

def work():
    inside.wait()
    while True:
        {call}

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
inside.wait()
"""
        assert check_script(EXIT + script, timeout=60) == ""

    def test_uncaught_exception(self) -> None:
        """The traceback and the exit code are Python's own."""
        script = EXIT + "client = Producer(settings)\nconsumer = Consumer(settings)\n1 / 0"
        result = run_script(script)
        assert result.returncode == 1
        assert result.stderr.splitlines()[-1] == "ZeroDivisionError: division by zero"
        assert result.stdout == ""

    def test_clusters_and_clients(self) -> None:
        """Nothing was closed, in whatever order it ends."""
        script = """
from confluent_kafka.testing import MockCluster

cluster = MockCluster(3)
settings["bootstrap.servers"] = cluster.bootstrap_servers
settings["auto.offset.reset"] = "earliest"
producer, consumer = Producer(settings), Consumer(settings)
consumer.subscribe(["topic"])
producer.produce("topic", b"value")
assert producer.flush() == 0
assert consumer.poll(30).value() == b"value"
producer.produce("topic", b"another")
"""
        assert check_script(EXIT + script) == ""

    def test_use_after_the_end(self) -> None:
        """An atexit hook that runs later finds a closed client, not freed memory."""
        script = """
import atexit

def last():
    try:
        client.poll(0)
    except RuntimeError as error:
        print(error)

atexit._clear()
atexit.register(last)
from confluent_kafka import cimpl
atexit.register(cimpl._close_live_clients)
client = Producer(settings)
"""
        assert "has been closed" in check_script(EXIT + script)


EXIT = """
import logging
from confluent_kafka import Consumer, Producer, TopicPartition

quiet = logging.Logger("quiet")
quiet.addHandler(logging.NullHandler())
settings = {"bootstrap.servers": "127.0.0.1:1", "group.id": "group", "logger": quiet}
"""


class TestInterpreterLock:
    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
    @each_client
    def test_creating_a_client(self, client: type[Any]) -> None:
        """librdkafka reads files while a client is created: other threads run meanwhile.

        The file here is a pipe that nobody has written to, so librdkafka waits for it, and
        only another thread can end that.
        """
        script = f"""
            import os, sys, tempfile, threading
            from confluent_kafka import Consumer, KafkaException, Producer

            with tempfile.TemporaryDirectory() as folder:
                pipe = os.path.join(folder, "pipe")
                os.mkfifo(pipe)
                settings = {{"group.id": "group", "security.protocol": "ssl",
                            "ssl.ca.location": pipe}}
                errors = []

                def create():
                    try:
                        {client.__name__}(settings)
                    except KafkaException as error:
                        errors.append(error)

                thread = threading.Thread(target=create)
                thread.start()
                with open(pipe, "w") as file:  # returns once the other side is open for reading
                    file.write("no certificate")
                thread.join()
                assert "ssl.ca.location" in str(errors[0])
        """
        check_script(script)

    @pytest.mark.parametrize(
        ("client", "call"),
        [
            (Producer, lambda client: client.poll(SECONDS)),
            (Producer, lambda client: client.flush(SECONDS)),
            (Producer, lambda client: client.produce("topic", b"", block=SECONDS)),
            (Producer, lambda client: client.produce_batch("topic", [b""], block=SECONDS)),
            (Producer, lambda client: client.list_topics(timeout=SECONDS)),
            (Producer, lambda client: client.cluster_id(SECONDS)),
            (Producer, lambda client: client.close(SECONDS)),
            (Consumer, lambda client: client.poll(SECONDS)),
            (Consumer, lambda client: client.consume(10, SECONDS)),
            (Consumer, lambda client: client.consume_arrow(10, SECONDS)),
            (Consumer, lambda client: client.committed(partitions(), SECONDS)),
            (Consumer, lambda client: client.offsets_for_times(partitions(), SECONDS)),
            (Consumer, lambda client: client.get_watermark_offsets(partitions()[0], SECONDS)),
        ],
    )
    def test_waiting(self, client: type[Any], call: Callable[[Any], object]) -> None:
        """Another thread gets the interpreter lock as often as it wants it.

        Each sleep gives the lock up and needs it back: 2,000 of them take a fraction of a
        second, but hours if the waiting call kept the lock for its time slices.
        """
        made = client(config({"queue.buffering.max.messages": 1}))
        if client is Producer:
            made.produce("topic", b"value")
        began = threading.Event()

        def wait() -> None:
            began.set()
            with contextlib.suppress(KafkaException, BufferError):
                call(made)

        thread = threading.Thread(target=wait)
        thread.start()
        began.wait()
        watch = Stopwatch()
        for _ in range(2000):
            time.sleep(1e-6)
        took = watch.elapsed
        alive = thread.is_alive()
        thread.join()
        if client is Producer:
            made.close(0)
        else:
            made.close()
        assert alive
        assert took < SECONDS
