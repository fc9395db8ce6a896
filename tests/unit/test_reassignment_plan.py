"""The promises of a plan that moves replicas to other brokers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

from confluent_kafka.cli.reassignment.equal_shares import Place
from confluent_kafka.cli.reassignment.plan import plan

Brokers = Mapping[int, str | None]
Assignment = Mapping[Place, Sequence[int]]


def partitions(*replicas: Sequence[int]) -> dict[Place, list[int]]:
    """A topic with a partition for each list of brokers."""
    return {("t", number): list(nodes) for number, nodes in enumerate(replicas)}


def without_racks(*nodes: int) -> Brokers:
    return dict.fromkeys(nodes)


def copies(before: Assignment, after: Assignment) -> int:
    """How many replicas are copied to a broker that does not have them."""
    return sum(len(set(after[place]) - set(before[place])) for place in before)


def loads(assignment: Assignment, brokers: Brokers) -> list[int]:
    counts = Counter(node for nodes in assignment.values() for node in nodes)
    return [counts[node] for node in brokers]


def leads(assignment: Assignment, brokers: Brokers) -> list[int]:
    counts = Counter(nodes[0] for nodes in assignment.values())
    return [counts[node] for node in brokers]


def spread(numbers: Sequence[int]) -> int:
    return max(numbers) - min(numbers)


def fewest_copies(current: Assignment, brokers: Brokers) -> int:
    """The lowest number of copies of all balanced plans, as the cost of a flow.

    Replicas flow from partitions to brokers. A unit costs 1 if the broker does not have the
    partition yet. Another algorithm finds the flow: the cheapest path, again and again.
    """
    low, extra = divmod(sum(map(len, current.values())), len(brokers))
    edges: list[tuple[object, object, int]] = []
    room: list[int] = []
    at: dict[object, list[int]] = {}

    def edge(start: object, end: object, capacity: int, cost: int) -> None:
        for each in ((start, end, capacity, cost), (end, start, 0, -cost)):
            at.setdefault(each[0], []).append(len(edges))
            edges.append((each[0], each[1], each[3]))
            room.append(each[2])

    for place, nodes in current.items():
        edge("source", place, len(nodes), 0)
        for node in brokers:
            edge(place, node, 1, node not in nodes)
    reward = 1000  # each broker must get at least its share
    for node in brokers:
        edge(node, "sink", low, -reward)
        edge(node, "sink", min(extra, 1), 0)
    total = 0
    while True:
        costs: dict[object, int] = {"source": 0}
        via: dict[object, int] = {}
        queue: list[object] = ["source"]
        while queue:
            start = queue.pop(0)
            for number in at[start]:
                _, end, cost = edges[number]
                if room[number] and costs[start] + cost < costs.get(end, reward):
                    costs[end], via[end] = costs[start] + cost, number
                    queue.append(end)
        if "sink" not in costs:
            return total + reward * low * len(brokers)
        total += costs["sink"]
        step: object = "sink"
        while step != "source":
            room[via[step]] -= 1
            room[via[step] ^ 1] += 1
            step = edges[via[step]][0]


def random_case(seed: int) -> tuple[dict[Place, list[int]], Brokers, int]:
    """Partitions, brokers that may have replicas, and a number of replicas."""
    chance = random.Random(seed)
    nodes = range(1, chance.randint(3, 9))
    racks = chance.randint(1, 4)
    allowed = chance.sample(nodes, chance.randint(2, len(nodes)))
    replicas = chance.randint(1, min(3, len(allowed)))
    current = {
        (topic, number): chance.sample(nodes, replicas)
        for topic in ("a", "b")
        for number in range(chance.randint(1, 20))
    }
    return current, {node: f"rack-{node % racks}" for node in allowed}, replicas


@pytest.mark.parametrize("seed", range(100))
def test_promises(seed: int) -> None:
    """Random plans keep the number of replicas, and use allowed and different brokers, and as many
    racks as possible. A second plan finds nothing to do."""
    current, brokers, replicas = random_case(seed)
    after = current | plan(current, brokers)
    racks = Counter(brokers.values())
    for nodes in after.values():
        assert len(nodes) == len(set(nodes)) == replicas
        assert set(nodes) <= set(brokers)
        used = Counter(brokers[node] for node in nodes)
        assert len(used) == min(replicas, len(racks))
        for rack, count in used.items():
            # Another rack has as many replicas, or one less, or has no more brokers.
            for other in racks:
                assert count - used[other] <= 1 or used[other] == racks[other], rack
    if len(set(racks.values())) == 1:  # racks of different sizes cannot always be equal
        assert spread(loads(after, brokers)) <= 1
        assert spread(leads(after, brokers)) <= 1
    assert plan(after, brokers) == {}


@pytest.mark.parametrize("seed", range(100))
def test_as_few_copies_as_possible(seed: int) -> None:
    """Without racks, no balanced plan copies fewer replicas."""
    current, racks, _ = random_case(seed)
    brokers = without_racks(*racks)
    after = current | plan(current, brokers)
    assert spread(loads(after, brokers)) <= 1
    assert copies(current, after) == fewest_copies(current, brokers)


def test_a_new_broker() -> None:
    """A new broker gets its share of the replicas, and no other replica moves."""
    current = partitions([1, 2], [2, 1], [1, 2], [2, 1], [1, 2], [2, 1])
    after = current | plan(current, without_racks(1, 2, 3))
    assert loads(after, without_racks(1, 2, 3)) == [4, 4, 4]
    assert copies(current, after) == 4


def test_nothing_to_do() -> None:
    """Partitions that are balanced do not change, whatever the order of their brokers is."""
    current = partitions([1, 2], [2, 3], [3, 1])
    assert plan(current, without_racks(1, 2, 3)) == {}
    assert plan({}, without_racks(1)) == {}


def test_drained() -> None:
    """Without rebalance, only replicas on brokers that are not in the list move. They move to
    brokers with few replicas, and not into a rack that has a replica of the partition. The new
    broker takes the old broker's place in the order."""
    racks = {1: "a", 2: "a", 3: "b", 4: "b"}
    current = partitions([9, 1], [3, 9], [1, 3], [1, 3], [1, 3])
    assert plan(current, racks, rebalance=False) == {("t", 0): [4, 1], ("t", 1): [3, 2]}
    after = current | plan(current, racks, rebalance=False)
    assert copies(current, after) == 2


