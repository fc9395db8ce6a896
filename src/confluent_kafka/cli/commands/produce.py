"""``python -m confluent_kafka produce``: send lines or files as messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import ending
from confluent_kafka.cli.base.values import topic_name
from confluent_kafka.cli.connection.settings import Connection, settings
from confluent_kafka.cli.messages.encoding_options import EncodingOptions, encoders_of
from confluent_kafka.cli.messages.inputs import (
    inputs_of,
    maker,
    not_empty,
    parse_header,
    sources_of,
    templated,
)
from confluent_kafka.cli.messages.sending import send_inputs
from confluent_kafka.cli.messages.sending_options import DeliveryTimeout, Quiet, TransactionSize

_TEMPLATES = "Load"
_DELIMITER = r"\n"

CHANGES = False
EXAMPLES = (
    "echo hello | confluent-kafka produce greetings -b localhost:9092",
    "confluent-kafka produce orders orders.txt -K : --value avro -F prod.properties",
)


def produce(
    topic: Annotated[str, argument(parse=topic_name, help="Topic to send to.")],
    files: Annotated[
        list[Path] | None,
        argument(help="Files to read. - is stdin, which is also read if no file is given."),
    ] = None,
    *,
    connection: Connection,
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
    keep_partitions: Annotated[
        bool,
        option("--keep-partitions", help="Send each JSON object to the partition that it names."),
    ] = False,
    null: Annotated[bool, option("--null", "-Z", help="Send empty values as null.")] = False,
    print_sent: Annotated[
        bool,
        option("--print", help="Write to stdout each message that is sent, as it was read."),
    ] = False,
    transaction_size: TransactionSize = None,
    template: Annotated[
        str | None,
        option(
            panel=_TEMPLATES,
            help="Make messages from this template of Jinja. It has seq, uuid(), now(), today(), "
            "choice(...) and randint(from, to). --key is a template, too.",
        ),
    ] = None,
    count: Annotated[
        int | None,
        option(
            "--count",
            "-n",
            min=1,
            panel=_TEMPLATES,
            show_default="until Ctrl-C",
            help="How many messages to make from the template.",
        ),
    ] = None,
    rate: Annotated[
        str | None,
        option(
            panel=_TEMPLATES,
            metavar="N/s",
            show_default="as fast as possible",
            help="Send at most this many messages in a second (/s), minute (/m) or hour (/h).",
        ),
    ] = None,
    encoding_options: EncodingOptions,
    timeout: DeliveryTimeout = 30,
    quiet: Quiet = False,
) -> None:
    """Send lines or files as messages, and wait until they are delivered.

    After Ctrl-C, the command waits up to 5 seconds for messages that are not delivered yet, and
    reports how many were delivered. Another Ctrl-C ends it at once.

    Exit status: 0 all messages were delivered, 1 some were not, or the command failed,
    2 wrong usage, 130 ended by Ctrl-C or SIGTERM.
    """
    _check(json_lines, key_separator, key, whole, null, keep_partitions)
    if whole and delimiter is not None:
        raise click.BadParameter("cannot be combined with --delimiter", param_hint="--whole")
    if template is not None and (files or key_separator is not None or json_lines or whole):
        raise click.BadParameter(
            "cannot be combined with FILES, --key-separator, --json or --whole",
            param_hint="--template",
        )
    if template is None and count is not None:
        raise click.BadParameter("needs --template", param_hint="--count")
    end = not_empty(_DELIMITER if delimiter is None else delimiter, "--delimiter")
    common: dict[str, Any] = {"headers": [parse_header(one) for one in header or []]}
    config = settings(connection)
    with ending():
        encoders = encoders_of(topic, encoding_options, connection)
        if template is not None:
            inputs = [templated(template, key, common, null, count)]
        else:
            make = maker(json_lines, key_separator, key, common, null, encoders, keep_partitions)
            inputs = inputs_of(sources_of(files), end, whole, make)
        if rate is not None:
            from confluent_kafka.cli.messages.templates import paced, parse_rate

            limit = parse_rate(rate)
            inputs = [one._replace(batches=paced(one.batches, limit)) for one in inputs]
        if print_sent:
            line = _made(end) if template is not None else _as_read(b"" if whole else end)
            inputs = [one._replace(line=line) for one in inputs]
        send_inputs(topic, partition, config, inputs, encoders, transaction_size, timeout, quiet)


def _as_read(end: bytes) -> Callable[[bytes, object], bytes]:
    """Return a function that returns a record as it was read, with its separator."""
    return lambda record, _: record + end


def _made(end: bytes) -> Callable[[object, dict[str, Any]], bytes]:
    """Return a function that returns the value that a template made, with its separator."""
    return lambda _, message: (message["value"] or b"") + end


def _check(
    json_lines: bool,
    key_separator: str | None,
    key: str | None,
    whole: bool,
    null: bool,
    keep_partitions: bool,
) -> None:
    if json_lines and (key_separator is not None or key is not None or whole or null):
        raise click.BadParameter(
            "cannot be combined with --key-separator, --key, --whole or --null", param_hint="--json"
        )
    if key_separator is not None and key is not None:
        raise click.BadParameter("give --key or --key-separator", param_hint="--key")
    if keep_partitions and not json_lines:
        raise click.BadParameter("needs --json", param_hint="--keep-partitions")
