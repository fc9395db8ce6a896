"""``python -m confluent_kafka quorum``: the controllers of a cluster, and which of them vote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import click

from confluent_kafka import Uuid
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.uuids import base64_of, uuid_of
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    report_change,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.admin import QuorumInfo, QuorumReplicaState, RaftVoterEndpoint

app = Group(
    help="Show the metadata quorum, and change which controllers vote in it.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka quorum describe -b localhost:9092",
        "confluent-kafka quorum describe --replication -F prod.properties",
    ),
)

_ENDPOINT = re.compile(
    r"(?P<listener>[^:/]+)://(?:\[(?P<ipv6>[^]]+)]|(?P<host>[^:]+)):(?P<port>\d+)"
)
_STATUS = (
    *("cluster", "leader", "epoch", "high watermark", "lag", "lag ms"),
    *("voters", "observers"),
)
_REPLICATION = (
    *("node", "role", "log end", "lag", "last fetch", "last caught up"),
    *("directory", "endpoints"),
)

Controller = Annotated[int, argument(metavar="ID", min=0, help="Id of the controller.")]
Directory = Annotated[
    Uuid | None,
    option(
        parse=uuid_of,
        metavar="UUID",
        help="Id of the directory of its metadata log; by default the command asks the quorum.",
    ),
]
ClusterId = Annotated[
    str | None,
    option(metavar="ID", help="Change the quorum only if the cluster has this id."),
]


@app.command(
    changes=False,
    examples=(
        "confluent-kafka quorum describe -b localhost:9092",
        "confluent-kafka quorum describe --replication --json -F prod.properties",
    ),
)
def describe(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    replication: Annotated[
        bool,
        option(
            "--replication/--status",
            help="Show a row for each voter and observer, or one row for the quorum.",
        ),
    ] = False,
) -> None:
    """Show the leader, the voters and the observers of the quorum, and their lag."""
    with administering(connection, timeout) as admin:
        found = admin.describe_metadata_quorum(request_timeout=timeout).result()
        cluster = admin.cluster_id(timeout)
    if replication:
        show(_REPLICATION, _replicas(found), as_json)
    else:
        show(_STATUS, [_status(cluster, found)], as_json)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka quorum add-voter 4 CONTROLLER://host4:9093 \\\n"
        "    --directory 5TQCPDJKTDqbBwZvHUtmRw -F prod.properties",
        "confluent-kafka quorum add-voter 4 CONTROLLER://host4:9093 \\\n"
        "    --directory 5TQCPDJKTDqbBwZvHUtmRw --yes -F test.properties",
    ),
)
def add_voter(
    controller: Controller,
    endpoints: Annotated[
        list[str],
        argument(metavar="LISTENER://HOST:PORT", help="Addresses on which the controller listens."),
    ],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    directory: Directory = None,
    cluster_id: ClusterId = None,
    yes: Yes = False,
) -> None:
    """Make a controller a voter: `quorum add-voter 4 CONTROLLER://host:9093`."""
    places = {_endpoint(text) for text in endpoints}
    confirm(f"Add controller {controller} to the voters?", yes)
    with administering(connection, timeout) as admin:
        if directory is None:
            found = admin.describe_metadata_quorum(request_timeout=timeout).result()
            directory = _directory_of(controller, found.observers, "observer")
        admin.add_raft_voter(
            controller, directory, places, cluster_id=cluster_id, request_timeout=timeout
        ).result()
    report_change(f"controller {controller} is now a voter", as_json, {"controller": controller})


@app.command(
    changes=True,
    examples=(
        "confluent-kafka quorum remove-voter 4 --directory 5TQCPDJKTDqbBwZvHUtmRw \\\n"
        "    -F prod.properties",
        "confluent-kafka quorum remove-voter 4 --yes \\\n"
        "    --directory 5TQCPDJKTDqbBwZvHUtmRw -F test.properties",
    ),
)
def remove_voter(
    controller: Controller,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    directory: Directory = None,
    cluster_id: ClusterId = None,
    yes: Yes = False,
) -> None:
    """Make a controller an observer, for example before you shut it down permanently."""
    confirm(f"Remove controller {controller} from the voters?", yes)
    with administering(connection, timeout) as admin:
        if directory is None:
            found = admin.describe_metadata_quorum(request_timeout=timeout).result()
            directory = _directory_of(controller, found.voters, "voter")
        admin.remove_raft_voter(
            controller, directory, cluster_id=cluster_id, request_timeout=timeout
        ).result()
    text = f"controller {controller} is no longer a voter"
    report_change(text, as_json, {"controller": controller})


@app.command(
    changes=True,
    examples=(
        "confluent-kafka quorum unregister 4 -b localhost:9092",
        "confluent-kafka quorum unregister 4 --yes -F test.properties",
    ),
)
def unregister(
    controller: Controller,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
) -> None:
    """Permanently remove a controller that is not a voter (since Kafka 4.4)."""
    confirm(f"Unregister controller {controller}?", yes)
    with administering(connection, timeout) as admin:
        admin.unregister_controller(controller, request_timeout=timeout).result()
    text = f"controller {controller} was unregistered"
    report_change(text, as_json, {"controller": controller})


def _status(cluster: str | None, found: QuorumInfo) -> tuple[Any, ...]:
    lags = [lag for each in found.voters if (lag := _lag(each, found)) is not None]
    times = [each.last_caught_up_timestamp for each in found.voters]
    known = [each for each in times if each is not None]
    return (
        *(cluster, found.leader_id, found.leader_epoch, found.high_watermark),
        max(lags, default=None),
        max(known) - min(known) if known else None,
        [each.replica_id for each in found.voters],
        [each.replica_id for each in found.observers],
    )


def _replicas(found: QuorumInfo) -> Iterator[tuple[Any, ...]]:
    for role, some in (("follower", found.voters), ("observer", found.observers)):
        for each in some:
            leads = each.replica_id == found.leader_id
            yield (
                *(each.replica_id, "leader" if leads else role),
                *(None if each.log_end_offset < 0 else each.log_end_offset, _lag(each, found)),
                *(each.last_fetch_timestamp, each.last_caught_up_timestamp),
                base64_of(each.replica_directory_id),
                [_text(place) for place in found.nodes.get(each.replica_id, ())],
            )


def _lag(replica: QuorumReplicaState, found: QuorumInfo) -> int | None:
    """Return the number of records behind the leader, or None if the leader does not know it."""
    ends = [each.log_end_offset for each in found.voters if each.replica_id == found.leader_id]
    if not ends or replica.log_end_offset < 0:
        return None
    return ends[0] - replica.log_end_offset


def _directory_of(controller: int, replicas: list[QuorumReplicaState], role: str) -> Uuid:
    found = [each.replica_directory_id for each in replicas if each.replica_id == controller]
    if len(found) != 1:
        known = ", ".join(str(each.replica_id) for each in replicas) or "none"
        fail(f"{controller} is not the id of exactly one {role}. The {role}s are: {known}")
    return found[0]


def _endpoint(text: str) -> RaftVoterEndpoint:
    from confluent_kafka.admin import RaftVoterEndpoint

    found = _ENDPOINT.fullmatch(text)
    if found is None or int(found["port"]) >= 2**16:
        raise click.BadParameter(f"{text!r}: needs LISTENER://HOST:PORT")
    return RaftVoterEndpoint(found["listener"], found["ipv6"] or found["host"], int(found["port"]))


def _text(place: RaftVoterEndpoint) -> str:
    host = f"[{place.host}]" if ":" in place.host else place.host
    return f"{place.listener}://{host}:{place.port}"
