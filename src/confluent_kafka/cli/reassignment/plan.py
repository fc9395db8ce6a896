"""A plan that moves replicas of partitions to other brokers.

plan() keeps these promises, which tests/unit/test_reassignment_plan.py tests:

- Every partition has as many replicas as before, or as many as you ask for, on different brokers.
- The replicas of a partition are on as many racks as possible, and evenly on these racks.
- The numbers of replicas of two brokers differ by one at most, if the racks allow it. The same is
  true for the numbers of partitions that brokers lead.
- As few replicas as possible are copied. If all of this is already true, nothing changes. With
  racks, or thousands of partitions, a plan can copy a few more replicas than necessary.

The plan begins with the current brokers and changes one replica at a time. First it does what is
necessary in each partition. Then it moves a replica from a broker with many replicas to one with
few, until no such move is left. Because of the racks, a broker in between sometimes has to take a
replica and give another one away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from confluent_kafka.cli.reassignment.equal_shares import Items, level, save
from confluent_kafka.cli.topics.place import Place

# The search for the last saved copies takes minutes in very large clusters: brokers times replicas.
_MOST_TO_SAVE = 100_000


def plan(
    current: Mapping[Place, Sequence[int]],
    racks: Mapping[int, str | None],
    *,
    replicas: int | None = None,
    rebalance: bool = True,
) -> dict[Place, list[int]]:
    """Return the new brokers of the partitions that change, the preferred leader first.

    Args:
        current: the brokers of each partition, by topic and partition.
        racks: the brokers that may have replicas, with their racks.
        replicas: the new number of replicas of each partition; None keeps the number.
        rebalance: whether replicas may move only to make brokers equal. False changes only the
            partitions that have a replica on another broker, or another number of replicas.

    Raises:
        ValueError: there are fewer brokers than replicas.
    """
    for (topic, number), nodes in current.items():
        wanted = replicas or len(nodes)
        if wanted > len(racks):
            raise ValueError(
                f"partition '{topic}:{number}' needs {wanted} brokers for its replicas, but only "
                f"{len(racks)} can store one"
            )
    draft = _Draft(current, racks, rebalance)
    for place, nodes in current.items():
        draft.repair(place, replicas or len(nodes))
    copies = Items(draft.load, draft.movable, draft.move, draft.cost)
    level(racks, copies)
    if draft.copies() and len(racks) * sum(map(len, current.values())) <= _MOST_TO_SAVE:
        save(racks, copies)
    level(racks, Items(draft.leads, draft.leadable, draft.lead, lambda *_: 0))
    return {place: new for place, new in draft.now.items() if new != list(current[place])}


class _Draft:
    """The plan so far.

    Attributes:
        now: the brokers of each partition.
        load: the number of replicas of each broker.
        leads: the number of partitions that each broker leads.
    """

    def __init__(
        self,
        current: Mapping[Place, Sequence[int]],
        racks: Mapping[int, str | None],
        rebalance: bool,
    ) -> None:
        self._before = {place: frozenset(nodes) for place, nodes in current.items()}
        self._racks = racks
        self._rebalance = rebalance
        self.now = {place: list(nodes) for place, nodes in current.items()}
        self.load = Counter(node for nodes in current.values() for node in nodes)
        self.leads = Counter(nodes[0] for nodes in current.values() if nodes)
        self._rack_counts = {
            place: Counter(racks.get(node) for node in nodes) for place, nodes in current.items()
        }
        self._on: dict[int, dict[Place, None]] = {}
        for place, nodes in current.items():
            for node in nodes:
                self._on.setdefault(node, {})[place] = None

    def copies(self) -> int:
        """Return how many replicas go to a broker that does not have them."""
        return sum(len(set(nodes) - self._before[place]) for place, nodes in self.now.items())

    def repair(self, place: Place, wanted: int) -> None:
        """Give a partition this number of replicas, on allowed brokers and different racks."""
        nodes = self.now[place]
        while len(nodes) > wanted:
            self._change(place, self._worst(nodes), None)
        for node in [node for node in nodes if node not in self._racks]:
            self._change(place, node, self._best(nodes, node))
        while len(nodes) < wanted:
            self._change(place, None, self._best(nodes, None))
        if not self._may_change(place):
            return
        while True:
            worst = self._worst(nodes)
            best = self._best(nodes, worst)
            if best is None or self._crowd(nodes, worst, best) >= self._crowd(nodes):
                return
            self._change(place, worst, best)

    def _may_change(self, place: Place) -> bool:
        return self._rebalance or set(self.now[place]) != self._before[place]

    def _crowd(self, nodes: list[int], old: int | None = None, new: int | None = None) -> int:
        """Return a number that is lowest if the replicas are evenly on all racks."""
        after = [*(node for node in nodes if node != old), *([] if new is None else [new])]
        counts = Counter(self._racks[node] for node in after if node in self._racks)
        return sum(count * count for count in counts.values())

    def _best(self, nodes: list[int], old: int | None) -> int | None:
        """Return the broker that gets a replica: in the emptiest rack, and with the least load."""
        free = [node for node in self._racks if node not in nodes]
        return min(
            free,
            key=lambda node: (self._crowd(nodes, old, node), self.load[node], node),
            default=None,
        )

    def _worst(self, nodes: list[int]) -> int:
        """Return the broker that loses a replica. The preferred leader loses it last."""
        return min(
            nodes,
            key=lambda node: (
                node in self._racks,
                self._crowd(nodes, node),
                node == nodes[0],
                -self.load[node],
            ),
        )

    def _change(self, place: Place, old: int | None, new: int | None) -> None:
        """Let a broker take the place of another one. None adds or removes a replica."""
        nodes = self.now[place]
        leader = nodes[0] if nodes else None
        if old is None:
            assert new is not None
            nodes.append(new)
        elif new is None:
            nodes.remove(old)
        else:
            nodes[nodes.index(old)] = new
        counts = self._rack_counts[place]
        if old is not None:
            self.load[old] -= 1
            counts[self._racks.get(old)] -= 1
            del self._on[old][place]
        if new is not None:
            self.load[new] += 1
            counts[self._racks.get(new)] += 1
            self._on.setdefault(new, {})[place] = None
        if leader != nodes[0]:
            self.leads[nodes[0]] += 1
            if leader is not None:
                self.leads[leader] -= 1

    def movable(self, old: int, new: int) -> Iterator[Place]:
        """Yield the partitions whose replica can move from one broker to another one."""
        old_rack, new_rack = self._racks.get(old), self._racks.get(new)
        for place in self._on.get(old, ()):
            nodes = self.now[place]
            if new in nodes or not (self._rebalance or old not in self._before[place]):
                continue
            counts = self._rack_counts[place]
            if old_rack == new_rack or counts[new_rack] < counts[old_rack]:
                yield place

    def cost(self, place: Place, old: int, new: int) -> int:
        """Return how many more replicas are copied if this replica moves.

        It is 0 if the replica moves anyway, and -1 if it also returns to its broker.
        """
        before = self._before[place]
        return (new not in before) - (old not in before)

    def move(self, place: Place, old: int, new: int) -> None:
        """Move a replica."""
        self._change(place, old, new)

    def leadable(self, old: int, new: int) -> Iterator[Place]:
        """Yield the partitions that one broker leads, and that another one can lead."""
        for place in self._on.get(old, ()):
            nodes = self.now[place]
            if nodes[0] == old and new in nodes and self._may_change(place):
                yield place

    def lead(self, place: Place, old: int, new: int) -> None:
        """Let another broker lead a partition. The brokers stay the same."""
        nodes = self.now[place]
        at = nodes.index(new)
        nodes[0], nodes[at] = new, old
        self.leads[old] -= 1
        self.leads[new] += 1
