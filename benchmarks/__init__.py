"""Compares this package, confluent-kafka and native C in one run: ``python -m benchmarks``."""
