"""Makes calls in one process while responses are changed. Its output names each case.

    python -m tests.matrix.worker CALL --seed 0 --cases 50 --first 0

The worker prints a line before each case begins. The last line therefore shows the case in which
the process ended.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import sys
import threading
import time
from random import Random
from typing import Any

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
    Uuid,
    admin,
    protocol,
)
from confluent_kafka.testing import MockCluster
from tests.matrix.broker import ChangingBroker, answer_with_samples
from tests.matrix.calls import CALLS
from tests.matrix.changes import Change, all_changes
from tests.matrix.clients import GROUP, LATE, TOPIC, Call, config
from tests.support.refcounts import TYPES

RUNS = 20  # number of attempts to see a request that a timer sends, on a slow machine
BETWEEN_CHECKS = 20  # number of cases between two checks for leaks
HANG = 60  # in seconds; if one case takes longer, all stacks are printed and the process ends
API_VERSIONS = protocol.ApiVersionsRequest.api_key
UNKNOWN_TO_THE_CLUSTER = (
    *(34, 38, 39, 40, 41, 43, 45, 46, 48, 49, 55, 57, 61, 64, 65, 66, 74, 80, 81, 88, 89),
    *(90, 91, 92, 94, 27, 75),
)


class Worker:
    def __init__(self, call: Call) -> None:
        self._call = call
        self._cluster = MockCluster(1)
        self._cluster.create_topic(TOPIC, 2)
        answer_with_samples(self._cluster, UNKNOWN_TO_THE_CLUSTER)
        self._fill()
        call.prepare(self._cluster)
        self._broker = ChangingBroker(self._cluster)

    def close(self) -> None:
        self._broker.close()
        self._cluster.close()

    def _fill(self) -> None:
        address = self._cluster.bootstrap_servers
        with Producer(config(address)) as producer:
            for partition in range(2):
                for number in range(3):
                    producer.produce(TOPIC, b"%d" % number, b"key", partition)
        with Consumer(config(address, group_id=GROUP)) as consumer:
            consumer.commit(offsets=[TopicPartition(TOPIC, 0, 1)], asynchronous=False)
        info = admin.ScramCredentialInfo(admin.ScramMechanism.SCRAM_SHA_256, 4096)
        user = admin.UserScramCredentialUpsertion("me", info, b"password")
        with admin.AdminClient(config(address)) as client:
            client.alter_user_scram_credentials([user])["me"].result(60)

    def answered(self) -> dict[int, tuple[bytes, int]]:
        """Return a response to each kind of request that the call sends, with the version."""
        late = self._call.by_the_clock
        for _ in range(RUNS):
            begun = self.run(None)["outcome"]
            assert not begun.startswith("UNEXPECTED"), f"{self._call}: {begun}"
            if late is None or late.api_key in self._broker.seen:
                break
        return self._broker.seen

    def changes(self) -> list[Change]:
        """Return every change to the responses that the call receives."""
        return [
            change
            for api_key, (frame, version) in sorted(self.answered().items())
            for change in all_changes(api_key, frame, version, LATE)
        ]

    def run(self, change: Change | None) -> dict[str, Any]:
        """Run one case, and return its result."""
        begun = time.monotonic()
        outcome = "returned"
        faulthandler.dump_traceback_later(HANG, exit=True)
        with self._broker.changing(change):
            try:
                self._call.run(self._broker.address)
            except self._call.raises as error:
                unasked = isinstance(error, KafkaException) and error.code() == KafkaError._DESTROY
                # _DESTROY means that librdkafka has dropped a request of an open client.
                outcome = f"{'UNEXPECTED' if unasked else 'raised'} {type(error).__name__}: {error}"
            except Exception as error:
                outcome = f"UNEXPECTED {type(error).__name__}: {error}"
        faulthandler.cancel_dump_traceback_later()
        return {
            "outcome": outcome,
            "seconds": round(time.monotonic() - begun, 3),
            "used": self._broker.used,
        }


class Leaks:
    """Ends the process if calls have leaked objects, and prints the cases since the last check.

    LeakSanitizer reports leaked C memory at the end of the process, in a build with the address
    sanitizer (make matrix SANITIZED=1).
    """

    def __init__(self) -> None:
        self._since: list[str] = []
        self.look()

    def look_after(self, change: Change) -> None:
        self._since.append(str(change))
        if len(self._since) == BETWEEN_CHECKS:
            self.look()

    def look(self) -> None:
        gc.collect()
        # Uuid is left out, because the embedded cluster keeps the ids of topics that calls create.
        held = {each.__name__: sys.getrefcount(each) for each in TYPES if each is not Uuid}
        grown = [
            name
            for name, count in held.items()
            if self._since and count - self._held[name] >= max(2, len(self._since) // 2)
        ]
        if grown:
            sys.exit(f"left behind: {grown}, after {self._since}")
        self._held, self._since = held, []


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("call")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--cases", type=int, default=0, help="number of cases (0: all)")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--kind", default="")
    arguments = parser.parse_args()
    worker = Worker(CALLS[arguments.call])
    changes = worker.changes()
    if arguments.kind:
        changes = [each for each in changes if arguments.kind in str(each)]
    if arguments.cases:
        changes = drawn(Random(f"{arguments.seed} {arguments.call}"), changes, arguments.cases)
    say(total=len(changes))
    end = time.monotonic() + arguments.seconds
    leaks = Leaks()
    for number, change in enumerate(changes[arguments.first :], arguments.first):
        if time.monotonic() > end:
            break
        say(case=number, change=str(change))
        say(**worker.run(change))
        leaks.look_after(change)
    clean = worker.run(None)  # earlier changes must not affect this run
    worker.close()
    leaks.look()
    say(
        clean=clean["outcome"],
        threads=sorted(each.name for each in threading.enumerate()),
    )


def drawn(random: Random, changes: list[Change], count: int) -> list[Change]:
    """Draw some of the changes, equally for each request and kind, because long responses have many
    more."""
    piles: dict[tuple[int, str], list[Change]] = {}
    for change in random.sample(changes, len(changes)):
        piles.setdefault((change.api_key, change.kind), []).append(change)
    taken: list[Change] = []
    while piles and len(taken) < count:
        for key in list(piles):
            taken.append(piles[key].pop())
            if not piles[key]:
                del piles[key]
    return taken[:count]


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    sys.exit(main())
