"""How commands end: one line for what failed, and the exit status."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Iterator
from typing import NoReturn

import typer

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.cli.terminal import open_console, printable

FAILED = 1
WRONG_USAGE = 2
INTERRUPTED = 130
PIPE_CLOSED = 141

# Commands write to stdout only: an error that names no file is stdout's.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

# A configuration that librdkafka does not take is wrong usage.
_WRONG_CONFIGURATION = KafkaError._INVALID_ARG


def fail(*reasons: str, status: int = FAILED) -> NoReturn:
    """End the command with one line on stderr for each reason.

    Args:
        *reasons: why.
        status: the exit status.
    """
    console = open_console(stderr=True)
    console = open_console(stderr=True)
    for reason in reasons:
        line = printable(" ".join(reason.split()))
        console.print(f"error: {line}", soft_wrap=True)
    raise typer.Exit(status)


@contextlib.contextmanager
def ending() -> Iterator[None]:
    """Turn what ends a command early into its exit status, without a traceback.

    What was printed has reached stdout at the end, or the command has failed.

    1 what Kafka or the system refused, 2 an argument that the client refuses, 130 Ctrl-C or
    SIGTERM, 141 the reader of stdout went away (as for other programs: 128 + SIGPIPE).
    """
    # The same clean end for who asks politely: a service manager, a time limit.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
        print(end="", flush=True)
    except KafkaException as error:
        fail(error.args[0].str())
    except BrokenPipeError:
        _give_up_stdout()
        raise typer.Exit(PIPE_CLOSED) from None
    except OSError as error:
        name = error.filename
        if name is None and error.errno in _NO_ROOM:
            name = "stdout"
            _give_up_stdout()
        fail(f"{name}: {error.strerror}" if name is not None else str(error.strerror or error))
    except (ValueError, OverflowError) as error:
        fail(str(error), status=WRONG_USAGE)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _give_up_stdout() -> None:
    """What is left in the buffer has nowhere to go, and would be an error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def configuring() -> Iterator[None]:
    """Around the creation of a client: a configuration that it does not take is wrong usage."""
    try:
        yield
    except KafkaException as error:
        if error.args[0].code() != _WRONG_CONFIGURATION:
            raise
        fail(error.args[0].str(), status=WRONG_USAGE)
    except (TypeError, ValueError) as error:
        fail(str(error), status=WRONG_USAGE)
