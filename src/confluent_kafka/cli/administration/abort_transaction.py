"""``transactions abort``: end a transaction that hangs in one partition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import click

from confluent_kafka import TopicPartition
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    check_broker,
    confirm,
    partition_of,
    report_change,
)
from confluent_kafka.cli.connection.settings import Connection

if TYPE_CHECKING:
    from confluent_kafka.admin import AbortTransactionSpec, AdminClient, ProducerState

Place = Annotated[str, argument(metavar="TOPIC:PARTITION", help="Partition.")]


def producers_of(
    admin: AdminClient, partition: TopicPartition, broker: int | None, timeout: float
) -> list[ProducerState]:
    """Return the producers that have written to a partition.

    Args:
        admin: the client.
        partition: the partition.
        broker: the broker to ask; None is the leader.
        timeout: seconds to wait for the broker.
    """
    check_broker(admin, broker, timeout)
    asked = admin.describe_producers([partition], broker=broker, request_timeout=timeout)
    return asked[partition].result()


def abort(
    place: Place,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
    start_offset: Annotated[
        int | None,
        option(min=0, help="Offset at which the transaction begins in the partition."),
    ] = None,
    producer_id: Annotated[
        int | None,
        option(min=0, help="Id of the producer of the transaction, instead of --start-offset."),
    ] = None,
    producer_epoch: Annotated[
        int | None,
        option(min=0, max=2**15 - 1, help="Epoch of the producer. Required with --producer-id."),
    ] = None,
    coordinator_epoch: Annotated[
        int | None,
        option(
            min=0,
            max=2**31 - 1,
            show_default="0",
            help="Epoch of the coordinator. Only with --producer-id.",
        ),
    ] = None,
) -> None:
    """Abort a hanging transaction in one partition.

    A transaction hangs if its coordinator has no record of it. If the coordinator has a record,
    use `transactions force-terminate` instead. `transactions describe-producers` shows the values
    for the options.
    """
    partition = partition_of(place)
    if (producer_id is None) != (producer_epoch is None):
        raise click.BadParameter("needs --producer-epoch, too", param_hint="--producer-id")
    if (start_offset is None) == (producer_id is None):
        raise click.BadParameter("give either --start-offset or --producer-id")
    if coordinator_epoch is not None and producer_id is None:
        raise click.BadParameter("needs --producer-id", param_hint="--coordinator-epoch")
    confirm(f"Abort the transaction in {place}?", yes)
    with administering(connection, timeout) as admin:
        if producer_id is not None and producer_epoch is not None:
            from confluent_kafka.admin import AbortTransactionSpec

            spec = AbortTransactionSpec(
                partition, producer_id, producer_epoch, coordinator_epoch or 0
            )
        else:
            found = producers_of(admin, partition, None, timeout)
            spec = _begun_at(start_offset, found, partition)
        admin.abort_transaction(spec, request_timeout=timeout).result()
    text = f"the transaction in {place} was aborted"
    report_change(text, as_json, {"topic": partition.topic, "partition": partition.partition})


def _begun_at(
    offset: int | None, producers: list[ProducerState], partition: TopicPartition
) -> AbortTransactionSpec:
    from confluent_kafka.admin import AbortTransactionSpec

    found = next(
        (each for each in producers if each.current_transaction_start_offset == offset), None
    )
    if found is None:
        fail(f"no open transaction of {partition.topic}:{partition.partition} begins at {offset}")
    return AbortTransactionSpec(
        partition, found.producer_id, found.producer_epoch, found.coordinator_epoch or 0
    )
