"""The tables of the live view, whose rows are made from two states of a cluster."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from confluent_kafka.cli.lag.facts import Partition
from confluent_kafka.cli.live.snapshot import Pair
from confluent_kafka.cli.live.table import Column, Kind, Row, Table
from confluent_kafka.cli.topics.place import Place

_MOST = 20  # rows of SLOWEST


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 1) + 0.0  # + 0.0 changes -0.0 into 0.0


def _total(rates: Iterable[float | None]) -> float | None:
    """Return the sum of the known rates, or None if no rate is known."""
    known = [rate for rate in rates if rate is not None]
    return _rounded(math.fsum(known)) if known else None


def _brokers(pair: Pair) -> list[Row]:
    state = pair.last
    leads, replicas, behind = Counter[int](), Counter[int](), Counter[int]()
    rates: defaultdict[int | None, list[float | None]] = defaultdict(list)
    for place, one in state.partitions.items():
        if one.leader is not None:
            leads[one.leader] += 1
        replicas.update(one.replicas)
        behind.update(one.out_of_sync)
        rates[one.leader].append(pair.written(place))
    return [
        (
            *(id_, state.brokers.get(id_), "up" if id_ in state.brokers else "down"),
            *(id_ == state.controller, leads[id_], replicas[id_], behind[id_], _total(rates[id_])),
        )
        for id_ in sorted({*state.brokers, *state.missing})
    ]


BROKERS = Table(
    (
        Column("broker", Kind.NUMBER),
        Column("address", Kind.NAME),
        Column("state", Kind.NAME),
        Column("controller", Kind.NAME),
        Column("leads", Kind.COUNT),
        Column("replicas", Kind.COUNT),
        Column("out of sync", Kind.PROBLEMS),
        Column("messages/s", Kind.RATE),
    ),
    keys=1,
    order="broker",
    rows=_brokers,
)


def _topics(pair: Pair) -> list[Row]:
    found: dict[str, dict[Place, Partition]] = {}
    for place, one in pair.last.partitions.items():
        found.setdefault(place[0], {})[place] = one
    return [_topic(pair, topic, partitions) for topic, partitions in sorted(found.items())]


def _topic(pair: Pair, topic: str, partitions: Mapping[Place, Partition]) -> Row:
    ends = [end for place in partitions if (end := pair.last.ends.get(place)) is not None]
    return (
        topic,
        len(partitions),
        sum(bool(one.out_of_sync) for one in partitions.values()),
        sum(one.leader is None for one in partitions.values()),
        sum(ends) if ends else None,
        _total(map(pair.written, partitions)),
    )


TOPICS = Table(
    (
        Column("topic", Kind.NAME),
        Column("partitions", Kind.COUNT),
        Column("under-replicated", Kind.PROBLEMS),
        Column("offline", Kind.PROBLEMS),
        Column("ends", Kind.COUNT),
        Column("messages/s", Kind.RATE),
    ),
    keys=1,
    order="topic",
    rows=_topics,
)


def _groups(pair: Pair) -> list[Row]:
    rows: list[Row] = []
    for name, group in sorted(pair.last.groups.items()):
        lags = [lag for lag in pair.last.lags(name).values() if lag is not None]
        rows.append(
            (
                *(name, group.kind, group.state, len(group.members)),
                sum(lags) if lags else None,
                _total(pair.slopes(name).values()),
                _total(pair.reads(name).values()),
            )
        )
    return rows


GROUPS = Table(
    (
        Column("group", Kind.NAME),
        Column("type", Kind.NAME),
        Column("state", Kind.NAME),
        Column("members", Kind.COUNT),
        Column("lag", Kind.COUNT),
        Column("lag/s", Kind.SLOPE),
        Column("read/s", Kind.RATE),
    ),
    keys=1,
    order="lag",
    rows=_groups,
)


_Rates = tuple[Place, int | None, float | None, float | None]


def _rates(pair: Pair, group: str) -> Iterator[_Rates]:
    """Yield each partition of a group with its lag, the slope of its lag, and its read rate."""
    slopes, reads = pair.slopes(group), pair.reads(group)
    for place, lag in pair.last.lags(group).items():
        yield place, lag, _rounded(slopes.get(place)), _rounded(reads.get(place))


def _slowest(pair: Pair) -> list[Row]:
    rows: list[Row] = [
        (group, *place, lag, slope, read)
        for group in sorted(pair.last.groups)
        for place, lag, slope, read in _rates(pair, group)
        if lag
    ]
    # If slopes are equal, the largest lag stays first.
    return sorted(rows, key=lambda row: -row[3])


SLOWEST = Table(
    (
        Column("group", Kind.NAME),
        Column("topic", Kind.NAME),
        Column("partition", Kind.NUMBER),
        Column("lag", Kind.COUNT),
        Column("lag/s", Kind.SLOPE),
        Column("read/s", Kind.RATE),
    ),
    keys=3,
    order="lag/s",
    rows=_slowest,
    most=_MOST,
)

TABLES: Mapping[str, Table] = {
    "brokers": BROKERS,
    "topics": TOPICS,
    "groups": GROUPS,
    "slowest": SLOWEST,
}


def partitions_of_topic(topic: str) -> Table:
    """Return the table of the partitions of a topic."""

    def rows(pair: Pair) -> list[Row]:
        return [
            (
                *(place[1], one.leader, _ids(one.replicas), _ids(one.in_sync)),
                *(pair.last.ends.get(place), _rounded(pair.written(place))),
            )
            for place, one in sorted(pair.last.partitions.items())
            if place[0] == topic
        ]

    columns = (
        Column("partition", Kind.NUMBER),
        Column("leader", Kind.NUMBER),
        Column("replicas", Kind.NAME),
        Column("in sync", Kind.NAME),
        Column("end", Kind.COUNT),
        Column("messages/s", Kind.RATE),
    )
    return Table(columns, keys=1, order="partition", rows=rows)


def _ids(brokers: Iterable[int]) -> str:
    return ",".join(map(str, brokers))


def partitions_of_broker(broker: int) -> Table:
    """Return the table of the partitions that a broker leads or has a replica of."""

    def rows(pair: Pair) -> list[Row]:
        return [
            (
                *(*place, "leader" if one.leader == broker else "follower"),
                "no" if broker in one.out_of_sync else "yes",
                *(pair.last.ends.get(place), _rounded(pair.written(place))),
            )
            for place, one in sorted(pair.last.partitions.items())
            if broker in one.replicas
        ]

    columns = (
        Column("topic", Kind.NAME),
        Column("partition", Kind.NUMBER),
        Column("role", Kind.NAME),
        Column("in sync", Kind.NAME),
        Column("end", Kind.COUNT),
        Column("messages/s", Kind.RATE),
    )
    return Table(columns, keys=2, order="topic", rows=rows)


def partitions_of_group(group: str) -> Table:
    """Return the table of the partitions of a group, with the members that read them."""

    def rows(pair: Pair) -> list[Row]:
        if group not in pair.last.groups:
            return []
        readers = pair.last.groups[group].readers
        return [
            (
                *(*place, lag, slope, read),
                *(
                    ", ".join(getattr(each, name) for each in readers.get(place, ())) or None
                    for name in ("client", "id")
                ),
            )
            for place, lag, slope, read in _rates(pair, group)
        ]

    columns = (
        Column("topic", Kind.NAME),
        Column("partition", Kind.NUMBER),
        Column("lag", Kind.COUNT),
        Column("lag/s", Kind.SLOPE),
        Column("read/s", Kind.RATE),
        Column("client", Kind.NAME),
        Column("member", Kind.NAME),
    )
    return Table(columns, keys=2, order="lag/s", rows=rows)
