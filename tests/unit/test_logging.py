"""librdkafka's log records reach Python's logging, in the thread that polls."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaException, Producer
from tests.support.clients import UNREACHABLE
from tests.support.scripts import check_script
from tests.support.waiting import wait_until

LIMIT = 1024  # the number of records that wait for a poll; older records are dropped
DROPPED = re.compile(r"(\d+) older log records were dropped: call poll\(\) more often")


class Records(logging.Handler):
    def __init__(self, level: int = logging.NOTSET) -> None:
        super().__init__(level)
        self.records: list[logging.LogRecord] = []
        self.threads: set[int] = set()

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)
        self.threads.add(threading.get_ident())

    @property
    def messages(self) -> list[str]:
        return [record.getMessage() for record in self.records]

    def levels_of(self, text: str) -> set[int]:
        return {record.levelno for record in self.records if text in record.getMessage()}


def config(more: dict[str, Any] | None = None) -> dict[str, Any]:
    base = {"bootstrap.servers": UNREACHABLE, "group.id": "group", "session.timeout.ms": 1000}
    return base | (more or {})


@pytest.fixture
def default() -> Iterator[Records]:
    """The records of the logger 'confluent_kafka', including debug records."""
    logger = logging.getLogger("confluent_kafka")
    level, records = logger.level, Records()
    logger.addHandler(records)
    logger.setLevel(logging.DEBUG)
    yield records
    logger.removeHandler(records)
    logger.setLevel(level)


@pytest.fixture(params=["logger", "handler"])
def chosen(request: pytest.FixtureRequest) -> tuple[logging.Logger | logging.Handler, Records]:
    """The logger or handler for a client, and the handler that receives its records."""
    records = Records()
    if request.param == "handler":
        return records, records
    # Not from getLogger(), so that no other handler gets its records.
    logger = logging.Logger("chosen")
    logger.addHandler(records)
    return logger, records


def ask(client: Any) -> None:
    """Make a client with debug=all log records in this thread, without serving them."""
    with contextlib.suppress(KafkaException):
        client.list_topics(timeout=0)


class TestDestination:
    @pytest.mark.parametrize("client", [Producer, Consumer])
    def test_default(self, client: type[Any], default: Records) -> None:
        """Without a logger in the configuration, records go to the logger 'confluent_kafka'."""
        with client(config()) as made:
            wait_until(lambda: default.levels_of("Connect to"), lambda: made.poll(0.01))
        assert {record.name for record in default.records} == {"confluent_kafka"}

    @pytest.mark.parametrize("client", [Producer, Consumer])
    def test_chosen(
        self,
        client: type[Any],
        chosen: tuple[logging.Logger | logging.Handler, Records],
        default: Records,
    ) -> None:
        """Records go to the given logger or handler, and nowhere else."""
        logger, records = chosen
        with client(config({"logger": logger})) as made:
            wait_until(lambda: records.levels_of("Connect to"), lambda: made.poll(0.01))
        assert default.records == []

    def test_two_clients(self) -> None:
        """Each client has its own logger, and the records contain the name of the client."""
        names = ["first", "100%s"]  # the second name must not be used as a format string
        all_records = [Records() for _ in names]
        for name, records in zip(names, all_records, strict=True):
            with Producer(config({"client.id": name, "debug": "conf", "logger": records})):
                pass
        for name, records in zip(names, all_records, strict=True):
            assert records.messages
            assert all(f"[{name}#producer-" in message for message in records.messages)

    def test_nothing_on_stderr(self) -> None:
        """Records that logging drops do not appear anywhere, because librdkafka itself prints
        nothing."""
        script = f"""
            import logging
            from confluent_kafka import Consumer, Producer

            logging.getLogger("confluent_kafka").addHandler(logging.NullHandler())
            config = {{"bootstrap.servers": "{UNREACHABLE}", "debug": "all",
                      "group.id": "group", "session.timeout.ms": 1000}}
            with Producer(config) as producer, Consumer(config) as consumer:
                producer.poll(0.2)
                consumer.poll(0.2)
        """
        assert check_script(script) == ""


class TestLevel:
    def test_levels(self) -> None:
        """syslog's levels become the levels of logging."""
        records = Records()
        # A producer logs a warning about session.timeout.ms, because only consumers have this
        # property.
        more = {"debug": "conf", "session.timeout.ms": 1000, "logger": records}
        with Producer(config(more)) as producer:
            wait_until(lambda: records.levels_of("Connect to"), lambda: producer.poll(0.01))
        assert records.levels_of("session.timeout.ms is a consumer property") == {logging.WARNING}
        assert records.levels_of("debug = conf") == {logging.DEBUG}
        assert records.levels_of("Connect to") == {logging.ERROR}

    def test_level_of_a_logger(self) -> None:
        """The level of the logger selects records, as for all records of Python."""
        records = Records()
        logger = logging.Logger("chosen", logging.ERROR)
        logger.addHandler(records)
        with Producer(config({"debug": "all", "logger": logger})) as producer:
            wait_until(lambda: records.levels_of("Connect to"), lambda: producer.poll(0.01))
        assert {record.levelno for record in records.records} == {logging.ERROR}

    def test_level_of_a_handler(self) -> None:
        """The level of a handler selects records, too."""
        records = Records(logging.ERROR)
        with Producer(config({"debug": "all", "logger": records})) as producer:
            wait_until(lambda: records.levels_of("Connect to"), lambda: producer.poll(0.01))
        assert {record.levelno for record in records.records} == {logging.ERROR}

    def test_log_level(self) -> None:
        """With log_level, librdkafka does not create records of lower levels."""
        records = Records()
        more = {"session.timeout.ms": 1000, "log_level": 3, "logger": records}
        with Producer(config(more)) as producer:
            wait_until(lambda: records.levels_of("Connect to"), lambda: producer.poll(0.01))
        assert {record.levelno for record in records.records} == {logging.ERROR}


