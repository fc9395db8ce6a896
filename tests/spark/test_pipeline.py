"""Pipelines run by Spark: in this session, and from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka.spark.pipeline import PipelineError, QueryFailed, Running, load, located, start
from confluent_kafka.spark.pipeline.plan import plans
from confluent_kafka.testing import MockCluster
from tests.support.documents import block_with
from tests.support.secrets import secret

from .topics import fill, messages

pytestmark = pytest.mark.spark

# A JVM starts, and another JVM may be running.
_SECONDS = 300
FLIGHTS = """\
name = "delays"
checkpoint = "${OUT}/checkpoint"
trigger = "${TRIGGER}"

[kafka]
bootstrap.servers = "${SERVERS}"

[spark]
spark.master = "local[2]"
spark.ui.enabled = false
spark.driver.bindAddress = "127.0.0.1"
spark.driver.host = "127.0.0.1"
spark.sql.shuffle.partitions = 2

[sources.flights]
topics = ["${FLIGHTS}"]
key = "string"
value = { format = "json", schema = "carrier STRING, delay INT" }
# dead letters
options.startingOffsets = "earliest"

[steps.late]
sql = "SELECT key, value.carrier, value.delay FROM flights WHERE value.delay > 1"

[steps.louder]
map_in_arrow = "beside_the_file:louder"
input = "late"
schema = "key STRING, carrier STRING, delay INT"

[sinks.topic]
input = "louder"
topic = "${RESULTS}"
key = { format = "string", columns = ["key"] }
value = { format = "json", columns = ["carrier", "delay"] }
"""
PARQUET = """
[sinks.files]
input = "louder"
format = "parquet"
path = "${OUT}/parquet"
partition_by = ["carrier"]
"""
FUNCTION = """\
import pyarrow as pa
import pyarrow.compute as pc

def louder(batches):
    for batch in batches:
        columns = dict(zip(batch.schema.names, batch.columns))
        yield pa.RecordBatch.from_pydict({**columns, "carrier": pc.utf8_upper(columns["carrier"])})
"""
ROWS = [
    {"key": f"k{number}", "value": b'{"carrier": "ua", "delay": %d}' % number, "partition": 0}
    for number in range(4)
]
BAD = {"key": "bad", "value": b'{"delay": "x"}', "partition": 0, "headers": [("h", b"1")]}


class Place:
    """Topics, a directory and a file for a pipeline."""

    def __init__(self, cluster: MockCluster, new_topic: Callable[..., str], out: Path) -> None:
        self.cluster = cluster
        self.flights, self.results, self.dead = (new_topic(1) for _ in range(3))
        self.out = out
        self.file = out / "flights.toml"
        (out / "beside_the_file.py").write_text(FUNCTION)

    def environment(self, trigger: str = "availableNow") -> dict[str, str]:
        """The environment variables that the file uses."""
        return {
            "SERVERS": self.cluster.bootstrap_servers,
            "FLIGHTS": self.flights,
            "RESULTS": self.results,
            "OUT": str(self.out),
            "TRIGGER": trigger,
        }

    def write(self, *changes: tuple[str, str], more: str = "") -> Path:
        """Write the file after replacing the given texts, with `more` at its end."""
        text = FLIGHTS + more
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        self.file.write_text(text)
        return self.file

    def dead_letters(self) -> tuple[str, str]:
        """The replacement that gives the source a topic for dead letters."""
        return "# dead letters", f'dead_letter = "{self.dead}"'


@pytest.fixture
def place(cluster: MockCluster, new_topic: Callable[..., str], tmp_path: Path) -> Place:
    """Topics, a directory and a file of the test's own."""
    return Place(cluster, new_topic, tmp_path)


