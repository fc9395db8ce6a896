"""A Kafka cluster for tests: MockCluster, the pytest fixtures built on it, and MockRegistry.

``MockCluster`` runs librdkafka's mock brokers inside this process; its docstring lists how they
differ from Apache Kafka. The pytest plugin (``pytest_plugin``) provides the fixtures
``kafka_cluster`` and ``kafka_topic``; pytest finds it without configuration. ``MockRegistry`` is a
schema registry.
"""

from confluent_kafka.cimpl import MockRequest
from confluent_kafka.testing._answering import MockAction, RequestContext
from confluent_kafka.testing._cluster import MockCluster
from confluent_kafka.testing._registry import MockRegistry
from confluent_kafka.testing._security._certificates import Certificates
from confluent_kafka.testing._security._settings import Security

__all__ = [
    "Certificates",
    "MockAction",
    "MockCluster",
    "MockRegistry",
    "MockRequest",
    "RequestContext",
    "Security",
]
