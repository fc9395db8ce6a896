"""Wrong arguments to every callable of the extension raise a typed error that names the argument.

The calls and their parameters come from introspection. If the extension gets a new callable or
parameter, a test here fails until the matrix in tests/support/arguments.py contains it.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    ShareConsumer,
    cimpl,
)
from confluent_kafka.cimpl import (
    DecodedRows,
    EncodedRows,
    MessageBatch,
    MockCluster,
    TopicPartition,
    Uuid,
    _AdminClient,
    _AvroWriter,
)
from tests.support.arguments import MATRIX, SHAPES, VALUES, Kind
from tests.support.clients import config, empty_batch
from tests.support.columns import (
    column_batch,
    decoded_rows,
    encoded_rows,
    payload_program,
    row_program,
)
from tests.support.waiting import TIMEOUT, Stopwatch

REFUSALS = (TypeError, ValueError, OverflowError, KafkaException)
# The constructors of these types have tests of their own below, or come from Exception and tuple.
CONSTRUCTORS = {
    *("Producer", "Consumer", "ShareConsumer", "_AdminClient", "_Client"),
    *("DecodedRows", "EncodedRows", "MessageBatch", "MockRequest", "_Record"),
}
CONSTRUCTORS |= {name for name in vars(cimpl) if name.endswith("Exception")}
each_object = pytest.mark.parametrize(
    "name",
    [
        *(
            "DecodedRows",
            "EncodedRows",
            "KafkaError",
            "Uuid",
            "Message",
            "MessageBatch",
            "TopicPartition",
        ),
        "MockCluster",
    ],
)
CLOSABLE = (
    *("_Client.", "Producer.", "Consumer.", "ShareConsumer.", "_AdminClient."),
    "MockCluster.",
)


def names_of_callables() -> set[str]:
    """The names of all public callables: functions, types and the methods of types."""
    names = {name for name in vars(cimpl) if inspect.isbuiltin(getattr(cimpl, name))}
    types = [value for value in vars(cimpl).values() if isinstance(value, type)]
    methods = {
        f"{owner.__name__}.{name}"
        for owner in types
        for name, value in vars(owner).items()
        if type(value) is type(str.join)
        and name not in {"__reduce__", "__replace__"}  # for pickle and for copy
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
    sharing = config({"bootstrap.servers": cluster.bootstrap_servers}, ShareConsumer)
    with contextlib.ExitStack() as stack:

        def producer() -> Producer:
            producer = Producer(settings)
            stack.callback(producer.close, 0)
            return producer

        yield {
            "Producer": producer,
            "_Client": producer,
            "_AdminClient": lambda: stack.enter_context(_AdminClient(settings)),
            "Consumer": lambda: stack.enter_context(Consumer(settings)),
            "ShareConsumer": lambda: stack.enter_context(ShareConsumer(sharing)),
            "MockCluster": lambda: stack.enter_context(MockCluster(1)),
            "KafkaError": lambda: KafkaError(0),
            "KafkaException": lambda: KafkaException(KafkaError(0)),
            "Uuid": lambda: Uuid(1, 2),
            "Message": Message,
            "MessageBatch": empty_batch,
            "DecodedRows": decoded_rows,
            "EncodedRows": encoded_rows,
            "_RowProgram": row_program,
            "_PayloadProgram": payload_program,
            "_AvroWriter": lambda: _AvroWriter(SHAPES),
            "_ColumnBatch": column_batch,
            "TopicPartition": lambda: TopicPartition("topic"),
        }


Owners = dict[str, Callable[[], Any]]


class Target:
    """One callable, with its signature and valid arguments."""

    def __init__(self, name: str, owners: Owners) -> None:
        owner, _, method = name.partition(".")
        self.owner: Any = owners[owner]() if method else None
        self.function = getattr(self.owner, method) if method else getattr(cimpl, owner)
        self.kinds = MATRIX[name]
        self.parameters = inspect.signature(self.function).parameters.values()
        self.valid = {
            parameter.name: self.kinds[parameter.name].valid
            for parameter in self.parameters
            if parameter.default is parameter.empty
        }

    def with_everything(self) -> Any:
        """Call the target with a valid argument for every parameter."""
        return self(**{name: kind.valid for name, kind in self.kinds.items()})

    def __call__(self, **arguments: Any) -> Any:
        """Call the target with these arguments and the other required arguments, without
        waiting."""
        if isinstance(self.owner, Producer | Consumer | ShareConsumer | _AdminClient):
            with contextlib.suppress(RuntimeError):  # the object is closed
                self.owner.wakeup()
        arguments = self.valid | arguments
        places = [
            arguments.pop(parameter.name)
            for parameter in self.parameters
            if parameter.kind is parameter.POSITIONAL_ONLY and parameter.name in arguments
        ]
        return self.function(*places, **arguments)

    def refusal(self, **arguments: Any) -> Exception | None:
        """The error of the call.

        On a slow machine, the target's own wakeup() can end the call first, so the call is
        repeated.
        """
        refused = None
        for _ in range(10):
            try:
                self(**arguments)
            except REFUSALS as error:
                refused = error
            if "wakeup()" not in str(refused):
                break
        return refused


def test_matrix_is_complete() -> None:
    """No callable and no parameter of the extension is left out."""
    assert names_of_callables() == MATRIX.keys() | CONSTRUCTORS
    for name, kinds in MATRIX.items():
        owner, _, method = name.partition(".")
        function = getattr(getattr(cimpl, owner), method) if method else getattr(cimpl, owner)
        assert set(inspect.signature(function).parameters) - {"self"} == kinds.keys(), name
        assert set().union(*(kind.takes for kind in kinds.values())) <= VALUES.keys(), name
    assert set().union(
        *(kind.takes for kinds in MATRIX.values() for kind in kinds.values())
    ) == set(VALUES)


@pytest.mark.parametrize("name", MATRIX)
def test_wrong_values_are_refused(name: str, owners: Owners) -> None:
    """Each value that a parameter does not accept raises a typed error.

    The error names the parameter, in its text or in a note.
    """
    call = Target(name, owners)
    wrong = []
    for parameter, kind in MATRIX[name].items():
        for label in VALUES.keys() - kind.takes:
            error = call.refusal(**{parameter: VALUES[label]})
            if error is None:
                wrong.append(f"{parameter}={label}: no error")
            elif parameter not in "\n".join([str(error), *getattr(error, "__notes__", [])]):
                wrong.append(f"{parameter}={label}: {error!r} does not name it")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", MATRIX)
def test_odd_values_are_taken(name: str, owners: Owners) -> None:
    """Odd but valid values do not hang or crash; only documented exceptions are raised."""
    call = Target(name, owners)
    # The valid arguments are accepted, so the other tests' errors have no other cause. to_pandas()
    # needs pandas.
    with contextlib.suppress(KafkaException, RuntimeError, ImportError):
        opened = call.with_everything()
        if isinstance(opened, MockCluster):
            opened.close()
    for parameter, kind in MATRIX[name].items():
        for label in kind.takes:
            watch = Stopwatch()
            with contextlib.suppress(
                KafkaException, ValueError, KeyError, RuntimeError, BufferError
            ):
                result = call(**{parameter: VALUES[label]})
                if isinstance(result, MockCluster):
                    result.close()
            assert watch.elapsed < TIMEOUT


@pytest.mark.parametrize("name", MATRIX)
def test_shape_of_the_call(name: str, owners: Owners) -> None:
    """Too many, unknown, repeated and missing arguments raise a TypeError that names the
    argument."""
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


@pytest.mark.parametrize("client", [Producer, Consumer, ShareConsumer, _AdminClient])
def test_wrong_configurations(client: Callable[..., Any]) -> None:
    """The only positional argument of a client's constructor is a dict."""
    for label in VALUES.keys() - {"dict", "dict of int", "dict of surrogates"}:
        with pytest.raises(TypeError, match="config"):
            client(VALUES[label])
    with pytest.raises(REFUSALS):
        client(VALUES["dict of surrogates"])
    with pytest.raises(TypeError):
        client({}, {})


