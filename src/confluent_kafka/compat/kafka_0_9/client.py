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

# Seconds between two looks at a topic that is being created, or a coordinator that is being found.
_BACKOFF = 0.1
# Seconds that a leader may take to answer, besides those that it is told to wait: then there may be
# another one. Fetch is given up then, and other requests if there is one.
_PATIENCE = 5.0
# Seconds that a coordinator may take.
_COORDINATOR = 30.0

# What the coordinator says that does not last.
_COORDINATING = frozenset(
    {
        ConsumerCoordinatorNotAvailableCode.errno,
        NotCoordinatorForConsumerCode.errno,
        OffsetsLoadInProgressCode.errno,
    }
)


class KafkaClient(Metadata):
    """Knows a cluster's topics, and sends requests to its brokers.

    Names of topics and groups can be bytes or str; answers have bytes.

    Args:
        hosts: "host:port", several with commas between, or a list of those.
        client_id: a name for the broker's log.
        timeout: seconds that a request may take; None is an hour.
        correlation_id: kept; librdkafka has numbers of its own.
        properties: librdkafka's properties, such as those for TLS and SASL; not in kafka-python.

    Raises:
        KafkaUnavailableError: no broker answers.
        KafkaConfigurationError: librdkafka does not take a property.
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
        """Return what another process makes the same client of."""
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
        """Return a client for another thread, which knows the same; it connects when it is used."""
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
        """Close the connections. A client that is used again connects again."""
        self._engine.close()

    # --- topics ---------------------------------------------------------------------------

    def load_metadata_for_topics(self, *topics: str | bytes) -> None:
        """Ask for topics.

        Args:
            topics: their names; all topics, if there are none.

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
        """Wait until a topic is there; the broker may create it.

        Args:
            topic: its name.
            timeout: seconds.

        Raises:
            KafkaTimeoutError: it is not there after the timeout.
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
        """Ask for topics.

        Args:
            payloads: their names; all topics, if there are none.
            fail_on_error: no effect: errors are in the answer.
            callback: gets the answer.

        Returns:
            A MetadataResponse, or what the callback returned.

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
            fail_on_error: no effect: errors are in the answer.
            callback: gets the answer.

        Returns:
            A ConsumerMetadataResponse, or what the callback returned.

        Raises:
            KafkaUnavailableError: no broker answers.
            ValueError: there is not one group.
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
            payloads: messages by partitions, each partition once.
            acks: who has to have them before the broker answers: 0 nobody, 1 the leader, any other
                number all replicas in sync.
            timeout: milliseconds that the broker waits for them.
            fail_on_error: whether to raise the first error; or else errors are in the list.
            callback: gets each answer.

        Returns:
            A ProduceResponse for each payload, in their order, or what the callback returned;
            nothing with acks=0. Without fail_on_error, a FailedPayloadsError stands for a payload
            that was not answered.

        Raises:
            FailedPayloadsError: there was no answer.
            UnknownTopicOrPartitionError, LeaderNotAvailableError: a payload can be sent nowhere.
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
            payloads: where to read, each partition once.
            fail_on_error: whether to raise the first error; or else errors are in the list.
            callback: gets each answer.
            max_wait_time: milliseconds that a broker waits for min_bytes.
            min_bytes: that a broker waits for.

        Returns:
            A FetchResponse for each payload, in their order, or what the callback returned.

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

        Batches without a message, and those that did not fit beside other partitions, are asked
        for again: a caller who gets no message would ask for the same for ever.
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
        """Ask for the offsets that partitions have.

        Args:
            payloads: partitions and times, each partition once.
            fail_on_error: whether to raise the first error; or else errors are in the list.
            callback: gets each answer.

        Returns:
            An OffsetResponse for each payload, in their order, or what the callback returned. The
            first offset is that before which all messages are older; with max_offsets of at least
            2, the partition's first one follows.

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
            message: makes the request of those for a broker.
            version: of the request.
            parts: gives the parts of an answer.
            within: seconds that a leader may take, if they are fewer than the client's timeout.

        Returns:
            The part for each payload, or the FailedPayloadsError.
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
        """Send a request; return what waits for its answer, and raises what went wrong."""
        try:
            return self._engine.ask(message, version, broker=leader, within=within).answer
        except (common.ConnectionError, KafkaUnavailableError) as failure:
            return partial(_raise, failure)

    def _still_leads(self, leader: BrokerMetadata, payloads: list[Any]) -> bool:
        """Return whether nobody else leads one of these partitions now, as far as brokers know."""
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
            group: its name. It must not have members that let Kafka assign partitions.
            payloads: offsets, each partition once.
            fail_on_error: whether to raise the first error; or else errors are in the list.
            callback: gets each answer.

        Returns:
            An OffsetCommitResponse for each payload, in their order, or what the callback returned.

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
        """Ask for a group's offsets.

        Args:
            group: its name.
            payloads: partitions, each once.
            fail_on_error: whether to raise the first error; or else errors are in the list.
            callback: gets each answer.

        Returns:
            An OffsetFetchResponse for each payload, in their order, or what the callback returned.

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
        """Ask for a group's offsets; where it has none, the offset is -1 and that is no error.

        Otherwise as send_offset_fetch_request().
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
        """Ask a group's coordinator, again while it is not ready."""
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
        AssertionError: two are for one partition.
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
