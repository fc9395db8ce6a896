"""Writing exactly once: tasks as Spark runs them, against real brokers and without Spark."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

import pyarrow as pa

from confluent_kafka import KafkaException, Producer
from confluent_kafka.spark import transactions
from confluent_kafka.spark.exactly_once import PlanChanged, Task, write_exactly_once
from confluent_kafka.spark.task_input import IncompleteInput
from confluent_kafka.spark.write_options import write_options
from tests.integration.kafka_cluster import KafkaCluster
from tests.spark.committed import committed_values
from tests.support.kafka import failure
from tests.support.real_kafka import MakeTopic
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.spark, pytest.mark.integration]


class Source:
    """Replaces the stream between the JVM and a worker; its check fails if the rows were
    incomplete."""

    def __init__(self, complete: bool = True) -> None:
        self._complete = complete

    def check_complete(self) -> None:
        if not self._complete:
            raise IncompleteInput


class Query:
    """Runs tasks of a query that writes into one topic."""

    def __init__(self, kafka: KafkaCluster, topic: str, **options: str) -> None:
        self.id = str(uuid.uuid4())
        self.topic = topic
        self._kafka = kafka
        client = {f"kafka.{name}": str(text) for name, text in kafka.config().items()}
        given = {"topic": topic, "deliveryguarantee": "exactly-once", **client, **options}
        self._options = write_options(given, streaming=True)

    def task(
        self,
        batch: int,
        *parts: Sequence[str | None],
        partition: int = 0,
        complete: bool = True,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> int:
        """Write record batches, call `meanwhile` after the last one, and return the row count."""

        def batches() -> Iterator[pa.RecordBatch]:
            for rows in parts:
                yield pa.record_batch({"value": pa.array(rows, pa.string())})
            meanwhile()

        task = Task(self.id, batch, partition)
        source: object = Source(complete)
        return write_exactly_once(batches(), source, task, self._options, ["value"]).rows  # type: ignore[arg-type]

    def elsewhere(self, *args: Sequence[str | None], batch: int = 0) -> int:
        """Run the same task in another worker process, which has no producers yet."""
        kept, transactions.producers = transactions.producers, transactions.new_pool()
        try:
            return self.task(batch, *args)
        finally:
            transactions.producers.close()
            transactions.producers = kept

    def values(self) -> list[str]:
        return committed_values(self._kafka, self.topic)


@pytest.fixture
def query(kafka: KafkaCluster, make_topic: MakeTopic) -> Iterator[Query]:
    yield Query(kafka, make_topic(partitions=2))
    transactions.producers.close()


def test_a_task_that_is_run_again_writes_nothing(query: Query) -> None:
    """The same worker remembers that it wrote the batch; another worker asks the brokers."""
    assert query.task(0, ["a", "b"], ["c"]) == 3
    assert query.task(0, ["a", "b"], ["c"]) == 0
    assert query.elsewhere(["a", "b", "c"]) == 0
    assert query.task(1, ["d"]) == 1
    assert query.values() == ["a", "b", "c", "d"]


def test_tasks_of_a_batch_are_told_apart(query: Query) -> None:
    """Each output partition of a query has a marker of its own; a task without rows needs none."""
    assert query.task(0, ["a"], partition=0) == 1
    assert query.task(0, partition=1) == 0
    assert query.task(0, ["b"], partition=2) == 1
    assert query.task(1, ["c"], partition=1) == 1
    assert query.values() == ["a", "b", "c"]


def test_an_attempt_that_was_overtaken_fails(query: Query) -> None:
    """Of two attempts at the same time, the later one writes; the earlier one fails with the
    reason."""
    with pytest.raises(KafkaException, match=r"batch 0 .* another attempt") as overtaken:
        query.task(0, ["a"], meanwhile=lambda: query.elsewhere(["a"]))
    assert transactions.is_fenced(overtaken.value)
    assert query.task(0, ["a"]) == 0
    assert query.values() == ["a"]


def test_a_producer_of_before_is_replaced_where_another_worker_wrote_since(query: Query) -> None:
    """If a partition returns to an earlier worker, this worker continues without an error."""
    assert query.task(0, ["a"]) == 1
    assert query.elsewhere(["b"], batch=1) == 1
    assert query.task(1, ["b"]) == 0
    assert query.elsewhere(["c"], batch=2) == 1
    assert query.task(3, ["d"]) == 1
    assert query.values() == ["a", "b", "c", "d"]


def test_what_a_dead_attempt_left_open_is_aborted(kafka: KafkaCluster, query: Query) -> None:
    """The next attempt aborts the open transaction of a dead attempt, and does not wait for its
    timeout."""
    name = f"spark-rdkafka-{query.id}-0"
    with Producer(kafka.config() | {"transactional.id": name}) as dead:
        dead.init_transactions(TIMEOUT)
        dead.begin_transaction()
        dead.produce(query.topic, "half a batch")
        dead.flush(TIMEOUT)
        assert query.task(0, ["a"]) == 1
        with pytest.raises(KafkaException, match="fenced"):
            dead.commit_transaction(TIMEOUT)
    assert query.values() == ["a"]


def test_rows_that_end_too_early_are_not_committed(query: Query) -> None:
    """If a part of the rows were committed, no later attempt would write the missing rows."""
    with pytest.raises(IncompleteInput):
        query.task(0, ["a"], complete=False)
    assert query.task(0, ["a"], ["b"]) == 2
    with pytest.raises(IncompleteInput):
        query.task(0, ["a"], complete=False)
    assert query.values() == ["a", "b"]


def test_another_plan_is_noticed(query: Query) -> None:
    """A repeated batch with other rows, or without rows, fails: skipping it would lose rows.

    The order of the rows does not matter, nor does their division into record batches.
    """
    assert query.task(0, ["a", "b"]) == 2
    with pytest.raises(
        PlanChanged, match="an earlier attempt wrote 2 rows, but this attempt has 1"
    ):
        query.task(0, ["a"])
    with pytest.raises(PlanChanged, match="wrote 2 rows, and this attempt has as many, but other"):
        query.task(0, ["a", "c"])
    for nothing in ([], [[]]):
        with pytest.raises(PlanChanged, match="wrote 2 rows, but this attempt has 0"):
            query.task(0, *nothing)
    with pytest.raises(IncompleteInput):
        query.task(0, complete=False)
    assert query.task(0, ["b"], ["a"]) == 0
    assert query.task(1, ["c"]) == 1
    with pytest.raises(PlanChanged, match=r"batch 1 is in Kafka already.*checkpoint is older"):
        query.task(0, ["a", "b"])
    assert query.values() == ["a", "b", "c"]


def test_a_bad_row_leaves_nothing_behind(query: Query) -> None:
    """After a bad row, readers see no earlier rows of its task, and wait for no open
    transaction."""
    message = r"row 1: .*too large \(topic 'topic-.*', key of 0 bytes, value of 2000000 bytes"
    with pytest.raises(KafkaException, match=message):
        query.task(0, ["a"], ["b", "x" * 2_000_000])
    assert query.task(0, ["a"], ["b", "c"]) == 3
    assert query.values() == ["a", "b", "c"]


def test_the_names_of_ids_begin_as_told(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """Options set the prefix of the ids, for use in an ACL, and another topic for the markers."""
    topic, markers = make_topic(), make_topic()
    query = Query(kafka, topic, transactionalidprefix="etl", markertopic=markers)
    assert query.task(0, ["a"]) == 1
    config = kafka.config() | {"transactional.id": f"etl-{query.id}-0"}
    with Producer(config) as other:
        other.init_transactions(TIMEOUT)
    assert query.elsewhere(["a"]) == 0
    assert (committed_values(kafka, topic), committed_values(kafka, markers)) == (["a"], [])
    transactions.producers.close()


def test_a_transaction_that_may_not_last_so_long_names_the_option(
    kafka: KafkaCluster, make_topic: MakeTopic
) -> None:
    """If the brokers refuse a timeout, the error names the option for it."""
    query = Query(kafka, make_topic(), **{"kafka.transaction.timeout.ms": "99999999"})
    with pytest.raises(KafkaException, match=r"kafka\.transaction\.timeout\.ms"):
        query.task(0, ["a"])


def test_brokers_that_are_not_there_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error contains the address and the option."""
    monkeypatch.setattr(transactions, "_TIMEOUT", 1.0)
    query = Query(KafkaCluster("127.0.0.1:1"), "any")
    failure(lambda: query.task(0, ["a"]), r"127\.0\.0\.1:1.*kafka\.bootstrap\.servers")
