"""Compares `rdkafka` with Spark's own Kafka connector, and prints the tables as Markdown."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from importlib.metadata import version
from pathlib import Path

from benchmarks.native_program import ROOT
from benchmarks.spark.avro import fill_avro
from benchmarks.spark.broker import running_broker
from benchmarks.spark.connector import ConnectorError, connector
from benchmarks.spark.many_partitions import measure_many_partitions
from benchmarks.spark.measure import Benchmark, make_read_topics
from benchmarks.spark.planning import measure_planning
from benchmarks.spark.report import markdown
from benchmarks.spark.rows import AVRO, PARTITIONS, VALUE_BYTES, Side, Sizes
from benchmarks.spark.scaling import measure_scaling
from benchmarks.spark.sessions import SessionError, running_session
from benchmarks.spark.topics import fill
from confluent_kafka.testing import MockCluster, MockRegistry
from tests.integration.topics import create_topic

RESULTS = ROOT / "benchmarks" / "spark_results.md"
SCALING_RESULTS = ROOT / "benchmarks" / "spark_scaling.md"
FOLDER = ROOT / "build" / "bench-spark"


def main() -> int:
    """Run the benchmark; return the exit status, which does not depend on the goals."""
    args = _arguments()
    # Without this handler, the broker and the sessions would continue after SIGTERM.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        report = _measurement(args)(args)
    except (ConnectorError, SessionError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(report, end="")
    if args.output:
        args.output.write_text(report, encoding="utf-8")
    return 0


def _measurement(args: argparse.Namespace) -> Callable[[argparse.Namespace], str]:
    if args.scaling:
        return _scaling
    if args.planning:
        return _planning
    return _many_partitions if args.many_partitions else _run


def _run(args: argparse.Namespace) -> str:
    say = _Progress()
    spark = version("pyspark")
    theirs = connector(spark)
    say(f"Spark {spark}, its connector {theirs.version}")
    sizes = Sizes.scaled(args.scale)
    with ExitStack() as stack:
        kafka = stack.enter_context(running_broker(FOLDER / "broker"))
        make_topic = partial(create_topic, kafka)
        bootstrap = kafka.bootstrap_servers

        registry = stack.enter_context(MockRegistry()).url

        def fill_topic(topic: str, kind: str, messages: int) -> float:
            if kind == AVRO:
                return fill_avro(bootstrap, registry, topic, PARTITIONS, messages)
            return fill(bootstrap, topic, PARTITIONS, messages, VALUE_BYTES[kind])

        make_read_topics(make_topic, fill_topic, sizes, say)
        start = partial(running_session, bootstrap=bootstrap, cores=args.cores, registry=registry)
        sessions = {
            side: stack.enter_context(start(side, jars=theirs.jars, folder=FOLDER / "sessions"))
            for side in Side
        }
        benchmark = Benchmark(sessions, bootstrap, make_topic, sizes, say)
        benchmark.warm_up(fill_topic)
        measured = benchmark.run(args.rounds, args.only, args.latency_seconds)
    return markdown(measured, sizes, args.rounds, args.cores, spark, theirs)


def _scaling(args: argparse.Namespace) -> str:
    say = _Progress()
    with running_broker(FOLDER / "broker") as kafka:
        return measure_scaling(
            kafka.bootstrap_servers,
            partial(create_topic, kafka),
            partial(fill, kafka.bootstrap_servers),
            args.scale,
            FOLDER / "sessions",
            say,
        )


def _planning(args: argparse.Namespace) -> str:
    with running_broker(FOLDER / "broker") as kafka:
        return measure_planning(kafka.bootstrap_servers, args.scale, _Progress())


def _many_partitions(args: argparse.Namespace) -> str:
    with MockCluster(3) as brokers:
        return measure_many_partitions(
            brokers.bootstrap_servers,
            brokers.create_topic,
            args.scale,
            FOLDER / "sessions",
            _Progress(),
        )


class _Progress:
    """Prints lines to standard error, with the seconds since the start."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def __call__(self, text: str) -> None:
        print(f"[{time.monotonic() - self._started:6.0f} s] {text}", file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument(
        "--scale", type=float, default=1.0, help="factor for all numbers of messages (default: 1)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each row (default: 3)")
    parser.add_argument("--only", default="", metavar="TEXT", help="rows with TEXT in their name")
    parser.add_argument(
        "--cores", type=int, default=os.cpu_count(), help="task slots (default: all cores)"
    )
    parser.add_argument(
        "--latency-seconds", type=int, default=20, help="length of one round (default: 20)"
    )
    parser.add_argument(
        "--scaling", action="store_true", help="only measure 1 to 64 partitions in 1 to 4 slots"
    )
    parser.add_argument(
        "--planning",
        action="store_true",
        help="only measure plans of 1,000 topics with 10 partitions",
    )
    parser.add_argument(
        "--many-partitions",
        action="store_true",
        help="only measure 10,000 nearly empty partitions, on embedded brokers",
    )
    parser.add_argument(
        "--output",
        type=Path,
        help=f"where a full run writes the report (default: {RESULTS} or {SCALING_RESULTS})",
    )
    args = parser.parse_args()
    if args.scale <= 0 or args.rounds <= 0:
        parser.error("--scale and --rounds must be more than 0")
    # A smaller or partial run must not replace the results of a full run.
    is_partial = args.only or args.many_partitions or args.planning
    if args.output is None and args.scale >= 1 and not is_partial:
        args.output = SCALING_RESULTS if args.scaling else RESULTS
    return args


if __name__ == "__main__":
    sys.exit(main())
