"""The tables of ``top``: rates and slopes from two samples, their order, and how they fit."""

from __future__ import annotations

import dataclasses

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from rich.cells import cell_len

from confluent_kafka.cli.commands.top import Shown
from confluent_kafka.cli.groups.view import Member, View
from confluent_kafka.cli.lag.facts import Partition
from confluent_kafka.cli.live import rows
from confluent_kafka.cli.live.fitting import Fitted, elided
from confluent_kafka.cli.live.navigation import Navigation
from confluent_kafka.cli.live.pages import MessagesPage, Page, message_lines
from confluent_kafka.cli.live.snapshot import History, Pair, Snapshot
from confluent_kafka.cli.live.status import summary
from confluent_kafka.cli.live.table import Column, Kind, Row, Table, in_order
from confluent_kafka.cli.topics.place import Place

HEALTHY = Partition(1, [1, 2], [1, 2])


def group(committed: dict[Place, int], **fields: object) -> View:
    members = [Member("m-1", "billing", "/10.0.0.1", sorted(committed))]
    view = View("g", "classic", "consumer", "stable", members, committed)
    return dataclasses.replace(view, **fields)  # type: ignore[arg-type]


def state(
    time: float = 0.0,
    ends: dict[Place, int | None] | None = None,
    committed: dict[Place, int] | None = None,
    partitions: dict[Place, Partition] | None = None,
    **fields: object,
) -> Snapshot:
    """A state with the group `g`, unless `committed` is None."""
    ends = ends or {}
    return Snapshot(
        time,
        {1: "a:9092", 2: "b:9092"},
        1,
        dict.fromkeys(ends, HEALTHY) if partitions is None else partitions,
        ends,
        {} if committed is None else {"g": group(committed)},
        **fields,  # type: ignore[arg-type]
    )


def named(table: Table, pair: Pair) -> list[dict[str, object]]:
    return [dict(zip(table.names, row, strict=True)) for row in table.sorted(pair)]


A, B = ("t", 0), ("t", 1)


def test_rates_of_topics_and_brokers() -> None:
    """Messages a second are the growth of the end offsets, divided by the time between the
    samples. A broker has those of the partitions that it leads."""
    partitions = {A: HEALTHY, B: Partition(2, [1, 2], [2])}
    first = state(10.0, {A: 100, B: 7}, partitions=partitions)
    pair = Pair(first, state(14.0, {A: 300, B: 9}, partitions=partitions))
    (topic,) = named(rows.TOPICS, pair)
    assert topic == {
        "topic": "t",
        "partitions": 2,
        "under-replicated": 1,
        "offline": 0,
        "ends": 309,
        "messages/s": 50.5,
    }
    one, two = named(rows.BROKERS, pair)
    assert (one["leads"], one["replicas"], one["out of sync"], one["messages/s"]) == (1, 2, 1, 50.0)
    assert (two["leads"], two["replicas"], two["out of sync"], two["messages/s"]) == (1, 2, 0, 0.5)
    assert (one["controller"], two["controller"]) == (True, False)


def test_a_broker_that_is_down() -> None:
    """A broker that only has replicas is down. Its partitions without a leader are offline, and
    have no end and no rate."""
    partitions = {A: Partition(None, [3], [3]), B: HEALTHY}
    pair = Pair(
        state(0.0, {B: 1}, partitions=partitions), state(1.0, {B: 2}, partitions=partitions)
    )
    *_, three = named(rows.BROKERS, pair)
    assert (three["broker"], three["address"], three["state"]) == (3, None, "down")
    assert (three["leads"], three["replicas"], three["messages/s"]) == (0, 1, None)
    (topic,) = named(rows.TOPICS, pair)
    assert (topic["offline"], topic["ends"], topic["messages/s"]) == (1, 2, 1.0)
    text = summary(pair.last).plain
    assert text == "2 brokers, 1 down, 1 offline, 1 topic, 0 groups"
    assert [row[1] for row in rows.partitions_of_topic("t").sorted(pair)] == [None, 1]
    assert [row[:2] for row in rows.partitions_of_broker(3).sorted(pair)] == [A]


