"""``python -m confluent_kafka load``: messages out of files, as `dump` writes them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import ending
from confluent_kafka.cli.base.values import topic_name
from confluent_kafka.cli.connection.settings import Connection, settings
from confluent_kafka.cli.messages.dump_folder import files_of
from confluent_kafka.cli.messages.encoding_options import EncodingOptions, encoders_of
from confluent_kafka.cli.messages.inputs import sources_of
from confluent_kafka.cli.messages.load_progress import LoadProgress
from confluent_kafka.cli.messages.sending import send_inputs
from confluent_kafka.cli.messages.sending_options import DeliveryTimeout, Quiet, TransactionSize

CHANGES = False
EXAMPLES = (
    "confluent-kafka load orders orders.parquet -b localhost:9092",
    "confluent-kafka load orders orders-dump --speed 2x --value avro \\\n    -F test.properties",
)


def load(
    topic: Annotated[str, argument(parse=topic_name, help="Topic to send to.")],
    files: Annotated[
        list[Path],
        argument(help="Files to read: .jsonl, .parquet or .arrow, or the folder of a dump."),
    ],
    *,
    connection: Connection,
    any_partition: Annotated[
        bool,
        option(
            "--any-partition",
            help="Let the partitioner choose partitions. By default, the partitions stay the same.",
        ),
    ] = False,
    speed: Annotated[
        str | None,
        option(
            metavar="Nx",
            show_default="as fast as possible",
            help="Keep the intervals between timestamps: 1x is the original speed, 2x is double.",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        option(
            metavar="FILE",
            help="Record in this file what is delivered, each second. A run with the same FILE "
            "sends only the rest. If a run was killed, messages of its last second can arrive "
            "twice.",
        ),
    ] = None,
    transaction_size: TransactionSize = None,
    encoding_options: EncodingOptions,
    timeout: DeliveryTimeout = 30,
    quiet: Quiet = False,
) -> None:
    """Send the messages of files that `dump` or `consume --output` wrote.

    Keys, values, headers, timestamps and partitions stay the same.

    Exit status: 0 all messages were delivered, 1 some were not, or the command failed,
    2 wrong usage, 130 ended by Ctrl-C or SIGTERM.
    """
    from confluent_kafka.cli.messages.loading import at_speed, file_input

    factor = None if speed is None else _factor(speed)
    if resume is not None and transaction_size is not None:
        raise click.BadParameter(
            "cannot be combined with --transaction-size", param_hint="--resume"
        )
    files = [one for file in files for one in (files_of(file) if file.is_dir() else [file])]
    sources_of(files)
    if resume is not None and len(set(files)) < len(files):
        raise click.BadParameter("a file is named twice", param_hint="FILES")
    config = settings(connection)
    with ending():
        encoders = encoders_of(topic, encoding_options, connection)
        encoded = {part for part, encoder in encoders.items() if encoder.takes_json}
        inputs = [file_input(file, encoded, not any_partition) for file in files]
        if factor is not None:
            inputs = [at_speed(inputs, factor)]
        progress = None if resume is None else partial(_progress, resume, topic, factor)
        send_inputs(topic, -1, config, inputs, encoders, transaction_size, timeout, quiet, progress)


def _progress(path: Path, topic: str, speed: float | None, cluster: str) -> LoadProgress:
    order = "the order of the files" if speed is None else "the order of --speed"
    return LoadProgress(path, {"TOPIC": topic, "cluster": cluster, "order": order})


def _factor(text: str) -> float:
    try:
        factor = float(text.removesuffix("x"))
    except ValueError:
        factor = 0
    if not 0 < factor < float("inf"):
        raise click.BadParameter(
            f"{text!r} is not a speed such as 2x or 0.5x", param_hint="--speed"
        )
    return factor