@pytest.mark.parametrize("seed", range(100))
def test_drained_at_random(seed: int) -> None:
    """Each replica on the drained broker is copied once. Other partitions do not change."""
    chance = random.Random(seed)
    nodes = range(1, 7)
    current = partitions(*(chance.sample(nodes, 3) for _ in range(30)))
    brokers = without_racks(*nodes[:-1])
    changed = plan(current, brokers, rebalance=False)
    assert changed.keys() == {place for place, held in current.items() if 6 in held}
    after = current | changed
    assert copies(current, after) == len(changed)
    assert all(len(set(held) & set(brokers)) == 3 for held in after.values())


def test_leaders() -> None:
    """All brokers lead the same number of partitions afterwards, although no replica is copied."""
    current = partitions([1, 2, 3], [1, 2, 3], [1, 2, 3])
    after = current | plan(current, without_racks(1, 2, 3))
    assert copies(current, after) == 0
    assert leads(after, without_racks(1, 2, 3)) == [1, 1, 1]


def test_another_number_of_replicas() -> None:
    """Replicas are added in other racks, and removed from racks that have several replicas. The
    preferred leader stays."""
    racks = {1: "a", 2: "a", 3: "b", 4: "c"}
    assert set(plan(partitions([1]), racks, replicas=3)["t", 0]) == {1, 3, 4}
    assert plan(partitions([1, 2, 3]), racks, replicas=2) == {("t", 0): [1, 3]}
    assert plan(partitions([1, 3]), racks, replicas=2) == {}


def test_racks() -> None:
    """If a rack has two replicas of a partition, one of them moves to another rack."""
    racks = {1: "a", 2: "a", 3: "b"}
    assert plan(partitions([1, 2]), racks) == {("t", 0): [1, 3]}


def test_too_few_brokers() -> None:
    """The error names the partition, the number of replicas and the number of brokers."""
    with pytest.raises(
        ValueError, match="partition 't:0' needs 2 brokers for its replicas, but only 1"
    ):
        plan(partitions([1, 2]), without_racks(1))


def test_a_large_cluster() -> None:
    """Thousands of partitions are planned within seconds."""
    nodes = range(1, 31)
    racks = {node: f"rack-{node % 3}" for node in nodes}
    chance = random.Random(1)
    current = partitions(*(chance.sample(nodes[:-3], 3) for _ in range(3000)))
    after = current | plan(current, racks)
    assert spread(loads(after, racks)) <= 1
    assert all(len({racks[node] for node in held}) == 3 for held in after.values())
