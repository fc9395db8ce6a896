"""Turns a method's arguments into a request, and the answer into results of futures."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable, Hashable, Iterable, Mapping
from concurrent.futures import Future
from enum import Enum
from types import FunctionType
from typing import Any, TypeVar

from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.admin._embedded import explain
from confluent_kafka.cimpl import KafkaError, KafkaException, TopicPartition, _AdminClient
from confluent_kafka.protocol import UnsupportedVersionError

T = TypeVar("T")
E = TypeVar("E", bound=Enum)
Key = TypeVar("Key", bound=Hashable)
Options = Mapping[str, object]


class AdminRequests(_AdminClient):
    """Sends requests. The subclasses define the requests themselves."""

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let every request check that the client is open before it checks the arguments."""
        super().__init_subclass__(**kwargs)
        if cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
            for name, function in list(vars(cls).items()):
                # The extension's own methods make this check themselves, with their own texts.
                own = not name.startswith("_") and not hasattr(_AdminClient, name)
                if own and isinstance(function, FunctionType):
                    setattr(cls, name, _when_open(function))

    def _ask(
        self, request: str, argument: object, options: Options, convert: Callable[[Any], T]
    ) -> Future[T]:
        """Send a request whose answer is one value. `convert` turns the answer into the result."""
        future: Future[T] = Future()

        def on_answer(result: Any, exception: BaseException | None, cluster_id: str | None) -> None:
            settle(future, outcome_of(convert, result, exception), cluster_id)

        self._request(request, argument, dict(options), on_answer)
        return future

    def _ask_each(
        self,
        request: str,
        argument: object,
        options: Options,
        futures: Mapping[Key, Future[T]],
        split: Callable[[Any], Iterable[tuple[Key, T | KafkaError]]],
    ) -> None:
        """Send a request whose answer has a value or an error for each of several items.

        If there are no items, nothing is sent, but the options are checked all the same.
        """

        def by_key(result: Any) -> Mapping[Key, T | KafkaError]:
            return dict(split(result))

        def on_answer(result: Any, exception: BaseException | None, cluster_id: str | None) -> None:
            settle_each(futures, outcome_of(by_key, result, exception), cluster_id)

        self._request(request, argument, dict(options), on_answer if futures else None)


def _when_open(function: Callable[..., T]) -> Callable[..., T]:
    """Return a method that raises if the client is not open, and otherwise does nothing."""

    @functools.wraps(function)
    def method(self: AdminRequests, *args: Any, **kwargs: Any) -> T:
        self._check_open()
        return function(self, *args, **kwargs)

    return method


def new_futures(keys: Iterable[Key]) -> dict[Key, Future[Any]]:
    """Return a future for each key. A key that is given twice has one future."""
    return {key: Future() for key in keys}


def outcome_of(
    convert: Callable[[Any], T], result: Any, exception: BaseException | None
) -> T | BaseException:
    """Return the converted result, or the error. Every future must end, whatever the answer is.

    If the conversion fails (an entry is missing or was not requested), the broker is at fault.
    """
    if exception is not None:
        return exception
    try:
        return convert(result)
    except UnsupportedVersionError as error:
        return error
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        unreadable = KafkaException(
            KafkaError(KafkaError._BAD_MSG, f"the response cannot be read: {error}")
        )
        unreadable.__cause__ = error
        return unreadable
    except Exception as error:
        return error


def _outcome_for(
    key: Key, outcomes: Mapping[Key, T | KafkaError] | BaseException
) -> T | BaseException:
    if isinstance(outcomes, KafkaException):
        return copy.copy(outcomes)  # each future raises its own copy, with its own traceback
    if isinstance(outcomes, BaseException):
        return outcomes
    if key not in outcomes:
        reason = f"the response has no entry for {key!r}"
        return KafkaException(KafkaError(KafkaError._FAIL, reason))
    outcome = outcomes[key]
    return KafkaException(outcome) if isinstance(outcome, KafkaError) else outcome


def settle_each(
    futures: Mapping[Key, Future[T]],
    outcomes: Mapping[Key, T | KafkaError] | BaseException,
    cluster_id: str | None,
) -> None:
    """Settle each future with the outcome for its key, or all futures with the same error."""
    # The exit stack settles all futures, even if a callback of one of them raises SystemExit.
    with contextlib.ExitStack() as stack:
        for key, future in reversed(list(futures.items())):
            stack.callback(settle, future, _outcome_for(key, outcomes), cluster_id)


def settle(future: Future[T], outcome: T | BaseException, cluster_id: str | None) -> None:
    """Settle the future. A second call, which a lack of memory can cause, does nothing."""
    if future.done() and not future.cancelled():
        return
    if not future.running() and not future.set_running_or_notify_cancel():
        return  # the future was cancelled: nobody wants the answer
    if isinstance(outcome, BaseException):
        explain(outcome, cluster_id)
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


