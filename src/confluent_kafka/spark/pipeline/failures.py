"""The cause of a failure, without the stack traces of two languages."""

from __future__ import annotations

import re

# The last line of a Python traceback within Spark's message: "confluent_kafka.x.DataLoss: ...".
_PYTHON = re.compile(
    r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(?P<error>[\w.]+(?:: .*)?)"
)
# Behind Spark's code of an error that it found in a query comes the plan, with all options.
_PLAN = re.compile(r"(SQLSTATE: \w+(?:; line \d+ pos \d+)?);?\s*\n.*", re.DOTALL)
_FRAMES = re.compile(r"\n\s*(?:at \S+\(|\.\.\. \d+ more|JVM stacktrace:|== SQL)")


def cause(error: BaseException) -> str:
    """Return the cause of a failure in a few lines.

    Args:
        error: what Spark raised, or any other exception.
    """
    text = str(error) or type(error).__name__
    tracebacks = [match["error"] for match in _PYTHON.finditer(text)]
    # Of nested ones the last one that is not Spark's own wrapping is what happened.
    named = [one for one in tracebacks if not one.startswith("pyspark.errors")]
    if named:
        return named[-1]
    return _PLAN.sub(r"\1", _FRAMES.split(text)[0]).strip()
