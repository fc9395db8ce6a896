"""docs/guides/share-groups.md and examples/share_worker.py run unchanged."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import Producer, ShareConsumer
from confluent_kafka.testing import MockCluster
from examples import share_worker
from tests.support.documents import block_with, run
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

DOCUMENT = "docs/guides/share-groups.md"


@pytest.fixture
def jobs(kafka_cluster: MockCluster, producer: Producer) -> MockCluster:
    """A cluster with five records: four jobs, and the third record, which is not a job."""
    kafka_cluster.set_share_group_auto_offset_reset("earliest")
    kafka_cluster.create_topic("jobs")
    send(producer, "jobs", [b"1", b"2", b"x", b"3", b"4"])
    return kafka_cluster


@pytest.fixture(autouse=True)
def to_come(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of deliveries for which poll() waits; afterwards it waits only half a second."""
    left, poll = [0], ShareConsumer.poll

    class Impatient(ShareConsumer):
        def poll(self, timeout: float = -1) -> Any:
            batch = poll(self, TIMEOUT if left[0] > 0 else 0.5)
            left[0] -= len(batch)
            return batch

        def __init__(self, config: dict[str, Any]) -> None:
            super().__init__(config | {"log_level": 3, "fetch.wait.max.ms": 20})

    monkeypatch.setattr("confluent_kafka.ShareConsumer", Impatient)
    monkeypatch.setattr("examples.share_worker.ShareConsumer", Impatient)
    return left


@pytest.fixture
def sigterm() -> Iterator[None]:
    """Restores the signal handler that the example replaces."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def printed_by(block: str, cluster: MockCluster) -> list[str]:
    """The text that the block prints."""
    lines: list[str] = []
    run(block, cluster, print=lambda *values: lines.append(" ".join(map(str, values))))
    return lines


def test_every_record_is_accepted(jobs: MockCluster, to_come: list[int]) -> None:
    """The first example reads all records, and a second worker finds none."""
    to_come[0] = 5
    block = block_with(DOCUMENT, "consumer.commit_sync()\n")
    assert printed_by(block, jobs) == ["b'1'", "b'2'", "b'x'", "b'3'", "b'4'"]
    assert printed_by(block, jobs) == []


def test_each_record_by_itself(jobs: MockCluster, to_come: list[int]) -> None:
    """The second example tries the bad job three times, and the callback gets the answers."""
    to_come[0] = 7
    block = block_with(DOCUMENT, "def acknowledgement")
    callback = block_with(DOCUMENT, "def answered")
    subscribe = '    consumer.subscribe(["jobs"])\n'
    told = "".join(f"    {line}\n" for line in callback.splitlines() if line)
    lines = printed_by(block.replace(subscribe, told + subscribe), jobs)
    assert [line for line in lines if line.isdigit()] == ["1", "2", "3", "4"]
    answers = [line for line in lines if not line.isdigit()]
    assert answers == ["jobs 0 [0, 1, 2, 3, 4] None", "jobs 0 [2] None", "jobs 0 [2] None"]
    assert printed_by(block, jobs) == []


@needs("share-renewal")
def test_records_that_take_long(jobs: MockCluster, to_come: list[int]) -> None:
    """The third example acknowledges like the second one, while the locks are renewed."""
    to_come[0] = 7
    definitions = block_with(DOCUMENT, "def acknowledgement").split("with ShareConsumer")[0]
    lines = printed_by(definitions + block_with(DOCUMENT, "renewing(consumer)"), jobs)
    assert lines == ["1", "2", "3", "4"]


def test_worker(
    kafka_cluster: MockCluster,
    producer: Producer,
    capsys: pytest.CaptureFixture[str],
    sigterm: None,
    to_come: list[int],
) -> None:
    """The worker accepts good jobs, retries failed jobs, and rejects bad ones."""
    to_come[0] = 7
    kafka_cluster.set_share_group_auto_offset_reset("earliest")
    kafka_cluster.create_topic("jobs")
    texts = ['{"divide": [84, 2]}', '{"divide": [1, 0]}', "no job", '{"multiply": [1]}', None]
    send(producer, "jobs", texts)
    outcomes = share_worker.work(kafka_cluster.bootstrap_servers, "jobs")
    assert outcomes == {"ACCEPT": 1, "RELEASE": 2, "REJECT": 4}
    assert capsys.readouterr().out == "{'divide': [84, 2]}: 42.0\n"
