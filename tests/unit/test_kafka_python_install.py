"""compat.install("kafka"), and `confluent-kafka run`: programs that import kafka-python."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import started


def test_the_face_is_the_package() -> None:
    """`kafka` has the modules of compat.kafka, and reports its version."""
    check_script("""
        import sys
        from importlib import metadata
        import confluent_kafka.compat
        confluent_kafka.compat.install("kafka")
        import kafka
        import kafka.producer.kafka
        from kafka.errors import KafkaError
        from kafka.net.sasl.oauth import AbstractTokenProvider
        import confluent_kafka.compat.kafka as face
        from confluent_kafka.compat.kafka import errors
        assert kafka is face and KafkaError is errors.KafkaError
        assert sys.modules["kafka.errors"] is errors
        assert kafka.__version__ == "3.0.12"
        for name in ("kafka-python", "kafka_python"):
            assert metadata.version(name) == kafka.__version__
        try:
            import kafka.conn
        except ModuleNotFoundError as error:
            assert error.name == "kafka.conn"
        else:
            raise AssertionError
    """)


def test_a_program_is_run(tmp_path: Path) -> None:
    """A program that imports kafka-python gets compat.kafka."""
    program = tmp_path / "program.py"
    program.write_text("import kafka\nprint(kafka.KafkaProducer.__module__)\n")
    process = started("run", "--as", "kafka", str(program))
    output, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0, errors
    assert output.decode().strip() == "confluent_kafka.compat.kafka.producer.kafka"
