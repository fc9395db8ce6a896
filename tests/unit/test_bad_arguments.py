"""Wrong arguments to everything in the extension: a typed error that names the argument.

The calls and their parameters come from introspection: a new callable, or a new parameter,
fails here until the tables below say how it is called and what it takes.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition, cimpl
from confluent_kafka.cimpl import Message, MessageBatch, MockCluster, Uuid
from tests.support.clients import config, empty_batch, group_metadata, partitions
from tests.support.waiting import TIMEOUT, Stopwatch

REFUSALS = (TypeError, ValueError, OverflowError, KafkaException)
# What a call with arguments that it takes may end with: there is no member, no transaction ...
OUTCOMES = (*REFUSALS, RuntimeError, BufferError)


class Text(str):
    __slots__ = ()


class Unhashable:
    __hash__ = None  # type: ignore[assignment]


VALUES: dict[str, Any] = {
    "None": None,
    "True": True,
    "1": 1,
    "-1": -1,
    "-2**15": -(2**15),
    "2**33": 2**33,
    "-2**33": -(2**33),
    "2**70": 2**70,
    "-2**70": -(2**70),
    "10**400": 10**400,
    "1.5": 1.5,
    "-0.5": -0.5,
    "inf": float("inf"),
    "-inf": float("-inf"),
    "nan": float("nan"),
    "complex": 1j,
    "empty": "",
    "text": "text",
    "subclass": Text("text"),
    "NUL": "a\0b",
    "surrogate": "\ud800",
    "bytes": b"bytes",
    "bytearray": bytearray(b"bytes"),
    "gaps": memoryview(b"bytes")[::2],
    "list": [],
    "of objects": [object()],
    "of None": [None],
    "of surrogates": ["\ud800"],
    "of NUL": ["a\0b"],
    "of int": [2**70],
    "of pairs": [("\ud800", b"")],
    "of long tuples": [(1, 2, 3)],
    "dict": {},
    "dict of int": {1: 2},
    "dict of surrogates": {"\ud800": b""},
    "set": set(),
    "generator": (each for each in ()),
    "callable": lambda *_: None,
    "class": KafkaException,
    "unhashable": Unhashable(),
    "object": object(),
    "error": KafkaError(KafkaError._FAIL),
    "partition": TopicPartition("topic", 0, 0),
    "of partitions": [TopicPartition("topic", 0, 0)],
    "unset partition": TopicPartition.__new__(TopicPartition),
    "of unset partitions": [TopicPartition.__new__(TopicPartition)],
    "message": Message("topic", 0, 0),
}


class Kind(NamedTuple):
    """A kind of parameter: an argument for it, and the names of the VALUES that it takes."""

    valid: Any
    takes: set[str]

    def __or__(self, more: str) -> Kind:  # type: ignore[override]
        return Kind(self.valid, self.takes | set(more.split(", ")))


_INT32 = "True, 1, -1, -2**15"
_INT64 = f"{_INT32}, 2**33, -2**33"

NAME = Kind("topic", set()) | "text, subclass"
TEXT = NAME | "empty"
BYTES = Kind(b"bytes", set()) | "bytes, bytearray, text, subclass, empty, NUL"
PAYLOAD = BYTES | "None"
ID = Kind(1, set()) | "True, 1"
PARTITION = ID | "-1"
INT32 = ID | _INT32
INT64 = ID | _INT64
SECONDS = Kind(0, set()) | f"{_INT64}, 2**70, -2**70, 1.5, -0.5, inf, -inf"
DELAY = Kind(1, set()) | "True, 1, 1.5"
BOOL = Kind(False, set()) | "True, 1"
CALLBACK = Kind(None, set()) | "None, callable, class"
PARTITIONS = Kind(partitions(), set()) | "list, of partitions"
HEADERS = Kind(None, set()) | "None, list, dict"
ERROR = Kind(None, set()) | "None, error"
REQUEST = Kind("Produce", set())
ANYTHING = Kind(None, set(VALUES))

_PRODUCE = {"callback": CALLBACK, "on_delivery": CALLBACK, "block": SECONDS}
_PARTITIONS = {"partitions": PARTITIONS}
_TIMEOUT = {"timeout": SECONDS}
_EXIT = dict.fromkeys(("exc_type", "exc_value", "traceback"), ANYTHING)
_PLACE = {"topic": NAME, "partition": ID}
_KEYS = {"key": BYTES, "partition_count": ID}

# Every callable of the extension, by its name, with every parameter of its signature.
MATRIX: dict[str, dict[str, Kind]] = {
    "version": {},
    "libversion": {},
    "murmur2": _KEYS,
    "consistent": _KEYS,
    "fnv1a": _KEYS,
    "KafkaError": {
        "error": INT32,
        "reason": TEXT | "None",
        "fatal": BOOL,
        "retriable": BOOL,
        "txn_requires_abort": BOOL,
    },
    **{f"KafkaError.{name}": {} for name in ("code", "name", "str")},
    **{f"KafkaError.{name}": {} for name in ("fatal", "retriable", "txn_requires_abort")},
    "Uuid": {"most_significant_bits": INT64, "least_significant_bits": INT64},
    "Uuid.get_most_significant_bits": {},
    "Uuid.get_least_significant_bits": {},
    "TopicPartition": {
        "topic": TEXT,
        "partition": INT32,
        "offset": INT64,
        "metadata": TEXT | "None",
        "leader_epoch": INT32 | "None",
        "error": ERROR,
    },
    "Message": {
        "topic": TEXT | "None",
        "partition": INT32 | "None",
        "offset": INT64 | "None",
        "key": ANYTHING,
        "value": ANYTHING,
        "headers": HEADERS,
        "error": ERROR,
        "timestamp": Kind((1, 0), {"None"}),
        "latency": SECONDS | "None",
        "leader_epoch": INT32 | "None",
        "delivery_count": INT32 | "None",
    },
    **{f"Message.{name}": {} for name in ("topic", "partition", "offset", "key", "value")},
    **{f"Message.{name}": {} for name in ("headers", "error", "timestamp", "latency")},
    **{f"Message.{name}": {} for name in ("leader_epoch", "delivery_count")},
    **{f"Message.deserialized_{name}": {} for name in ("key", "value")},
    "Message.set_topic": {"topic": TEXT | "None"},
    "Message.set_key": {"key": ANYTHING},
    "Message.set_value": {"value": ANYTHING},
    "Message.set_headers": {"headers": HEADERS},
    "Message.set_error": {"error": ERROR},
    "MessageBatch.__arrow_c_schema__": {},
    "MessageBatch.__arrow_c_array__": {"requested_schema": ANYTHING},
    "MessageBatch.__arrow_c_stream__": {"requested_schema": ANYTHING},
    "_Client.list_topics": {"topic": NAME | "None", "timeout": SECONDS},
    "_Client.cluster_id": _TIMEOUT,
    "_Client.set_sasl_credentials": {"username": TEXT, "password": TEXT},
    "_Client.wakeup": {},
    "_Client.__enter__": {},
    "_Client.__exit__": _EXIT,
    "Producer.produce": {
        "topic": NAME,
        "value": PAYLOAD,
        "key": PAYLOAD,
        "partition": PARTITION,
        "timestamp": INT64,
        "headers": HEADERS,
        **_PRODUCE,
    },
    "Producer.produce_batch": {
        "topic": NAME,
        "messages": Kind([], {"list", "of surrogates", "of None"}),
        "partition": PARTITION,
        **_PRODUCE,
    },
    "Producer.produce_arrow": {
        "batch": Kind(empty_batch(), set()),
        "topic": NAME | "None",
        "on_delivery": CALLBACK,
        "block": SECONDS,
    },
    **{f"Producer.{name}": _TIMEOUT for name in ("poll", "flush", "close")},
    "Producer.purge": dict.fromkeys(("in_queue", "in_flight", "blocking"), BOOL),
    "Producer.begin_transaction": {},
    **{f"Producer.{name}_transaction": _TIMEOUT for name in ("commit", "abort")},
    "Producer.init_transactions": _TIMEOUT,
    "Producer.send_offsets_to_transaction": {
        "positions": PARTITIONS,
        "group_metadata": Kind(group_metadata(), set()),
        "timeout": SECONDS,
    },
    "Consumer.poll": _TIMEOUT,
    "Consumer.consume": {"num_messages": ID, "timeout": SECONDS},
    "Consumer.consume_arrow": {"num_messages": ID, "timeout": SECONDS, "headers": BOOL},
    "Consumer.subscribe": {
        "topics": Kind(["topic"], set()),
        **dict.fromkeys(("on_assign", "on_revoke", "on_lost"), CALLBACK),
    },
    **{f"Consumer.{name}": {} for name in ("unsubscribe", "unassign", "assignment", "close")},
    **{f"Consumer.{name}": {} for name in ("memberid", "consumer_group_metadata")},
    **{f"Consumer.{name}": _PARTITIONS for name in ("assign", "pause", "resume", "position")},
    **{f"Consumer.incremental_{name}": _PARTITIONS for name in ("assign", "unassign")},
    **{
        f"Consumer.{name}": {"partitions": PARTITIONS, "timeout": SECONDS}
        for name in ("committed", "offsets_for_times")
    },
    "Consumer.commit": {
        "message": Kind(None, {"None", "message"}),
        "offsets": PARTITIONS | "None",
        "asynchronous": BOOL,
    },
    "Consumer.store_offsets": {
        "message": Kind(None, {"None", "message"}),
        "offsets": PARTITIONS | "None",
    },
    "Consumer.seek": {"partition": Kind(TopicPartition("topic", 0, 0), {"partition"})},
    "Consumer.get_watermark_offsets": {
        "partition": Kind(TopicPartition("topic", 0), {"partition"}),
        "timeout": SECONDS,
        "cached": BOOL,
    },
    "MockCluster": {"brokers": ID},
    "MockCluster.create_topic": {"topic": NAME, "partitions": ID, "replication_factor": ID},
    "MockCluster.set_topic_error": {"topic": NAME, "error": ERROR | _INT32},
    "MockCluster.set_leader": {**_PLACE, "broker_id": ID | "None"},
    "MockCluster.set_follower": {**_PLACE, "broker_id": ID | "None"},
    "MockCluster.set_follower_watermarks": {
        **_PLACE,
        "low": ID | "None, 2**33",
        "high": ID | "None, 2**33",
    },
    "MockCluster.set_broker_down": {"broker_id": ID | "None"},
    "MockCluster.set_broker_up": {"broker_id": ID | "None"},
    "MockCluster.set_rack": {"broker_id": ID | "None", "rack": TEXT},
    "MockCluster.set_round_trip_time": {"broker_id": ID | "None", "round_trip_time": DELAY},
    "MockCluster.set_coordinator": {
        "coordinator_type": Kind("group", set()),
        "key": TEXT,
        "broker_id": ID,
    },
    "MockCluster.set_group_initial_rebalance_delay": {"delay": DELAY},
    "MockCluster.set_group_consumer_heartbeat_interval": {"interval": DELAY},
    "MockCluster.set_group_consumer_session_timeout": {"timeout": DELAY},
    "MockCluster.inject_errors": {
        "request": REQUEST,
        "errors": Kind([KafkaError._FAIL], {"list"}),
        "broker_id": ID | "None",
        "round_trip_time": Kind(None, {"None"}),  # needs broker_id
    },
    "MockCluster.pending_errors": {"request": REQUEST, "broker_id": ID},
    "MockCluster.clear_errors": {"request": REQUEST | "None"},
    "MockCluster.set_api_versions": {
        "request": REQUEST,
        "min_version": Kind(0, set()),
        "max_version": Kind(3, set()) | "True, 1",
    },
    **{f"MockCluster.{name}_request_tracking": {} for name in ("start", "stop")},
    **{f"MockCluster.{name}": {} for name in ("requests", "clear_requests", "close")},
    "MockCluster.__enter__": {},
    "MockCluster.__exit__": _EXIT,
}
# Their constructors have tests of their own below, or are those of Exception and tuple.
CONSTRUCTORS = {"Producer", "Consumer", "_Client", "MessageBatch", "KafkaException", "MockRequest"}


def names_of_callables() -> set[str]:
    """What can be called from outside: functions, types and their methods."""
    names = {name for name in vars(cimpl) if inspect.isbuiltin(getattr(cimpl, name))}
    types = [value for value in vars(cimpl).values() if isinstance(value, type)]
    methods = {
        f"{owner.__name__}.{name}"
        for owner in types
        for name, value in vars(owner).items()
        if type(value) is type(str.join) and name != "__reduce__"  # of pickle
    }
    names |= methods | {owner.__name__ for owner in types}
    return {name for name in names if not name.startswith(("_mark", "_close"))}


@pytest.fixture(scope="module")
def cluster() -> Iterator[MockCluster]:
    with MockCluster(1) as cluster:
        cluster.create_topic("topic")
        yield cluster


@pytest.fixture
def owners(cluster: MockCluster) -> Iterator[dict[str, Callable[[], Any]]]:
    """Makes an object of each type that has methods."""
    settings = config({"bootstrap.servers": cluster.bootstrap_servers})
    with contextlib.ExitStack() as stack:

        def producer() -> Producer:
            producer = Producer(settings)
            stack.callback(producer.close, 0)
            return producer

        yield {
            "Producer": producer,
            "_Client": producer,
            "Consumer": lambda: stack.enter_context(Consumer(settings)),
            "MockCluster": lambda: stack.enter_context(MockCluster(1)),
            "KafkaError": lambda: KafkaError(0),
            "Uuid": lambda: Uuid(1, 2),
            "Message": Message,
            "MessageBatch": empty_batch,
            "TopicPartition": lambda: TopicPartition("topic"),
        }


Owners = dict[str, Callable[[], Any]]


class Target:
    """One callable, with its signature and arguments that it takes."""

    def __init__(self, name: str, owners: Owners) -> None:
        owner, _, method = name.partition(".")
        self.owner = owners[owner]() if method else None
        self.function = getattr(self.owner, method) if method else getattr(cimpl, owner)
        self.label = method or owner
        self.parameters = inspect.signature(self.function).parameters.values()
        self.valid = {
            parameter.name: MATRIX[name][parameter.name].valid
            for parameter in self.parameters
            if parameter.default is parameter.empty
        }

    def __call__(self, **arguments: Any) -> Any:
        """Calls it with these and what else it needs; waits for nothing."""
        if isinstance(self.owner, Producer | Consumer):
            with contextlib.suppress(RuntimeError):  # close() has closed it
                self.owner.wakeup()
        arguments = self.valid | arguments
        places = [
            arguments.pop(parameter.name)
            for parameter in self.parameters
            if parameter.kind is parameter.POSITIONAL_ONLY
        ]
        return self.function(*places, **arguments)


def test_matrix_is_complete() -> None:
    """No callable and no parameter of the extension is left out."""
    assert names_of_callables() == MATRIX.keys() | CONSTRUCTORS
    for name, kinds in MATRIX.items():
        owner, _, method = name.partition(".")
        function = getattr(getattr(cimpl, owner), method) if method else getattr(cimpl, owner)
        assert set(inspect.signature(function).parameters) - {"self"} == kinds.keys(), name
    assert set().union(
        *(kind.takes for kinds in MATRIX.values() for kind in kinds.values())
    ) == set(VALUES)


@pytest.mark.parametrize("name", MATRIX)
def test_wrong_values_are_refused(name: str, owners: Owners) -> None:
    """Each value that a parameter does not take is a typed error that names the parameter."""
    call = Target(name, owners)
    wrong = []
    for parameter, kind in MATRIX[name].items():
        for label in VALUES.keys() - kind.takes:
            try:
                call(**{parameter: VALUES[label]})
            except REFUSALS as error:
                if parameter not in str(error):
                    wrong.append(f"{parameter}={label}: {error!r} does not name it")
            else:
                wrong.append(f"{parameter}={label}: no error")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", MATRIX)
def test_odd_values_are_taken(name: str, owners: Owners) -> None:
    """The others do not wait, crash, or end with anything but what the call documents."""
    call = Target(name, owners)
    for parameter, kind in MATRIX[name].items():
        for label in kind.takes:
            watch = Stopwatch()
            try:
                call(**{parameter: VALUES[label]})
            except OUTCOMES as error:
                assert not isinstance(error, TypeError | OverflowError), (parameter, label)
            assert watch.elapsed < TIMEOUT


@pytest.mark.parametrize("name", MATRIX)
def test_shape_of_the_call(name: str, owners: Owners) -> None:
    """Too many, unknown, doubled and missing arguments are a TypeError that says which."""
    call = Target(name, owners)
    with pytest.raises(TypeError):
        call.function(*([None] * 20))
    with pytest.raises(TypeError):
        call(nonsense=1)
    for parameter in call.parameters:
        if parameter.name not in call.valid:
            continue
        rest = Target(name, owners)
        del rest.valid[parameter.name]
        if parameter.kind is parameter.POSITIONAL_ONLY:
            with pytest.raises(TypeError):
                rest.function(**call.valid)
            continue
        with pytest.raises(TypeError, match=parameter.name):
            rest()
    first = next(iter(call.parameters), None)
    if first is not None and first.kind is first.POSITIONAL_OR_KEYWORD:
        with pytest.raises(TypeError, match=first.name):
            call.function(None, **{first.name: None})


@pytest.mark.parametrize("client", [Producer, Consumer])
def test_wrong_configurations(client: Callable[..., Any]) -> None:
    """The one place of a client's constructor takes a dict."""
    for label in VALUES.keys() - {"dict", "dict of int", "dict of surrogates"}:
        with pytest.raises(TypeError, match="config"):
            client(VALUES[label])
    for label in ("dict of int", "dict of surrogates"):
        with pytest.raises(REFUSALS):
            client(VALUES[label])
    with pytest.raises(TypeError):
        client({}, {})


