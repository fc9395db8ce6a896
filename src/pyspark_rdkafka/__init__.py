"""Makes ``format("rdkafka")`` known to PySpark, which looks into modules named ``pyspark_*``."""

from confluent_kafka.spark import RdKafkaDataSource as DefaultSource

__all__ = ["DefaultSource"]
