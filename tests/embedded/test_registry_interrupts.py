"""The blocking registry client is interrupted by Ctrl-C: it stays usable and registers nothing
twice."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.serialization import MessageField, SerializationContext
from tests.support.cancelling import SUSPENSIONS
from tests.support.interrupting import Interrupter
from tests.support.schema_registry import FakeRegistry, running_registry

pytestmark = [
    # Ctrl-C may come before the coroutine of a call has begun.
    pytest.mark.filterwarnings("ignore:.*never awaited"),
    # Ctrl-C may come after httpx has created a socket and before it has stored it.
    pytest.mark.filterwarnings("ignore:unclosed <(ssl.SSL|socket.s)ocket:ResourceWarning"),
]

TEXT = json.dumps("int")
SCHEMA = Schema(TEXT, "AVRO")
CONTEXT = SerializationContext("t", MessageField.VALUE)
SUBJECT = "t-value"

# A call executes some forty functions of the package.
FUNCTIONS = range(1, 41, 40 // min(40, 3 * SUSPENSIONS))


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    with running_registry() as registry:
        yield registry


def round_trip(client: SchemaRegistryClient) -> None:
    data = AvroSerializer(client, TEXT)(7, CONTEXT)
    assert AvroDeserializer(client)(data, CONTEXT) == 7


CALLS: dict[str, Callable[[SchemaRegistryClient], Any]] = {
    "register_schema": lambda client: client.register_schema(SUBJECT, SCHEMA),
    "lookup_schema": lambda client: client.lookup_schema(SUBJECT, SCHEMA),
    "get_schema": lambda client: client.get_schema(1),
    "get_latest_version": lambda client: client.get_latest_version(SUBJECT),
    "get_version": lambda client: client.get_version(SUBJECT, 1),
    "get_subjects": lambda client: client.get_subjects(),
    "test_compatibility": lambda client: client.test_compatibility(SUBJECT, SCHEMA),
    "set_config": lambda client: client.set_compatibility(SUBJECT, "FULL"),
    "delete_subject": lambda client: client.delete_subject(SUBJECT),
    "round_trip": round_trip,
}


@pytest.mark.parametrize("name", CALLS)
def test_the_client_works_after_every_call(registry: FakeRegistry, name: str) -> None:
    """If a call is interrupted anywhere, later calls of the client work."""
    interrupter = Interrupter()
    moments = [("request", at) for at in (1, 2, 3)] + [("function", at) for at in FUNCTIONS]
    for moment, at in moments:
        registry.register(SUBJECT, TEXT)
        registry.before_the_answer = [interrupter.received] * 9
        with SchemaRegistryClient({"url": registry.url, "max.retries": 0}) as client:
            with contextlib.suppress(SchemaRegistryError):  # an earlier call has deleted it
                interrupter.run(lambda: CALLS[name](client), moment, at)
            registry.before_the_answer = []
            round_trip(client)
            assert client.get_versions(SUBJECT)[-1:] != []
            assert len(client.get_versions(SUBJECT)) == 1
            assert client.get_latest_version(SUBJECT).schema.schema_str == TEXT
