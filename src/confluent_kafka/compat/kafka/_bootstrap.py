"""The first connection of a client."""

from __future__ import annotations

import time
from typing import Any

from confluent_kafka import KafkaException

from . import _versions, errors
from ._failures import failure_of
from .cluster import Cluster

_AGAIN = 0.1  # seconds until brokers that could not be reached are tried again
_ANSWER = 0.5  # seconds that a connected broker needs at most to answer
_PASSING = errors.KafkaTimeoutError, errors.KafkaConnectionError


def bootstrap(engine: Any, config: dict[str, Any], *, always: bool = False) -> Cluster:
    """Connect a client and ask for the cluster's topics, or close it.

    With ``api_version`` there is nothing to ask brokers for: programs make such clients before
    there is a broker, and the client connects when it has something to do.

    Args:
        engine: the client.
        config: its keywords; ``api_version`` becomes that of the brokers if it is None.
        always: whether to connect also with ``api_version``.

    Returns:
        What is known of the cluster.

    Raises:
        KafkaTimeoutError: no broker answered for ``bootstrap_timeout_ms``.
        BrokerResponseError: a broker refused, for example the credentials.
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
    """Ask again until a broker answers, which may be started only now."""
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
    """Return whether a client has a broker that answers."""
    try:
        engine.list_topics(timeout=_ANSWER)  # of any broker that is connected
    except KafkaException:
        return False
    return True
