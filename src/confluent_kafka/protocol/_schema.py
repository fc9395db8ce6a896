"""The tables of _tables.py as objects.

A table is the text of one message, one line for each field, indented by the struct that it is in:

    request 3 0-13 9+
    topics []MetadataRequestTopic 0+ nullable=1+
     topic_id uuid 10+ ignorable
     name string 0+ nullable=10+
    allow_auto_topic_creation bool 4+ default=true

First the kind, the API key or the type of record ("-" without one), the valid versions and the
flexible ones. A field has a name, a type and its versions, then what applies to it. "struct" begins
a struct that several fields have.
"""

from __future__ import annotations

from collections.abc import Iterator

# Of a range without an end. Versions are 16-bit numbers.
_LAST = 0x7FFF
NO_VERSIONS = range(0)
# In bytes of UTF-8.
LONGEST_STRING = 0x7FFF
# The default of a struct and a UUID: an object of its class, made without values.
EMPTY = object()
_LITERALS = {"null": None, "true": True, "false": False}
_IMPLICIT = {"bool": False, "float64": 0.0, "string": "", "bytes": b"", "records": None}


class Field:
    """One field of a struct.

    Attributes:
        text: its line of the table.
        name: in snake case.
        type: a primitive type's name, or a struct's.
        is_array: whether it is an array of `type`.
        versions: the versions of the message that have it.
        nullable: those in which it can be null.
        tag: its number where it is tagged, else None.
        tagged: the versions in which it is tagged.
        default: its default, or EMPTY.
        ignorable: whether a version without it drops the value instead of refusing it.
        inflexible: whether it is never compact.
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
        """Whether its type is one of the message's own."""
        return self.type[0].isupper()

    def _implicit(self) -> object:
        """The default of its type."""
        if self.is_array:
            return ()
        if self.is_struct or self.type == "uuid":
            return EMPTY
        return _IMPLICIT.get(self.type, 0)


class Struct:
    """A message or a struct in it: its name and its fields in the order of the protocol."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: list[Field] = []


class Table:
    """What _tables.py says of one message.

    Attributes:
        kind: "request", "response", "header" or "data"; of the records in internal topics
            "metadata", or "group-key", "group-value" and the same of "transaction" and "share".
        api_key: of a request or a response; of a record which type it is; else None.
        versions: those that this message has.
        flexible: those that are compact and have tagged fields.
        unstable: whether the latest version may still change.
        root: the message itself.
        structs: those in it by name, each after the ones that it uses.
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
            # What follows, if it is indented deeper, are the fields of this one's struct.
            scopes.append(found.setdefault(field.type, Struct(field.type)))
        self.structs = {each.name: each for each in _users_last(self.root, found)}
        del self.structs[name]


def _users_last(struct: Struct, known: dict[str, Struct]) -> Iterator[Struct]:
    for field in struct.fields:
        if field.is_struct:
            yield from _users_last(known[field.type], known)
    yield struct


def range_of(text: str) -> range:
    """The versions that "3", "0-13", "9+" and "none" mean."""
    if text == "none":
        return NO_VERSIONS
    if text.endswith("+"):
        return range(int(text[:-1]), _LAST + 1)
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)