def test_a_file_runs_from_topic_to_topic_and_files(spark: Any, place: Place) -> None:
    """One pipeline has JSON, SQL, a function, a topic, Parquet files and dead letters.

    A second run continues where the first one ended.
    """
    file = place.write(place.dead_letters(), more=PARQUET)
    pipeline = load(file, place.environment())
    fill(place.cluster, place.flights, [*ROWS[:3], BAD])
    seen: list[Any] = []
    start(spark, pipeline).watch(seen.append, threading.Event())
    assert sum(one.rows for one in seen) == 4
    assert {one.query for one in seen} == {"louder"}
    fill(place.cluster, place.flights, ROWS[3:])
    start(spark, pipeline).watch(seen.append, threading.Event())
    found = messages(place.cluster, place.results, 2)
    assert [(one.key(), one.value()) for one in found] == [
        (b"k2", b'{"carrier":"UA","delay":2}'),
        (b"k3", b'{"carrier":"UA","delay":3}'),
    ]
    assert spark.read.parquet(str(place.out / "parquet")).count() == 2
    [letter] = messages(place.cluster, place.dead, 1)
    assert (letter.key(), letter.value()) == (b"bad", b'{"delay": "x"}')
    assert letter.headers() == [
        ("h", b"1"),
        ("__dlq.reason", b"value: not a number, at byte 10 of delay"),
        ("__dlq.topic", place.flights.encode()),
        ("__dlq.partition", b"0"),
        ("__dlq.offset", b"3"),
    ]


def test_files_of_another_run_are_never_replaced(spark: Any, place: Place) -> None:
    """A new checkpoint or a renamed view counts batches from 0, and replaces no earlier files.

    Only a repeated micro-batch of the same query replaces its own files.
    """
    topic = FLIGHTS[FLIGHTS.index("[sinks.topic]") :]
    only_files = place.write((topic, PARQUET))
    fill(place.cluster, place.flights, ROWS)
    files = str(place.out / "parquet")

    def run(environment: dict[str, str]) -> int:
        start(spark, load(only_files, environment)).watch(lambda _: None, threading.Event())
        return int(spark.read.parquet(files).count())

    first = place.environment()
    assert run(first) == 2
    # Spark repeats the batch that is missing in its commit log.
    (commit,) = (place.out / "checkpoint" / "louder" / "commits").glob("0")
    commit.unlink()
    (place.out / "checkpoint" / "louder" / "commits" / ".0.crc").unlink()
    assert run(first) == 2
    another = first | {"OUT": str(place.out / "again")}
    place.write((topic, PARQUET.replace("${OUT}", str(place.out))))
    assert run(another) == 4
    place.write((topic, PARQUET), ("[steps.louder]", "[steps.loudest]"))
    only_files.write_text(only_files.read_text().replace('input = "louder"', 'input = "loudest"'))
    assert run(first) == 6


def test_rows_that_do_not_decode_end_the_query(spark: Any, place: Place) -> None:
    """Without a topic for dead letters, the error names the row and the reason in one line."""
    fill(place.cluster, place.flights, [ROWS[0], BAD])
    pipeline = load(place.write(), place.environment())
    with pytest.raises(QueryFailed) as raised:
        start(spark, pipeline).watch(lambda _: None, threading.Event())
    assert f"{place.flights} [0] offset 1 does not decode, value: not a number" in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_every_query_is_stopped() -> None:
    """If one query does not stop in time, the other queries are stopped before the error is
    raised."""
    stopped: list[str] = []

    class Query:
        isActive = True  # noqa: N815

        def __init__(self, name: str) -> None:
            self._name = name

        def start(self) -> Query:
            return self

        def stop(self) -> None:
            stopped.append(self._name)
            if self._name == "slow":
                raise TimeoutError("slow")

    running = Running()
    for name in ("first", "slow", "last"):
        writer: Any = Query(name)
        running.add(writer)
    with pytest.raises(TimeoutError, match="slow"):
        running.stop()
    assert sorted(stopped) == ["first", "last", "slow"]


