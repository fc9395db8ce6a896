"""The command line, one module per command."""

import typer

from confluent_kafka.cli import pipeline
from confluent_kafka.cli.cluster import cluster
from confluent_kafka.cli.consume import consume
from confluent_kafka.cli.produce import produce

app = typer.Typer(
    name="python -m confluent_kafka",
    help="Apache Kafka from the command line.",
    no_args_is_help=True,
    # The locals of a traceback may be passwords.
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command()(produce)
app.command()(consume)
app.command()(cluster)
app.add_typer(pipeline.app, name="pipeline")

__all__ = ["app"]
