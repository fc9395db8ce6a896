"""``python -m confluent_kafka why``: explain why a group is behind."""

from __future__ import annotations

import sys
from typing import Annotated

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.durations import duration
from confluent_kafka.cli.base.ending import FAILED
from confluent_kafka.cli.base.terminal import open_console, printable
from confluent_kafka.cli.connection.administration import AsJson, Timeout, administering, show
from confluent_kafka.cli.connection.chosen_profile import chosen_profile
from confluent_kafka.cli.connection.settings import Connection

CHANGES = False
EXAMPLES = (
    "confluent-kafka why billing -b localhost:9092",
    "confluent-kafka why billing --for 30s --json -F prod.properties",
)


def why(
    group: Annotated[str, argument(help="Group that is behind.")],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    seconds: Annotated[
        float,
        option(
            "--for",
            metavar="DURATION",
            parse=duration,
            show_default="6s",
            help="Time between the two samples, such as 30s or 2m. Consumers commit every 5 s by "
            "default, so a shorter time can miss their commits.",
        ),
    ] = 6.0,
) -> None:
    """Explain why a group is behind: findings with their evidence, and commands to type next.

    The command looks at the state of the group and its members, at committed offsets, topics,
    partitions, open transactions and quotas. It takes two samples and compares them. It changes
    nothing.

    Exit status: 0 nothing is wrong, 1 there is a finding or the command failed, 2 wrong usage, 130
    Ctrl-C.
    """
    from confluent_kafka.cli.lag import findings
    from confluent_kafka.cli.lag.facts import summary
    from confluent_kafka.cli.lag.gathering import gather

    with administering(connection, timeout) as admin:
        facts = gather(admin, group, seconds, timeout)
    found = findings(facts)
    print(printable(summary(facts)), file=sys.stderr)
    if not found:
        print("nothing is wrong", file=sys.stderr)
        return
    if sys.stdout.isatty() and not as_json:
        from confluent_kafka.cli.lag.report import draw, options_of

        draw(open_console(), found, options_of(connection, chosen_profile()))
    else:
        rows = (
            [each.severity.name.lower(), each.name, each.text, each.evidence, each.commands]
            for each in found
        )
        show(("severity", "finding", "why", "evidence", "try"), rows, as_json)
    raise click.exceptions.Exit(FAILED)
