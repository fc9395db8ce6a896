"""Runs the parts of the demo in order, and checks that no message is lost between the parts."""

import signal
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from confluent_kafka.testing import MockRegistry

from . import data
from .children import Child
from .cluster import cluster, stored
from .compare import differences, read_members, read_parquet
from .data import Event, HourOfCarrier
from .display import Display
from .produce import produce
from .state import Member, Run

_FLIGHTS_PARTITIONS, _RESULTS_PARTITIONS = 6, 4
_ROWS_PER_BATCH = 50_000
# The largest allowed difference in event time between partitions within a micro-batch. Spark reads
# the same share of each partition, and the keys spread the flights evenly. So the real difference
# is at most three days.
_WATERMARK_DAYS = 7
# If there is no progress for this number of seconds, the demo fails.
_PATIENCE = 300.0
_REFRESH = 0.1


class Stalled(RuntimeError):
    """The demo made no more progress."""


class Demo:
    """One run of the demo.

    Args:
        console: shows the progress.
        output: an empty folder for the files of the demo.
        limit: the number of flights to send; None for all flights.
    """

    def __init__(self, console: Console, output: Path, limit: int | None) -> None:
        self._output = output
        self._flights = data.load(limit)
        self._wanted: list[HourOfCarrier] = []
        run = uuid.uuid4().hex[:6]
        self._flights_topic = f"flights-{run}"
        self._results_topic = f"flights-per-hour-{run}"
        self.state = Run(len(self._flights) + 1, [Member("reader A"), Member("reader B")])
        self._display = Display(console, self.state)

    def run(self) -> tuple[list[HourOfCarrier], list[str]]:
        """Run the demo; return the rows that the consumers read, and the list of errors."""
        topics = {
            self._flights_topic: _FLIGHTS_PARTITIONS,
            self._results_topic: _RESULTS_PARTITIONS,
        }
        with (
            MockRegistry() as registry,
            cluster(topics) as servers,
            self._children(servers, registry.url) as (job, members),
            self._display,
        ):
            self._display.say(f"cluster {servers}, schema registry {registry.url}")
            self._produce(servers, registry.url)
            self._wanted = data.per_carrier_and_hour(self._flights)
            self.state.results = len(self._wanted)
            self._process(job)
            self._read(servers, members)
            problems = self._lost(servers)
        rows = read_members(self._file(member) for member in self.state.members)
        problems += differences("the topic", self._wanted, rows)
        problems += differences("Parquet", self._wanted, read_parquet(self._output / "parquet"))
        return rows, problems

    @contextmanager
    def _children(self, servers: str, registry: str) -> Iterator[tuple[Child, list[Child]]]:
        """Start the job and the members of the group; end the processes in every case."""
        with ExitStack() as stack:

            def start(
                module: str, log: str, on_event: Callable[[dict[str, Any]], None], **settings: Any
            ) -> Child:
                child = Child(module, settings, self._output / log, on_event)
                stack.callback(child.stop)
                return child

            try:
                # Spark starts slowly, so the producer works at the same time.
                settings = self._job_settings(servers, registry)
                job = start("job", "spark.log", self.state.job.on_event, **settings)
                members = [
                    start(
                        "member",
                        f"{member.name}.log",
                        member.on_event,
                        servers=servers,
                        name=member.name,
                        group=self._results_topic,
                        results_topic=self._results_topic,
                        file=str(self._file(member)),
                    )
                    for member in self.state.members
                ]
                yield job, members
            except KeyboardInterrupt:
                # Even if the user presses Ctrl-C twice, no process may remain.
                for number in (signal.SIGINT, signal.SIGTERM):
                    signal.signal(number, signal.SIG_IGN)
                raise

    def _job_settings(self, servers: str, registry: str) -> dict[str, str]:
        """Return the variables of flights.toml."""
        return {
            "SERVERS": servers,
            "REGISTRY": registry,
            "FLIGHTS": self._flights_topic,
            "RESULTS": self._results_topic,
            "ROWS_PER_BATCH": str(_ROWS_PER_BATCH),
            "WATERMARK": f"{_WATERMARK_DAYS} days",
            "WORK": str(self._output),
        }

    def _file(self, member: Member) -> Path:
        return self._output / f"{member.name}.jsonl"

    def _events(self) -> Iterator[Event]:
        for event in data.events(self._flights):
            yield event
        yield data.closing_event(event, _WATERMARK_DAYS)

    def _produce(self, servers: str, registry: str) -> None:
        began = time.monotonic()
        deliveries, topic = self.state.deliveries, self._flights_topic
        produce(servers, registry, topic, self._events(), deliveries, self._display.update)
        seconds = time.monotonic() - began
        self._display.say(
            f"{deliveries.delivered:,} of {deliveries.sent:,} messages delivered in "
            f"{seconds:.1f} s, {deliveries.failed} failed"
        )

    def _process(self, job: Child) -> None:
        """Let the job run until it has read all messages.

        The job starts when all flights are in the topic. The producer is so fast that partitions
        would otherwise differ by months in event time, and the watermark would drop rows.
        """
        self._wait(lambda: bool(self.state.job.version), job)
        self._display.say(f"Spark {self.state.job.version} is ready")
        job.send({})
        self._wait(job.check, job)
        state = self.state.job
        self._display.say(
            f"Spark read {state.rows:,} messages in {len(state.batches)} micro-batches, "
            f"{state.dropped} behind the watermark"
        )

    def _read(self, servers: str, members: list[Child]) -> None:
        """Let the group read all results, then close the input of its members."""
        results, _ = stored(servers, self._results_topic)
        states = self.state.members
        self._wait(lambda: self.state.results_read >= results, *members)
        for member in members:
            member.finish()
        for member in members:
            self._wait(member.check, *members)
        shares = " and ".join(f"{member.name} {member.rows:,}" for member in states)
        self._display.say(
            f"the group read {results:,} results, {shares}, with "
            f"{sum(member.commits for member in states)} commits and "
            f"{sum(member.rebalances for member in states)} rebalance callbacks"
        )

    def _wait(self, done: Callable[[], bool], *children: Child) -> None:
        """Show the progress until the condition holds. Fails if there is no more progress."""
        seen, deadline = self._moved(), time.monotonic() + _PATIENCE
        while not done():
            for child in children:
                child.check()
            if (now := self._moved()) != seen:
                seen, deadline = now, time.monotonic() + _PATIENCE
            if time.monotonic() > deadline:
                raise Stalled(f"no progress for {_PATIENCE:.0f} s; see the logs in build/demo")
            self._display.update()
            time.sleep(_REFRESH)
        self._display.update()

    def _moved(self) -> tuple[int, ...]:
        return (self.state.job.rows, *(member.rows for member in self.state.members))

    def _lost(self, servers: str) -> list[str]:
        """Return descriptions of lost messages and rows."""
        deliveries, job = self.state.deliveries, self.state.job
        problems = []
        if deliveries.delivered != deliveries.sent:
            problems.append(
                f"{deliveries.sent - deliveries.delivered:,} messages were not delivered, "
                f"{deliveries.failed:,} with an error: {deliveries.first_error}"
            )
        for topic in (self._flights_topic, self._results_topic):
            total, dropped = stored(servers, topic)
            if dropped:
                problems.append(f"the cluster no longer has {dropped:,} of {total:,} in {topic}")
        if job.rows != deliveries.sent:
            problems.append(f"Spark read {job.rows:,} of {deliveries.sent:,} messages")
        if job.dropped:
            problems.append(f"Spark dropped {job.dropped:,} rows behind the watermark")
        return problems
