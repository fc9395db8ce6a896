"""The interpreter exits cleanly and without output, even if clients are still open."""

from __future__ import annotations

import pytest

from tests.support.scripts import check_script, run_script

EXIT = """
import logging
from confluent_kafka import (
    ConcurrentModificationException, Consumer, Producer, ShareConsumer, TopicPartition
)
from confluent_kafka.admin import AdminClient

quiet = logging.Logger("quiet")
quiet.addHandler(logging.NullHandler())
settings = {"bootstrap.servers": "127.0.0.1:1", "group.id": "group", "logger": quiet}
"""


class TestExit:
    @pytest.mark.parametrize(
        "script",
        [
            pytest.param("client = Producer(settings)", id="producer"),
            pytest.param("client = Consumer(settings)", id="consumer"),
            pytest.param(
                "client = Producer(settings)\nclient.produce('topic', b'value', callback=print)",
                id="message outstanding",
            ),
            pytest.param(
                "client = Consumer(settings)\nclient.subscribe(['topic'])\nclient.poll(0.1)",
                id="member of a group",
            ),
            pytest.param(
                "client = ShareConsumer(settings)\nclient.subscribe(['topic'])\nclient.poll(0.1)",
                id="member of a share group",
            ),
            pytest.param(
                "import sys\nclient = Producer(settings)\nsys.client = client\n"
                "cycle = type('Sub', (Consumer,), {})(settings)\ncycle.me = cycle\ndel cycle",
                id="kept for ever",
            ),
            pytest.param(
                "def generate():\n with Consumer(settings) as consumer:\n  yield consumer\n"
                "generator = generate()\nnext(generator)",
                id="in a generator",
            ),
            pytest.param(
                "import atexit\nclient = Producer(settings)\n"
                "atexit.register(client.close)\natexit.register(client.flush, 0)",
                id="closed by atexit",
            ),
            pytest.param(
                "class Sub(Producer):\n def __del__(self):\n  self.close()\n"
                "client = Sub(settings)\nclient.me = client",
                id="closed by __del__",
            ),
            pytest.param(
                "client = Producer(settings | {'error_cb': str, 'stats_cb': str, 'debug': 'all',"
                " 'statistics.interval.ms': 1, 'logger': quiet})\nclient.poll(0.05)",
                id="callbacks",
            ),
            pytest.param(
                "client = Producer(settings | {'sasl.mechanism': 'OAUTHBEARER', 'security.protocol'"
                ": 'sasl_plaintext', 'oauth_cb': lambda _: ('token', 4e9)})",
                id="oauth_cb",
            ),
        ],
    )
    def test_live_client(self, script: str) -> None:
        """The exit code is 0, and there is no output, whatever state the client is in."""
        assert check_script(EXIT + script, timeout=60) == ""

    @pytest.mark.parametrize(
        ("client", "call"),
        [
            ("Producer", "client.poll()"),
            ("Producer", "client.flush()"),
            ("Producer", "client.produce('topic', b'value', block=-1)"),
            ("Producer", "client.list_topics()"),
            ("Producer", "client.cluster_id()"),
            ("AdminClient", "client.poll()"),
            ("AdminClient", "client.list_groups()"),
            ("AdminClient", "client.describe_cluster().exception()"),
            ("Consumer", "client.poll()"),
            ("Consumer", "client.consume(10)"),
            ("Consumer", "client.consume_arrow(10)"),
            ("Consumer", "next(client, None)"),
            ("Consumer", "client.list_topics()"),
            ("Consumer", "client.committed([TopicPartition('topic', 0)])"),
            ("Consumer", "client.commit(offsets=[TopicPartition('t', 0, 0)], asynchronous=False)"),
            ("Consumer", "client.get_watermark_offsets(TopicPartition('topic', 0))"),
            ("ShareConsumer", "client.list_topics()"),
            ("ShareConsumer", "one_at_a_time(client.poll)"),
        ],
    )
    def test_threads_inside(self, client: str, call: str) -> None:
        """Daemon threads inside a call without a timeout end quietly."""
        full = ", 'queue.buffering.max.messages': 1" if client == "Producer" else ""
        script = f"""
import sys, threading, time

sys.setswitchinterval(1)  # who is let go can go on, as on a machine that is busy
client = {client}(settings | {{'log_level': 0{full}}})
if isinstance(client, Producer):
    client.produce("topic", b"value")
if isinstance(client, ShareConsumer):
    client.subscribe(["topic"])
inside = threading.Barrier(4)

def one_at_a_time(call):
    try:
        call()
    except ConcurrentModificationException:
        time.sleep(0.01)

def work():
    inside.wait()
    while True:
        {call}

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
inside.wait()
time.sleep(0.2)
"""
        assert check_script(EXIT + script, timeout=60) == ""

    def test_commit_that_nobody_answers(self) -> None:
        """librdkafka waits for the response up to the session timeout, but the exit does not
        wait."""
        script = """
client = Consumer(settings | {"session.timeout.ms": 600000, "max.poll.interval.ms": 600000})
client.commit(offsets=[TopicPartition("topic", 0, 0)])
"""
        assert check_script(EXIT + script, timeout=60) == ""

    def test_uncaught_exception(self) -> None:
        """The traceback and the exit code are Python's own."""
        script = EXIT + "client = Producer(settings)\nconsumer = Consumer(settings)\n1 / 0"
        result = run_script(script)
        assert result.returncode == 1
        assert result.stderr.splitlines()[-1] == "ZeroDivisionError: division by zero"
        assert result.stdout == ""

    def test_clusters_and_clients(self) -> None:
        """The exit is clean even if clusters and clients were not closed, in whatever order they
        end."""
        script = """
from confluent_kafka.testing import MockCluster

cluster = MockCluster(3)
cluster.create_topic("topic")
settings["bootstrap.servers"] = cluster.bootstrap_servers
settings["auto.offset.reset"] = "earliest"
producer, consumer = Producer(settings), Consumer(settings)
del settings["auto.offset.reset"]
sharing = ShareConsumer(settings | {"group.id": "sharing"})
sharing.subscribe(["topic"])
assert sharing.poll(0.1).is_empty()
consumer.subscribe(["topic"])
producer.produce("topic", b"value")
assert producer.flush() == 0
assert consumer.poll(30).value() == b"value"
producer.produce("topic", b"another")
"""
        assert check_script(EXIT + script) == ""

    def test_use_after_the_end(self) -> None:
        """If an atexit hook uses a client after the package's own hook, the client is closed, and
        no freed memory is read."""
        script = """
import atexit

def last():
    try:
        client.poll(0)
    except RuntimeError as error:
        print(error)

atexit._clear()
atexit.register(last)
from confluent_kafka import cimpl
atexit.register(cimpl._close_live_clients)
client = Producer(settings)
"""
        assert "has been closed" in check_script(EXIT + script)

    def test_client_that_another_thread_drops(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The exit handler ignores a client that is being deleted, so that it does not end
        twice."""
        monkeypatch.setenv("PYTHONMALLOC", "debug")  # so that freeing twice is a crash
        script = """
import threading
from confluent_kafka import cimpl

class Attribute:
    def __del__(self):
        inside.set()
        assert ended.wait(30)

inside, ended = threading.Event(), threading.Event()

def work():
    client = type("Sub", (Producer,), {})(settings)
    client.attribute = Attribute()
    del client

thread = threading.Thread(target=work)
thread.start()
assert inside.wait(30)
cimpl._close_live_clients()
ended.set()
thread.join()
"""
        assert check_script(EXIT + script) == ""
