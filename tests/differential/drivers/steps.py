"""What the drivers have in common: scripts from standard input, outcomes to standard output.

They run in the environment of another client too, which has nothing of this repository.
"""

import json
import sys


def read_scripts():
    """Yield scripts, a line each, until the input ends."""
    for line in sys.stdin:
        yield json.loads(line)


def write_outcomes(script, outcomes):
    """Write the outcomes of a script's steps as a line."""
    print(json.dumps([script["seed"], outcomes]), flush=True)


def raised(error):
    """Describe an exception: its classes, the most specific first, and confluent-kafka's code."""
    code = getattr(error.args[0], "name", None) if error.args else None
    classes = [one.__name__ for one in type(error).__mro__]
    return {"raised": classes, "code": code() if callable(code) else None}
