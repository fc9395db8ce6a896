"""``python -m confluent_kafka doctor``: show what is installed, and test the connection."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from confluent_kafka import KafkaException
from confluent_kafka.cli.base.ending import configuring, ending, fail
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.connection.administration import AsJson, Timeout, show
from confluent_kafka.cli.connection.chosen_profile import chosen_profile
from confluent_kafka.cli.connection.settings import Connection, settings

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

CHANGES = False
EXAMPLES = (
    "confluent-kafka doctor",
    "confluent-kafka doctor --json -F prod.properties",
)


def doctor(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Show what is installed: package, librdkafka, patches, features and extras.

    With --brokers or another configuration, the command also connects to the cluster. If that
    fails, it shows the reason.

    Exit status: 0 shown, 1 the connection failed, 2 wrong usage, 130 Ctrl-C.
    """
    from confluent_kafka._diagnosis import parts

    rows = parts()
    failure = None
    in_environment = os.environ.get("KAFKA_BOOTSTRAP_SERVERS")
    if any(connection) or in_environment or chosen_profile():
        from confluent_kafka.admin import AdminClient

        with ending():
            config = settings(connection)
            with configuring():
                admin = AdminClient(config)
            with admin:
                try:
                    rows.append(("connection", _connection(admin, timeout)))
                    rows.append(("transactions", _transactions(admin, timeout)))
                except KafkaException as error:
                    failure = error.args[0].str()
                    rows.append(("connection", f"failed: {failure}"))
    else:
        rows.append(("connection", "not tested: give --brokers HOST:PORT"))
    show(("part", "found"), rows, as_json)
    if failure is not None:
        fail(failure)


def _connection(admin: AdminClient, timeout: float) -> str:
    began = time.monotonic()
    admin.connect(timeout)
    seconds = time.monotonic() - began
    found = admin.list_topics(timeout=timeout)
    return (
        f"works: {counted(len(found.brokers), 'broker')}, "
        f"{counted(len(found.topics), 'topic')}, cluster "
        f"{found.cluster_id}, connected within {seconds:.2f} s"
    )


def _transactions(admin: AdminClient, timeout: float) -> str:
    """The version of the protocol of transactions that producers use there (KIP-890)."""
    try:
        features = admin.describe_features(request_timeout=timeout).result(timeout)
    except KafkaException as error:
        return f"version 1: the cluster does not report its features ({error.args[0].str()})"
    level = features.finalized_features.get("transaction.version")
    if level is not None and level.max_version_level >= 2:
        return "version 2"
    return "version 1: the cluster's feature transaction.version is below 2"
