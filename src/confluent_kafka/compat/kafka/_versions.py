"""Versions of Kafka: the values of ``api_version``, and the version of a broker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import errors

Version = tuple[int, ...]

_OF_OLD = [(0, 8, 0), (0, 8, 1), (0, 8, 2), (0, 9), (0, 10, 0), (0, 10, 1), (0, 10, 2), (0, 11)]
_NEWEST_MINORS = {1: 1, 2: 8, 3: 9, 4: 3}
KNOWN: list[Version] = [
    *_OF_OLD,
    *((major, minor) for major, last in _NEWEST_MINORS.items() for minor in range(last + 1)),
]
"""The versions that this module distinguishes, from the oldest to the newest."""

_PRODUCE, _FETCH, _LIST_OFFSETS, _METADATA, _OFFSET_FETCH = 0, 1, 2, 3, 9
_JOIN_GROUP, _LIST_GROUPS, _DESCRIBE_LOG_DIRS, _SHARE_FETCH = 11, 16, 35, 78

# For each version of Kafka, from the newest to the oldest: the API key and the version of a request
# that came with it. A version of Kafka without a new request is treated like the version before it.
_CAME_WITH: tuple[tuple[Version, int, int], ...] = (
    ((4, 3), _DESCRIBE_LOG_DIRS, 5),
    ((4, 2), _SHARE_FETCH, 2),
    ((4, 1), _FETCH, 18),
    ((4, 0), _PRODUCE, 12),
    ((3, 9), _FETCH, 17),
    ((3, 8), _PRODUCE, 11),
    ((3, 7), _PRODUCE, 10),
    ((3, 5), _FETCH, 15),
    ((3, 2), _JOIN_GROUP, 8),
    ((3, 1), _FETCH, 13),
    ((3, 0), _LIST_OFFSETS, 7),
    ((2, 8), _PRODUCE, 9),
    ((2, 7), _FETCH, 12),
    ((2, 6), _LIST_GROUPS, 4),
    ((2, 5), _OFFSET_FETCH, 7),
    ((2, 4), _OFFSET_FETCH, 6),
    ((2, 3), _FETCH, 11),
    ((2, 2), _LIST_OFFSETS, 5),
    ((2, 1), _FETCH, 10),
    ((2, 0), _FETCH, 8),
    ((1, 1), _FETCH, 7),
    ((1, 0), _METADATA, 5),
    ((0, 11), _METADATA, 4),
    ((0, 10, 2), _OFFSET_FETCH, 2),
    ((0, 10, 1), _METADATA, 2),
    ((0, 10, 0), _METADATA, 1),
)


def given(value: Any) -> Version | None:
    """Return the version for ``api_version``, in the form of kafka-python's config.

    Args:
        value: a tuple, text such as "2.5", "auto" or None.

    Returns:
        The newest known version that is not newer than the value; None to ask the brokers.

    Raises:
        KafkaConfigurationError: it is not a version.
        UnrecognizedBrokerVersion: it is older than all known versions.
        ValueError: a text contains something other than numbers.
    """
    if value is None or value == "auto":
        return None
    if isinstance(value, str):
        value = tuple(map(int, value.split(".")))
    if not isinstance(value, tuple) or not all(isinstance(part, int) for part in value):
        raise errors.KafkaConfigurationError(f"api_version must be tuple, not {value!r}")
    wanted = (*value, 0, 0, 0)
    not_newer = [known for known in KNOWN if (*known, 0, 0, 0)[:3] <= wanted[:3]]
    if not value or not not_newer:
        raise errors.UnrecognizedBrokerVersion(str(value))
    return not_newer[-1]


def of_broker(requests: Mapping[int, tuple[int, int]]) -> Version:
    """Return the version of a broker.

    Args:
        requests: the oldest and newest version of each request, by its API key.
    """
    for version, api_key, newest in _CAME_WITH:
        if requests.get(api_key, (0, -1))[1] >= newest:
            return version
    return KNOWN[0]
