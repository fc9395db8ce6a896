"""Findings about the topics of a group, and about offsets outside of their logs."""

from __future__ import annotations

from collections.abc import Iterator

from confluent_kafka.cli.groups.views import commands_for
from confluent_kafka.cli.lag.facts import Facts
from confluent_kafka.cli.lag.finding import (
    Finding,
    Severity,
    command,
    evidence,
    place_name,
    selections,
    topics_of,
)
from confluent_kafka.cli.topics.place import Place


def missing_topics(facts: Facts) -> Iterator[Finding]:
    if facts.missing:
        yield Finding(
            Severity.CRITICAL,
            "missing-topics",
            "topics of the group do not exist: check the names that its members subscribe to",
            evidence(f"topic {topic}" for topic in sorted(facts.missing)),
            ["topics list"],
        )
    for topic, reason in sorted(facts.unreadable.items()):
        yield Finding(
            Severity.WARNING,
            "unreadable-topic",
            "a topic of the group cannot be examined",
            [f"topic {topic}: {reason}"],
            [f"acls list --resource topic --name {topic}"],
        )


def outside_of_the_log(facts: Facts) -> Iterator[Finding]:
    before: list[tuple[Place, str]] = []
    after: list[tuple[Place, str]] = []
    for place, offset in sorted(facts.group.committed.items()):
        start, end = facts.starts.get(place), facts.last.ends.get(place)
        if start is not None and offset < start:
            lost = f"{start - offset:,} messages are gone"
            before.append((place, f"committed {offset}, log start {start}: {lost}"))
        if end is not None and offset > end:
            after.append((place, f"committed {offset}, end {end}"))
    for found, name, text in (
        (
            before,
            "data-lost",
            "messages were deleted before the group read them: the log begins after the "
            "committed offset",
        ),
        (
            after,
            "offset-beyond-the-end",
            "the committed offset is after the end: the topic was probably deleted and created "
            "again, or lost data",
        ),
    ):
        if found:
            chosen = selections(place for place, _ in found)
            group = facts.group
            yield Finding(
                Severity.CRITICAL,
                name,
                text,
                evidence(f"{place_name(place)}: {line}" for place, line in found),
                [
                    command(
                        f"{commands_for(group.kind)} reset-offsets {{}} {chosen} --to earliest",
                        group.name,
                    )
                ],
            )


def replicas(facts: Facts) -> Iterator[Finding]:
    leaderless = [place for place, each in sorted(facts.partitions.items()) if each.leader is None]
    behind = {
        place: each.out_of_sync
        for place, each in sorted(facts.partitions.items())
        if each.out_of_sync
    }
    if leaderless:
        yield Finding(
            Severity.CRITICAL,
            "no-leader",
            "partitions have no leader, so nobody can read them: start the brokers that store them",
            evidence(
                f"{place_name(each)}, replicas on brokers "
                + ", ".join(map(str, facts.partitions[each].replicas))
                for each in leaderless
            ),
            [f"topics describe {' '.join(topics_of(leaderless))}", "cluster describe"],
        )
    behind = {place: brokers for place, brokers in behind.items() if place not in leaderless}
    if behind:
        yield Finding(
            Severity.WARNING,
            "under-replicated",
            "partitions have replicas that are not in sync: brokers are down or slow, and if more "
            "of them fail, nobody can read",
            evidence(
                f"{place_name(place)}, not in sync on brokers {', '.join(map(str, brokers))}"
                for place, brokers in behind.items()
            ),
            [f"topics describe {' '.join(topics_of(behind))}", "cluster describe"],
        )
