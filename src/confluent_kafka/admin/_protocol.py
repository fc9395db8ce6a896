"""Requests that librdkafka has no function for. They are sent as raw protocol messages."""

from __future__ import annotations

import copy
import itertools
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from confluent_kafka import protocol
from confluent_kafka.admin._error_texts import ERROR_TEXTS
from confluent_kafka.admin._requests import AdminRequests, Key, outcome_of, settle, settle_each
from confluent_kafka.cimpl import KafkaError, KafkaException, TopicPartition
from confluent_kafka.protocol import Request

T = TypeVar("T")
U = TypeVar("U")
Client = TypeVar("Client", bound="ProtocolRequests")
_OnAnswer = Callable[[Any, BaseException | None, str | None], None]

_NO_TAGS = b"\0"  # the end of the header in flexible versions: an empty list of tags
_BACKOFF = 0.1  # seconds; the default of retry.backoff.ms
_REPEATING = 60.0  # seconds; the limit if the caller has set none
_GROUP, _TRANSACTION = 2, 3  # kinds of coordinators: values of rd_kafka_RawRequest_target_t
_KEY_TYPES = {_GROUP: 0, _TRANSACTION: 1}  # their numbers in FindCoordinator
_FINDING = 4  # the first version of FindCoordinator with several keys
# Errors of a broker that is not the coordinator yet, or is no longer the coordinator. Requests for
# all groups and for a coordinator return them as well.
_MOVING = frozenset(
    {
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.NOT_COORDINATOR,
    }
)


@dataclass(frozen=True)
class Target:
    """The broker that a request is sent to.

    Attributes:
        kind: a value of rd_kafka_RawRequest_target_t.
        coordinator: the key of the coordinator, such as the name of the group.
        broker: the id of the broker, or None.
    """

    kind: int
    coordinator: str = ""
    broker: int | None = None

    @property
    def finding(self) -> protocol.FindCoordinatorRequest | None:
        """The request that finds this coordinator; None if the target is not a coordinator."""
        if self.kind not in _KEY_TYPES:
            return None
        return protocol.FindCoordinatorRequest(
            key_type=_KEY_TYPES[self.kind], coordinator_keys=[self.coordinator]
        )


ANY = Target(0)
CONTROLLER = Target(1)


def repeating(request_timeout: float | None) -> Deadline:
    """Return the time until which a message is repeated after temporary errors."""
    return Deadline(_REPEATING if request_timeout is None else request_timeout)


def broker(node: int) -> Target:
    """Return the target for the broker with this id."""
    return Target(0, broker=node)


_NOBODY = broker(2**31 - 1)


def group_coordinator(group: str) -> Target:
    """Return the target for the coordinator of a group."""
    return Target(_GROUP, group)


def transaction_coordinator(transactional_id: str) -> Target:
    """Return the target for the coordinator of a transactional id."""
    return Target(_TRANSACTION, transactional_id)


