"""os.fork() with open clients: the child gets errors with advice, and the parent continues."""

from __future__ import annotations

import os
import platform
import subprocess
import textwrap
from pathlib import Path

import pytest

from tests.support.scripts import check_script

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork()")

FORK = """
import gc, os, sys, time
from confluent_kafka import Consumer, Producer, ShareConsumer
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster

def wait(child):
    # A child that hangs prints its stacks and ends by its own watchdog.
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


# Like glibc's function, this function holds a lock that fork() ignores. It holds the lock for
# longer, so that every fork that does not wait for the look-up happens during the look-up.
LOCKED_LOOK_UP = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
            struct addrinfo **result)
{
    int (*glibc)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    *(void **)&glibc = dlsym(RTLD_NEXT, "getaddrinfo");
    pthread_mutex_lock(&lock);
    usleep(2000);
    int error = glibc(node, service, hints, result);
    pthread_mutex_unlock(&lock);
    return error;
}
"""


def check_fork(script: str, timeout: int = 60, env: dict[str, str] | None = None) -> str:
    """The output of a script that forks."""
    return check_script(FORK + textwrap.dedent(script), timeout=timeout, forks=True, env=env)


@needs_fork
class TestFork:
    def test_child_and_parent(self) -> None:
        """In the child, every method raises an error with advice, and the exit does not hang.

        The parent's clients continue to work.
        """
        output = check_fork(
            """
            from tests.support.clients import ADMIN_CALLS, CONSUMER_CALLS
            from tests.support.clients import PRODUCER_CALLS, SHARE_CALLS

            with MockCluster(1) as cluster:
                cluster.create_topic("topic")
                settings = {"bootstrap.servers": cluster.bootstrap_servers}
                producer, admin = Producer(settings), AdminClient(settings)
                admin.list_consumer_groups().result(30)
                consumer = Consumer(settings, **{"group.id": "g", "auto.offset.reset": "earliest"})
                consumer.subscribe(["topic"])
                sharing = ShareConsumer(settings, **{"group.id": "s", "log_level": 3})
                sharing.subscribe(["topic"])
                sharing.poll(0)
                producer.produce("topic", b"before")
                assert producer.flush() == 0
                producer.produce("topic", b"before, not delivered when the child begins")
                child = os.fork()
                if child == 0:
                    calls = [(producer, call) for call in PRODUCER_CALLS.values()]
                    calls += [(consumer, call) for call in CONSUMER_CALLS.values()]
                    calls += [(sharing, call) for call in SHARE_CALLS.values()]
                    calls += [(admin, call) for call in ADMIN_CALLS.values()]
                    calls += [(consumer, next), (producer, len)]
                    for client, call in calls:
                        try:
                            call(client)
                        except RuntimeError as error:
                            assert "before os.fork()" in str(error), error
                            assert f"create a new {type(client).__name__}" in str(error), error
                        else:
                            raise AssertionError("no error")
                    producer.close()
                    consumer.close()
                    sharing.close()
                    admin.close()
                    with Producer(settings) as fresh:
                        fresh.produce("topic", b"child")
                        assert fresh.flush() == 0
                    del producer, consumer, sharing, admin
                    gc.collect()
                    sys.exit(7)
                assert wait(child) == 7
                producer.produce("topic", b"after")
                assert producer.flush() == 0
                values = set()
                while len(values) < 4:
                    values.add(consumer.poll(30).value())
                admin.list_consumer_groups().result(30)
                assert sharing.subscription() == ["topic"]
                sharing.close()
                for client in (consumer, producer, admin):
                    client.close()
                print(len(values))
        """
        )
        assert output == "4\n"

    def test_while_other_threads_are_inside(self) -> None:
        """A fork may happen while other threads hold locks.

        The child does not have these threads, and never waits for the locks.
        """
        check_fork(
            """
            import threading

            with MockCluster(1) as cluster:
                settings = {"bootstrap.servers": cluster.bootstrap_servers}
                producer = Producer(settings | {"stats_cb": str, "statistics.interval.ms": 1})
                consumer = Consumer(settings, **{"group.id": "g"})
                consumer.subscribe(["topic"])
                stop = threading.Event()

                def work(step):
                    while not stop.wait(0.001):
                        step()

                steps = [
                    lambda: producer.poll(0.01),
                    lambda: producer.produce("topic", b"value"),
                    lambda: consumer.consume(100, 0.01),
                    lambda: producer.list_topics(timeout=10),
                ]
                threads = [threading.Thread(target=work, args=(step,)) for step in steps]
                for thread in threads:
                    thread.start()
                began = time.monotonic()
                for _ in range(20):
                    child = os.fork()
                    if child == 0:
                        for client in (producer, consumer):
                            try:
                                client.poll(1)
                            except RuntimeError as error:
                                assert "before os.fork()" in str(error)
                            else:
                                raise AssertionError("no error")
                            client.close()
                        del producer, consumer, client, steps, threads
                        gc.collect()
                        sys.exit(7)
                    assert wait(child) == 7
                # Nobody waited for the threads that the children do not have.
                assert time.monotonic() - began < 30
                stop.set()
                for thread in threads:
                    thread.join()
                producer.close()
                consumer.close()
        """,
            timeout=120,
        )

    @pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc has this lock")
    def test_while_addresses_are_looked_up(self, tmp_path: Path) -> None:
        """A fork waits for look-ups, so that a client of the child can look up addresses and does
        not hang."""
        library, source = tmp_path / "locked.so", tmp_path / "locked.c"
        source.write_text(LOCKED_LOOK_UP)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)
        output = check_fork(
            """
            from confluent_kafka import KafkaError, KafkaException

            settings = {
                "bootstrap.servers": "127.0.0.1:1",
                "log_level": 0,
                "reconnect.backoff.ms": 1,
                "reconnect.backoff.max.ms": 1,
            }

            def refused():
                with Producer(settings) as producer:
                    try:
                        producer.connect(10)
                    except KafkaException as error:
                        return error.args[0].code() == KafkaError._TRANSPORT

            producers = [Producer(settings) for _ in range(3)]
            for _ in range(20):
                child = os.fork()
                if child == 0:
                    os._exit(7 if refused() else 8)
                assert wait(child) == 7
            for producer in producers:
                producer.close()
            print(refused())
            """,
            env={"LD_PRELOAD": str(library)},
        )
        assert output == "True\n"

    def test_in_a_callback(self) -> None:
        """A child that is forked inside a callback returns from poll() and does not wait for the
        parent's threads."""
        output = check_fork(
            """
            with MockCluster(1) as cluster:
                settings = {"bootstrap.servers": cluster.bootstrap_servers}
                children = []
                producer = Producer(settings)
                producer.produce("topic", b"1", callback=lambda *_: children.append(os.fork()))
                producer.produce("topic", b"2")
                while not children:
                    producer.poll(10)
                if children == [0]:
                    try:
                        producer.poll(10)
                    except RuntimeError:
                        sys.exit(7)
                    sys.exit(8)
                print(wait(children[0]))
                assert producer.flush() == 0
                producer.close()
        """
        )
        assert output == "7\n"

    def test_multiprocessing(self) -> None:
        """Forked workers of a pool can create clients of their own.

        The parent's client raises an error in the workers.
        """
        check_fork(
            """
            import multiprocessing

            def work(number):
                with Producer(settings) as own:
                    own.produce("topic", str(number))
                try:
                    producer.produce("topic", b"value")
                except RuntimeError:
                    return number

            with MockCluster(1) as cluster:
                settings = {"bootstrap.servers": cluster.bootstrap_servers}
                producer = Producer(settings)
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    assert pool.map(work, range(8)) == list(range(8))
                    pool.close()
                    pool.join()
                producer.close()
        """
        )

    def test_client_that_is_dropped_in_the_child(self) -> None:
        """The child can drop the parent's client without a ResourceWarning or a crash, because only
        the parent must close it."""
        check_fork(
            """
            warnings.simplefilter("error", ResourceWarning)
            producer = Producer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
            producer.produce("topic", b"value", callback=print)
            child = os.fork()
            if child == 0:
                del producer
                gc.collect()
                sys.exit(7)
            assert wait(child) == 7
            producer.purge()
            assert producer.flush() == 0
            producer.close()
        """
        )

    def test_classes_around_a_client(self) -> None:
        """In every API, the error names the class that the application uses."""
        check_fork(
            """
            import asyncio
            from confluent_kafka.aio import AIOAdminClient, AIOConsumer, AIOProducer
            from confluent_kafka.compat import kafka, kafka_2

            class Mine(kafka.KafkaConsumer):
                pass

            def refused(call, name):
                try:
                    call()
                except RuntimeError as error:
                    assert f"{name} was created before os.fork()" in str(error), error
                    assert f"create a new {name} after the fork" in str(error), error
                else:
                    raise AssertionError(name)

            def child_of(calls):
                child = os.fork()
                if child == 0:
                    for client, call in calls:
                        refused(lambda: call(client), type(client).__name__)
                    os._exit(7)
                assert wait(child) == 7

            async def awaited(cluster):
                settings = {"bootstrap.servers": cluster.bootstrap_servers}
                clients = [
                    (AIOConsumer(settings | {"group.id": "g"}), lambda one: one.poll(0.1)),
                    (AIOProducer(settings), lambda one: one.produce("topic", b"value")),
                    (AIOAdminClient(settings), lambda one: one.list_topics(timeout=1)),
                ]
                child_of(
                    [(one, lambda one, call=call: call(one).send(None)) for one, call in clients]
                )
                for one, _ in clients:
                    await one.close()

            with MockCluster(1) as cluster:
                cluster.create_topic("topic")
                keywords = {"bootstrap_servers": cluster.bootstrap_servers}
                calls = [
                    (Mine("topic", **keywords), lambda one: one.poll(timeout_ms=10)),
                    (kafka_2.KafkaConsumer("topic", **keywords), lambda one: one.poll(10)),
                    (kafka.KafkaProducer(**keywords), lambda one: one.send("topic", b"value")),
                    (kafka.KafkaAdminClient(**keywords), lambda one: one.list_topics()),
                ]
                child_of(calls)
                for one, _ in calls:
                    one.close()
                asyncio.run(awaited(cluster))
            """
        )
