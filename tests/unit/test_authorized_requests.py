"""The table of the rights that each request needs, and the responses to clients without them."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import KafkaError, Uuid, protocol
from confluent_kafka.protocol._tables import TABLES
from confluent_kafka.testing import Security
from confluent_kafka.testing._security._authorizer import Acls, Authorizer, Client
from confluent_kafka.testing._security._enforcement import Enforcement, is_enforced
from confluent_kafka.testing._security._operations import FREE, RULES
from confluent_kafka.testing._security._refusals import CODES

REFUSED = set(CODES.values()) | {KafkaError.OPERATION_NOT_ATTEMPTED}
REQUESTS = {
    name.removesuffix("Request"): text.split()[1]
    for name, text in TABLES.items()
    if text.startswith("request ")
}
# The response of an early version has no place for an error. Requests that only brokers send are
# refused without an error, because no client reads the response.
SILENT = {"DescribeLogDirs": range(1, 3), "WriteTxnMarkers": range(1, 3)} | dict.fromkeys(
    [name for name in REQUESTS if "ShareGroupState" in name], range(2)
)
# The broker answers these requests, and the client gets only some entries of the response.
FILTERED = {"ListGroups", "ListTransactions"}
VERSIONS = [
    (name, version)
    for name in sorted(RULES)  # sorted, so that all processes of a test run have the same order
    for version in protocol.message_class(f"{name}Request").valid_versions
]


class OneTopic:
    """The topics of a cluster that has one topic."""

    def exists(self, name: str) -> bool:
        return name == "name"

    def name_of(self, topic_id: Uuid) -> str | None:
        return "name"


def enforcement(**settings: Any) -> Enforcement:
    security = Security(protocol="SASL_PLAINTEXT", authorizer=True, **settings)
    client = Client("User:alice", "127.0.0.1")
    return Enforcement(Authorizer(security, Acls()), OneTopic(), client)


def filled(kind: Any, name: str, version: int) -> Any:
    """A struct that has one entry in each list."""
    table = kind._table
    fields = (table.root if name == kind.__name__ else table.structs[name]).fields
    values = {each.name: one(kind, each, version) for each in fields if version in each.versions}
    return kind._classes[name](**{k: v for k, v in values.items() if v is not None})


def one(kind: Any, field: Any, version: int) -> Any:
    if field.is_struct:
        value = filled(kind, field.type, version)
    else:
        value = {"string": "name", "uuid": Uuid(0, 7), "records": b"", "bool": False}.get(
            field.type, b"" if field.type == "bytes" else 0
        )
    return [value] if field.is_array else value


def request_of(name: str, version: int) -> Any:
    kind = protocol.message_class(f"{name}Request")
    request: Any = filled(kind, kind.__name__, version)
    return request


def codes_in(value: Any) -> set[int]:
    """All error codes of a response."""
    if isinstance(value, dict):
        found = [codes_in(each) for each in value.values()]
        own = {v for k, v in value.items() if k.endswith("error_code") and v}
        return own.union(*found)
    return set().union(*map(codes_in, value)) if isinstance(value, list) else set()


def test_each_request_has_a_rule() -> None:
    """Each request of Kafka, even a new one, is in the table or open to all clients."""
    assert set(RULES) | FREE == set(REQUESTS)
    assert not set(RULES) & FREE
    assert {name for name, key in REQUESTS.items() if is_enforced(int(key))} == set(RULES)


@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_a_client_that_may_do_nothing(name: str, version: int) -> None:
    """Each version of each request is refused with an error of Kafka that the client can read."""
    request = request_of(name, version)
    verdict = enforcement().judge(request, version)
    answer = verdict.answer
    if name == "DescribeCluster" or name in FILTERED:
        assert verdict.request is request
        return
    if verdict.request is not None:
        assert name == "Metadata"
        assert verdict.request.topics == ()
        assert verdict.complete is not None
        answer = verdict.complete(request.response_class())
    decoded = request.response_class.decode(answer.encode(version), version)
    assert decoded == answer
    found = codes_in(decoded.as_dict())
    assert found <= REFUSED
    assert bool(found) != (version in SILENT.get(name, ()))


@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_a_client_that_may_do_everything(name: str, version: int) -> None:
    """The broker gets the request of a client with all rights unchanged."""
    request = request_of(name, version)
    verdict = enforcement(super_users=["User:alice"]).judge(request, version)
    assert verdict.request is request
    assert verdict.answer is None
