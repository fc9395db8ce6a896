"""The clients of confluent_kafka.aio under those of the face, made as start() makes them."""

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
        kind: its class.
        conf: librdkafka's configuration.

    Raises:
        ValueError: the port of a bootstrap server is no number.
        KafkaConnectionError: a bootstrap server can be no address.
        IllegalArgumentError, and others: librdkafka refuses a property.
    """
    try:
        return kind(conf)
    except KafkaException as failure:
        raise _refused(failure, conf) from failure


def _refused(failure: KafkaException, conf: Mapping[str, Any]) -> Exception:
    """Return what start() raises; librdkafka tells only in words which property it refuses."""
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
    """Return whether a server's port is a number, or left out."""
    _, colon, port = server.rpartition(":")
    return not colon or port.strip().lstrip("-").isdecimal()