def test_a_topic_that_was_created_again() -> None:
    """Its end has moved back, so nobody knows how many messages were added."""
    pair = Pair(state(0.0, {A: 100}), state(2.0, {A: 3}))
    assert named(rows.TOPICS, pair)[0]["messages/s"] is None


def test_one_sample() -> None:
    """With one sample, or two at the same time, rates are unknown and numbers are known."""
    only = state(1.0, {A: 10}, {A: 4})
    for pair in (Pair(only, only), Pair(only, dataclasses.replace(only))):
        (row,) = named(rows.GROUPS, pair)
        assert (row["lag"], row["lag/s"], row["read/s"]) == (6, None, None)
        assert named(rows.TOPICS, pair)[0]["messages/s"] is None


@pytest.mark.parametrize(
    ("ends", "committed", "slope", "read"),
    [
        ((100, 120), (100, 100), 10.0, 0.0),  # nobody reads
        ((100, 120), (50, 90), -10.0, 20.0),  # catches up
        ((100, 120), (90, 110), 0.0, 10.0),  # keeps its distance
        ((100, 100), (90, 50), 20.0, -20.0),  # the offsets were reset
        ((100, 100), (100, 120), 0.0, 10.0),  # committed beyond the end: no lag is below 0
    ],
)
def test_slopes(
    ends: tuple[int, int], committed: tuple[int, int], slope: float, read: float
) -> None:
    """The slope is by how much a second the lag grows: below 0 when the group catches up."""
    pair = Pair(
        state(0.0, {A: ends[0]}, {A: committed[0]}), state(2.0, {A: ends[1]}, {A: committed[1]})
    )
    (row,) = named(rows.GROUPS, pair)
    assert (row["lag/s"], row["read/s"]) == (slope, read)
    (row,) = named(rows.partitions_of_group("g"), pair)
    assert (row["lag/s"], row["read/s"]) == (slope, read)
    assert (row["client"], row["member"]) == ("billing", "m-1")


def test_a_partition_that_is_new_in_a_group() -> None:
    """Its lag counts, but it is no growth: it was unknown before. The same is true for a group
    that is new."""
    first = state(0.0, {A: 10, B: 500}, {A: 5})
    last = state(1.0, {A: 13, B: 500}, {A: 5, B: 0})
    (row,) = named(rows.GROUPS, Pair(first, last))
    assert (row["lag"], row["lag/s"]) == (508, 3.0)
    (row,) = named(rows.GROUPS, Pair(state(0.0, {A: 10, B: 500}), last))
    assert (row["lag"], row["lag/s"]) == (508, None)


def test_a_group_with_an_unknown_end() -> None:
    """A group can have offsets in a topic that was deleted: this partition has no lag."""
    pair = Pair(state(0.0, {A: 10}, {B: 3}), state(1.0, {A: 10}, {B: 3}))
    (row,) = named(rows.GROUPS, pair)
    assert (row["lag"], row["lag/s"], row["read/s"]) == (None, None, 0.0)
    assert named(rows.SLOWEST, pair) == []
    (row,) = named(rows.partitions_of_group("g"), pair)
    assert (row["topic"], row["lag"]) == ("t", None)


def test_a_share_group() -> None:
    """Its lag is what the brokers return, because its start offset is not what it has read."""
    views = [group({A: 0}, kind="share", lags={A: lag}) for lag in (7, 11)]
    first, last = (
        dataclasses.replace(state(number * 2.0, {A: 100}), groups={"g": view})
        for number, view in enumerate(views)
    )
    (row,) = named(rows.GROUPS, Pair(first, last))
    assert (row["lag"], row["lag/s"]) == (11, 2.0)


