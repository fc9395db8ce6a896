"""The life of a client: its creation, use, close(), fork, and deletion, and the interpreter's
exit."""

from __future__ import annotations

import contextlib
import copy
import gc
import inspect
import logging
import os
import pickle
import re
import sys
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    IllegalStateException,
    KafkaException,
    Producer,
    ShareConsumer,
)
from confluent_kafka.admin import AdminClient
from tests.support.clients import ADMIN_CALLS, CONSUMER_CALLS, PRODUCER_CALLS, SHARE_CALLS, config
from tests.support.refcounts import leave_out_what_is_there
from tests.support.scripts import check_script
from tests.support.threads import Thread
from tests.support.waiting import TIMEOUT, Stopwatch

CLIENTS = (Producer, Consumer, ShareConsumer, AdminClient)
CALLS: list[tuple[type[Any], str, Callable[[Any], object]]] = [
    *((Producer, name, call) for name, call in PRODUCER_CALLS.items()),
    *((Consumer, name, call) for name, call in CONSUMER_CALLS.items()),
    *((ShareConsumer, name, call) for name, call in SHARE_CALLS.items()),
    *((AdminClient, name, call) for name, call in ADMIN_CALLS.items()),
    (Consumer, "__next__", next),
]
each_call = pytest.mark.parametrize(
    ("client", "call"),
    [pytest.param(client, call, id=f"{client.__name__}.{name}") for client, name, call in CALLS],
)
each_client = pytest.mark.parametrize("client", CLIENTS)
CALLBACKS = ("error", "stats", "throttle", "oauth")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork()")


MISSING = "/no/such/file"
# Errors at each stage of __init__: reading the configuration, and creating the handle.
BAD_SETTINGS: dict[str, dict[str, Any]] = {
    "unknown": {"no.such.key": 1},
    "range": {"socket.timeout.ms": -5},
    "choice": {"debug": "nothing"},
    "text": {"client.id": "\ud800"},
    "plugin": {"plugin.library.paths": MISSING},
    **{name: {name: 1} for name in ("error_cb", "throttle_cb", "stats_cb", "oauth_cb", "logger")},
    "certificate": {"security.protocol": "ssl", "ssl.ca.location": MISSING},
    "key": {"security.protocol": "ssl", "ssl.key.location": MISSING},
    "pem": {"security.protocol": "ssl", "ssl.ca.pem": "no certificate"},
    "mechanism": {"security.protocol": "sasl_ssl", "sasl.mechanism": "?"},
}


class FailingLogger:
    """A logger that raises, as with a broken configuration of logging."""

    def log(self, *args: object) -> None:
        raise ZeroDivisionError


