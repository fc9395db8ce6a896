"""kafka-python's consumer, on Consumer."""

from __future__ import annotations

import logging
import math
import weakref
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from time import monotonic, sleep
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from confluent_kafka import KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as Place
from confluent_kafka._way_out import SECONDS_ON_THE_WAY_OUT
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin import OffsetSpec as Spec

from ..._common.assignment import Assignment, Rules
from ..._common.events import TOLD, UNKNOWN, refuses_member
from ..._common.groups import generation_and_member, generation_of
from ..._common.membership import complete as complete_configuration
from ..._common.membership import is_incremental_protocol
from .. import errors
from .._bootstrap import bootstrap, is_connected
from .._config import COMMON_DEFAULTS, configuration
from .._failures import failure_of, translated
from .._keywords import check_order, complete
from .._metrics import metrics
from .._refusals import RefusedState, RefusedValue
from ..coordinator.assignors.range import RangePartitionAssignor
from ..coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from ..future import Future
from ..structs import (
    ConsumerGroupMetadata,
    IsolationLevel,
    MemberState,
    OffsetAndMetadata,
    OffsetAndTimestamp,
    TopicPartition,
)
from ._commits import Callback, Commits, check
from ._coordinator import Coordinator
from ._deserializers import Deserializers
from ._engine import Engine
from ._positions import Positions
from ._rules import RULES
from ._session import settle_session
from .fetcher import ConsumerRecord
from .subscription_state import SubscriptionState, all_checked, checked

T = TypeVar("T")

_log = logging.getLogger(__name__)
_LEAST = 1.0  # seconds that a request of poll() may take, whatever its timeout is
_LONGEST_WAIT = 3600.0
_SOON = 0.01  # seconds until a refused seek is repeated
_OLD_RESETS = {"smallest": "earliest", "largest": "latest"}
_AGAIN = 0.1  # seconds until a broker that could not answer is asked again


