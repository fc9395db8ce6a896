"""What a consumer's configuration says of its group."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

_DECIDED_BY_BROKERS = frozenset(
    {"heartbeat.interval.ms", "partition.assignment.strategy", "session.timeout.ms"}
)


def complete(conf: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Change what librdkafka takes of a consumer otherwise than faces do.

    Args:
        conf: the configuration.
        given: the properties in it that the application itself has named.
    """
    # A consumer as fast as a face's empties its queue long before librdkafka's second is over.
    conf.setdefault("fetch.queue.backoff.ms", 20)
    if conf.get("group.protocol") == "consumer":
        # The brokers decide about these (KIP-848), and librdkafka refuses them.
        for name in _DECIDED_BY_BROKERS - given.keys():
            conf.pop(name, None)
    if "group.id" not in conf:
        # A name that no other has: librdkafka wants one, and uses it for nothing.
        conf["group.id"] = f"none-{uuid.uuid4()}"
        conf["enable.auto.commit"] = False


def is_incremental_protocol(conf: Mapping[str, Any]) -> bool:
    """Return whether the group's rebalances leave members what they keep."""
    return conf.get("group.protocol") == "consumer" or "cooperative" in conf.get(
        "partition.assignment.strategy", ""
    )
