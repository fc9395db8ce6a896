"""The error for unsupported calls, which names an alternative."""

from __future__ import annotations

_INSTEAD = (
    "librdkafka has the connections. Ask brokers with KafkaAdminClient, or send requests of your "
    "own with confluent_kafka.admin.AdminClient.request() and confluent_kafka.protocol"
)


def refused(what: str) -> NotImplementedError:
    """Return the exception for an unsupported class or method.

    Args:
        what: the class or method.
    """
    return NotImplementedError(f"{what} is not supported: {_INSTEAD}")
