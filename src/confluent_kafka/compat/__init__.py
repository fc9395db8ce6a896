"""The APIs of other clients on librdkafka. To use them, a program changes only its imports.

``confluent_kafka.compat.aiokafka`` has the API of aiokafka. ``confluent_kafka.compat.kafka``,
``kafka_2`` and ``kafka_0_9`` have the APIs of kafka-python 3, 2 and 0.9.5.
"""

from __future__ import annotations

from ._install import install

__all__ = ["install"]
