"""kafka-python 2's consumer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ...kafka import consumer
from ...kafka.consumer._session import settle_session
from .. import errors
from .._config import DEFAULTS, brokers_needed, of_version_3
from .fetcher import ConsumerRecord


class KafkaConsumer(consumer.KafkaConsumer):
    """Reads messages, alone or as a member of a group; see the consumer of version 3.

    Args:
        topics: what to subscribe to; none to call subscribe() or assign() later.
        configs: the keywords of ``DEFAULT_CONFIG``: those of versions 2 and 3. What each does is
            in the guide "Moving over from kafka-python 2".

    Raises:
        NoBrokersAvailable: no broker answered for ``api_version_auto_timeout_ms``, and there is
            no ``api_version``, with which the constructor does not connect.
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

    def __init__(self, *topics: str, **configs: Any) -> None:
        with brokers_needed():
            super().__init__(*topics, **of_version_3(configs, self.DEFAULT_CONFIG))

    def _settle_timeouts(self, given: Mapping[str, Any]) -> None:
        config = self.config
        settle_session(config, given, (0, 10, 1), self.DEFAULT_SESSION_TIMEOUT_MS_0_9)
        request, session = config["request_timeout_ms"], config["session_timeout_ms"]
        if config["group_id"] is not None and request <= session:
            raise errors.KafkaConfigurationError(
                f"Request timeout ({request}) must be larger than session timeout ({session})"
            )

    def next_v1(self) -> ConsumerRecord:
        """Return the next message, as next() does; ``legacy_iterator`` chose between both once."""
        return next(self)

    def next_v2(self) -> ConsumerRecord:
        """Return the next message, as next() does; ``legacy_iterator`` chose between both once."""
        return next(self)

    def partitions_for_topic(self, topic: str) -> Any:
        """Return the numbers of a topic's partitions; None if there is no such topic."""
        return super().partitions_for_topic(topic) or None
