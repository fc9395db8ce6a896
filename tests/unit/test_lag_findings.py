"""Findings of ``why`` that no test cluster shows, or that depend on times."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.cli.base.terminal import open_console
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.groups.view import Member, Place, View
from confluent_kafka.cli.lag import findings
from confluent_kafka.cli.lag.facts import Facts, Partition, Sample, Transaction
from confluent_kafka.cli.lag.finding import Finding, Severity
from confluent_kafka.cli.lag.report import draw, options_of

NOW = 1_780_000_000.0  # 2026-05-28T20:26:40Z
MEMBER = Member("m-1", "me", "/10.0.0.1", [("orders", 0), ("orders", 1)])


def facts(
    committed: list[int],
    ends: list[int],
    stable: list[int] | None = None,
    members: list[Member] | None = None,
) -> Facts:
    """Two equal samples, 6 seconds apart, of a group that reads a topic."""
    places: list[Place] = [("orders", number) for number in range(len(ends))]
    group = View(
        *("billing", "consumer", "consumer", "stable"),
        [MEMBER] if members is None else members,
        dict(zip(places, committed, strict=True)),
    )
    sample = Sample(
        0.0,
        group,
        dict(zip(places, ends, strict=True)),
        dict(zip(places, stable or ends, strict=True)),
    )
    partitions = {place: Partition(1, [1, 2, 3], [1, 2, 3]) for place in places}
    starts = dict.fromkeys(places, 0)
    return Facts(sample, dataclasses.replace(sample, time=6.0), NOW, starts, partitions)


def only(found: list[Finding], name: str) -> Finding:
    (finding,) = (each for each in found if each.name == name)
    return finding


def test_a_healthy_group() -> None:
    """A healthy group has no findings."""
    assert findings(facts([3, 4], [3, 4])) == []


def test_partitions_without_a_leader_and_replicas_that_are_behind() -> None:
    """A partition without a leader is critical, and is not also called under-replicated."""
    given = dataclasses.replace(
        facts([3, 4], [3, 4]),
        partitions={
            ("orders", 0): Partition(None, [1, 2], [1]),
            ("orders", 1): Partition(3, [1, 2, 3], [3, 1]),
        },
    )
    first, second = findings(given)
    assert (first.severity, first.name) == (Severity.CRITICAL, "no-leader")
    assert first.evidence == ["orders:0, replicas on brokers 1, 2"]
    assert (second.severity, second.name) == (Severity.WARNING, "under-replicated")
    assert second.evidence == ["orders:1, not in sync on brokers 2"]


@pytest.mark.parametrize(
    ("transaction", "severity", "evidence", "commands"),
    [
        (
            Transaction(("orders", 0), 3, 4001, "billing-1", NOW - 5, True),
            Severity.WARNING,
            "producer 4001 (transactional id billing-1) since 2026-05-28T20:26:35Z (5 s)",
            ["transactions describe billing-1", "transactions force-terminate billing-1"],
        ),
        (
            Transaction(("orders", 0), 3, 4001, "billing-1", NOW - 600, True),
            Severity.CRITICAL,
            "producer 4001 (transactional id billing-1) since 2026-05-28T20:16:40Z (600 s)",
            ["transactions describe billing-1", "transactions force-terminate billing-1"],
        ),
        (
            Transaction(("orders", 0), 3, 4001, "billing-1", NOW - 5, False),
            Severity.CRITICAL,
            "producer 4001 (transactional id billing-1), last message 2026-05-28T20:26:35Z (5 s)",
            [
                "transactions describe-producers orders:0",
                "transactions abort orders:0 --start-offset 3",
            ],
        ),
        (
            Transaction(("orders", 0), 3, 4001, since=NOW - 1000),
            Severity.CRITICAL,
            "producer 4001, last message 2026-05-28T20:10:00Z (1000 s)",
            [
                "transactions describe-producers orders:0",
                "transactions abort orders:0 --start-offset 3",
            ],
        ),
        (
            Transaction(("orders", 0), 3, 4001, since=NOW - 800),
            Severity.WARNING,
            "producer 4001, last message 2026-05-28T20:13:20Z (800 s)",
            ["transactions describe-producers orders:0"],
        ),
        (
            None,
            Severity.WARNING,
            "the producer is unknown",
            ["transactions describe-producers orders:0"],
        ),
    ],
)
def test_open_transactions(
    transaction: Transaction | None, severity: Severity, evidence: str, commands: list[str]
) -> None:
    """A transaction is critical if it is open for long, or if its coordinator does not have it.

    If no transactional id is listed, this user may lack the permission. Such a transaction is
    called hanging only after the longest time that a transaction can last. If this user may not see
    producers, the finding still shows the partition.
    """
    given = facts([3, 4], [9, 4], stable=[3, 4])
    given = dataclasses.replace(given, transactions=[transaction] if transaction else [])
    finding = only(findings(given), "open-transaction")
    assert (finding.severity, finding.commands) == (severity, commands)
    assert finding.evidence == [f"orders:0: last stable offset 3, end 9, {evidence}"]
    assert ("it hangs" in finding.text) is ("abort" in commands[-1])
    # The member waits for the transaction: it is not the member's fault.
    assert [each.name for each in findings(given)] == ["open-transaction"]


def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The text is wrapped. Commands stay on one line, with the options that name the cluster."""
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "50")
    finding = Finding(
        Severity.CRITICAL,
        "no-members",
        "the group has no members, so nobody reads its partitions",
        ["state empty\x1b[2J, lag 2"],
        ["groups describe billing --members --verbose"],
    )
    draw(open_console(), [finding], options_of(Connection("localhost:9092", Path("my file")), None))
    assert capsys.readouterr().out.splitlines() == [
        "critical no-members",
        "  the group has no members, so nobody reads its   ",
        "  partitions                                      ",
        r"    state empty\x1b[2J, lag 2                     ",
        "  $ confluent-kafka groups describe billing --members --verbose -F 'my file' -b "
        "localhost:9092",
    ]


