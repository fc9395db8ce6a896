"""``python -m confluent_kafka cluster``: an embedded cluster that other programs can use."""

from __future__ import annotations

import contextlib
import errno
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.ending import INTERRUPTED, ending, fail
from confluent_kafka.cli.connection.administration import AsJson, Timeout, administering, show
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    import asyncio

    from confluent_kafka.testing import MockCluster

HOST = "127.0.0.1"


@click.group(
    cls=Group,
    invoke_without_command=True,
    examples=(
        "confluent-kafka cluster --port 9092 --topic orders:6",
        "confluent-kafka cluster --data cluster-data",
    ),
)
@click.pass_context
def app(
    context: click.Context,
    port: Annotated[
        int,
        option(
            min=0,
            max=65535,
            help="Port for the first connection of a client; 0 lets the system choose.",
        ),
    ] = 9092,
    brokers: Annotated[
        int | None, option(min=1, max=100, show_default="3", help="Number of brokers.")
    ] = None,
    topic: Annotated[
        list[str] | None,
        option(
            metavar="NAME[:PARTITIONS]",
            help="Topic to create, unless --data has it. Can be given more than once.",
        ),
    ] = None,
    retention_bytes: Annotated[
        int | None,
        option(
            min=1,
            max=2**31 - 1,
            show_default="5 MiB",
            help="Number of bytes that each partition keeps.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        option(
            metavar="FOLDER",
            help="Folder that keeps topics, records, offsets and settings between runs. It is "
            "created if it does not exist.",
        ),
    ] = None,
    real: Annotated[
        bool,
        option(
            "--real",
            help="Run one broker of Apache Kafka instead, from KAFKA_HOME or `make kafka`. It "
            "needs Java 17.",
        ),
    ] = False,
    quiet: Annotated[bool, option("--quiet", "-q", help="Write no hints to stderr.")] = False,
) -> None:
    """Run a Kafka cluster in memory on this machine, until Ctrl-C or SIGTERM.

    With --data FOLDER, Ctrl-C and SIGTERM save what the cluster has, and the next run with this
    folder continues with it. If the command is killed, the changes of that run are lost.

    When the cluster is ready, the command prints one line to stdout,
    "bootstrap.servers=127.0.0.1:9092". Everything else goes to stderr.

    The system chooses the ports of the brokers. A client makes its first connection to --port,
    which relays it to a broker; after that the client connects to the brokers directly. All
    ports listen on 127.0.0.1 only. The documentation of confluent_kafka.testing.MockCluster
    describes what the cluster keeps and what it does not support.

    --real runs one broker of Apache Kafka instead, and removes its data at the end.
    `cluster describe` shows the brokers of any cluster.

    Exit status: 0 ended by Ctrl-C or SIGTERM, 1 could not start, 2 wrong usage.
    """
    if context.invoked_subcommand is not None:
        _refuse_options(context)
        return
    topics = [_parse_topic(text) for text in topic or []]
    if real:
        if brokers is not None or retention_bytes is not None or data is not None:
            raise click.BadParameter(
                "cannot be combined with --brokers, --retention-bytes or --data",
                param_hint="--real",
            )
        _run_real(port, topics, quiet)
        return
    settings = {"retention_bytes": retention_bytes, "data": data}
    _run_embedded(brokers or 3, settings, port, topics, quiet)


def _refuse_options(context: click.Context) -> None:
    """Refuse options before `describe`, which are for the embedded cluster."""
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and source.name == "COMMANDLINE":
            raise click.BadParameter(
                f"give the options of {context.invoked_subcommand} after its name",
                param_hint=parameter.opts[0],
            )


def _run_embedded(
    brokers: int, settings: dict[str, Any], port: int, topics: list[tuple[str, int]], quiet: bool
) -> None:
    import asyncio

    from confluent_kafka.testing import MockCluster

    try:
        with (
            _taking_a_port(),
            MockCluster(brokers, **settings) as mock_cluster,
        ):
            for name, partitions in topics:
                _create_topic(mock_cluster, name, partitions, settings["data"] is not None)
            asyncio.run(_serve(mock_cluster, port, quiet))
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename}: "
        fail(f"{place}{error.strerror}")
    except ValueError as error:  # of the data folder
        fail(str(error))
    except KafkaException as error:
        fail(error.args[0].str())
    except KeyboardInterrupt:  # where the event loop does not support signals (Windows)
        pass


