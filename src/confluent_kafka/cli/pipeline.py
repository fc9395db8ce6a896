"""``python -m confluent_kafka pipeline``: pipelines out of files, run by Spark."""

from __future__ import annotations

import _thread
import contextlib
import dataclasses
import signal
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from confluent_kafka.cli.ending import INTERRUPTED, ending, fail
from confluent_kafka.cli.held_back import held_back
from confluent_kafka.cli.terminal import open_console

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from confluent_kafka.spark.pipeline import Pipeline

File = Annotated[
    Path,
    typer.Argument(exists=True, dir_okay=False, help="The pipeline, in TOML or Python."),
]
Master = Annotated[
    str | None,
    typer.Option(help="Spark's master; overrides the file's. Default: local[*]."),
]
Conf = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="A setting of Spark; overrides the file's. Can be given more than once.",
    ),
]

app: typer.Typer = typer.Typer(no_args_is_help=True, help="Run pipelines that a file declares.")


@app.command()
def validate(
    file: File,
    conf: Conf = None,
    without_spark: Annotated[
        bool,
        typer.Option("--without-spark", help="Only what needs no Java: not SQL, not columns."),
    ] = False,
) -> None:
    """Check a pipeline, its SQL and columns included, without asking brokers.

    Exit status: 0 nothing found, 1 there are problems, 2 wrong usage.
    """
    pipeline = _load(file, conf=conf)
    if not without_spark:
        _analyse(file, pipeline)
    counts = ", ".join(
        f"{len(parts)} {name if len(parts) != 1 else name[:-1]}"
        for name, parts in (
            ("sources", pipeline.sources),
            ("steps", pipeline.steps),
            ("sinks", pipeline.sinks),
        )
    )
    with ending():
        print(f"{file}: pipeline {pipeline.name} is valid: {counts}")


@app.command()
def explain(file: File, master: Master = None, conf: Conf = None) -> None:
    """Show the queries of a pipeline and Spark's plan of each, without running them.

    Exit status: 0 shown, 1 there are problems, 2 wrong usage.
    """
    pipeline = _load(file, master, conf)
    from confluent_kafka.spark.pipeline import conceal
    from confluent_kafka.spark.pipeline.plan import plans

    with _problems(file, pipeline), _spark(pipeline, threading.Event()) as spark:
        for query, plan in plans(spark, pipeline):
            sinks = ", ".join(f"{name} ({sink.format})" for name, sink in query.sinks.items())
            with ending():
                print(f"query {query.name}: view {query.input} to {sinks}")
                print(conceal(plan, pipeline), end="\n\n")


@app.command()
def run(file: File, master: Master = None, conf: Conf = None) -> None:
    """Run a pipeline until it ends, or until Ctrl-C or SIGTERM, and show its progress.

    Exit status: 0 ended, 1 failed, 2 wrong usage, 130 ended by Ctrl-C or SIGTERM.
    """
    pipeline = _load(file, master, conf)
    from confluent_kafka.cli.progress import Board
    from confluent_kafka.spark.pipeline import start

    console = open_console(stderr=True)
    stopped, silent = threading.Event(), threading.Event()
    board = Board(console)
    # The same clean end for who asks politely: a service manager, a time limit.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with _problems(file, pipeline), _spark(pipeline, silent) as spark:
            # Spark's own answer to Ctrl-C cancels jobs, which would look like failures.
            _set_on_signals(silent, stopped)
            running = start(spark, pipeline)
            with board:
                running.watch(board.add, stopped)
    except KeyboardInterrupt:
        stopped.set()
    if stopped.is_set():
        console.print("interrupted: the queries continue from their checkpoints in the next run")
        raise typer.Exit(INTERRUPTED)
    board.close()


def _analyse(file: Path, pipeline: Pipeline) -> None:
    """Let Spark check what only it can: on this machine, wherever the pipeline runs."""
    from confluent_kafka.spark.pipeline.plan import views

    here = {"spark.master": "local[1]", "spark.ui.enabled": "false"}
    with _problems(file, pipeline), _spark(pipeline, threading.Event(), here) as spark:
        views(spark, pipeline)


@contextlib.contextmanager
def _spark(
    pipeline: Pipeline, silent: threading.Event, settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """Lend a session that ends with the block.

    What Spark says while it starts is not shown, nor what it says once `silent` is set: its
    workers, when they are interrupted, print tracebacks of broken pipes.
    """
    from confluent_kafka.spark.pipeline import conceal, session
    from confluent_kafka.spark.pipeline.failures import cause

    wants_log = "spark.log.level" in pipeline.spark
    try:
        with contextlib.nullcontext() if wants_log else held_back(silent):
            spark = session(pipeline, settings)
    # PySpark's own errors, those of its bridge to Java, and OSError without a shell.
    except Exception as error:
        fail(*conceal(f"Spark does not start: {cause(error)}", pipeline).splitlines())
    try:
        yield spark
    finally:
        spark.stop()


def _load(file: Path, master: str | None = None, conf: list[str] | None = None) -> Pipeline:
    """The pipeline of a file, with the command's own settings of Spark in it.

    They are part of the pipeline, so that conceal() knows their secrets, too.
    """
    try:
        from confluent_kafka.spark.pipeline import load
    except ImportError as error:
        fail(str(error))
    settings = ({} if master is None else {"spark.master": master}) | _settings(conf)
    with _problems(file):
        pipeline = load(file)
    return dataclasses.replace(pipeline, spark={**pipeline.spark, **settings})


def _settings(conf: list[str] | None) -> dict[str, str]:
    settings = {}
    for text in conf or []:
        name, equals, value = text.partition("=")
        if not equals or not name.startswith("spark."):
            raise typer.BadParameter(f"{name!r}: needs spark.NAME=VALUE", param_hint="--conf")
        settings[name] = value
    return settings


@contextlib.contextmanager
def _problems(file: Path, pipeline: Pipeline | None = None) -> Iterator[None]:
    """Turn what is wrong with a pipeline, or fails in it, into a message and exit status 1."""
    from confluent_kafka.spark.pipeline import PipelineError, QueryFailed, conceal, located

    try:
        yield
    except (PipelineError, QueryFailed) as error:
        failure = located(error, file) if isinstance(error, PipelineError) else error
        text = str(failure) if pipeline is None else conceal(str(failure), pipeline)
        fail(*text.splitlines())


def _set_on_signals(*events: threading.Event) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        # On a thread of its own: the main thread, which runs this, may be inside wait() and
        # hold the event's lock, and would wait for itself for ever. threading.Thread has such
        # a lock, too.
        for event in events:
            _thread.start_new_thread(event.set, ())
        # The second one does not wait for a clean end.
        signal.signal(number, signal.default_int_handler)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
