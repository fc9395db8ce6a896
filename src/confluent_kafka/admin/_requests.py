"""From a method's arguments to a request, and from its answer to the futures."""

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
    """How every request is made. The requests themselves are in the subclasses."""

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Make every request report a client that is not open before arguments that are wrong."""
        super().__init_subclass__(**kwargs)
        if cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
            for name, function in list(vars(cls).items()):
                # Methods of the extension check it themselves, with texts of their own.
                own = not name.startswith("_") and not hasattr(_AdminClient, name)
                if own and isinstance(function, FunctionType):
                    setattr(cls, name, _when_open(function))

    def _ask(
        self, request: str, argument: object, options: Options, convert: Callable[[Any], T]
    ) -> Future[T]:
        """A request whose answer is one value: what `convert` makes of it."""
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
        """A request whose answer has a value or an error for each of several things.

        For nothing there is nothing to send, but its options are checked all the same.
        """

        def by_key(result: Any) -> Mapping[Key, T | KafkaError]:
            return dict(split(result))

        def on_answer(result: Any, exception: BaseException | None, cluster_id: str | None) -> None:
            settle_each(futures, outcome_of(by_key, result, exception), cluster_id)

        self._request(request, argument, dict(options), on_answer if futures else None)


def _when_open(function: Callable[..., T]) -> Callable[..., T]:
    """Return a method that does nothing but raise if its client is not open."""

    @functools.wraps(function)
    def method(self: AdminRequests, *args: Any, **kwargs: Any) -> T:
        self._check_open()
        return function(self, *args, **kwargs)

    return method


def new_futures(keys: Iterable[Key]) -> dict[Key, Future[Any]]:
    """One future for each key; what is given twice is answered once, often with an error."""
    return {key: Future() for key in keys}


def outcome_of(
    convert: Callable[[Any], T], result: Any, exception: BaseException | None
) -> T | BaseException:
    """The converted result, or why there is none: nobody must wait for ever.

    What a conversion stumbles over (no item, one that was not asked for) is the broker's error.
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
        return copy.copy(outcomes)  # each is raised, and gets its own traceback
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
    """Ends each future with what there is for its key, or all with the same error."""
    # The stack settles all, even if a callback of one raises SystemExit.
    with contextlib.ExitStack() as stack:
        for key, future in reversed(list(futures.items())):
            stack.callback(settle, future, _outcome_for(key, outcomes), cluster_id)


def settle(future: Future[T], outcome: T | BaseException, cluster_id: str | None) -> None:
    """Ends the future. May be repeated, as it is for what came after memory had run out."""
    if future.done() and not future.cancelled():
        return
    if not future.running() and not future.set_running_or_notify_cancel():
        return  # it was cancelled: nobody wants the answer
    if isinstance(outcome, BaseException):
        explain(outcome, cluster_id)
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


# ---- checks ----


def items_of(
    given: object, kind: type[T], name: str, refusal: type[Exception] = TypeError
) -> list[T]:
    """`given` as a list of `kind` that is not empty."""
    items = maybe_empty(given, kind, name, refusal)
    if not items:
        raise ValueError(
            f"Expected non-empty list of {kind.__name__} objects: {name} must not be empty"
        )
    return items


def maybe_empty(
    given: object, kind: type[T], name: str, refusal: type[Exception] = TypeError
) -> list[T]:
    """`given`, a list or tuple of `kind`, as a list. `refusal` is raised for wrong items."""
    if not isinstance(given, (list, tuple)):
        # Of a str each item is a str: as a list of anything else, its items are wrong.
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
    """`given`, a set of `kind`."""
    if not isinstance(given, set):
        raise TypeError(f"'{name}' must be a set of {kind.__name__}, not {type(given).__name__}")
    for item in given:
        if not isinstance(item, kind):
            raise TypeError(
                f"All elements of {name} must be of type {kind.__name__}, not {type(item).__name__}"
            )
    return given


def names_of(given: object, name: str) -> list[str]:
    """`given`, names of things, as a list that is not empty and has each name once."""
    names = items_of(given, str, name, ValueError)
    if "" in names:
        raise ValueError(f"{name}[{names.index('')}] must not be empty")
    return list(dict.fromkeys(names))


def name_of(given: object, name: str) -> str:
    """`given`, the name of something."""
    text = checked(given, str, name)
    if not text:
        raise ValueError(f"{name} must not be empty")
    return text


def checked(given: object, kind: type[T], name: str) -> T:
    """`given`, which must be a `kind`."""
    if not isinstance(given, kind):
        raise TypeError(f"{name} must be {kind.__name__}, not {type(given).__name__}")
    return given


def number_of(given: object, highest: int, name: str) -> int:
    """`given`, which must be an int from 0 to `highest`."""
    if isinstance(given, bool) or not isinstance(given, int):
        raise TypeError(f"{name} must be int, not {type(given).__name__}")
    if not 0 <= given <= highest:
        raise ValueError(f"{name} must be from 0 to {highest}, not {given}")
    return given


def node_id(given: object, name: str) -> int:
    """`given`, which must be the id of a broker or controller."""
    return number_of(given, 2**31 - 1, name)


def check_partition(partition: TopicPartition, name: str) -> None:
    """The partition of a request must be a certain one."""
    if not partition.topic or partition.partition < 0:
        raise ValueError(f"{name}: {partition!r} must have a topic and a partition of 0 or more")


def partitions_of(given: object, name: str) -> list[TopicPartition]:
    """`given`, certain partitions, as a list that is not empty and has each once."""
    partitions = items_of(given, TopicPartition, name)
    for index, partition in enumerate(partitions):
        check_partition(partition, f"{name}[{index}]")
    return [TopicPartition(each.topic, each.partition) for each in dict.fromkeys(partitions)]


def enum_of(kind: type[E], given: object, name: str) -> E:
    """A member of `kind` from itself, its number, or its name in any case."""
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
