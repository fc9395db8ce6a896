"""The classes of messages, each made from its table when it is first asked for."""

from __future__ import annotations

import operator
from _thread import RLock
from collections.abc import Callable, Iterable
from struct import error as struct_error

from confluent_kafka.cimpl import Uuid
from confluent_kafka.protocol import _values
from confluent_kafka.protocol._errors import MalformedMessageError, UnsupportedVersionError
from confluent_kafka.protocol._reading import reader
from confluent_kafka.protocol._schema import EMPTY, Field, Table
from confluent_kafka.protocol._schema import Struct as StructTable
from confluent_kafka.protocol._tables import TABLES
from confluent_kafka.protocol._wire import Wrong
from confluent_kafka.protocol._writing import writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self

PACKAGE = "confluent_kafka.protocol"
_UNKNOWN = "unknown_tagged_fields"
_DOC = ["Each field with its type, the versions that have it, and what else applies:", ""]


class Struct(tuple[object, ...]):
    """Values of named fields, immutable: a message, or a part of one.

    It is a tuple for the sake of its size and the speed of reading. Two are equal if their classes
    and all fields are, and can be hashed and pickled.

    Args:
        **fields: the fields that differ from their defaults. An array takes any iterable and is a
            tuple. ``unknown_tagged_fields``, which every struct has, are pairs of tag and bytes.

    Raises:
        TypeError: there is no such field, or its value is of another type.
        ValueError: a number or a text does not fit into the field.
    """

    __slots__ = ()
    # By name: the place in the tuple, and what the constructor does with a value.
    _fields: ClassVar[dict[str, tuple[int, _values.Check]]] = {}
    _defaults: ClassVar[tuple[Any, ...]] = ()

    def __new__(cls, /, **fields: Any) -> Self:
        return tuple.__new__(cls, cls._checked(cls._defaults, fields))

    @classmethod
    def _checked(cls, values: tuple[Any, ...], changes: dict[str, Any]) -> list[Any]:
        """`values` with `changes`, which are a caller's."""
        changed = list(values)
        for name, value in changes.items():
            if name not in cls._fields:
                hint = _hint(name, cls._fields, f"it has {', '.join(cls._fields)}")
                raise TypeError(f"{cls.__qualname__} has no field {name!r}: {hint}")
            index, check = cls._fields[name]
            changed[index] = check(f"{cls.__qualname__}.{name}", value)
        return changed

    def replace(self, /, **changes: Any) -> Self:
        """A copy with other values in some fields; the arguments are the constructor's."""
        return tuple.__new__(type(self), self._checked(tuple(self), changes))

    __replace__ = replace

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        shown = [
            f"{name}={value!r}"
            for name, value in zip(self._fields, self, strict=True)
            if name != _UNKNOWN or value
        ]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # By name, so that another release, which may have more fields, reads it.
        return _restored, (type(self), dict(zip(self._fields, self, strict=True)))


def _hint(given: str, known: Iterable[str], otherwise: str) -> str:
    from confluent_kafka._suggestions import did_you_mean  # it loads a lot

    return did_you_mean(given, known, otherwise)


def _restored(cls: type[Struct], fields: dict[str, Any]) -> Struct:
    return cls(**fields)


class Message(Struct):
    """A whole message of Kafka's protocol.

    Attributes:
        valid_versions (range): the versions that it has.
        flexible_versions (range): those of them that are compact and have tagged fields.
        latest_version_unstable (bool): whether the latest one may still change.
    """

    __slots__ = ()
    valid_versions: ClassVar[range]
    flexible_versions: ClassVar[range]
    latest_version_unstable: ClassVar[bool]
    _table: ClassVar[Table]
    # The class itself and those of its structs.
    _classes: ClassVar[dict[str, Any]]
    _readers: ClassVar[dict[int, Callable[..., Any]]]
    _writers: ClassVar[dict[int, Callable[..., None]]]

    def encode(self, version: int) -> bytes:
        """The bytes of the message, without a header.

        Args:
            version: one of `valid_versions`.

        Raises:
            UnsupportedVersionError: the message has no such version; or a field is set that the
                version has not, and that cannot be left out without changing the meaning.
        """
        cls = type(self)
        write = cls._writers.get(version)
        if write is None:
            cls._check_version(version)
            write = cls._writers[version] = writer(cls._table, cls._classes, version)
        out = bytearray()
        write(self, out)
        return bytes(out)

    @classmethod
    def decode(cls, data: bytes | bytearray | memoryview, version: int) -> Self:
        """The message that `data` is: all of it, without a header.

        Args:
            data: what `encode()` gives, or Kafka sends.
            version: one of `valid_versions`.

        Raises:
            MalformedMessageError: these are not the bytes of the message in that version.
            UnsupportedVersionError: the message has no such version.
        """
        read = cls._readers.get(version)
        if read is None:
            cls._check_version(version)
            read = cls._readers[version] = reader(cls._table, cls._classes, version)
        data = _values.CHECKS["bytes"]("data", data)
        try:
            message, end = read(data, 0, len(data))
        except Wrong as error:
            raise cls._malformed(version, str(error)) from None
        except UnicodeDecodeError as error:
            raise cls._malformed(version, f"a string is not UTF-8: {error.reason}") from None
        except (IndexError, struct_error):
            raise cls._malformed(version, f"it is longer than the {len(data)} bytes") from None
        if end != len(data):
            raise cls._malformed(version, f"it ends at byte {end} of {len(data)}")
        return message  # type: ignore[no-any-return]

    @classmethod
    def _check_version(cls, version: int) -> None:
        if version not in cls.valid_versions:
            first, last = cls.valid_versions[0], cls.valid_versions[-1]
            raise UnsupportedVersionError(
                f"{cls.__name__} has versions {first} to {last}, not {version!r}"
            )

    @classmethod
    def _malformed(cls, version: int, reason: str) -> MalformedMessageError:
        return MalformedMessageError(f"{cls.__name__} of version {version}: {reason}")


class Request(Message):
    """A message that asks.

    Attributes:
        api_key (int): the number of this kind of request.
        response_class (type): the class of the answer.
    """

    __slots__ = ()
    api_key: ClassVar[int]
    response_class: ClassVar[type[Response]]


class Response(Message):
    """A message that answers.

    Attributes:
        api_key (int): the number of this kind of request.
        request_class (type): the class of what is answered.
    """

    __slots__ = ()
    api_key: ClassVar[int]
    request_class: ClassVar[type[Request]]


class _Partner:
    """The class of the answer to a request, or of the request that an answer is to."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> type[Message]:
        return message_class(self._name)


_made: dict[str, type[Message]] = {}
_making = RLock()
_requests: dict[int, str] = {}


def message_class(name: str) -> type[Message]:
    """The class of a message by its name, such as "MetadataRequest".

    Raises:
        ValueError: there is no such message.
    """
    with _making:
        if name not in _made:
            if name not in TABLES:
                hint = _hint(name, TABLES, "docs/protocol.md lists them")
                raise ValueError(f"Kafka has no message {name!r}: {hint}")
            _made[name] = _message_class(name, Table(name, TABLES[name]))
        return _made[name]


def request_class(api_key: int) -> type[Request]:
    """The class of the request with an API key, such as 3 for MetadataRequest.

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
    fields[_UNKNOWN] = (len(fields), _values.tagged_fields)
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
