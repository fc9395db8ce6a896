"""Parses the tables in _tables.py.

A table is the text of one message. It has one line for each field, indented below the field of the
struct that contains it:

    request 3 0-13 9+
    topics []MetadataRequestTopic 0+ nullable=1+
     topic_id uuid 10+ ignorable
     name string 0+ nullable=10+
    allow_auto_topic_creation bool 4+ default=true

The first line has the kind, the API key or the type of the record ("-" if there is none), the valid
versions and the flexible versions. A field has a name, a type, its versions and its properties.
"struct" begins a struct that several fields use.
"""

from __future__ import annotations

from collections.abc import Iterator

# The end of a range such as "9+". Versions are 16-bit numbers.
_LAST = 0x7FFF
NO_VERSIONS = range(0)
# The maximum size of a string, in bytes of UTF-8.
LONGEST_STRING = 0x7FFF
# Stands for the default of a struct or UUID: an instance of its class without arguments.
EMPTY = object()
_LITERALS = {"null": None, "true": True, "false": False}
_IMPLICIT = {"bool": False, "float64": 0.0, "string": "", "bytes": b"", "records": None}


class Field:
    """One field of a struct.

    Attributes:
        text: its line in the table.
        name: its name in snake case.
        type: the name of a primitive type or of a struct.
        is_array: whether it is an array of `type`.
        versions: the versions of the message that have the field.
        nullable: the versions in which it can be null.
        tag: its tag, or None if it is not a tagged field.
        tagged: the versions in which it is a tagged field.
        default: its default, or EMPTY.
        ignorable: True drops the value in versions without the field; False refuses the value.
        inflexible: whether its length is never compact.
    """

    def __init__(self, line: str) -> None:
        self.text = line.strip()
        self.name, kind, versions, *more = line.split()
        facts = dict(fact.partition("=")[::2] for fact in more)
        self.is_array = kind.startswith("[]")
        self.type = kind.removeprefix("[]")
        self.versions = range_of(versions)
        self.nullable = range_of(facts.get("nullable", "none"))
        tag, _, tagged = facts.get("tag", "").partition(":")
        self.tag = int(tag) if tag else None
        self.tagged = range_of(tagged or "none")
        self.default = self._implicit()
        if "default" in facts:
            text = facts["default"]
            self.default = _LITERALS[text] if text in _LITERALS else int(text)
        self.ignorable = "ignorable" in facts
        self.inflexible = "inflexible" in facts

    @property
    def is_struct(self) -> bool:
        """Whether its type is one of the message's structs."""
        return self.type[0].isupper()

    def _implicit(self) -> object:
        """Return the default value of the field's type."""
        if self.is_array:
            return ()
        if self.is_struct or self.type == "uuid":
            return EMPTY
        return _IMPLICIT.get(self.type, 0)


class Struct:
    """A message or one of its structs, with its fields in the order of the protocol."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: list[Field] = []


class Table:
    """The parsed table of one message.

    Attributes:
        kind: "request", "response", "header" or "data". For records in internal topics: "metadata",
            or "group-key", "group-value" and likewise for "transaction" and "share".
        api_key: the API key of a request or response; the type of a record; otherwise None.
        versions: the versions of the message.
        flexible: the versions with compact lengths and tagged fields.
        unstable: whether Kafka may still change the latest version.
        root: the message itself.
        structs: its structs by name, each after the structs that it uses.
    """

    def __init__(self, name: str, text: str) -> None:
        head, *lines = text.splitlines()
        self.kind, key, versions, flexible, *more = head.split()
        self.api_key = None if key == "-" else int(key)
        self.versions = range_of(versions)
        self.flexible = range_of(flexible)
        self.unstable = "unstable" in more
        self.root = Struct(name)
        found = {name: self.root}
        scopes = [self.root]
        for line in lines:
            depth = len(line) - len(line.lstrip())
            del scopes[depth + 1 :]
            if line.startswith("struct "):
                scopes = [self.root, found.setdefault(line[7:], Struct(line[7:]))]
                continue
            field = Field(line)
            scopes[-1].fields.append(field)
            # The following lines that are indented deeper are the fields of this field's struct.
            scopes.append(found.setdefault(field.type, Struct(field.type)))
        self.structs = {each.name: each for each in _users_last(self.root, found)}
        del self.structs[name]


def _users_last(struct: Struct, known: dict[str, Struct]) -> Iterator[Struct]:
    for field in struct.fields:
        if field.is_struct:
            yield from _users_last(known[field.type], known)
    yield struct


def range_of(text: str) -> range:
    """Return the range of versions for a text such as "3", "0-13", "9+" or "none"."""
    if text == "none":
        return NO_VERSIONS
    if text.endswith("+"):
        return range(int(text[:-1]), _LAST + 1)
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)
