"""compat.install("kafka", generation="0.9") and `confluent-kafka run`, for programs of that
version."""

from __future__ import annotations

from pathlib import Path

import pytest

from confluent_kafka.compat import install
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import run, started


def test_the_face_is_the_package() -> None:
    """`kafka` has the modules of compat.kafka_0_9, and reports the version of that generation."""
    check_script("""
        import sys
        from importlib import metadata
        import confluent_kafka.compat
        for _ in range(2):
            confluent_kafka.compat.install("kafka", generation="0.9")
        import kafka
        import kafka.consumer.base
        from kafka.common import KafkaError
        from kafka.partitioner.hashed import murmur2
        import confluent_kafka.compat.kafka_0_9 as face
        from confluent_kafka.compat.kafka_0_9 import common
        assert kafka is face and KafkaError is common.KafkaError
        assert sys.modules["kafka.common"] is common
        assert metadata.version("kafka-python") == kafka.__version__ == "0.9.5"
        try:
            confluent_kafka.compat.install("kafka")
        except RuntimeError as error:
            assert "kafka is confluent_kafka.compat.kafka_0_9 already" in str(error)
        else:
            raise AssertionError
    """)


def test_other_generations() -> None:
    """The error names the existing generations."""
    with pytest.raises(ValueError, match=r"no generation '1' of kafka here, only: .*0\.9"):
        install("kafka", generation="1")


def test_a_program_is_run(tmp_path: Path) -> None:
    """A program that imports kafka-python gets the API of the given generation."""
    program = tmp_path / "program.py"
    program.write_text("import kafka\nprint(kafka.SimpleProducer.__module__)\n")
    process = started("run", "--as", "kafka:0.9", str(program))
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, errors
    assert output.decode().strip() == "confluent_kafka.compat.kafka_0_9.producer.simple"
    assert run("run", "--as", "kafka:8", str(program)).status == 2
