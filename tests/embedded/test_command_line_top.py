"""``top``: the live view and its tables for scripts, on an embedded cluster."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.protocol import ListOffsetsRequest
from confluent_kafka.testing import MockAction, MockCluster, RequestContext
from tests.embedded.conftest import MakeConsumer
from tests.support.kafka import NO_BROKER
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytest.importorskip("click", reason="the extra [cli] is not installed")
pytest.importorskip("textual", reason="the extra [tui] is not installed")

from textual.pilot import Pilot

from confluent_kafka.cli.commands import top as command
from confluent_kafka.cli.live.app import LiveView
from confluent_kafka.cli.live.sampling import last_messages, sample
from confluent_kafka.cli.live.snapshot import Snapshot
from tests.support.command_line import COMMAND, Ended, run, words

pytestmark = needs("raw-request", "mock-on-request")

EVERY = 0.05
HOSTILE = "x[red]y[/] \x1b[2J"


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Iterator[AdminClient]:
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        yield admin


def fill(cluster: MockCluster, topic: str, count: int, partition: int = 0) -> None:
    with Producer({"bootstrap.servers": cluster.bootstrap_servers}) as producer:
        for number in range(count):
            value = json.dumps({"order": number, "text": HOSTILE}).encode()
            producer.produce(topic, value, key=b"[bold]key", partition=partition)
        assert producer.flush(TIMEOUT) == 0


def commit(cluster: MockCluster, group: str, *places: TopicPartition) -> None:
    config = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": group}
    with Consumer(config) as consumer:
        consumer.commit(offsets=list(places), asynchronous=False)


@pytest.fixture
def orders(kafka_cluster: MockCluster) -> str:
    """A topic with three partitions, and a group that is 5 messages behind in the first one."""
    kafka_cluster.create_topic("orders", 3)
    fill(kafka_cluster, "orders", 7)
    commit(kafka_cluster, "billing", TopicPartition("orders", 0, 2))
    return "orders"


# --- for scripts ------------------------------------------------------------------------------


class Between:
    """What happens between the two samples, instead of waiting."""

    def __init__(self) -> None:
        self.act: Callable[[], object] = lambda: None

    def sleep(self, seconds: float) -> None:
        self.seconds = seconds
        self.act()


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Between:
    found = Between()
    monkeypatch.setattr(command, "time", SimpleNamespace(sleep=found.sleep))
    return found


def once(cluster: MockCluster, *arguments: str) -> tuple[Ended, list[dict[str, Any]]]:
    done = run("top", *arguments, "--once", "--json", "-b", cluster.bootstrap_servers)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def test_json(kafka_cluster: MockCluster, orders: str, between: Between) -> None:
    """Each row is an object, with the name of its table. Rates are from the two samples: if
    messages are added and the group reads some, both rates and the slope are above 0."""

    def act() -> None:
        fill(kafka_cluster, orders, 30)
        commit(kafka_cluster, "billing", TopicPartition(orders, 0, 3))

    between.act = act
    done, rows = once(kafka_cluster, "--every", "3s")
    assert (done.status, done.stderr, between.seconds) == (0, "", 3.0)
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row.pop("table"), []).append(row)
    assert list(found) == ["brokers", "topics", "groups", "slowest"]
    assert [row["broker"] for row in found["brokers"]] == [1, 2, 3]
    assert [row["state"] for row in found["brokers"]] == ["up"] * 3
    assert sum(row["leads"] for row in found["brokers"]) == 3
    (topic,) = found["topics"]
    written = topic.pop("messages/s")
    assert written > 0
    assert topic == {
        "topic": orders,
        "partitions": 3,
        "under-replicated": 0,
        "offline": 0,
        "ends": 37,
    }
    assert sum(row["messages/s"] for row in found["brokers"]) == written
    (group,), (slowest,) = found["groups"], found["slowest"]
    assert slowest == {
        "group": "billing",
        "topic": orders,
        "partition": 0,
        "lag": 34,
        "lag/s": group["lag/s"],
        "read/s": group["read/s"],
    }
    assert group["lag"] == 34
    # 29 more messages are waiting, and 1 was read.
    assert group["lag/s"] == pytest.approx(29 * group["read/s"], rel=0.5)
    assert 0 < group["lag/s"] <= written


def test_tables(kafka_cluster: MockCluster, orders: str, between: Between) -> None:
    """Without --json, an empty line separates the tables, and a view is one table."""
    servers = kafka_cluster.bootstrap_servers
    done = run("top", "--once", "-b", servers)
    assert done.status == 0
    tables = done.stdout.decode().split("\n\n")
    assert [text.split("\t", 1)[0] for text in tables] == ["broker", "topic", "group", "group"]
    done = run("top", "groups", "--once", "-b", servers)
    assert done.stdout.decode() == (
        "group\ttype\tstate\tmembers\tlag\tlag/s\tread/s\nbilling\tclassic\tempty\t0\t5\t0.0\t0.0\n"
    )


def test_brokers_and_partitions_with_problems(
    kafka_cluster: MockCluster, orders: str, between: Between
) -> None:
    """A broker that only has replicas is down, and partitions without a leader are offline. The
    lag in these partitions is unknown."""
    for partition in range(3):
        kafka_cluster.set_leader(orders, partition, None)
    kafka_cluster.set_broker_down(3)
    done, rows = once(kafka_cluster)
    assert done.status == 0, done
    brokers = {row["broker"]: row["state"] for row in rows if row["table"] == "brokers"}
    assert brokers == {1: "up", 2: "up", 3: "down"}
    (topic,) = (row for row in rows if row["table"] == "topics")
    assert (topic["offline"], topic["ends"], topic["messages/s"]) == (3, None, None)
    (group,) = (row for row in rows if row["table"] == "groups")
    assert (group["lag"], group["lag/s"]) == (None, None)


def test_a_broker_that_does_not_answer(
    kafka_cluster: MockCluster, admin: AdminClient, orders: str
) -> None:
    """Only the offsets of the partitions that this broker leads are unknown. A line has the
    reason."""
    kafka_cluster.create_topic("other", 1)
    fill(kafka_cluster, "other", 4)
    for partition in range(3):
        kafka_cluster.set_leader(orders, partition, 2)
    kafka_cluster.set_leader("other", 0, 1)

    def ignored(_: Any, context: RequestContext) -> MockAction | None:
        return MockAction.NO_ANSWER if context.broker_id == 2 else None

    kafka_cluster.on_request(ListOffsetsRequest.api_key, ignored)
    state = sample(admin, 1.0)
    assert state.ends == {**{(orders, number): None for number in range(3)}, ("other", 0): 4}
    reason = "offsets of 3 partitions are unknown, such as orders:0: Local: Timed out"
    assert state.failures == [reason]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--json"], "--json: needs --once"),
        (["--every", "0s"], "--every: '0s' is too short: the shortest is 0.1s"),
        (["--every", "soon"], "'soon' is not a duration such as 5s, 1h30m or PT1H"),
        (["topic", "--once"], "'topic' is not one of brokers, topics, groups, slowest"),
        ([], "the live view needs a terminal: --once writes its tables to stdout"),
    ],
)
def test_wrong_usage(arguments: list[str], text: str) -> None:
    """The message names the option, and what is allowed. Without a terminal it names --once."""
    done = run("top", *arguments, "-b", NO_BROKER)
    assert (done.status, done.stdout) == (2, b"")
    assert text in " ".join(done.stderr.split())


def test_no_cluster() -> None:
    """The status is 1 after the timeout."""
    done = run("top", "--once", "--timeout", "0.1", "-b", NO_BROKER)
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith("error: ")


# --- the live view ----------------------------------------------------------------------------


class Screen:
    """The live view at a size of 80x24, and what a user sees of it."""

    def __init__(self, app: LiveView, pilot: Pilot[int]) -> None:
        self.app = app
        self._pilot = pilot

    @property
    def lines(self) -> list[str]:
        """The lines, with one space between the columns."""
        strips = self.app.screen._compositor.render_strips()
        return [words(strip.text) for strip in strips]

    async def press(self, *keys: str) -> None:
        await self._pilot.press(*keys)

    async def see(self, *texts: str) -> str:
        """Wait until lines have these texts. Returns the first line that has the first text."""

        def seen(lines: list[str]) -> bool:
            return all(any(text in line for line in lines) for text in texts)

        await self.until(seen)
        return next(line for line in self.lines if texts[0] in line)

    async def no_longer_see(self, text: str) -> None:
        """Wait until no line has this text."""
        await self.until(lambda lines: not any(text in line for line in lines))

    async def until(self, condition: Callable[[list[str]], bool]) -> None:
        end = time.monotonic() + TIMEOUT
        while not condition(self.lines):
            assert time.monotonic() < end, "\n".join(self.lines)
            await self._pilot.pause(0.01)


Play = Callable[[Screen], Awaitable[None]]


@pytest.fixture
def live(kafka_cluster: MockCluster, admin: AdminClient) -> Callable[..., LiveView]:
    """live(play): shows the cluster until `play` has ended."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}

    def show(play: Play, look: Callable[[], Snapshot] | None = None, view: str = "groups") -> Any:
        app = LiveView(
            look or (lambda: sample(admin, TIMEOUT)),
            lambda place: last_messages(config, place, TIMEOUT),
            EVERY,
            view,
        )

        async def session() -> None:
            async with app.run_test(size=(80, 24)) as pilot:
                await asyncio.wait_for(play(Screen(app, pilot)), 4 * TIMEOUT)

        asyncio.run(session())
        assert app.failure is None
        return app

    return show


