"""``python -m confluent_kafka consume``: write messages as lines, in a format, or as JSON."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import click

from confluent_kafka import Consumer
from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import configuring, ending, fail
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.base.values import topic_or_pattern
from confluent_kafka.cli.connection.settings import CONNECTION, Connection, settings
from confluent_kafka.cli.messages.decoding import Decoding
from confluent_kafka.cli.messages.decoding_options import (
    DecodingOptions,
    JsonValues,
    decoding_of,
)
from confluent_kafka.cli.messages.end_options import ExitAtEnd, Until, end_of
from confluent_kafka.cli.messages.filter_options import (
    FilterOptions,
    cheap_filters,
    condition_of,
)
from confluent_kafka.cli.messages.flow import Flow
from confluent_kafka.cli.messages.formats import formatter
from confluent_kafka.cli.messages.membership import joined
from confluent_kafka.cli.messages.outcome import (
    check_condition,
    check_decoded,
    explaining,
    summary,
)
from confluent_kafka.cli.messages.outputs import Lines, Output
from confluent_kafka.cli.messages.places import assign, places_of
from confluent_kafka.cli.messages.reading import GroupReader, Reader
from confluent_kafka.cli.messages.share_reading import (
    ShareGroup,
    ShareReader,
    check_share_group,
    share_consumer,
)
from confluent_kafka.cli.messages.text import json_line

CHANGES = False
EXAMPLES = (
    "confluent-kafka consume orders -e -b localhost:9092",
    "confluent-kafka consume orders --value auto --where 'value.id > 7' \\\n"
    "    --from 2026-01-31T12:00 -n 5 -F prod.properties",
)

_FORMAT = r"%s\n"


def consume(
    topics: Annotated[
        list[str],
        argument(parse=topic_or_pattern, help="Topics to read. ^ begins a regular expression."),
    ],
    *,
    connection: Connection,
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
    share_group: ShareGroup = None,
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
            show_default="earliest",
            help="Where to start: earliest, latest, an offset, -N for the last N messages of each "
            "partition, a time such as 2026-01-31T12:00, or a duration back from now such as -1h. "
            "With --group: where the group starts if it has no committed offsets.",
        ),
    ] = None,
    until: Until = None,
    exit_at_end: ExitAtEnd = False,
    count: Annotated[
        int | None, option("--count", "-n", min=1, help="Stop after this many messages.")
    ] = None,
    form: Annotated[
        str | None,
        option(
            "--format",
            "-f",
            show_default=_FORMAT,
            help="%t topic, %p partition, %o offset, %k key, %s value, %K and %S their lengths, "
            "%R length as 4 bytes, %h headers, %h{NAME} one header, %T timestamp, %D date in UTC, "
            "%L in local time. Not with --json.",
        ),
    ] = None,
    null: Annotated[
        bool,
        option(
            "--null",
            "-Z",
            help="Let %k and %s of --format show null as NULL, instead of an empty text.",
        ),
    ] = False,
    json_lines: Annotated[
        bool, option("--json", "-J", help="Write a JSON object for each message.")
    ] = False,
    output: Annotated[
        Path | None,
        option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write a file instead of stdout: .jsonl, .csv, .parquet or .arrow. The file "
            "appears only when it is complete. Needs --exit-at-end, --until or --count.",
        ),
    ] = None,
    overwrite: Annotated[
        bool, option("--overwrite", help="Let --output replace a file that exists.")
    ] = False,
    follow: Annotated[
        bool,
        option("--follow", help="Wait for new messages, and show the rate on stderr every 10 s."),
    ] = False,
    fail_if_empty: Annotated[
        bool, option("--fail-if-empty", help="End with exit status 1 if no message was written.")
    ] = False,
    decoding_options: DecodingOptions,
    json_values: JsonValues = False,
    filter_options: FilterOptions,
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

    Exit status: 0 all messages were written, 1 the command failed, 2 wrong usage, 130
    ended by Ctrl-C or SIGTERM, 141 the reader of stdout has ended.
    """
    end = end_of(until, exit_at_end)
    _check_follow(follow, end)
    begin = None if start is None else Bound.parse(start, "--from", counts_back=True)
    config = settings(connection)
    decoding = decoding_of(decoding_options, connection)
    condition = condition_of(filter_options, decoding)
    if share_group is None:
        group = joined(config, group, quiet, begin, bool(partition), end)
    else:
        others = {
            "--group": group is not None,
            "--partition": bool(partition),
            "--from": begin is not None,
            "--until or --exit-at-end": end is not None,
            "--output": output is not None,
        }
        check_share_group(share_group, topics, others)
    if overwrite and output is None:
        raise click.BadParameter("needs --output", param_hint="--overwrite")
    if json_values and output is None:
        raise click.BadParameter("needs --output", param_hint="--json-values")
    destination: Output
    if output is None:
        destination = _stdout(form, json_lines, null, decoding)
    elif (
        form is not None
        or json_lines
        or null
        or group is not None
        or (end is None and count is None)
    ):
        raise click.BadParameter(
            "needs --exit-at-end, --until or --count, and cannot be combined with --format, "
            "--json, --null or --group",
            param_hint="--output",
        )
    else:
        from confluent_kafka.cli.messages.files import file_output, has_columns

        decoders = {} if decoding is None else decoding.decoders
        destination = file_output(output, decoders, overwrite)
        if decoding is not None:
            decoding.keeps_payloads = has_columns(output.suffix) and not json_values
    flow = Flow(destination, cheap_filters(filter_options), decoding, condition)
    with ending():
        with configuring():
            consumer = (
                Consumer(config)
                if share_group is None
                else share_consumer(config, share_group, count)
            )
        reader: Reader | ShareReader | None = None
        silent = quiet
        try:
            consumer.connect(timeout)
            places = places_of(consumer, topics, partition, timeout)
            if not isinstance(consumer, Consumer):
                reader = ShareReader(consumer, flow, count)
                consumer.subscribe(topics)
            elif group is None:
                ends = assign(consumer, places, begin or Bound("beginning"), end, timeout)
                reader = Reader(consumer, flow, count, ends)
            else:
                member = reader = GroupReader(consumer, flow, count, end is not None)
                consumer.subscribe(topics, on_assign=member.on_assign, on_revoke=member.on_revoke)
            if follow and not quiet:
                from confluent_kafka.cli.messages.rates import Rates

                reader.tick = Rates().tick
            with explaining(condition), destination:
                reader.run()
                check_condition(condition)
        except BrokenPipeError:
            silent = True  # the reader of stdout has an unknown part of the last messages
            raise
        finally:
            consumer.close()
            if reader is not None and not silent:
                done = counted(reader.written, "message")
                print(summary(done, decoding, condition), file=sys.stderr)
        check_decoded(decoding)
        if fail_if_empty and not reader.written:
            fail("no message was found")


def _check_follow(follow: bool, end: Bound | None) -> None:
    if follow and end is not None:
        raise click.BadParameter(
            "cannot be combined with --until or --exit-at-end", param_hint="--follow"
        )


def _stdout(text: str | None, json_lines: bool, null: bool, decoding: Decoding | None) -> Output:
    decoders = {} if decoding is None else decoding.decoders
    if json_lines:
        for name, given in (("--format", text is not None), ("--null", null)):
            if given:
                raise click.BadParameter("cannot be combined with --json", param_hint=name)
        return Lines(json_line(decoders))
    shown = {part: decoder.shown for part, decoder in decoders.items()}
    try:
        return Lines(formatter(_FORMAT if text is None else text, shown, b"NULL" if null else b""))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--format") from None
