"""Other clients' APIs on librdkafka: faces, that a program moves to by its imports alone.

``confluent_kafka.compat.aiokafka`` has aiokafka's API, ``confluent_kafka.compat.kafka``
kafka-python's.
"""

from __future__ import annotations

from ._install import install

__all__ = ["install"]
