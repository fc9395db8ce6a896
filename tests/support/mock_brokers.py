"""Removes abilities from brokers of the embedded cluster."""

from __future__ import annotations

import contextlib

from confluent_kafka import KafkaException
from confluent_kafka.testing import MockCluster


def withdraw(cluster: MockCluster, *api_keys: int) -> None:
    """Makes the brokers not support these requests of administrators."""
    with contextlib.suppress(KafkaException):  # a librdkafka without our patches
        for api_key in api_keys:
            cluster._offer_requests(api_key, None, None, None)
