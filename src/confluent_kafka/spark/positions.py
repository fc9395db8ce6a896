"""Asks the brokers for the partitions of topics, and for their first and last offsets."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NoReturn, TypeAlias, TypeVar

from confluent_kafka import KafkaError, KafkaException, TopicPartition, build_info
from confluent_kafka.protocol import MetadataRequest, MetadataResponse

from .clients import RangeConsumer
from .offsets import EARLIEST, LATEST, Bound, Offsets, Partition, Times
from .read_options import API_TIMEOUT, Retries
from .selection import Selection, Subscribe, SubscribePattern

# How many seconds one request to the brokers may take, with its repetitions after temporary
# errors. The second value applies if no broker has ever answered this client: the cause is then a
# wrong configuration, not a broker that restarts. The option kafka.default.api.timeout.ms sets
# both.
TIMEOUT = 15.0
UNREACHED_TIMEOUT = 5.0
# Seconds until the errors of the brokers are examined for the first time.
_FIRST_TIMEOUT = 0.5
# The librdkafka of a Linux distribution cannot send arbitrary requests.
_HAS_REQUESTS = "raw-request" not in build_info()["missing_patches"].get("features", ())
# The errors of a broker whose partition just moved, or whose topic is still being created.
_PASSING = frozenset(
    {
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.OFFSET_NOT_AVAILABLE,
        KafkaError.REPLICA_NOT_AVAILABLE,
        KafkaError.KAFKA_STORAGE_ERROR,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.REQUEST_TIMED_OUT,
    }
)
# The errors of a partition whose topic was deleted.
GONE = frozenset(
    {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError._UNKNOWN_TOPIC,
    }
)
# The result if there is no answer, for example because no broker can be reached.
_NO_ANSWER = frozenset(
    {
        KafkaError._DESTROY_BROKER,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._TRANSPORT,
    }
)
# Errors that do not pass by themselves, and the options to check.
_FINAL = {
    KafkaError._AUTHENTICATION: "kafka.sasl.* and kafka.security.protocol",
    KafkaError._SSL: "kafka.ssl.* and kafka.security.protocol",
}

T = TypeVar("T")
TimeLookup: TypeAlias = Callable[[Mapping[Partition, int]], Mapping[Partition, int | None]]


class Positions:
    """Asks the brokers for partitions and offsets.

    Args:
        consumer: sends the requests; it must not be reading.
        retries: how often, when and for how long a request is repeated after a temporary error.
    """

    def __init__(self, consumer: RangeConsumer, retries: Retries) -> None:
        self._consumer = consumer
        self._retries = retries
        self._errors: dict[int, KafkaError] = {}

    def partitions(self, selection: Selection, *, missing_ok: bool = False) -> list[Partition]:
        """Return the partitions that a read covers, in order.

        Args:
            selection: the topics or partitions of the read.
            missing_ok: whether named topics and partitions may be missing, because they were
                deleted while the query runs.

        Raises:
            ValueError: a named topic or partition does not exist.
            KafkaException: the brokers cannot be reached or refuse the request.
        """
        if isinstance(selection, SubscribePattern):
            known = self._all_topics()
            return [
                Partition(topic, number)
                for topic in filter(selection.matches, sorted(known))
                for number in known[topic]
            ]

        def missing(what: str) -> None:
            if not missing_ok:
                raise ValueError(f"option {selection.option}: {what} does not exist")

        if isinstance(selection, Subscribe):
            return self._all_of(selection.topics, missing)
        wanted = selection.partitions
        there = set(self._all_of(sorted({one.topic for one in wanted}), missing))
        for one in wanted:
            if one not in there:
                missing(f"partition {one}")
        return [one for one in wanted if one in there]

    def earliest(self, wanted: Iterable[Partition]) -> Offsets:
        """Return the first offset that each partition still has."""
        return self._lookup(dict.fromkeys(wanted, EARLIEST))

    def latest(self, wanted: Iterable[Partition]) -> Offsets:
        """Return the offset that the next message of each partition will have.

        With ``isolation.level=read_committed`` it is the offset of the first open transaction.
        """
        return self._lookup(dict.fromkeys(wanted, LATEST))

    def at(self, times: Mapping[Partition, int]) -> dict[Partition, int | None]:
        """Return the offset of each partition's first message that is not older than a given time.

        Args:
            times: milliseconds since 1970 UTC for each partition, 0 or more.

        Returns:
            The offsets; None for a partition without such a message.
        """
        found = self._lookup(times)
        return {one: offset if offset >= 0 else None for one, offset in found.items()}

    def _all_topics(self) -> dict[str, list[int]]:
        """Return the numbers of the partitions of each topic."""

        def ask(timeout: float) -> dict[str, list[int]]:
            topics = self._consumer.list_topics(timeout=timeout).topics
            return {name: sorted(one.partitions) for name, one in topics.items()}

        return self._patiently(ask)

    def _all_of(self, topics: Collection[str], missing: Callable[[str], None]) -> list[Partition]:
        """Return all partitions of topics, and report each missing topic."""
        found: list[Partition] = []
        known: dict[str, list[int]] = {}
        if len(topics) > 1 and _HAS_REQUESTS:
            known = self._patiently(lambda timeout: self._named(topics, timeout))
        for topic in topics:
            # If the answer for many topics lacks a topic, ask for this topic alone: that answer
            # contains the error.
            numbers = known.get(topic) or self._partitions_of(topic)
            if numbers is None:
                missing(f"topic {topic!r}")
            else:
                found += [Partition(topic, number) for number in numbers]
        return found

    def _named(self, topics: Collection[str], timeout: float) -> dict[str, list[int]]:
        """Return the partition numbers of the topics that can be read, with one request.

        librdkafka itself asks for one topic, or for all topics, which may be far more.
        """
        _, high = self._consumer.api_versions(timeout=timeout)[MetadataRequest.api_key]
        version = min(high, max(MetadataRequest.valid_versions))
        names = [MetadataRequest.MetadataRequestTopic(name=topic) for topic in topics]
        request = MetadataRequest(topics=names, allow_auto_topic_creation=False)
        body = self._consumer.request(
            MetadataRequest.api_key, version, request.encode(version), timeout=timeout
        )
        answer = MetadataResponse.decode(body, version)
        return {
            one.name: sorted(partition.partition_index for partition in one.partitions)
            for one in answer.topics
            if one.error_code == 0 and one.name is not None
        }

    def _partitions_of(self, topic: str) -> list[int] | None:
        """Return the numbers of a topic's partitions; None if there is no such topic."""

        def ask(timeout: float) -> list[int] | None:
            metadata = self._consumer.list_topics(topic, timeout=timeout).topics[topic]
            if metadata.error is None:
                return sorted(metadata.partitions)
            if metadata.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                return None
            raise KafkaException(metadata.error)

        return self._patiently(ask)

    def _lookup(self, times: Mapping[Partition, int]) -> Offsets:
        """Ask for offsets by time, with one request to each broker for many of its partitions.

        librdkafka's ``rd_kafka_offsets_for_times`` also takes the special times earliest and
        latest.
        """
        if not times:
            return {}  # librdkafka refuses the request
        questions = [TopicPartition(*one, position) for one, position in times.items()]

        def ask(timeout: float) -> Offsets:
            answers = self._consumer.offsets_for_times(questions, timeout=timeout)
            for answer in answers:
                if answer.error is not None:
                    raise KafkaException(answer.error)
            return {Partition(one.topic, one.partition): one.offset for one in answers}

        return self._patiently(ask)

    def _patiently(self, ask: Callable[[float], T]) -> T:
        """Repeat a request while its answer is a temporary error, or while there is no answer."""
        retries = self._retries.most
        started = time.monotonic()
        timeout = _FIRST_TIMEOUT
        asked = 0
        while True:
            asked += 1
            try:
                answer = ask(timeout)
            except KafkaException as failure:
                code = failure.args[0].code()
                if code in _NO_ANSWER:
                    left = self._check_brokers(asked, time.monotonic() - started)
                    # Wait longer each time, because the answer may only be slow.
                    timeout = min(2 * timeout, left)
                    continue
                has_time = time.monotonic() <= started + (self._retries.timeout or TIMEOUT)
                if code not in _PASSING or retries == 0 or not has_time:
                    raise
                retries -= 1
            else:
                self._consumer.reached = True
                return answer
            time.sleep(self._retries.interval)

    def _check_brokers(self, asked: int, waited: float) -> float:
        """Return the seconds left for an answer; raise an error if waiting longer is useless.

        If the machine stalls, the time for a request may pass before the request is sent.
        """
        self._errors.update({error.code(): error for error in self._consumer.recent_errors()})
        for code, options in _FINAL.items():
            if code in self._errors:
                self._give_up(code, f"check the options {options}")
        usual = TIMEOUT if self._consumer.reached else UNREACHED_TIMEOUT
        left = (self._retries.timeout or usual) - waited
        if left <= 0 and asked > 1:
            hint = f"there was none for {waited:.0f} s (option {API_TIMEOUT})"
            self._give_up(KafkaError._TRANSPORT, hint)
        return max(left, _FIRST_TIMEOUT)

    def _give_up(self, code: int, hint: str) -> NoReturn:
        reasons = [
            error.str()
            for error in self._errors.values()
            if error.code() != KafkaError._ALL_BROKERS_DOWN
        ]
        raise KafkaException(
            KafkaError(
                code,
                f"no answer from the brokers of option kafka.bootstrap.servers "
                f"({self._consumer.servers}), {hint}: {'; '.join(reasons) or 'no error was noted'}",
            )
        )


