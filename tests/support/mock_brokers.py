"""Brokers of the embedded cluster that do less than they can."""

from __future__ import annotations

import contextlib

from confluent_kafka import KafkaException
from confluent_kafka.testing import MockCluster


def withdraw(cluster: MockCluster, *api_keys: int) -> None:
    """Makes brokers that do not know these requests of administrators."""
    with contextlib.suppress(KafkaException):  # a librdkafka without our patches
        for api_key in api_keys:
            cluster._offer_requests(api_key, None, None, None)
