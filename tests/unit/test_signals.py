"""Signal handlers run while a call waits without a limit, and their exceptions end the wait."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from tests.support.patches import LACKS
from tests.support.scripts import check_script
from tests.support.waiting import SOON

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no setitimer()")

# These calls wait for an event that never comes. No broker can be reached, and the producer's
# queue, which has room for one message, is full.
CALLS = {
    "Producer": {
        "poll": "client.poll()",
        "flush": "client.flush()",
        "produce": "client.produce('topic', b'value', block=-1)",
        "produce_batch": "client.produce_batch('topic', [{'value': b''}, {}], block=-1)",
        "list_topics": "client.list_topics()",
        "cluster_id": "client.cluster_id()",
        "request": "client.request(3, 1)",
    },
    "AdminClient": {
        "poll": "client.poll()",
        "list_groups": "client.list_groups()",
    },
    "TransactionalProducer": {"init_transactions": "client.init_transactions()"},
    "Consumer": {
        "poll": "client.poll()",
        "consume": "client.consume(10)",
        "consume_arrow": "client.consume_arrow(10)",
        "iteration": "next(client)",
        "list_topics": "client.list_topics()",
        "cluster_id": "client.cluster_id()",
        "request": "client.request(3, 1)",
        "committed": "client.committed(partitions())",
        "offsets_for_times": "client.offsets_for_times(partitions())",
        "get_watermark_offsets": "client.get_watermark_offsets(partitions()[0])",
        "commit": "client.commit(offsets=partitions(), asynchronous=False)",
    },
    "ShareConsumer": {
        "poll": "client.poll()",
        "list_topics": "client.list_topics()",
        "cluster_id": "client.cluster_id()",
        "request": "client.request(3, 1)",
    },
}
if "raw-request" in LACKS:
    for calls in CALLS.values():
        calls.pop("request", None)
# These calls do not wait for brokers, so the test repeats them.
SHORT_CALLS = {
    "Producer": [
        "client.poll(0)",
        "client.flush(0)",
        "client.purge()",
        "client.wakeup()",
        "client.list_topics(timeout=0)",
    ],
    "Consumer": [
        "client.poll(0)",
        "client.consume(10, 0)",
        "client.assign(partitions())",
        "client.seek(partitions()[0])",
        "client.pause(partitions())",
        "client.position(partitions())",
        "client.unassign()",
    ],
    "ShareConsumer": [
        "client.poll(0)",
        "client.subscribe(['topic'])",
        "client.subscription()",
        "client.commit_sync(0)",
        "client.commit_async()",
    ],
}

SCRIPT = """
import contextlib, json, signal, time
from confluent_kafka import Consumer, KafkaException, Producer, ShareConsumer
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from tests.support.clients import config, partitions

class Stop(Exception):
    pass

# Down, but for close(): commits wait for a broker, and it waits for them.
cluster = MockCluster(1)
cluster.set_broker_down()

def consumer(more=None):
    # A commit that nobody answers is given up after that time: not before the script is.
    patient = {"bootstrap.servers": cluster.bootstrap_servers, "session.timeout.ms": 120_000}
    return Consumer(config(patient | {"reconnect.backoff.max.ms": 100} | (more or {})))

def make(kind):
    if kind == "Consumer":
        return consumer()
    if kind == "ShareConsumer":
        sharing = ShareConsumer(config(client=ShareConsumer))
        sharing.subscribe(["topic"])
        return sharing
    if kind == "AdminClient":
        return AdminClient(config())
    if kind == "TransactionalProducer":
        return Producer(config({"transactional.id": "id"}))
    # Without brokers: events that tell of errors would count as outstanding, too.
    made = Producer(config({"bootstrap.servers": "", "queue.buffering.max.messages": 1}))
    made.produce("topic", b"value")
    return made

def close(client):
    if isinstance(client, Producer):
        client.close(0)
    else:
        cluster.set_broker_up()
        client.close()
        cluster.set_broker_down()

def set_handler(handler):
    signal.signal(signal.SIGALRM, handler)

def set_timer(seconds):
    signal.setitimer(signal.ITIMER_REAL, seconds)
