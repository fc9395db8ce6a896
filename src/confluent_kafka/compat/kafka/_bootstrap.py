"""The first connection of a client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaException

from . import errors
from ._failures import failure_of
from .cluster import Cluster


def bootstrap(engine: Any, config: Mapping[str, Any]) -> Cluster:
    """Connect a client and ask for the cluster's topics, or close it.

    Args:
        engine: the client.
        config: its keywords.

    Returns:
        What is known of the cluster.

    Raises:
        KafkaTimeoutError: no broker answered for ``bootstrap_timeout_ms``.
        BrokerResponseError: a broker refused, for example the credentials.
    """
    timeout = config["bootstrap_timeout_ms"] / 1000
    cluster = Cluster(engine, config["metadata_max_age_ms"] / 1000)
    try:
        engine.connect(timeout)
        cluster.ask(None, timeout)
    except KafkaException as failure:
        engine.close()
        exception = failure_of(failure)
        if isinstance(exception, errors.BrokerResponseError):
            raise exception from failure
        raise errors.KafkaTimeoutError(
            f"Unable to bootstrap from {config['bootstrap_servers']}: {exception.args[0]}"
        ) from failure
    except BaseException:
        engine.close()
        raise
    return cluster
