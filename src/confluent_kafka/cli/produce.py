"""``python -m confluent_kafka produce``: send lines or files as messages."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import click

from confluent_kafka import KafkaError, Message, Producer
from confluent_kafka.cli import text
from confluent_kafka.cli.declared import argument, option
from confluent_kafka.cli.ending import configuring, ending, fail
from confluent_kafka.cli.settings import CONNECTION, Brokers, File, Properties, settings
from confluent_kafka.cli.terminal import open_console
from confluent_kafka.cli.values import topic_name

_CHUNK = 256 * 1024
_DELIMITER = r"\n"
# How many seconds the messages on their way have after Ctrl-C.
_GRACE = 5.0

EXAMPLES = (
    "echo hello | confluent-kafka produce greetings -b localhost:9092",
    "confluent-kafka produce orders orders.txt -K : -F prod.properties",
)


def produce(
    topic: Annotated[str, argument(parse=topic_name, help="Topic to send to.")],
    files: Annotated[
        list[Path] | None,
        argument(help="Files to read. - is stdin, which is also read if no file is given."),
    ] = None,
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    key_separator: Annotated[
        str | None,
        option(
            "--key-separator", "-K", help=r"Separator of key and value in each line, such as \t."
        ),
    ] = None,
    key: Annotated[str | None, option("--key", "-k", help="Key of all messages.")] = None,
    header: Annotated[
        list[str] | None,
        option(
            "--header",
            "-H",
            metavar="NAME=VALUE",
            help="Header of all messages. Can be given more than once.",
        ),
    ] = None,
    partition: Annotated[
        int,
        option(
            "--partition",
            "-p",
            min=-1,
            help="Partition to send to; with -1 the configured partitioner chooses.",
        ),
    ] = -1,
    delimiter: Annotated[
        str | None,
        option("--delimiter", "-D", show_default=_DELIMITER, help="Delimiter after each message."),
    ] = None,
    whole: Annotated[bool, option("--whole", help="Send each file as one message.")] = False,
    json_lines: Annotated[
        bool,
        option("--json", "-J", help="Read JSON objects, as `consume --json` writes them."),
    ] = False,
    null: Annotated[bool, option("--null", "-Z", help="Send empty values as null.")] = False,
    timeout: Annotated[
        float,
        option(
            min=0.1,
            max=3600,
            panel=CONNECTION,
            help="Seconds to wait for the cluster, and at the end for deliveries.",
        ),
    ] = 30,
    quiet: Annotated[
        bool, option("--quiet", "-q", help="Show neither progress nor a summary.")
    ] = False,
) -> None:
    """Send lines or files as messages, and wait until they are delivered.

    After Ctrl-C, the command waits up to 5 seconds for the messages on their way, and reports how
    many were delivered. Another Ctrl-C ends it at once.

    Exit status: 0 all messages were delivered, 1 some were not, or the cluster refused,
    2 wrong usage, 130 ended by Ctrl-C or SIGTERM.
    """
    if json_lines and (key_separator is not None or key is not None or whole or null):
        raise click.BadParameter(
            "cannot be combined with --key-separator, --key, --whole or --null", param_hint="--json"
        )
    if whole and delimiter is not None:
        raise click.BadParameter("cannot be combined with --delimiter", param_hint="--whole")
    if key_separator is not None and key is not None:
        raise click.BadParameter("give --key or --key-separator", param_hint="--key")
    end = _not_empty(_DELIMITER if delimiter is None else delimiter, "--delimiter")
    common: dict[str, Any] = {"headers": [_parse_header(one) for one in header or []]}
    if key is not None:
        common["key"] = key.encode()
    if json_lines:
        make = _json_maker(common)
    elif key_separator is not None:
        make = _keyed_maker(_not_empty(key_separator, "--key-separator"), common, null)
    else:
        make = _plain_maker(common, null)
    sources = _sources(files)
    config = settings(brokers, config_file, properties)
    with ending():
        with configuring():
            producer = Producer(config)
        try:
            producer.connect(timeout)
            typed = "-" in sources and sys.stdin.isatty()
            # A display would overwrite what is typed.
            display = None if quiet or typed or not sys.stderr.isatty() else _Display(sources)
            sender = _Sender(producer, topic, partition, display)
            try:
                with display or contextlib.nullcontext():
                    refused = _send_all(sender, sources, end, whole, make)
                    sender.finish(timeout)
            except KeyboardInterrupt:
                sender.abandon(min(timeout, _GRACE), quiet)
                raise
        finally:
            producer.close(0)
        sender.conclude(refused, quiet)


def _sources(files: list[Path] | None) -> list[str]:
    for file in files or []:
        if str(file) != "-" and not file.exists():
            raise click.BadParameter(f"'{file}' does not exist", param_hint="FILES")
        if file.is_dir():
            raise click.BadParameter(f"'{file}' is a directory", param_hint="FILES")
    return [str(file) for file in files] if files else ["-"]


def _send_all(
    sender: _Sender,
    sources: list[str],
    delimiter: bytes,
    whole: bool,
    make: Callable[[bytes], dict[str, Any]],
) -> str | None:
    """Send the messages of all sources. Stop at the first invalid one, and return the reason."""
    for name in sources:
        try:
            sender.send(_records(name, delimiter, whole), make, len(delimiter))
        except _NoMessage as error:
            return f"{'stdin' if name == '-' else name}, message {error}"
    return None


class _NoMessage(Exception):
    """A part of the input is not a message."""


class _Sender:
    """Sends messages, counts how many are delivered, and shows that on a display."""

    def __init__(
        self, producer: Producer, topic: str, partition: int, display: _Display | None
    ) -> None:
        self._producer = producer
        self._topic = topic
        self._partition = partition
        self._display = display
        self._read = 0
        self._sent = 0
        self._delivered = 0
        self._failed = 0
        self._first_error: KafkaError | None = None

    def send(
        self,
        records: Iterator[list[bytes]],
        make: Callable[[bytes], dict[str, Any]],
        delimiter: int,
    ) -> None:
        """Enqueue all records. If a record is not a message, the records before it are sent.

        Args:
            records: lists of records, as they are read.
            make: turns a record into a message.
            delimiter: the length of the delimiter between records.
        """
        number = 0
        for batch in records:
            self._read += sum(map(len, batch)) + delimiter * len(batch)
            messages = []
            for record in batch:
                number += 1
                try:
                    messages.append(make(record))
                except ValueError as error:
                    self._enqueue(messages)
                    raise _NoMessage(f"{number}: {error}") from None
            self._enqueue(messages)

    def _enqueue(self, messages: list[dict[str, Any]]) -> None:
        enqueued = self._producer.produce_batch(
            self._topic, messages, self._partition, on_delivery=self._on_delivery, block=-1
        )
        self._sent += len(messages)
        if enqueued < len(messages):
            for message in messages:
                if "_error" in message:
                    self._count_failure(message["_error"])
        self._producer.poll(0)
        self._show()

    def finish(self, timeout: float) -> None:
        """Wait until the messages on their way are delivered."""
        left = self._producer.flush(timeout)
        self._show()
        if left:
            self._failed += left
            self._first_error = self._first_error or KafkaError(
                KafkaError._TIMED_OUT, f"{left:,} not delivered within {timeout:g} s"
            )

    def abandon(self, timeout: float, quiet: bool) -> None:
        """Wait for the messages on their way, and report how many messages were delivered.

        Another Ctrl-C ends the wait.
        """
        try:
            self._producer.flush(timeout)
        finally:
            if not quiet:
                lost = self._failed + len(self._producer)
                print(f"{self._delivered:,} delivered, {lost:,} not delivered", file=sys.stderr)

    def conclude(self, refused: str | None, quiet: bool) -> None:
        """Report the outcome. The status is 1 if a message was invalid or not delivered."""
        if not quiet:
            print(f"{self._delivered:,} delivered, {self._failed:,} failed", file=sys.stderr)
        if refused is not None:
            fail(refused)
        if self._first_error is not None:
            fail(f"topic {self._topic!r}: {self._first_error.str()}")

    def _on_delivery(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            self._delivered += 1
        else:
            self._count_failure(error)

    def _count_failure(self, error: KafkaError) -> None:
        self._failed += 1
        self._first_error = self._first_error or error

    def _show(self) -> None:
        if self._display is not None and self._sent:
            done = self._delivered + self._failed
            self._display.update(self._delivered, self._read * done / self._sent)


class _Display:
    """The progress on the terminal: how much of the input is delivered.

    Args:
        sources: the names of the files. The size of stdin and of pipes is not known: without it,
            the bar only shows that the command is working.
    """

    def __init__(self, sources: list[str]) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            console=open_console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("0 delivered", total=_size(sources))

    def __enter__(self) -> None:
        self._progress.start()

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def update(self, delivered: int, size: float) -> None:
        """Show how many messages are delivered, and how much of the input that is."""
        self._progress.update(self._task, description=f"{delivered:,} delivered", completed=size)


def _size(sources: list[str]) -> int | None:
    """Return the size of all files, or None if one of the sources is not a regular file."""
    paths = [Path(name) for name in sources]
    if "-" in sources or not all(path.is_file() for path in paths):
        return None
    return sum(path.stat().st_size for path in paths)


def _records(name: str, delimiter: bytes, whole: bool) -> Iterator[list[bytes]]:
    """Yield the messages of a file or of stdin, as soon as they arrive."""
    if name == "-":
        yield from _split(sys.stdin.buffer, delimiter, whole)
        return
    with Path(name).open("rb") as file:
        yield from _split(file, delimiter, whole)


def _split(file: BinaryIO, delimiter: bytes, whole: bool) -> Iterator[list[bytes]]:
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


def _plain_maker(common: dict[str, Any], null: bool) -> Callable[[bytes], dict[str, Any]]:
    def make(record: bytes) -> dict[str, Any]:
        return common | {"value": None if null and not record else record}

    return make


def _keyed_maker(
    separator: bytes, common: dict[str, Any], null: bool
) -> Callable[[bytes], dict[str, Any]]:
    def make(record: bytes) -> dict[str, Any]:
        key, found, value = record.partition(separator)
        if not found:
            raise ValueError(f"has no key separator {separator!r}")
        return common | {"key": key, "value": None if null and not value else value}

    return make


def _json_maker(common: dict[str, Any]) -> Callable[[bytes], dict[str, Any]]:
    def make(record: bytes) -> dict[str, Any]:
        message = text.from_json(record)
        return message | {"headers": message["headers"] + common["headers"]}

    return make


def _parse_header(argument: str) -> tuple[str, bytes]:
    name, equals, value = argument.partition("=")
    if not equals or not name:
        raise click.BadParameter(f"{argument!r}: needs NAME=VALUE", param_hint="--header")
    return name, value.encode()


def _not_empty(argument: str, option: str) -> bytes:
    found = text.unescape(argument)
    if not found:
        raise click.BadParameter("must not be empty", param_hint=option)
    return found
