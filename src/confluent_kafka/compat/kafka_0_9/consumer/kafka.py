"""The second consumer of 0.9.5, for several topics, which stores offsets of marked messages."""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..client import KafkaClient
from ..common import (
    ConsumerTimeout,
    FailedPayloadsError,
    FetchRequest,
    FetchResponse,
    KafkaConfigurationError,
    KafkaMessage,
    NotLeaderForPartitionError,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetOutOfRangeError,
    OffsetRequest,
    RequestTimedOutError,
    UnknownTopicOrPartitionError,
    check_error,
)
from ..util import kafka_bytestring
from ._topics import TopicPartitionOffset, chosen

__all__ = ["KafkaConsumer", "OffsetsStruct"]

log = logging.getLogger("kafka.consumer")

Place = tuple[bytes, int]

_RESETS = {"largest": -1, "smallest": -2}
_RENAMED = {"metadata_broker_list": "bootstrap_servers"}

DEFAULT_CONSUMER_CONFIG: dict[str, Any] = {
    "client_id": "kafka.consumer.kafka",
    "group_id": None,
    "bootstrap_servers": [],
    "socket_timeout_ms": 30 * 1000,
    "fetch_message_max_bytes": 1024 * 1024,
    "auto_offset_reset": "largest",
    "fetch_min_bytes": 1,
    "fetch_wait_max_ms": 100,
    "refresh_leader_backoff_ms": 200,
    "deserializer_class": lambda msg: msg,
    "auto_commit_enable": False,
    "auto_commit_interval_ms": 60 * 1000,
    "auto_commit_interval_messages": None,
    "consumer_timeout_ms": -1,
    # The keywords below have no effect.
    "socket_receive_buffer_bytes": 64 * 1024,
    "num_consumer_fetchers": 1,
    "default_fetcher_backoff_ms": 1000,
    "queued_max_message_chunks": 10,
    "rebalance_max_retries": 4,
    "rebalance_backoff_ms": 2000,
}


class OffsetsStruct(NamedTuple):
    """Offsets by topic and partition."""

    fetch: dict[Place, int]
    """The offsets of the next messages to read."""
    highwater: dict[Place, int | None]
    """The end offsets at the last fetch."""
    commit: dict[Place, int | None]
    """The offsets that the group has stored."""
    task_done: dict[Place, int | None]
    """The offsets of the last marked messages."""


