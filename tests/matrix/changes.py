"""Changes to a broker's response: cut it, change a byte, insert an error code, delay it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from confluent_kafka import protocol

# All error codes of Kafka 4.3, its "unknown" (-1), and a code that a future version may have.
ERROR_CODES = (*range(-1, 0), *range(1, 135), 32_000)
_CORRELATION_ID = 4  # number of bytes; without a correlation id, a response belongs to no request

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Change:
    """One change to the responses of one kind of request.

    With `once`, only the first response is changed, so that a client may succeed at its second
    attempt.
    """

    api_key: int
    kind: str  # "cut", "byte", "code" or "late"
    place: int | Path = 0
    value: int = 0
    once: bool = True

    def __str__(self) -> str:
        name = protocol.request_class(self.api_key).__name__.removesuffix("Request")
        times = "once" if self.once else "always"
        return f"{name} {self.kind} {self.place} {self.value} {times}"

    def apply(self, frame: bytes, version: int) -> bytes:
        """Return the changed `frame`, which is the response to a request of this kind."""
        match self.kind:
            case "cut":
                assert isinstance(self.place, int)
                return frame[: self.place]
            case "byte":
                assert isinstance(self.place, int)
                changed = bytearray(frame)
                if self.place < len(changed):
                    changed[self.place] = self.value
                return bytes(changed)
            case "late":
                time.sleep(self.value / 1000)
                return frame
            case _:
                assert isinstance(self.place, tuple)
                return with_code(self.api_key, frame, version, self.place, self.value)


def _response(api_key: int) -> Any:
    return protocol.request_class(api_key).response_class


def _front(api_key: int, version: int) -> int:
    """Return the size of the header of the response."""
    return _CORRELATION_ID + (protocol.response_header_version(api_key, version) > 0)


def decoded(api_key: int, frame: bytes, version: int) -> Any:
    """Return the response in the frame, or None if the class cannot decode it."""
    try:
        return _response(api_key).decode(frame[_front(api_key, version) :], version)
    except ValueError:
        return None


def codes_in(message: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of the error codes in the message and in the first item of each array."""
    for name, value in message.as_dict().items():
        if name == "error_code":
            yield (*path, name)
        elif isinstance(value, tuple | list) and value and isinstance(value[0], dict):
            yield from codes_in(getattr(message, name)[0], (*path, name, 0))


def with_code(api_key: int, frame: bytes, version: int, path: Path, code: int) -> bytes:
    """Return the frame with an error code, or the same frame if it does not have this path."""
    message = decoded(api_key, frame, version)
    try:
        changed = _replaced(message, path, code)
        front = _front(api_key, version)
        return frame[:front] + changed.encode(version)
    except (AttributeError, IndexError, ValueError):
        return frame


def _replaced(message: Any, path: Path, code: int) -> Any:
    name = path[0]
    assert isinstance(name, str)
    if len(path) == 1:
        return message.replace(**{name: code})
    items = list(getattr(message, name))
    items[0] = _replaced(items[0], path[2:], code)
    return message.replace(**{name: items})


def all_changes(api_key: int, frame: bytes, version: int, late: int) -> Iterator[Change]:
    """Yield every possible change to a response like this one.

    `late` is the delay of a late response in milliseconds, which is longer than the client waits.
    """
    for place in range(_CORRELATION_ID, len(frame)):
        yield Change(api_key, "cut", place)
        for value in {0, 0x7F, 0x80, 0xFF, frame[place] ^ 1} - {frame[place]}:
            yield Change(api_key, "byte", place, value)
    message = decoded(api_key, frame, version)
    for path in codes_in(message) if message is not None else ():
        for code in ERROR_CODES:
            yield Change(api_key, "code", path, code)
            yield Change(api_key, "code", path, code, once=False)
    yield Change(api_key, "late", value=late)
    yield Change(api_key, "late", value=late, once=False)
