"""How commands end: a line for each failure, and the exit status."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
from collections.abc import Iterator
from typing import NoReturn

import click

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.cli.base.terminal import printable

FAILED = 1
WRONG_USAGE = 2
INTERRUPTED = 130
PIPE_CLOSED = 141

# Commands write to no file but stdout: an error without a file name is about stdout.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

# A configuration that librdkafka refuses is wrong usage.
_WRONG_CONFIGURATION = KafkaError._INVALID_ARG
# Advice for refusals whose text does not say what the user can do.
_ADVICE = {
    KafkaError.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED: "Tokens need a connection with SASL or a "
    "client certificate. A client that has logged in with a token cannot create another one.",
}
# OpenSSL's words for what is wrong with a key store, and what a user can do.
_STORES = {
    "PKCS12 routines::mac verify failure": "The password of the key store "
    "(ssl.keystore.password) is wrong.",
    "digital envelope routines::unsupported": "The store has an encryption that OpenSSL does not "
    "support any more. Write a new one: keytool -importkeystore -srckeystore STORE "
    "-destkeystore new.p12 -deststoretype PKCS12",
}


class Failure(click.exceptions.Exit):
    """Ends the command. The reasons are on stderr already.

    Args:
        reasons: the reasons, for callers that pass them on in another way.
        status: the exit status.
    """

    def __init__(self, reasons: tuple[str, ...], status: int) -> None:
        super().__init__(status)
        self.reasons = reasons


def fail(*reasons: str, status: int = FAILED, advice: str = "") -> NoReturn:
    """End the command with one line on stderr for each reason.

    Args:
        *reasons: the reasons, one for each line.
        status: the exit status.
        advice: a line after the reasons, without "error:".
    """
    for reason in reasons:
        print(f"error: {printable(' '.join(reason.split()))}", file=sys.stderr)
    if advice:
        print(advice, file=sys.stderr)
    raise Failure(reasons, status)


def report(*lines: str) -> None:
    """Write lines to stdout that say what was done, with control characters as escapes.

    Args:
        *lines: the lines, which can contain names that a user or a cluster has given.
    """
    for line in lines:
        print(printable(line))


def note(*lines: str) -> None:
    """Write lines to stderr that a user should know, and that no program reads.

    Args:
        *lines: the lines.
    """
    for line in lines:
        print(f"note: {printable(line)}", file=sys.stderr)


@contextlib.contextmanager
def ending() -> Iterator[None]:
    """Turn an exception that ends a command early into an exit status, without a traceback.

    All output has reached stdout when the block ends, or else the command fails.

    The status is 1 if Kafka or the system refused, 2 if the client refuses an argument, 130 after
    Ctrl-C or SIGTERM, and 141 if the reader of stdout has ended (128 + SIGPIPE, as in shells).
    """
    # A service manager or a time limit sends SIGTERM: the command ends as after Ctrl-C.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
        print(end="", flush=True)
    except KafkaException as error:
        refusal = error.args[0]
        fail(refusal.str(), advice=_ADVICE.get(refusal.code(), ""))
    except BrokenPipeError:
        _give_up_stdout()
        raise click.exceptions.Exit(PIPE_CLOSED) from None
    except OSError as error:
        name = error.filename
        if name is None and error.errno in _NO_ROOM:
            name = "stdout"
            _give_up_stdout()
        fail(f"{name}: {error.strerror}" if name is not None else str(error.strerror or error))
    except (ValueError, OverflowError) as error:
        fail(str(error), status=WRONG_USAGE)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _give_up_stdout() -> None:
    """Send the rest of the buffer to the null device: writing it at exit would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def configuring() -> Iterator[None]:
    """Report a configuration that a client refuses as wrong usage."""
    try:
        yield
    except KafkaException as error:
        if error.args[0].code() != _WRONG_CONFIGURATION:
            raise
        reason = error.args[0].str()
        advice = next((text for part, text in _STORES.items() if part in reason), "")
        fail(reason, status=WRONG_USAGE, advice=advice)
    except (TypeError, ValueError) as error:
        fail(str(error), status=WRONG_USAGE)
