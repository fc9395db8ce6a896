"""Finds the cause of a failure, without the stack traces of two languages."""

from __future__ import annotations

import importlib
import re
import runpy
import traceback
from pathlib import Path

# The last line of a Python traceback within Spark's message: "confluent_kafka.x.DataLoss: ...".
_PYTHON = re.compile(
    r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(?P<error>[\w.]+(?:: .*)?)"
)
# After an error in a query, Spark's message contains the plan with all options.
_PLAN = re.compile(r"(?:(SQLSTATE: \w+(?:; line \d+ pos \d+)?);?\s*\n|;\n).*", re.DOTALL)
# The frames above the user's module: this package, and Python's import system.
_OUR_FRAMES = (str(Path(__file__).parent), "<frozen ", importlib.__file__, runpy.__file__)
_FRAMES = re.compile(r"\n\s*(?:at \S+\(|\.\.\. \d+ more|JVM stacktrace:|== SQL)")


def cause(error: BaseException) -> str:
    """Return the cause of a failure in a few lines.

    Args:
        error: an exception of Spark, or any other exception.
    """
    text = str(error) or type(error).__name__
    tracebacks = [match["error"] for match in _PYTHON.finditer(text)]
    # The cause is the last traceback that is not Spark's own wrapping.
    named = [one for one in tracebacks if not one.startswith("pyspark.errors")]
    if named:
        return named[-1]
    return _PLAN.sub(lambda found: found[1] or "", _FRAMES.split(text)[0]).strip()


def raised(error: BaseException) -> str:
    """Return the type, text and place of an exception that the user's code raised, in one line.

    Args:
        error: the exception.
    """
    text = " ".join(str(error).split())
    described = f"{type(error).__name__}: {text}" if text else type(error).__name__
    # If a module is missing or does not compile, no code has run. The text contains the place.
    if isinstance(error, ImportError | SyntaxError):
        return described
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith(_OUR_FRAMES):
            return f"{described} ({frame.filename}:{frame.lineno})"
    return described