@pytest.mark.parametrize("owner", [cimpl._Client, MessageBatch])
def test_types_without_a_constructor(owner: Callable[..., Any]) -> None:
    """What only the extension makes cannot be made, or half made, from outside."""
    for arguments in ((), (1,), ({},)):
        with pytest.raises(TypeError, match=owner.__name__):
            owner(*arguments)
    with pytest.raises(TypeError):
        object.__new__(owner)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "name", ["KafkaError", "Uuid", "Message", "MessageBatch", "TopicPartition", "MockCluster"]
)
def test_attributes(name: str, owners: Owners) -> None:
    """Attributes are read-only or as strict as the constructor; none can be deleted."""
    target = owners[name]()
    for attribute, descriptor in vars(type(target)).items():
        if not inspect.isgetsetdescriptor(descriptor) or attribute.startswith("__"):
            continue
        settable = attribute in {"partition", "offset"}
        kind = MATRIX["TopicPartition"][attribute] if settable else Kind(None, set())
        for label in VALUES.keys() - kind.takes:
            with pytest.raises(REFUSALS if settable else AttributeError, match=attribute):
                setattr(target, attribute, VALUES[label])
        with pytest.raises((TypeError, AttributeError)):
            delattr(target, attribute)


@pytest.mark.parametrize(
    "name", ["KafkaError", "Uuid", "Message", "MessageBatch", "TopicPartition", "MockCluster"]
)
def test_comparisons(name: str, owners: Owners) -> None:
    """Nothing equals a thing of another kind, and only a number orders beside a KafkaError."""
    target = owners[name]()
    for label in VALUES.keys() - {"error", "partition", "message", "unset partition"}:
        assert (target == VALUES[label]) is False, label
        assert (target != VALUES[label]) is True, label
        if name != "KafkaError":
            with pytest.raises(TypeError):
                target < VALUES[label]  # noqa: B015
