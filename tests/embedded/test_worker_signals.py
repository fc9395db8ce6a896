"""SIGTERM and Ctrl-C while a worker runs."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from confluent_kafka import Producer, TopicPartition
from confluent_kafka.processing._signals import StoppingAtSignals
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.kafka import send
from tests.support.waiting import TIMEOUT

PROGRAM = Path(__file__).parents[1] / "support" / "programs" / "worker.py"


@pytest.mark.parametrize("kind", ["blocking", "asyncio", "two"])
class TestSignals:
    def program(
        self, kind: str, cluster: MockCluster, topic: str, seconds: float
    ) -> subprocess.Popen[str]:
        command = [sys.executable, str(PROGRAM), kind, cluster.bootstrap_servers, topic]
        started = subprocess.Popen(
            [*command, str(seconds)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert started.stdout is not None
        assert started.stdout.readline() == "begun\n"
        return started

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_drains(
        self,
        kind: str,
        number: signal.Signals,
        kafka_cluster: MockCluster,
        kafka_topic: str,
        producer: Producer,
        make_consumer: MakeConsumer,
    ) -> None:
        """The signal lets the handler end, commits its message, and run() returns. It stops all
        workers of a loop."""
        kafka_cluster.create_topic("other", 1)
        send(producer, kafka_topic, [b"one"])
        with self.program(kind, kafka_cluster, kafka_topic, 0.5) as process:
            process.send_signal(number)
            output, errors = process.communicate(timeout=TIMEOUT)
        assert (process.returncode, output, errors) == (0, "done\nended\n", "")
        (place,) = make_consumer().committed([TopicPartition(kafka_topic, 0)], timeout=TIMEOUT)
        assert place.offset == 1

    def test_the_second_ctrl_c(
        self, kind: str, kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
    ) -> None:
        """A second Ctrl-C ends a program whose handler does not return."""
        kafka_cluster.create_topic("other", 1)
        send(producer, kafka_topic, [b"one"])
        with self.program(kind, kafka_cluster, kafka_topic, TIMEOUT) as process:
            process.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.5)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=TIMEOUT / 2)
        assert process.returncode != 0
        assert output == ""
        assert errors.endswith("KeyboardInterrupt\n")


def test_handlers_of_signals_are_restored() -> None:
    """Blocks of several workers end in any order. Then the handlers are those from before."""
    before = signal.getsignal(signal.SIGTERM)
    stopped: list[str] = []
    first, second = (StoppingAtSignals(partial(stopped.append, name)) for name in ("one", "two"))
    first.__enter__()
    second.__enter__()
    signal.raise_signal(signal.SIGTERM)
    assert sorted(stopped) == ["one", "two"]
    assert signal.getsignal(signal.SIGTERM) == before
    first.__exit__(None, None, None)
    second.__exit__(None, None, None)
    assert signal.getsignal(signal.SIGTERM) == before

    first, second = (StoppingAtSignals(partial(stopped.append, name)) for name in ("one", "two"))
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert signal.getsignal(signal.SIGTERM) != before
    second.__exit__(None, None, None)
    assert signal.getsignal(signal.SIGTERM) == before