def assert_collected(make: Callable[[], object]) -> None:
    """Check that the object that `make` returns is freed, even if only cycles refer to it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        reference = weakref.ref(make())
        gc.collect()
    assert reference() is None


@each_client
def test_calls_name_every_method(client: type[Any]) -> None:
    """The table CALLS contains every method, so that the tests that use the table leave no method
    out."""
    names = {name for name in dir(client) if not name.startswith("_")}
    methods = {name for name in names if callable(getattr(client, name))}
    table = {name for kind, name, _ in CALLS if kind is client and not name.startswith("_")}
    assert methods - {"close"} == table


@each_call
def test_call_on_an_open_client(client: type[Any], call: Callable[[Any], object]) -> None:
    """The arguments in the table are valid, so that they do not cause failures in other tests."""
    with client(config(client=client)) as opened:
        if call is next:
            opened.wakeup()  # otherwise next() would wait for a message
        allowed = (KafkaException, StopIteration)
        if client is ShareConsumer:
            allowed += (IllegalStateException,)
        with contextlib.suppress(*allowed):
            call(opened)
        if client is Producer:
            opened.close(0)


class TestClosed:
    @each_call
    def test_every_method_raises(self, client: type[Any], call: Callable[[Any], object]) -> None:
        """Each method of a closed client raises RuntimeError, with advice in a note."""
        closed = client(config(client=client))
        closed.close()
        with pytest.raises(RuntimeError) as caught:
            call(closed)
        assert caught.value.__notes__ == [f"{client.__name__} has been closed: create a new one"]

    @each_client
    @pytest.mark.parametrize("state", ["closed", "unopened"])
    def test_wrong_arguments(self, client: type[Any], state: str) -> None:
        """A call on a client that is not open reports this state before it reports wrong
        arguments."""
        unusable = client.__new__(client) if state == "unopened" else client(config(client=client))
        unusable.close() if state == "closed" else None
        for name in {name for kind, name, _ in CALLS if kind is client} - {"__next__"}:
            method = getattr(unusable, name)
            # For methods with at most one parameter, CPython itself checks the number of arguments.
            taken = inspect.signature(method).parameters.values()
            if taken:
                given = [object() for one in taken if one.kind not in (one.KEYWORD_ONLY,)]
                with pytest.raises(RuntimeError):
                    method(*given)

    @each_client
    def test_with(self, client: type[Any]) -> None:
        """`with` accepts a closed client, as in confluent-kafka-python; calls inside it raise."""
        closed = client(config(client=client))
        closed.close()
        with closed as entered:
            assert entered is closed

    @each_client
    def test_close_again(self, client: type[Any]) -> None:
        """Closing a closed client does nothing, as with files."""
        closed = client(config(client=client))
        first = closed.close()
        assert closed.close() == first

    def test_length_and_truth(self) -> None:
        """A closed producer has the length 0. The truth value of a client is always true."""
        # Without brokers, because errors in the queue would count, too.
        producer = Producer(config({"bootstrap.servers": ""}))
        assert (len(producer), bool(producer)) == (0, True)
        producer.close()
        assert (len(producer), bool(producer)) == (0, True)

    @each_client
    def test_initialise_again(self, client: type[Any]) -> None:
        """A closed client cannot be opened again."""
        closed = client(config(client=client))
        closed.close()
        with pytest.raises(RuntimeError, match="already initialized"):
            closed.__init__(config(client=client))
        with pytest.raises(RuntimeError, match="has been closed"):
            closed.poll(0)


class TestCloseInsideACall:
    """close() raises inside a call that serves no callbacks, because close() would wait for that
    call."""

    def test_conversion_of_an_argument(self) -> None:
        """If close() is called while a method converts an argument, close() raises RuntimeError
        with advice, and the client stays open."""
        check_script("""
            from confluent_kafka import Producer

            class Closing:
                def __index__(self):
                    producer.close(0)

            producer = Producer({"bootstrap.servers": ""})
            try:
                producer.produce_batch("topic", [{"value": b"1", "partition": Closing()}])
            except RuntimeError as error:
                assert "call wakeup() there, and close() when that call has returned" in str(error)
            else:
                raise AssertionError("it was not refused")
            assert producer.produce_batch("topic", [{"value": b"2"}]) == 1
            producer.close(0)
        """)

    def test_beside_another_thread(self) -> None:
        """close() ends the call of another thread before it raises.

        A later close() completes the work.
        """
        check_script("""
            import threading
            from confluent_kafka import Producer

            inside = threading.Event()

            class Closing:
                def __index__(self):
                    inside.wait()
                    producer.close(0)

            def on_stats(text):
                inside.set()

            producer = Producer(
                {"bootstrap.servers": "", "statistics.interval.ms": 10, "stats_cb": on_stats}
            )
            thread = threading.Thread(target=producer.poll, args=(-1,))
            thread.start()
            try:
                producer.produce_batch("topic", [{"value": b"1", "partition": Closing()}])
            except RuntimeError as error:
                assert "call wakeup() there" in str(error)
            else:
                raise AssertionError("it was not refused")
            producer.close(0)
            thread.join()
        """)


class TestContextManager:
    @each_client
    def test_closes(self, client: type[Any]) -> None:
        """`with` returns the client itself, and closes the client at the end."""
        made = client(config(client=client))
        with made as entered:
            assert entered is made
        with pytest.raises(RuntimeError, match="has been closed"):
            made.cluster_id(0)

    @each_client
    def test_lets_exceptions_through(self, client: type[Any]) -> None:
        """`with` raises the exception of the block, and still closes the client."""
        with pytest.raises(ZeroDivisionError), client(config(client=client)) as made:
            raise ZeroDivisionError
        with pytest.raises(RuntimeError, match="has been closed"):
            made.cluster_id(0)

    @pytest.mark.parametrize("in_block", [False, True])
    @each_client
    def test_raises_what_a_callback_raised(self, client: type[Any], in_block: bool) -> None:
        """The end of `with` raises a callback's exception, even if nobody polled. An exception of
        the block becomes its context."""
        logger = logging.Logger("fails later")

        def fail(_: object) -> bool:
            logger.removeFilter(fail)
            raise ZeroDivisionError

        with (  # noqa: PT012
            pytest.raises(ZeroDivisionError) as caught,
            client(config({"logger": logger, "debug": "all"}, client)) as made,
        ):
            logger.addFilter(fail)
            # This call makes librdkafka log a record about waking its broker threads.
            made.set_sasl_credentials("user", "password")
            if in_block:
                raise KeyError
        assert isinstance(caught.value.__context__, KeyError) == in_block
        with pytest.raises(RuntimeError, match="has been closed"):
            made.cluster_id(0)
        made.close()

    @each_client
    def test_calls_the_close_of_a_subclass(self, client: type[Any]) -> None:
        """The end of `with` calls the close() of a subclass."""
        closed = []

        class Sub(client):  # type: ignore[misc]
            def close(self) -> None:
                closed.append(True)
                super().close()

        with Sub(config(client=client)):
            pass
        assert closed == [True]

    @each_client
    def test_closed_within(self, client: type[Any]) -> None:
        """A program may call close() inside the block."""
        with client(config(client=client)) as made:
            made.close()


class TestInitialisation:
    @each_client
    def test_twice(self, client: type[Any]) -> None:
        """A second __init__ is refused, and the client continues to work."""
        with client(config(client=client)) as made:
            with pytest.raises(RuntimeError, match="already initialized"):
                made.__init__(config(client=client))
            made.cluster_id(0)

    @each_call
    def test_not_at_all(self, client: type[Any], call: Callable[[Any], object]) -> None:
        """If a subclass does not call super().__init__(), every method raises an error with this
        advice."""

        class Sub(client):  # type: ignore[misc]
            def __init__(self) -> None:
                pass

        with pytest.raises(RuntimeError, match=r"call super\(\).__init__\(config\) first"):
            call(Sub())

    @each_client
    def test_close_without(self, client: Any) -> None:
        """close() in the `finally` of a failed constructor does not raise."""
        made = client.__new__(client)
        made.close()
        made.close()

    @each_client
    def test_after_failure(self, client: Any) -> None:
        """A failed __init__ can be repeated with another configuration."""
        made = client.__new__(client)
        for _ in range(3):
            with pytest.raises(KafkaException):
                made.__init__(config({"no.such.key": 1}, client))
            refusal = ValueError if client is ShareConsumer else KafkaException
            with pytest.raises(refusal, match="Failed to create"):
                made.__init__(
                    config({"security.protocol": "sasl_ssl", "sasl.mechanism": "?"}, client)
                )
        made.__init__(config(client=client))
        made.cluster_id(0)
        made.close()

    @each_client
    @pytest.mark.parametrize("more", BAD_SETTINGS.values(), ids=BAD_SETTINGS)
    def test_after_each_failure(self, client: Any, more: dict[str, Any]) -> None:
        """__init__ can fail at several places.

        Afterwards, calls raise an error, and close() works and is final. The client can also be
        initialised with another configuration, or dropped.
        """

        def failed() -> Any:
            made = client.__new__(client)
            with pytest.raises((KafkaException, TypeError, ValueError)) as caught:
                made.__init__(config(more, client))
            assert re.search(f"{re.escape(next(reversed(more)))}|Failed to", str(caught.value))
            return made

        threads = set(threading.enumerate())  # threads of other tests may still end
        made = failed()
        with pytest.raises(RuntimeError, match="is not initialised"):
            made.poll(0)
        made.__init__(config(client=client))
        made.close()
        made = failed()
        made.close()
        made.close()
        with pytest.raises(RuntimeError, match="already initialized"):
            made.__init__(config(client=client))
        assert_collected(failed)
        assert set(threading.enumerate()) <= threads

    @each_client
    @pytest.mark.parametrize("cause", ["logger", "thread"])
    def test_after_a_late_failure(
        self, client: Any, cause: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """If __init__ failed after librdkafka's handle was created, the error asks for a new
        client. The object frees the handle, and does not wait for a thread that has never run."""

        def refuse(thread: threading.Thread) -> None:
            raise ZeroDivisionError

        settings: dict[str, Any] = {"logger": FailingLogger(), "debug": "all"}
        if cause == "thread":
            monkeypatch.setattr(threading.Thread, "start", refuse)
            settings = {"security.protocol": "sasl_plaintext", "sasl.mechanism": "OAUTHBEARER"}
            settings["oauth_cb"] = lambda _: ("token", 4e9)

        def failed() -> Any:
            made = client.__new__(client)
            with pytest.raises(ZeroDivisionError):
                made.__init__(config(settings, client))
            return made

        made = failed()
        with pytest.raises(RuntimeError, match="is not initialised"):
            made.poll(0)
        for _ in range(2):
            with pytest.raises(RuntimeError, match=r"__init__\(\) failed .* create a new one"):
                made.__init__(config(client=client))
        made.close()
        made.close()
        del made
        leave_out_what_is_there()
        taken = []
        for _ in range(10):
            watch = Stopwatch()
            assert_collected(failed)
            taken.append(watch.elapsed)
        assert min(taken) < 2  # a wait for the thread would take at least this long

    @each_client
    def test_by_many_threads(self, client: Any) -> None:
        """One of the threads initialises the client.

        The calls of the other threads raise an error.
        """
        made = client.__new__(client)
        barrier = threading.Barrier(4)

        def initialise() -> str:
            barrier.wait(TIMEOUT)
            try:
                made.__init__(config(client=client))
            except RuntimeError as error:
                return str(error)
            return ""

        outcomes = [thread.result() for thread in [Thread(initialise) for _ in range(4)]]
        assert sorted(outcomes) == ["", *[f"{client.__name__} already initialized"] * 3]
        made.cluster_id(0)
        made.close()

    @each_client
    def test_while_another_thread_closes(self, client: Any) -> None:
        """Whether __init__ or close() comes first, a second close() closes the client."""
        for _ in range(5):
            made = client.__new__(client)
            barrier = threading.Barrier(2)

            def initialise(made: Any = made, barrier: threading.Barrier = barrier) -> None:
                barrier.wait(TIMEOUT)
                with contextlib.suppress(RuntimeError):
                    made.__init__(config(client=client))

            thread = Thread(initialise)
            barrier.wait(TIMEOUT)
            made.close()
            thread.result()
            made.close()
            with pytest.raises(RuntimeError, match="has been closed"):
                made.cluster_id(0)

    def test_base_of_the_clients(self) -> None:
        """The base class is only for isinstance(), and cannot be created."""
        base = Producer.__mro__[1]
        assert base in Consumer.__mro__
        with pytest.raises(TypeError, match="cannot create"):
            base(config())

    def test_both_at_once(self) -> None:
        """A class cannot be derived from two types of clients."""
        with pytest.raises(TypeError, match="lay-out conflict"):
            type("Both", (Producer, Consumer), {})


class TestSubclass:
    @each_client
    def test_with_attributes(self, client: type[Any]) -> None:
        """Subclasses have a __dict__, methods and __init__ of their own."""

        class Sub(client):  # type: ignore[misc]
            def __init__(self, name: str) -> None:
                super().__init__(config(client=client))
                self.name = name

            def cluster_id(self, timeout: float = 0) -> Any:
                return self.name, super().cluster_id(timeout)

        with Sub("mine") as made:
            assert made.cluster_id()[0] == "mine"
            assert vars(made) == {"name": "mine"}
            assert isinstance(made, client)

    @each_client
    def test_with_slots(self, client: type[Any]) -> None:
        """A subclass with __slots__ works. Without a __dict__, no other attributes can be set."""

        class Sub(client):  # type: ignore[misc]
            __slots__ = ("name",)

        with Sub(config(client=client)) as made:
            made.name = "mine"
            assert made.name == "mine"
            with pytest.raises(AttributeError):
                made.other = 1

    @each_client
    def test_attribute_of_a_client_itself(self, client: type[Any]) -> None:
        """A misspelt attribute is an error, not a new attribute."""
        with client(config(client=client)) as made, pytest.raises(AttributeError):
            made.timeout = 1

    @each_client
    def test_finalizer_that_keeps_the_client(self, client: type[Any]) -> None:
        """If __del__ stores the client again, the client still works."""
        kept: list[Any] = []

        class Sub(client):  # type: ignore[misc]
            def __del__(self) -> None:
                if not kept:
                    kept.append(self)

        Sub(config(client=client))
        gc.collect()
        (made,) = kept
        made.cluster_id(0)
        made.close()


class TestReferences:
    @each_client
    def test_weak_reference(self, client: type[Any]) -> None:
        """A weak reference does not keep a client alive, and returns None after the client is
        freed."""
        made = client(config(client=client))
        reference = weakref.ref(made)
        made.close()
        assert reference() is made
        del made
        gc.collect()
        assert reference() is None

    @each_client
    def test_as_a_key(self, client: type[Any]) -> None:
        """A client equals only itself, and can be in sets and dicts."""
        with client(config(client=client)) as first, client(config(client=client)) as second:
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
        """If a callback refers to its client, as methods do, both are collected."""

        def make() -> Any:
            holder: dict[str, Any] = {}
            holder["client"] = made = client(config({key: lambda *_: holder}, client))
            if closed:
                made.close()
            return made

        assert_collected(make)

    @each_client
    def test_cycle_through_the_logger(self, client: type[Any]) -> None:
        """If a logger refers to its client, both are collected."""

        class Log:
            client: Any

            def log(self, *args: object) -> None:
                pass

        def make() -> Any:
            log = Log()
            log.client = client(config({"logger": log}, client))
            return log.client

        assert_collected(make)

    def test_cycle_through_rebalance_callbacks(self) -> None:
        """A consumer whose rebalance callbacks are methods of its owner is collected with the
        owner."""

        class Reader:
            def __init__(self) -> None:
                self.consumer = Consumer(config())
                self.consumer.subscribe(
                    ["topic"], on_assign=self.seen, on_revoke=self.seen, on_lost=self.seen
                )

            def seen(self, *_: object) -> None:
                pass

        assert_collected(lambda: Reader().consumer)

    @pytest.mark.parametrize("more", [[], ["another"]], ids=["last", "earlier"])
    def test_cycle_through_a_topic(self, more: list[str]) -> None:
        """A producer keeps only the text of a topic, so a topic object may refer to the
        producer."""

        class Topic(str):
            producer: Producer

        def make() -> Producer:
            producer = Producer(config())
            topic = Topic("t")
            topic.producer = producer
            for name in [topic, *more]:
                producer.produce(name, b"v")
            producer.purge()
            producer.poll(0)
            return producer

        assert_collected(make)

    def test_cycle_through_a_subclass(self) -> None:
        """A client that is its own attribute is collected."""

        class Sub(Producer):
            me: Any

        def make() -> Producer:
            made = Sub(config())
            made.me = made
            return made

        assert_collected(make)

    def test_cycle_through_an_exception_not_raised_yet(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A client can keep exceptions of callbacks that no call has raised yet.

        They refer to frames with the client. When the garbage collector deletes the client, it
        reports them.
        """
        shown: list[type[BaseException] | None] = []
        monkeypatch.setattr(sys, "unraisablehook", lambda info: shown.append(info.exc_type))

        def make() -> Producer:
            holder: dict[str, Producer] = {}
            depth: list[int] = []

            def fail(*_: object) -> None:
                made = holder["client"]
                depth.append(1)
                # The limit is needed on a busy machine, where many statistics can be in the queue.
                if len(depth) < 20:
                    made.poll(0)
                raise ZeroDivisionError(made)

            made = Producer(config({"stats_cb": fail, "statistics.interval.ms": 1}))
            holder["client"] = made
            # The first exception is raised; the exceptions of nested polls are raised later.
            with pytest.raises(ZeroDivisionError):
                made.poll(TIMEOUT)
            return made

        assert_collected(make)
        assert set(shown) <= {ZeroDivisionError}


