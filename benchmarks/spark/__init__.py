"""Compares `rdkafka` with Spark's connector on a real broker: ``python -m benchmarks.spark``."""
