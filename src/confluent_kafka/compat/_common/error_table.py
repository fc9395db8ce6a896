"""Makes the exception classes of a compatibility API from a table.

A class takes two lines of the table: its name with its facts, and its meaning::

    UnknownTopicOrPartitionError 3 UNKNOWN_TOPIC_OR_PARTITION retriable invalid_metadata
        The broker does not have this topic or partition.

The facts are its number in Kafka's protocol and the number's name, if it has one, and the names of
its attributes that are True. Base classes are in parentheses after the name, if they are not the
table's base class. The stub beside the module (``errors.pyi``) declares the classes for editors and
type checkers.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any

_ROW = re.compile(
    r"^(?P<name>\w+)(?:\((?P<bases>[\w, ]+)\))?(?: (?P<errno>-?\d+) (?P<message>\w+))?"
    r"(?P<true>(?: [a-z_]+)*)\n(?P<doc>(?:    .+\n)+)",
    re.MULTILINE,
)


def define(namespace: dict[str, Any], base: type[Exception], table: str) -> dict[int, type[Any]]:
    """Make the classes of a table, in the module that calls.

    Args:
        namespace: globals() of the module. The classes can be pickled, because the module contains
            them.
        base: the base class of rows that name no base class.
        table: the rows. A row can name classes of earlier rows as its bases.

    Returns:
        The classes that have a number, by number.
    """
    numbered = {}
    for row in _ROW.finditer(table):
        doc = " ".join(dedent(row["doc"]).split("\n")).strip()
        attributes: dict[str, Any] = {"__doc__": doc, "__module__": namespace["__name__"]}
        attributes |= dict.fromkeys(row["true"].split(), True)
        if row["errno"]:
            attributes |= {"errno": int(row["errno"]), "message": row["message"]}
            attributes["description"] = doc
        bases = tuple(namespace[name.strip()] for name in (row["bases"] or "").split(",") if name)
        kind = namespace[row["name"]] = type(row["name"], bases or (base,), attributes)
        if row["errno"]:
            numbered[int(row["errno"])] = kind
    return numbered
