"""The data folder of a cluster: open it, restore a new cluster from it, and save it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from confluent_kafka.cimpl import KafkaError, KafkaException, build_info
from confluent_kafka.protocol.records import RecordsError
from confluent_kafka.testing._administration._state import State
from confluent_kafka.testing._data._folder import METADATA, Folder
from confluent_kafka.testing._data._logs import Log
from confluent_kafka.testing._data._restoring import restore_topic
from confluent_kafka.testing._data._saving import topics_and_logs
from confluent_kafka.testing._data._topics import SavedTopic

if TYPE_CHECKING:
    from confluent_kafka.cimpl import MockCluster
    from confluent_kafka.testing._administration._kept import Kept

_PATCHES = (
    "mock-on-request",
    "mock-snapshot",
    "mock-quotas",
    "mock-replicas",
    "mock-start-offsets",
    "mock-topic-rules",
    "mock-transaction-version",
    "mock-txns-listed",
    "mock-written-logs",
    "mock-written-state",
)


class Keeping:
    """Keeps the state of a cluster in a folder.

    Args:
        path: the folder.

    Raises:
        KafkaException: _NOT_IMPLEMENTED: this librdkafka lacks a patch.
        OSError: the folder cannot be created or written, or another cluster uses it.
        ValueError: the folder contains other files.
    """

    def __init__(self, path: str) -> None:
        _need_patches()
        self._folder = Folder(Path(path))
        self._process = os.getpid()

    def restore(self, cluster: MockCluster, kept: Iterable[Kept]) -> None:
        """Give a new cluster the state of an earlier cluster.

        Raises:
            ValueError: a file is damaged, or this package does not support its format yet.
        """
        metadata = self._folder.read()
        if metadata is None:
            return
        place = self._folder.path / METADATA
        try:
            topics = [SavedTopic.from_json(each) for each in metadata["topics"]]
            logs = {topic.name: self._logs(topic, metadata["logs"]) for topic in topics}
            cluster._set_cluster_id(metadata["cluster_id"])
            for topic in topics:
                restore_topic(cluster, topic, logs[topic.name])
            for part in kept:
                if part.kept_as in metadata:
                    part.restore(metadata[part.kept_as])
        except _Damaged:
            raise
        except (KafkaException, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise _Damaged(place, repr(error)) from error

    def _logs(self, topic: SavedTopic, folder: str) -> Mapping[int, Log]:
        """Return the logs of a topic's partitions that are not empty."""
        logs = {}
        for number, partition in enumerate(topic.partitions):
            if partition.log is None:
                continue
            path = self._folder.path / folder / partition.log
            try:
                data = path.read_bytes()
                partition.check(data)
                logs[number] = Log.read(data, partition.end)
            except (OSError, ValueError, RecordsError) as error:
                raise _Damaged(path, str(error)) from None
        return logs

    def save(self, cluster: MockCluster, kept: Iterable[Kept]) -> None:
        """Replace the contents of the folder with the state of the cluster.

        Raises:
            OSError: the folder cannot be written. It still contains the previous state.
        """
        # Committed offsets are read before records. So a committed offset is never after the end.
        metadata: dict[str, Any] = {part.kept_as: part.saved() for part in kept}
        state = State.read(cluster._snapshot())
        topics, logs = topics_and_logs(cluster, state)
        metadata["cluster_id"] = state.cluster_id
        metadata["topics"] = [topic.as_json() for topic in topics]
        self._folder.write(metadata, logs.items())

    def close(self) -> None:
        """Let other clusters use the folder."""
        self._folder.close()

    @property
    def is_own(self) -> bool:
        """Whether this process opened the folder. In a forked child, the parent opened it."""
        return os.getpid() == self._process


class _Damaged(ValueError):
    def __init__(self, path: Path, what: str) -> None:
        super().__init__(
            f"data: {path} is damaged: {what}. Nothing was changed: repair the file, or name "
            "another folder"
        )


def _need_patches() -> None:
    missing = {each for names in build_info()["missing_patches"].values() for each in names}
    lacks = [each for each in _PATCHES if each in missing]
    if lacks:
        raise KafkaException(
            KafkaError(
                KafkaError._NOT_IMPLEMENTED,
                f"data needs the patch {', '.join(lacks)}, which this librdkafka lacks",
            )
        )