def test_from_a_topic_to_a_message_and_back(
    live: Callable[..., LiveView], kafka_cluster: MockCluster, orders: str
) -> None:
    """Enter goes from the topic to its partitions, to the last messages, and to one message. Its
    text is shown unchanged, and control characters as escapes. Escape goes back, row by row."""
    kafka_cluster.create_topic("zebra", 1)

    async def play(screen: Screen) -> None:
        await screen.press("2")
        assert "3" in await screen.see("orders", "zebra")
        await screen.press("enter")
        await screen.see("topics > orders", "partition leader")
        await screen.press("enter")
        newest = await screen.see("6 20")
        assert newest.lstrip().startswith("6")
        assert "[bold]key" in newest
        await screen.press("enter")
        text = await screen.see('"text": ')
        assert r'"x[red]y[/] \u001b[2J"' in text
        await screen.see("orders:0 offset 6", '"key": "[bold]key"')
        await screen.press("escape", "escape")
        await screen.see("partition leader")
        await screen.press("down", "down", "enter")
        await screen.see("topics > orders > orders:2", "nothing to show")
        await screen.press("escape", "escape", "down", "enter")
        await screen.see("topics > zebra")

    live(play)


def test_a_group_and_a_broker(
    live: Callable[..., LiveView], orders: str, make_consumer: MakeConsumer
) -> None:
    """A group shows its partitions with lag and member. A broker shows its partitions."""
    consumer = make_consumer({"group.id": "billing", "client.id": "invoices"})
    consumer.subscribe([orders])
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))

    async def play(screen: Screen) -> None:
        row = await screen.see("billing classic stable")
        assert row.split()[3:5] == ["1", "5"]
        await screen.press("enter")
        await screen.see("groups > billing", "orders 0 5", "invoices")
        await screen.press("1", "enter")
        await screen.see("brokers > broker 1", "orders 0 leader")
        await screen.press("4", "enter")
        await screen.see("slowest > billing", "invoices")
        await screen.press("tab", "shift+tab", "shift+tab")
        await screen.see("groups 1 row")

    live(play)


