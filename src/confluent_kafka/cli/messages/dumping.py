"""Writes a dump: files of bounded size, each added together with the positions that it reaches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition
from confluent_kafka.cli.base.ending import fail, note
from confluent_kafka.cli.base.interrupts import HeldInterrupts
from confluent_kafka.cli.messages.decoding import Decoder, Undecodable
from confluent_kafka.cli.messages.dump_folder import DumpFolder
from confluent_kafka.cli.messages.file_outputs import FileOutput
from confluent_kafka.cli.messages.files import Kind
from confluent_kafka.cli.messages.outputs import Resuming
from confluent_kafka.cli.messages.reading import partition_of
from confluent_kafka.cli.topics.place import Place

# After these exceptions, everything that was written is part of the dump.
_ORDERLY = (KeyboardInterrupt, Undecodable, KafkaException)


class Size(NamedTuple):
    """The limits of a file. The next messages go into another file.

    Attributes:
        messages: the number of messages.
        bytes: the number of bytes of keys and values. The message that reaches it is the last one.
    """

    messages: int
    bytes: int


SIZE = Size(1_000_000, 256 << 20)
# How many files of a topic are open at once.
_OPEN = 4


class Dump(Resuming):
    """Writes messages into the files of a folder, each topic into its own files.

    Args:
        folder: the folder.
        kind: makes a file of its path, the decoded parts, and its temporary name.
        decoded: the decoders of the parts of messages that are JSON texts, "key" and "value".
        size: the limits of all open files together.
        positions: where the partitions start.
        holds: whether positions must not be stored yet, because the filter may be wrong.

    Attributes:
        dumped (int): how many messages are in complete files.
        files (int): how many complete files there are.
    """

    def __init__(
        self,
        folder: DumpFolder,
        kind: Kind,
        decoded: Mapping[str, Decoder],
        size: Size,
        positions: Mapping[Place, int],
        holds: Callable[[], bool],
    ) -> None:
        self.dumped = 0
        self.files = 0
        self._folder = folder
        self._kind = kind
        self._decoded = decoded
        self._size = size
        self._positions = dict(positions)
        self._stored: dict[Place, int] | None = None
        self._holds = holds
        self._interrupts = HeldInterrupts()
        self._is_whole = True
        self._open: dict[str, list[FileOutput]] = {}
        self._at: dict[Place, int] = {}
        self._messages = self._bytes = 0

    def __enter__(self) -> object:
        self._commit()  # store the start now: "latest" would be another offset in the next run
        self._interrupts.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None = None, *rest: object) -> None:
        try:
            # In the middle of write(), a file may have messages that the positions do not count.
            is_orderly = self._is_whole and (kind is None or issubclass(kind, _ORDERLY))
            if is_orderly and (self._messages or not self._holds()):
                self._commit()
        finally:
            for files in self._open.values():
                for file in files:
                    file.discard()
            self._interrupts.__exit__()

    def write(self, messages: list[Message]) -> None:
        self._is_whole = False
        partitions: dict[Place, list[Message]] = {}
        for message in messages:
            partitions.setdefault(partition_of(message), []).append(message)
        for place, rest in partitions.items():
            while rest:
                rest = self._write_some(place, rest)
        self._is_whole = True

    def reached(self, records: list[Message]) -> None:
        for message in records:
            self._positions[partition_of(message)] = (message.offset() or 0) + 1

    def tick(self, written: int) -> None:
        self._interrupts.check()

    def _write_some(self, place: Place, messages: list[Message]) -> list[Message]:
        """Write the messages for which there is room, and return the rest."""
        sizes = list(accumulate(map(len, messages), initial=self._bytes))
        most = self._size.messages - self._messages
        count = next((n for n, size in enumerate(sizes) if n and size >= self._size.bytes), most)
        file = self._file_for(place, messages[:1])
        if file is None:
            self._commit()
            return messages
        count = file.fitting(messages[: min(count, most)])
        file.write(messages[:count])
        self.reached(messages[:count])
        self._messages += count
        self._bytes = sizes[count]
        if self._messages == self._size.messages or self._bytes >= self._size.bytes:
            self._commit()
        return messages[count:]

    def _file_for(self, place: Place, first: list[Message]) -> FileOutput | None:
        """Return an open file for the next message of a partition; None if too many are open.

        A file has one schema. While some partitions have reached a new schema and others have not,
        two files are open. A partition never goes back to an earlier file: its messages keep their
        order over all files.
        """
        files = self._open.setdefault(place[0], [])
        at = self._at.get(place, 0)
        while at < len(files) and not files[at].fitting(first):
            at += 1
        if at == _OPEN:
            return None
        if at == len(files):
            path, temporary = self._folder.next_file(place[0], at)
            file = self._kind(path, self._decoded, temporary)
            file.open()
            files.append(file)
        self._at[place] = at
        return files[at]

    def _commit(self) -> None:
        if self._positions == self._stored and not self._open:
            return
        added, self._open = self._open, {}  # the folder deletes them if it cannot add them
        self._folder.commit(self._positions, added, self._messages)
        self._stored = dict(self._positions)
        self.dumped += self._messages
        self.files += sum(map(len, added.values()))
        self._at = {}
        self._messages = self._bytes = 0


def check_positions(
    positions: Mapping[Place, int], watermarks: Callable[[Place], tuple[int, int]]
) -> None:
    """Report messages that were deleted before they were dumped, and topics that were re-created.

    Args:
        positions: where the partitions continue.
        watermarks: returns the first offset of a partition, and the offset after its last one.
    """
    for (topic, number), offset in positions.items():
        low, high = watermarks((topic, number))
        if offset > high:
            fail(
                f"{topic} [{number}] ends at offset {high}, and the dump continues at {offset}: "
                "the topic was deleted and created again. Use another folder"
            )
        if offset < low:
            note(
                f"{topic} [{number}]: the offsets {offset} to {low - 1} were deleted before they "
                "were dumped"
            )


def watermarks_of(consumer: Consumer, timeout: float) -> Callable[[Place], tuple[int, int]]:
    """Return a function that asks the cluster for the watermarks of a partition.

    Args:
        consumer: the consumer.
        timeout: how many seconds to wait.
    """
    return lambda place: consumer.get_watermark_offsets(TopicPartition(*place), timeout)
