"""Calls that wait, and the creation of clients, release the interpreter lock for other threads."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaException, Producer, ShareConsumer
from confluent_kafka.admin import AdminClient
from tests.support.clients import config, partitions
from tests.support.patches import needs
from tests.support.scripts import check_script
from tests.support.waiting import Stopwatch

SECONDS = 8.0  # the calls wait this long, so that the tests can check other threads during the wait
each_client = pytest.mark.parametrize("client", [Producer, Consumer, ShareConsumer])


class TestInterpreterLock:
    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
    @each_client
    def test_creating_a_client(self, client: type[Any]) -> None:
        """Other threads run while librdkafka reads files during the creation of a client.

        The file here is an empty pipe, so librdkafka waits until another thread writes to the pipe.
        """
        script = f"""
            import os, sys, tempfile, threading
            from confluent_kafka import Consumer, KafkaException, Producer, ShareConsumer

            with tempfile.TemporaryDirectory() as folder:
                pipe = os.path.join(folder, "pipe")
                os.mkfifo(pipe)
                settings = {{"group.id": "group", "security.protocol": "ssl",
                            "ssl.ca.location": pipe}}
                errors = []

                def create():
                    try:
                        {client.__name__}(settings)
                    except (KafkaException, ValueError) as error:  # ValueError: ShareConsumer
                        errors.append(error)

                thread = threading.Thread(target=create)
                thread.start()
                with open(pipe, "w") as file:  # returns once the other side is open for reading
                    file.write("no certificate")
                thread.join()
                assert "ssl.ca.location" in str(errors[0])
        """
        check_script(script)

    @pytest.mark.parametrize(
        ("client", "call"),
        [
            (Producer, lambda client: client.poll(SECONDS)),
            (Producer, lambda client: client.flush(SECONDS)),
            (Producer, lambda client: client.produce("topic", b"", block=SECONDS)),
            (Producer, lambda client: client.produce_batch("topic", [b""], block=SECONDS)),
            (Producer, lambda client: client.list_topics(timeout=SECONDS)),
            (Producer, lambda client: client.cluster_id(SECONDS)),
            pytest.param(
                *(Producer, lambda client: client.request(3, 1, timeout=SECONDS)),
                marks=needs("raw-request"),
            ),
            (Producer, lambda client: client.close(SECONDS)),
            (AdminClient, lambda client: client.poll(SECONDS)),
            (AdminClient, lambda client: client.list_groups(timeout=SECONDS)),
            (Consumer, lambda client: client.poll(SECONDS)),
            (Consumer, lambda client: client.consume(10, SECONDS)),
            (Consumer, lambda client: client.consume_arrow(10, SECONDS)),
            (Consumer, lambda client: client.committed(partitions(), SECONDS)),
            (Consumer, lambda client: client.offsets_for_times(partitions(), SECONDS)),
            (Consumer, lambda client: client.get_watermark_offsets(partitions()[0], SECONDS)),
            (ShareConsumer, lambda client: client.poll(SECONDS)),
        ],
    )
    def test_waiting(self, client: type[Any], call: Callable[[Any], object]) -> None:
        """During the call, another thread gets the interpreter lock whenever it needs it.

        Each sleep releases the lock and takes it again. The sleeps take a fraction of a second, but
        would take very long if the waiting call kept the lock for its time slices.
        """
        made = client(config({"queue.buffering.max.messages": 1}, client))
        if client is Producer:
            made.produce("topic", b"value")
        elif client is ShareConsumer:
            made.subscribe(["topic"])
        began = threading.Event()

        def wait() -> None:
            began.set()
            with contextlib.suppress(KafkaException, BufferError):
                call(made)

        thread = threading.Thread(target=wait)
        thread.start()
        began.wait()
        watch = Stopwatch()
        for _ in range(500):
            time.sleep(1e-6)
        took = watch.elapsed
        was_waiting = thread.is_alive()
        with contextlib.suppress(RuntimeError):  # if close() is the call that waits
            made.wakeup()
        thread.join()
        if client is Producer:
            made.close(0)
        else:
            made.close()
        assert was_waiting
        assert took < SECONDS
