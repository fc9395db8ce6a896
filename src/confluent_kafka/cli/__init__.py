"""The command line, one module per command."""

import typer

from confluent_kafka.cli import pipeline
from confluent_kafka.cli.cluster import cluster

app = typer.Typer(
    name="python -m confluent_kafka",
    help="Apache Kafka from the command line.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)
app.command()(cluster)
app.add_typer(pipeline.app, name="pipeline")

__all__ = ["app"]
