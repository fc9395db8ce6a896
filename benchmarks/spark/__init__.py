"""`rdkafka` beside Spark's own Kafka connector on a real broker: ``python -m benchmarks.spark``."""
