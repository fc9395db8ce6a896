"""Brokers that give items to each other, until all have about the same number of them.

An item is a replica, or a partition to lead. Not every broker can take every item, so an item
sometimes goes to a broker in between, which gives another one away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, permutations
from math import inf
from typing import NamedTuple

from confluent_kafka.cli.topics.place import Place


class Items(NamedTuple):
    """What brokers can give to each other: replicas, or partitions to lead.

    Attributes:
        load: the number of items of each broker, which changes.
        find: yields the items that one broker can give to another one.
        shift: lets one broker give an item to another one.
        cost: how many more replicas are copied then.
    """

    load: Counter[int]
    find: Callable[[int, int], Iterator[Place]]
    shift: Callable[[Place, int, int], None]
    cost: Callable[[Place, int, int], int]

    def cheapest(self, old: int, new: int) -> tuple[int, Place] | None:
        """Return the item that costs least, after its cost, or None if there is none."""
        return min(((self.cost(one, old, new), one) for one in self.find(old, new)), default=None)

    def walk(self, steps: Iterable[tuple[int, int]], most: float = inf) -> bool:
        """Shift an item in each step, or none at all if it costs more than `most`."""
        done: list[tuple[Place, int, int]] = []
        total = 0.0
        for old, new in steps:
            found = self.cheapest(old, new)
            if found is None:  # an earlier step has changed the partition
                total = most + 1
                break
            total += found[0]
            self.shift(found[1], old, new)
            done.append((found[1], new, old))
        if total > most:
            for each in reversed(done):
                self.shift(*each)
        return total <= most


def level(brokers: Iterable[int], items: Items) -> None:
    """Shift single items from brokers with many to brokers with few, until it does not help.

    Args:
        brokers: the brokers that can have items.
        items: the items.
    """
    nodes = sorted(brokers)
    blocked: set[tuple[int, int]] = set()
    while path := _path(nodes, items, blocked):
        if not items.walk(pairwise(path)):
            blocked.add((path[0], path[-1]))


def save(brokers: Iterable[int], items: Items) -> None:
    """Shift items in circles, as long as this saves copies. The brokers stay as equal as they are.

    Args:
        brokers: the brokers that can have items.
        items: the items.
    """
    nodes = sorted(brokers)
    while cycle := _cycle(nodes, items):
        if not items.walk(cycle, most=-1):
            return


def _cycle(nodes: list[int], items: Items) -> list[tuple[int, int]] | None:
    """Return steps that save copies and end where they begin, with the algorithm of Bellman-Ford.

    Two brokers whose loads differ by one can also exchange their loads. This step costs nothing,
    shifts nothing, and is not returned.
    """
    costs = {
        (old, new): found[0]
        for old, new in permutations(nodes, 2)
        if (found := items.cheapest(old, new))
    }
    free = {
        (old, new)
        for old, new in permutations(nodes, 2)
        if items.load[new] - items.load[old] == 1 and costs.get((old, new), 1) > 0
    }
    costs |= dict.fromkeys(free, 0)
    distances = dict.fromkeys(nodes, 0)
    before: dict[int, int] = {}
    last = None
    for _ in nodes:
        last = None
        for (old, new), cost in costs.items():
            if distances[old] + cost < distances[new]:
                distances[new], before[new], last = distances[old] + cost, old, new
    if last is None:
        return None
    for _ in nodes:  # into the cycle
        last = before[last]
    cycle = [(before[last], last)]
    while cycle[-1][0] != last:
        cycle.append((before[cycle[-1][0]], cycle[-1][0]))
    return [step for step in reversed(cycle) if step not in free]


def _path(nodes: list[int], items: Items, blocked: set[tuple[int, int]]) -> list[int] | None:
    """Return brokers, of which each can give an item to the next one.

    The first broker has at least two items more than the last one. It is the fullest broker that
    can give an item away, and the path is its shortest one.
    """
    load = items.load
    by_load = sorted(nodes, key=lambda node: load[node])
    for start in reversed(by_load):
        if load[start] - load[by_load[0]] < 2:
            return None
        paths = {start: [start]}
        layer = [start]
        while layer:
            reached: list[int] = []
            for old in layer:
                for new in by_load:
                    if new in paths or next(items.find(old, new), None) is None:
                        continue
                    paths[new] = [*paths[old], new]
                    if load[start] - load[new] > 1 and (start, new) not in blocked:
                        return paths[new]
                    reached.append(new)
            layer = reached
    return None