@pytest.mark.parametrize("owner", [cimpl._Client, DecodedRows, EncodedRows, MessageBatch])
def test_types_without_a_constructor(owner: type[Any]) -> None:
    """Python code cannot create objects, or incomplete objects, of types that only the extension
    creates."""
    with pytest.raises(TypeError, match=owner.__name__):
        owner()
    with pytest.raises(TypeError, match=owner.__name__):
        owner({})
    with pytest.raises(TypeError):
        object.__new__(owner)


@each_object
def test_attributes(name: str, owners: Owners) -> None:
    """Attributes are read-only or as strict as the constructor; none can be deleted."""
    target = owners[name]()
    for attribute, descriptor in vars(type(target)).items():
        if not inspect.isgetsetdescriptor(descriptor) or attribute.startswith("__"):
            continue
        if hasattr(BaseException, attribute):
            continue  # every exception has this attribute
        settable = attribute in {"partition", "offset"}
        kind = MATRIX["TopicPartition"][attribute] if settable else Kind(None, set())
        for label in VALUES.keys() - kind.takes:
            with pytest.raises(REFUSALS if settable else AttributeError, match=attribute):
                setattr(target, attribute, VALUES[label])
        with pytest.raises((TypeError, AttributeError)):
            delattr(target, attribute)


