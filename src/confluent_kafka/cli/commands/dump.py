"""``python -m confluent_kafka dump``: topics into files, which `load` sends again."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import click

from confluent_kafka import Consumer
from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import configuring, ending
from confluent_kafka.cli.base.values import topic_or_pattern
from confluent_kafka.cli.connection.settings import CONNECTION, Connection, settings
from confluent_kafka.cli.messages.decoding_options import (
    DecodingOptions,
    JsonValues,
    chosen,
    decoding_of,
)
from confluent_kafka.cli.messages.dump_runs import (
    Source,
    arguments_of,
    dump_into_file,
    dump_into_folder,
)
from confluent_kafka.cli.messages.dumping import SIZE, Size
from confluent_kafka.cli.messages.end_options import ExitAtEnd, Until, end_of
from confluent_kafka.cli.messages.files import ENDINGS, file_output, has_columns
from confluent_kafka.cli.messages.filter_options import (
    FilterOptions,
    cheap_filters,
    condition_of,
)
from confluent_kafka.cli.messages.membership import joined
from confluent_kafka.cli.messages.outcome import check_decoded
from confluent_kafka.cli.messages.places import places_of

CHANGES = False
EXAMPLES = (
    "confluent-kafka dump orders -o orders-dump -e -b localhost:9092",
    "confluent-kafka dump orders --value auto --file-format parquet -o dump \\\n"
    "    --from 2026-01-31T12:00 --until 2026-01-31T13:00 -F prod.properties",
)

_FILES = "Files"


class FileFormat(StrEnum):
    """The format of the files in a folder."""

    JSONL = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"


def dump(
    topics: Annotated[
        list[str],
        argument(parse=topic_or_pattern, help="Topics to read. ^ begins a regular expression."),
    ],
    output: Annotated[
        Path,
        option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Folder for the files. If it has this dump already, the dump continues. A name "
            "that ends with .jsonl, .parquet, .arrow or .csv is one file, which needs "
            "--exit-at-end or --until.",
        ),
    ],
    *,
    connection: Connection,
    partition: Annotated[
        list[int] | None,
        option(
            "--partition",
            "-p",
            min=0,
            help="Read only this partition. Can be given more than once.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        option(
            "--from",
            show_default="earliest",
            help="Where to start: earliest, latest, an offset, -N for the last N messages of each "
            "partition, a time, or a duration back from now such as -1h. The next run continues "
            "where this run stopped.",
        ),
    ] = None,
    until: Until = None,
    exit_at_end: ExitAtEnd = False,
    file_format: Annotated[
        FileFormat | None,
        option(
            panel=_FILES,
            show_default="jsonl",
            help="Format of the files in the folder: jsonl, parquet or arrow.",
        ),
    ] = None,
    file_messages: Annotated[
        int | None,
        option(
            panel=_FILES,
            min=1,
            show_default=f"{SIZE.messages}",
            help="Begin another file after this many messages.",
        ),
    ] = None,
    file_bytes: Annotated[
        int | None,
        option(
            panel=_FILES,
            min=1,
            show_default=f"{SIZE.bytes}",
            help="Begin another file after this many bytes of keys and values.",
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        option("--overwrite", panel=_FILES, help="Let --output replace one file that exists."),
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
    """Write topics into files, which `load` sends again.

    A file appears when it is complete. If you stop the command and run it again with the same
    arguments, it continues. No message is then missing, and no message is in the files twice.
    Ctrl-C ends the last file.

    Exit status: 0 everything up to the end is dumped, 1 the cluster refused or the connection
    failed, 2 wrong usage, 130 ended by Ctrl-C or SIGTERM.
    """
    end = end_of(until, exit_at_end)
    begin = Bound.parse("beginning" if start is None else start, "--from", counts_back=True)
    is_file = output.suffix.lower() in ENDINGS
    sizes = {"--file-messages": file_messages, "--file-bytes": file_bytes}
    _check_output(is_file, end, {"--file-format": file_format, **sizes}, overwrite)
    config = settings(connection)
    joined(config, "", True, None, False, None)
    # If messages were deleted before they were read, the dump continues with the first one left.
    config["auto.offset.reset"] = "earliest"
    decoding = decoding_of(decoding_options, connection)
    condition = condition_of(filter_options, decoding)
    decoded = {} if decoding is None else decoding.decoders
    suffix = output.suffix if is_file else f".{file_format or FileFormat.JSONL}"
    if decoding is not None:
        decoding.keeps_payloads = has_columns(suffix) and not json_values
    file = file_output(output, decoded, overwrite) if is_file else None
    with ending():
        with configuring():
            consumer = Consumer(config)
        try:
            consumer.connect(timeout)
            places = places_of(consumer, topics, partition, timeout)
            filters = cheap_filters(filter_options)
            source = Source(
                consumer, places, begin, end, filters, decoding, condition, timeout, quiet
            )
            if file is not None:
                dump_into_file(source, file)
            else:
                others = {
                    "cluster": consumer.list_topics(timeout=timeout).cluster_id,
                    "--from": start,
                    "--partition": partition,
                    "--on-error": decoding_options.on_error,
                    "--json-values": json_values,
                    "--key-is": filter_options.key_is,
                    "--header": filter_options.header,
                    "--where": filter_options.where,
                }
                size = Size(file_messages or SIZE.messages, file_bytes or SIZE.bytes)
                arguments = arguments_of(topics, chosen(decoding_options), others)
                dump_into_folder(source, output, suffix, size, arguments)
        finally:
            consumer.close()
        check_decoded(decoding)


def _check_output(
    is_file: bool, end: Bound | None, for_folders: Mapping[str, object], overwrite: bool
) -> None:
    if is_file and end is None:
        raise click.BadParameter(
            "one file needs --exit-at-end or --until; a folder does not", param_hint="--output"
        )
    for name, given in for_folders.items():
        if is_file and given is not None:
            raise click.BadParameter("is for a folder, not for one file", param_hint=name)
    if overwrite and not is_file:
        raise click.BadParameter("is for one file, not for a folder", param_hint="--overwrite")
