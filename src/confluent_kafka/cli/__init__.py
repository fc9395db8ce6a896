"""The command line, one module per command."""

from typing import Annotated

import typer

from confluent_kafka import libversion, version
from confluent_kafka.cli import (
    acls,
    bench,
    cluster,
    configs,
    delegation_tokens,
    features,
    groups,
    pipeline,
    quorum,
    quotas,
    reassign,
    share_groups,
    topics,
    transactions,
)
from confluent_kafka.cli.consume import consume
from confluent_kafka.cli.doctor import doctor
from confluent_kafka.cli.dump_log import dump_log
from confluent_kafka.cli.log_dirs import log_dirs
from confluent_kafka.cli.produce import produce
from confluent_kafka.cli.run import run

app: typer.Typer = typer.Typer(
    name="python -m confluent_kafka",
    no_args_is_help=True,
    # The locals of a traceback may be passwords.
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"confluent-kafka {version()}, librdkafka {libversion()[0]}")
        raise typer.Exit


@app.callback()
def _common(
    show_version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Show the versions."),
    ] = False,
) -> None:
    """Apache Kafka from the command line."""


app.command()(produce)
app.command()(consume)
app.command()(doctor)
app.command(
    # What follows the program is the program's.
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False}
)(run)
app.add_typer(topics.app, name="topics")
app.add_typer(groups.app, name="groups")
app.add_typer(configs.app, name="configs")
app.add_typer(acls.app, name="acls")
app.add_typer(cluster.app, name="cluster")
app.command(name="log-dirs")(log_dirs)
app.command(name="dump-log")(dump_log)
app.add_typer(reassign.app, name="reassign")
app.add_typer(delegation_tokens.app, name="delegation-tokens")
app.add_typer(share_groups.app, name="share-groups")
app.add_typer(transactions.app, name="transactions")
app.add_typer(quotas.app, name="quotas")
app.add_typer(features.app, name="features")
app.add_typer(quorum.app, name="quorum")
app.add_typer(bench.app, name="bench")
app.add_typer(pipeline.app, name="pipeline")

__all__ = ["app"]
