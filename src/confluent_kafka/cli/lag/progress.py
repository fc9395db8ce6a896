"""Findings about what changed between the two samples: partitions that do not move, and rates."""

from __future__ import annotations

from collections.abc import Iterator

from confluent_kafka.cli.lag.facts import Facts
from confluent_kafka.cli.lag.finding import Finding, Severity, command, evidence, place_name
from confluent_kafka.cli.topics.place import Place

# One partition has most of the lag if it has at least this many messages, more than half of the
# lag, and this many times the average of the other partitions.
_SKEWED, _TIMES = 100, 4


def stalled(facts: Facts) -> Iterator[Finding]:
    """Partitions with a member that has committed nothing although messages waited all the time.

    Partitions in which an open transaction can be the reason have another finding.
    """
    group, readers = facts.group, facts.group.readers
    waiting = {
        place: lag
        for place, lag in facts.first.lags.items()
        if lag > 0
        and place in readers
        and facts.moved(place) == 0
        and facts.held_back.get(place) != group.committed.get(place)
    }
    if waiting and facts.seconds > 0:
        yield Finding(
            Severity.CRITICAL,
            "stalled",
            f"members have committed nothing for {facts.seconds:.1f} s although messages wait: "
            "look at the logs of these members for errors and slow processing",
            evidence(
                f"{place_name(place)} at {group.committed[place]}, lag {waiting[place]:,}, "
                + ", ".join(f"member {each.id} ({each.host})" for each in readers[place])
                for place in _largest(waiting)
                if place in group.committed
            ),
            [command("groups describe {} --members --verbose", group.name)],
        )


def uncommitted(facts: Facts) -> Iterator[Finding]:
    """Partitions with a member and messages, and without a committed offset."""
    group = facts.group
    without = [
        place
        for place in sorted(group.readers)
        if place not in group.committed
        and (facts.first.ends.get(place) or 0) > (facts.starts.get(place) or 0)
    ]
    if without:
        yield Finding(
            Severity.WARNING,
            "no-committed-offset",
            "members read partitions and have never committed an offset, so their lag is unknown",
            evidence(
                f"{place_name(place)}, {facts.starts.get(place)} to {facts.last.ends.get(place)}"
                for place in without
            ),
            [command("groups describe {}", group.name)],
        )


def growing(facts: Facts) -> Iterator[Finding]:
    """Partitions that get messages faster than the group reads them.

    A consumer commits from time to time, so the lag of a fast one also rises between two samples.
    But then it is not larger than what was produced between them.
    """
    first, last, seconds = facts.first.lags, facts.last.lags, facts.seconds
    faster = {
        place: last[place] - first[place]
        for place in last
        if place in first and last[place] > first[place] and last[place] > facts.produced(place)
    }
    if not faster or not facts.group.members:
        return
    yield Finding(
        Severity.WARNING,
        "growing",
        "the lag grows: producers are faster than the group. Add members if there are more "
        "partitions than members. Otherwise make the processing faster",
        evidence(
            f"{place_name(place)}: lag {first[place]:,} to {last[place]:,} in {seconds:.1f} s, "
            f"produced {facts.produced(place) / seconds:,.0f}/s, "
            f"read {facts.moved(place) / seconds:,.0f}/s"
            for place in _largest(faster)
        ),
        [command("groups describe {} --watch 2", facts.group.name)],
    )


def skewed(facts: Facts) -> Iterator[Finding]:
    """One partition with most of the lag."""
    lags = facts.last.lags
    if len(lags) < 2:
        return
    total, place = sum(lags.values()), _largest(lags)[0]
    largest = lags[place]
    others = (total - largest) / (len(lags) - 1)
    if largest >= _SKEWED and largest > total / 2 and largest > _TIMES * others:
        readers = facts.group.readers.get(place, [])
        yield Finding(
            Severity.WARNING,
            "skewed",
            "one partition has most of the lag: compare the keys of its messages, because one "
            "key always goes to the same partition",
            [
                f"{place_name(place)}: lag {largest:,} of {total:,} in {len(lags)} partitions",
                *(f"read by member {each.id} ({each.host})" for each in readers),
            ],
            # --group '' because the configuration can contain a group, which has no --partition.
            [f"consume {place[0]} --partition {place[1]} --group '' --from -100 -e -f '%k\\n'"],
        )


def _largest(values: dict[Place, int]) -> list[Place]:
    return sorted(values, key=lambda place: (-values[place], place))
