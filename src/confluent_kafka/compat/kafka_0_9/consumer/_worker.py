"""The program that runs in a process of MultiProcessConsumer."""

from __future__ import annotations

import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from pickle import PicklingError

from ..client import KafkaClient
from ..common import KafkaError
from .simple import SimpleConsumer

# How many seconds a process waits for messages before it checks whether it must end.
_WAIT = 0.5


def main(number: int) -> None:
    """Read as many messages as the parent process asks for.

    Args:
        number: the file descriptor of the pipe. The parent process first sends what to read, and
            then how many messages it wants. This process ends when the pipe is closed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    with Connection(number) as pipe, suppress(EOFError, OSError):  # the parent closed the pipe
        _serve(pipe)


def _serve(pipe: Connection) -> None:
    arguments, group, topic, options = pipe.recv()
    consumer: SimpleConsumer | None = None
    while True:
        count = pipe.recv()
        # The first answer shows that the process reads, even if there is no message.
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
    except (TypeError, AttributeError, PicklingError):  # it contains an answer
        pipe.send(KafkaError(f"{type(failure).__name__}: {failure}"))