class Deadline:
    """The time until which a series of messages must be answered."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._start = time.monotonic()

    def left(self) -> float | None:
        """Return the remaining seconds. None if each message has its own timeout."""
        if self._seconds is None:
            return None
        return max(0.0, self._seconds - (time.monotonic() - self._start))


class ProtocolRequests(AdminRequests):
    """Sends requests as raw protocol messages."""

    __slots__ = ()

    def _exchange(
        self,
        request: Request,
        target: Target,
        request_timeout: float | None,
        convert: Callable[[Any], T],
        repeat_on: int | None = None,
        oldest: int = 0,
    ) -> Future[T]:
        """Send a message in the latest version that the client and the broker support.

        Args:
            request: the message.
            target: the broker to ask.
            request_timeout: seconds until the future fails, at most 3600.
            convert: turns the response into the future's result.
            repeat_on: an error code after which the message is sent again until request_timeout
                ends. It needs a request_timeout that is not None.
            oldest: the first version of the message that can express the request.

        Returns:
            The future. It fails with _UNSUPPORTED_FEATURE if the broker supports no version that
            can express the request.
        """
        future: Future[T] = Future()

        def end(outcome: T | BaseException, cluster_id: str | None) -> None:
            settle(future, outcome, cluster_id)

        _Exchange(self, request, target, request_timeout, convert, end, repeat_on, oldest).begin()
        return future

    def _exchange_each(
        self,
        request: Request,
        target: Target,
        request_timeout: float | None,
        futures: Mapping[Key, Future[T]],
        split: Callable[[Any], Iterable[tuple[Key, T | KafkaError]]],
        oldest: int = 0,
    ) -> None:
        """Send a message whose answer has a value or an error for each of several items.

        Args:
            request: the message.
            target: the broker to ask.
            request_timeout: seconds until the futures fail, at most 3600.
            futures: the future of each item; if there are none, nothing is sent.
            split: splits the response into pairs: the item, and its result or error.
            oldest: the first version of the message that can express the request.
        """

        def by_key(response: Any) -> Mapping[Key, T | KafkaError]:
            return dict(split(response))

        def end(outcomes: Any, cluster_id: str | None) -> None:
            settle_each(futures, outcomes, cluster_id)

        exchange = _Exchange(self, request, target, request_timeout, by_key, end, oldest=oldest)
        exchange.begin(sends=bool(futures))

    def _then(self, first: Future[T], go_on: Callable[[Any, T], Future[U]]) -> Future[U]:
        """Send a second request that depends on the result of a first one.

        Args:
            first: the future of the first request; several second requests may depend on it.
            go_on: sends the second request; called with the client and the first result. It must
                not refer to the client itself, because the client could then never be freed.

        Returns:
            A future with the outcome of the second request, or with the error of the first.
        """
        last: Future[U] = Future()
        known = weakref.ref(self)

        def on_first(first: Future[T]) -> None:
            failed = first.exception()
            # Each future needs its own copy of the exception, because raising adds a traceback.
            second = outcome_of(
                lambda result: go_on(alive(known), result),
                None if failed else first.result(),
                copy.copy(failed),
            )
            if isinstance(second, BaseException):
                settle(last, second, None)
            else:
                second.add_done_callback(lambda done: settle(last, _end_of(done), None))

        first.add_done_callback(on_first)
        return last

    def _pause(self, on_end: Callable[[BaseException | None], None]) -> None:
        """Wait for a moment before a request is repeated.

        It sends a request to a broker that does not exist, which fails after a moment. So the wait
        is one of the client's requests: close() ends it, and it needs no thread.

        Args:
            on_end: called with None, or with the exception if the client was closed in between.
        """

        def on_answer(_: Any, exception: BaseException | None, __: str | None) -> None:
            on_end(None if _has_code(exception, KafkaError._TIMED_OUT) else exception)

        self._send(protocol.ApiVersionsRequest(), 0, _NOBODY, _BACKOFF, on_answer)

    def _send(
        self,
        request: Request,
        version: int,
        target: Target,
        timeout: float | None,
        on_answer: _OnAnswer | None,
    ) -> None:
        """Send a message in one version, without repeating it.

        Args:
            request: the message.
            version: its version.
            target: the broker to ask.
            timeout: seconds until it fails, at most 3600.
            on_answer: called with the answer's bytes or the exception, and the cluster's id. None
                only checks the arguments and sends nothing.
        """
        flexible = protocol.request_header_version(request.api_key, version) > 1
        body = (_NO_TAGS if flexible else b"") + request.encode(version)
        self._request(
            "raw",
            (request.api_key, version, body, target.kind, target.coordinator),
            {"request_timeout": timeout, "broker": target.broker},
            on_answer,
        )


class _Exchange:
    """One message and its answer. It first asks the broker for the versions that it supports."""

    def __init__(
        self,
        client: ProtocolRequests,
        request: Request,
        target: Target,
        request_timeout: float | None,
        convert: Callable[[Any], Any],
        end: Callable[[Any, str | None], None],
        repeat_on: int | None = None,
        oldest: int = 0,
    ) -> None:
        # A weak reference: the client keeps this object until the answer comes. A strong reference
        # would keep the client alive for ever.
        self._client = weakref.ref(client)
        self._request = request
        self._target = target
        self._timeout = request_timeout
        self._deadline = Deadline(request_timeout)
        self._convert = convert
        self._end = end
        self._repeat_on = repeat_on
        self._oldest = oldest
        self._finding = target.finding
        self._repeating = repeating(request_timeout)
        self._moved = False  # whether the coordinator may have moved to another broker
        self._version = 0

    def begin(self, sends: bool = True) -> None:
        """Ask for the versions. Wrong arguments raise here, before anything is sent."""
        on_answer = self._on_versions if sends else None
        self._send(protocol.ApiVersionsRequest(), 0, self._target, self._timeout, on_answer)

    def _send(
        self,
        request: Request,
        version: int,
        target: Target,
        timeout: float | None,
        on_answer: _OnAnswer | None,
    ) -> None:
        alive(self._client)._send(request, version, target, timeout, on_answer)

    def _on_versions(
        self, answer: Any, exception: BaseException | None, cluster_id: str | None
    ) -> None:
        def go_on(answer: bytes) -> None:
            self._version = self._choose(protocol.ApiVersionsResponse.decode(answer, 0))
            self._ask()

        self._try(go_on, answer, exception, cluster_id)

    def _ask(self) -> None:
        left = self._deadline.left()
        self._send(self._request, self._version, self._target, left, self._on_answer)

    def _try(
        self,
        step: Callable[[Any], None],
        answer: Any,
        exception: BaseException | None,
        cluster_id: str | None,
    ) -> None:
        """Take the next step, or let the request fail if the last step failed."""
        failed = outcome_of(step, answer, exception)
        if failed is not None:
            self._end(_as_kafka_error(failed), cluster_id)

    def _choose(self, versions: Any) -> int:
        raise_error_of(versions)
        offered = {one.api_key: (one.min_version, one.max_version) for one in versions.api_keys}
        version = self._request.common_version(offered.get(self._request.api_key))
        if version < self._oldest:
            raise protocol.UnsupportedVersionError(
                f"the broker supports {type(self._request).__name__} up to version {version}, but "
                f"this request needs version {self._oldest}"
            )
        return version

    def _on_answer(
        self, answer: Any, exception: BaseException | None, cluster_id: str | None
    ) -> None:
        def converted(answer: bytes) -> Any:
            key, version = self._request.api_key, self._version
            if protocol.response_header_version(key, version) > 0:
                answer = _without_tags(answer)
            return self._convert(self._request.response_class.decode(answer, version))

        self._repeat_or_end(outcome_of(converted, answer, exception), cluster_id)

    def _repeat_or_end(self, outcome: Any, cluster_id: str | None) -> None:
        if self._passes(outcome) and self._repeating.left():
            self._try(self._wait, None, None, cluster_id)
        else:
            self._end(_as_kafka_error(outcome), cluster_id)

    def _passes(self, outcome: Any) -> bool:
        if not isinstance(outcome, KafkaException):
            return False
        self._moved = outcome.code() in _MOVING
        return self._moved or outcome.code() == self._repeat_on

    def _wait(self, _: object) -> None:
        alive(self._client)._pause(lambda failed: self._try(self._ask_again, None, failed, None))

    def _ask_again(self, _: object) -> None:
        if self._moved and self._finding is not None:
            # librdkafka keeps asking the broker that it found once.
            self._send(self._finding, _FINDING, ANY, self._repeating.left(), self._on_found)
        else:
            self._ask()

    def _on_found(
        self, answer: Any, exception: BaseException | None, cluster_id: str | None
    ) -> None:
        def go_on(answer: bytes) -> None:
            response = protocol.FindCoordinatorResponse.decode(_without_tags(answer), _FINDING)
            found = only(response.coordinators)
            raise_error_of(found)
            self._target = broker(found.node_id)
            self._ask()

        failed = outcome_of(go_on, answer, exception)
        if failed is not None:
            self._repeat_or_end(failed, cluster_id)


def gathered(
    futures: Mapping[Key, Future[T]],
    convert: Callable[[dict[Key, T | BaseException]], U],
) -> Future[U]:
    """Return one future for requests to several brokers.

    Args:
        futures: the futures of the requests, at least one.
        convert: makes the result from all results and errors.
    """
    everything: Future[U] = Future()
    ended = itertools.count(1)

    def on_each(_: Future[T]) -> None:
        if next(ended) == len(futures):
            ends = {key: _end_of(future) for key, future in futures.items()}
            settle(everything, outcome_of(convert, ends, None), None)

    for future in list(futures.values()):
        future.add_done_callback(on_each)
    return everything


def error_of(answer: Any) -> KafkaError | None:
    """Return the error of a response or of a part of it, with the broker's text if there is one."""
    if not answer.error_code:
        return None
    message = getattr(answer, "error_message", None) or ERROR_TEXTS.get(answer.error_code)
    return KafkaError(answer.error_code, message)


