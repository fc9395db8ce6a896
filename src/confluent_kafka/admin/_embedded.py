"""Explains errors of requests that the embedded cluster does not support."""

from __future__ import annotations

from confluent_kafka.cimpl import KafkaError, KafkaException

UNSUPPORTED = "the embedded cluster does not do this"


def is_unsupported(exception: BaseException) -> bool:
    """Return whether a request failed because the brokers do not support it.

    Args:
        exception: the error of the request.
    """
    return (
        isinstance(exception, KafkaException)
        and exception.code() == KafkaError._UNSUPPORTED_FEATURE
    )


def is_embedded(cluster_id: str | None) -> bool:
    """Return whether a cluster consists of librdkafka's mock brokers.

    Args:
        cluster_id: the cluster's id, or None if it is unknown.
    """
    # All mock clusters have an id of this form; a real cluster has a random id in base64.
    return (cluster_id or "").startswith("mockCluster")


def explain(exception: BaseException, cluster_id: str | None) -> None:
    """Add a note to an error whose text blames an old broker although the cluster is embedded.

    Args:
        exception: the error of the request.
        cluster_id: the cluster's id, or None if it is unknown.
    """
    if is_unsupported(exception) and is_embedded(cluster_id):
        exception.add_note(UNSUPPORTED)
