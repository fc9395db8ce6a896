"""Records the terminal sessions of the documentation: `top` and `why`, as SVG.

    python tools/recordings.py

It starts an embedded cluster with traffic, and a group that is too slow for it. The pictures are in
the folder of the pages that show them. They need no network: pictures of rich load a font from a
server, and this program removes that part.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cli.lag import findings, report
from confluent_kafka.cli.lag.facts import summary
from confluent_kafka.cli.lag.gathering import gather
from confluent_kafka.cli.live.app import LiveView
from confluent_kafka.cli.live.sampling import last_messages, sample
from confluent_kafka.testing import MockCluster

FOLDER = Path(__file__).resolve().parent.parent / "docs/guides/command-line"
MOST_BYTES = 100_000
_NAMESPACE = "http://www.w3.org/2000/svg"
_FONT = re.compile(r"\s*@font-face \{[^}]*\}")
_COMMENT = re.compile(r"\s*<!--.*?-->", re.DOTALL)
_ADDRESS = re.compile(r"https?://[^\s\"')<]+")

_TIMEOUT = 30.0
_SECONDS = 12.0  # how long messages are sent before a picture is taken
_TOPICS = {"orders": 6, "payments": 3, "clicks": 12}
# Messages a tenth of a second by topic, and how many of these a group reads.
_WRITTEN = {"orders": 90, "payments": 20, "clicks": 400}
_READ = {"billing": ("orders", 60), "ledger": ("payments", 40), "recommendations": ("clicks", 800)}


def without_addresses(picture: str) -> str:
    """Return a picture that loads nothing from a network, or raise ValueError.

    Args:
        picture: a picture of rich, as SVG.
    """
    picture = _COMMENT.sub("", _FONT.sub("", picture))
    others = sorted(set(_ADDRESS.findall(picture)) - {_NAMESPACE})
    if others:
        raise ValueError(f"the picture has addresses: {', '.join(others)}")
    return "\n".join(line.rstrip() for line in picture.splitlines() if line.strip()) + "\n"


def _save(name: str, picture: str) -> None:
    content = without_addresses(picture).encode()
    if len(content) > MOST_BYTES:
        raise ValueError(f"{name} has {len(content):,} bytes, more than {MOST_BYTES:,}")
    (FOLDER / name).write_bytes(content)


@contextlib.contextmanager
def _traffic(cluster: MockCluster) -> Iterator[None]:
    """Let producers write and groups read until the block ends."""
    stopped = threading.Event()
    threads = [threading.Thread(target=_write, args=(cluster, stopped))]
    threads += [
        threading.Thread(target=_read, args=(cluster, group, topic, count, stopped))
        for group, (topic, count) in _READ.items()
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


def _write(cluster: MockCluster, stopped: threading.Event) -> None:
    with Producer({"bootstrap.servers": cluster.bootstrap_servers}) as producer:
        number = 0
        while not stopped.wait(0.1):
            for topic, count in _WRITTEN.items():
                for _ in range(count):
                    number += 1
                    # Most orders have one key, so one partition of the topic gets most of them.
                    key = "shop-1" if topic == "orders" and number % 5 else f"key-{number % 97}"
                    producer.produce(topic, f'{{"number": {number}}}'.encode(), key=key.encode())
            producer.poll(0)


def _read(
    cluster: MockCluster, group: str, topic: str, count: int, stopped: threading.Event
) -> None:
    config = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": group,
        "client.id": f"{group}-1",
        "auto.offset.reset": "earliest",
        "auto.commit.interval.ms": 500,
    }
    with Consumer(config) as consumer:
        consumer.subscribe([topic])
        while not stopped.wait(0.1):
            consumer.consume(count, 0)


def _abandon(cluster: MockCluster) -> None:
    """Make a group that has no members and is behind."""
    config = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "audit"}
    with Consumer(config) as consumer:
        places = [TopicPartition("payments", number, 0) for number in range(_TOPICS["payments"])]
        consumer.commit(offsets=places, asynchronous=False)


async def _picture_of_top(cluster: MockCluster, admin: AdminClient) -> str:
    config = {"bootstrap.servers": cluster.bootstrap_servers}
    app = LiveView(
        lambda: sample(admin, _TIMEOUT),
        lambda place: last_messages(config, place, _TIMEOUT),
        every=1.0,
    )
    async with app.run_test(size=(80, 16)) as pilot:
        await pilot.pause(_SECONDS)
        return app.export_screenshot(title="confluent-kafka top -b localhost:9092")


def _picture_of_why(admin: AdminClient, group: str) -> str:
    facts = gather(admin, group, 6.0, _TIMEOUT)
    console = Console(
        file=io.StringIO(),
        record=True,
        width=104,
        force_terminal=True,
        color_system="truecolor",
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print(Text(f"$ confluent-kafka why {group} -b localhost:9092"))
    console.print(Text(summary(facts)))
    report.draw(console, findings(facts), " -b localhost:9092")
    return console.export_svg(title=f"confluent-kafka why {group}")


def main() -> None:
    """Record all sessions."""
    with MockCluster() as cluster:
        for topic, partitions in _TOPICS.items():
            cluster.create_topic(topic, partitions)
        _abandon(cluster)
        with (
            AdminClient({"bootstrap.servers": cluster.bootstrap_servers}) as admin,
            _traffic(cluster),
        ):
            time.sleep(_SECONDS)
            _save("top.svg", asyncio.run(_picture_of_top(cluster, admin)))
            _save("why.svg", _picture_of_why(admin, "billing"))


if __name__ == "__main__":
    main()
