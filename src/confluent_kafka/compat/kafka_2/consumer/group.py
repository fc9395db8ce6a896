"""kafka-python 2's consumer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ...kafka import consumer
from ...kafka.consumer._commits import Callback
from ...kafka.consumer._session import settle_session
from ...kafka.future import Future
from .. import errors
from .._config import DEFAULTS, brokers_needed, of_version_3
from ..structs import (
    OffsetAndMetadata,
    OffsetAndTimestamp,
    TopicPartition,
    with_epochs,
    without_epochs,
)
from .fetcher import ConsumerRecord


class KafkaConsumer(consumer.KafkaConsumer):
    """Reads messages, alone or as a member of a group, like the consumer of version 3.

    Args:
        topics: the topics to subscribe to; none if you call subscribe() or assign() later.
        configs: the keywords of ``DEFAULT_CONFIG``, from versions 2 and 3. The guide "Coming from
            kafka-python 2" describes each of them.

    Raises:
        NoBrokersAvailable: no broker answered for ``api_version_auto_timeout_ms``. This cannot
            happen with ``api_version``, because the constructor then does not connect.
        KafkaConfigurationError, ValueError, TypeError: a keyword is wrong; the text names it.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = (
        consumer.KafkaConsumer.DEFAULT_CONFIG
        | DEFAULTS
        | {
            "legacy_iterator": False,
            "request_timeout_ms": 305000,
            "session_timeout_ms": 10000,
        }
    )
    _rules = consumer.KafkaConsumer._rules._replace(keeps_in_group=False)

    DEFAULT_SESSION_TIMEOUT_MS_0_9: ClassVar[int] = 30000
    _record_type = ConsumerRecord

    def __init__(self, *topics: str, **configs: Any) -> None:
        given = of_version_3(configs, self.DEFAULT_CONFIG)
        callback = given.get("default_offset_commit_callback")
        given["default_offset_commit_callback"] = _of_version_2(callback)
        with brokers_needed():
            super().__init__(*topics, **given)
        self.config["default_offset_commit_callback"] = callback

    # ---- offsets, which have no epochs ----

    def commit(self, offsets: Any = None, timeout_ms: float | None = None) -> None:
        """Commit offsets, OffsetAndMetadata by partition; see the consumer of version 3."""
        super().commit(with_epochs(offsets), timeout_ms)

    def commit_async(self, offsets: Any = None, callback: Callback | None = None) -> Future:
        """Commit offsets without waiting; see the consumer of version 3."""
        return super().commit_async(with_epochs(offsets), _of_version_2(callback))

    def committed(
        self, partition: TopicPartition, metadata: bool = False, timeout_ms: float | None = None
    ) -> Any:
        """Return the group's committed offset of a partition; see the consumer of version 3."""
        found = super().committed(partition, metadata, timeout_ms)
        return OffsetAndMetadata(*found[:2]) if metadata and found is not None else found

    def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout_ms: float | None = None
    ) -> dict[TopicPartition, Any]:
        """Return each partition's first message at or after a time, as in version 3."""
        found = super().offsets_for_times(timestamps, timeout_ms)
        return {each: at and OffsetAndTimestamp(*at[:2]) for each, at in found.items()}

    def _settle_timeouts(self, given: Mapping[str, Any]) -> None:
        config = self.config
        settle_session(config, given, (0, 10, 1), self.DEFAULT_SESSION_TIMEOUT_MS_0_9)
        request, session = config["request_timeout_ms"], config["session_timeout_ms"]
        if config["group_id"] is not None and request <= session:
            raise errors.KafkaConfigurationError(
                f"Request timeout ({request}) must be larger than session timeout ({session})"
            )

    # ---- messages ----

    def next_v1(self) -> Any:
        """Do the same as next(). In kafka-python 2, ``legacy_iterator`` selects this method."""
        return next(self)

    def next_v2(self) -> Any:
        """Do the same as next(). In kafka-python 2, ``legacy_iterator`` selects this method."""
        return next(self)

    def partitions_for_topic(self, topic: str) -> Any:
        """Return the numbers of a topic's partitions; None if there is no such topic."""
        return super().partitions_for_topic(topic) or None


def _of_version_2(callback: Callback | None) -> Callback | None:
    """Return a callback for version 3 that calls a callback of version 2."""
    if callback is None:
        return None
    return lambda offsets, failure: callback(without_epochs(offsets), failure)
