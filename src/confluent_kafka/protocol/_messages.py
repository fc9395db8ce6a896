"""The base classes of all messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from struct import error as struct_error

from confluent_kafka.protocol import _values
from confluent_kafka.protocol._errors import MalformedMessageError, UnsupportedVersionError
from confluent_kafka.protocol._reading import reader
from confluent_kafka.protocol._wire import Wrong
from confluent_kafka.protocol._writing import writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self

    from confluent_kafka.protocol._schema import Table

# The field that every struct has in addition to its own fields.
UNKNOWN = "unknown_tagged_fields"


class Struct(tuple[object, ...]):
    """Named fields, immutable: a message, or a part of one.

    It is a tuple, because tuples are small and fast to make. Structs are equal if their classes and
    all fields are equal. They can be hashed and pickled.

    Args:
        **fields: the fields that differ from their defaults. An array field accepts any iterable
            and becomes a tuple. ``unknown_tagged_fields``, which every struct has, are pairs of tag
            and bytes.

    Raises:
        TypeError: a field does not exist, or a value has the wrong type.
        ValueError: a number or a text does not fit into the field.
    """

    __slots__ = ()
    # By field name: the index in the tuple, and the function that checks a value.
    _fields: ClassVar[dict[str, tuple[int, _values.Check]]] = {}
    _defaults: ClassVar[tuple[Any, ...]] = ()

    def __new__(cls, /, **fields: Any) -> Self:
        return tuple.__new__(cls, cls._checked(cls._defaults, fields))

    @classmethod
    def _checked(cls, values: tuple[Any, ...], changes: dict[str, Any]) -> list[Any]:
        """Return `values` with the checked `changes`, which a caller gave."""
        changed = list(values)
        for name, value in changes.items():
            if name not in cls._fields:
                nearest = hint(name, cls._fields, f"it has {', '.join(cls._fields)}")
                raise TypeError(f"{cls.__qualname__} has no field {name!r}: {nearest}")
            index, check = cls._fields[name]
            changed[index] = check(f"{cls.__qualname__}.{name}", value)
        return changed

    def replace(self, /, **changes: Any) -> Self:
        """Return a copy with other values in some fields; arguments are as in the constructor."""
        return tuple.__new__(type(self), self._checked(tuple(self), changes))

    __replace__ = replace

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dict: structs become dicts, arrays become lists.

        ``unknown_tagged_fields`` is left out if there are none.
        """
        pairs = zip(self._fields, self, strict=True)
        return {name: _plain(value) for name, value in pairs if name != UNKNOWN or value}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = tuple.__hash__

    def __repr__(self) -> str:
        shown = [
            f"{name}={value!r}"
            for name, value in zip(self._fields, self, strict=True)
            if name != UNKNOWN or value
        ]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # By name, so that another release, which may have more fields, can read the pickle.
        return _restored, (type(self), dict(zip(self._fields, self, strict=True)))


def _plain(value: object) -> object:
    if isinstance(value, Struct):
        return value.as_dict()
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _restored(cls: type[Struct], fields: dict[str, Any]) -> Struct:
    return cls(**fields)


class Message(Struct):
    """A whole message of Kafka's protocol.

    Attributes:
        valid_versions (range): the versions of the message.
        flexible_versions (range): the versions that have compact lengths and tagged fields.
        latest_version_unstable (bool): whether Kafka may still change the latest version.
    """

    __slots__ = ()
    valid_versions: ClassVar[range]
    flexible_versions: ClassVar[range]
    latest_version_unstable: ClassVar[bool]
    _table: ClassVar[Table]
    # The class itself and the classes of its structs.
    _classes: ClassVar[dict[str, Any]]
    _readers: ClassVar[dict[int, Callable[..., Any]]]
    _writers: ClassVar[dict[int, Callable[..., None]]]

    def encode(self, version: int) -> bytes:
        """Return the bytes of the message, without a header.

        Args:
            version: one of `valid_versions`.

        Raises:
            UnsupportedVersionError: the message does not have this version, or the version lacks a
                field that is set and that cannot be left out without changing the meaning.
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
        """Return the message that the whole of `data` represents, without a header.

        Args:
            data: bytes from `encode()` or from Kafka.
            version: one of `valid_versions`.

        Raises:
            MalformedMessageError: the bytes are not a message in this version.
            UnsupportedVersionError: the message does not have this version.
        """
        message, end = cls._decode_front(data, version)
        if end != len(data):
            raise cls._malformed(version, f"it ends at byte {end} of {len(data)}")
        return message

    @classmethod
    def _decode_front(cls, data: bytes | bytearray | memoryview, version: int) -> tuple[Self, int]:
        """Decode a message at the front of `data`, as brokers do. Also return where it ends."""
        read = cls._readers.get(version)
        if read is None:
            cls._check_version(version)
            read = cls._readers[version] = reader(cls._table, cls._classes, version)
        data = _values.CHECKS["bytes"]("data", data)
        try:
            return read(data, 0, len(data))  # type: ignore[no-any-return]
        except Wrong as error:
            raise cls._malformed(version, str(error)) from None
        except UnicodeDecodeError as error:
            raise cls._malformed(version, f"a string is not UTF-8: {error.reason}") from None
        except (IndexError, struct_error):
            raise cls._malformed(version, f"it is longer than the {len(data)} bytes") from None

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
    """A message that a client sends.

    Attributes:
        api_key (int): the number of this kind of request.
        response_class (type): the class of the response.
    """

    __slots__ = ()
    api_key: ClassVar[int]
    response_class: ClassVar[type[Response]]

    @classmethod
    def common_version(cls, offered: tuple[int, int] | None) -> int:
        """Return the latest version that both this package and a broker support.

        Args:
            offered: the lowest and the highest version that the broker supports, from
                api_versions() of a client; None if the broker does not support the request.

        Raises:
            UnsupportedVersionError: there is no common version.
        """
        if offered is None:
            raise UnsupportedVersionError(f"the broker does not know {cls.__name__}")
        own, (lowest, highest) = cls.valid_versions, offered
        latest = min(own[-1], highest)
        if latest < max(own[0], lowest):
            raise UnsupportedVersionError(
                f"the broker has versions {lowest} to {highest} of {cls.__name__}, "
                f"and this package {own[0]} to {own[-1]}"
            )
        return latest


class Response(Message):
    """A message that a broker sends in response to a request.

    Attributes:
        api_key (int): the number of this kind of request.
        request_class (type): the class of the request.
    """

    __slots__ = ()
    api_key: ClassVar[int]
    request_class: ClassVar[type[Request]]


def hint(given: str, known: Iterable[str], otherwise: str) -> str:
    """Return a question that suggests a known name."""
    from confluent_kafka._suggestions import did_you_mean  # slow to import

    return did_you_mean(given, known, otherwise)
