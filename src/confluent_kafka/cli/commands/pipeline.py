"""``python -m confluent_kafka pipeline``: check, explain and run Spark pipelines from files."""

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

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import INTERRUPTED, ending, fail
from confluent_kafka.cli.base.terminal import open_console
from confluent_kafka.cli.pipelines.held_back import held_back
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from confluent_kafka.spark.pipeline import Pipeline

File = Annotated[
    Path,
    argument(exists=True, help="File with the pipeline, in TOML or Python."),
]
Master = Annotated[
    str | None,
    option(
        show_default="local[*]", help="Spark master. It takes precedence over the one in the file."
    ),
]
Conf = Annotated[
    list[str] | None,
    option(
        metavar="NAME=VALUE",
        help="Spark setting. It takes precedence over the one in the file. Can be given more than "
        "once.",
    ),
]

app = Group(
    help="Run Spark pipelines that a file declares.",
    examples=(
        "confluent-kafka pipeline validate pipeline.toml",
        "confluent-kafka pipeline run pipeline.toml",
    ),
)


@app.command(
    examples=(
        "confluent-kafka pipeline validate pipeline.toml",
        "confluent-kafka pipeline validate pipeline.toml --without-spark",
    )
)
def validate(
    file: File,
    conf: Conf = None,
    without_spark: Annotated[
        bool,
        option("--without-spark", help="Check everything except SQL and columns, which need Java."),
    ] = False,
) -> None:
    """Check a pipeline, including its SQL and columns, without a connection to brokers.

    Exit status: 0 the pipeline is valid, 1 there are problems, 2 wrong usage.
    """
    if without_spark and conf:
        raise click.BadParameter("cannot be combined with --conf", param_hint="--without-spark")
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


@app.command(
    examples=(
        "confluent-kafka pipeline explain pipeline.toml",
        "confluent-kafka pipeline explain pipeline.toml --master local",
    )
)
def explain(file: File, master: Master = None, conf: Conf = None) -> None:
    """Show the queries of a pipeline and the Spark plan of each query, without running them.

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


@app.command(
    examples=(
        "confluent-kafka pipeline run pipeline.toml",
        "confluent-kafka pipeline run pipeline.toml \\\n    --conf spark.sql.shuffle.partitions=8",
    )
)
def run(file: File, master: Master = None, conf: Conf = None) -> None:
    """Run a pipeline until it ends, or until Ctrl-C or SIGTERM, and show its progress.

    Exit status: 0 ended, 1 failed, 2 wrong usage, 130 ended by Ctrl-C or SIGTERM.
    """
    pipeline = _load(file, master, conf)
    from confluent_kafka.cli.pipelines.progress import Board
    from confluent_kafka.spark.pipeline import start

    console = open_console(stderr=True)
    stopped, silent = threading.Event(), threading.Event()
    board = Board(console)
    # A service manager or a time limit sends SIGTERM: the pipeline ends as after Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with _problems(file, pipeline), _spark(pipeline, silent) as spark:
            # Spark's own handler of Ctrl-C cancels jobs, which would look like failures.
            _set_on_signals(silent, stopped)
            running = start(spark, pipeline)
            with board:
                running.watch(board.add, stopped)
    except KeyboardInterrupt:
        stopped.set()
    if stopped.is_set():
        console.print("interrupted: the queries continue from their checkpoints in the next run")
        raise click.exceptions.Exit(INTERRUPTED)
    board.close()


def _analyse(file: Path, pipeline: Pipeline) -> None:
    """Let Spark check SQL and columns, on this machine, whatever master the pipeline has."""
    from confluent_kafka.spark.pipeline.plan import views

    here = {"spark.master": "local[1]", "spark.ui.enabled": "false"}
    with _problems(file, pipeline), _spark(pipeline, threading.Event(), here) as spark:
        views(spark, pipeline)


@contextlib.contextmanager
def _spark(
    pipeline: Pipeline, silent: threading.Event, settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """Lend a session that ends with the block.

    The output of Spark while it starts is not shown, nor its output after `silent` is set: Spark's
    Python workers print tracebacks when Ctrl-C interrupts them.
    """
    from confluent_kafka.spark.pipeline import conceal, session
    from confluent_kafka.spark.pipeline.failures import cause

    wants_log = "spark.log.level" in pipeline.spark
    try:
        with contextlib.nullcontext() if wants_log else held_back(silent):
            spark = session(pipeline, settings)
    # PySpark's own errors, errors of its bridge to Java, and OSError where there is no shell.
    except Exception as error:
        fail(*conceal(f"Spark does not start: {cause(error)}", pipeline).splitlines())
    try:
        yield spark
    finally:
        spark.stop()


def _load(file: Path, master: str | None = None, conf: list[str] | None = None) -> Pipeline:
    """Load the pipeline of a file, and add the Spark settings of the command line.

    They become part of the pipeline, so that conceal() hides their secrets, too.
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
            raise click.BadParameter(f"{name!r}: needs spark.NAME=VALUE", param_hint="--conf")
        settings[name] = value
    return settings


@contextlib.contextmanager
def _problems(file: Path, pipeline: Pipeline | None = None) -> Iterator[None]:
    """Turn a problem or a failure of a pipeline into a message and exit status 1."""
    from confluent_kafka.spark.pipeline import PipelineError, QueryFailed, conceal, located

    try:
        yield
    except (PipelineError, QueryFailed) as error:
        failure = located(error, file) if isinstance(error, PipelineError) else error
        text = str(failure) if pipeline is None else conceal(str(failure), pipeline)
        fail(*text.splitlines())


def _set_on_signals(*events: threading.Event) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        # On new threads: the main thread runs this handler, and may hold the event's lock inside
        # wait(). It would then wait for itself for ever. threading.Thread would take a lock, too.
        for event in events:
            _thread.start_new_thread(event.set, ())
        # A second signal does not wait for a clean end.
        signal.signal(number, signal.default_int_handler)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
