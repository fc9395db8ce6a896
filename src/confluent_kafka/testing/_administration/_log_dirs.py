"""The log directories of brokers: describe them, and move replicas between them.

All data is in memory. A directory is only a name, but a move takes time if its rate is limited.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError, Uuid
from confluent_kafka.testing._administration._brokers import Brokers, Refused, code_of
from confluent_kafka.testing._administration._config_brokers import LOG_DIRS
from confluent_kafka.testing._administration._configs import Configs
from confluent_kafka.testing._administration._copying import Copy
from confluent_kafka.testing._administration._state import Partition

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
# The size of the disk that each directory pretends to have.
_TOTAL_BYTES = 2**40

# A replica: its topic, its partition, and its broker.
_Replica = tuple[Uuid, int, int]


@dataclass(frozen=True, slots=True)
class _Move:
    to: str
    copy: Copy


class LogDirs:
    """Answers requests about log directories.

    Args:
        brokers: the brokers, which have the replicas.
        configs: has the rate that limits moves.
    """

    def __init__(self, brokers: Brokers, configs: Configs) -> None:
        self._brokers = brokers
        self._configs = configs
        # The directories of replicas that were moved, and the moves in progress.
        self._places: dict[_Replica, str] = {}
        self._moves: dict[_Replica, _Move] = {}

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.DescribeLogDirsRequest: self._describe,
            protocol.AlterReplicaLogDirsRequest: self._alter,
        }

    # ---- described ----

    def _describe(self, request: Any, context: RequestContext) -> Any:
        self._finish_moves(context.broker_id)
        response = protocol.DescribeLogDirsResponse
        wanted = None
        if request.topics is not None:
            wanted = {each.topic: set(each.partitions) for each in request.topics}
        topics: dict[str, dict[str, list[Any]]] = {path: {} for path in LOG_DIRS}
        used = dict.fromkeys(LOG_DIRS, 0)
        for name, number, replica, partition in self._replicas_on(context.broker_id):
            for path, described in self._described(replica, partition):
                used[path] += described.partition_size
                if wanted is None or number in wanted.get(name, ()):
                    topics[path].setdefault(name, []).append(described)
        results = [
            response.DescribeLogDirsResult(
                log_dir=path,
                topics=[
                    response.DescribeLogDirsTopic(name=name, partitions=partitions)
                    for name, partitions in topics[path].items()
                ],
                total_bytes=_TOTAL_BYTES,
                usable_bytes=_TOTAL_BYTES - used[path],
            )
            for path in LOG_DIRS
        ]
        return response(results=results)

    def _replicas_on(self, broker: int) -> Iterator[tuple[str, int, _Replica, Partition]]:
        """Yield the topic's name, the number, the replica and the partition."""
        for topic in self._brokers.state().topics.values():
            for number, partition in enumerate(topic.partitions):
                if broker in partition.replicas:
                    yield topic.name, number, (topic.id, number, broker), partition

    def _described(self, replica: _Replica, partition: Partition) -> Iterator[tuple[str, Any]]:
        """Yield the directories of a replica: two while it moves."""
        described = protocol.DescribeLogDirsResponse.DescribeLogDirsPartition(
            partition_index=replica[1], partition_size=partition.size
        )
        yield self._place(replica), described
        move = self._moves.get(replica)
        if move is not None:
            left = move.copy.left(self._rate(replica[2]))
            share = left / partition.size if partition.size else 0.0
            yield (
                move.to,
                described.replace(
                    partition_size=max(0, partition.size - math.ceil(left)),
                    offset_lag=math.ceil(share * (partition.end - partition.start)),
                    is_future_key=True,
                ),
            )

    def _place(self, replica: _Replica) -> str:
        return self._places.get(replica, LOG_DIRS[0])

    # ---- moved ----

    def _alter(self, request: Any, context: RequestContext) -> Any:
        self._finish_moves(context.broker_id)
        response = protocol.AlterReplicaLogDirsResponse
        results: dict[str, list[Any]] = {}
        for directory in request.dirs:
            for topic in directory.topics:
                for number in topic.partitions:
                    args = (directory.path, topic.name, number, context.broker_id)
                    ended = response.AlterReplicaLogDirPartitionResult(
                        partition_index=number, error_code=code_of(self._move, *args)
                    )
                    results.setdefault(topic.name, []).append(ended)
        self._finish_moves(context.broker_id)
        return response(
            results=[
                response.AlterReplicaLogDirTopicResult(topic_name=name, partitions=partitions)
                for name, partitions in results.items()
            ]
        )

    def _move(self, path: str, name: str, number: int, broker: int) -> None:
        if path not in LOG_DIRS:
            raise Refused(KafkaError.LOG_DIR_NOT_FOUND, f"there is no log directory {path}")
        topic = self._brokers.state().topics.get(name)
        if topic is None or not 0 <= number < len(topic.partitions):
            raise Refused(KafkaError.UNKNOWN_TOPIC_OR_PART, "there is no such partition")
        partition = topic.partitions[number]
        if broker not in partition.replicas:
            raise Refused(KafkaError.NOT_LEADER_FOR_PARTITION, "the broker has no such replica")
        replica = (topic.id, number, broker)
        move = self._moves.get(replica)
        if path == self._place(replica):
            self._moves.pop(replica, None)  # as in Kafka, this cancels a move in progress
        elif move is None or move.to != path:
            self._moves[replica] = _Move(path, Copy(partition.size))

    def _finish_moves(self, broker: int) -> None:
        there = {replica for _, _, replica, _ in self._replicas_on(broker)}
        for replica, move in list(self._moves.items()):
            if replica[2] == broker and replica not in there:
                del self._moves[replica]  # the topic was deleted, or the partition reassigned
            elif replica[2] == broker and not move.copy.left(self._rate(broker)):
                self._places[replica] = move.to
                del self._moves[replica]

    def _rate(self, broker: int) -> int | None:
        return self._configs.broker_number(broker, RATE)
