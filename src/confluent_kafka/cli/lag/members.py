"""Findings about the state of a group and its members."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from confluent_kafka.cli.groups.view import Member
from confluent_kafka.cli.lag.facts import Facts
from confluent_kafka.cli.lag.finding import (
    REBALANCING,
    Finding,
    Severity,
    command,
    evidence,
    place_name,
    topics_of,
)


def no_members(facts: Facts) -> Iterator[Finding]:
    group = facts.group
    if not group.members and group.state not in REBALANCING:
        lag = sum(facts.last.lags.values())
        yield Finding(
            Severity.CRITICAL if lag else Severity.WARNING,
            "no-members",
            "the group has no members, so nobody reads its partitions: start its consumers",
            [f"state {group.state}, lag {lag:,}"],
            [command("groups describe {} --members", group.name)],
        )


def rebalancing(facts: Facts) -> Iterator[Finding]:
    """A rebalance that was seen at any time, even if it was over at the end."""
    group, views = facts.group, facts.views
    busy = [each.state for each in views if each.state in REBALANCING]
    if not busy:
        return
    always = len(busy) == len(views)
    yield Finding(
        Severity.CRITICAL if always else Severity.WARNING,
        "rebalancing",
        "the group is distributing its partitions. Meanwhile, members may be unable to read"
        + (": look for members that do not take part" if always else ""),
        evidence(
            [
                f"state {busy[-1]}, seen {len(busy)} of {len(views)} times in "
                f"{facts.seconds:.1f} s; now {group.state}",
                *(line for member in group.members for line in _unfinished(member)),
            ]
        ),
        [command("groups describe {} --members --verbose", group.name)],
    )


def members_changed(facts: Facts) -> Iterator[Finding]:
    """Members that joined or left: each change is a rebalance."""
    changes = []
    for before, after in itertools.pairwise(facts.views):
        old, new = ({each.id: each for each in view.members} for view in (before, after))
        changes += [f"{_name(new[each])} has joined" for each in sorted(new.keys() - old)]
        changes += [f"{_name(old[each])} has left" for each in sorted(old.keys() - new)]
    if changes:
        yield Finding(
            Severity.WARNING,
            "members-changed",
            "members have joined or left while the command watched: each change is a rebalance. "
            "Compare max.poll.interval.ms with the time that a batch takes",
            evidence(changes),
            [command("groups describe {} --members --verbose", facts.group.name)],
        )


def _name(member: Member) -> str:
    return f"member {member.id} ({member.host})"


def _unfinished(member: Member) -> Iterator[str]:
    """Yield a line if a member has not taken or given up what the group has assigned to it."""
    target = set(member.reads if member.target is None else member.target)
    taking, releasing = sorted(target - {*member.reads}), sorted({*member.reads} - target)
    if taking or releasing:
        yield _name(member) + "".join(
            f" still has to {verb} {', '.join(map(place_name, places))}"
            for verb, places in (("release", releasing), ("take", taking))
            if places
        )


def idle_members(facts: Facts) -> Iterator[Finding]:
    group = facts.group
    idle = [member for member in group.members if not member.reads]
    if not idle or group.state in REBALANCING:
        return
    count, members = len(group.readers), len(group.members)
    severity, reason = Severity.WARNING, "look at its assignor"
    if not count:
        severity, reason = Severity.CRITICAL, "compare the topics that exist with its subscription"
    elif members > count:
        severity, reason = Severity.NOTE, "it has more members than partitions"
    topics = topics_of(group.readers)
    yield Finding(
        severity,
        "idle-members",
        f"the group has members that read no partition: {reason}",
        evidence(
            [f"members: {members}, partitions: {count}"]
            + [f"member {each.id} (client {each.client}, {each.host})" for each in idle]
        ),
        [f"topics describe {' '.join(topics)}" if topics else "topics list"],
    )


def unread_partitions(facts: Facts) -> Iterator[Finding]:
    group = facts.group
    if not group.members or group.state in REBALANCING:
        return
    readers = group.readers
    subscribed = {*topics_of(readers), *topics_of(group.committed)}
    unread = [
        each for each in sorted(facts.partitions) if each[0] in subscribed and each not in readers
    ]
    if unread:
        lags = facts.last.lags
        yield Finding(
            Severity.WARNING,
            "unread-partitions",
            "the group has partitions that no member reads: check what its members subscribe to",
            evidence(f"{place_name(each)}, lag {lags.get(each, 'unknown')}" for each in unread),
            [command("groups describe {} --members --verbose", group.name)],
        )