def test_lag_that_grows(
    live: Callable[..., LiveView], kafka_cluster: MockCluster, orders: str
) -> None:
    """The view follows the cluster: the lag and its slope change while no key is pressed."""

    async def play(screen: Screen) -> None:
        await screen.see("billing classic empty 0 5 +0.0")
        fill(kafka_cluster, orders, 10)
        row = await screen.see("billing classic empty 0 15")
        lag, slope = row.split()[4:6]
        assert lag == "15"
        assert slope.startswith("+")
        assert float(slope.replace(",", "")) > 0

    live(play)


def test_pause(
    live: Callable[..., LiveView], kafka_cluster: MockCluster, admin: AdminClient, orders: str
) -> None:
    """While the view is paused, it does not ask the cluster. Then it continues."""
    asked: list[float] = []

    def look() -> Snapshot:
        asked.append(time.monotonic())
        return sample(admin, TIMEOUT)

    async def play(screen: Screen) -> None:
        await screen.see("billing")
        await screen.press("p")
        await screen.see("PAUSED")
        await screen.until(lambda _: not screen.app._sampling)  # a sample that had begun
        count = len(asked)
        fill(kafka_cluster, orders, 10)
        await screen.press("r", "2", "3")
        await screen.see("empty 0 5")
        assert len(asked) == count
        await screen.press("space")
        await screen.see("empty 0 15")
        assert not any("PAUSED" in line for line in screen.lines)

    live(play, look)


