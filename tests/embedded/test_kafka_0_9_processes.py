"""compat.kafka_0_9: clients in processes that are forked, end, or are interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer
from confluent_kafka.compat.kafka_0_9 import (
    KafkaClient,
    KeyedProducer,
    SimpleConsumer,
    SimpleProducer,
)
from confluent_kafka.testing import MockCluster
from tests.support.kafka import read, values_of
from tests.support.kafka_0_9 import patient as patient
from tests.support.waiting import TIMEOUT

pytestmark = pytest.mark.usefixtures("patient")

PROGRAM = """
import os, sys
from confluent_kafka.compat.kafka_0_9 import KafkaClient, MultiProcessConsumer
consumer = MultiProcessConsumer(KafkaClient(sys.argv[1]), None, sys.argv[2], num_procs=2)
print(len(consumer.get_messages(1, timeout=30)), flush=True)
os._exit(3)
"""


@pytest.mark.kafka_topic(partitions=2)
def test_processes_end_with_the_program(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The processes of a MultiProcessConsumer end, even if nobody stops it."""
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    SimpleProducer(client).send_messages(kafka_topic, b"v")
    client.close()
    command = [sys.executable, "-c", PROGRAM, kafka_cluster.bootstrap_servers, kafka_topic]
    program = subprocess.Popen(command, stdout=subprocess.PIPE)
    # The processes also have the pipe open, so it is closed when the last process ends.
    output, _ = program.communicate(timeout=3 * TIMEOUT)
    assert (output.split(), program.returncode) == ([b"1"], 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork()")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_fork(kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer) -> None:
    """Parent and child can use the same client, each with its own connections."""
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    producer = KeyedProducer(client)
    producer.send(kafka_topic, b"k", b"before")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            producer.send(kafka_topic, b"k", b"child")
            client.close()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    producer.send(kafka_topic, b"k", b"parent")
    client.close()
    assert values_of(read(consumer, kafka_topic, 3)) == [b"before", b"child", b"parent"]


@pytest.mark.parametrize(
    "wait",
    [
        lambda consumer: consumer.get_messages(1, block=True, timeout=None),
        lambda consumer: next(iter(consumer)),
    ],
    ids=["get_messages", "iteration"],
)
def test_an_interrupt(
    kafka_cluster: MockCluster, kafka_topic: str, wait: Callable[[SimpleConsumer], Any]
) -> None:
    """Ctrl-C ends a wait without a limit."""
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    consumer = SimpleConsumer(client, None, kafka_topic)
    asked = threading.Event()
    fetch = client.send_fetch_request

    def noted(*args: Any, **kwargs: Any) -> Any:
        asked.set()
        return fetch(*args, **kwargs)

    client.send_fetch_request = noted  # type: ignore[method-assign]

    def interrupt() -> None:
        assert asked.wait(TIMEOUT)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        wait(consumer)
    thread.join()
    consumer.stop()
    client.close()
