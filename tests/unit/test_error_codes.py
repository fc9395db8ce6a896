"""Error codes of brokers that librdkafka has no name for."""

from __future__ import annotations

from confluent_kafka import KafkaError
from confluent_kafka.admin._error_texts import ERROR_TEXTS


def test_every_code_has_a_name() -> None:
    """A code has a name in librdkafka or a text here, never both, and no code is left out."""
    named = {value for value in vars(KafkaError).values() if isinstance(value, int)}
    assert named & ERROR_TEXTS.keys() == set()
    codes = range(-1, max(ERROR_TEXTS) + 1)
    assert set(codes) - named - ERROR_TEXTS.keys() == set()
