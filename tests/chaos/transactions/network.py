"""A network that is hostile to transactions: it delays requests and cuts connections."""

from __future__ import annotations

import heapq
import itertools
import random
import threading
import time
from collections import Counter

from tests.chaos.request_proxy import Fate, Held

# Produce, InitProducerId, AddPartitionsToTxn, AddOffsetsToTxn, EndTxn, TxnOffsetCommit
REQUESTS = {0, 22, 24, 25, 26, 28}


class HostileNetwork:
    """Delays and cuts requests at random; a seed repeats its decisions for the same requests.

    Args:
        seed: seeds the decisions.
        late, cut: the shares of requests, from 0 to 1.
        delay: the least and the most seconds of a delay, both longer than the clients' timeouts.
    """

    def __init__(self, seed: int, *, late: float, cut: float, delay: tuple[float, float]) -> None:
        self._random = random.Random(seed)
        self._late, self._cut, self._delay = late, cut, delay
        self._changed = threading.Condition()
        self._due: list[tuple[float, int, Held]] = []
        self._numbers = itertools.count()
        self._quiet = False
        self.counts: Counter[Fate] = Counter()
        self._delivering = threading.Thread(target=self._deliver, daemon=True)
        self._delivering.start()

    def fate(self, request: Held) -> Fate:
        with self._changed:
            if self._quiet or request.api_key not in REQUESTS:
                return Fate.PASSES
            chance = self._random.random()
            if chance >= self._late + self._cut:
                return Fate.PASSES
            fate = Fate.IS_LATE if chance < self._late else Fate.IS_CUT
            self.counts[fate] += 1
            if fate is Fate.IS_LATE:
                due = time.monotonic() + self._random.uniform(*self._delay)
                heapq.heappush(self._due, (due, next(self._numbers), request))
                self._changed.notify()
            return fate

    def end(self) -> None:
        """Pass everything from now on; return after all late requests are delivered."""
        with self._changed:
            self._quiet = True
            self._changed.notify()
        self._delivering.join()

    def _deliver(self) -> None:
        while True:
            with self._changed:
                while not self._due and not self._quiet:
                    self._changed.wait()
                if not self._due:
                    return
                wait = self._due[0][0] - time.monotonic()
                if wait > 0:
                    self._changed.wait(wait)
                    continue
                _, _, request = heapq.heappop(self._due)
            request.deliver()
