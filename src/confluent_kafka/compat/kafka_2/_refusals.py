"""What applications cannot do here, and what they can do instead."""

from __future__ import annotations

_INSTEAD = (
    "librdkafka has the connections. Ask brokers with KafkaAdminClient, or send requests of your "
    "own with confluent_kafka.admin.AdminClient.request() and confluent_kafka.protocol"
)


def refused(what: str) -> NotImplementedError:
    """Return the exception that says so.

    Args:
        what: the class or method.
    """
    return NotImplementedError(f"{what} is not supported: {_INSTEAD}")
