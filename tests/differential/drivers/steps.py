"""The common part of the drivers: scripts from standard input, outcomes to standard output.

Drivers also run in the environment of another client, which does not contain this repository. Their
arguments are the brokers, the topic, a prefix for groups and topics, and the seconds to wait for
messages.
"""

import json
import os
import sys
import threading
import time

servers, topic, prefix, patience = *sys.argv[1:4], float(sys.argv[4])

HANGS = 10 * patience + 2  # seconds


def run_scripts(run):
    """Run each script of the standard input, and write the outcomes of its steps as a line."""
    for line in sys.stdin:
        script = json.loads(line)
        print(json.dumps([script["seed"], run(script)]), flush=True)
    os._exit(0)  # without waiting for threads whose calls hang


def outcomes_of(calls, script):
    """Return what each step of a script returns or raises; the last one may hang."""
    outcomes = []
    for name, *arguments in script["steps"]:
        outcomes.append(_outcome(getattr(calls, name), arguments))
        if outcomes[-1] == "hangs":
            break
    return outcomes


def _outcome(call, arguments):
    """Return the call's result or exception; if it hangs, leave it on its thread."""
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
    """Return the name of a topic of the script; a name that no topic can have is not changed."""
    return name if " " in name else f"{own}-{name}"


class Hangs(Exception):
    """A call that never returns."""


def raised(error):
    """Describe an exception: its classes, the most specific first, and confluent-kafka's code."""
    code = getattr(error.args[0], "name", None) if error.args else None
    classes = [one.__name__ for one in type(error).__mro__]
    return {"raised": classes, "code": code() if callable(code) else None}


def read_until(count, read):
    """Return `count` messages, or fewer if no further message comes in time.

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
    """The common part of all consumers. Each driver's `place` is its class of partitions."""

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
    """Convert headers from JSON: clients take tuples and bytes."""
    if not isinstance(headers, list):
        return headers
    return [(name, None if value is None else value.encode()) for name, value in headers]


def as_bytes(value):
    """Encode a key or value; a text with a leading colon stays a text, which is an error."""
    return value.encode() if isinstance(value, str) and not value.startswith(":") else value
