"""What happens with consumed messages: filters, decoding, and output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from confluent_kafka import Message
from confluent_kafka.cli.messages.decoding import Decoding, Undecodable
from confluent_kafka.cli.messages.outputs import Output

Keeps = Callable[[Message], bool]


class Taken(NamedTuple):
    """What became of the messages of a batch.

    Attributes:
        done: how many messages from the start of the batch are finished.
        written: how many of them were written. Filters left out the rest.
        failure: the error that ends the command; the message after the finished ones has it.
    """

    done: int
    written: int
    failure: Undecodable | None = None


class Flow:
    """Filters, decodes, and writes messages.

    Args:
        output: writes the messages.
        before: filters that need no decoding; all must keep a message.
        decoding: decodes keys and values; None if they stay bytes.
        where: filters decoded messages; None keeps all.
    """

    def __init__(
        self,
        output: Output,
        before: Sequence[Keeps] = (),
        decoding: Decoding | None = None,
        where: Keeps | None = None,
    ) -> None:
        self.filters = bool(before or where)
        self._output = output
        self._before = before
        self._decoding = decoding
        self._where = where

    def take(self, messages: list[Message], most: int | None) -> Taken:
        """Process the messages of a batch, in their order.

        Args:
            messages: the messages, none of them an error.
            most: how many messages may be written; None is no limit.
        """
        if not self.filters and self._decoding is None:
            self._output.write(messages)
            return Taken(len(messages), len(messages))
        places = [
            place
            for place, message in enumerate(messages)
            if all(keeps(message) for keeps in self._before)
        ]
        failure, done = None, len(messages)
        if self._decoding is not None:
            places, failure = self._decoding.apply(messages, places)
        if failure is not None:
            done = failure.place
        if self._where is not None:
            places = [place for place in places if self._where(messages[place])]
        if most is not None and len(places) >= most:
            places, failure = places[:most], None
            done = places[-1] + 1
        self._output.write([messages[place] for place in places])
        return Taken(done, len(places), failure)
