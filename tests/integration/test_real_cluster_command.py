"""`confluent-kafka cluster --real`: one broker of Apache Kafka."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from confluent_kafka import Producer
from tests.support.command_line import COMMAND, run
from tests.support.kafka import send
from tests.support.real_kafka import kafka_home
from tests.support.waiting import TIMEOUT

pytestmark = pytest.mark.integration


def test_a_real_broker() -> None:
    """The command prints the address of a broker of Apache Kafka, which clients can use.

    The command ends with status 0, and the broker ends with it.
    """
    command = [*COMMAND, "cluster", "--real", "--port", "0", "--topic", "orders:2"]
    environment = os.environ | {"KAFKA_HOME": str(kafka_home())}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            key, _, address = process.stdout.readline().strip().partition("=")
            assert key == "bootstrap.servers"
            with Producer({"bootstrap.servers": address}) as producer:
                send(producer, "orders", [b"a"])
            assert run("consume", "orders", "-e", "-q", "-b", address).stdout == b"a\n"
            assert run("topics", "create", "new", "-p", "3", "-b", address).status == 0
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0
    assert run("topics", "list", "-b", address).status == 1
