"""compat.kafka and kafka_2: calls of a consumer whose coordinator does not answer."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import protocol
from confluent_kafka.compat import kafka, kafka_2
from confluent_kafka.compat.kafka import TopicPartition, errors
from confluent_kafka.testing import MockAction, MockCluster
from tests.support.kafka_python import Told, filled, many
from tests.support.patches import needs
from tests.support.scripts import check_script
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

pytestmark = needs("mock-on-request")

TOPIC = "topic"
PARTITION = TopicPartition(TOPIC, 0)
COMMIT, LEAVE = protocol.OffsetCommitRequest.api_key, protocol.LeaveGroupRequest.api_key
# Much shorter than request_timeout_ms, which applies if a call has no timeout.
SHORT_MS = 100


class Silent:
    """A cluster whose coordinators do not answer commits and LeaveGroup requests."""

    def __init__(self, cluster: MockCluster) -> None:
        self.servers = cluster.bootstrap_servers
        self.asked: list[int] = []
        self.is_silent = False
        for key in (COMMIT, LEAVE):
            cluster.on_request(key, lambda _, context, key=key: self._answer(key))
        filled(self.servers, TOPIC, 10)

    def _answer(self, key: int) -> MockAction | None:
        self.asked.append(key)
        return MockAction.NO_ANSWER if self.is_silent else None


@pytest.fixture
def silent() -> Iterator[Silent]:
    """A cluster of the test's own, because unanswered requests block connections."""
    with MockCluster(brokers=1) as cluster:
        cluster.create_topic(TOPIC)
        yield Silent(cluster)


@pytest.fixture(params=[kafka, kafka_2], ids=["3", "2"])
def face(request: pytest.FixtureRequest) -> Any:
    return request.param


def member(face: Any, silent: Silent, listener: Told | None = None, **keywords: Any) -> Any:
    """A consumer of a group that has read everything. Its coordinator does not answer any more."""
    consumer = face.KafkaConsumer(
        bootstrap_servers=silent.servers,
        group_id="group",
        auto_offset_reset="earliest",
        heartbeat_interval_ms=100,
        session_timeout_ms=300_000,
        request_timeout_ms=600_000,
        connections_max_idle_ms=700_000,
        **keywords,
    )
    consumer.subscribe([TOPIC], listener=listener)
    many(consumer, 10)
    silent.is_silent = True
    return consumer


def test_commit(face: Any, silent: Silent) -> None:
    """commit() fails after its timeout, and later commits fail in the same way."""
    consumer = member(face, silent, enable_auto_commit=False)
    watch = Stopwatch()
    for _ in range(2):
        with pytest.raises(errors.KafkaTimeoutError):
            consumer.commit(timeout_ms=SHORT_MS)
    assert SHORT_MS / 1000 <= watch.elapsed < SOON
    wait_until(lambda: COMMIT in silent.asked)
    consumer.close(timeout_ms=SHORT_MS)


def test_commit_behind_another(silent: Silent) -> None:
    """commit() fails in time even if an earlier commit is not answered; close() gives up the
    earlier one."""
    consumer = member(kafka, silent, enable_auto_commit=False)
    called: list[Any] = []
    first = consumer.commit_async(callback=lambda *answer: called.append(answer))
    second = consumer.commit_async(callback=lambda *answer: called.append(answer))
    wait_until(lambda: COMMIT in silent.asked)
    watch = Stopwatch()
    with pytest.raises(errors.KafkaTimeoutError):
        consumer.commit(timeout_ms=SHORT_MS)
    consumer.close(timeout_ms=SHORT_MS)
    assert watch.elapsed < SOON
    for future, answer in zip((first, second), called, strict=True):
        assert isinstance(future.exception, errors.Cancelled)
        assert answer[1] is future.exception


@pytest.mark.parametrize("keywords", [{}, {"autocommit": False}], ids=str)
def test_close(face: Any, silent: Silent, keywords: dict[str, Any]) -> None:
    """close() ends after its timeout, and the consumer is closed."""
    consumer = member(face, silent)
    watch = Stopwatch()
    consumer.close(timeout_ms=SHORT_MS, **keywords)
    with pytest.raises(errors.IllegalStateError, match="KafkaConsumer is closed"):
        consumer.poll()
    consumer.close()
    assert watch.elapsed < SOON


def _time_of_main_threads() -> int:
    """Ticks of the clock that librdkafka's main threads have used in this process."""
    used = 0
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # the thread has ended
            name, _, rest = (thread / "stat").read_text().partition("(")[2].rpartition(")")
            if name == "rdk:main":
                used += sum(map(int, rest.split()[11:13]))
    return used


@needs("quiet-end")
@pytest.mark.skipif(sys.platform != "linux", reason="threads are looked at in /proc")
def test_a_given_up_client_rests(silent: Silent) -> None:
    """A client that was given up waits for its brokers without using a core.

    Without the patch quiet-end, it used a core for ten minutes.
    """
    consumer = member(kafka, silent)
    consumer.close(timeout_ms=SHORT_MS)
    time.sleep(2)  # librdkafka has timers that fire every second; now one is overdue
    before = _time_of_main_threads()
    time.sleep(1)
    assert _time_of_main_threads() - before < os.sysconf("SC_CLK_TCK") / 2


def test_close_before_its_time_is_over(silent: Silent) -> None:
    """If the coordinator answers, close() with a timeout does all its work at once."""
    told = Told()
    consumer = member(kafka, silent, told, auto_commit_interval_ms=600_000)
    silent.is_silent = False
    watch = Stopwatch()
    consumer.close(timeout_ms=1000 * TIMEOUT)
    assert watch.elapsed < SOON
    assert told.calls[-1] == ("revoked", {PARTITION})
    assert silent.asked[-2:] == [COMMIT, LEAVE]


def test_close_in_another_thread_while_committing(silent: Silent) -> None:
    """If another thread closes the consumer, a commit that is not answered ends."""
    consumer = member(kafka, silent, enable_auto_commit=False)
    raised: list[BaseException] = []

    def commit() -> None:
        try:
            consumer.commit()
        except errors.KafkaError as error:
            raised.append(error)

    thread = threading.Thread(target=commit, daemon=True)
    thread.start()
    wait_until(lambda: COMMIT in silent.asked)
    consumer.close(timeout_ms=SHORT_MS)
    thread.join(TIMEOUT)
    assert [type(error) for error in raised] == [errors.Cancelled]


def test_the_process_ends(silent: Silent) -> None:
    """Requests that still run when close() gives up do not keep the process alive."""
    silent.is_silent = True
    check_script(
        """
        import sys
        from confluent_kafka.compat.kafka import KafkaConsumer
        topic, servers = sys.argv[1:]
        consumer = KafkaConsumer(
            topic, bootstrap_servers=servers, group_id="group", auto_offset_reset="earliest"
        )
        assert next(consumer).value == b"0"
        consumer.close(timeout_ms=100)
        """,
        TOPIC,
        silent.servers,
    )
