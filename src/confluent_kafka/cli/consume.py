"""``python -m confluent_kafka consume``: write messages as lines, in a format, or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, NoReturn

import click

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)
from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.cli import text
from confluent_kafka.cli.bound import Bound
from confluent_kafka.cli.declared import argument, option
from confluent_kafka.cli.ending import configuring, ending, fail
from confluent_kafka.cli.settings import CONNECTION, Brokers, File, Properties, settings
from confluent_kafka.cli.terminal import counted
from confluent_kafka.cli.values import topic_name

_BATCH = 1000
_SLICE = 0.2
_FORMAT = r"%s\n"

_Place = tuple[str, int]

EXAMPLES = (
    "confluent-kafka consume orders -e -b localhost:9092",
    "confluent-kafka consume orders --from 2026-01-31T12:00 -n 5 --json \\\n    -F prod.properties",
)


def consume(
    topics: Annotated[list[str], argument(parse=topic_name, help="Topics to read.")],
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    group: Annotated[
        str | None,
        option(
            "--group",
            "-g",
            show_default="group.id of the configuration",
            help="Join this group: read the partitions that it assigns, and commit the offsets of "
            "the messages that were written. An empty name joins no group.",
        ),
    ] = None,
    partition: Annotated[
        list[int] | None,
        option(
            "--partition",
            "-p",
            min=0,
            help="Read only this partition. Can be given more than once. Not with --group.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        option(
            "--from",
            show_default="beginning",
            help="Where to start: beginning, end, an offset, -N for the last N messages of each "
            "partition, or a time such as 2026-01-31T12:00. With --group: where the group starts "
            "if it has no committed offsets.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        option(
            show_default="never",
            help="Where to stop: end (the end of the topic at the start of the command), an "
            "offset, or a time.",
        ),
    ] = None,
    exit_at_end: Annotated[
        bool, option("--exit-at-end", "-e", help="The same as --until end.")
    ] = False,
    count: Annotated[
        int | None, option("--count", "-n", min=1, help="Stop after this many messages.")
    ] = None,
    output: Annotated[
        str | None,
        option(
            "--format",
            "-f",
            show_default=_FORMAT,
            help="%t topic, %p partition, %o offset, %k key, %s value, %K and %S their lengths, "
            "%h headers, %T timestamp, %D date. Not with --json.",
        ),
    ] = None,
    json_lines: Annotated[
        bool, option("--json", "-J", help="Write a JSON object for each message.")
    ] = False,
    timeout: Annotated[
        float,
        option(
            min=0.1,
            max=3600,
            panel=CONNECTION,
            help="Seconds to wait for the cluster at the start.",
        ),
    ] = 30,
    quiet: Annotated[bool, option("--quiet", "-q", help="Write no summary to stderr.")] = False,
) -> None:
    """Read messages, and write them to stdout.

    Without --until, --exit-at-end or --count, the command waits for new messages until Ctrl-C.

    Exit status: 0 all messages were written, 1 the cluster refused or the connection failed,
    2 wrong usage, 130 ended by Ctrl-C or SIGTERM, 141 the reader of stdout has ended.
    """
    write = _writer(output, json_lines)
    if exit_at_end and until is not None:
        raise click.BadParameter("cannot be combined with --until", param_hint="--exit-at-end")
    end = (
        Bound.parse(until if until is not None else "end", "--until")
        if (until is not None or exit_at_end)
        else None
    )
    begin = None if start is None else Bound.parse(start, "--from", counts_back=True)
    config = settings(brokers, config_file, properties)
    config |= {"enable.partition.eof": True, "enable.auto.offset.store": False}
    group = _group(config, group, quiet)
    if group is None:
        config |= {"group.id": "unused", "enable.auto.commit": False}
    else:
        config["group.id"] = group
        if begin is not None:
            config["auto.offset.reset"] = _reset(begin)
        else:
            config.setdefault("auto.offset.reset", "earliest")
        if partition or (end is not None and end.kind != "end"):
            raise click.BadParameter(
                "cannot be combined with --partition, or with an --until other than end; "
                "--group '' reads without a group",
                param_hint="--group",
            )
    with ending():
        with configuring():
            consumer = Consumer(config)
        reader: _Reader | None = None
        try:
            consumer.connect(timeout)
            places = _places(consumer, topics, partition, timeout)
            if group is None:
                ends = _assign(consumer, places, begin or Bound("beginning"), end, timeout)
                reader = _Reader(consumer, write, count, ends)
            else:
                reader = _GroupReader(consumer, write, count, end is not None)
                consumer.subscribe(topics, on_assign=reader.on_assign, on_revoke=reader.on_revoke)
            reader.run()
        finally:
            consumer.close()
            if reader is not None and not quiet:
                print(counted(reader.written, "message"), file=sys.stderr)


def _writer(output: str | None, json_lines: bool) -> Callable[[Message], bytes]:
    if json_lines:
        if output is not None:
            raise click.BadParameter("cannot be combined with --json", param_hint="--format")
        return text.as_json
    try:
        return text.formatter(_FORMAT if output is None else output)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--format") from None


def _group(config: Mapping[str, Any], option: str | None, quiet: bool) -> str | None:
    """Return the group to join, of --group or else of the configuration, or None for no group."""
    if option is not None:
        return option or None
    group = config.get("group.id") or None
    if group is not None and not quiet:
        # The command commits offsets of this group, and the user has not named it just now.
        print(f"group {group} of the configuration (--group '' reads without it)", file=sys.stderr)
    return group


def _reset(begin: Bound) -> str:
    if begin.kind == "beginning":
        return "earliest"
    if begin.kind == "end":
        return "latest"
    raise click.BadParameter(
        "must be beginning or end with --group: a group continues from its commits",
        param_hint="--from",
    )


def _places(
    consumer: Consumer, topics: list[str], wanted: list[int] | None, timeout: float
) -> list[_Place]:
    """Return the partitions to read, and fail if one does not exist."""
    # The list of all topics: a request for one topic could create it.
    known = consumer.list_topics(timeout=timeout).topics
    places = []
    for topic in topics:
        if topic not in known:
            _fail_unlisted(consumer, topic, known, timeout)
        if (error := known[topic].error) is not None:
            _fail_topic(topic, error)
        there = sorted(known[topic].partitions)
        for number in wanted or there:
            if number not in known[topic].partitions:
                has = "partition 0" if len(there) == 1 else f"partitions 0 to {there[-1]}"
                fail(f"topic {topic!r} has no partition {number}, only {has}")
            places.append((topic, number))
    return places


def _fail_unlisted(
    consumer: Consumer, topic: str, known: Iterable[str], timeout: float
) -> NoReturn:
    """Fail for a topic that the list lacks: it does not exist, or this user may not read it."""
    error = consumer.list_topics(topic, timeout).topics[topic].error
    if error is not None and error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        _fail_topic(topic, error)
    hint = did_you_mean(topic, known)
    fail(f"topic {topic!r} does not exist{': ' if hint else ''}{hint}")


def _fail_topic(topic: str, error: KafkaError) -> NoReturn:
    if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        fail(f"topic {topic!r} is forbidden for this user: {error.str()}")
    fail(f"topic {topic!r}: {error.str()}")


def _assign(
    consumer: Consumer,
    places: list[_Place],
    begin: Bound,
    end: Bound | None,
    timeout: float,
) -> dict[_Place, int] | None:
    """Assign the partitions at `begin`; return the offsets to stop at, or None for no end."""
    ends = None if end is None else _offsets(consumer, places, end, timeout)
    starts = _offsets(consumer, places, begin, timeout)
    consumer.assign([TopicPartition(*place, offset) for place, offset in starts.items()])
    if ends is None:
        return None
    return {place: last for place, last in ends.items() if not 0 <= last <= starts[place]}


def _offsets(
    consumer: Consumer, places: list[_Place], bound: Bound, timeout: float
) -> dict[_Place, int]:
    if bound.kind == "offset":
        return dict.fromkeys(places, bound.number)
    if bound.kind == "time":
        asked = [TopicPartition(*place, bound.number) for place in places]
        found = {}
        for answer in consumer.offsets_for_times(asked, timeout):
            if answer.error is not None:
                raise KafkaException(answer.error)
            found[answer.topic, answer.partition] = answer.offset
    elif bound.kind == "beginning":
        return dict.fromkeys(places, OFFSET_BEGINNING)
    else:
        found = dict.fromkeys(places, OFFSET_END)
    # The current end: messages that arrive later are neither skipped nor waited for.
    for place, offset in found.items():
        if offset == OFFSET_END:
            low, high = consumer.get_watermark_offsets(TopicPartition(*place), timeout)
            found[place] = max(low, high - bound.number) if bound.kind == "last" else high
    return found


class _Reader:
    """Writes messages until all ends, or the count, are reached.

    `ends` has the offset at which each partition ends; None if no partition does.
    """

    def __init__(
        self,
        consumer: Consumer,
        write: Callable[[Message], bytes],
        count: int | None,
        ends: dict[_Place, int] | None,
    ) -> None:
        self.written = 0
        self._consumer = consumer
        self._write = write
        self._count = count
        self._ends = ends

    def run(self) -> None:
        """Read until count or ends are reached."""
        while not self._is_done():
            wanted = _BATCH if self._count is None else min(_BATCH, self._count - self.written)
            first = self._consumer.poll(_SLICE)
            if first is not None:
                self._take([first, *self._consumer.consume(wanted - 1, 0)])

    def _is_done(self) -> bool:
        if self._count is not None and self.written >= self._count:
            return True
        return self._ends is not None and not self._ends

    def _take(self, messages: list[Message]) -> None:
        records = []
        for message in messages:
            error = message.error()
            if error is None:
                if self._is_wanted(message):
                    sys.stdout.buffer.write(self._write(message))
                    records.append(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                self._reached(message, message.offset() or 0)
            elif not self._is_harmless(error):
                sys.stdout.buffer.flush()
                raise KafkaException(error)
        sys.stdout.buffer.flush()
        self.written += len(records)
        self._wrote(records)

    def _is_harmless(self, error: KafkaError) -> bool:
        # An unpatched librdkafka looks for the coordinator of the group, although none is used.
        return error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED

    def _is_wanted(self, message: Message) -> bool:
        offset = message.offset() or 0
        place = _place_of(message)
        if self._ends is None:
            return True
        wanted = place in self._ends and offset < self._ends[place]
        self._reached(message, offset + 1)
        return wanted

    def _reached(self, message: Message, offset: int) -> None:
        """Note that the next message of the partition would have `offset`, or a higher one."""
        place = _place_of(message)
        if self._ends is not None and place in self._ends and offset >= self._ends[place]:
            del self._ends[place]
            self._consumer.pause([TopicPartition(*place)])

    def _wrote(self, records: list[Message]) -> None:
        """Called with the messages after they have been written to stdout."""


class _GroupReader(_Reader):
    """The same for a member of a group, which commits the messages that were written."""

    def __init__(
        self,
        consumer: Consumer,
        write: Callable[[Message], bytes],
        count: int | None,
        exit_at_end: bool,
    ) -> None:
        super().__init__(consumer, write, count, None)
        self._exit_at_end = exit_at_end
        self._assigned = False
        self._open: set[_Place] = set()

    def on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Add partitions that this member reads from now on."""
        self._assigned = True
        self._open |= {(one.topic, one.partition) for one in partitions}

    def on_revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Remove partitions that another member reads from now on."""
        self._open -= {(one.topic, one.partition) for one in partitions}

    def _is_done(self) -> bool:
        if self._exit_at_end and self._assigned and not self._open:
            return True
        return super()._is_done()

    def _is_harmless(self, error: KafkaError) -> bool:
        return False

    def _is_wanted(self, message: Message) -> bool:
        return True

    def _reached(self, message: Message, offset: int) -> None:
        self._open.discard(_place_of(message))

    def _wrote(self, records: list[Message]) -> None:
        ends: dict[_Place, Any] = {_place_of(message): message for message in records}
        owned = {(one.topic, one.partition) for one in self._consumer.assignment()}
        for place, message in ends.items():
            if place in owned:
                self._consumer.store_offsets(message)


def _place_of(message: Message) -> _Place:
    return message.topic() or "", message.partition() or 0
