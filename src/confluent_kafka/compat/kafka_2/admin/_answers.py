"""The brokers' answers in the form of kafka-python 2: fields that are lists of tuples."""

from __future__ import annotations

from typing import Any, NamedTuple


class Answer:
    """The base class of answers."""

    throttle_time_ms = 0

    def __init__(self, name: str, parts: list[Any]) -> None:
        self._name = name
        setattr(self, name, parts)

    def to_object(self) -> dict[str, Any]:
        """Return the answer as nested dicts and lists."""
        parts = [_plain(one) for one in getattr(self, self._name)]
        return {"throttle_time_ms": self.throttle_time_ms, self._name: parts}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name}={getattr(self, self._name)})"


class TopicErrors(Answer):
    """The results for topics."""

    topic_errors: list[TopicError]

    def __init__(self, topics: list[TopicError]) -> None:
        super().__init__("topic_errors", topics)


class TopicErrorCodes(Answer):
    """The results for deleted topics."""

    topic_error_codes: list[TopicErrorCode]

    def __init__(self, topics: list[TopicErrorCode]) -> None:
        super().__init__("topic_error_codes", topics)


class Resources(Answer):
    """The configurations of resources, or the results of changing them."""

    resources: list[Any]

    def __init__(self, resources: list[Any]) -> None:
        super().__init__("resources", resources)


class Elections(Answer):
    """The results of elections of leaders."""

    error_code = 0  # any other code is raised
    replication_election_results: list[TopicElections]

    def __init__(self, topics: list[TopicElections]) -> None:
        super().__init__("replication_election_results", topics)

    def to_object(self) -> dict[str, Any]:
        """Return the answer as dicts and lists."""
        return {"error_code": self.error_code} | super().to_object()


class TopicElections(NamedTuple):
    """The results of the elections for a topic."""

    topic: str
    partition_result: list[PartitionElection]


class PartitionElection(NamedTuple):
    """The result of the election for a partition."""

    partition_id: int
    error_code: int
    error_message: str | None


class LogDirs(Answer):
    """The directories of a broker."""

    log_dirs: list[LogDir]

    def __init__(self, log_dirs: list[LogDir]) -> None:
        super().__init__("log_dirs", log_dirs)


class LogDir(NamedTuple):
    """A directory of a broker."""

    error_code: int
    log_dir: str
    topics: list[LogDirTopic]


class LogDirTopic(NamedTuple):
    """A topic's partitions in a directory."""

    name: str
    partitions: list[LogDirPartition]


class LogDirPartition(NamedTuple):
    """A partition in a directory."""

    partition_index: int
    partition_size: int
    offset_lag: int
    is_future_key: bool


class TopicError(NamedTuple):
    """The result for a topic."""

    topic: str
    error_code: int
    error_message: str | None


class TopicErrorCode(NamedTuple):
    """The result for a deleted topic."""

    topic: str
    error_code: int


class AlteredResource(NamedTuple):
    """The result for the configuration of a resource."""

    error_code: int
    error_message: str | None
    resource_type: int
    resource_name: str


class DescribedResource(NamedTuple):
    """The configuration of a resource."""

    error_code: int
    error_message: str | None
    resource_type: int
    resource_name: str
    config_entries: list[ConfigEntry]


class ConfigEntry(NamedTuple):
    """A value of a configuration."""

    config_names: str
    config_value: str | None
    read_only: bool
    config_source: int
    is_sensitive: bool
    config_synonyms: list[ConfigSynonym]


class ConfigSynonym(NamedTuple):
    """A source of a value."""

    config_name: str
    config_value: str | None
    config_source: int


class ConsumerMetadata(NamedTuple):
    """The metadata that a consumer sends to its group."""

    version: int
    subscription: list[str]
    user_data: bytes | None


class AssignedTopic(NamedTuple):
    """The partitions of a topic that are assigned to a consumer."""

    topic: str
    partitions: list[int]


class ConsumerAssignment(NamedTuple):
    """The assignment of a consumer."""

    version: int
    assignment: list[AssignedTopic]
    user_data: bytes | None


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if hasattr(value, "_asdict"):
        return {name: _plain(one) for name, one in value._asdict().items()}
    return value