def _run_real(port: int, topics: list[tuple[str, int]], quiet: bool) -> None:
    from confluent_kafka.admin import AdminClient, NewTopic
    from confluent_kafka.cli.local.real_broker import real_broker

    if not quiet:
        print("Starting Apache Kafka ...", file=sys.stderr)
    try:
        with ending(), _taking_a_port(), real_broker(HOST, port) as (process, address):
            with AdminClient({"bootstrap.servers": address}) as admin:
                new = [NewTopic(name, partitions, 1) for name, partitions in topics]
                for future in admin.create_topics(new).values() if new else ():
                    future.result()
            _announce(address, address, quiet)
            status = process.wait()
            fail(f"the broker ended with status {status}")
    except click.exceptions.Exit as end:
        # Ctrl-C is how this command is meant to end.
        raise click.exceptions.Exit(0 if end.exit_code == INTERRUPTED else end.exit_code) from None


@contextlib.contextmanager
def _taking_a_port() -> Iterator[None]:
    """If the port is in use, or this user may not open it, end the command with advice."""
    try:
        yield
    except OSError as error:
        if error.errno not in {errno.EADDRINUSE, errno.EACCES} or error.filename is not None:
            raise
        fail(f"{error.strerror} (choose another --port, or 0 for a free port)")


@app.command(
    changes=False,
    examples=(
        "confluent-kafka cluster describe -b localhost:9092",
        "confluent-kafka cluster describe --json -F prod.properties",
    ),
)
def describe(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Show the brokers of a cluster, its id and its controller.

    Exit status: 0 shown, 1 failed, 2 wrong usage, 130 ended by Ctrl-C.
    """
    with administering(connection, timeout) as admin:
        found = admin.describe_cluster(request_timeout=timeout).result()
    controller = None if found.controller is None else found.controller.id
    show(
        ("cluster", "broker", "host", "port", "rack", "controller"),
        (
            (found.cluster_id, node.id, node.host, node.port, node.rack, node.id == controller)
            for node in sorted(found.nodes, key=lambda node: node.id)
        ),
        as_json,
    )


def _parse_topic(text: str) -> tuple[str, int]:
    name, colon, partitions = text.rpartition(":")
    if not colon:
        return text, 1
    if not partitions.isdecimal():
        raise click.BadParameter(
            f"{text!r}: needs a number of partitions after the colon", param_hint="--topic"
        )
    return name, int(partitions)


def _create_topic(mock_cluster: MockCluster, name: str, partitions: int, may_exist: bool) -> None:
    try:
        mock_cluster.create_topic(name, partitions)
    except ValueError as error:
        raise click.BadParameter(f"{name!r}: {error}", param_hint="--topic") from None
    except KafkaException as error:
        if may_exist and error.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS:
            return
        raise click.BadParameter(error.args[0].str(), param_hint="--topic") from None


async def _serve(mock_cluster: MockCluster, port: int, quiet: bool) -> None:
    import asyncio

    from confluent_kafka.cli.local.relay import bootstrap_relay

    stop = asyncio.Event()
    _stop_on_signals(stop)
    servers = mock_cluster.bootstrap_servers
    if port == 0:
        _announce(servers, servers, quiet)
        await stop.wait()
        return
    async with bootstrap_relay(HOST, port, servers):
        _announce(f"{HOST}:{port}", servers, quiet)
        await stop.wait()


def _stop_on_signals(stop: asyncio.Event) -> None:
    import asyncio

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:
            return


def _announce(bootstrap_servers: str, brokers: str, quiet: bool) -> None:
    if not quiet:
        print(f"Brokers: {brokers.replace(',', ' ')}\nEnd with Ctrl-C.", file=sys.stderr)
    print(f"bootstrap.servers={bootstrap_servers}", flush=True)
