"""The program of a process of MultiProcessConsumer."""

from __future__ import annotations

import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from pickle import PicklingError

from ..client import KafkaClient
from ..common import KafkaError
from .simple import SimpleConsumer

# Seconds that a process waits for messages, before it looks whether it is still wanted.
_WAIT = 0.5


def main(number: int) -> None:
    """Read messages for the process that has started this one, as many as it asks for.

    Args:
        number: the file descriptor of the pipe; its other end tells what to read, and then how
            many messages to send. The end of the pipe is the end of the process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the program, which ends the pipe
    with Connection(number) as pipe, suppress(EOFError, OSError):  # when nobody listens
        _serve(pipe)


def _serve(pipe: Connection) -> None:
    arguments, group, topic, options = pipe.recv()
    consumer: SimpleConsumer | None = None
    while True:
        count = pipe.recv()
        # The first answer tells that it reads, also if there is nothing to read.
        is_first = consumer is None
        try:
            if consumer is None:
                consumer = SimpleConsumer(KafkaClient(**arguments), group, topic, **options)
                consumer.provide_partition_info()
            messages: list[object] = consumer.get_messages(count, block=1, timeout=_WAIT)
            while not messages and not is_first and not pipe.poll():
                messages = consumer.get_messages(count, block=1, timeout=_WAIT)
        except Exception as failure:
            _send_failure(pipe, failure)
        else:
            pipe.send(messages)


def _send_failure(pipe: Connection, failure: Exception) -> None:
    try:
        pipe.send(failure)
    except (TypeError, AttributeError, PicklingError):  # it has an answer in it
        pipe.send(KafkaError(f"{type(failure).__name__}: {failure}"))