def resolve(
    option: str,
    bound: Bound,
    first: Mapping[Partition, int],
    last: Mapping[Partition, int],
    at: TimeLookup,
) -> Offsets:
    """Return the offset of each partition for a bound.

    Args:
        option: the name of the option for offsets, for errors.
        bound: the value of the option.
        first: the earliest offset of each partition.
        last: the latest offset of each partition.
        at: looks up offsets by time: `Positions.at`.

    Raises:
        ValueError: the bound names other partitions than the read covers; or it is a time, and a
            partition has no message at or after it, and the option makes that an error.
        KafkaException: the brokers cannot be reached or refuse the request.
    """
    if bound == "earliest":
        return dict(first)
    if bound == "latest":
        return dict(last)
    if isinstance(bound, Times):
        return _resolve_times(bound, last, at)
    assert isinstance(bound, dict)
    hint = f", with {LATEST} for the latest offset and {EARLIEST} for the earliest"
    _check_named(option, bound, last, hint)
    special = {EARLIEST: first, LATEST: last}
    return {
        partition: special[offset][partition] if offset in special else offset
        for partition, offset in bound.items()
    }


def _resolve_times(bound: Times, last: Mapping[Partition, int], at: TimeLookup) -> Offsets:
    if isinstance(bound.of, int):
        times: Mapping[Partition, int] = dict.fromkeys(last, bound.of)
    else:
        times = bound.of
        _check_named(bound.option, times, last)
    found = at(times)
    none = sorted(one for one, offset in found.items() if offset is None)
    if none and bound.error_if_none:
        raise ValueError(
            f"option {bound.option}: no message of {_listed(none)} is at or after "
            f"{times[none[0]]} ms; to start at the latest offset there, give the option "
            "startingOffsetsByTimestampStrategy the value latest"
        )
    # Messages that were written later are after the latest offsets.
    return {
        one: last[one] if offset is None else min(offset, last[one])
        for one, offset in found.items()
    }


def _check_named(
    option: str, bound: Mapping[Partition, int], wanted: Mapping[Partition, int], hint: str = ""
) -> None:
    if missing := sorted(wanted.keys() - bound.keys()):
        raise ValueError(
            f"option {option} leaves out {_listed(missing)}: name every partition{hint}"
        )
    if unknown := sorted(bound.keys() - wanted.keys()):
        raise ValueError(
            f"option {option} names {_listed(unknown)}, which the read does not cover: "
            "look at subscribe, subscribePattern or assign"
        )


def _listed(partitions: Iterable[Partition]) -> str:
    return ", ".join(map(str, partitions))
