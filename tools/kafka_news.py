#!/usr/bin/env python3
"""Prints what the newest release of Kafka's own client has and this package does not have.

Maven finds the newest kafka-clients and copies its jars. This program compares their messages and
error codes with this package, and the names of their configurations with the pinned release of
Kafka. The exit code is 0 if there are no differences, 1 if there are differences, and 2 if there
was an error.

Environment:
    LATEST  the release to compare with, instead of the newest release
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from confluent_kafka import KafkaError
from confluent_kafka.admin._error_texts import ERROR_TEXTS
from confluent_kafka.protocol._schema import Table
from confluent_kafka.protocol._tables import TABLES
from kafka import VERSION, AssemblyError, copy_libraries
from protocol import definitions_in, table

FILES = Path(__file__).resolve().parent / "kafka_news"
NEWEST = "[4,)"  # a version range: Maven takes the newest release in it
# A table's first line consists of the kind of the message and these words.
_FACTS = ("number", "versions", "flexible versions", "latest version")


@dataclass(frozen=True)
class Client:
    """The messages, error codes and configurations of a release of Kafka's own client.

    Attributes:
        messages: the text of each message's table, by name.
        errors: the name of each error code.
        configurations: pairs of a kind (``admin``, ``consumer``, ``producer``, ``topic``) and a
            configuration.
    """

    messages: dict[str, str]
    errors: dict[int, str]
    configurations: set[tuple[str, str]]


def main() -> int:
    """Print the differences."""
    try:
        with tempfile.TemporaryDirectory() as scratch:
            newest = client_of(os.environ.get("LATEST") or NEWEST, Path(scratch, "newest"))
            pinned = client_of(VERSION, Path(scratch, "pinned"))
    except AssemblyError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    lines = list(differences(this_package(pinned.configurations), newest))
    print("\n".join(lines) or "no differences")
    return 1 if lines else 0


def client_of(release: str, folder: Path) -> Client:
    """Return the contents of a release of Kafka's own client, and copy its jars into the folder."""
    # -U: Maven downloads the list of releases again. Otherwise it would keep the list for a day.
    options = ("-U",) if release == NEWEST else ()
    copy_libraries(FILES / "pom.xml", folder, release, *options)
    [jar] = folder.glob("kafka-clients-*.jar")
    print(f"==> {jar.stem}", file=sys.stderr)
    names = _names_in(folder)
    return Client(
        {each["name"]: table(each) for each in definitions_in(jar, "common/message/")},
        {int(one[1]): one[2] for one in names if one[0] == "error"},
        {(kind, name) for kind, name, *_ in names if kind != "error"},
    )


def _names_in(folder: Path) -> list[list[str]]:
    """Return the words of the lines that Names.java prints."""
    command = ["java", "-cp", f"{folder}/*", str(FILES / "Names.java")]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise AssemblyError(
            "java reads Kafka's client: install a JDK (on Debian: apt-get install "
            "openjdk-17-jdk-headless)"
        ) from None
    if done.returncode:
        raise AssemblyError(f"'{' '.join(command)}' failed; it needs a JDK:\n{done.stderr}")
    return [line.split() for line in done.stdout.splitlines()]


def this_package(configurations: set[tuple[str, str]]) -> Client:
    """Return the contents of this package, with the configurations of the pinned release."""
    named = {value: name for name, value in vars(KafkaError).items() if isinstance(value, int)}
    return Client(dict(TABLES), named | ERROR_TEXTS, configurations)


def differences(ours: Client, theirs: Client) -> Iterator[str]:
    """Yield a line for each difference between this package and Kafka's own client."""
    yield from _messages(ours.messages, theirs.messages)
    for code, name in theirs.errors.items():
        if code not in ours.errors:
            yield f"error code {code} {name}: new"
    for kind, name in sorted(theirs.configurations ^ ours.configurations):
        change = "new" if (kind, name) in theirs.configurations else "removed"
        yield f"configuration {name} ({kind}): {change}"


def _messages(ours: dict[str, str], theirs: dict[str, str]) -> Iterator[str]:
    for name, text in theirs.items():
        if name not in ours:
            yield f"{_title(name, text)}: new"
        else:
            changes = [*_heads(ours[name], text), *_fields(name, ours[name], text)]
            yield from (f"{_title(name, text)}: {change}" for change in changes)
    for name, text in ours.items():
        # The records of internal topics are in other jars.
        if name not in theirs and Table(name, text).kind in ("request", "response"):
            yield f"{_title(name, text)}: removed"


def _title(name: str, text: str) -> str:
    number = Table(name, text).api_key
    return name if number is None else f"{number} {name}"


def _heads(ours: str, theirs: str) -> Iterator[str]:
    before, after = (text.partition("\n")[0].split()[1:] for text in (ours, theirs))
    for fact, old, new in zip_longest(_FACTS, before, after, fillvalue="stable"):
        if old != new:
            yield f"{fact} {old} -> {new}"


def _fields(name: str, ours: str, theirs: str) -> Iterator[str]:
    before, after = (_by_path(Table(name, text)) for text in (ours, theirs))
    for path, text in after.items():
        if path not in before:
            yield f"new field {path}: {text}"
        elif before[path] != text:
            yield f"field {path}: {before[path]} -> {text}"
    for path in before.keys() - after.keys():
        yield f"removed field {path}"


def _by_path(message: Table) -> dict[str, str]:
    """Return the text of each field after its name, by the path of the field."""
    return {
        f"{prefix}{field.name}": field.text.partition(" ")[2]
        for prefix, struct in (
            ("", message.root),
            *((f"{name}.", struct) for name, struct in message.structs.items()),
        )
        for field in struct.fields
    }


if __name__ == "__main__":
    sys.exit(main())
