"""The answers of brokers, with the same fields as aiokafka's answers."""

from __future__ import annotations

from typing import Any, NamedTuple


def _as_dict(answer: Any) -> dict[str, Any]:
    return {name: _plain(getattr(answer, name)) for name in answer._fields}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return _as_dict(value) if hasattr(value, "_fields") else value


class TopicError(NamedTuple):
    """The result for a topic."""

    topic: str
    error_code: int
    """0 for a success; otherwise errors.for_code() returns its exception."""
    error_message: str | None


class TopicErrorCode(NamedTuple):
    """The result for a topic, without an error text."""

    topic: str
    error_code: int


class TopicErrors(NamedTuple):
    """The answer to create_topics() and create_partitions()."""

    throttle_time_ms: int
    topic_errors: list[TopicError]

    def to_object(self) -> dict[str, Any]:
        """Return the answer as nested dicts."""
        return _as_dict(self)


class DeletedTopics(NamedTuple):
    """The answer to delete_topics()."""

    throttle_time_ms: int
    topic_error_codes: list[TopicErrorCode]

    def to_object(self) -> dict[str, Any]:
        """Return the answer as nested dicts."""
        return _as_dict(self)


class Synonym(NamedTuple):
    """Another source of a value."""

    config_name: str
    config_value: str | None
    config_source: int


class Entry(NamedTuple):
    """A configuration entry."""

    config_names: str
    config_value: str | None
    read_only: bool
    config_source: int
    is_sensitive: bool
    config_synonyms: list[Synonym]


class DescribedResource(NamedTuple):
    """A resource and its configuration."""

    error_code: int
    error_message: str | None
    resource_type: int
    resource_name: str
    config_entries: list[Entry]


class AlteredResource(NamedTuple):
    """The result for a resource."""

    error_code: int
    error_message: str | None
    resource_type: int
    resource_name: str


class DescribedResources(NamedTuple):
    """An answer to describe_configs()."""

    throttle_time_ms: int
    resources: list[DescribedResource]

    def to_object(self) -> dict[str, Any]:
        """Return the answer as nested dicts."""
        return _as_dict(self)


class AlteredResources(NamedTuple):
    """An answer to alter_configs()."""

    throttle_time_ms: int
    resources: list[AlteredResource]

    def to_object(self) -> dict[str, Any]:
        """Return the answer as nested dicts."""
        return _as_dict(self)


class Member(NamedTuple):
    """A member of a group."""

    member_id: str
    client_id: str
    client_host: str
    member_metadata: bytes
    """Always empty, because librdkafka does not return it."""
    member_assignment: bytes
    """Always empty, because librdkafka does not return it."""


class Group(NamedTuple):
    """A group."""

    error_code: int
    group: str
    state: str
    protocol_type: str
    protocol: str
    members: list[Member]


class DescribedGroups(NamedTuple):
    """An answer to describe_consumer_groups()."""

    throttle_time_ms: int
    groups: list[Group]

    def to_object(self) -> dict[str, Any]:
        """Return the answer as nested dicts."""
        return _as_dict(self)