# ---- checks ----


def items_of(
    given: object, kind: type[T], name: str, refusal: type[Exception] = TypeError
) -> list[T]:
    """Return `given` as a list of `kind` that is not empty."""
    items = maybe_empty(given, kind, name, refusal)
    if not items:
        raise ValueError(
            f"Expected non-empty list of {kind.__name__} objects: {name} must not be empty"
        )
    return items


def maybe_empty(
    given: object, kind: type[T], name: str, refusal: type[Exception] = TypeError
) -> list[T]:
    """Return `given`, a list or tuple of `kind`, as a list. Wrong items raise `refusal`."""
    if not isinstance(given, (list, tuple)):
        # The items of a str are str: if another type is expected, report the items, not the list.
        error = refusal if isinstance(given, str) and kind is not str else TypeError
        raise error(
            f"Expected list of {kind.__name__}: {name} must be a list of {kind.__name__}, "
            f"not {type(given).__name__}"
        )
    for index, item in enumerate(given):
        if not isinstance(item, kind):
            raise refusal(
                f"Expected list of {kind.__name__}: {name}[{index}] must be {kind.__name__}, "
                f"not {type(item).__name__}"
            )
    return list(given)


def set_of(given: object, kind: type[T], name: str) -> set[T]:
    """Return `given`, which must be a set of `kind`."""
    if not isinstance(given, set):
        raise TypeError(f"'{name}' must be a set of {kind.__name__}, not {type(given).__name__}")
    for item in given:
        if not isinstance(item, kind):
            raise TypeError(
                f"All elements of {name} must be of type {kind.__name__}, not {type(item).__name__}"
            )
    return given


def check_once(keys: Iterable[Key], name: str) -> None:
    """Check that no key occurs twice in the argument `name`.

    Two entries could contradict each other, and brokers answer a key once.
    """
    places: dict[Key, int] = {}
    for index, key in enumerate(keys):
        first = places.setdefault(key, index)
        if first != index:
            raise ValueError(f"{name}[{index}]: {key!r} is also in {name}[{first}]")


def names_of(given: object, name: str) -> list[str]:
    """Return `given`, a list of names, without duplicates. It must not be empty."""
    names = items_of(given, str, name, ValueError)
    if "" in names:
        raise ValueError(f"{name}[{names.index('')}] must not be empty")
    return list(dict.fromkeys(names))


def name_of(given: object, name: str) -> str:
    """Return `given`, which must be a name that is not empty."""
    text = checked(given, str, name)
    if not text:
        raise ValueError(f"{name} must not be empty")
    return text


def checked(given: object, kind: type[T], name: str) -> T:
    """Return `given`, which must be a `kind`."""
    if not isinstance(given, kind):
        raise TypeError(f"{name} must be {kind.__name__}, not {type(given).__name__}")
    return given


def number_of(given: object, highest: int, name: str) -> int:
    """Return `given`, which must be an int from 0 to `highest`."""
    if isinstance(given, bool) or not isinstance(given, int):
        raise TypeError(f"{name} must be int, not {type(given).__name__}")
    if not 0 <= given <= highest:
        raise ValueError(f"{name} must be from 0 to {highest}, not {given}")
    return given


def node_id(given: object, name: str) -> int:
    """Return `given`, which must be the id of a broker or controller."""
    return number_of(given, 2**31 - 1, name)


def check_partition(partition: TopicPartition, name: str) -> None:
    """Check that the partition has a topic and a number."""
    if not partition.topic or partition.partition < 0:
        raise ValueError(f"{name}: {partition!r} must have a topic and a partition of 0 or more")


def partitions_of(given: object, name: str) -> list[TopicPartition]:
    """Return `given`, a list of partitions, without duplicates. It must not be empty."""
    partitions = items_of(given, TopicPartition, name)
    for index, partition in enumerate(partitions):
        check_partition(partition, f"{name}[{index}]")
    return [TopicPartition(each.topic, each.partition) for each in dict.fromkeys(partitions)]


def enum_of(kind: type[E], given: object, name: str) -> E:
    """Return a member of `kind` for the member, its number, or its name in upper or lower case."""
    if isinstance(given, kind):
        return given
    if given is None:
        raise ValueError(f"Expected {name} to be not None: it must be a {kind.__name__}")
    if isinstance(given, str):
        if given.upper() in kind.__members__:
            return kind[given.upper()]
        names = [member.name.lower() for member in kind]
        text = f"{name} must be one of {', '.join(names)}, not {given!r}"
        hint = did_you_mean(given, names)
        raise ValueError(f"{text}; {hint}" if hint else text)
    if isinstance(given, int) and not isinstance(given, bool):
        if given in [member.value for member in kind]:
            return kind(given)
        raise ValueError(f"{name} must be a {kind.__name__}; none has the number {given}")
    raise TypeError(f"{name} must be {kind.__name__}, not {type(given).__name__}")