"""


def run(kind: str, body: str) -> Any:
    """The JSON that a script prints.

    The script gets the kind of client, and the client's `calls` by name.
    """
    calls = ", ".join(f"{name!r}: lambda client: {call}" for name, call in CALLS[kind].items())
    return json.loads(check_script(f"{SCRIPT}\nkind, calls = {kind!r}, {{{calls}}}\n{body}"))


@needs_signals
@pytest.mark.parametrize("kind", CALLS)
class TestSignals:
    def test_handler_that_raises(self, kind: str) -> None:
        """Each call soon raises the handler's exception, and the client continues to work."""
        script = """
def on_alarm(*_):
    raise Stop

set_handler(on_alarm)
late = {}
for name, call in calls.items():
    client = make(kind)
    due = time.monotonic() + 0.2
    try:
        set_timer(0.2)
        print(name, "returned", call(client))
    except Stop:
        late[name] = time.monotonic() - due
    client.poll(0)
    close(client)
print(json.dumps(late))
"""
        late = run(kind, script)
        assert late.keys() == CALLS[kind].keys()
        assert max(late.values()) < SOON

    def test_handler_that_returns(self, kind: str) -> None:
        """A handler that returns does not end the wait.

        Here the handler raises at the third signal.
        """
        script = """
def on_alarm(*_):
    counts[name] += 1
    if counts[name] == 3:
        raise Stop
    set_timer(0.05)

set_handler(on_alarm)
counts = dict.fromkeys(calls, 0)
for name, call in calls.items():
    client = make(kind)
    try:
        set_timer(0.05)
        print(name, "returned", call(client))
    except Stop:
        pass
    close(client)
print(json.dumps(counts))
"""
        assert run(kind, script) == dict.fromkeys(CALLS[kind], 3)

    def test_handler_that_wakes(self, kind: str) -> None:
        """wakeup() in a signal handler ends each call, so that a loop can end without an
        exception."""
        script = """
set_handler(lambda *_: client.wakeup())
woken = []
for name, call in calls.items():
    client = make(kind)
    set_timer(0.05)
    with contextlib.suppress(BufferError, KafkaException, StopIteration):
        call(client)
    woken.append(name)
    close(client)
print(json.dumps(woken))
"""
        assert run(kind, script) == list(CALLS[kind])

    def test_handler_that_closes(self, kind: str) -> None:
        """close() in a handler raises a RuntimeError with advice, because it would wait for the
        interrupted call."""
        script = """
def on_alarm(*_):
    global came_before
    client.close()
    came_before = True

set_handler(on_alarm)
errors = {}
for name, call in calls.items():
    came_before = True
    while came_before:  # before the call, on a machine that stood still
        came_before = False
        client = make(kind)
        set_timer(0.2)
        try:
            print(name, "returned", call(client))
        except RuntimeError as error:
            errors[name] = str(error)
        if not came_before:
            client.poll(0)
        close(client)
print(json.dumps(errors))
"""
        errors = run(kind, script)
        assert errors.keys() == CALLS[kind].keys()
        assert all("call wakeup() there" in text for text in errors.values())


@needs_signals
@pytest.mark.parametrize("kind", SHORT_CALLS)
def test_calls_that_do_not_wait(kind: str) -> None:
    """A handler's exception ends a loop of calls that do not wait, and the client continues to
    work."""
    calls = ", ".join(f"lambda: {call}" for call in SHORT_CALLS[kind])
    check_script(f"""{SCRIPT}
def on_alarm(*_):
    raise Stop

set_handler(on_alarm)
for _ in range(5):
    client = make({kind!r})
    calls = [{calls}]
    try:
        set_timer(0.05)
        while True:
            for call in calls:
                with contextlib.suppress(KafkaException):
                    call()
    except Stop:
        client.poll(0)
    close(client)
""")


@needs_signals
@pytest.mark.parametrize("kind", ["Producer", "Consumer"])
def test_close(kind: str) -> None:
    """If close() waits for the brokers, it raises the handler's exception, and can be called
    again."""
    check_script(f"""{SCRIPT}
def on_alarm(*_):
    raise Stop

set_handler(on_alarm)
client = make({kind!r})
if {kind!r} == "Consumer":
    client.commit(offsets=partitions())  # what close() waits for
due = time.monotonic() + 0.2
try:
    set_timer(0.05)
    client.close()
except Stop:
    assert time.monotonic() - due < {SOON}
else:
    raise AssertionError("it did not wait")
close(client)
try:
    client.poll(0)
except RuntimeError as error:
    assert "closed" in str(error)
""")


@needs_signals
def test_interrupt_from_the_keyboard() -> None:
    """If the application sets no handler, Ctrl-C raises KeyboardInterrupt from each call."""
    check_script(f"""{SCRIPT}
client = make("Consumer")
signal.signal(signal.SIGALRM, signal.default_int_handler)
try:
    set_timer(0.05)
    for message in client:
        raise AssertionError(message)
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("the loop ended")
close(client)
""")


@needs_signals
def test_handler_that_uses_the_client() -> None:
    """Calls in a handler do not wait for the call that the handler interrupts."""
    output = check_script(f"""{SCRIPT}
def on_alarm(*_):
    client.poll(0)
    client.purge()
    client.flush(0)
    print(len(client))
    client.wakeup()

set_handler(on_alarm)
client = make("Producer")
set_timer(0.05)
client.flush()
client.close()
""")
    assert output == "0\n"


@needs_signals
def test_dropped_after_an_interrupted_close() -> None:
    """If close() was interrupted, the client is not closed.

    Dropping the client raises a warning, and shows the exceptions of its callbacks.
    """
    output = check_script(f"""{SCRIPT}
import sys, warnings

def on_alarm(*_):
    if inside:
        set_timer(0.05)  # it would be the callback's exception
    else:
        raise Stop

def on_stats(text):
    if stats:
        return
    inside.append(text)
    stats.append(text)
    set_timer(0.05)
    inside.clear()
    1 / 0

set_handler(on_alarm)
stats, inside = [], []
client = consumer({{"statistics.interval.ms": 100, "stats_cb": on_stats}})
client.commit(offsets=partitions())  # what close() waits for
try:
    client.close()
except Stop:
    pass
else:
    raise AssertionError("it did not wait")
warnings.simplefilter("always")
warnings.showwarning = lambda message, *_: print(message)
sys.unraisablehook = lambda info: print(info.exc_type.__name__)
cluster.set_broker_up()
del client
cluster.close()
""")
    shown = output.splitlines()
    assert shown[0] == "Consumer was not closed: call close() or use 'with'"
    assert shown[1:] == ["ZeroDivisionError"]
