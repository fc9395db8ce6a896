"""Makes the underlying clients of confluent_kafka.aio, with the errors of start()."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from confluent_kafka import KafkaException

from . import errors
from ._failures import failure_of

T = TypeVar("T")


def made(kind: Callable[[Mapping[str, Any]], T], conf: Mapping[str, Any]) -> T:
    """Make a client of confluent_kafka.aio.

    Args:
        kind: the class of the client.
        conf: librdkafka's configuration.

    Raises:
        ValueError: the port of a bootstrap server is not a number.
        KafkaConnectionError: a bootstrap server is not a valid address.
        IllegalArgumentError, and others: librdkafka refuses a property.
    """
    try:
        return kind(conf)
    except KafkaException as failure:
        raise _refused(failure, conf) from failure


def _refused(failure: KafkaException, conf: Mapping[str, Any]) -> Exception:
    """Return the exception of start().

    librdkafka's error names the refused property only in its text, so this function reads the text.
    """
    exception: Exception = failure_of(failure)
    text = failure.args[0].str()
    if '"bootstrap.servers"' not in text:
        return exception
    servers = conf["bootstrap.servers"]
    for server in servers.split(","):
        if not _has_port(server):
            return ValueError(f"bootstrap_servers: the port of {server!r} must be a number")
    return errors.KafkaConnectionError(f"Unable to bootstrap from {servers}: {text}")


def _has_port(server: str) -> bool:
    """Return whether a server's port is a number or missing."""
    _, colon, port = server.rpartition(":")
    return not colon or port.strip().lstrip("-").isdecimal()
