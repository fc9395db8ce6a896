"""The pool of clients of a worker process."""

from __future__ import annotations

import os
import threading

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka.spark.clients import Pool, consumer_config, producer_config
from tests.support.waiting import wait_until


class Client:
    """A client that only records when it is closed. Its bool() is False, like that of an empty
    Producer."""

    def __init__(self, config: dict[str, str]) -> None:
        self.config = config
        self.closed = False

    def __len__(self) -> int:
        return 0

    def close(self) -> None:
        self.closed = True


def borrowed(pool: Pool[Client], **config: str) -> Client:
    with pool.borrow(config) as client:
        return client


def test_a_client_is_used_again_for_the_same_configuration_only() -> None:
    """A task that reuses a client needs no new connections."""
    pool = Pool(Client)
    first = borrowed(pool, servers="a")
    assert borrowed(pool, servers="a") is first
    assert borrowed(pool, servers="b") is not first


def test_one_client_is_lent_to_one_borrower() -> None:
    """A range read within another range's read has a consumer of its own."""
    pool = Pool(Client)
    with pool.borrow({}) as outer, pool.borrow({}) as inner:
        assert outer is not inner


def test_a_client_whose_user_failed_is_closed() -> None:
    """After an exception in a task, its client is closed, because the client's state is unknown."""
    pool = Pool(Client)
    with pytest.raises(ZeroDivisionError), pool.borrow({}) as client:
        raise ZeroDivisionError
    assert client.closed
    assert borrowed(pool) is not client


def test_few_idle_clients_are_kept() -> None:
    """A worker that uses many clusters closes its oldest idle clients."""
    pool = Pool(Client, at_most=2)
    clients = [borrowed(pool, servers=str(number)) for number in range(4)]
    assert [client.closed for client in clients] == [True, True, False, False]


def test_close_closes_the_idle_ones() -> None:
    """After close(), the next borrower gets a new client."""
    pool = Pool(Client)
    first = borrowed(pool)
    pool.close()
    assert first.closed
    assert borrowed(pool) is not first


def test_a_client_idle_for_long_is_closed() -> None:
    """A worker with other work holds no idle connections; each client has its own idle time."""
    pool = Pool(Client, idle_seconds=0.3)
    first = borrowed(pool, servers="a")
    with pool.borrow({"servers": "b"}) as second:
        wait_until(lambda: first.closed)
        assert not second.closed
    wait_until(lambda: second.closed)
    assert borrowed(pool, servers="b") is not second


def test_no_thread_stays_when_nothing_is_idle() -> None:
    """The thread that closes idle clients ends when the last of them is closed."""
    pool = Pool(Client, idle_seconds=0.1)
    before = set(threading.enumerate())
    client = borrowed(pool)
    # Threads of other tests may end meanwhile.
    wait_until(lambda: client.closed and set(threading.enumerate()) <= before)


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_process_neither_uses_nor_closes_its_parent_s_clients() -> None:
    """A client's threads do not exist in a forked process."""
    pool = Pool(Client, at_most=1)
    first = borrowed(pool)
    child = os.fork()
    if child == 0:
        second = borrowed(pool)
        pool.close()
        alone = second is not first and second.closed and not first.closed
        os._exit(0 if alone else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_exact_ranges_rest_on_cannot_be_configured_away() -> None:
    """The user's properties replace the defaults, but not the fixed properties."""
    config = consumer_config({"isolation.level": "read_committed", "auto.offset.reset": "latest"})
    assert config["isolation.level"] == "read_committed"
    assert config["auto.offset.reset"] == "error"
    assert consumer_config({})["isolation.level"] == "read_uncommitted"


def test_a_key_goes_to_the_partition_of_java_s_clients() -> None:
    """A key keeps the partition that Spark's own sink gave it."""
    assert producer_config({})["partitioner"] == "murmur2_random"
    assert producer_config({"partitioner": "consistent"})["partitioner"] == "consistent"


def test_the_user_may_have_a_longer_queue() -> None:
    """The user can set a longer queue, for a link whose delay needs more messages than the
    default."""
    assert producer_config({})["queue.buffering.max.messages"] == "20000"
    longer = producer_config({"queue.buffering.max.messages": "500000"})
    assert longer["queue.buffering.max.messages"] == "500000"
