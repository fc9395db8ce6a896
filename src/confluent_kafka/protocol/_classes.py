"""The classes of messages. Each is made from its table at its first use."""

from __future__ import annotations

import operator
from _thread import RLock

from confluent_kafka.cimpl import Uuid
from confluent_kafka.protocol import _values
from confluent_kafka.protocol._messages import UNKNOWN, Message, Request, Response, Struct, hint
from confluent_kafka.protocol._schema import EMPTY, Field, Table
from confluent_kafka.protocol._schema import Struct as StructTable
from confluent_kafka.protocol._tables import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PACKAGE = "confluent_kafka.protocol"
_DOC = ["Each field with its type, the versions that have it, and what else applies:", ""]


class _Partner:
    """The response class of a request, or the request class of a response."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> type[Message]:
        return message_class(self._name)


_made: dict[str, type[Message]] = {}
_making = RLock()
_requests: dict[int, str] = {}


def message_class(name: str) -> type[Message]:
    """Return the class of the message with this name, such as "MetadataRequest".

    Raises:
        ValueError: there is no such message.
    """
    with _making:
        if name not in _made:
            if name not in TABLES:
                nearest = hint(name, TABLES, "docs/guides/protocol.md lists them")
                raise ValueError(f"Kafka has no message {name!r}: {nearest}")
            _made[name] = _message_class(name, Table(name, TABLES[name]))
        return _made[name]


def request_class(api_key: int) -> type[Request]:
    """Return the class of the request with an API key, such as 3 for MetadataRequest.

    Raises:
        ValueError: no request has this key.
    """
    with _making:
        if not _requests:
            for name, text in TABLES.items():
                kind, key = text.split(maxsplit=2)[:2]
                if kind == "request":
                    _requests[int(key)] = name
    if api_key not in _requests:
        raise ValueError(f"Kafka has no request with the API key {api_key!r}")
    found: Any = message_class(_requests[api_key])
    return found  # type: ignore[no-any-return]


def _message_class(name: str, table: Table) -> type[Message]:
    space: dict[str, Any] = {
        "_classes": {},
        "_readers": {},
        "_table": table,
        "_writers": {},
        "flexible_versions": _common(table.versions, table.flexible),
        "latest_version_unstable": table.unstable,
        "valid_versions": table.versions,
    }
    base: type[Message] = Message
    if table.kind == "request":
        base = Request
        space["api_key"] = table.api_key
        space["response_class"] = _Partner(name.removesuffix("Request") + "Response")
    elif table.kind == "response":
        base = Response
        space["api_key"] = table.api_key
        space["request_class"] = _Partner(name.removesuffix("Response") + "Request")
    classes = space["_classes"]
    for each in table.structs.values():
        qualname = f"{name}.{each.name}"
        classes[each.name] = space[each.name] = _class(each, qualname, Struct, classes, {})
    classes[name] = _class(table.root, name, base, classes, space)
    made: type[Message] = classes[name]
    return made


def _common(valid: range, flexible: range) -> range:
    return range(max(valid.start, flexible.start), min(valid.stop, flexible.stop))


def _class(
    struct: StructTable,
    qualname: str,
    base: type[Struct],
    classes: dict[str, Any],
    space: dict[str, Any],
) -> Any:
    fields = {
        field.name: (index, _check(field, classes)) for index, field in enumerate(struct.fields)
    }
    fields[UNKNOWN] = (len(fields), _values.tagged_fields)
    space |= {name: property(operator.itemgetter(index)) for name, (index, _) in fields.items()}
    space |= {
        "__doc__": "\n".join([*_DOC, *(f"    {field.text}" for field in struct.fields)]),
        "__module__": PACKAGE,
        "__qualname__": qualname,
        "__slots__": (),
        "_defaults": (*(_default(field, classes) for field in struct.fields), ()),
        "_fields": fields,
    }
    return type(struct.name, (base,), space)


def _check(field: Field, classes: dict[str, Any]) -> _values.Check:
    if field.is_struct:
        check = _values.instance_of(classes[field.type])
    else:
        check = _values.CHECKS[field.type]
    if field.is_array:
        check = _values.array_of(check, Struct)
    return _values.nullable(check) if field.nullable or field.type == "records" else check


def _default(field: Field, classes: dict[str, Any]) -> object:
    if field.default is not EMPTY:
        return field.default
    return classes[field.type]() if field.is_struct else Uuid(0, 0)
