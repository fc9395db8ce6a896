"""The first connection of a client."""

from __future__ import annotations

import time
from typing import Any

from confluent_kafka import KafkaException

from . import _versions, errors
from ._failures import failure_of
from .cluster import Cluster

_AGAIN = 0.1  # seconds until brokers that could not be reached are tried again
_ANSWER = 0.5  # the longest time in seconds that a connected broker needs to answer
_PASSING = errors.KafkaTimeoutError, errors.KafkaConnectionError


def bootstrap(engine: Any, config: dict[str, Any], *, always: bool = False) -> Cluster:
    """Connect a client and fetch the cluster's topics; close the client if that fails.

    With ``api_version`` no broker has to be asked. Programs make such clients before a broker
    exists, and the client connects when it has something to do.

    Args:
        engine: the client.
        config: its keywords; if ``api_version`` is None, it is set to the brokers' version.
        always: whether to connect even with ``api_version``.

    Returns:
        The metadata of the cluster.

    Raises:
        KafkaTimeoutError: no broker answered for ``bootstrap_timeout_ms``.
        BrokerResponseError: a broker refused the client, for example its credentials.
    """
    cluster = Cluster(engine, config["metadata_max_age_ms"] / 1000)
    if config["api_version"] is not None and not always:
        return cluster
    try:
        _ask_until(engine, cluster, config)
    except BaseException:
        engine.close()
        raise
    return cluster


def _ask_until(engine: Any, cluster: Cluster, config: dict[str, Any]) -> None:
    """Ask again until a broker answers; the broker may just be starting."""
    until = time.monotonic() + config["bootstrap_timeout_ms"] / 1000
    while True:
        try:
            _ask(engine, cluster, config, until)
        except (KafkaException, errors.KafkaError) as failure:
            exception = failure_of(failure) if isinstance(failure, KafkaException) else failure
            if isinstance(exception, errors.BrokerResponseError):
                raise exception from failure.__cause__
            if not isinstance(exception, _PASSING) or time.monotonic() + _AGAIN > until:
                raise errors.KafkaTimeoutError(
                    f"Unable to bootstrap from {config['bootstrap_servers']}: {exception.args[0]}"
                ) from failure
        else:
            return
        time.sleep(_AGAIN)


def _ask(engine: Any, cluster: Cluster, config: dict[str, Any], until: float) -> None:
    def left() -> float:
        return max(_AGAIN, until - time.monotonic())

    engine.connect(left())
    if config["api_version"] is None:
        config["api_version"] = _versions.of_broker(engine.api_versions(timeout=left()))
    cluster.ask(None, left())


def is_connected(engine: Any) -> bool:
    """Return whether a broker answers the client."""
    try:
        engine.list_topics(timeout=_ANSWER)  # of any connected broker
    except KafkaException:
        return False
    return True
