"""compat.install("kafka", generation="2") and `confluent-kafka run`, for programs of version 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import started


def test_the_face_is_the_package() -> None:
    """`kafka` has the modules of compat.kafka_2, and reports the version of that generation."""
    check_script("""
        import sys
        from importlib import metadata
        import confluent_kafka.compat
        for _ in range(2):
            confluent_kafka.compat.install("kafka", generation="2")
        import kafka
        import kafka.coordinator.assignors.range
        from kafka.client_async import KafkaClient
        from kafka.errors import NoBrokersAvailable
        import confluent_kafka.compat.kafka_2 as face
        from confluent_kafka.compat.kafka_2 import errors
        assert kafka is face and NoBrokersAvailable is errors.NoBrokersAvailable
        assert kafka.KafkaClient is KafkaClient
        assert sys.modules["kafka.errors"] is errors
        assert metadata.version("kafka-python") == kafka.__version__ == "2.0.2"
        try:
            confluent_kafka.compat.install("kafka")
        except RuntimeError as error:
            assert "kafka is confluent_kafka.compat.kafka_2 already" in str(error)
        else:
            raise AssertionError
    """)


def test_a_program_is_run(tmp_path: Path) -> None:
    """A program that imports kafka-python gets the API of the given generation."""
    program = tmp_path / "program.py"
    program.write_text("import kafka\nprint(kafka.KafkaProducer.__module__)\n")
    process = started("run", "--as", "kafka:2", str(program))
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, errors
    assert output.decode().strip() == "confluent_kafka.compat.kafka_2.producer.kafka"
