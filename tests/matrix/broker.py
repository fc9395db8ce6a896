"""Runs an embedded cluster behind a proxy that changes the cluster's responses."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from confluent_kafka import protocol
from confluent_kafka.testing import MockCluster
from tests.matrix.changes import Change
from tests.support.hostile import HostileProxy


class ChangingBroker:
    """A cluster of one broker behind a proxy. The proxy applies a `Change` to the responses."""

    def __init__(self, cluster: MockCluster) -> None:
        self.cluster = cluster
        # The longest response to each kind of request, with its version.
        self.seen: dict[int, tuple[bytes, int]] = {}
        self.used = 0
        self._change: Change | None = None
        self._versions: dict[int, int] = {}
        self._lock = threading.Lock()
        self._proxy = HostileProxy(cluster.bootstrap_servers, change=self._answer, ask=self._ask)
        self.address = self._proxy.address

    def close(self) -> None:
        self._proxy.__exit__()

    @contextlib.contextmanager
    def changing(self, change: Change | None) -> Iterator[None]:
        """Change the responses during the block."""
        with self._lock:
            self._change, self.used = change, 0
        try:
            yield
        finally:
            with self._lock:
                self._change = None

    def _ask(self, api_key: int, frame: bytes) -> bytes:
        self._versions[api_key] = int.from_bytes(frame[2:4], "big")
        return frame

    def _answer(self, api_key: int, frame: bytes) -> bytes:
        version = self._versions.get(api_key, 0)
        with self._lock:
            change = self._change
            if change is None or change.api_key != api_key or (change.once and self.used):
                if len(frame) > len(self.seen.get(api_key, (b"", 0))[0]):
                    self.seen[api_key] = (frame, version)
                return frame
            self.used += 1
        return change.apply(frame, version)


def sample(message_class: Any, version: int) -> Any:
    """Return a message with one item in each array, for requests that the mock brokers do not
    support."""
    return message_class(**_items(message_class, partial(_is_in, message_class, version)))


def _items(
    struct_class: Any, is_taken: Callable[[str, Any], bool] = lambda *_: True
) -> dict[str, Any]:
    made = struct_class()
    items = {}
    for name, value in made.as_dict().items():
        if value == [] and (item := _struct_of(struct_class, name)) is not None:
            filled = [item(**_items(item))]
            if is_taken(name, filled):
                items[name] = filled
    return items


def _is_in(message_class: Any, version: int, field: str, value: Any) -> bool:
    """Return whether this version of the message has the field and all fields of the value."""
    try:
        message_class(**{field: value}).encode(version)
    except protocol.UnsupportedVersionError:
        return False
    return True


def _struct_of(struct_class: Any, field: str) -> Any:
    """Return the class of an array's items, from the docstring, or None for an array of plain
    values."""
    for line in (struct_class.__doc__ or "").splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == field and words[1].startswith("[]"):
            return getattr(struct_class, words[1][2:], None)
    return None


def answer_with_samples(cluster: MockCluster, api_keys: Iterable[int]) -> None:
    """Respond to requests that neither the mock brokers nor the embedded administration
    implement."""
    for api_key in api_keys:
        response_class = protocol.request_class(api_key).response_class
        cluster.on_request(
            api_key,
            lambda _request, context, kind=response_class: sample(kind, context.version),
        )
