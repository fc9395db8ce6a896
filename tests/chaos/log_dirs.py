"""One of a broker's two disks is full, or is read-only after the broker restarts."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import SkipTest

from tests.chaos.one_broker import OneBroker, one_broker
from tests.chaos.probe import Probe
from tests.chaos.row import Row
from tests.integration.kafka_cluster import RealKafkaCluster
from tests.integration.topics import create_topic, wait_for_topic
from tests.support.waiting import wait_until

SHORT = {"messages": 20}
FULL = {"messages": 200}

TOPIC = "disks"
# Larger than the files that Kafka preallocates.
DISK_MB, REPAIRED_MB = 24, 240
PAYLOAD = 500_000


def disk_full(kafka: RealKafkaCluster, messages: int) -> Row:
    with _disks(kafka) as (cluster, disk):
        broken_disk, other = _partitions(disk)
        with Probe(cluster.config(), TOPIC) as probe:
            usable = probe.send(other, messages) == messages
            too_many = 3 * DISK_MB * 1_000_000 // PAYLOAD
            failed = too_many - probe.send(broken_disk, too_many, os.urandom(PAYLOAD))
            usable &= probe.send(other, messages) == messages
            cluster.broker.stop()
            _remount(disk, f"size={REPAIRED_MB}m")
            cluster.restart()
            wait_for_topic(cluster, TOPIC, 2)
            return _row("disk full", probe, (broken_disk, other), failed, usable, messages)


def read_only(kafka: RealKafkaCluster, messages: int) -> Row:
    with _disks(kafka) as (cluster, disk):
        broken_disk, other = _partitions(disk)
        with Probe(cluster.config(), TOPIC) as probe:
            usable = probe.send(broken_disk, messages) == messages
            cluster.broker.stop()
            _remount(disk, "ro")
            cluster.restart()
            failed = messages - probe.send(broken_disk, messages)
            usable &= probe.send(other, messages) == messages
            cluster.broker.stop()
            _remount(disk, "rw")
            cluster.restart()
            wait_for_topic(cluster, TOPIC, 2)
            return _row("read-only log dir", probe, (broken_disk, other), failed, usable, messages)


def _row(
    name: str, probe: Probe, partitions: tuple[int, int], failed: int, usable: bool, messages: int
) -> Row:
    """After the repair, the same client must work, and all delivered messages must be readable."""
    broken = []
    if not failed or failed != sum(probe.errors.values()):
        broken.append(f"{failed} messages failed, {sum(probe.errors.values())} errors in all")
    if not usable:
        broken.append("messages for the other disk failed")
    if probe.send(partitions[0], messages) != messages:
        broken.append("the repaired disk cannot be used by the same client")
    return Row(
        scenario=name,
        fault="one of two log dirs fails, and is repaired",
        times=1,
        messages=probe.sent,
        lost=sum(probe.lost(partition) for partition in partitions),
        duplicated=0,
        out_of_order=0,
        promised=("lost", "unreported"),
        unreported=probe.unreported,
        notes=", ".join(f"{count} reported {name}" for name, count in probe.errors.items()),
        broken=tuple(broken),
    )


@contextlib.contextmanager
def _disks(kafka: RealKafkaCluster) -> Iterator[tuple[OneBroker, Path]]:
    """Yield a broker with directories on a small and a larger disk, and the small disk's path."""
    if os.geteuid() != 0:
        raise SkipTest("mounting a small file system needs root")
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small"), Path(folder, "large")
        small.mkdir()
        large.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(small)]
        subprocess.run(mount, check=True)
        try:
            with one_broker(kafka, [small, large]) as cluster:
                create_topic(cluster, TOPIC, partitions=2)
                yield cluster, small
        finally:
            # Unmount lazily, because the broker may still have files open.
            subprocess.run(["umount", "--lazy", str(small)], check=True)


def _remount(disk: Path, options: str) -> None:
    """Remount the disk as soon as the killed broker has closed its files."""
    command = ["mount", "-o", f"remount,{options}", str(disk)]
    wait_until(lambda: subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0)


def _partitions(disk: Path) -> tuple[int, int]:
    """Return the number of the partition on this disk, and the other number.

    Kafka places one of the two partitions on each disk.
    """
    wait_until(lambda: list(disk.glob(f"{TOPIC}-?")))
    (folder,) = disk.glob(f"{TOPIC}-?")
    number = int(folder.name.rsplit("-", 1)[1])
    return number, 1 - number
