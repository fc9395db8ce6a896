#!/usr/bin/env python3
"""Writes the tables of confluent_kafka.protocol from the definitions in Kafka's own jars.

In the pinned Kafka (tools/kafka.py), the client's jar defines the requests, and the jars of the
coordinators and the controller define the records of internal topics. This program writes the
tables, the stub for editors and mypy, and the lists of messages in docs/guides/protocol.md. All of
them are committed.

    python tools/protocol.py          # write them
    python tools/protocol.py --check  # only check that they agree with the jars
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from confluent_kafka.protocol._schema import Field, Table
from kafka import VERSION, AssemblyError, checksums, kafka_home

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src/confluent_kafka/protocol"
TABLES = PACKAGE / "_tables.py"
STUB = PACKAGE / "__init__.pyi"
GUIDE = ROOT / "docs/guides/protocol.md"

# The jars, the folders in them, and the key of TOPICS if the messages are records.
SOURCES = (
    ("kafka-clients", "common/message/", None),
    ("kafka-group-coordinator", "common/message/", "group"),
    ("kafka-transaction-coordinator", "common/message/", "transaction"),
    ("kafka-share-coordinator", "common/message/", "share"),
    ("kafka-metadata", "common/metadata/", "metadata"),
)
TOPICS = {
    "group": "__consumer_offsets",
    "transaction": "__transaction_state",
    "share": "__share_group_state",
    "metadata": "__cluster_metadata",
}
# Java's defaults for definitions that name no default.
IMPLICIT = {"bool": "false", "string": "", "bytes": "", "records": "null"}
PYTHON_TYPES = {
    "bool": "bool",
    "float64": "float",
    "string": "str",
    "uuid": "Uuid",
} | dict.fromkeys(("bytes", "records"), "bytes")
HEADING = "## The messages\n"
LINE_LENGTH = 100
Definition = dict[str, Any]


def pinned_jar(name: str) -> Path:
    """Return a jar of the pinned Kafka; KAFKA_HOME must be of the same version."""
    jar = kafka_home() / "libs" / f"{name}-{VERSION}.jar"
    if not jar.is_file():
        raise AssemblyError(f"{jar} is not there: the tables are of Kafka {VERSION}")
    digest = hashlib.sha256(jar.read_bytes()).hexdigest()
    if f"{digest}  {jar.name}" not in checksums(VERSION).read_text().splitlines():
        raise AssemblyError(f"{jar} is not the one that {checksums(VERSION).name} pins")
    return jar


def definitions() -> Iterator[Definition]:
    """Yield every message that has versions, by name. Kafka has removed the other messages."""
    for name, folder, records in SOURCES:
        yield from definitions_in(pinned_jar(name), folder, records)


def definitions_in(jar: Path, folder: str, records: str | None = None) -> Iterator[Definition]:
    """Yield the messages of a jar that have versions.

    Args:
        jar: the file.
        folder: the folder in it.
        records: the key of TOPICS if the messages are records of that topic.
    """
    for definition in _in_jar(jar, folder):
        if definition["validVersions"] != "none":
            definition["type"] = _kind(definition["type"], records)
            yield definition


def _in_jar(jar: Path, folder: str) -> Iterator[Definition]:
    with zipfile.ZipFile(jar) as archive:
        for name in sorted(archive.namelist()):
            if name.startswith(folder) and name.endswith(".json"):
                text = re.sub(r"^\s*//.*$", "", archive.read(name).decode(), flags=re.MULTILINE)
                yield json.loads(text)


def _kind(kind: str, records: str | None) -> str:
    """Return the kind with its coordinator: "coordinator-key" becomes "group-key", for example."""
    return kind.replace("coordinator", records) if records else kind


# --- tables -------------------------------------------------------------------------------


def table(definition: Definition) -> str:
    """Return the table of one message, in the form that _schema.py reads."""
    head = [
        definition["type"],
        str(definition.get("apiKey", "-")),
        definition["validVersions"],
        definition["flexibleVersions"],
        *(["unstable"] if definition.get("latestVersionUnstable") else []),
    ]
    lines = [" ".join(head), *_field_lines(definition["fields"], 0)]
    for struct in definition.get("commonStructs", ()):
        lines += [f"struct {struct['name']}", *_field_lines(struct["fields"], 1)]
    return "\n".join(lines)


def _field_lines(fields: Iterable[Definition], depth: int) -> Iterator[str]:
    for field in fields:
        # A tagged field without versions exists in the versions in which it is tagged.
        versions = field.get("versions") or field["taggedVersions"]
        facts = [snake_case(field["name"]), field["type"], versions]
        if field.get("nullableVersions", "none") != "none":
            facts.append(f"nullable={field['nullableVersions']}")
        if "tag" in field:
            facts.append(f"tag={field['tag']}:{field['taggedVersions']}")
        default = _default(field)
        facts += [] if default is None else [f"default={default}"]
        facts += ["ignorable"] if field.get("ignorable") else []
        facts += ["inflexible"] if field.get("flexibleVersions") == "none" else []
        yield " " * depth + " ".join(facts)
        yield from _field_lines(field.get("fields", ()), depth + 1)


def _default(field: Definition) -> str | None:
    """Return the default as a Python literal; None if it is the default of the type."""
    given = field.get("default")
    if given is None:
        return None
    text = str(given).lower()
    if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text):
        text = str(int(text, 0))
    return None if text == IMPLICIT.get(field["type"], "0") else text


def snake_case(name: str) -> str:
    """Return a name in snake case: ThrottleTimeMs becomes throttle_time_ms."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def tables_module(tables: dict[str, str]) -> str:
    """Return the text of _tables.py."""
    entries = "".join(f'    "{name}": """{text}""",\n' for name, text in tables.items())
    return (
        f'"""Kafka {VERSION}\'s messages; _schema.py describes their format. Written by '
        'tools/protocol.py."""\n\n'
        f"TABLES = {{\n{entries}}}\n"
    )


