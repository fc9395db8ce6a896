"""A cluster's topics, and the requests of the old protocol to its brokers."""

from __future__ import annotations

import logging
import time
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn, TypeVar

from . import _offsets, _produced, _requests, common
from ._engine import Engine
from ._fetched import Messages, fetched
from ._metadata import Metadata
from ._sender import Delivery
from .common import (
    BrokerMetadata,
    ConsumerCoordinatorNotAvailableCode,
    FailedPayloadsError,
    FetchRequest,
    FetchResponse,
    KafkaError,
    KafkaTimeoutError,
    KafkaUnavailableError,
    LeaderNotAvailableError,
    NotCoordinatorForConsumerCode,
    NotLeaderForPartitionError,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    OffsetRequest,
    OffsetsLoadInProgressCode,
    ProduceRequest,
    ProduceResponse,
    TopicAndPartition,
    UnknownTopicOrPartitionError,
    check_error,
)
from .conn import DEFAULT_SOCKET_TIMEOUT_SECONDS, collect_hosts
from .util import group_by_topic_and_partition, kafka_bytestring

__all__ = ["KafkaClient"]

log = logging.getLogger("kafka.client")

T = TypeVar("T")
_Callback = Callable[[Any], Any] | None

# Seconds between two checks of a topic that is being created, or of a coordinator that is being
# looked up.
_BACKOFF = 0.1
# Seconds that a leader may take to answer, in addition to the time that it was asked to wait. After
# that, a fetch is given up. Other requests are given up only if there is another leader.
_PATIENCE = 5.0
# Seconds that a coordinator may take.
_COORDINATOR = 30.0

# Temporary errors of a coordinator.
_COORDINATING = frozenset(
    {
        ConsumerCoordinatorNotAvailableCode.errno,
        NotCoordinatorForConsumerCode.errno,
        OffsetsLoadInProgressCode.errno,
    }
)