def test_filter_and_sort(live: Callable[..., LiveView], kafka_cluster: MockCluster) -> None:
    """The filter works while the user types, Enter keeps it, and Escape removes it. Keys that are
    letters go into the filter. `s` changes the order, and the cursor stays on its row."""
    for name, partitions in (("aa", 1), ("bq", 3), ("cq", 2)):
        kafka_cluster.create_topic(name, partitions)

    async def play(screen: Screen) -> None:
        await screen.see("topics 3 rows, sorted by topic", "cq")
        await screen.press("slash", "q")
        await screen.see("topics 2 rows, sorted by topic, filter 'q'")
        await screen.press("enter", "down")
        await screen.press("s")
        await screen.see("2 rows, sorted by partitions, filter 'q'")
        names = [line.split()[0] for line in screen.lines if line[1:2] == "q"]
        assert names == ["bq", "cq"]
        await screen.press("S")
        await screen.see("sorted by partitions, backwards")
        names = [line.split()[0] for line in screen.lines if line[1:2] == "q"]
        assert names == ["cq", "bq"]
        await screen.press("enter")
        await screen.see("topics > cq")
        await screen.press("escape", "escape")
        await screen.see("topics 3 rows")
        await screen.press("slash", "x")
        await screen.see("no name contains the filter")
        await screen.press("escape")
        await screen.see("topics 3 rows")
        await screen.press("question_mark")
        await screen.see("sorts by the next column")
        await screen.press("escape", "down", "enter")
        await screen.see("topics > ")

    live(play, view="topics")


def test_a_broker_that_goes_down_and_comes_back(
    live: Callable[..., LiveView], kafka_cluster: MockCluster, admin: AdminClient, orders: str
) -> None:
    """While the broker is down, the view shows it as down. Afterwards, it is shown as up again."""

    async def play(screen: Screen) -> None:
        await screen.press("1")
        await screen.see("3 brokers, 1 topic")
        kafka_cluster.set_broker_down(2)
        await screen.see("2 brokers, 1 down", "2 - down")
        kafka_cluster.set_broker_up(2)
        line = await screen.see("3 brokers, 1 topic")
        assert "down" not in line

    # A sample that has begun when the broker goes down waits for it until its timeout.
    live(play, lambda: sample(admin, 1.0))


def test_a_cluster_that_does_not_answer(
    live: Callable[..., LiveView], kafka_cluster: MockCluster, admin: AdminClient, orders: str
) -> None:
    """The error and the time of the last answer are shown, the keys still work on the rows of the
    last answer, and the view continues when the cluster is back."""

    async def play(screen: Screen) -> None:
        await screen.see("billing")
        for broker in (1, 2, 3):
            kafka_cluster.set_broker_down(broker)
        await screen.see("no answer since ")
        await screen.press("2")
        await screen.see("orders", "no answer since ")
        for broker in (1, 2, 3):
            kafka_cluster.set_broker_up(broker)
        fill(kafka_cluster, orders, 3)
        await screen.no_longer_see("no answer")
        await screen.see("orders 3 0 0 10")

    live(play, lambda: sample(admin, 1.0))


def test_keys_do_not_wait_for_the_cluster(live: Callable[..., LiveView]) -> None:
    """While a sample is under way, the keys work, and the view ends at once."""
    release = threading.Event()

    def look() -> Snapshot:
        release.wait(TIMEOUT)
        return Snapshot(0.0)

    async def play(screen: Screen) -> None:
        await screen.see("asking the cluster ...")
        await screen.press("question_mark")
        await screen.see("sorts by the next column")
        await screen.press("escape", "q")

    app = live(play, look)
    release.set()
    assert app.return_value == 0


