"""``python -m confluent_kafka health``: whether a cluster is healthy, for probes and people."""

from __future__ import annotations

import time
from typing import Annotated

import click

from confluent_kafka.cli.base.declared import CONNECTION, option
from confluent_kafka.cli.base.ending import configuring, ending, fail
from confluent_kafka.cli.connection.administration import AsJson, show
from confluent_kafka.cli.connection.settings import Connection, settings

CHANGES = False
EXAMPLES = (
    "confluent-kafka health -b localhost:9092",
    "confluent-kafka health --max-lag billing=1000 --timeout 5 --json -C prod",
)


def limit_of(text: str) -> tuple[str, int]:
    """Return the group and the number of an argument GROUP=N.

    Args:
        text: the argument.
    """
    group, _, number = text.rpartition("=")
    if not group or not number.isdecimal():
        raise click.BadParameter(f"{text!r}: needs GROUP=N, with the highest lag that is healthy")
    return group, int(number)


def health(
    connection: Connection,
    timeout: Annotated[
        float,
        option(min=0.1, max=3600, panel=CONNECTION, help="Time limit for all checks, in seconds."),
    ] = 10,
    as_json: AsJson = False,
    max_lag: Annotated[
        list[tuple[str, int]] | None,
        option(
            parse=limit_of,
            metavar="GROUP=N",
            help="Also check that this group is at most N messages behind, in all partitions "
            "together. Can be given more than once.",
        ),
    ] = None,
) -> None:
    """Check brokers, controller, partitions, and the lag of groups.

    Exit status: 0 healthy, 1 not healthy, 2 wrong usage, 130 Ctrl-C.
    """
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.cli.administration.health_checks import COLUMNS, checked

    end = time.monotonic() + timeout
    config = settings(connection)
    with ending():
        with configuring():
            admin = AdminClient(config)
        with admin:
            rows = list(checked(admin, dict(max_lag or ()), end))
        show(COLUMNS, rows, as_json)
        if wrong := [f"{row.check}: {row.found}" for row in rows if not row.ok]:
            fail(*wrong)