# --- stub ---------------------------------------------------------------------------------

# The part of the stub that does not depend on the messages.
STUB_HEAD = """\
# Written by tools/protocol.py.
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, Self, TypeVar, dataclass_transform, overload

from confluent_kafka.cimpl import Uuid
from confluent_kafka.protocol._errors import MalformedMessageError as MalformedMessageError
from confluent_kafka.protocol._errors import UnsupportedVersionError as UnsupportedVersionError

_T = TypeVar("_T")

def message_class(name: str) -> type[Message]: ...
def request_class(api_key: int) -> type[Request]: ...
def request_header_version(api_key: int, version: int) -> int: ...
def response_header_version(api_key: int, version: int) -> int: ...

# An array: a tuple when it is read, any iterable when it is given.
class _Array(Generic[_T]):
    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> tuple[_T, ...]: ...
    def __set__(self, instance: object, value: Iterable[_T]) -> None: ...

class _NullableArray(Generic[_T]):
    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> tuple[_T, ...] | None: ...
    def __set__(self, instance: object, value: Iterable[_T] | None) -> None: ...

@dataclass_transform(kw_only_default=True, frozen_default=True)
class Struct:
    unknown_tagged_fields: _Array[tuple[int, bytes]] = ...
    def as_dict(self) -> dict[str, Any]: ...
    def replace(self, /, **changes: Any) -> Self: ...
    def __hash__(self) -> int: ...

class Message(Struct):
    valid_versions: ClassVar[range]
    flexible_versions: ClassVar[range]
    latest_version_unstable: ClassVar[bool]
    def encode(self, version: int) -> bytes: ...
    @classmethod
    def decode(cls, data: bytes | bytearray | memoryview, version: int) -> Self: ...
    @classmethod
    def _decode_front(
        cls, data: bytes | bytearray | memoryview, version: int
    ) -> tuple[Self, int]: ...

class Request(Message):
    api_key: ClassVar[int]
    response_class: ClassVar[type[Response]]
    @classmethod
    def common_version(cls, offered: tuple[int, int] | None) -> int: ...

class Response(Message):
    api_key: ClassVar[int]
    request_class: ClassVar[type[Request]]
"""
BASES = {"request": "Request", "response": "Response"}


def stub(tables: dict[str, Table]) -> str:
    """Return the text of __init__.pyi."""
    return STUB_HEAD + "".join(
        line for name, each in tables.items() for line in _class_lines(name, each)
    )