@each_object
def test_comparisons(name: str, owners: Owners) -> None:
    """Objects do not equal objects of other types. Order comparisons raise TypeError, except for a
    KafkaError, which can be compared with numbers."""
    target = owners[name]()
    for label in VALUES.keys() - {"error", "partition", "message", "unset partition"}:
        assert (target == VALUES[label]) is False, label
        assert (target != VALUES[label]) is True, label
        if name != "KafkaError":
            with pytest.raises(TypeError):
                target < VALUES[label]  # noqa: B015


@pytest.mark.parametrize("name", [name for name in MATRIX if name.startswith(CLOSABLE)])
def test_closed(name: str, owners: Owners) -> None:
    """A closed object raises RuntimeError for valid arguments.

    For wrong arguments, it may also raise the error of the argument.
    """
    call = Target(name, owners)
    call.owner.close()
    # _interrupt_after() is for tests, and may interrupt close().
    if not name.endswith((".close", "._close", ".__enter__", ".__exit__", "._interrupt_after")):
        with pytest.raises(RuntimeError, match="closed"):
            call.with_everything()
    for parameter, kind in MATRIX[name].items():
        for label in VALUES.keys() - kind.takes:
            with pytest.raises((*REFUSALS, RuntimeError)):
                call(**{parameter: VALUES[label]})


class Hostile:
    """An argument whose methods all raise the same exception."""

    def _fail(self, *_: object) -> Any:
        raise ZeroDivisionError

    __index__ = __float__ = __len__ = __iter__ = __getitem__ = _fail
    __repr__ = __str__ = __eq__ = __hash__ = keys = items = __arrow_c_array__ = _fail


@pytest.mark.parametrize("name", MATRIX)
def test_exceptions_of_arguments(name: str, owners: Owners) -> None:
    """If an argument raises when it is read, the call raises that exception or a typed error."""
    call = Target(name, owners)
    for parameter, kind in MATRIX[name].items():
        for value in (Hostile(), [Hostile()], {"key": Hostile()}, (Hostile(), Hostile())):
            with contextlib.suppress(*REFUSALS, ZeroDivisionError):
                result = call(**{parameter: value})
                # Some parameters accept any object, or a list of objects, and check the objects
                # only later.
                assert {"list", "of objects"} <= kind.takes, f"{name}({parameter}=): {result!r}"


FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"value": 5}, "value"),
    ({"value": "\ud800"}, "value"),
    ({"key": 1.5}, "key"),
    ({"partition": 2**33}, "partition"),
    ({"partition": "0"}, "partition"),
    ({"timestamp": float("nan")}, "timestamp"),
    ({"timestamp": 2**70}, "timestamp"),
    ({"headers": [("name",)]}, "headers"),
    ({"headers": [(1, b"")]}, "headers"),
    ({"headers": {"\ud800": b""}}, "headers"),
    ({"headers": {"a\0b": b""}}, "headers"),
    ({"headers": {"name": 1.5}}, "headers"),
    ({"headers": 5}, "headers"),
    ({"callback": 5}, "callback"),
    ({"on_delivery": "text"}, "on_delivery"),
]


@pytest.mark.parametrize(("fields", "name"), FIELDS)
def test_fields_of_messages(fields: dict[str, Any], name: str, owners: Owners) -> None:
    """produce() and produce_batch() name the field, and a batch also names the message."""
    producer = owners["Producer"]()
    with pytest.raises(REFUSALS, match=name):
        producer.produce("topic", **fields)
    with pytest.raises(REFUSALS, match=rf"^Message {name}\S* at index 1 |index 1: {name}"):
        producer.produce_batch("topic", [b"good", fields])