def raise_error_of(response: Any) -> None:
    """Raise the top-level error of a response, if there is one."""
    error = error_of(response)
    if error is not None:
        raise KafkaException(error)


def known(number: int) -> int | None:
    """Return a number from an answer; None for -1, which means "unknown"."""
    return None if number < 0 else number


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[TopicPartition]]:
    """Group partitions by topic, as most requests need them."""
    topics: dict[str, list[TopicPartition]] = {}
    for partition in partitions:
        topics.setdefault(partition.topic, []).append(partition)
    return topics


def _has_code(outcome: object, code: int) -> bool:
    return isinstance(outcome, KafkaException) and outcome.code() == code


def _end_of(future: Future[Any]) -> Any:
    return future.exception() or future.result()


def alive(client: weakref.ref[Client]) -> Client:
    """Return the client, which is alive while answers to its requests arrive."""
    found = client()
    if found is None:
        raise KafkaException(KafkaError(KafkaError._DESTROY))
    return found


def only(parts: Sequence[T]) -> T:
    """Return the only entry of an answer to a request about one item.

    Raises:
        MalformedMessageError: the answer has no entry, or several.
    """
    if len(parts) != 1:
        raise protocol.MalformedMessageError(
            f"the answer has {len(parts)} entries, but one was requested"
        )
    return parts[0]


def _without_tags(answer: bytes) -> bytes:
    """Skip the tags at the end of a header. Brokers send none today."""
    if not answer.startswith(_NO_TAGS):
        raise protocol.MalformedMessageError("the answer's header has unknown tags")
    return answer[len(_NO_TAGS) :]


def _as_kafka_error(outcome: Any) -> Any:
    """Turn the error of a message into the error that a request fails with."""
    if isinstance(outcome, protocol.UnsupportedVersionError):
        return KafkaException(KafkaError(KafkaError._UNSUPPORTED_FEATURE, str(outcome)))
    if isinstance(outcome, protocol.MalformedMessageError):
        return KafkaException(KafkaError(KafkaError._BAD_MSG, str(outcome)))
    return outcome