class KafkaConsumer:
    """Reads partitions of topics, and stores the offsets of marked messages.

    It does not share topics with other members of its group: each consumer reads the topics that it
    was given.

    Args:
        topics: the same as for set_topic_partitions().
        configs: the same as for configure().

    Raises:
        KafkaConfigurationError: a keyword is missing, unknown or wrong.
        UnknownTopicOrPartitionError: there is no such topic or partition.
        KafkaUnavailableError: no broker answers.
    """

    DEFAULT_CONFIG = DEFAULT_CONSUMER_CONFIG

    def __init__(self, *topics: Any, **configs: Any) -> None:
        self._config: dict[str, Any] = {}
        self._client: KafkaClient | None = None
        self._topics: list[Place] = []
        self._offsets = OffsetsStruct({}, {}, {}, {})
        self._messages: Iterator[KafkaMessage] | None = None
        self.configure(**configs)
        self.set_topic_partitions(*topics)

    def __repr__(self) -> str:
        return f"<KafkaConsumer topics=({'|'.join(f'{t!r}-{p}' for t, p in self._topics)})>"

    def configure(self, **configs: Any) -> None:
        """Change keywords, and connect again.

        Args:
            configs: bootstrap_servers ("host:port" or a list); client_id; group_id;
                fetch_message_max_bytes (for each partition); fetch_min_bytes and fetch_wait_max_ms
                (for which a broker waits); refresh_leader_backoff_ms (the wait after errors);
                socket_timeout_ms; auto_offset_reset ("smallest" or "largest"; with any other value,
                OffsetOutOfRangeError is raised); deserializer_class (called with each value);
                auto_commit_enable; auto_commit_interval_ms and auto_commit_interval_messages (None,
                0 and negative numbers mean never); consumer_timeout_ms (after which next() raises
                ConsumerTimeout; -1 means never); and properties (a dict of librdkafka properties,
                which kafka-python does not have). Other keywords have no effect.

        Raises:
            KafkaConfigurationError: a keyword is missing, unknown or wrong.
            KafkaUnavailableError: no broker answers.
        """
        given = {_RENAMED.get(name, name): value for name, value in configs.items()}
        unknown = sorted(given.keys() - DEFAULT_CONSUMER_CONFIG.keys() - {"properties"})
        if unknown:
            raise KafkaConfigurationError(f"Unknown configuration key(s): {unknown}")
        config = {**DEFAULT_CONSUMER_CONFIG, **self._config, **given}
        if not config["bootstrap_servers"]:
            raise KafkaConfigurationError("bootstrap_servers required to configure KafkaConsumer")
        if config["auto_commit_enable"] and not config["group_id"]:
            raise KafkaConfigurationError(
                "KafkaConsumer configured to auto-commit without required consumer group (group_id)"
            )
        self._config = config
        self.close()
        self._client = KafkaClient(
            config["bootstrap_servers"],
            client_id=config["client_id"],
            timeout=config["socket_timeout_ms"] / 1000,
            properties=config.get("properties"),
        )
        self._begin_commit_interval()

    def set_topic_partitions(self, *topics: Any) -> None:
        """Choose what to read, instead of the earlier choice.

        Args:
            topics: a topic's name, for all its partitions; (topic, partition); (topic, partition,
                offset); {topic: partition or a list of them}; {(topic, partition): offset}.

        Raises:
            KafkaConfigurationError: an argument is none of these.
            UnknownTopicOrPartitionError: there is no such topic or partition.
            OffsetOutOfRangeError: there is no start offset, and auto_offset_reset gives none.
        """
        client = self._connected()
        client.load_metadata_for_topics()
        wanted = [one for argument in topics for one in chosen(argument, client)]
        for one in wanted:
            _check_known(one, client)
        self._messages = None
        self._topics = list(dict.fromkeys((one.topic, one.partition) for one in wanted))
        nothing: dict[Place, int | None] = dict.fromkeys(self._topics)
        self._offsets = OffsetsStruct({}, dict(nothing), dict(nothing), dict(nothing))
        if self._config["group_id"]:
            self._load_committed()
        given = {(one.topic, one.partition): one.offset for one in wanted}
        for place in self._topics:
            offset = given[place]
            if offset is None:
                offset = self._offsets.commit[place]
            self._offsets.fetch[place] = self._reset(place) if offset is None else offset

    def close(self) -> None:
        """Close the connections. Marks that are not stored yet are lost."""
        if self._client is not None:
            self._client.close()

    def __iter__(self) -> KafkaConsumer:
        return self

    def __next__(self) -> KafkaMessage:
        return self.next()

    def next(self) -> KafkaMessage:
        """Return the next message.

        Raises:
            ConsumerTimeout: there was none for consumer_timeout_ms.
            KafkaError: the same errors as in fetch_messages().
        """
        limit = self._config["consumer_timeout_ms"]
        end = time.monotonic() + limit / 1000
        while True:
            self._auto_commit()
            if self._messages is None:
                self._messages = self.fetch_messages()
            for message in self._messages:
                return message
            self._messages = None
            if limit > 0 and time.monotonic() >= end:
                raise ConsumerTimeout(f"Consumer timed out after {limit} ms")

    def fetch_messages(self) -> Iterator[KafkaMessage]:
        """Ask once for messages of all partitions, and return them one at a time.

        Raises:
            KafkaConfigurationError: no topic was chosen.
            OffsetOutOfRangeError: there is no such offset, and auto_offset_reset gives none.
            ConsumerFetchSizeTooSmall: a message is larger than fetch_message_max_bytes.
            KafkaError: the same errors as in KafkaClient.send_fetch_request().
        """
        if not self._topics:
            raise KafkaConfigurationError("No topics or partitions configured")
        size = self._config["fetch_message_max_bytes"]
        answers = self._connected().send_fetch_request(
            [FetchRequest(*place, self._offsets.fetch[place], size) for place in self._topics],
            fail_on_error=False,
            max_wait_time=self._config["fetch_wait_max_ms"],
            min_bytes=self._config["fetch_min_bytes"],
        )
        for answer in answers:
            if self._is_usable(answer):
                yield from self._messages_of(answer)

    def get_partition_offsets(
        self, topic: str | bytes, partition: int, request_time_ms: int, max_num_offsets: int
    ) -> tuple[int, ...]:
        """Fetch offsets of a partition.

        Args:
            topic: the name of the topic.
            partition: the number of the partition.
            request_time_ms: -1 for the end, -2 for the beginning, or a time in milliseconds since
                the epoch: then all messages before the offset are older.
            max_num_offsets: the largest number of offsets; today's brokers return up to 2.

        Returns:
            The offsets, the highest first.

        Raises:
            KafkaError: the same errors as in KafkaClient.send_offset_request().
        """
        request = OffsetRequest(
            kafka_bytestring(topic), partition, request_time_ms, max_num_offsets
        )
        (answer,) = self._connected().send_offset_request([request])
        offsets: tuple[int, ...] = answer.offsets
        return offsets

    def offsets(self, group: str | None = None) -> dict[Any, Any]:
        """Return offsets.

        Args:
            group: the kind of offsets: "fetch", "commit", "task_done" or "highwater"; None means
                all.

        Returns:
            A copy of the offsets by topic and partition; with None, a dict of them by kind.
        """
        if group is None:
            return {name: dict(value) for name, value in self._offsets._asdict().items()}
        return dict(getattr(self._offsets, group))

    def task_done(self, message: KafkaMessage) -> bool:
        """Mark a message and all messages before it as done; commit() stores the mark.

        Args:
            message: a message from next().

        Returns:
            Whether the consumer reads the partition of the message.
        """
        place = (message.topic, message.partition)
        if place not in self._offsets.task_done:
            log.warning("%s-%d is not read by this consumer: task_done() has no effect", *place)
            return False
        self._offsets.task_done[place] = message.offset
        self._done_since_commit += 1
        self._auto_commit()
        return True

    def commit(self) -> bool:
        """Store the offsets that follow the marked messages.

        Returns:
            Whether there was something to store.

        Raises:
            KafkaConfigurationError: there is no group_id.
            KafkaError: the same errors as in KafkaClient.send_offset_commit_request().
        """
        if not self._config["group_id"]:
            raise KafkaConfigurationError(
                "Attempted to commit offsets without a configured consumer group (group_id)"
            )
        self._begin_commit_interval()
        done = self._offsets.task_done
        following = {place: offset + 1 for place, offset in done.items() if offset is not None}
        wanted = {
            place: offset
            for place, offset in following.items()
            if offset != self._offsets.commit[place]
        }
        if not wanted:
            return False
        answers = self._connected().send_offset_commit_request(
            self._config["group_id"],
            [OffsetCommitRequest(*place, offset, b"") for place, offset in wanted.items()],
            fail_on_error=False,
        )
        for answer in answers:
            check_error(answer)
            place = (answer.topic, answer.partition)
            self._offsets.commit[place] = wanted[place]
        return True

    def _connected(self) -> KafkaClient:
        assert self._client is not None
        return self._client

    def _load_committed(self) -> None:
        answers = self._connected().send_offset_fetch_request_kafka(
            self._config["group_id"], [OffsetFetchRequest(*place) for place in self._topics]
        )
        for answer in answers:
            if answer.offset >= 0:
                self._offsets.commit[answer.topic, answer.partition] = answer.offset

    def _reset(self, place: Place) -> int:
        policy = self._config["auto_offset_reset"]
        if policy not in _RESETS:
            raise OffsetOutOfRangeError(
                "Cannot reset partition offsets without a valid auto_offset_reset setting "
                "(largest|smallest)"
            )
        (offset,) = self.get_partition_offsets(*place, _RESETS[policy], 1)
        return offset

    def _is_usable(self, answer: Any) -> bool:
        """Return whether an answer has messages; repair errors if possible."""
        try:
            check_error(answer)
        except OffsetOutOfRangeError:
            if self._config["auto_offset_reset"] not in _RESETS:
                raise
            place = (answer.topic, answer.partition)
            self._offsets.fetch[place] = self._reset(place)
            log.warning(
                "offset out of range: %s-%d goes on at %d", *place, self._offsets.fetch[place]
            )
            return False
        except RequestTimedOutError as failure:
            log.warning("%s", failure)
            return False
        except (NotLeaderForPartitionError, FailedPayloadsError) as failure:
            log.warning("no answer from a leader: %s", failure)
            backoff = self._config["refresh_leader_backoff_ms"] / 1000
            time.sleep(random.uniform(0.5, 1.5) * backoff)  # spread the consumers' requests
            self._connected().load_metadata_for_topics()
            return False
        return True

    def _messages_of(self, answer: FetchResponse) -> Iterator[KafkaMessage]:
        place = (answer.topic, answer.partition)
        self._offsets.highwater[place] = answer.highwaterMark
        deserializer = self._config["deserializer_class"]
        for offset, message in answer.messages:
            made = KafkaMessage(*place, offset, message.key, deserializer(message.value))
            # No call may follow before the yield: Ctrl-C would arrive there and lose the message.
            self._offsets.fetch[place] = offset + 1
            yield made
        self._offsets.fetch[place] = answer.messages.next_offset

    def _begin_commit_interval(self) -> None:
        self._done_since_commit = 0
        interval = self._config["auto_commit_interval_ms"]
        self._next_commit = time.monotonic() + interval / 1000 if _counts(interval) else math.inf

    def _auto_commit(self) -> None:
        if not self._config["auto_commit_enable"]:
            return
        limit = self._config["auto_commit_interval_messages"]
        is_enough = _counts(limit) and self._done_since_commit >= limit
        if is_enough or time.monotonic() >= self._next_commit:
            self.commit()


def _counts(limit: float | None) -> bool:
    """Return whether a limit is set: None, 0 and negative numbers mean no limit."""
    return limit is not None and limit > 0


def _check_known(one: TopicPartitionOffset, client: KafkaClient) -> None:
    if not client.has_metadata_for_topic(one.topic):
        raise UnknownTopicOrPartitionError(f"Topic {one.topic!r} not found in broker metadata")
    if one.partition not in client.get_partition_ids_for_topic(one.topic):
        raise UnknownTopicOrPartitionError(
            f"Partition {one.partition} not found in Topic {one.topic!r} in broker metadata"
        )
