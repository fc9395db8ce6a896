"""What `produce` reads: lines, whole files, or JSON, and the messages that they become."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import click

from confluent_kafka.cli.messages import text
from confluent_kafka.cli.messages.closing_batches import close_batches
from confluent_kafka.cli.messages.encoding import Encoder

# Turns a record, mostly bytes, into a message.
Make = Callable[[Any], dict[str, Any]]

_CHUNK = 256 * 1024


def sources_of(files: list[Path] | None) -> list[str]:
    """Return the names of the sources; - is stdin.

    Args:
        files: the files, which must exist.
    """
    for file in files or []:
        if str(file) != "-" and not file.exists():
            raise click.BadParameter(f"'{file}' does not exist", param_hint="FILES")
        if file.is_dir():
            raise click.BadParameter(f"'{file}' is a directory", param_hint="FILES")
    return [str(file) for file in files] if files else ["-"]


def records_of(name: str, delimiter: bytes, whole: bool) -> Iterator[list[bytes]]:
    """Yield the messages of a file or of stdin, as soon as they arrive.

    Args:
        name: the name of the source; - is stdin.
        delimiter: what separates messages.
        whole: whether all of it is one message.
    """
    if name == "-":
        yield from split(sys.stdin.buffer, delimiter, whole)
        return
    with Path(name).open("rb") as file:
        yield from split(file, delimiter, whole)


def split(file: BinaryIO, delimiter: bytes, whole: bool) -> Iterator[list[bytes]]:
    """Yield the messages of a file, as soon as they arrive.

    Args:
        file: the file.
        delimiter: what separates messages.
        whole: whether all of it is one message.
    """
    if whole:
        yield [file.read()]
        return
    # Not read(), which waits for a full buffer: a person may be typing.
    read: Callable[[int], bytes] = getattr(file, "read1", file.read)
    pending = bytearray()  # a message without an end yet; it grows in place, without copies
    searched = 0
    while chunk := read(_CHUNK):
        pending += chunk
        # The delimiter may have begun in the previous chunk.
        if pending.find(delimiter, max(0, searched - len(delimiter) + 1)) < 0:
            searched = len(pending)
            continue
        *lines, rest = bytes(pending).split(delimiter)
        pending, searched = bytearray(rest), len(rest)
        yield lines
    if pending:
        yield [bytes(pending)]


def plain_maker(common: dict[str, Any], null: bool) -> Make:
    """Return what makes a message of a value.

    Args:
        common: what all messages have.
        null: whether an empty value is null.
    """

    def make(record: bytes) -> dict[str, Any]:
        return common | {"value": None if null and not record else record}

    return make


def keyed_maker(separator: bytes, common: dict[str, Any], null: bool) -> Make:
    """Return what makes a message of a key and a value.

    Args:
        separator: what separates them.
        common: what all messages have.
        null: whether an empty value is null.
    """

    def make(record: bytes) -> dict[str, Any]:
        key, found, value = record.partition(separator)
        if not found:
            raise ValueError(f"has no key separator {separator!r}")
        return common | {"key": key, "value": None if null and not value else value}

    return make


def json_maker(common: dict[str, Any], encoded: Collection[str], keep_partition: bool) -> Make:
    """Return what makes a message of a JSON object.

    Args:
        common: what all messages have; its headers come after those of the object.
        encoded: the parts that can be any JSON, "key" and "value".
        keep_partition: whether messages have the partition of the object.
    """

    def make(record: bytes) -> dict[str, Any]:
        message = text.from_json(record, encoded, keep_partition=keep_partition)
        return message | {"headers": message["headers"] + common["headers"]}

    return make


def parse_header(argument: str) -> tuple[str, bytes]:
    """Return the name and the value of a header.

    Args:
        argument: the argument NAME=VALUE.
    """
    name, equals, value = argument.partition("=")
    if not equals or not name:
        raise click.BadParameter(f"{argument!r}: needs NAME=VALUE", param_hint="--header")
    return name, value.encode()


class Input(NamedTuple):
    """A source of messages.

    Attributes:
        name: its name for messages.
        batches: its records, as they are read.
        make: turns a record into a message.
        size: its size; None if it is not known.
        measure: returns how much of the size some records are.
        typed: whether a person types it.
        skip: leaves out this many of the first records. None if all records must be read.
        line: returns the text that stdout shows for a record and the message that was made of
            it. None shows nothing.
    """

    name: str
    batches: Iterator[list[Any]]
    make: Make
    size: float | None
    measure: Callable[[list[Any]], int]
    typed: bool = False
    skip: Callable[[int], None] | None = None
    line: Callable[[Any, dict[str, Any]], bytes] | None = None

    def close(self) -> None:
        """Close the file that it reads."""
        # A file that is not read to its end would stay open until the next garbage collection, on a
        # CPython without a GIL.
        close_batches(self.batches)


def inputs_of(sources: list[str], delimiter: bytes, whole: bool, make: Make) -> list[Input]:
    """Return the inputs for files and stdin.

    Args:
        sources: their names; - is stdin.
        delimiter: what separates messages.
        whole: whether each source is one message.
        make: turns a record into a message.
    """

    def measure(batch: list[bytes]) -> int:
        return sum(map(len, batch)) + len(delimiter) * len(batch)

    return [
        Input(
            "stdin" if name == "-" else name,
            records_of(name, delimiter, whole),
            make,
            Path(name).stat().st_size if name != "-" and Path(name).is_file() else None,
            measure,
            name == "-" and sys.stdin.isatty(),
        )
        for name in sources
    ]


def templated(
    template: str, key: str | None, common: dict[str, Any], null: bool, count: int | None
) -> Input:
    """Return the input that a template makes.

    Args:
        template: the template of values.
        key: the template of keys; None makes no keys.
        common: what all messages have.
        null: whether an empty value is null.
        count: how many messages; None is no end.
    """
    from confluent_kafka.cli.messages.templates import Template, blanks

    values = Template(template, "--template")
    keys = None if key is None else Template(key, "--key")
    plain = plain_maker(common, null)

    def make(record: bytes) -> dict[str, Any]:
        message = plain(values.render())
        return message if keys is None else message | {"key": keys.render()}

    return Input("template", blanks(count), make, count, len)


def maker(
    json_lines: bool,
    key_separator: str | None,
    key: str | None,
    common: dict[str, Any],
    null: bool,
    encoders: Mapping[str, Encoder],
    keep_partitions: bool,
) -> Make:
    """Return what turns a record into a message.

    Args:
        json_lines: value of --json.
        key_separator: value of --key-separator.
        key: value of --key.
        common: what all messages have.
        null: value of --null.
        encoders: the encoders of keys and values.
        keep_partitions: value of --keep-partitions.
    """
    if json_lines:
        parts = {part for part, encoder in encoders.items() if encoder.takes_json}
        return json_maker(common, parts, keep_partitions)
    if key_separator is not None:
        return keyed_maker(not_empty(key_separator, "--key-separator"), common, null)
    return plain_maker(common if key is None else common | {"key": key.encode()}, null)


def not_empty(argument: str, option: str) -> bytes:
    """Return the bytes of an argument with escapes, which must not be empty.

    Args:
        argument: the argument.
        option: the option that has it, for the message.
    """
    found = text.unescape(argument)
    if not found:
        raise click.BadParameter("must not be empty", param_hint=option)
    return found