class TestResourceWarning:
    @each_client
    def test_client_that_was_not_closed(self, client: type[Any]) -> None:
        """Dropping an open client raises a ResourceWarning, as with files and sockets."""
        made = client(config(client=client))
        with pytest.warns(ResourceWarning, match=f"{client.__name__} was not closed") as caught:
            del made
        assert "call close() or use 'with'" in str(caught[0].message)

    def test_name_of_a_subclass(self) -> None:
        """The warning names the subclass."""

        class Mine(Producer):
            pass

        made = Mine(config())
        with pytest.warns(ResourceWarning, match="Mine was not closed"):
            del made

    @each_client
    def test_no_warning(self, client: Any) -> None:
        """Clients that were closed or never opened do not warn."""
        gc.collect()  # frees the garbage of earlier tests
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            client(config(client=client)).close()
            client.__new__(client)
            with pytest.raises(KafkaException):
                client(config({"no.such.key": 1}, client))
            with pytest.raises(ZeroDivisionError):
                client(config({"logger": FailingLogger(), "debug": "all"}, client))
            gc.collect()
        assert not caught

    @each_client
    def test_warning_as_an_error(self, client: type[Any]) -> None:
        """With -W error the warning goes to sys.unraisablehook, because a finalizer cannot
        raise."""
        script = """
            import sys, warnings
            from confluent_kafka import Consumer, Producer, ShareConsumer
            from confluent_kafka.admin import AdminClient

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
        """Clients cannot be pickled.

        Spark and multiprocessing pickle the objects that a task uses, so the error contains advice.
        """
        with (
            client(config(client=client)) as made,
            pytest.raises(TypeError, match=f"cannot pickle .*{client.__name__}: send its conf"),
        ):
            copier(made)
