"""The options of commands that send messages and wait for their delivery."""

from __future__ import annotations

from typing import Annotated

from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.connection.settings import CONNECTION

TransactionSize = Annotated[
    int | None,
    option(
        min=1,
        metavar="N",
        help="Send in transactions of this many messages. Readers of committed messages see "
        "each transaction as a whole.",
    ),
]
DeliveryTimeout = Annotated[
    float,
    option(
        min=0.1,
        max=3600,
        panel=CONNECTION,
        help="Seconds to wait for the cluster, and at the end for deliveries.",
    ),
]
Quiet = Annotated[bool, option("--quiet", "-q", help="Show neither progress nor a summary.")]
