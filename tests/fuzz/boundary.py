"""Calls every public callable of the extension and the package with any arguments.

The module finds the callables by introspection, so new callables are included automatically.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import logging
import math
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import confluent_kafka
from confluent_kafka import (
    Consumer,
    DeserializingConsumer,
    DeserializingShareConsumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    SerializingProducer,
    ShareConsumer,
    TopicPartition,
    Uuid,
    cimpl,
)
from confluent_kafka.cimpl import MockCluster
from tests.fuzz.values import HALF_MADE, Ours, configuration, value
from tests.support.arguments import MATRIX, SHAPES, VALUES
from tests.support.clients import empty_batch
from tests.support.columns import (
    column_batch,
    decoded_rows,
    encoded_rows,
    payload_program,
    row_program,
)

# The exceptions of wrong calls. RuntimeError is for closed clients, and includes RecursionError.
# AttributeError is for read-only attributes, and KeyError is for a column's name.
DOCUMENTED = (
    TypeError,
    ValueError,
    OverflowError,
    BufferError,
    RuntimeError,
    AttributeError,
    KeyError,
    StopIteration,
    KafkaException,
    Ours,
)
# These methods are inherited from Exception, tuple and object, so they are CPython's code.
_FOREIGN = {"__dir__", "__sizeof__", "__subclasshook__", "__init_subclass__", "__class_getitem__"}
# The longest wait of a call in seconds. wakeup() ends the calls that would wait for ever.
_LONGEST = 0.002
_TIMEOUTS = ("timeout", "block", "seconds")
_ENDLESS = ("Consumer.__next__", "Consumer.commit", "DeserializingConsumer.__next__")
# This method raises KeyboardInterrupt in a later call, which would end the tests.
SIMULATES_CTRL_C = "_interrupt_after"
_KEPT = 40


class Target(NamedTuple):
    """A callable. A method, or an access to an attribute (get, set, delete), needs an owner."""

    name: str
    owner: type[Any] | None
    call: Callable[..., Any]
    parameters: tuple[str, ...] = ()


def targets() -> list[Target]:
    """Return the functions, constructors, methods and attributes of confluent_kafka and its
    extension."""
    names = {name: getattr(confluent_kafka, name) for name in confluent_kafka.__all__}
    public = {
        name: item
        for name, item in {**names, **vars(cimpl)}.items()
        if callable(item) and not name.startswith(("_mark", "_close", "__"))
    }
    found = [Target(name, None, item, _parameters(item)) for name, item in public.items()]
    for item in public.values():
        if isinstance(item, type) and issubclass(item, _OWNED):
            found.extend(_targets_of(item))
    return found


_OWNED = tuple(kind for kind in vars(cimpl).values() if isinstance(kind, type))


def _targets_of(owner: type[Any]) -> Iterator[Target]:
    for name, attribute in vars(owner).items():
        if name == SIMULATES_CTRL_C:
            continue
        path = f"{owner.__name__}.{name}"
        if inspect.isgetsetdescriptor(attribute) or inspect.ismemberdescriptor(attribute):
            for use in (getattr, setattr, delattr):
                parameters = ("value",) if use is setattr else ()
                yield Target(f"{use.__name__} {path}", owner, _attribute(use, name), parameters)
        elif inspect.isroutine(attribute) and not isinstance(attribute, staticmethod | classmethod):
            yield Target(path, owner, attribute, _parameters(attribute)[1:])


def _attribute(use: Callable[..., Any], name: str) -> Callable[..., Any]:
    return lambda owner, *arguments: use(owner, name, *arguments)


def _parameters(function: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # some of CPython's own callables have no signature
        return ()


# Calls that start or end threads take a thousand times as long as other calls.
_CLIENTS = (
    Producer,
    SerializingProducer,
    Consumer,
    DeserializingConsumer,
    ShareConsumer,
    DeserializingShareConsumer,
    cimpl._AdminClient,
)
_CLIENT_NAMES = tuple(client.__name__ for client in _CLIENTS)
_SLOW = (*_CLIENT_NAMES, "MockCluster")
_SLOW += ("__init__", "close", "__exit__", "__del__")
TARGETS = targets()
SLOW = [target for target in TARGETS if target.name.split(".")[-1] in _SLOW]
QUICK = [target for target in TARGETS if target not in SLOW]


class Boundary:
    """Calls all targets, with clients of a small cluster and with the results of earlier calls."""

    def __init__(self, random: Random, slow: int = 20) -> None:
        """One call in `slow` is a slow call."""
        self._random = random
        self._slow = slow
        self._found: list[Any] = []
        self._open: dict[type[Any], Any] = {}
        self._cluster = MockCluster(1)
        self._cluster.create_topic("topic")
        logger = logging.Logger("fuzz")
        logger.addHandler(logging.NullHandler())
        self._settings: dict[str, Any] = {
            "bootstrap.servers": self._cluster.bootstrap_servers,
            "group.id": "group",
            "logger": logger,
            "message.timeout.ms": 1000,
            "queue.buffering.max.messages": 100,
            "session.timeout.ms": 1000,
            "transactional.id": "id" if random.randrange(4) == 0 else None,
        }
        self.last = ""

    def __enter__(self) -> Boundary:
        return self

    def __exit__(self, *_: object) -> None:
        self._found.clear()
        for client in self._open.values():
            _close(client)
        self._open.clear()
        self._cluster.close()

    def step(self) -> Exception | None:
        """Make one call; return a documented exception, and raise any other exception."""
        target = self._random.choice(SLOW if self._random.randrange(self._slow) == 0 else QUICK)
        places, names = self._arguments(target)
        owner: Any = None if target.owner is None else self._owner(target.owner)
        if target.name in _ENDLESS:
            with contextlib.suppress(RuntimeError):  # the client is closed
                owner.wakeup()
        if target.owner is not None:
            places.insert(0, owner)
        self.last = f"{target.name}, {len(places)} places, names {list(names)}"
        try:
            self._keep(target.call(*places, **names))
        except DOCUMENTED as error:
            return error
        finally:
            self._drop(owner)
        return None

    # ---- arguments -----------------------------------------------------------------------

    def _arguments(self, target: Target) -> tuple[list[Any], dict[str, Any]]:
        """Draw positional and keyword arguments.

        Most arguments are valid, so that the call reaches the checks of the next argument.
        """
        parameters = target.parameters
        if not parameters or self._random.randrange(20) == 0:
            count = self._random.choice((0, 0, 0, 0, 1, 2, 3))
            waits = dict.fromkeys((name for name in parameters if name in _TIMEOUTS), 0)
            return [self._value(target, "") for _ in range(count)], waits
        first = self._random.randrange(len(parameters) + 1)
        names = {
            name: self._value(target, name)
            for name in parameters
            if name in _TIMEOUTS or self._random.randrange(3)
        }
        places = [
            names.pop(name) if name in names else self._value(target, name)
            for name in parameters[:first]
        ]
        if self._random.randrange(30) == 0:
            names["nonsense"] = None
        return places, names

    def _value(self, target: Target, parameter: str) -> Any:
        random = self._random
        kind = MATRIX.get(target.name, {}).get(parameter)
        if target.name in _CLIENT_NAMES or target.name.endswith(".__init__"):
            result = configuration(random, self._found)
        elif kind is not None and random.randrange(6):
            names = sorted(kind.takes)
            result = VALUES[random.choice(names)] if names and random.randrange(2) else kind.valid
        else:
            result = value(random, self._found)
        return _bounded(result) if parameter in _TIMEOUTS or not parameter else result

    # ---- objects -------------------------------------------------------------------------

    def _owner(self, kind: type[Any]) -> Any:
        random = self._random
        if kind is cimpl._Client:
            kind = random.choice(_CLIENTS)
        if random.randrange(30) == 0 and kind in HALF_MADE:
            return kind.__new__(kind)  # type: ignore[call-overload]
        instances = [each for each in self._found if isinstance(each, kind)]
        if instances and random.randrange(2):
            return random.choice(instances)
        if kind in _CLIENTS:
            return self._client(kind)
        if kind is MockCluster:
            return self._client(kind, 1)
        return _MADE[kind]()

    def _client(self, kind: type[Any], *arguments: Any) -> Any:
        """Return the open client, or sometimes a client that an earlier call has closed."""
        client = self._open.get(kind)
        if client is None or (_is_closed(client) and self._random.randrange(20)):
            client = self._open[kind] = kind(*(arguments or (self._settings_of(kind),)))
        return client

    def _settings_of(self, kind: type[Any]) -> dict[str, Any]:
        """Leave out the session timeout for a share consumer, because brokers set it for share
        groups."""
        of_brokers = {"session.timeout.ms"} if issubclass(kind, ShareConsumer) else set()
        return {key: self._settings[key] for key in self._settings if key not in of_brokers}

    def _keep(self, result: Any) -> None:
        """Look at a result as a program would, and keep it as an argument for later calls."""
        if self._drop(result):
            return
        self._found.append(result)
        if len(self._found) > _KEPT:
            self._found.pop(self._random.randrange(_KEPT))
        for look in (repr, hash, copy.copy, str):
            with contextlib.suppress(*DOCUMENTED):
                look(result)

    def _drop(self, made: Any) -> bool:
        """Close a client that a call has created; return whether it is a client."""
        if not isinstance(made, _CLOSABLE):
            return False
        if not any(made is each for each in self._open.values()):
            _close(made)
        return True


_CLOSABLE = (*_CLIENTS, MockCluster)
_MADE: dict[type[Any], Callable[[], Any]] = {
    KafkaError: lambda: KafkaError(KafkaError._FAIL),
    KafkaException: lambda: KafkaException(KafkaError(KafkaError._FAIL)),
    cimpl.IllegalStateException: lambda: cimpl.IllegalStateException("text"),
    cimpl.ConcurrentModificationException: (lambda: cimpl.ConcurrentModificationException("text")),
    Message: lambda: Message("topic", 0, 0, b"key", b"value", [("name", b"value")]),
    TopicPartition: lambda: TopicPartition("topic", 0, 0),
    Uuid: lambda: Uuid(1, 2),
    cimpl.NewTopic: lambda: cimpl.NewTopic("topic"),
    cimpl.NewPartitions: lambda: cimpl.NewPartitions("topic", 2),
    cimpl.MessageBatch: empty_batch,
    cimpl.DecodedRows: decoded_rows,
    cimpl.EncodedRows: encoded_rows,
    cimpl._RowProgram: row_program,
    cimpl._PayloadProgram: payload_program,
    cimpl._AvroWriter: lambda: cimpl._AvroWriter(SHAPES),
    cimpl._ColumnBatch: column_batch,
    cimpl._Record: cimpl._Record,
    cimpl.MockRequest: lambda: cimpl.MockRequest(("Fetch", 1, 1, 0.5)),
}


def _bounded(timeout: Any) -> Any:
    """Return the same timeout, or a short timeout instead of a long one."""
    try:
        seconds = float(timeout)
    except Exception:
        return timeout
    return timeout if 0 <= seconds <= _LONGEST or math.isnan(seconds) else _LONGEST


def _is_closed(client: Any) -> bool:
    if isinstance(client, cimpl.MockCluster):
        return repr(client) == "<MockCluster, closed>"
    return bool(client._closed)


def _close(client: Any) -> None:
    with contextlib.suppress(*DOCUMENTED):
        if isinstance(client, Producer):
            client.purge()
            client.close(0)
        else:
            client.close()
