"""``python -m confluent_kafka transactions``: show and end open transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from confluent_kafka import KafkaException
from confluent_kafka.cli.administration.abort_transaction import Place, abort, producers_of
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    choice,
    confirm,
    partition_of,
    report_change,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.lag.hanging import find_hanging
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.admin import (
        TransactionState,
    )

app = Group(
    help="List and describe transactions and their producers, and abort transactions.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka transactions list -b localhost:9092",
        "confluent-kafka transactions describe payments-1 -F prod.properties",
    ),
)


@app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka transactions list -b localhost:9092",
        "confluent-kafka transactions list --state ongoing --duration 60 \\\n"
        "    -F prod.properties",
    ),
)
def list_(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    state: Annotated[
        list[str] | None,
        option(
            "--state",
            help="List only transactions in this state, such as ongoing. Can be given more than "
            "once.",
        ),
    ] = None,
    duration: Annotated[
        float | None,
        option(
            min=0,
            help="List only transactions open for more than this many seconds (since Kafka 3.8).",
        ),
    ] = None,
    pattern: Annotated[
        str | None,
        option(help="List only ids that match this RE2 expression (since Kafka 4.1)."),
    ] = None,
) -> None:
    """List transactional ids with the states of their latest transactions."""
    from confluent_kafka.admin import TransactionState

    states = {choice(TransactionState, text, "--state") for text in state or []}
    with administering(connection, timeout) as admin:
        found = admin.list_transactions(
            states=states or None,
            duration=duration,
            transactional_id_pattern=pattern,
            request_timeout=timeout,
        ).result()
        for error in found.errors:
            raise KafkaException(error)
    show(
        ("transactional id", "producer id", "state"),
        sorted(
            (each.transactional_id, each.producer_id, _name(each.state)) for each in found.valid
        ),
        as_json,
    )


@app.command(
    changes=False,
    examples=(
        "confluent-kafka transactions describe payments-1 -b localhost:9092",
        "confluent-kafka transactions describe payments-1 --json -F prod.properties",
    ),
)
def describe(
    ids: Annotated[list[str], argument(metavar="TRANSACTIONAL_ID...", help="Transactional ids.")],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Describe the latest transactions of transactional ids.

    The start time, in milliseconds since 1970, and the partitions are shown for open transactions.
    """
    with administering(connection, timeout) as admin:
        asked = admin.describe_transactions(ids, request_timeout=timeout)
        found, failures = settled("transactional id", asked)
    show(
        (
            *("transactional id", "coordinator", "producer id", "epoch", "state"),
            *("timeout ms", "start", "partitions"),
        ),
        (
            (
                *(name, one.coordinator_id, one.producer_id, one.producer_epoch, _name(one.state)),
                *(one.transaction_timeout_ms, one.transaction_start_time_ms),
                sorted(f"{each.topic}:{each.partition}" for each in one.topic_partitions),
            )
            for name, one in found.items()
        ),
        as_json,
    )
    if failures:
        fail(*failures)


@app.command(
    changes=False,
    examples=(
        "confluent-kafka transactions describe-producers orders:0 -b localhost:9092",
        "confluent-kafka transactions describe-producers orders:0 --json \\\n"
        "    -F prod.properties",
    ),
)
def describe_producers(
    place: Place,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    broker: Annotated[
        int | None, option("--broker", min=0, help="Ask this broker instead of the leader.")
    ] = None,
) -> None:
    """Describe the idempotent and transactional producers that have written to a partition.

    The start offset belongs to the open transaction of the producer in this partition.
    """
    partition = partition_of(place)
    with administering(connection, timeout) as admin:
        found = producers_of(admin, partition, broker, timeout)
    show(
        (
            *("producer id", "epoch", "coordinator epoch"),
            *("last sequence", "last timestamp", "start offset"),
        ),
        (
            (
                *(each.producer_id, each.producer_epoch, each.coordinator_epoch),
                *(each.last_sequence, each.last_timestamp, each.current_transaction_start_offset),
            )
            for each in found
        ),
        as_json,
    )


app.command(
    changes=True,
    examples=(
        "confluent-kafka transactions abort orders:0 --start-offset 1234 \\\n    -b localhost:9092",
        "confluent-kafka transactions abort orders:0 --producer-id 4000 \\\n"
        "    --producer-epoch 1 --coordinator-epoch 0 -F prod.properties",
    ),
)(abort)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka transactions force-terminate payments-1 -b localhost:9092",
        "confluent-kafka transactions force-terminate payments-1 --yes \\\n    -F test.properties",
    ),
)
def force_terminate(
    transactional_id: Annotated[
        str, argument(metavar="TRANSACTIONAL_ID", help="Transactional id.")
    ],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
) -> None:
    """Abort the open transaction of a transactional id, and fence its producer."""
    confirm(f"Abort the transaction of {transactional_id} and fence its producer?", yes)
    with administering(connection, timeout) as admin:
        admin.force_terminate_transaction(transactional_id, request_timeout=timeout).result()
    text = f"transactional id {transactional_id} has no open transaction"
    report_change(text, as_json, {"transactional id": transactional_id})


def _name(state: TransactionState) -> str:
    return state.name.lower()


app.command(
    changes=False,
    examples=(
        "confluent-kafka transactions find-hanging -b localhost:9092",
        "confluent-kafka transactions find-hanging orders:0 '^payments-' \\\n"
        "    -F prod.properties",
    ),
)(find_hanging)
