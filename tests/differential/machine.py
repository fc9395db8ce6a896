"""Runs the same scripts on this package and on the original package, in parallel."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from tests.differential.known import KNOWN
from tests.differential.scripts import FIRST_TIMESTAMP, SIZES, draw
from tests.support.peers import environment

_DRIVERS = Path(__file__).parent / "drivers"
_LIMIT = 30  # the limit for a script, in seconds; each second of patience adds as much


@dataclass(frozen=True)
class Peer:
    """An original package. This package has the same API."""

    name: str
    requirement: str
    driver: str
    face: str | None = None
    """The API's name for ``confluent-kafka run --as``; None for confluent-kafka itself."""

    def ours(self) -> list[str]:
        """Return the command that runs the driver on this package."""
        run = [] if self.face is None else ["-m", "confluent_kafka", "run", "--as", self.face]
        return [sys.executable, *run, str(_DRIVERS / self.driver)]

    def theirs(self) -> list[str]:
        """Return the command that runs the driver on the original; raises InstallationError."""
        return [str(environment(self.requirement)), "-W", "ignore", str(_DRIVERS / self.driver)]


PEERS = (
    Peer("aiokafka", "aiokafka==0.14.0", "faces.py", "aiokafka"),
    Peer("kafka-python 3", "kafka-python==3.0.12", "faces.py", "kafka"),
    Peer("kafka-python 2", "kafka-python==2.0.2", "faces.py", "kafka:2"),
    Peer("confluent-kafka", "confluent-kafka==2.16.1", "confluent.py"),
)


@dataclass(frozen=True)
class Difference:
    """A step whose outcome differs from the original's outcome."""

    peer: str
    seed: int
    steps: list[Any]
    """The earlier steps, and the step itself."""
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        return (
            f"{self.peer}, script {self.seed}: after {self.steps[:-1]}, the step {self.steps[-1]}\n"
            f"    ours    {_short(self.ours)}\n    theirs  {_short(self.theirs)}"
        )


def make_topic(servers: str, topic: str) -> None:
    """Create the topic that the scripts read, with its messages.

    Args:
        servers: the brokers.
        topic: its name.
    """
    with AdminClient({"bootstrap.servers": servers}) as admin:
        admin.create_topics([NewTopic(topic, len(SIZES), 1)])[topic].result()
    with Producer({"bootstrap.servers": servers}) as producer:
        for partition, size in enumerate(SIZES):
            for number in range(size):
                timestamp = FIRST_TIMESTAMP + 1000 * number
                producer.produce(topic, f"{number}", partition=partition, timestamp=timestamp)


def compare(peer: Peer, servers: str, topic: str, seeds: Sequence[int]) -> list[Difference]:
    """Run scripts on both packages; return the differences that no document names.

    Scripts with differences run again with more patience, because a message can come too late for
    one of the packages on a busy machine.

    Args:
        peer: the original package.
        servers: the brokers of both packages.
        topic: the topic of make_topic().
        seeds: the seeds of the scripts.

    Raises:
        InstallationError: the original cannot be installed.
    """
    found = _compare(peer, servers, topic, seeds, f"once-{seeds[0]}", patience=0.4)
    again = [difference.seed for difference in found]
    return _compare(peer, servers, topic, again, f"again-{seeds[0]}", patience=4) if again else []


def _compare(
    peer: Peer, servers: str, topic: str, seeds: Sequence[int], run: str, patience: float
) -> list[Difference]:
    scripts = [draw(seed) for seed in seeds]
    with ThreadPoolExecutor(2) as sides:
        ours, theirs = sides.map(
            lambda side: _outcomes([*side[0], servers, topic, side[1]], scripts, patience),
            ((peer.ours(), f"{run}-ours"), (peer.theirs(), f"{run}-theirs")),
        )
    return [
        difference
        for script in scripts
        if (difference := _difference(peer, script, ours[script["seed"]], theirs[script["seed"]]))
    ]


def _outcomes(command: list[str], scripts: list[Any], patience: float) -> dict[int, list[Any]]:
    done = subprocess.run(
        [*command, f"{patience}"],
        input="".join(f"{json.dumps(script)}\n" for script in scripts),
        capture_output=True,
        text=True,
        timeout=_LIMIT * (1 + patience) * len(scripts),
        check=False,
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}: {done.stderr[-4000:]}"
    return dict(map(json.loads, done.stdout.splitlines()))


def _difference(peer: Peer, script: Any, ours: list[Any], theirs: list[Any]) -> Difference | None:
    """Return the first difference, if it is unknown. Later differences may be its consequences."""
    steps = [*script["steps"], ["committed by the group"]]
    for number, (one, other) in enumerate(zip_longest(ours, theirs)):
        if other == "hangs":  # the original hangs, so there is nothing to compare
            return None
        if one != other and not _same_exception(one, other):
            if _is_known(peer, script, steps[: number + 1], one, other):
                return None
            return Difference(peer.name, script["seed"], steps[: number + 1], one, other)
    return None


def _same_exception(one: Any, other: Any) -> bool:
    """Return whether code that catches the original package's exception also catches ours."""
    if not (_is_exception(one) and _is_exception(other)):
        return False
    return other["raised"][0] in one["raised"] and one["code"] == other["code"]


def _is_known(peer: Peer, script: Any, steps: list[Any], ours: Any, theirs: Any) -> bool:
    return any(
        peer.name in known.peers and known.fits(script, steps, _short(ours), _short(theirs))
        for known in KNOWN
    )


def _short(outcome: Any) -> Any:
    """Shorten an exception to the name of its class."""
    return outcome["raised"][0] if _is_exception(outcome) else outcome


def _is_exception(outcome: Any) -> bool:
    return isinstance(outcome, dict) and "raised" in outcome