class KafkaConsumer:
    """Reads messages, alone or as a member of a group. It has the API of kafka-python's class.

    Args:
        topics: the topics to subscribe to; none if you call subscribe() or assign() later.
        configs: the keywords of ``DEFAULT_CONFIG``, which are kafka-python's, and ``properties``: a
            dict of librdkafka properties that have no keyword. The guide "Coming from kafka-python"
            describes each of them.

    Raises:
        KafkaTimeoutError: no broker answered for ``bootstrap_timeout_ms``. This cannot happen with
            ``api_version``, because the constructor then does not connect.
        KafkaConfigurationError, ValueError, TypeError: a keyword is wrong; the text names it.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = COMMON_DEFAULTS | {
        "allow_auto_create_topics": True,
        "auto_commit_interval_ms": 5000,
        "auto_offset_reset": "latest",
        "check_crcs": True,
        "client_rack": "",
        "consumer_timeout_ms": float("inf"),
        "default_offset_commit_callback": None,
        "enable_auto_commit": True,
        "enable_incremental_fetch_sessions": True,
        "exclude_internal_topics": True,
        "fetch_max_bytes": 52428800,
        "fetch_max_wait_ms": 500,
        "fetch_min_bytes": 1,
        "group_id": None,
        "group_instance_id": None,
        "heartbeat_interval_ms": 3000,
        "isolation_level": "read_uncommitted",
        "key_deserializer": None,
        "max_partition_fetch_bytes": 1048576,
        "max_poll_interval_ms": 300000,
        "max_poll_records": 500,
        "metric_group_prefix": "consumer",
        "metrics_enabled": True,
        "partition_assignment_strategy": (RangePartitionAssignor, RoundRobinPartitionAssignor),
        "session_timeout_ms": 45000,
        "ssl_ciphers": None,
        "value_deserializer": None,
    }
    DEFAULT_SESSION_TIMEOUT_MS_PRE_KIP_735: ClassVar[int] = 30000

    _record_type: ClassVar[type[Any]] = ConsumerRecord
    _closed = True  # until the client is made
    _rules: ClassVar[Rules] = RULES

    def __init__(self, *topics: str, **configs: Any) -> None:
        unknown = errors.KafkaConfigurationError
        self.config = config = complete(configs, self.DEFAULT_CONFIG, unknown)
        config["auto_offset_reset"] = _OLD_RESETS.get(
            config["auto_offset_reset"], config["auto_offset_reset"]
        )
        self._settle_timeouts(configs)
        conf = _configuration(config)
        self._has_group = config["group_id"] is not None
        self._timeout: float = config["request_timeout_ms"] / 1000
        self._deserializers = Deserializers(
            config["key_deserializer"], config["value_deserializer"]
        )
        self._is_plain = self._deserializers.are_none
        self._assigned = Assignment(self._rules)
        self._subscription = SubscriptionState(config["exclude_internal_topics"], self._assigned)
        if topics:
            self._subscription.subscribe(topics, None, None)
        self._engine = Engine(conf)
        self._engine._be_called(type(self).__name__)
        self._assigned.client = self._engine
        self._end = weakref.finalize(self, self._engine._close, SECONDS_ON_THE_WAY_OUT)
        self._cluster = bootstrap(self._engine, config)
        is_incremental = is_incremental_protocol(conf)
        self._positions = Positions(
            self._engine, self._assigned, conf["auto.offset.reset"], self._has_group
        )
        self._coordinator = Coordinator(
            self._engine,
            self._subscription,
            self._positions,
            self._cluster,
            self._has_group,
            is_incremental,
            config["metadata_max_age_ms"] / 1000,
        )
        self._commits = Commits(self._engine, config["default_offset_commit_callback"])
        self._poll_of = self._engine._poll_of
        self._closed = False
        if topics:
            self._coordinator.subscribed()

    def _settle_timeouts(self, given: Mapping[str, Any]) -> None:
        """Set defaults that depend on ``api_version``, as in kafka-python."""
        settle_session(self.config, given, (3, 0), self.DEFAULT_SESSION_TIMEOUT_MS_PRE_KIP_735)

    # ---- messages ----

    def poll(
        self, timeout_ms: float = 0, max_records: int | None = None, update_offsets: bool = True
    ) -> dict[TopicPartition, list[ConsumerRecord]]:
        """Return messages by partition.

        It also does the duties of a group member, so call it at least every
        ``max_poll_interval_ms``.

        Args:
            timeout_ms: how long to wait for the first message, in milliseconds.
            max_records: the maximum number of messages; ``max_poll_records`` by default.
            update_offsets: with False, the next call returns the same messages again.

        Raises:
            NoOffsetForPartitionError, OffsetOutOfRangeError: a partition cannot be read, and
                ``auto_offset_reset`` is neither "earliest" nor "latest".
            KafkaError: an error that the application must know, or an exception of a listener.
            IllegalStateError: the consumer is closed.
            Exception: a deserializer raised it; all messages are read again.
        """
        if timeout_ms < 0:
            raise RefusedValue(f"Timeout must not be negative: {timeout_ms}")
        limit = self.config["max_poll_records"] if max_records is None else max_records
        if not isinstance(limit, int) or limit <= 0:
            raise RefusedValue(f"max_records must be positive: {limit!r}")
        self._check_open()

        def look() -> dict[TopicPartition, list[ConsumerRecord]]:
            return self._take(limit, update_offsets)

        return self._wait_for(look, timeout_ms / 1000) or {}

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> ConsumerRecord:
        # The fast path, for nearly every message.
        if (
            self._is_plain
            and self._assigned.is_whole
            and self._assigned.is_settled
            and not self._commits.answered
            and monotonic() < self._coordinator.looks_at
        ):
            try:
                found = self._poll_of(None, True, self._record_type)
            except RuntimeError:
                if not self._closed:
                    raise
                found = None
            if found.__class__ is self._record_type:
                record: ConsumerRecord = found
                return record
            if found is not None:
                self._event(found)
        if self._closed:
            raise StopIteration("KafkaConsumer closed")
        next_one = self._wait_for(self._take_one, self.config["consumer_timeout_ms"] / 1000)
        if next_one is None:
            raise StopIteration
        return next_one

    def _wait_for(self, look: Callable[[], T | None], seconds: float) -> T | None:
        """Do the work of a poll until there is something to return, or the time is over.

        Ctrl-C can arrive wherever a Python function begins, such as at the end of a ``with`` block.
        So no function begins between look() and the application; otherwise the messages would be
        lost.
        """
        until = monotonic() + seconds
        try:
            while True:
                left = until - monotonic()
                wait = self._prepare(max(left, _LEAST))
                found = look()
                if found:
                    return found
                left = until - monotonic()
                if left <= 0:
                    return None
                self._engine._wait(min(left, wait))
        except KafkaException as failure:
            raise failure_of(failure) from failure

    def _prepare(self, timeout: float) -> float:
        """Do the steps that are necessary before messages can come; return when to repeat them.

        Args:
            timeout: seconds that a request may take.

        Returns:
            Seconds.
        """
        self._commits.call_back()
        timeout = min(timeout, self._timeout)
        self._coordinator.follow(timeout)
        wait = min(_LONGEST_WAIT, max(0.0, self._coordinator.looks_at - monotonic()))
        if not self._assigned.is_settled:
            wait = _SOON
            try:
                self._positions.settle(timeout)
            except KafkaException as failure:
                _log.warning("could not find the offsets to begin at: %s", failure)
                wait = _AGAIN
        return wait

    def _take(self, limit: int, update_offsets: bool) -> dict[TopicPartition, list[ConsumerRecord]]:
        """Return buffered messages."""
        store = self._is_plain and update_offsets
        while True:
            wanted = self._assigned.wanted(())
            found = self._engine._by_partition(
                limit, wanted, store, self._record_type, TopicPartition
            )
            if isinstance(found, Message):
                self._event(found)
                continue
            if found and not store:
                try:
                    self._finish(found, update_offsets)
                except BaseException:
                    self._take_back(found)
                    raise
            return found

    def _take_one(self) -> ConsumerRecord | None:
        """Return the next message, if it is buffered."""
        while True:
            found = self._poll_of(self._assigned.wanted(()), self._is_plain, self._record_type)
            if isinstance(found, Message):
                self._event(found)
                continue
            if found is None or self._is_plain:
                record: ConsumerRecord | None = found
                return record
            records = {TopicPartition(found.topic, found.partition): [found]}
            try:
                self._finish(records, True)
            except BaseException:
                self._take_back(records)
                raise
            ((record,),) = records.values()
            return record

    def _finish(
        self, records: dict[TopicPartition, list[ConsumerRecord]], update_offsets: bool
    ) -> None:
        """Deserialize keys and values, and store the offsets. The C code does the last step."""
        if not self._is_plain:
            for each, of_partition in records.items():
                records[each] = [self._deserializers.apply(record) for record in of_partition]
        if update_offsets:
            self._engine._store([Place(*each, records[each][-1].offset + 1) for each in records])
        else:
            self._take_back(records)

    def _take_back(self, records: dict[TopicPartition, list[ConsumerRecord]]) -> None:
        """Let the next call return these messages."""
        self._engine._rewind([Place(*each, records[each][0].offset) for each in records])

    def _event(self, message: Message) -> None:
        """Note an error that came instead of a message, or raise it."""
        error = message.error()
        assert error is not None
        topic, partition = message.topic(), message.partition()
        if error.code() == KafkaError._AUTO_OFFSET_RESET and topic is not None:
            assert partition is not None
            self._assigned.out_of_range(TopicPartition(topic, partition))
            with translated():
                self._positions.settle(self._timeout)
        elif error.code() in TOLD or error.fatal() or _is_refusal(error, topic):
            raise failure_of(error)
        else:
            _log.warning("%s", error.str())

    # ---- what is read ----

    def subscribe(
        self, topics: Collection[str] = (), pattern: Any = None, listener: Any = None
    ) -> None:
        """Subscribe to topics, instead of the earlier ones; poll() begins to read them.

        Args:
            topics: a list or tuple of names.
            pattern: a regular expression that names must begin with, instead of topics.
            listener: a ConsumerRebalanceListener, which is called when the group assigns and
                revokes partitions.

        Raises:
            IllegalStateError: partitions were assigned by hand; or both topics and a pattern are
                given, together or one after another without unsubscribe().
            ValueError, TypeError, AssertionError: neither topics nor a pattern is given, no topic
                can have a name, or an argument has a wrong type.
        """
        self._subscription.subscribe(topics, pattern, listener)
        if not self._closed:
            self._coordinator.subscribed()

    def unsubscribe(self) -> None:
        """Stop reading: leave the group, or give up the partitions that were assigned by hand."""
        self._subscription.forget()
        if not self._closed:
            with translated():
                self._coordinator.unsubscribed()

    def subscription(self) -> set[str] | None:
        """Return the topics that are subscribed to or match the pattern; None if there are none."""
        return self._subscription.subscription

    def assign(self, partitions: Iterable[TopicPartition] | None) -> None:
        """Read these partitions, instead of the earlier ones, without help from the group.

        Raises:
            IllegalStateError: topics are subscribed to.
        """
        self._check_open()
        self._subscription.assign_by_hand(frozenset(all_checked(partitions or ())))
        with translated():
            self._coordinator.assigned_by_hand()

    def assignment(self) -> set[TopicPartition]:
        """Return the assigned partitions."""
        return set() if self._closed else set(self._assigned.partitions)

    def pause(self, *partitions: TopicPartition) -> None:
        """Pause partitions: return no messages of them until resume() or a rebalance.

        Raises:
            KeyError: a partition is not assigned.
        """
        self._pause(partitions, True)

    def resume(self, *partitions: TopicPartition) -> None:
        """Resume partitions: return their messages again.

        Raises:
            KeyError: a partition is not assigned.
        """
        self._pause(partitions, False)

    def paused(self) -> set[TopicPartition]:
        """Return the paused partitions."""
        return self._assigned.paused

    # ---- positions ----

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Continue reading a partition at an offset.

        Raises:
            TypeError: the partition is not a TopicPartition.
            ValueError, AssertionError: the offset is not an int, or negative, or the partition is
                not assigned.
        """
        checked(partition)
        if not isinstance(offset, int) or offset < 0:
            raise RefusedValue(f"Offset must be int >= 0, not {offset!r}")
        self._require_all([partition])
        with translated():
            self._positions.seek(partition, offset)

    def seek_to_beginning(self, *partitions: TopicPartition) -> None:
        """Continue reading partitions at their first messages; all assigned partitions by default.

        Raises:
            TypeError: a partition is not a TopicPartition.
            ValueError, AssertionError: a partition is not assigned, or no partition is assigned.
        """
        self._seek_to("earliest", partitions)

    def seek_to_end(self, *partitions: TopicPartition) -> None:
        """Continue reading partitions at their ends; see seek_to_beginning()."""
        self._seek_to("latest", partitions)

    def position(self, partition: TopicPartition, timeout_ms: float | None = None) -> int | None:
        """Return the offset of the next message. The first call may have to ask a broker.

        Args:
            partition: the partition.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Returns:
            The offset; None if no answer came in time.

        Raises:
            TypeError: the partition is not a TopicPartition.
            IllegalStateError: the partition is not assigned.
            NoOffsetForPartitionError: the partition has no offset.
        """
        self._subscription.require(partition)
        self._check_open()
        known = self._assigned.position(partition)
        if known is None:
            try:
                self._positions.settle(self._seconds(timeout_ms))
            except KafkaException as failure:
                _log.warning("could not find the position of %s: %s", partition, failure)
            known = self._assigned.position(partition)
        return known

    def highwater(self, partition: TopicPartition) -> int | None:
        """Return the end offset of the partition, as of the last fetch.

        Raises:
            IllegalStateError: the partition is not assigned.
        """
        self._subscription.require(partition)
        self._check_open()
        high = self._engine.get_watermark_offsets(Place(*partition), cached=True)[1]
        return int(high) if high >= 0 else None

    def beginning_offsets(
        self, partitions: Iterable[TopicPartition], timeout_ms: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the first offsets of partitions.

        Args:
            partitions: the partitions, which need not be assigned.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Raises:
            KafkaTimeoutError: no answer came in time.
        """
        return self._bounds("earliest", partitions, timeout_ms)

    def end_offsets(
        self, partitions: Iterable[TopicPartition], timeout_ms: float | None = None
    ) -> dict[TopicPartition, int]:
        """Return the end offsets of partitions; see beginning_offsets()."""
        return self._bounds("latest", partitions, timeout_ms)

    def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout_ms: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Return the first message of each partition at or after a time.

        Args:
            timestamps: milliseconds since the epoch by partition.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Returns:
            The offsets and timestamps; None for a partition whose messages are all older.

        Raises:
            ValueError: a time is negative.
        """
        self._check_open()
        for partition, timestamp in timestamps.items():
            if int(timestamp) < 0:
                raise RefusedValue(
                    f"The target time for partition {partition} is {timestamp}. The target time "
                    "cannot be negative."
                )
        asked = {
            Place(*checked(each)): Spec.for_timestamp(int(at)) for each, at in timestamps.items()
        }
        if not asked:
            return {}
        # The answer to a consumer's own request has no timestamp.
        conf = configuration("admin", self.config)
        with translated(), AdminClient(conf) as admin:

            def ask(timeout: float) -> dict[TopicPartition, OffsetAndTimestamp | None]:
                answers = admin.list_offsets(asked, request_timeout=timeout)
                return {
                    TopicPartition(each.topic, each.partition): _first(answer.result())
                    for each, answer in answers.items()
                }

            return self._until_known(ask, self._seconds(timeout_ms))

    # ---- offsets ----

    def commit(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None,
        timeout_ms: float | None = None,
    ) -> None:
        """Commit offsets, and wait for the broker's answer.

        Args:
            offsets: the offsets of the next messages to read; the positions of all partitions by
                default.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Raises:
            KafkaTimeoutError: no answer came in time, so it is unknown whether the offsets are
                committed.
            CommitFailedError: the group has rebalanced meanwhile.
            IllegalStateError: there is no group.
            TypeError: the offsets are not OffsetAndMetadata by TopicPartition.
            KafkaError: the broker refuses the commit.
        """
        self._require_group()
        if offsets is not None:
            check(offsets)
        self._commits.call_back()
        given = self._consumed() if offsets is None else offsets
        if given:
            self._check_commit(self._assigned.takings)
        self._commits.commit(given, self._seconds(timeout_ms))

    def commit_async(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None,
        callback: Callback | None = None,
    ) -> Future:
        """Commit offsets without waiting.

        Args:
            offsets: see commit().
            callback: called by a later poll(), commit() or close() with the offsets and with None
                or the error. The default is ``default_offset_commit_callback``.

        Returns:
            A future of None.
        """
        self._require_group()
        takings = self._assigned.takings
        given = self._consumed() if offsets is None else offsets
        check_member = partial(self._check_commit, takings)
        return self._commits.commit_async(given, callback, check_member)

    def committed(
        self, partition: TopicPartition, metadata: bool = False, timeout_ms: float | None = None
    ) -> Any:
        """Return the group's committed offset of a partition.

        Args:
            partition: the partition.
            metadata: whether to return an OffsetAndMetadata.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Returns:
            The offset; None if there is none.

        Raises:
            IllegalStateError: there is no group.
        """
        self._require_group()
        checked(partition)
        try:
            with translated():
                answer = self._engine.committed_offsets([partition], self._seconds(timeout_ms))
        except errors.UnknownTopicOrPartitionError:
            return None
        place = answer[partition]
        if place.offset < 0:
            return None
        if not metadata:
            return place.offset
        epoch = -1 if place.leader_epoch is None else place.leader_epoch
        return OffsetAndMetadata(place.offset, place.metadata or "", epoch)

    def group_metadata(self) -> ConsumerGroupMetadata:
        """Return the membership, for KafkaProducer.send_offsets_to_transaction()."""
        instance = self.config["group_instance_id"]
        if not self._has_group or self._closed:
            return ConsumerGroupMetadata(self.config["group_id"], group_instance_id=instance)
        generation, member = generation_and_member(self._engine.consumer_group_metadata())
        state = MemberState.STABLE if generation >= 0 else MemberState.UNJOINED
        return ConsumerGroupMetadata(self.config["group_id"], generation, member, instance, state)

    # ---- the cluster ----

    def topics(self) -> set[str]:
        """Return the names of all topics except Kafka's internal ones, from a broker."""
        self._check_open()
        self._cluster.ask(None, self._timeout)
        return self._cluster.known.topics(self.config["exclude_internal_topics"])

    def partitions_for_topic(self, topic: str) -> set[int]:
        """Return the numbers of a topic's partitions; none if there is no such topic."""
        known = self._cluster.known.partitions_for_topic(topic)
        if known is None:
            self._check_open()
            self._cluster.ask(None, self._timeout)
            known = self._cluster.known.partitions_for_topic(topic)
        return known or set()

    def bootstrap(self, timeout_ms: float | None = None, refresh: bool = False) -> None:
        """Connect to a broker, as the constructor does.

        Args:
            timeout_ms: the timeout in milliseconds; None means ``bootstrap_timeout_ms``.
            refresh: whether to fetch the cluster's topics, too.

        Raises:
            KafkaTimeoutError, KafkaConnectionError: no broker answers.
        """
        self._check_open()
        milliseconds = self.config["bootstrap_timeout_ms"] if timeout_ms is None else timeout_ms
        with translated():
            self._engine.connect(milliseconds / 1000)
        if refresh:
            self._cluster.ask(None, milliseconds / 1000)

    def bootstrap_connected(self) -> bool:
        """Return whether a broker answers."""
        return not self._closed and is_connected(self._engine)

    def metrics(self, raw: bool = False) -> dict[str, dict[str, float]] | None:
        """Return the consumer's numbers in librdkafka's latest statistics, by group and name.

        Args:
            raw: no effect.

        Returns:
            The numbers; None with ``metrics_enabled=False``.
        """
        return metrics("consumer", self._engine) if self.config["metrics_enabled"] else None

    # ---- the end ----

    def close(self, autocommit: bool = True, timeout_ms: float | None = None) -> None:
        """Commit, leave the group, and close. A second close() does nothing.

        Args:
            autocommit: with False, nothing is committed, even with ``enable_auto_commit``.
            timeout_ms: how long to wait for the group's coordinator, in milliseconds; None means
                ``request_timeout_ms``. If it does not answer in time, it is unknown whether the
                offsets are committed, and the group may wait for this member for
                ``session_timeout_ms``.

        Raises:
            KafkaError: a listener raised an exception; the consumer is closed nevertheless.
        """
        if self._closed:
            return
        until = monotonic() + self._seconds(timeout_ms)
        self._commits.wait(until)
        if not autocommit and self._has_group and self.config["enable_auto_commit"]:
            self._engine.forget_stored_offsets(self._assigned.positions())
        try:
            # The listener may still use the consumer and commit.
            self._engine._close(max(0.0, until - monotonic()))
        finally:
            if self._engine._closed:  # if a signal handler raises, the next call does this
                self._closed = True
                self._end.detach()
                self._commits.close()
                self._deserializers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close(timeout_ms=None if kind is None else 1000 * SECONDS_ON_THE_WAY_OUT)

    # ---- what the methods share ----

    def _check_open(self) -> None:
        if self._closed:
            raise RefusedState("KafkaConsumer is closed")

    def _require_group(self) -> None:
        if not self._has_group:
            raise RefusedState("Requires group_id")
        self._check_open()

    def _require_all(self, partitions: Collection[TopicPartition]) -> None:
        for partition in partitions:
            if partition not in self._assigned.partitions:
                raise RefusedValue(f"Unassigned partition: {partition}")
        self._check_open()

    def _pause(self, partitions: tuple[TopicPartition, ...], is_paused: bool) -> None:
        for partition in all_checked(partitions):
            if partition not in self._assigned.partitions:
                raise KeyError(partition)
        with translated():
            self._assigned.pause(partitions, is_paused)

    def _seek_to(self, which: str, partitions: tuple[TopicPartition, ...]) -> None:
        chosen = all_checked(partitions) or list(self._assigned.partitions)
        self._require_all(chosen)
        if not chosen:
            raise RefusedValue("No partitions are currently assigned")
        with translated():
            for each, offset in self._engine.bounds(chosen, which, self._timeout).items():
                self._positions.seek(each, offset)

    def _bounds(
        self, which: str, partitions: Iterable[TopicPartition], timeout_ms: float | None
    ) -> dict[TopicPartition, int]:
        self._check_open()
        given = all_checked(partitions)
        with translated():
            return self._until_known(
                lambda timeout: self._engine.bounds(given, which, timeout),
                self._seconds(timeout_ms),
            )

    def _until_known(self, ask: Callable[[float], T], timeout: float) -> T:
        """Ask for offsets until the cluster has all partitions.

        Raises:
            KafkaTimeoutError: a partition was still missing when the time was over.
        """
        until = monotonic() + timeout
        while True:
            try:
                return ask(max(_AGAIN, until - monotonic()))
            except KafkaException as failure:
                if failure.args[0].code() not in UNKNOWN:
                    raise
                if monotonic() + _AGAIN > until:
                    raise errors.KafkaTimeoutError(
                        f"Failed to get offsets in {timeout:g} s: {failure.args[0].str()}"
                    ) from failure
            sleep(_AGAIN)

    def _check_commit(self, takings: int) -> None:
        """Refuse to commit if this member knows that its partitions belong to other members."""
        if self._subscription.is_subscribed and not self._assigned.may_commit(
            generation_of(self._engine), takings
        ):
            raise errors.CommitFailedError

    def _consumed(self) -> dict[TopicPartition, OffsetAndMetadata]:
        known = self._assigned.positions()
        return {each: OffsetAndMetadata(offset) for each, offset in known.items()}

    def _seconds(self, timeout_ms: float | None) -> float:
        if timeout_ms is None or math.isinf(timeout_ms):
            return self._timeout
        return float(timeout_ms / 1000)


def _configuration(config: dict[str, Any]) -> dict[str, Any]:
    check_order(config, "connections_max_idle_ms", "request_timeout_ms", "fetch_max_wait_ms")
    if config["group_id"] is not None:
        check_order(config, "session_timeout_ms", "heartbeat_interval_ms")
    conf = configuration("consumer", config)
    level = IsolationLevel.build_from(config["isolation_level"])
    conf.setdefault("isolation.level", level.name.lower())
    if config["metrics_enabled"]:
        conf.setdefault("statistics.interval.ms", 1000)
    callback = config["default_offset_commit_callback"]
    if callback is not None:
        conf["on_commit"] = lambda error, answer: _tell(callback, error, answer)
    complete_configuration(conf, config["properties"] or {})
    return conf


def _is_refusal(error: KafkaError, topic: str | None) -> bool:
    """Return whether the coordinator refuses something; otherwise kafka-python asks again."""
    is_final = topic is None and refuses_member(error)
    return is_final and not errors.for_code(error.code()).retriable


def _tell(callback: Callback, error: KafkaError | None, answer: list[Place]) -> None:
    """Report an automatic commit, which librdkafka sends every ``auto_commit_interval_ms``."""
    offsets = {
        TopicPartition(one.topic, one.partition): OffsetAndMetadata(one.offset)
        for one in answer
        if one.offset >= 0
    }
    callback(offsets, None if error is None else failure_of(error))


def _first(answer: Any) -> OffsetAndTimestamp | None:
    if answer.offset < 0:
        return None
    epoch = -1 if answer.leader_epoch is None else answer.leader_epoch
    return OffsetAndTimestamp(answer.offset, answer.timestamp, epoch)
