"""A Kafka cluster for tests: MockCluster, and the pytest fixtures built on it.

``MockCluster`` runs librdkafka's mock brokers inside this process; its docstring says how they
differ from Apache Kafka. The pytest plugin (``pytest_plugin``) is found by pytest itself and
offers the fixtures ``kafka_cluster`` and ``kafka_topic``.
"""

from confluent_kafka.cimpl import MockRequest
from confluent_kafka.testing._answering import MockAction, RequestContext
from confluent_kafka.testing._cluster import MockCluster

__all__ = ["MockAction", "MockCluster", "MockRequest", "RequestContext"]