class KafkaClient(Metadata):
    """Fetches a cluster's topics, and sends requests to its brokers.

    Names of topics and groups can be bytes or str; answers have bytes.

    Args:
        hosts: "host:port", several of them separated by commas, or a list of such texts.
        client_id: a name for the broker's log.
        timeout: the timeout of a request in seconds; None means an hour.
        correlation_id: no effect; librdkafka numbers requests itself.
        properties: librdkafka properties, for example for TLS and SASL; kafka-python does not have
            this.

    Raises:
        KafkaUnavailableError: no broker answers.
        KafkaConfigurationError: librdkafka refuses a property.
    """

    CLIENT_ID = b"kafka-python"

    def __init__(
        self,
        hosts: str | Iterable[str],
        client_id: bytes | str = CLIENT_ID,
        timeout: float | None = DEFAULT_SOCKET_TIMEOUT_SECONDS,
        correlation_id: int = 0,
        properties: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.client_id = kafka_bytestring(client_id)
        self.timeout = timeout
        self.hosts = collect_hosts(hosts)
        self.correlation_id = correlation_id
        self._properties = dict(properties or {})
        self._open()
        self.load_metadata_for_topics()

    def __repr__(self) -> str:
        return f"<KafkaClient client_id={self.client_id!r}>"

    def _arguments(self) -> dict[str, Any]:
        """Return the arguments with which another process makes the same client."""
        return {
            "hosts": [f"[{h}]:{p}" if ":" in h else f"{h}:{p}" for h, p in self.hosts],
            "client_id": self.client_id,
            "timeout": self.timeout,
            "correlation_id": self.correlation_id,
            "properties": self._properties,
        }

    # --- the connection -------------------------------------------------------------------

    def _open(self) -> None:
        conf = {
            "bootstrap.servers": ",".join(self._arguments()["hosts"]),
            "client.id": self.client_id.decode(),
            **self._properties,
        }
        self._engine = Engine(conf, self.timeout)
        weakref.finalize(self, self._engine.close)

    def copy(self) -> KafkaClient:
        """Return a client for another thread, with the same metadata.

        It connects when it is used.
        """
        other = KafkaClient.__new__(type(self))
        vars(other).update(vars(self))
        other.brokers = dict(self.brokers)
        other.topics_to_brokers = dict(self.topics_to_brokers)
        other.topic_partitions = {name: dict(one) for name, one in self.topic_partitions.items()}
        other._open()
        return other

    def reinit(self) -> None:
        """Close the connections, and connect again."""
        self.close()
        self._learn(self.send_metadata_request())

    def close(self) -> None:
        """Close the connections. The next use of the client opens them again."""
        self._engine.close()

    # --- topics ---------------------------------------------------------------------------

    def load_metadata_for_topics(self, *topics: str | bytes) -> None:
        """Fetch the metadata of topics.

        Args:
            topics: the names of the topics; all topics if there are none.

        Raises:
            UnknownTopicOrPartitionError: there is no such topic, and the broker does not create it.
            LeaderNotAvailableError: the topic is being created.
            KafkaUnavailableError: no broker answers.
        """
        if not topics:
            self.reset_all_metadata()
        answer = self.send_metadata_request(list(topics), fail_on_error=False)
        self._learn(answer)
        for topic in answer.topics:
            if topic.error and topics:
                check_error(topic)
            elif topic.error:
                log.error("no metadata of topic %r: error %d", topic.topic, topic.error)

    def ensure_topic_exists(self, topic: str | bytes, timeout: float = 30) -> None:
        """Wait until a topic exists; the broker may create it.

        Args:
            topic: the name of the topic.
            timeout: the timeout in seconds.

        Raises:
            KafkaTimeoutError: the topic does not exist after the timeout.
        """
        end = time.monotonic() + timeout
        while not self.has_metadata_for_topic(topic):
            try:
                self.load_metadata_for_topics(topic)
            except (LeaderNotAvailableError, UnknownTopicOrPartitionError):
                if time.monotonic() > end:
                    name = _requests.text(topic)
                    raise KafkaTimeoutError(f"Unable to create topic {name}") from None
                time.sleep(_BACKOFF)

    def _get_leader_for_partition(self, topic: str | bytes, partition: int) -> BrokerMetadata:
        key = TopicAndPartition(kafka_bytestring(topic), partition)
        if self.topics_to_brokers.get(key) is None:
            self.load_metadata_for_topics(topic)
        if key not in self.topics_to_brokers:
            raise UnknownTopicOrPartitionError(key)
        leader = self.topics_to_brokers[key]
        if leader is None:
            raise LeaderNotAvailableError(self.topic_partitions[key.topic][partition])
        return leader

    # --- requests to any broker -----------------------------------------------------------

    def send_metadata_request(
        self,
        payloads: Iterable[bytes | str] = (),
        fail_on_error: bool = True,
        callback: _Callback = None,
    ) -> Any:
        """Fetch the metadata of topics.

        Args:
            payloads: the names of the topics; all topics if there are none.
            fail_on_error: no effect; the answer contains errors.
            callback: called with the answer.

        Returns:
            A MetadataResponse, or the result of the callback.

        Raises:
            KafkaUnavailableError: no broker answers.
        """
        asked = self._engine.ask(_requests.metadata_request(payloads), _requests.METADATA)
        return _called(callback, _requests.metadata_response(asked.answer()))

    def send_consumer_metadata_request(
        self,
        payloads: bytes | str | Iterable[bytes | str] = (),
        fail_on_error: bool = True,
        callback: _Callback = None,
    ) -> Any:
        """Ask for a group's coordinator.

        Args:
            payloads: the group, or a list with the group in it.
            fail_on_error: no effect; the answer contains errors.
            callback: called with the answer.

        Returns:
            A ConsumerMetadataResponse, or the result of the callback.

        Raises:
            KafkaUnavailableError: no broker answers.
            ValueError: there is not exactly one group.
        """
        groups = [payloads] if isinstance(payloads, bytes | str) else list(payloads)
        if len(groups) != 1:
            raise ValueError(f"payloads must be one group, not {len(groups)}")
        asked = self._engine.ask(
            _requests.coordinator_request(groups[0]), _requests.FIND_COORDINATOR
        )
        return _called(callback, _requests.coordinator_response(asked.answer()))

    # --- requests to the leaders of partitions --------------------------------------------

    def send_produce_request(
        self,
        payloads: Iterable[ProduceRequest] = (),
        acks: int = 1,
        timeout: int = 1000,
        fail_on_error: bool = True,
        callback: _Callback = None,
    ) -> list[Any]:
        """Send messages.

        Args:
            payloads: messages by partition, each partition once.
            acks: which brokers must have the messages before the leader answers: none with 0, the
                leader with 1, all in-sync replicas with any other number.
            timeout: how long the leader waits for the replicas, in milliseconds.
            fail_on_error: whether to raise the first error; otherwise the list contains errors.
            callback: called with each answer.

        Returns:
            A ProduceResponse for each payload, in their order, or the result of the callback;
            nothing with acks=0. Without fail_on_error, the list has a FailedPayloadsError for a
            payload without an answer.

        Raises:
            FailedPayloadsError: there was no answer.
            UnknownTopicOrPartitionError, LeaderNotAvailableError: a payload's partition has no
                leader.
            BrokerResponseError: another error of the broker.
        """
        wanted = _named(payloads)
        for one in wanted:
            self._get_leader_for_partition(one.topic, one.partition)
        answers: dict[TopicAndPartition, Any] = {}
        for (codec, level), some in _produced.by_codec(wanted).items():
            sender = self._engine.sender(Delivery(acks, timeout, codec, level))
            reports = sender.send(_produced.batches(some))
            for payload, report in zip(some, reports, strict=True):
                answers[_place(payload)] = _produced.response(payload, report)
        if acks == 0:
            answers = {
                place: answer
                for place, answer in answers.items()
                if not isinstance(answer, ProduceResponse)
            }
        ordered = [answers[_place(one)] for one in wanted if _place(one) in answers]
        return self._checked(ordered, fail_on_error, callback)

    def send_fetch_request(
        self,
        payloads: Iterable[FetchRequest] = (),
        fail_on_error: bool = True,
        callback: _Callback = None,
        max_wait_time: int = 100,
        min_bytes: int = 4096,
    ) -> list[Any]:
        """Read messages.

        Args:
            payloads: partitions and offsets, each partition once.
            fail_on_error: whether to raise the first error; otherwise the list contains errors.
            callback: called with each answer.
            max_wait_time: how long a broker waits for min_bytes, in milliseconds.
            min_bytes: the number of bytes for which a broker waits.

        Returns:
            A FetchResponse for each payload, in their order, or the result of the callback.

        Raises:
            FailedPayloadsError: there was no answer.
            BrokerResponseError: a broker's error, such as OffsetOutOfRangeError.
        """
        wanted = _named(payloads)

        def message(some: list[FetchRequest]) -> Any:
            return _requests.fetch_request(some, max_wait_time, min_bytes)

        answers = self._ask_leaders(
            wanted,
            message,
            _requests.FETCH,
            _requests.parts_of_fetch,
            max_wait_time / 1000 + _PATIENCE,
        )
        read = [self._read(one, part) for one, part in zip(wanted, answers, strict=True)]
        return self._checked(read, fail_on_error, callback)

    def _read(self, payload: FetchRequest, part: Any) -> Any:
        """Return the answer to a payload.

        Batches without a message are fetched again, and so are batches that did not fit beside
        other partitions. Otherwise a caller without a message would send the same request for ever.
        """
        if isinstance(part, Exception):
            return part
        offset, is_alone = payload.offset, False
        while True:
            messages, following = fetched(part.records or b"", offset)
            if messages or part.error_code or part.high_watermark <= following:
                break
            if is_alone and following == offset:
                break
            offset, is_alone = following, True
            (part,) = self._ask_leaders(
                [payload._replace(offset=offset)],
                lambda some: _requests.fetch_request(some, 0, 0),
                _requests.FETCH,
                _requests.parts_of_fetch,
                _PATIENCE,
            )
            if isinstance(part, Exception):
                return part
        return FetchResponse(
            payload.topic,
            payload.partition,
            part.error_code,
            part.high_watermark,
            Messages(messages, payload.max_bytes, following),
        )

    def send_offset_request(
        self,
        payloads: Iterable[OffsetRequest] = (),
        fail_on_error: bool = True,
        callback: _Callback = None,
    ) -> list[Any]:
        """Fetch the offsets of partitions.

        Args:
            payloads: partitions and times, each partition once.
            fail_on_error: whether to raise the first error; otherwise the list contains errors.
            callback: called with each answer.

        Returns:
            An OffsetResponse for each payload, in their order, or the result of the callback. All
            messages before the first returned offset are older than the time. With max_offsets of
            at least 2, the offset of the partition's beginning follows.

        Raises:
            FailedPayloadsError: there was no answer.
            BrokerResponseError: a broker's error.
        """
        answers = _offsets.found(_named(payloads), self._ask_offsets)
        return self._checked(answers, fail_on_error, callback)

    def _ask_offsets(self, payloads: list[OffsetRequest]) -> list[Any]:
        return self._ask_leaders(
            payloads, _requests.offsets_request, _requests.LIST_OFFSETS, _requests.parts_of_offsets
        )

    def _ask_leaders(
        self,
        payloads: list[Any],
        message: Callable[[list[Any]], Any],
        version: int,
        parts: Callable[[Any], Iterator[tuple[TopicAndPartition, Any]]],
        within: float | None = None,
    ) -> list[Any]:
        """Ask the leaders of partitions, all at the same time.

        Args:
            payloads: what to ask for.
            message: makes a request from the payloads for a broker.
            version: the version of the request.
            parts: returns the parts of an answer.
            within: a timeout for a leader in seconds that is shorter than the client's.

        Returns:
            The part for each payload, or a FailedPayloadsError.
        """
        by_leader = defaultdict(list)
        for one in payloads:
            by_leader[self._get_leader_for_partition(one.topic, one.partition)].append(one)
        answers: dict[TopicAndPartition, Any] = {}
        asked = {
            leader: self._sent(message(some), version, leader, within)
            for leader, some in by_leader.items()
        }
        for leader, answer in asked.items():
            still_leads = partial(self._still_leads, leader, by_leader[leader])
            try:
                answers.update(parts(answer(_PATIENCE, still_leads)))
            except (common.ConnectionError, KafkaUnavailableError) as failure:
                log.warning("broker %d: %s", leader.nodeId, failure)
                for one in by_leader[leader]:
                    answers[_place(one)] = self._failed(one, failure)
        return [answers[_place(one)] for one in payloads]

    def _sent(
        self, message: Any, version: int, leader: BrokerMetadata, within: float | None
    ) -> Callable[..., Any]:
        """Send a request; return a function that waits for its answer or raises the error."""
        try:
            return self._engine.ask(message, version, broker=leader, within=within).answer
        except (common.ConnectionError, KafkaUnavailableError) as failure:
            return partial(_raise, failure)

    def _still_leads(self, leader: BrokerMetadata, payloads: list[Any]) -> bool:
        """Return whether no other broker is known to lead one of these partitions."""
        with suppress(KafkaError):
            self.load_metadata_for_topics(*{one.topic for one in payloads})
        known = [self.topics_to_brokers.get(_place(one)) for one in payloads]
        return all(one is None or one == leader for one in known)

    def _failed(self, payload: Any, failure: KafkaError) -> FailedPayloadsError:
        self.reset_topic_metadata(payload.topic)  # there may be another leader
        failed = FailedPayloadsError(payload)
        failed.__cause__ = failure
        return failed

    # --- requests to a group's coordinator ------------------------------------------------

    def send_offset_commit_request(
        self,
        group: bytes | str,
        payloads: Iterable[OffsetCommitRequest] = (),
        fail_on_error: bool = True,
        callback: _Callback = None,
    ) -> list[Any]:
        """Store a group's offsets.

        Args:
            group: the name of the group. It must not have members to which Kafka assigns
                partitions.
            payloads: the offsets, each partition once.
            fail_on_error: whether to raise the first error; otherwise the list contains errors.
            callback: called with each answer.

        Returns:
            An OffsetCommitResponse for each payload, in their order, or the result of the callback.

        Raises:
            FailedPayloadsError: there was no answer.
            BrokerResponseError: the coordinator's error.
        """
        wanted = _named(payloads)
        name = _requests.text(group)
        answers = self._ask_coordinator(
            name,
            wanted,
            _requests.commit_request(name, wanted),
            _requests.OFFSET_COMMIT,
            _requests.commit_responses,
        )
        return self._checked(answers, fail_on_error, callback)

    def send_offset_fetch_request(
        self,
        group: bytes | str,
        payloads: Iterable[OffsetFetchRequest] = (),
        fail_on_error: bool = True,
        callback: _Callback = None,
    ) -> list[Any]:
        """Fetch a group's offsets.

        Args:
            group: the name of the group.
            payloads: the partitions, each once.
            fail_on_error: whether to raise the first error; otherwise the list contains errors.
            callback: called with each answer.

        Returns:
            An OffsetFetchResponse for each payload, in their order, or the result of the callback.

        Raises:
            UnknownTopicOrPartitionError: the group has no offset of a partition.
            FailedPayloadsError: there was no answer.
            BrokerResponseError: the coordinator's error.
        """
        answers = [_offsets.as_unknown(one) for one in self._ask_committed(group, payloads)]
        return self._checked(answers, fail_on_error, callback)

    def send_offset_fetch_request_kafka(
        self,
        group: bytes | str,
        payloads: Iterable[OffsetFetchRequest] = (),
        fail_on_error: bool = True,
        callback: _Callback = None,
    ) -> list[Any]:
        """Fetch a group's offsets. A partition without an offset has -1, which is not an error.

        Everything else is the same as in send_offset_fetch_request().
        """
        return self._checked(self._ask_committed(group, payloads), fail_on_error, callback)

    def _ask_committed(
        self, group: bytes | str, payloads: Iterable[OffsetFetchRequest]
    ) -> list[Any]:
        wanted = _named(payloads)
        name = _requests.text(group)
        return self._ask_coordinator(
            name,
            wanted,
            _requests.committed_request(name, wanted),
            _requests.OFFSET_FETCH,
            _requests.committed_responses,
        )

    def _ask_coordinator(
        self,
        group: str,
        payloads: list[Any],
        message: Any,
        version: int,
        responses: Callable[[Any], list[Any]],
    ) -> list[Any]:
        """Ask a group's coordinator; repeat this while it is not ready."""
        if not payloads:
            return []
        end = time.monotonic() + _COORDINATOR
        while True:
            try:
                left = max(0.0, end - time.monotonic())
                answer = self._engine.ask(message, version, group=group, within=left).answer()
            except (common.ConnectionError, KafkaUnavailableError) as failure:
                return [self._failed(one, failure) for one in payloads]
            answers = {_place(one): one for one in responses(answer)}
            is_ready = all(one.error not in _COORDINATING for one in answers.values())
            if is_ready or time.monotonic() > end:
                return [answers[_place(one)] for one in payloads]
            time.sleep(_BACKOFF)

    # --- answers --------------------------------------------------------------------------

    def _checked(self, answers: list[Any], fail_on_error: bool, callback: _Callback) -> list[Any]:
        """Forget topics whose leader has changed, raise the first error, call the callback."""
        stale = (NotLeaderForPartitionError.errno, UnknownTopicOrPartitionError.errno)
        for answer in answers:
            if getattr(answer, "error", 0) in stale and not _is_committed(answer):
                self.reset_topic_metadata(answer.topic)
            if fail_on_error:
                check_error(answer)
        return [_called(callback, answer) for answer in answers]


def _raise(failure: Exception, *_: object) -> NoReturn:
    raise failure


def _is_committed(answer: Any) -> bool:
    return isinstance(answer, OffsetFetchResponse | OffsetCommitResponse)


def _named(payloads: Iterable[T]) -> list[T]:
    """Return payloads with the names of their topics as bytes.

    Raises:
        AssertionError: two payloads are for the same partition.
    """
    named: list[Any] = []
    for one in payloads:
        payload: Any = one
        topic = kafka_bytestring(payload.topic)
        named.append(payload if topic is payload.topic else payload._replace(topic=topic))
    group_by_topic_and_partition(named)
    return named


def _place(one: Any) -> TopicAndPartition:
    return TopicAndPartition(one.topic, one.partition)


def _called(callback: _Callback, answer: Any) -> Any:
    return answer if callback is None else callback(answer)
