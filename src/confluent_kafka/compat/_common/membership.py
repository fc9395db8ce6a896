"""The part of a consumer's configuration that concerns its group."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

_DECIDED_BY_BROKERS = frozenset(
    {"heartbeat.interval.ms", "partition.assignment.strategy", "session.timeout.ms"}
)


def complete(conf: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Change values that librdkafka treats differently from the compatibility APIs.

    Args:
        conf: the configuration.
        given: the properties in it that the application itself has set.
    """
    # A fast consumer empties its queue long before librdkafka's wait of a second is over.
    conf.setdefault("fetch.queue.backoff.ms", 20)
    if conf.get("group.protocol") == "consumer":
        # With KIP-848 the brokers set these, and librdkafka refuses them.
        for name in _DECIDED_BY_BROKERS - given.keys():
            conf.pop(name, None)
    if "group.id" not in conf:
        # librdkafka requires a group id and does not use it, so it gets a unique one.
        conf["group.id"] = f"none-{uuid.uuid4()}"
        conf["enable.auto.commit"] = False


def is_incremental_protocol(conf: Mapping[str, Any]) -> bool:
    """Return whether members keep reading their remaining partitions during a rebalance."""
    return conf.get("group.protocol") == "consumer" or "cooperative" in conf.get(
        "partition.assignment.strategy", ""
    )
