"""Configurations of Kafka's Java clients, as configurations of librdkafka."""

from __future__ import annotations

from confluent_kafka._java.names import ONLY_JAVA, Wording
from confluent_kafka._java.properties_file import java_lines
from confluent_kafka._java.translation import translate

__all__ = ["ONLY_JAVA", "Wording", "java_lines", "translate"]
