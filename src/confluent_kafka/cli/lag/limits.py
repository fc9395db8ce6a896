"""Findings about what delays readers: open transactions, large batches and quotas."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from confluent_kafka.cli.lag.facts import Facts, Transaction
from confluent_kafka.cli.lag.finding import Finding, Severity, command, evidence, place_name
from confluent_kafka.cli.lag.sizes import FETCHED
from confluent_kafka.cli.lag.transactions import hangs, seconds_open
from confluent_kafka.cli.topics.place import Place

_LONG = 60  # seconds; the default of transaction.timeout.ms
_HANGING = (
    ". Its coordinator has no record of it, so it hangs, or you have no permission to describe its "
    "transactional id: look at its producer, and abort it"
)


def open_transactions(facts: Facts) -> Iterator[Finding]:
    """Transactions that have held the last stable offset at one place during both samples."""
    held = facts.held_back
    if not held:
        return
    by_place: dict[Place, list[Transaction]] = {}
    for each in facts.transactions:
        by_place.setdefault(each.place, []).append(each)
    hanging = any(hangs(each, facts.now) for each in facts.transactions)
    long = any(
        each.coordinated and seconds_open(each, facts.now) > _LONG for each in facts.transactions
    )
    yield Finding(
        Severity.CRITICAL if hanging or long else Severity.WARNING,
        "open-transaction",
        "members with isolation.level=read_committed wait for the end of a transaction"
        + (_HANGING if hanging else ""),
        evidence(_line(place, held[place], by_place, facts) for place in sorted(held)),
        _commands(facts, min(held)),
    )


def _line(place: Place, stable: int, by_place: dict[Place, list[Transaction]], facts: Facts) -> str:
    transactions = [_described(each, facts) for each in by_place.get(place, [])]
    end = facts.last.ends.get(place)
    who = " and ".join(transactions) or "the producer is unknown"
    return f"{place_name(place)}: last stable offset {stable}, end {end}, {who}"


def _described(transaction: Transaction, facts: Facts) -> str:
    text = f"producer {transaction.producer_id}"
    if transaction.id is not None:
        text += f" (transactional id {transaction.id})"
    if transaction.since is not None:
        began = datetime.fromtimestamp(transaction.since, UTC)
        text += " since" if transaction.coordinated else ", last message"
        text += f" {began:%Y-%m-%dT%H:%M:%SZ} ({seconds_open(transaction, facts.now):.0f} s)"
    return text


def _commands(facts: Facts, place: Place) -> list[str]:
    every = facts.transactions
    # A transaction that began after the last stable offset does not hold it back.
    holding = [each for each in every if each.start <= facts.held_back.get(each.place, -1)]
    ids = sorted({each.id for each in holding if each.id is not None and each.coordinated})
    found = [command("transactions describe {}", each) for each in ids]
    found += [command("transactions force-terminate {}", each) for each in ids]
    if not found:
        found.append(f"transactions describe-producers {place_name(place)}")
    return found + [
        f"transactions abort {place_name(each.place)} --start-offset {each.start}"
        for each in every
        if hangs(each, facts.now)
    ]


def large_batches(facts: Facts) -> Iterator[Finding]:
    """Partitions whose next batch is larger than the default of max.partition.fetch.bytes."""
    large = {place: size for place, size in facts.batches.items() if size > FETCHED}
    if not large:
        return
    first = next(iter(large))
    yield Finding(
        Severity.NOTE,
        "large-batches",
        "the next batches are larger than max.partition.fetch.bytes is by default (1 MiB), so a "
        "request brings one batch of a partition: raise it in the members, and fetch.max.bytes if "
        "batches are larger than 50 MiB, or let producers send smaller batches",
        evidence(
            f"{place_name(place)} at {facts.group.committed[place]}: a batch of {size:,} bytes, "
            f"lag {facts.waiting[place]:,}"
            for place, size in large.items()
        ),
        [command("configs describe topic {}", first[0])],
    )


def quotas(facts: Facts) -> Iterator[Finding]:
    """Quotas that can slow members down, if the group has lag."""
    if not facts.quotas or not sum(facts.last.lags.values()):
        return
    yield Finding(
        Severity.NOTE,
        "quota",
        "members can be throttled by a quota: compare it with their rates",
        evidence(
            f"{'the default client id' if each.client is None else f'client id {each.client}'}: "
            f"{each.name}={each.value:g}"
            for each in facts.quotas
        ),
        ["quotas describe"],
    )
