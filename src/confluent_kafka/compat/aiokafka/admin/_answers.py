"""The answers of brokers, with the fields that aiokafka's answers have."""

from __future__ import annotations

from typing import Any, NamedTuple


def _as_dict(answer: Any) -> dict[str, Any]:
    return {name: _plain(getattr(answer, name)) for name in answer._fields}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return _as_dict(value) if hasattr(value, "_fields") else value


class TopicError(NamedTuple):
    """What became of a topic."""

    topic: str
    error_code: int
    """0 if all is well; errors.for_code() has its exception."""
    error_message: str | None


class TopicErrorCode(NamedTuple):
    """What became of a topic, without words."""

    topic: str
    error_code: int


class TopicErrors(NamedTuple):
    """The answer to create_topics() and create_partitions()."""

    throttle_time_ms: int
    topic_errors: list[TopicError]

    def to_object(self) -> dict[str, Any]:
        """Return the answer as a dict, with dicts in it."""
        return _as_dict(self)


class DeletedTopics(NamedTuple):
    """The answer to delete_topics()."""

    throttle_time_ms: int
    topic_error_codes: list[TopicErrorCode]

    def to_object(self) -> dict[str, Any]:
        """Return the answer as a dict, with dicts in it."""
        return _as_dict(self)


class Synonym(NamedTuple):
    """Another place that a value may come from."""

    config_name: str
    config_value: str | None
    config_source: int


class Entry(NamedTuple):
    """One configuration."""

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
    """What became of a resource."""

    error_code: int
    error_message: str | None
    resource_type: int
    resource_name: str


class DescribedResources(NamedTuple):
    """An answer to describe_configs()."""

    throttle_time_ms: int
    resources: list[DescribedResource]

    def to_object(self) -> dict[str, Any]:
        """Return the answer as a dict, with dicts in it."""
        return _as_dict(self)


class AlteredResources(NamedTuple):
    """An answer to alter_configs()."""

    throttle_time_ms: int
    resources: list[AlteredResource]

    def to_object(self) -> dict[str, Any]:
        """Return the answer as a dict, with dicts in it."""
        return _as_dict(self)


class Member(NamedTuple):
    """A member of a group."""

    member_id: str
    client_id: str
    client_host: str
    member_metadata: bytes
    """Always empty: librdkafka does not pass it on."""
    member_assignment: bytes
    """As above."""


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
        """Return the answer as a dict, with dicts in it."""
        return _as_dict(self)