def test_what_spark_refuses_is_named_with_its_line(spark: Any, place: Place) -> None:
    """SQL with a syntax error and unknown columns are refused before anything is read."""
    for change, wanted in [
        (("SELECT key", "SELEC key"), "flights.toml:23: steps.late.sql: "),
        (("value.delay >", "value.dely >"), "flights.toml:23: steps.late.sql: "),
        (('columns = ["key"]', 'columns = ["kee"]'), "flights.toml:30: sinks.topic: "),
        (("SELECT key", "SELECT DISTINCT key"), "flights.toml:30: sinks.topic.output_mode: "),
    ]:
        file = place.write(change)
        with pytest.raises(PipelineError) as raised:
            start(spark, load(file, place.environment()))
        error = str(located(raised.value, file))
        assert wanted in error
        # Spark's own text would be followed by the plan, which contains passwords among the
        # options.
        assert "startingOffsets" not in error


def test_corrupt_avro(spark: Any, place: Place) -> None:
    """Rows with an id and with a GUID are read; corrupt rows become dead letters, with the
    reason."""
    fastavro = pytest.importorskip("fastavro", reason="fastavro is not installed")
    pytest.importorskip("httpx", reason="httpx is not installed")
    from tests.support.schema_registry import running_registry

    from .test_pipeline_formats import FLIGHT, avro, framed, guid_of

    assert fastavro
    value = 'value = { format = "json", schema = "carrier STRING, delay INT" }'
    with running_registry() as registry:
        known = registry.register(f"{place.flights}-value", json.dumps(FLIGHT))
        good = framed(known, avro(FLIGHT, {"carrier": "ua", "delay": 2}))
        rows = [good, good[:-1], good + b"x", b"{}", framed(77, good)]
        messages_in = [{"value": row, "partition": 0} for row in rows]
        named = {"value": good[5:], "headers": [("__value_schema_id", guid_of(registry, known))]}
        fill(place.cluster, place.flights, [*messages_in, {**named, "partition": 0}])
        more = f'[registry]\nurl = "{registry.url}"\n'
        file = place.write((value, 'value = "avro"'), place.dead_letters(), more=more)
        start(spark, load(file, place.environment())).watch(lambda _: None, threading.Event())
    found = messages(place.cluster, place.results, 2)
    assert [one.value() for one in found] == [b'{"carrier":"UA","delay":2}'] * 2
    letters = messages(place.cluster, place.dead, 4)
    assert [one.value() for one in letters] == rows[1:]
    reasons = [dict(one.headers() or [])["__dlq.reason"].decode() for one in letters]
    assert "corrupt Avro: the payload ends within a value" in reasons[0]
    assert "corrupt Avro: bytes after the value" in reasons[1]
    assert "no schema id or GUID at the start, nor in a header" in reasons[2]
    assert "no schema 77" in reasons[3]


def test_a_topic_is_written_as_avro(spark: Any, place: Place) -> None:
    """Rows use the subject's latest schema; columns that do not fit are refused before the run."""
    fastavro = pytest.importorskip("fastavro", reason="fastavro is not installed")
    pytest.importorskip("httpx", reason="httpx is not installed")
    from tests.support.schema_registry import running_registry

    from .test_pipeline_formats import FLIGHT, avro, framed

    assert fastavro
    fill(place.cluster, place.flights, ROWS[2:])
    sink = 'value = { format = "json", columns = ["carrier", "delay"] }'
    change = (sink, 'value = { format = "avro", columns = ["carrier", "delay"] }')
    with running_registry() as registry:
        more = f'[registry]\nurl = "{registry.url}"\n'
        pipeline = load(place.write(change, more=more), place.environment())
        one_field = {**FLIGHT, "fields": FLIGHT["fields"][:1]}
        registry.register(f"{place.results}-value", json.dumps(one_field))
        with pytest.raises(PipelineError, match=r"sinks.topic: column value: .*no field 'delay'"):
            start(spark, pipeline)
        known = registry.register(f"{place.results}-value", json.dumps(FLIGHT))
        start(spark, pipeline).watch(lambda _: None, threading.Event())
    rows = [{"carrier": "UA", "delay": delay} for delay in (2, 3)]
    assert [(one.key(), one.value()) for one in messages(place.cluster, place.results, 2)] == [
        (f"k{row['delay']}".encode(), framed(known, avro(FLIGHT, row))) for row in rows
    ]


