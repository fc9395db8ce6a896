"""kafka-python 2's producer."""

from __future__ import annotations

from typing import Any, ClassVar

from ...kafka import producer
from .._config import DEFAULTS, brokers_needed, of_version_3
from ..errors import KafkaConfigurationError
from ..partitioner import DefaultPartitioner
from ..structs import with_epochs
from .future import FutureRecordMetadata

# The defaults without and with ``enable_idempotence``.
_AT_MOST_ONCE = {"acks": 1, "retries": 0}
_IN_FLIGHT = "max_in_flight_requests_per_connection"
_EXACTLY_ONCE = {"acks": -1, "retries": float("inf"), _IN_FLIGHT: 1}
_LONGEST_DELIVERY = 120_000  # milliseconds, of version 3


class KafkaProducer(producer.KafkaProducer):
    """Sends messages like the producer of version 3, by default without ``enable_idempotence``.

    Args:
        configs: the keywords of ``DEFAULT_CONFIG``, from versions 2 and 3. The guide "Coming from
            kafka-python 2" describes each of them.

    Raises:
        NoBrokersAvailable: no broker answered for ``api_version_auto_timeout_ms``. This cannot
            happen with ``api_version``, because the constructor then does not connect.
        KafkaConfigurationError, AssertionError, ValueError, TypeError: a keyword is wrong; the text
            names it.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = (
        producer.KafkaProducer.DEFAULT_CONFIG
        | DEFAULTS
        | {
            "bootstrap_topics_filter": set(),
            "buffer_memory": 33554432,
            "client_id": None,
            "enable_idempotence": False,
            "partitioner": DefaultPartitioner(),
        }
        | _AT_MOST_ONCE
    )

    _OF_LIBRDKAFKA: ClassVar[dict[type, int]] = producer.KafkaProducer._OF_LIBRDKAFKA | {
        DefaultPartitioner: 0
    }
    _future_class = FutureRecordMetadata

    def __init__(self, **configs: Any) -> None:
        given = of_version_3(configs, self.DEFAULT_CONFIG)
        # A transaction needs it; version 2 did not have transactions.
        has_transactions = given.get("transactional_id") is not None
        is_idempotent = given.setdefault("enable_idempotence", has_transactions)
        given = (_EXACTLY_ONCE if is_idempotent else _AT_MOST_ONCE) | given
        if is_idempotent and given[_IN_FLIGHT] != 1:
            raise KafkaConfigurationError(
                f"{_IN_FLIGHT} must be 1 with enable_idempotence, not {given[_IN_FLIGHT]}"
            )
        config = self.DEFAULT_CONFIG | given
        # Version 2 does not have this limit.
        least = config["linger_ms"] + config["request_timeout_ms"]
        given.setdefault("delivery_timeout_ms", max(_LONGEST_DELIVERY, least))
        with brokers_needed():
            super().__init__(**given)

    def send_offsets_to_transaction(self, offsets: Any, group_metadata: Any) -> None:
        """Commit a group's offsets with the transaction; see the producer of version 3."""
        super().send_offsets_to_transaction(with_epochs(offsets), group_metadata)

    def _configuration(self, config: dict[str, Any]) -> dict[str, Any]:
        room = max(1, config["buffer_memory"] // 1024)
        return {"queue.buffering.max.kbytes": room} | super()._configuration(config)
