"""A run of `dump`: into one file, or into a folder, where it continues the previous run."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from confluent_kafka import Consumer
from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.messages.decoding import Decoding
from confluent_kafka.cli.messages.decoding_options import Chosen
from confluent_kafka.cli.messages.dump_folder import DumpFolder
from confluent_kafka.cli.messages.dumping import Dump, Size, check_positions, watermarks_of
from confluent_kafka.cli.messages.file_outputs import FileOutput
from confluent_kafka.cli.messages.files import kind_of
from confluent_kafka.cli.messages.flow import Flow, Keeps
from confluent_kafka.cli.messages.outcome import check_condition, explaining, summary
from confluent_kafka.cli.messages.outputs import Output
from confluent_kafka.cli.messages.places import assign, offsets_of
from confluent_kafka.cli.messages.reading import Reader, ResumingReader
from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka.cli.messages.filters import Where


class Source(NamedTuple):
    """The messages to dump.

    Attributes:
        consumer: the consumer.
        places: the partitions.
        begin: where they start.
        end: where they stop; None for no end.
        filters: the filters that need no decoding.
        decoding: what decodes the messages.
        condition: the filter of --where.
        timeout: how many seconds to wait for the cluster.
        quiet: whether to write no summary.
    """

    consumer: Consumer
    places: list[Place]
    begin: Bound
    end: Bound | None
    filters: Sequence[Keeps]
    decoding: Decoding | None
    condition: Where | None
    timeout: float
    quiet: bool

    def flow(self, output: Output) -> Flow:
        """Return the flow that filters and decodes the messages for an output."""
        return Flow(output, self.filters, self.decoding, self.condition)

    def assign(self, stored: Mapping[Place, int] | None) -> dict[Place, int] | None:
        """Assign the partitions, and return the offsets to stop at.

        Args:
            stored: where a dump continues; None if it begins.
        """
        begin = self.begin if stored is None else Bound("beginning")
        return assign(self.consumer, self.places, begin, self.end, self.timeout, stored)

    def report(self, done: str) -> None:
        """Write the summary."""
        if not self.quiet:
            print(summary(done, self.decoding, self.condition), file=sys.stderr)


def dump_into_file(source: Source, file: FileOutput) -> None:
    """Write one file, which exists only if all of it could be written.

    Args:
        source: the messages.
        file: the file.
    """
    reader = Reader(source.consumer, source.flow(file), None, source.assign(None))
    try:
        with explaining(source.condition), file:
            reader.run()
            check_condition(source.condition)
    finally:
        source.report(counted(reader.written, "message"))


def dump_into_folder(
    source: Source, path: Path, suffix: str, size: Size, arguments: Mapping[str, Any]
) -> None:
    """Write files into a folder, and continue the dump that the folder has.

    Args:
        source: the messages.
        path: the folder.
        suffix: the ending of the files.
        size: the limits of a file.
        arguments: the arguments that all runs must share.
    """
    decoded = {} if source.decoding is None else source.decoding.decoders
    condition = source.condition
    with DumpFolder(path) as folder:
        stored = folder.resume(arguments, suffix)
        if stored is None:
            starts = offsets_of(source.consumer, source.places, source.begin, source.timeout)
            # A partition that starts at its beginning does not have an offset yet.
            starts = {place: offset for place, offset in starts.items() if offset >= 0}
        else:
            # Partitions that were added after the last run begin with their first message.
            starts = {place: stored[place] for place in source.places if place in stored}
            check_positions(starts, watermarks_of(source.consumer, source.timeout))
        dump = Dump(
            folder,
            kind_of(suffix, "--file-format"),
            decoded,
            size,
            starts if stored is None else stored,
            lambda: condition is not None and condition.fails,
        )
        reader = ResumingReader(source.consumer, source.flow(dump), dump, source.assign(starts))
        try:
            with explaining(condition), dump:
                reader.run()
                check_condition(condition)
        finally:
            source.report(f"{counted(dump.dumped, 'message')} in {counted(dump.files, 'file')}")


def arguments_of(
    topics: list[str], parts: Iterable[Chosen], others: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments that all runs of a dump must share.

    Args:
        topics: the topics.
        parts: how keys and values are decoded.
        others: further arguments, by option.
    """
    found: dict[str, Any] = {"TOPICS": topics}
    for one in parts:
        schema = "--schema" if one.part == "value" else "--key-schema"
        text = None if one.schema is None else one.schema.read_bytes()
        found |= {
            f"--{one.part}": one.format,
            f"--unpack {one.part}": one.unpack,
            schema: text and f"{hashlib.sha256(text).hexdigest()[:16]} (SHA-256)",
        }
    return found | dict(others)
