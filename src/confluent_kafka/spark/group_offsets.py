"""Commits offsets to a consumer group, so that monitoring sees a query's lag.

This is the option ``commitOffsetsToGroup``. The query never reads these offsets: it continues from
the offsets of its checkpoint. So a failed commit does not fail the query; it is only logged.
"""

import logging
import time
import warnings
from collections.abc import Mapping

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from . import clients
from .offsets import Offsets, Partition

_log = logging.getLogger(__name__)

# Seconds that a micro-batch waits for the answer to a commit, once per outage.
TIMEOUT = 5.0


class GroupOffsets:
    """Commits the offsets that a query has reached, without joining the group.

    Args:
        kafka: the query's properties of librdkafka.
        group: the id of the group, which should have no members.
    """

    def __init__(self, kafka: Mapping[str, str], group: str) -> None:
        self._group = group
        self._config = clients.consumer_config({**kafka, "group.id": group})
        self._consumer: Consumer | None = None
        self._done: Offsets = {}
        self._unanswered = 0

    def commit(self, done: Offsets) -> None:
        """Commit offsets that differ from the last ones, and wait a bounded time for the answer.

        Args:
            done: for each partition, the offset that follows its last processed message.
        """
        news = {one: offset for one, offset in done.items() if self._done.get(one) != offset}
        self._done = dict(done)
        if not news:
            return
        try:
            self._send(news)
        except KafkaException as failure:
            self._warn(failure.args[0])

    def close(self) -> None:
        """Close the client, without waiting for answers."""
        if self._consumer is not None and self._unanswered == 0:
            self._consumer.close()
        # close() would wait for the answers, for 45 seconds if there is no coordinator. So the
        # consumer is dropped without close(), and the ResourceWarning about that is ignored.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            self._consumer = None

    def _send(self, news: Offsets) -> None:
        if self._consumer is None:
            self._consumer = Consumer({**self._config, "on_commit": self._answered})
        first_to_wait_for = self._unanswered == 0
        self._unanswered += 1
        self._consumer.commit(
            offsets=[TopicPartition(*one, offset) for one, offset in news.items()],
            asynchronous=True,
        )
        # While brokers do not answer, only the first commit waits, not every micro-batch.
        deadline = time.monotonic() + (TIMEOUT if first_to_wait_for else 0)
        self._consumer.poll(0)
        while self._unanswered and time.monotonic() < deadline:
            self._consumer.poll(0.05)
        if self._unanswered and first_to_wait_for:
            _log.warning("group %s: no answer to a commit within %g s", self._group, TIMEOUT)

    def _answered(self, error: KafkaError | None, partitions: list[TopicPartition]) -> None:
        self._unanswered -= 1
        refused = [one for one in partitions if one.error is not None]
        if error is not None:
            self._warn(error)
        elif refused:
            names = ", ".join(str(Partition(one.topic, one.partition)) for one in refused)
            _log.warning("group %s: offsets of %s: %s", self._group, names, refused[0].error)

    def _warn(self, error: KafkaError) -> None:
        _log.warning("group %s: offsets were not committed: %s", self._group, error.str())
