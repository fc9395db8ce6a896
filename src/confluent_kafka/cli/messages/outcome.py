"""How a command that reads messages ends, and what it reports."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from confluent_kafka.cli.base.ending import fail, note
from confluent_kafka.cli.base.terminal import counted, printable
from confluent_kafka.cli.messages.decoding import Decoding, Undecodable

if TYPE_CHECKING:
    from confluent_kafka.cli.messages.filters import Where


@contextlib.contextmanager
def explaining(condition: Where | None) -> Iterator[None]:
    """Report a message that cannot be decoded, and after Ctrl-C a filter that may be wrong.

    Args:
        condition: the filter of --where; None if there is none.
    """
    try:
        yield
    except Undecodable as error:
        fail(str(error))
    except KeyboardInterrupt:
        if condition is not None and condition.fails:
            note(*condition.problem())
        raise


def check_condition(condition: Where | None) -> None:
    """Fail if the expression of --where failed for all messages.

    Args:
        condition: the filter of --where; None if there is none.
    """
    if condition is not None and condition.fails:
        fail(*condition.problem())


def check_decoded(decoding: Decoding | None) -> None:
    """Fail if messages were left out because they cannot be decoded.

    Args:
        decoding: what decodes the messages.
    """
    if decoding is not None and decoding.failed:
        fail(f"{counted(decoding.failed, 'message')} could not be decoded")


def summary(done: str, decoding: Decoding | None, condition: Where | None) -> str:
    """Return the line that a command ends with.

    Args:
        done: how many messages were processed.
        decoding: what decodes the messages.
        condition: the filter of --where.
    """
    texts = [done]
    if decoding is not None and decoding.failed:
        texts.append(f"{decoding.failed:,} not decoded")
    if condition is not None and condition.failed and not condition.fails:
        texts.append(f"{condition.failed:,} without a value of --where ({condition.first})")
    return printable(", ".join(texts))