GUIDE = block_with("docs/guides/pipelines.md", "[sources.flights]")
COUNTS = """
[steps.counts]
sql = "SELECT key, count(*) AS number FROM flights GROUP BY key"

[sinks.counts]
input = "counts"
topic = "${RESULTS}"
output_mode = "update"
key = { format = "string", columns = ["key"] }
"""


def test_sql_is_explained(spark: Any, place: Place) -> None:
    """A sink may read a source, an SQL step or a step with state; the guide's example works."""
    other = [("step", "late", "append"), ("source", "flights", "append")]
    more = "".join(
        f'[sinks.{name}]\ninput = "{view}"\nformat = "console"\noutput_mode = "{mode}"\n'
        for name, view, mode in other
    )
    pipeline = load(place.write(more=COUNTS + more), place.environment())
    found = {query.name: plan for query, plan in plans(spark, pipeline)}
    assert found.keys() == {"louder", "counts", "late", "flights"}
    assert all(plan.startswith("== Physical Plan ==") for plan in found.values())
    assert "StateStoreSave" in found["counts"]
    place.file.write_text(GUIDE)
    [(query, plan)] = plans(spark, load(place.file, {}))
    assert (query.name, plan.splitlines()[0]) == ("delays", "== Physical Plan ==")


def test_updates_go_to_a_topic(spark: Any, place: Place) -> None:
    """Each micro-batch sends the aggregates that it changed; a later run continues from them."""
    place.write((FLIGHTS[FLIGHTS.index("[steps.late]") :], COUNTS))
    pipeline = load(place.file, place.environment())
    for rows in (ROWS[:1], ROWS[:2]):
        fill(place.cluster, place.flights, rows)
        start(spark, pipeline).watch(lambda _: None, threading.Event())
    found = [(one.key(), one.value()) for one in messages(place.cluster, place.results, 3)]
    assert found[0] == (b"k0", b'{"key":"k0","number":1}')
    assert sorted(found[1:]) == [
        (b"k0", b'{"key":"k0","number":2}'),
        (b"k1", b'{"key":"k1","number":1}'),
    ]


