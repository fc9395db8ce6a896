#!/usr/bin/env python3
"""The table of configuration properties: librdkafka's own, with our notes.

The facts come from CONFIGURATION.md in the pinned sources, and the notes from docs/properties.toml.
The documentation shows the table (docs/_extensions/properties.py), and the command `config list`
shows it, too. A wheel does not contain these two files. Therefore the package contains the table
as src/confluent_kafka/_properties/properties.json::

    python tools/configuration_properties.py          # write it
    python tools/configuration_properties.py --print  # print it
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import librdkafka

ROOT = Path(__file__).resolve().parent.parent
NOTES = ROOT / "docs" / "properties.toml"
WRITTEN = ROOT / "src" / "confluent_kafka" / "_properties" / "properties.json"
# A property belongs to the first group whose pattern matches "P NAME", "C NAME" or "* NAME".
GROUPS = {
    "Security": r"(\* )(security|ssl|sasl|https|enable\.s[sa]s?l)",
    "Transactions and idempotence": r"P (transaction|enable\.(idempotence|gapless))",
    "Producer": r"P ",
    "Consumer group and offsets": r"C (group|partition\.assign|session|heartbeat|coordinator"
    r"|.*commit|max\.poll\.interval|.*offset\.(store|reset))",
    "Consumer": r"C ",
    "Topics and metadata": r"\* (topic|metadata\.(max|recovery)|allow\.auto)",
    "Logs, statistics and metrics": r"\* (log|debug|statistics|enable\.metrics|enabled_events)",
    "Connections": r"\* (bootstrap|metadata\.broker|client|socket|broker|connections|reconnect"
    r"|retry|api|max\.in|receive|message)",
    "Other properties": "",
}
_CLIENTS = {"*": "all clients", "P": "producer", "C": "consumer"}
_ALIAS = re.compile(r"(?:\*\*DEPRECATED\*\* )?Alias for `([^`]+)`: ")
_TYPE = re.compile(r"\s*<br>\*Type: (.*?)\*\s*$")


@dataclass
class Property:
    """A property of librdkafka: one row of its table, with all of its names.

    Args:
        client: "P", "C", or "*" for all.
        text: librdkafka's description, in Markdown.
    """

    names: list[str]
    client: str
    range: str
    default: str
    importance: str
    type: str
    text: str
    notes: list[str] = field(default_factory=list)

    @property
    def is_of_c(self) -> bool:
        """Whether only a program in C can set it."""
        return self.type == "see dedicated API"

    @property
    def group(self) -> str:
        """The heading above it in the documentation."""
        title = f"{self.client} {self.names[0]}"
        return next(name for name, pattern in GROUPS.items() if re.match(pattern, title))

    @property
    def facts(self) -> str:
        """Its row of the table as one line."""
        facts = [_CLIENTS[self.client], self.type]
        if self.range:
            facts.append(self.range.replace(" .. ", " to ") if ".." in self.range else self.range)
        facts.append(f"default {self.default or 'not set'}")
        return " · ".join([*facts, f"{self.importance} importance"])


def read(table: str) -> list[Property]:
    """Return the properties of a CONFIGURATION.md.

    The second table of the file contains the properties of topics. It repeats some names of the
    first table. Clients use the properties of the first table.
    """
    found: dict[str, Property] = {}
    aliases: list[tuple[str, str]] = []
    for cells in _rows(table):
        name, client, allowed, default, importance, described = cells
        kind = _TYPE.search(described)
        assert kind is not None  # every description ends with the type
        text = _TYPE.sub("", described)
        if name in found:
            continue
        if alias := _ALIAS.match(text):
            aliases.append((name, alias[1]))
            continue
        found[name] = Property([name], client, allowed, default, importance, kind[1], text)
    for name, original in aliases:
        if all(name not in each.names for each in found.values()):
            found[original].names.insert(0, name)
    return list(found.values())


def _rows(table: str) -> Iterator[list[str]]:
    for line in table.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line, maxsplit=5)]
        if len(cells) == 6 and cells[1] in _CLIENTS:
            yield [cell.replace(r"\|", "|") for cell in cells]


def annotated(properties: list[Property], notes: dict[str, Any]) -> list[Property]:
    """Add the notes, this package's own keys, and the properties of its patches of librdkafka.

    Each note must have the name of a property.
    """
    properties += [Property([name], **own) for name, own in notes["patched"].items()]
    known = {name: each for each in properties for name in each.names}
    for name, own in notes["python"].items():
        if name in known:
            properties.remove(known[name])
        known[name] = Property([name], range="", **own)
        properties.append(known[name])
    for name, note in notes["notes"].items():
        if name not in known:
            raise ValueError(f"{NOTES.name} has a note about {name}, which is not a property")
        known[name].notes.append(note)
    return properties


def properties() -> list[Property]:
    """All properties of the pinned librdkafka and of this package."""
    return annotated(
        read(librdkafka.read("CONFIGURATION.md")),
        tomllib.loads(NOTES.read_text(encoding="utf-8")),
    )


_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_BREAK = re.compile(r"\s*<br>\s*")
_EMPHASIS = re.compile(r"(\*{1,2})([\w-]+)\1")


def for_the_command() -> str:
    """Return the properties that users of the command line can set, as JSON, one for each line."""
    lines = [
        json.dumps(
            {
                "names": each.names,
                "client": _CLIENTS[each.client],
                "type": each.type,
                "default": each.default,
                "range": each.range,
                "importance": each.importance,
                "meaning": _plain(" ".join([each.text, *each.notes])),
            },
            ensure_ascii=False,
        )
        for each in sorted(properties(), key=lambda one: one.names[0])
        if not each.is_of_c and not each.type.startswith("Python")
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _plain(text: str) -> str:
    """Return Markdown as text: links without their addresses, and no code marks."""
    text = _EMPHASIS.sub(r"\2", _BREAK.sub(" ", _LINK.sub(r"\1", text)))
    return " ".join(text.replace("**", "").replace("`", "").split())


def main() -> None:
    if sys.argv[1:] == ["--print"]:
        print(for_the_command(), end="")
    else:
        WRITTEN.write_text(for_the_command(), encoding="utf-8")


if __name__ == "__main__":
    main()
