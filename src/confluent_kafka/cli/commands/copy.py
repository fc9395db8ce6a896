"""``python -m confluent_kafka copy``: messages of a topic to another topic, exactly once."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import click

from confluent_kafka import Consumer, Producer
from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import configuring, ending, fail
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.base.values import topic_name
from confluent_kafka.cli.connection.settings import CONNECTION, Connection, settings
from confluent_kafka.cli.messages.copying import Copying, stored_positions
from confluent_kafka.cli.messages.decoding_options import DecodingOptions, decoding_of
from confluent_kafka.cli.messages.end_options import ExitAtEnd, Until, end_of
from confluent_kafka.cli.messages.filter_options import (
    FilterOptions,
    cheap_filters,
    condition_of,
)
from confluent_kafka.cli.messages.flow import Flow
from confluent_kafka.cli.messages.outcome import (
    check_condition,
    check_decoded,
    explaining,
    summary,
)
from confluent_kafka.cli.messages.places import assign, offsets_of, places_of
from confluent_kafka.cli.messages.reading import ResumingReader
from confluent_kafka.cli.messages.sending_options import Quiet

_TARGET = "Target cluster"

CHANGES = False
EXAMPLES = (
    "confluent-kafka copy orders orders-backup -e -b localhost:9092",
    "confluent-kafka copy orders orders --to-config backup.properties \\\n    -F prod.properties",
)


def copy(
    source: Annotated[str, argument(parse=topic_name, help="Topic to read.")],
    target: Annotated[str, argument(parse=topic_name, help="Topic to write, which must exist.")],
    *,
    connection: Connection,
    start: Annotated[
        str | None,
        option(
            "--from",
            show_default="earliest",
            help="Where to start: earliest, latest, an offset, -N for the last N messages of each "
            "partition, a time, or a duration back from now such as -1h. A partition that was "
            "copied before continues where it stopped.",
        ),
    ] = None,
    until: Until = None,
    exit_at_end: ExitAtEnd = False,
    group: Annotated[
        str | None,
        option(
            "--group",
            "-g",
            show_default="copy-SOURCE-to-TARGET",
            help="Name of this copy. The target cluster stores its positions as offsets of this "
            "group.",
        ),
    ] = None,
    filter_options: FilterOptions,
    decoding_options: DecodingOptions,
    to_brokers: Annotated[
        str | None,
        option(panel=_TARGET, metavar="HOST:PORT,...", help="Brokers of another cluster."),
    ] = None,
    to_config: Annotated[
        Path | None,
        option(
            panel=_TARGET,
            exists=True,
            help="File with the configuration of another cluster. -F and -X do not apply to it.",
        ),
    ] = None,
    timeout: Annotated[
        float,
        option(
            min=0.1,
            max=3600,
            panel=CONNECTION,
            help="Seconds to wait for the clusters, and for each transaction.",
        ),
    ] = 30,
    quiet: Quiet = False,
) -> None:
    """Copy the messages of a topic to another topic, exactly once.

    Keys, values, headers, timestamps and partitions stay the same. --value and --key decode
    messages for --where only. Messages and positions are written in one transaction, so that a
    stopped copy continues without losing or repeating a message.

    Exit status: 0 copied, 1 failed, 2 wrong usage, 130 ended by Ctrl-C or SIGTERM.
    """
    elsewhere = to_brokers is not None or to_config is not None
    if source == target and not elsewhere:
        raise click.BadParameter(
            "must be another topic, unless --to-brokers or --to-config names another cluster",
            param_hint="TARGET",
        )
    end = end_of(until, exit_at_end)
    begin = Bound.parse("beginning" if start is None else start, "--from", counts_back=True)
    decoding = decoding_of(decoding_options, connection)
    if decoding is not None and filter_options.where is None:
        raise click.BadParameter(
            "needs --where: the copy has the bytes of the messages",
            param_hint=f"--{next(iter(decoding.decoders))}",
        )
    if decoding is not None:
        decoding.keeps_payloads = True
    condition = condition_of(filter_options, decoding)
    name = group or f"copy-{source}-to-{target}"
    here = settings(connection)
    there = here if not elsewhere else _target(to_brokers, to_config)
    with ending():
        with configuring():
            consumer = Consumer(_reading(here, name))
            positions = Consumer(_reading(there, name))
            producer = Producer(_writing(there, name))
        stored_for = target if elsewhere else source
        copying = Copying(
            *(producer, positions, target, stored_for, timeout),
            lambda: condition is not None and condition.fails,
        )
        try:
            for client in (consumer, positions, producer):
                client.connect(timeout)
            places = places_of(consumer, [source], None, timeout)
            _check_partitions(positions, target, [number for _, number in places], timeout)
            with explaining(condition), copying:
                stored = stored_positions(positions, places, stored_for, timeout)
                ends = assign(consumer, places, begin, end, timeout, stored)
                flow = Flow(copying, cheap_filters(filter_options), decoding, condition)
                shown: AbstractContextManager[None] = nullcontext()
                if not quiet and sys.stderr.isatty():
                    from confluent_kafka.cli.messages.reading_display import (
                        ReadingDisplay,
                        first_offsets,
                    )

                    starts = offsets_of(consumer, places, begin, timeout) | stored
                    firsts = first_offsets(consumer, starts, timeout)
                    display = ReadingDisplay(firsts, ends, lambda: copying.copied, "copied")
                    copying.shown, shown = display.update, display.display
                with shown:
                    ResumingReader(consumer, flow, copying, ends).run()
                check_condition(condition)
        finally:
            consumer.close()
            positions.close()
            producer.close(0)
            if not quiet:
                done = f"{counted(copying.committed, 'message')} copied"
                print(summary(done, decoding, condition), file=sys.stderr)
        check_decoded(decoding)


def _target(brokers: str | None, file: Path | None) -> dict[str, Any]:
    """Return the configuration of another cluster: nothing of the first cluster applies to it."""
    return settings(Connection(brokers, file))


def _reading(config: dict[str, Any], group: str) -> dict[str, Any]:
    return config | {
        "group.id": group,
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "isolation.level": "read_committed",
    }


def _writing(config: dict[str, Any], name: str) -> dict[str, Any]:
    # A second run of the same copy fences the first one.
    writing = config | {"transactional.id": name}
    writing.pop("group.id", None)
    return writing


def _check_partitions(consumer: Consumer, target: str, numbers: list[int], timeout: float) -> None:
    there = {number for _, number in places_of(consumer, [target], None, timeout)}
    if not there.issuperset(numbers):
        fail(
            f"topic {target!r} has {len(there)} partitions, and the source {len(numbers)}: use "
            f"`topics grow {target} {len(numbers)}`, because messages keep their partitions"
        )