class TestServing:
    def test_on_the_polling_thread(self) -> None:
        """The call that polls passes records to logging. librdkafka's threads never do."""
        records = Records()
        with Producer(config({"debug": "all", "logger": records})) as producer:
            wait_until(lambda: len(records.records) > 20, lambda: producer.poll(0.01))
        assert records.threads == {threading.get_ident()}

    @pytest.mark.parametrize(
        ("client", "serve"),
        [
            (Producer, lambda producer: producer.poll(0)),
            (Producer, lambda producer: producer.flush(0)),
            (Consumer, lambda consumer: consumer.poll(0)),
            (Consumer, lambda consumer: consumer.consume(1, 0)),
            (Consumer, lambda consumer: consumer.consume_arrow(1, 0)),
            (Consumer, lambda consumer: consumer.close()),
            (Producer, lambda producer: producer.close()),
        ],
    )
    def test_calls_that_serve(self, client: type[Any], serve: Callable[[Any], object]) -> None:
        """poll(), consume(), flush() and close() pass on the records that have arrived since the
        last call."""
        records = Records()
        with client(config({"debug": "all", "logger": records})) as made:
            before = len(records.records)
            ask(made)
            assert len(records.records) == before
            serve(made)
            assert len(records.records) > before

    def test_exception(self) -> None:
        """The call that serves a record raises the exception of the handler; the next call serves
        the next records."""
        records = Records()
        raising = threading.Event()

        class Broken(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                if raising.is_set():
                    raise ZeroDivisionError
                records.emit(record)

        with Producer(config({"debug": "all", "logger": Broken()})) as producer:
            producer.poll(0)
            ask(producer)
            raising.set()
            with pytest.raises(ZeroDivisionError):
                producer.poll(0)
            raising.clear()
            records.records.clear()
            ask(producer)
            producer.poll(0)
            assert records.records


class TestBound:
    @pytest.mark.parametrize("client", [Producer, Consumer])
    def test_never_polled(self, client: type[Any]) -> None:
        """Without a poll, only the newest records are kept.

        The first record then contains the number of dropped records.
        """
        records = Records()
        with client(config({"debug": "all", "logger": records})) as made:
            made.poll(0)
            records.records.clear()
            for _ in range(2 * LIMIT):
                ask(made)
            made.poll(0)
            first, *rest = records.records
            dropped = DROPPED.fullmatch(first.getMessage())
            assert dropped is not None
            assert first.levelno == logging.WARNING
            # Some records arrive while the other records are passed on.
            assert LIMIT <= len(rest) < 2 * LIMIT
            assert int(dropped[1]) + len(rest) >= 2 * LIMIT
            assert not any(DROPPED.search(record.getMessage()) for record in rest)

    @pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
    @pytest.mark.skipif(
        sys.getallocatedblocks() == 0 or "TSAN_OPTIONS" in os.environ,
        reason="sanitizers keep freed memory",
    )
    def test_memory(self) -> None:
        """The log records of a client that is never polled do not accumulate in memory.

        30,000 records of 100 bytes and more would be 3 MB at least.
        """
        script = f"""
            import logging, resource
            from confluent_kafka import KafkaException, Producer

            def resident():
                with open("/proc/self/statm") as file:
                    return int(file.read().split()[1]) * resource.getpagesize()

            def log(count):
                for _ in range(count):
                    try:
                        producer.list_topics(timeout=0)
                    except KafkaException:
                        pass

            config = {{"bootstrap.servers": "{UNREACHABLE}", "debug": "all"}}
            producer = Producer(config, logger=logging.NullHandler())
            log(3_000)
            before = resident()
            log(30_000)
            print(resident() - before)
        """
        # There is only one arena, because the number of arenas would depend on how threads overlap.
        assert int(check_script(script, env={"MALLOC_ARENA_MAX": "1"})) < 1_500_000


def test_client_name_that_is_cut_in_a_character(default: Records) -> None:
    """librdkafka keeps 127 bytes of a client's name, which can end inside a character.

    Its records can still be read.
    """
    with Producer(
        {"bootstrap.servers": UNREACHABLE, "client.id": "\xe9" * 100, "debug": "generic"}
    ):
        assert any("\xe9\xe9\ufffd" in message for message in default.messages)
