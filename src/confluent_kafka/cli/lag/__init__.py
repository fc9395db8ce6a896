"""Why a group is behind: findings with their evidence, from facts alone.

Each check is a function that yields findings. It does not ask the cluster for anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from confluent_kafka.cli.lag import limits, members, progress, topics
from confluent_kafka.cli.lag.facts import Facts
from confluent_kafka.cli.lag.finding import Finding

_CHECKS: list[Callable[[Facts], Iterator[Finding]]] = [
    members.no_members,
    members.rebalancing,
    members.members_changed,
    topics.missing_topics,
    topics.outside_of_the_log,
    topics.replicas,
    limits.open_transactions,
    progress.stalled,
    progress.growing,
    progress.skewed,
    members.unread_partitions,
    progress.uncommitted,
    members.idle_members,
    limits.large_batches,
    limits.quotas,
]


def findings(facts: Facts) -> list[Finding]:
    """Return everything that is wrong with a group, the most important finding first.

    Args:
        facts: what is known about the group.
    """
    found = [finding for check in _CHECKS for finding in check(facts)]
    return sorted(found, key=lambda finding: finding.severity)
