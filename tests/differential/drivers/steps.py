"""The common part of the drivers, which read scripts from standard input and write outcomes.

Drivers also run in the environment of another package, without access to this repository. Their
arguments are the brokers, the topic, a prefix for groups and topics, and the seconds to wait for
messages.
"""

import json
import os
import sys
import threading
import time

servers, topic, prefix, patience = *sys.argv[1:4], float(sys.argv[4])

HANGS = 10 * patience + 2  # in seconds


def run_scripts(run):
    """Run each script in the standard input, and write the outcomes of its steps as one line."""
    for line in sys.stdin:
        script = json.loads(line)
        print(json.dumps([script["seed"], run(script)]), flush=True)
    os._exit(0)  # this does not wait for threads whose calls hang


def outcomes_of(calls, script):
    """Return the result or the exception of each step of a script. The last step may hang."""
    outcomes = []
    for name, *arguments in script["steps"]:
        outcomes.append(_outcome(getattr(calls, name), arguments))
        if outcomes[-1] == "hangs":
            break
    return outcomes


def _outcome(call, arguments):
    """Return the call's result or exception. If the call hangs, its thread continues."""
    outcomes = []

    def run():
        try:
            outcomes.append(call(*arguments))
        except Hangs:
            pass
        except Exception as error:
            outcomes.append(raised(error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(10 + HANGS)
    return outcomes[0] if outcomes else "hangs"


def named(own, name):
    """Return the script's own name for a topic. A name that no topic can have is not changed."""
    return name if " " in name else f"{own}-{name}"


class Hangs(Exception):
    """A call that never returns."""


def raised(error):
    """Describe an exception: its classes, with the most specific first, and confluent-kafka's
    code."""
    code = getattr(error.args[0], "name", None) if error.args else None
    classes = [one.__name__ for one in type(error).__mro__]
    return {"raised": classes, "code": code() if callable(code) else None}


def read_until(count, read):
    """Return `count` messages, or fewer messages if the next one does not come in time.

    Args:
        count: the number of messages.
        read: returns the next messages, at most as many as its argument.
    """
    found = []
    deadline = time.monotonic() + patience
    while len(found) < count and time.monotonic() < deadline:
        more = read(count - len(found))
        found += more
        if more:
            deadline = time.monotonic() + patience
    return found


class CommonConsumer:
    """The common part of all consumers. `place` is the driver's class for partitions."""

    def __init__(self, consumer):
        self.consumer = consumer

    def assign(self, partitions):
        return self.consumer.assign([self.place(topic, one) for one in partitions])

    def subscribe(self):
        return self.consumer.subscribe([topic])

    def unsubscribe(self):
        return self.consumer.unsubscribe()

    def assignment(self):
        return sorted(place.partition for place in self.consumer.assignment())

    def drain(self):
        return sorted(self.read(1000))


def header_pairs(headers):
    """Convert headers from JSON into tuples and bytes, which the clients accept."""
    if not isinstance(headers, list):
        return headers
    return [(name, None if value is None else value.encode()) for name, value in headers]


def as_bytes(value):
    """Encode a key or value. A text with a leading colon stays a text, which clients refuse."""
    return value.encode() if isinstance(value, str) and not value.startswith(":") else value
