"""Ours, confluent-kafka and native C on the same cluster, in one run: ``python -m benchmarks``."""
