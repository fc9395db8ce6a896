"""What the embedded cluster does not do, told from what an old broker does not."""

from __future__ import annotations

from confluent_kafka.cimpl import KafkaError, KafkaException

UNSUPPORTED = "the embedded cluster does not do this"


def is_unsupported(exception: BaseException) -> bool:
    """Whether a request failed because the brokers do not know it.

    Args:
        exception: what it failed with.
    """
    return (
        isinstance(exception, KafkaException)
        and exception.code() == KafkaError._UNSUPPORTED_FEATURE
    )


def is_embedded(cluster_id: str | None) -> bool:
    """Whether a cluster is one of librdkafka's mock brokers.

    Args:
        cluster_id: its id, None where it is not known.
    """
    # librdkafka calls all of them so; a real one has a random id in base64.
    return (cluster_id or "").startswith("mockCluster")


def explain(exception: BaseException, cluster_id: str | None) -> None:
    """Add a note to an exception that says only that a broker is too old.

    Args:
        exception: what a request failed with.
        cluster_id: of the cluster, None where it is not known.
    """
    if is_unsupported(exception) and is_embedded(cluster_id):
        exception.add_note(UNSUPPORTED)
