"""An application that copies numbers in transactions, with one of the compared clients.

The program imports only its client, because each client has its own environment. Its settings are
JSON in the first argument. It writes a line to the file `history` before and after each step.

The source is a log of endless numbers, so the application does not read it: the group's committed
offset is the next number. A transaction writes the next numbers to several partitions in turn, and
commits the offset after these numbers. The program follows each client's documentation: it retries
retriable errors, and aborts if the error requires an abort. After any other error, it creates a new
producer with the same transactional.id.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from typing import Any, TextIO

# The possible outcomes of a transaction, as far as the application knows.
COMMITTED, ABORTED, UNKNOWN = "committed", "aborted", "unknown"


class Refused(Exception):
    """The transaction has to be aborted."""


class Lost(Exception):
    """The producer is unusable, and the outcome of its transaction may be unknown."""


class LibrdkafkaClient:
    """confluent_kafka: this project's client and Confluent's client."""

    def __init__(self, settings: dict[str, Any]) -> None:
        from confluent_kafka import Consumer, Producer

        common = {"bootstrap.servers": settings["bootstrap"], "broker.address.family": "v4"}
        common |= {"socket.timeout.ms": settings["request_ms"]}
        self._seconds = settings["call_seconds"]
        self._group = {"group.id": settings["group"], "enable.auto.commit": False}
        self._consumer = Consumer(common | self._group)
        self._producer = Producer(
            common
            | {
                "transactional.id": settings["transactional_id"],
                "transaction.timeout.ms": settings["transaction_ms"],
                "linger.ms": 0,
            }
        )
        self._source = settings["source"]
        self._call(lambda: self._producer.init_transactions(self._seconds))

    def committed(self) -> int:
        from confluent_kafka import TopicPartition

        (found,) = self._call(
            lambda: self._consumer.committed([TopicPartition(self._source, 0)], self._seconds)
        )
        return max(0, found.offset)

    def begin(self) -> None:
        self._call(self._producer.begin_transaction)

    def send(self, topic: str, partition: int, value: bytes) -> None:
        self._call(lambda: self._producer.produce(topic, value, partition=partition))

    def send_offset(self, offset: int) -> None:
        from confluent_kafka import TopicPartition

        self._call(
            lambda: self._producer.send_offsets_to_transaction(
                [TopicPartition(self._source, 0, offset)],
                self._consumer.consumer_group_metadata(),
                self._seconds,
            )
        )

    def commit(self) -> None:
        self._call(lambda: self._producer.commit_transaction(self._seconds))

    def abort(self) -> None:
        self._call(lambda: self._producer.abort_transaction(self._seconds))

    def close(self) -> None:
        """Drop the producer as the garbage collector would, because it may have failed fatally."""
        del self._producer
        self._consumer.close()

    def _call(self, call: Any) -> Any:
        from confluent_kafka import KafkaException

        until = time.monotonic() + self._seconds
        while True:
            try:
                return call()
            except KafkaException as exception:
                error = exception.args[0]
                if error.txn_requires_abort():
                    raise Refused(str(error)) from exception
                if not error.retriable() or time.monotonic() > until:
                    raise Lost(str(error)) from exception
                time.sleep(0.05)


class KafkaPythonClient:
    """kafka-python 3."""

    def __init__(self, settings: dict[str, Any]) -> None:
        from kafka import KafkaConsumer, KafkaProducer

        self._seconds = settings["call_seconds"]
        servers = settings["bootstrap"].split(",")
        common = {"bootstrap_servers": servers, "request_timeout_ms": settings["request_ms"]}
        self._group = settings["group"]
        self._source = settings["source"]
        self._consumer = self._call(
            lambda: KafkaConsumer(group_id=self._group, enable_auto_commit=False, **common)
        )
        self._producer = self._call(
            lambda: KafkaProducer(
                transactional_id=settings["transactional_id"],
                transaction_timeout_ms=settings["transaction_ms"],
                max_block_ms=int(self._seconds * 1000),
                **common,
            )
        )
        self._sent: list[Any] = []
        self._call(self._producer.init_transactions)

    def committed(self) -> int:
        from kafka import TopicPartition

        partition = TopicPartition(self._source, 0)
        timeout_ms = int(self._seconds * 1000)
        return self._call(lambda: self._consumer.committed(partition, timeout_ms=timeout_ms)) or 0

    def begin(self) -> None:
        self._sent = []
        self._call(self._producer.begin_transaction)

    def send(self, topic: str, partition: int, value: bytes) -> None:
        self._sent.append(
            self._call(lambda: self._producer.send(topic, value, partition=partition))
        )

    def send_offset(self, offset: int) -> None:
        from kafka.structs import ConsumerGroupMetadata, OffsetAndMetadata

        from kafka import TopicPartition

        offsets = {TopicPartition(self._source, 0): OffsetAndMetadata(offset, "", -1)}
        group = ConsumerGroupMetadata(self._group, -1, "", None)
        self._call(lambda: self._producer.send_offsets_to_transaction(offsets, group))

    def commit(self) -> None:
        for each in self._sent:
            self._call(lambda each=each: each.get(self._seconds))
        self._call(self._producer.commit_transaction)

    def abort(self) -> None:
        self._call(self._producer.abort_transaction)

    def close(self) -> None:
        self._producer.close(timeout=0)
        self._consumer.close()

    def _call(self, call: Any) -> Any:
        from kafka import errors

        until = time.monotonic() + self._seconds
        while True:
            try:
                return call()
            except (errors.ProducerFencedError, errors.IllegalStateError) as error:
                raise Lost(repr(error)) from error
            except errors.KafkaError as error:
                if not getattr(error, "retriable", False):
                    raise Refused(repr(error)) from error
                if time.monotonic() > until:
                    raise Lost(repr(error)) from error
                time.sleep(0.05)


class AiokafkaClient:
    """aiokafka; each method waits until its call has ended."""

    def __init__(self, settings: dict[str, Any]) -> None:
        import asyncio

        from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

        self._seconds = settings["call_seconds"]
        self._loop = asyncio.new_event_loop()
        common = {
            "bootstrap_servers": settings["bootstrap"],
            "request_timeout_ms": settings["request_ms"],
        }
        self._group = settings["group"]
        self._source = settings["source"]

        async def made() -> tuple[Any, Any]:
            consumer = AIOKafkaConsumer(group_id=self._group, enable_auto_commit=False, **common)
            producer = AIOKafkaProducer(
                transactional_id=settings["transactional_id"],
                transaction_timeout_ms=settings["transaction_ms"],
                **common,
            )
            await consumer.start()
            await producer.start()
            return consumer, producer

        self._sent: list[Any] = []
        self._consumer, self._producer = self._call(made)

    def committed(self) -> int:
        from aiokafka import TopicPartition

        partition = TopicPartition(self._source, 0)
        return self._call(lambda: self._consumer.committed(partition)) or 0

    def begin(self) -> None:
        self._sent = []
        self._call(self._producer.begin_transaction)

    def send(self, topic: str, partition: int, value: bytes) -> None:
        self._sent.append(
            self._call(lambda: self._producer.send(topic, value, partition=partition))
        )

    def send_offset(self, offset: int) -> None:
        from aiokafka import TopicPartition

        offsets = {TopicPartition(self._source, 0): offset}
        self._call(lambda: self._producer.send_offsets_to_transaction(offsets, self._group))

    def commit(self) -> None:
        for each in self._sent:
            self._call(lambda each=each: each)
        self._call(self._producer.commit_transaction)

    def abort(self) -> None:
        self._call(self._producer.abort_transaction)

    def close(self) -> None:
        import asyncio
        import contextlib

        for client in (self._producer, self._consumer):
            with contextlib.suppress(Exception):
                self._loop.run_until_complete(asyncio.wait_for(client.stop(), self._seconds))

    def _call(self, call: Any) -> Any:
        import asyncio

        from aiokafka import errors

        async def ended() -> Any:
            return await asyncio.wait_for(call(), self._seconds)

        try:
            return self._loop.run_until_complete(ended())
        except (TimeoutError, errors.ProducerFenced, errors.IllegalOperation) as error:
            raise Lost(repr(error)) from error
        except errors.KafkaError as error:
            raise Refused(repr(error)) from error


CLIENTS = {
    "ours": LibrdkafkaClient,
    "confluent-kafka": LibrdkafkaClient,
    "kafka-python": KafkaPythonClient,
    "aiokafka": AiokafkaClient,
}


class Application:
    def __init__(self, settings: dict[str, Any], history: TextIO) -> None:
        self._settings = settings
        self._history = history
        self._random = random.Random(settings["seed"])
        self._client: Any = None
        self._next = 0
        self._transactions = 0
        self._stopped = False
        signal.signal(signal.SIGTERM, self._stop)

    def _stop(self, number: int, frame: object) -> None:
        """End the process after the open transaction."""
        self._stopped = True

    def run(self) -> None:
        while not self._stopped:
            try:
                if self._client is None:
                    self._client = CLIENTS[self._settings["client"]](self._settings)
                    self._next = self._client.committed()
                self._transaction()
            except (Lost, Refused) as error:
                self._tell(lost=str(error))
                self._close()
        self._close()
        self._tell(ended=True)

    def _transaction(self) -> None:
        """Run one transaction; raise Lost if the producer is unusable."""
        number = self._transactions
        self._transactions += 1
        partitions = self._random.sample(
            range(self._settings["partitions"]), self._random.randint(1, 3)
        )
        first, count = self._next, self._random.randint(1, self._settings["numbers"])
        # The checker must know the transaction before any log can contain its records.
        self._tell(begin=number, first=first, count=count)
        end = UNKNOWN
        try:
            wants_commit = self._random.random() < 0.7
            try:
                self._client.begin()
                for index in range(count):
                    value = {
                        "app": self._settings["name"],
                        "run": os.getpid(),
                        "transaction": number,
                        "number": first + index,
                    }
                    partition = partitions[index % len(partitions)]
                    self._client.send(
                        self._settings["output"], partition, json.dumps(value).encode()
                    )
                self._client.send_offset(first + count)
                if wants_commit:
                    self._client.commit()
                    end, self._next = COMMITTED, first + count
                else:
                    self._client.abort()
                    end = ABORTED
            except Refused:
                self._client.abort()
                end = ABORTED
        finally:
            self._tell(end=number, outcome=end)

    def _close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            try:
                client.close()
            except Exception as error:  # the client has failed already
                self._tell(closing=repr(error))

    def _tell(self, **step: Any) -> None:
        print(json.dumps({"run": os.getpid()} | step), file=self._history, flush=True)


if __name__ == "__main__":
    chosen = json.loads(sys.argv[1])
    with open(chosen["history"], "a", encoding="utf-8") as file:
        Application(chosen, file).run()
