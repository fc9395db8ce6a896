"""os.fork() with live clients of compat.kafka and kafka_0_9, and a cluster with handlers."""

from __future__ import annotations

import os

import pytest

from tests.support.patches import needs
from tests.support.scripts import check_script

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork()")

BEGIN = """
import gc, os, threading
from confluent_kafka import protocol
from confluent_kafka.compat.kafka import KafkaConsumer, KafkaProducer
from confluent_kafka.compat.kafka_0_9 import KafkaClient, SimpleProducer
from confluent_kafka.testing import MockCluster

def wait(child):
    # A child that hangs prints its stacks and ends by its own watchdog.
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def refused(call):
    try:
        call()
    except RuntimeError as error:
        assert "before os.fork()" in str(error), error
    else:
        raise AssertionError("it was not refused")
"""


@pytest.mark.parametrize("ends", ["closed", "dropped"])
def test_kafka_python(ends: str) -> None:
    """A child cannot use the clients, but can end; the parent's clients still work."""
    output = check_script(
        BEGIN
        + f"""
cluster = MockCluster(brokers=1)
cluster.create_topic("t")
servers = cluster.bootstrap_servers
producer = KafkaProducer(bootstrap_servers=servers)
producer.send("t", b"before").get(30)
consumer = KafkaConsumer("t", bootstrap_servers=servers, auto_offset_reset="earliest")
assert next(consumer).value == b"before"
child = os.fork()
if child == 0:
    refused(lambda: producer.send("t", b"child"))
    refused(producer.flush)
    refused(lambda: consumer.poll(timeout_ms=30_000))
    refused(lambda: next(consumer))
    if "{ends}" == "closed":
        producer.close()
        consumer.close()
    del producer, consumer
    gc.collect()
    os._exit(0)
assert wait(child) == 0
producer.send("t", b"after").get(30)
assert next(consumer).value == b"after"
consumer.close()
producer.close()
cluster.close()
print("done")
""",
        forks=True,
    )
    assert output == "done\n"


@needs("mock-on-request", "mock-snapshot", "raw-request")
def test_cluster_with_handlers() -> None:
    """In a child, methods of the cluster raise, and closing has no effect; the parent's handlers
    still work."""
    output = check_script(
        BEGIN
        + """
LOG_DIRS = protocol.DescribeLogDirsRequest.api_key
cluster = MockCluster(brokers=1)
cluster.on_request(LOG_DIRS, lambda request, context: protocol.DescribeLogDirsResponse())
child = os.fork()
if child == 0:
    refused(lambda: cluster.on_request(LOG_DIRS, print))
    refused(lambda: cluster.on_request(LOG_DIRS, None))
    refused(cluster._offers)
    refused(cluster._snapshot)
    cluster.close()
    del cluster
    gc.collect()
    os._exit(0)
assert wait(child) == 0
from confluent_kafka.admin import AdminClient
with AdminClient({"bootstrap.servers": cluster.bootstrap_servers}) as admin:
    assert admin.describe_log_dirs([1])[1].result(30) == {}
cluster.close()
print("done")
""",
        forks=True,
    )
    assert output == "done\n"


def test_while_another_thread_connects() -> None:
    """A child can use a KafkaClient of 0.9, whatever the parent's threads were doing at the
    fork."""
    output = check_script(
        BEGIN
        + """
from confluent_kafka.compat.kafka_0_9 import _engine
with MockCluster(brokers=1) as cluster:
    cluster.create_topic("t")
    client = KafkaClient(cluster.bootstrap_servers)
    client.close()
    connected, connecting, go_on = _engine._connected, threading.Event(), threading.Event()

    def slowly(*args):
        connecting.set()
        go_on.wait(30)
        return connected(*args)

    _engine._connected = slowly
    thread = threading.Thread(target=client.load_metadata_for_topics)
    thread.start()
    connecting.wait(30)
    child = os.fork()
    if child == 0:
        _engine._connected = connected
        SimpleProducer(client).send_messages("t", b"child")
        client.close()
        os._exit(0)
    go_on.set()
    assert wait(child) == 0
    thread.join()
    client.close()
print("done")
""",
        forks=True,
    )
    assert output == "done\n"


def test_aiokafka() -> None:
    """In a child's loop, the clients of the parent's loop raise an error that names the fork, not
    the loop."""
    output = check_script(
        BEGIN
        + """
import asyncio
from confluent_kafka.aio import AIOProducer
from confluent_kafka.compat.aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka.compat.aiokafka.admin import AIOKafkaAdminClient

def refused_in_a_loop(name, call):
    async def run():
        await call()

    try:
        asyncio.run(run())
    except RuntimeError as error:
        assert str(error).startswith(name + " was created before os.fork()"), error
    else:
        raise AssertionError("it was not refused")

async def main(cluster):
    servers = cluster.bootstrap_servers
    producer = AIOKafkaProducer(bootstrap_servers=servers)
    consumer = AIOKafkaConsumer("t", bootstrap_servers=servers)
    admin = AIOKafkaAdminClient(bootstrap_servers=servers)
    native = AIOProducer({"bootstrap.servers": servers})
    for client in (producer, consumer, admin):
        await client.start()
    child = os.fork()
    if child == 0:
        # CPython 3.14 reports that the parent's loop, which ends here, does not run in the child.
        loop.set_exception_handler(lambda *_: None)
        return producer, consumer, admin, native
    assert wait(child) == 0
    await producer.send_and_wait("t", b"after")
    for client in (producer, consumer):
        await client.stop()
    await admin.close()
    await native.close()

cluster = MockCluster(brokers=1)
cluster.create_topic("t")
loop = asyncio.new_event_loop()
clients = loop.run_until_complete(main(cluster))
if clients is not None:
    producer, consumer, admin, native = clients
    refused_in_a_loop("AIOKafkaProducer", lambda: producer.send("t", b"child"))
    refused_in_a_loop("AIOKafkaProducer", producer.flush)
    refused_in_a_loop("AIOKafkaConsumer", consumer.getone)
    refused_in_a_loop("AIOKafkaConsumer", consumer.getmany)
    refused_in_a_loop("AIOKafkaConsumer", lambda: consumer.end_offsets([]))
    refused_in_a_loop("AIOKafkaAdminClient", admin.list_topics)
    refused_in_a_loop("AIOProducer", lambda: native.produce("t", b"child"))
    os._exit(0)
loop.close()
cluster.close()
print("done")
""",
        forks=True,
    )
    assert output == "done\n"
