"""The schema registry's client, against a server that speaks its HTTP API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")

from confluent_kafka.schema_registry import (
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
)
from tests.support.schema_registry import FakeRegistry, running_registry
from tests.support.secrets import secret


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    """A registry with nothing in it."""
    with running_registry() as one:
        yield one


def test_schemas_by_id_are_asked_for_once(registry: FakeRegistry) -> None:
    """Ids never change, so one answer is enough; references and types come along."""
    number = registry.register("a b/c", '"string"')
    reference = {"name": "a.proto", "subject": "a b/c", "version": 1}
    other = registry.register("p", "message P {}", "PROTOBUF", [reference])
    with SchemaRegistryClient({"url": registry.url + "/"}) as client:
        schema = client.get_schema(number)
        assert (schema.schema_str, schema.schema_type) == ('"string"', "AVRO")
        assert client.get_schema(number) is schema
        assert client.get_schema(other).references == (SchemaReference("a.proto", "a b/c", 1),)
        assert len(registry.requests) == 2
        latest = client.get_latest_version("a b/c")
        assert (latest.schema_id, latest.version, latest.schema) == (number, 1, schema)
        assert client.get_version("a b/c", 1) == latest


def test_errors_say_what_the_registry_said(registry: FakeRegistry) -> None:
    """Its status, code and message; and where it should have been if it is not there."""
    with SchemaRegistryClient({"url": registry.url}) as client:
        with pytest.raises(SchemaRegistryError, match="40401: Subject 'x' not found") as raised:
            client.get_latest_version("x")
        assert (raised.value.http_status_code, raised.value.error_code) == (404, 40401)
    with (
        SchemaRegistryClient({"url": "http://127.0.0.1:1"}) as client,
        pytest.raises(SchemaRegistryError, match=r"127\.0\.0\.1:1/schemas/ids/1: .*refused"),
    ):
        client.get_schema(1)


def test_basic_authentication(registry: FakeRegistry) -> None:
    """The user goes with each request; a refusal does not show the password."""
    number = registry.register("a", '"int"')
    registry.user = f"me:{secret('registry')}"
    conf = {"url": registry.url, "basic.auth.user.info": registry.user}
    with SchemaRegistryClient(conf) as client:
        assert client.get_schema(number).schema_str == '"int"'
    wrong = {**conf, "basic.auth.user.info": f"you:{secret('registry')}"}
    with (
        SchemaRegistryClient(wrong) as client,
        pytest.raises(SchemaRegistryError, match="401") as raised,
    ):
        client.get_schema(number)
    assert secret("registry") not in str(raised.value)


def test_unknown_keys_are_refused() -> None:
    """A misspelt key would otherwise be a setting that does nothing."""
    with pytest.raises(ValueError, match="unknown key 'ulr'"):
        SchemaRegistryClient({"ulr": "http://x"})
    with pytest.raises(ValueError, match="'url' is missing"):
        SchemaRegistryClient({})