def test_a_fault_of_the_program_is_not_hidden() -> None:
    """An exception that does not come from Kafka ends the view, and the command raises it."""

    def look() -> Snapshot:
        raise ZeroDivisionError("a fault")

    app = LiveView(look, lambda place: [], EVERY)

    async def session() -> None:
        async with app.run_test(size=(80, 24)) as pilot:
            while app.failure is None:
                await pilot.pause(0.01)

    asyncio.run(asyncio.wait_for(session(), TIMEOUT))
    assert isinstance(app.failure, ZeroDivisionError)


def test_names_are_data(
    live: Callable[..., LiveView], kafka_cluster: MockCluster, orders: str
) -> None:
    """The name of a group is not read as markup or as a control sequence."""
    commit(kafka_cluster, HOSTILE, TopicPartition(orders, 0, 7))

    async def play(screen: Screen) -> None:
        await screen.see(r"x[red]y[/] \x1b[2J")
        await screen.press("end", "enter")
        await screen.see(r"groups > x[red]y[/] \x1b[2J")
        await screen.press("escape", "slash", "left_square_bracket")
        await screen.see("groups 1 row, sorted by lag, filter '['")

    live(play)


# --- on a terminal ----------------------------------------------------------------------------


def on_a_terminal(
    arguments: list[str], act: Callable[[int, int], object], environment: dict[str, str]
) -> tuple[int, bytes]:
    """Start the command on a terminal of its own, and call act(pid, terminal) when it shows the
    group. Returns the exit status and everything that was written."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", **environment})
        os.execv(sys.executable, [*COMMAND, "top", *arguments])
    written, acted = b"", False
    try:
        while True:
            try:
                data = os.read(terminal, 65536)
            except OSError:  # the process has ended
                break
            written += data
            if not acted and b"billing" in written:
                acted = True
                act(pid, terminal)
    finally:
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), written


@pytest.mark.parametrize(
    ("act", "status"),
    [
        (lambda pid, terminal: os.write(terminal, b"q"), 0),
        (lambda pid, terminal: os.write(terminal, b"\x03"), 130),
        (lambda pid, terminal: os.kill(pid, signal.SIGINT), 130),
        (lambda pid, terminal: os.kill(pid, signal.SIGTERM), 130),
    ],
    ids=["q", "Ctrl-C", "SIGINT", "SIGTERM"],
)
def test_the_end(
    kafka_cluster: MockCluster, orders: str, act: Callable[[int, int], object], status: int
) -> None:
    """The exit status is the same as for other commands, and the terminal is restored."""
    ended, written = on_a_terminal(["-b", kafka_cluster.bootstrap_servers], act, {})
    assert ended == status
    entered, left = written.rfind(b"\x1b[?1049h"), written.rfind(b"\x1b[?1049l")
    assert 0 <= entered < left
    assert b"\x1b[?25h" in written[left - 20 :]  # the cursor is visible
    assert b"Traceback" not in written


def test_without_textual(tmp_path: Path) -> None:
    """The message names the package to install, and --once, which works without it."""
    (tmp_path / "textual.py").write_text("raise ImportError('no textual')")
    environment = {"PYTHONPATH": str(tmp_path)}
    status, written = on_a_terminal(["-b", NO_BROKER], lambda *_: None, environment)
    assert status == 2
    text = " ".join(written.decode().split())
    assert "needs the package textual: pip install 'textual>=8'" in text
    assert "--once works without it" in text


def test_once_without_textual(
    kafka_cluster: MockCluster, orders: str, between: Between, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--once needs only the packages of the command line."""
    for name in [name for name in sys.modules if name.split(".")[0] == "textual"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "textual", None)
    done, rows = once(kafka_cluster, "groups")
    assert done.status == 0
    assert [row["group"] for row in rows] == ["billing"]


def test_the_log_is_not_written_over_the_view() -> None:
    """-X debug writes to stderr. If that is the same terminal, the command asks to redirect it."""
    status, written = on_a_terminal(["-b", NO_BROKER, "-X", "debug=all"], lambda *_: None, {})
    assert status == 2
    assert "2>kafka.log" in " ".join(written.decode().split())