def test_the_slowest_partitions() -> None:
    """The partitions whose lag grows most are first. If two grow equally, the one with the larger
    lag is first. There are at most 20, and none without lag."""
    places = [("t", number) for number in range(30)]
    first = state(0.0, dict.fromkeys(places, 1000), dict.fromkeys(places, 0))
    ends = {place: 1000 + 10 * (place[1] // 2) for place in places}
    committed = {place: place[1] % 2 for place in places} | {places[29]: ends[places[29]]}
    found = rows.SLOWEST.sorted(Pair(first, state(1.0, ends, committed)))
    assert len(found) == 20
    assert [row[2] for row in found[:5]] == [28, 26, 27, 24, 25]


def test_history() -> None:
    """Rates are averages of the last ten seconds, and of two samples that are further apart."""
    history = History(10.0)
    assert history.pair is None
    for second in range(0, 30, 2):
        history.add(state(float(second)))
    assert history.pair is not None
    assert (history.pair.first.time, history.pair.last.time) == (18.0, 28.0)
    for second in (100, 200):
        history.add(state(float(second)))
    assert (history.pair.first.time, history.pair.last.time) == (100.0, 200.0)


COLUMNS = (Column("name", Kind.NAME), Column("number", Kind.NUMBER), Column("lag", Kind.COUNT))
ROWS: list[Row] = [("b", 2, None), ("c", None, 5), ("a", 3, 9), (None, 1, 7)]


@pytest.mark.parametrize(
    ("order", "backwards", "names"),
    [
        ("name", False, ["a", "b", "c", None]),
        ("name", True, ["c", "b", "a", None]),
        ("number", False, [None, "b", "a", "c"]),
        ("lag", False, ["a", None, "c", "b"]),
        ("lag", True, ["c", None, "a", "b"]),
    ],
)
def test_order(order: str, backwards: bool, names: list[str | None]) -> None:
    """Names go upwards and amounts downwards. Unknown values are last in both directions."""
    assert [row[0] for row in in_order(COLUMNS, ROWS, order, backwards)] == names


def test_sorting_and_filtering_a_page() -> None:
    """The next column follows the last one, and a filter looks at names alone, in any case."""
    page = Page("p", Table(COLUMNS, 1, "name", lambda _: ROWS))
    only = state()
    orders = []
    for _ in range(4):
        orders.append(page.order)
        page.sort_by_next()
    assert orders == ["name", "number", "lag", "name"]
    page.filter = "A"
    assert [row[0] for row in page.rows(Pair(only, only))] == ["a"]
    page.filter = "9"
    assert page.rows(Pair(only, only)) == []


def test_the_way_into_a_page_and_back() -> None:
    """A topic opens its partitions, a partition its messages. The way back returns what identifies
    the rows, and the first page stays."""
    at = Navigation("topics")
    at.open(("orders", 1, 0, 0, 5, 0.0), ("orders",))
    at.open((3, 1, "1", "1", 5, 0.0), (3,))
    page = at.page
    assert isinstance(page, MessagesPage)
    assert page.place == ("orders", 3)
    at.open((7, None, None, None), (7,))  # a message opens no page
    assert [at.go_back(), at.go_back(), at.go_back()] == [(3,), ("orders",), None]
    assert at.page.title == "topics"
    for name, row, title in (
        ("brokers", (2,), "broker 2"),
        ("groups", ("g",), "g"),
        ("slowest", ("g", "t", 1), "g"),
    ):
        at.show(name)
        at.open(row, row)
        assert at.page.title == title
    at.show("slowest")
    at.move(1)
    assert at.view == "brokers"


def test_messages() -> None:
    """The newest message is first. Keys and values that are objects are JSON on one line."""
    page = MessagesPage(("t", 0))
    fields = {"topic": "t", "partition": 0, "headers": []}
    page.load(
        [
            {**fields, "offset": 1, "timestamp": 0, "key": None, "value": {"a": "\x9b"}},
            {**fields, "offset": 2, "timestamp": -1, "key": "k", "value": "two"},
            {**fields, "offset": 3, "timestamp": 2**62, "key": "k", "value": [1]},
        ]
    )
    only = state()
    assert page.rows(Pair(only, only)) == [
        (3, str(2**62), "k", "[1]"),
        (2, None, "k", "two"),
        (1, "1970-01-01 00:00:00", None, '{"a": "\x9b"}'),
    ]
    lines = message_lines(page.message((1,)))
    assert r'    "a": "\x9b"' in lines
    assert lines[0] == "{"


@pytest.mark.parametrize("width", [1, 2, 5, 6, 9])
@pytest.mark.parametrize("text", ["payments.orders.v1", "注文テーブル一覧", "short"])
def test_elided(text: str, width: int) -> None:
    """A text that is too wide keeps its ends, and never takes more cells."""
    found = elided(text, width)
    assert cell_len(found) <= width
    assert (found == text) == (cell_len(text) <= width)
    if found != text:
        assert "…" in found
        assert text.startswith(found.split("…")[0].strip())
        assert text.endswith(found.split("…")[1])


NAME = "payments.orders.created.by.the.shop.in.europe.v1"
LARGE = 1_234_567_890
WIDE: list[tuple[Table, Row]] = [
    (rows.BROKERS, (101, f"{NAME}:9092", "down", True, 12_345, 23_456, 12_345, 123_456.7)),
    (rows.TOPICS, (NAME, 12_345, 12_345, 12_345, 1000 * LARGE, 123_456.7)),
    (
        rows.GROUPS,
        (NAME, "consumer", "completing_rebalance", 1_234, LARGE, -123_456.7, 123_456.7),
    ),
    (rows.SLOWEST, (NAME, NAME, 12_345, LARGE, -123_456.7, 123_456.7)),
    (rows.partitions_of_topic("t"), (12_345, 101, "101,102,103", "101,102", LARGE, 123_456.7)),
    (rows.partitions_of_broker(1), (NAME, 12_345, "follower", "yes", LARGE, 123_456.7)),
    (
        rows.partitions_of_group("g"),
        (NAME, 12_345, LARGE, -123_456.7, 123_456.7, NAME, NAME),
    ),
]


@pytest.mark.parametrize(("table", "row"), WIDE, ids=[table.names[0] for table, _ in WIDE])
def test_80_columns(table: Table, row: Row) -> None:
    """Every column of every table is on the screen. Numbers are whole and right-aligned, and names
    are shorter."""
    small = tuple(1 if isinstance(value, int | float) else value for value in row)
    fitted = Fitted(table.columns, [row, small], 80, table.order)
    header, lines = fitted.header(), [fitted.line(0).plain, fitted.line(1).plain]
    assert len(header) <= 2
    assert all(cell_len(line.rstrip()) <= 80 for line in [*lines, *(each.plain for each in header)])
    for column in table.columns:
        words = column.name.replace("-", "- ").split()
        assert all(any(word in line.plain for line in header) for word in words), column
    for column, value in zip(table.columns, row, strict=True):
        if column.kind is Kind.NAME:
            continue
        forms = {Kind.NUMBER: "{}", Kind.RATE: "{:,.1f}", Kind.SLOPE: "{:+,.1f}"}
        text = forms.get(column.kind, "{:,}").format(value)
        assert f" {text} " in f" {lines[0]} "
        end = f" {lines[0]} ".index(f" {text} ") + len(text)
        less = forms.get(column.kind, "{:,}").format(1)
        assert lines[1][:end].endswith(less), column


def test_a_terminal_that_is_too_narrow() -> None:
    """The last columns are left out. A number is never cut."""
    columns = (Column("name", Kind.NAME), Column("lag", Kind.COUNT), Column("ends", Kind.COUNT))
    for width in range(1, 40):
        line = Fitted(columns, [("payments", 1234, 567_890)], width, "name").line(0).plain
        assert cell_len(line.rstrip()) <= width
        name, *numbers = line.split()
        assert numbers in ([], ["1,234"], ["1,234", "567,890"])
        assert width < 16 or numbers, name


def test_views() -> None:
    """The views of the command are the tables that exist."""
    assert [each.value for each in Shown] == list(rows.TABLES)


def test_names_are_data() -> None:
    """Control characters of names are escapes, and nothing is markup."""
    hostile = "[red]x[/] \x1b[2J :smile:"
    columns = (Column("name", Kind.NAME),)
    line = Fitted(columns, [(hostile,)], 80, "name").line(0)
    assert line.plain.strip() == r"[red]x[/] \x1b[2J :smile:"
    assert {str(span.style) for span in line.spans} <= {""}
