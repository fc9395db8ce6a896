"""``python -m confluent_kafka brokers``: the brokers of a cluster."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

from confluent_kafka.cli.base.declared import argument
from confluent_kafka.cli.base.ending import fail, note
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.commands.configs import Everything, show_settings
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    check_broker,
    confirm,
    report_change,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

app = Group(
    help="List brokers, show their configuration and versions, and unregister brokers.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka brokers list -b localhost:9092",
        "confluent-kafka brokers configs 1 -F prod.properties",
    ),
)

Id = Annotated[int, argument(min=0, metavar="ID", help="Id of the broker.")]


@app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka brokers list -b localhost:9092",
        "confluent-kafka brokers list --json -F prod.properties",
    ),
)
def list_(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """List the brokers that are up, with the number of partitions that they lead and store."""
    with administering(connection, timeout) as admin:
        cluster = admin.describe_cluster(request_timeout=timeout).result()
        leaders, replicas = _counts(admin, timeout)
    controller = None if cluster.controller is None else cluster.controller.id
    show(
        ("broker", "host", "port", "rack", "controller", "leads", "replicas"),
        (
            (
                *(node.id, node.host, node.port, node.rack, node.id == controller),
                *(leaders[node.id], replicas[node.id]),
            )
            for node in sorted(cluster.nodes, key=lambda node: node.id)
        ),
        as_json,
    )


def _counts(admin: AdminClient, timeout: float) -> tuple[Counter[int], Counter[int]]:
    """Return how many partitions each broker leads, and of how many it has a replica."""
    partitions = [
        one
        for topic in admin.list_topics(timeout=timeout).topics.values()
        for one in topic.partitions.values()
    ]
    return (
        Counter(one.leader for one in partitions),
        Counter(node for one in partitions for node in one.replicas),
    )


@app.command(
    changes=False,
    examples=(
        "confluent-kafka brokers versions -b localhost:9092",
        "confluent-kafka brokers versions 1 --json -F prod.properties",
    ),
)
def versions(
    broker: Annotated[
        int | None,
        argument(
            min=0,
            metavar="[ID]",
            help="Id of the broker. Without it, the versions that all brokers support.",
        ),
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Show the kinds of requests that brokers support, with the lowest and highest version."""
    with administering(connection, timeout) as admin:
        known = sorted(admin.list_topics(timeout=timeout).brokers)
        check_broker(admin, broker, timeout)
        asked = known if broker is None else [broker]
        found = [admin.api_versions(each, timeout) for each in asked]
    show(
        ("request", "key", "lowest", "highest"),
        (
            (_name(key), key, *_common([one[key] for one in found]))
            for key in sorted(set(found[0]).intersection(*found))
        ),
        as_json,
    )


def _name(key: int) -> str | None:
    """Return the name of a kind of request, or None if this package does not know it."""
    from confluent_kafka import protocol

    try:
        return protocol.request_class(key).__name__.removesuffix("Request")
    except ValueError:
        return None


def _common(ranges: list[tuple[int, int]]) -> tuple[int | None, int | None]:
    """Return the versions that are in all of the ranges."""
    lowest, highest = max(low for low, _ in ranges), min(high for _, high in ranges)
    return (lowest, highest) if lowest <= highest else (None, None)


@app.command(
    changes=False,
    examples=(
        "confluent-kafka brokers configs 1 -b localhost:9092",
        "confluent-kafka brokers configs 1 --all --json -F prod.properties",
    ),
)
def configs(
    broker: Id,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    everything: Everything = False,
) -> None:
    """Show the settings of a broker, like `configs describe broker ID`."""
    from confluent_kafka.admin import ConfigResource

    with administering(connection, timeout) as admin:
        show_settings(admin, ConfigResource("broker", broker), timeout, as_json, everything)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka brokers unregister 4 -b localhost:9092",
        "confluent-kafka brokers unregister 4 --yes -F test.properties",
    ),
)
def unregister(
    broker: Id,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
) -> None:
    """Remove a broker from the cluster permanently. The broker must be down."""
    with administering(connection, timeout) as admin:
        if broker in admin.list_topics(timeout=timeout).brokers:
            fail(f"broker {broker} is up: stop it first")
        _, replicas = _counts(admin, timeout)
        if replicas[broker]:
            note(
                f"broker {broker} has replicas of {counted(replicas[broker], 'partition')}: move "
                f"them with `reassign plan --drain {broker}`"
            )
        confirm(f"Unregister broker {broker}?", yes)
        admin.unregister_broker(broker, request_timeout=timeout).result()
    report_change(f"broker {broker} was unregistered", as_json, {"broker": broker})
