"""The Python examples of the documents run as they stand."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Consumer
from confluent_kafka.testing import MockCluster
from tests.support.documents import ADDRESS, DOCUMENTS, ROOT, block_with, run
from tests.support.patches import needs
from tests.support.waiting import wait_until

pytest_plugins = ["pytester"]


def anchors_of(document: Path) -> set[str]:
    """The headings of a document, as GitHub makes anchors of them."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", ["CHANGELOG.md", *DOCUMENTS])
def test_links_lead_somewhere(name: str) -> None:
    """A link to a file of this repository, or to a heading in it, is not broken."""
    document = ROOT / name
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        if "://" in link:
            continue
        if target.name in ("configuration.md", "error-codes.md"):
            anchor = ""  # most are made when the site is built, which checks them
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            broken.append(link)
    assert not broken


def run_until(
    block: str,
    cluster: MockCluster,
    done: Callable[[list[str]], object],
    step: Callable[[], object] | None = None,
) -> list[str]:
    """Runs a block whose loop ends when its `consumer` is woken: when `done` with the lines
    that it has printed, which are returned."""
    # Not from capsys: what is printed while another thread reads that can be lost.
    lines: list[str] = []
    names: dict[str, Any] = {"print": lambda *values: lines.append(" ".join(map(str, values)))}
    failures: list[BaseException] = []

    def end() -> None:
        wait_until(lambda: "consumer" in names)
        try:
            wait_until(lambda: done(lines), step)
        except BaseException as failure:
            failures.append(failure)
        names["consumer"].wakeup()

    thread = threading.Thread(target=end)
    thread.start()
    exec(compile(block.replace(ADDRESS, cluster.bootstrap_servers), "<document>", "exec"), names)
    thread.join()
    assert failures == []
    return lines


class TestArrow:
    def test_data_frames(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A data frame goes out as messages and comes back as one."""
        pytest.importorskip("polars", reason="polars is not installed")
        run(block_with("docs/guides/arrow.md", "import polars"))
        table = capsys.readouterr().out
        assert "(3, 4)" in table
        for name in ("key", "value", "offset", "timestamp"):
            assert name in table


class TestTesting:
    def test_cluster(self) -> None:
        """The first example's own assertion holds."""
        run(block_with("docs/guides/testing.md", "MockCluster(brokers=3)"))

    def test_fixtures(self, pytester: pytest.Pytester) -> None:
        """The tests that are shown pass in a directory that has nothing but them."""
        pytester.makepyfile(block_with("docs/guides/testing.md", "def test_orders_are_sent"))
        result = pytester.runpytest_inprocess()
        result.assert_outcomes(passed=2)

    def test_requests(self) -> None:
        """Three refusals are four requests."""
        run(block_with("docs/guides/testing.md", "cluster.requests()"))

    @needs("mock-on-request", "raw-request")
    def test_a_full_disk(self) -> None:
        """The handler's own assertion holds."""
        run(block_with("docs/guides/testing.md", "a_full_disk"))

    @needs("mock-on-request")
    def test_a_refused_commit(self, capsys: pytest.CaptureFixture[str]) -> None:
        """The second commit fails, and the third one counts."""
        run(block_with("docs/guides/testing.md", "refuse_the_second"))
        refused, committed = capsys.readouterr().out.splitlines()
        assert refused.startswith("1 ")
        assert "OFFSET_METADATA_TOO_LARGE" in refused
        assert committed == "2"

    def test_registry(self) -> None:
        """The assertion about what was registered holds."""
        pytest.importorskip("httpx", reason="httpx is not installed")
        run(block_with("docs/guides/testing.md", "MockRegistry() as registry"))
        run(block_with("docs/guides/testing.md", 'set_compatibility("orders-value", "NONE")'))

    def test_group_settings(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """The settings for groups whose members come and go are taken."""
        settings = eval(block_with("docs/guides/testing.md", "heartbeat.interval.ms"))
        config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
        with Consumer(config | settings) as consumer:
            consumer.subscribe([kafka_topic])
            wait_until(consumer.assignment, lambda: consumer.poll(0.01))


class TestProtocol:
    def test_messages(self) -> None:
        """The first example's own assertions hold."""
        run(block_with("docs/guides/protocol.md", "request.encode(version=12)"))

    def test_records(self, capsys: pytest.CaptureFixture[str]) -> None:
        """What was written is read."""
        run(block_with("docs/guides/protocol.md", "RecordBatch.of("))
        assert capsys.readouterr().out == "5 LZ4 False\n5 b'EWR' b'late' ()\n"

    def test_requests(self, kafka_cluster: MockCluster, capsys: pytest.CaptureFixture[str]) -> None:
        """A broker answers, and the answer is read."""
        kafka_cluster.create_topic("flights", partitions=3)
        run(block_with("docs/guides/protocol.md", "admin.request("), kafka_cluster)
        printed = capsys.readouterr().out
        assert "broker 1 is 127.0.0.1:" in printed
        assert "flights has 3 partitions" in printed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("producer.connect(10)\nexcept", ""),
        ("consumer.lag()", ""),
        ("broker.rtt.p99", "127.0.0.1:"),
        ("consumer.pause_while()", ""),
    ],
)
def test_helpers(
    kafka_cluster: MockCluster, capsys: pytest.CaptureFixture[str], text: str, printed: str
) -> None:
    """The examples of docs/operations/diagnostics.md run; the statistics have a broker."""
    kafka_cluster.create_topic("numbers")
    run(block_with("docs/operations/diagnostics.md", text), kafka_cluster)
    assert printed in capsys.readouterr().out
