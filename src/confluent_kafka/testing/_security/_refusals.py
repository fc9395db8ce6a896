"""Responses that refuse a request, or entries of it, as Kafka's brokers write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._security._authorizer import CLUSTER, GROUP, TOPIC, TRANSACTIONAL_ID

if TYPE_CHECKING:
    from confluent_kafka.testing._security._operations import Rule

# Kafka's error for a resource of each type.
CODES = {
    TOPIC: KafkaError.TOPIC_AUTHORIZATION_FAILED,
    GROUP: KafkaError.GROUP_AUTHORIZATION_FAILED,
    CLUSTER: KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    TRANSACTIONAL_ID: KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
}
_TEXTS = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "Topic authorization failed.",
    KafkaError.GROUP_AUTHORIZATION_FAILED: "Group authorization failed.",
    KafkaError.CLUSTER_AUTHORIZATION_FAILED: "Cluster authorization failed.",
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "Transactional Id authorization failed.",
}

# Names of the fields that identify an entry of a request, and also its result.
_NAMES = ("name", "topic", "topic_name", "group_id", "transactional_id", "key", "user")
_NUMBERS = ("index", "partition", "partition_index", "partition_id")
_IDENTITIES = ({*_NAMES}, {*_NUMBERS}, {"topic_id"}, {"resource_type"}, {"resource_name"})
_ERROR_CODES = ("error_code", "partition_error_code")
# What Kafka returns instead of a value. The other fields have their defaults.
_MISSING = {
    "base_offset": -1,
    "committed_offset": -1,
    "high_watermark": -1,
    "low_watermark": -1,
    "node_id": -1,
    "port": -1,
    "producer_epoch": -1,
    "producer_id": -1,
    "records": b"",
}


def refusal(request: Any, rule: Rule, version: int, code: int) -> Any:
    """Return the response that refuses a whole request."""
    kind = request.response_class
    fields = [each for each in kind._table.root.fields if version in each.versions]
    if any(each.name in _ERROR_CODES for each in fields):
        values = _values(kind, fields, request, version, code)
        if "member_id" in {each.name for each in fields}:
            values["member_id"] = request.member_id
        return kind(**values)
    refused = [result(request, rule, each, version, code) for each in entries(request, rule)]
    return response_of(request, rule, refused)


def response_of(request: Any, rule: Rule, results: list[Any]) -> Any:
    """Return the response with these results."""
    return request.response_class(**({rule.results: results} if rule.results else {}))


def entries(request: Any, rule: Rule) -> Iterator[Any]:
    """Return the entries that a request has results for, of all its lists."""
    for path in rule.entries:
        found = [request]
        for name in path.split("."):
            found = [entry for each in found for entry in getattr(each, name) or ()]
        yield from found


def result(request: Any, rule: Rule, entry: Any, version: int, code: int) -> Any:
    """Return the result for an entry of a request that is refused."""
    kind = request.response_class
    name = next(each.type for each in kind._table.root.fields if each.name == rule.results)
    return _struct(kind, name, entry, version, code)


def _struct(kind: Any, name: str, entry: Any, version: int, code: int) -> Any:
    fields = [each for each in kind._table.structs[name].fields if version in each.versions]
    return kind._classes[name](**_values(kind, fields, entry, version, code))


def _values(kind: Any, fields: list[Any], entry: Any, version: int, code: int) -> dict[str, Any]:
    """Return the fields of a result, or of the response, that differ from their defaults."""
    values: dict[str, Any] = {each.name: code for each in fields if each.name in _ERROR_CODES}
    has_code = bool(values)
    for field in fields:
        if field.name == "error_message":
            values[field.name] = _TEXTS.get(code)
        elif field.name in _MISSING:
            values[field.name] = _MISSING[field.name]
        elif field.is_array and field.is_struct:
            # Either the result has an error, or each of its partitions has one.
            if not has_code and "partition" in field.name:
                values[field.name] = [
                    _struct(kind, field.type, each, version, code) for each in _partitions(entry)
                ]
        elif (value := _identity(field.name, entry)) is not None:
            values[field.name] = value
    return values


def _identity(name: str, entry: Any) -> Any:
    """Return the value of an identifying field in the entry; None for other fields."""
    if isinstance(entry, str):
        return entry if name in _NAMES else None
    if isinstance(entry, int):
        return entry if name in _NUMBERS else None
    for names in _IDENTITIES:
        if name in names:
            # A struct is a tuple, which has a method index().
            shared = names & entry._fields.keys()
            return next(
                (found for each in shared if (found := getattr(entry, each)) is not None), None
            )
    return None


def _partitions(entry: Any) -> Any:
    """Return the partitions of a topic in a request: structs or numbers."""
    fields = ("partitions", "partition_data", "partition_indexes")
    return next(getattr(entry, each) for each in fields if hasattr(entry, each))
