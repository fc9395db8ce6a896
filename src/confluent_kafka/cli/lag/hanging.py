"""``transactions find-hanging``: transactions that nobody ends, in all partitions."""

from __future__ import annotations

import time
from typing import Annotated

from confluent_kafka.cli.base.declared import argument
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import AsJson, Timeout, administering, show
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.lag.transactions import hangs, open_transactions, seconds_open
from confluent_kafka.cli.topics.names import partitions_of
from confluent_kafka.cli.topics.selection import Selection, selection_or_pattern


def find_hanging(
    where: Annotated[
        list[Selection] | None,
        argument(
            metavar="[TOPIC[:PARTITION,...]...]",
            parse=selection_or_pattern,
            help="Topics or some of their partitions, as in orders:0,2, or a regular expression "
            "that begins with ^. By default, all topics.",
        ),
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Find transactions that are open in a partition, and that their coordinator has forgotten.

    `transactions abort` ends such a transaction. If you may not describe a transactional id, its
    transaction counts as forgotten after 15 minutes.
    """
    chosen = where or [selection_or_pattern("^")]
    with administering(connection, timeout) as admin:
        places = [(each.topic, each.partition) for each in partitions_of(admin, chosen, timeout)]
        found, failures = open_transactions(admin, places, timeout)
    now = time.time()
    show(
        ("topic", "partition", "start offset", "producer id", "transactional id", "seconds"),
        (
            (*each.place, each.start, each.producer_id, each.id, round(seconds_open(each, now)))
            for each in found
            if hangs(each, now)
        ),
        as_json,
    )
    if failures:
        fail(*failures)