@contextmanager
def command(
    place: Place,
    *arguments: str,
    trigger: str = "availableNow",
    environment: Mapping[str, str] | None = None,
) -> Iterator[Any]:
    """``python -m confluent_kafka pipeline``, in a process of its own."""
    with subprocess.Popen(
        [sys.executable, "-m", "confluent_kafka", "pipeline", *arguments, str(place.file)],
        env={
            **os.environ,
            **place.environment(trigger),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "SPARK_LOCAL_IP": "127.0.0.1",
            **(environment or {}),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            # Kill Spark's JVM and its Python workers too.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def test_the_command_runs_until_ctrl_c(java: None, place: Place) -> None:
    """The command prints lines of progress and no traceback; its exit status is 130."""
    place.write()
    fill(place.cluster, place.flights, ROWS)
    with command(place, "run", trigger="1 second") as process:
        shown = ""
        while "rows/s" not in shown:
            line = process.stdout.readline()
            assert line, shown
            shown += line
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=_SECONDS)
        assert process.returncode == 130, shown + rest
    assert "interrupted: the queries continue from their checkpoints" in rest
    assert "Traceback" not in rest
    assert "query louder: batch 0, 4 rows" in shown
    messages(place.cluster, place.results, 2)


# A script that starts Python for Spark, but fails the first time that a stream's source starts.
STARTER = """\
#!/bin/sh
case "$*" in *python_streaming_source_runner*) mkdir {missed} 2>/dev/null && exit 1 ;; esac
exec {python} "$@"
"""


def test_the_command_starts_a_source_again(java: None, place: Place, tmp_path: Path) -> None:
    """If Spark gives up waiting for the source's process, the command starts the query again."""
    starter, missed = tmp_path / "starter", tmp_path / "missed"
    starter.write_text(STARTER.format(missed=missed, python=sys.executable))
    starter.chmod(0o755)
    place.write()
    fill(place.cluster, place.flights, ROWS)
    with command(place, "run", environment={"PYSPARK_PYTHON": str(starter)}) as process:
        shown, _ = process.communicate(timeout=_SECONDS)
    assert missed.exists(), shown
    assert process.returncode == 0, shown
    assert "query louder: batch 0, 4 rows" in shown


def test_the_command_ends_without_tracebacks(java: None, place: Place) -> None:
    """A run that has read everything shows only its progress.

    Spark's workers lose their connections at the end, which is not a failure.
    """
    place.write(place.dead_letters(), more=PARQUET)
    fill(place.cluster, place.flights, [*ROWS, BAD])
    with command(place, "run") as process:
        shown, _ = process.communicate(timeout=_SECONDS)
    assert process.returncode == 0, shown
    lines = shown.splitlines()
    assert [line for line in lines if not line.startswith(("running ", "query ", "ended "))] == []
    assert "query louder: 5 rows in 1 batch" in lines


def test_the_command_says_why_it_failed(java: None, place: Place) -> None:
    """The command prints the cause in one line instead of two stack traces, with exit status 1."""
    place.write()
    fill(place.cluster, place.flights, [BAD])
    with command(place, "run") as process:
        shown, _ = process.communicate(timeout=_SECONDS)
    assert process.returncode == 1, shown
    [error] = [line for line in shown.splitlines() if line.startswith("error: ")]
    assert error.startswith("error: query louder: ")
    assert f"{place.flights} [0] offset 0 does not decode, value: not a number" in error
    assert "\tat " not in shown


def test_the_command_validates_and_explains(java: None, place: Place) -> None:
    """The command prints plans without reading data, and problems with file, line and key.

    Java's start-up messages are not shown.
    """
    servers = 'bootstrap.servers = "${SERVERS}"'
    password = f'{servers}\nsasl.password = "{secret("kafka")}"'

    def shown_by(*arguments: str) -> tuple[int, list[str]]:
        with command(place, *arguments) as process:
            shown, _ = process.communicate(timeout=_SECONDS)
        assert secret("kafka") not in shown
        return process.returncode, shown.splitlines()

    place.write((servers, password), more=PARQUET)
    valid = f"{place.file}: pipeline delays is valid: 1 source, 2 steps, 2 sinks"
    assert shown_by("validate", "--without-spark") == (0, [valid])
    status, lines = shown_by("explain")
    assert (status, lines[:2]) == (
        0,
        ["query louder: view louder to topic (topic), files (parquet)", "== Physical Plan =="],
    )
    place.write((servers, password), ("value.delay >", "value.dely >"))
    status, [line] = shown_by("validate")
    assert (status, line.startswith(f"error: {place.file}:24: steps.late.sql: ")) == (1, True), line
    assert "`dely`" in line
    place.write(("[sinks.topic]", "[sinks.topic]\ntopik = 1"))
    problem = f"error: {place.file}:31: sinks.topic.topik: unknown key: did you mean 'topic'?"
    status, lines = shown_by("validate")
    assert (status, lines[0]) == (1, problem)


def test_the_command_says_why_spark_does_not_start(place: Place, tmp_path: Path) -> None:
    """The command prints Java's error, or that Java is missing, in one line without a traceback."""
    place.write()
    nothing = {"JAVA_HOME": str(tmp_path / "nowhere")}
    with command(place, "validate", environment=nothing) as process:
        shown, _ = process.communicate(timeout=_SECONDS)
    assert process.returncode == 1, shown
    assert "nowhere/bin/java" in shown
    assert "error: Spark does not start: " in shown
    assert "Traceback" not in shown