def _class_lines(name: str, message: Table) -> Iterator[str]:
    yield f"\nclass {name}({BASES.get(message.kind, 'Message')}):\n"
    for struct in message.structs.values():
        yield f"    class {struct.name}(Struct):\n"
        # A nested class does not see the names of the class around it, so they are qualified.
        for field in struct.fields:
            yield from _annotated(field, " " * 8, f"{name}.")
        yield "\n"
    if not message.root.fields:
        yield "    pass\n"
    for field in message.root.fields:
        yield from _annotated(field, " " * 4)
    if message.kind == "request":
        yield f"    response_class: ClassVar[type[{_partner(name)}]]\n"
    if message.kind == "response":
        yield f"    request_class: ClassVar[type[{_partner(name)}]]\n"


def _annotated(field: Field, indent: str, scope: str = "") -> Iterator[str]:
    kind = scope + field.type if field.is_struct else PYTHON_TYPES.get(field.type, "int")
    null = bool(field.nullable) or field.type == "records"
    if not field.is_array:
        yield f"{indent}{field.name}: {kind}{' | None' if null else ''} = ...\n"
        return
    array = "_NullableArray" if null else "_Array"
    line = f"{indent}{field.name}: {array}[{kind}] = ...\n"
    if len(line) <= LINE_LENGTH + 1:
        yield line
    else:  # with the line breaks that ruff makes
        yield f"{indent}{field.name}: {array}[\n{indent}    {kind}\n{indent}] = ...\n"


def _partner(name: str) -> str:
    if name.endswith("Request"):
        return name.removesuffix("Request") + "Response"
    return name.removesuffix("Response") + "Request"


# --- guide --------------------------------------------------------------------------------


def guide(text: str, tables: dict[str, Table]) -> str:
    """Return the text of docs/guides/protocol.md with the lists of the messages in `tables`."""
    before, heading, _ = text.partition(HEADING)
    requests = _numbered(tables, "request")
    rows = [
        f"| {key} | `{name}`, `{_partner(name)}` | {_versions(tables[name])} |\n"
        for key, name in requests.items()
    ]
    rows += [
        f"|  | `{name}` | {_versions(each)} |\n"
        for name, each in tables.items()
        if each.api_key is None
    ]
    unstable = "A version in italics can still change."
    values = "The last column contains the versions of the value."
    return (
        f"{before}{heading}\nThese are the messages of Kafka {VERSION}. {unstable}\n\n"
        f"| key | classes | versions |\n|---|---|---|\n{''.join(rows)}"
        f"\nThese are the records of internal topics. {values}\n\n"
        f"| topic | type | classes | versions |\n|---|---|---|---|\n{''.join(_records(tables))}"
    )


def _numbered(tables: dict[str, Table], kind: str) -> dict[int, str]:
    """Return the names of the messages of a kind, by their numbers."""
    found = {each.api_key or 0: name for name, each in tables.items() if each.kind == kind}
    return dict(sorted(found.items()))


def _records(tables: dict[str, Table]) -> Iterator[str]:
    for owner, topic in TOPICS.items():
        keys = _numbered(tables, f"{owner}-key")
        values = _numbered(tables, owner if owner == "metadata" else f"{owner}-value")
        for number, value in values.items():
            names = f"`{keys[number]}`, `{value}`" if keys else f"`{value}`"
            yield f"| `{topic}` | {number} | {names} | {_versions(tables[value])} |\n"


def _versions(message: Table) -> str:
    first, last = message.versions[0], message.versions[-1]
    if message.unstable:
        return f"{first} to {last - 1}, _{last}_" if last > first else f"_{last}_"
    return f"{first} to {last}" if last > first else str(first)


def outputs() -> dict[Path, str]:
    """Return the text that each file should have."""
    texts = {each["name"]: table(each) for each in definitions()}
    tables = {name: Table(name, text) for name, text in texts.items()}
    return {
        TABLES: tables_module(texts),
        STUB: stub(tables),
        GUIDE: guide(GUIDE.read_text(encoding="utf-8"), tables),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    try:
        files = outputs()
    except AssemblyError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    old = 0
    for path, text in files.items():
        if check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            print(f"{path.relative_to(ROOT)} differs from Kafka's jars: run tools/protocol.py")
            old += 1
        elif not check:
            path.write_text(text, encoding="utf-8")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