def test_the_options_for_the_connection() -> None:
    """If there is a profile, the options name the profile and not the file."""
    assert options_of(Connection(), "my prod") == " -C 'my prod'"
    assert options_of(Connection("a:1", Path("f")), "prod") == " -C prod -b a:1"


def test_members_that_do_not_finish_a_rebalance() -> None:
    """The evidence lists the partitions that each member still has to release or take."""
    slow = dataclasses.replace(MEMBER, target=[("orders", 0)])
    new = Member("m-2", "me", "/10.0.0.2", [], [("orders", 1)])
    given = facts([3, 4], [3, 4], members=[slow, new])
    group = dataclasses.replace(given.group, state="reconciling")
    last = dataclasses.replace(given.last, group=group)
    finding = only(findings(dataclasses.replace(given, last=last)), "rebalancing")
    assert finding.severity is Severity.WARNING
    assert finding.evidence == [
        "state reconciling, seen 1 of 2 times in 6.0 s; now reconciling",
        "member m-1 (/10.0.0.1) still has to release orders:1",
        "member m-2 (/10.0.0.2) still has to take orders:1",
    ]


def test_a_small_lag_is_not_skewed() -> None:
    """A lag of a few messages in one partition is not reported as skewed."""
    names = [each.name for each in findings(facts([0, 0], [99, 0]))]
    assert "skewed" not in names
    names = [each.name for each in findings(facts([0, 0], [100, 0]))]
    assert "skewed" in names


def test_long_evidence() -> None:
    """The evidence of a finding has at most ten lines, and a count of the others."""
    given = facts([0] * 30, [0] * 30)
    finding = only(findings(given), "unread-partitions")
    assert finding.evidence[0] == "orders:2, lag 0"
    assert len(finding.evidence) == 11
    assert finding.evidence[-1] == "and 18 more"


def test_the_stalled_partition_with_the_largest_lag_comes_first() -> None:
    """The evidence begins with the partitions that have the largest lag."""
    finding = only(findings(facts([0, 0], [5, 7])), "stalled")
    assert finding.evidence == [
        "orders:1 at 0, lag 7, member m-1 (/10.0.0.1)",
        "orders:0 at 0, lag 5, member m-1 (/10.0.0.1)",
    ]


def test_names_that_a_shell_would_interpret() -> None:
    """Names that a shell would interpret are quoted in commands."""
    given = facts([3], [3], members=[])
    group = dataclasses.replace(given.group, name="a b;c", state="empty")
    given = dataclasses.replace(given, last=dataclasses.replace(given.last, group=group))
    assert only(findings(given), "no-members").commands == ["groups describe 'a b;c' --members"]


def test_large_batches() -> None:
    """Batches that are larger than a member fetches of a partition are a note. A batch of exactly
    that size is not."""
    given = dataclasses.replace(
        facts([3, 4], [9, 5]), batches={("orders", 0): 3_000_000, ("orders", 1): 1_048_576}
    )
    finding = only(findings(given), "large-batches")
    assert finding.severity is Severity.NOTE
    assert finding.evidence == ["orders:0 at 3: a batch of 3,000,000 bytes, lag 6"]
    assert finding.commands == ["configs describe topic orders"]
