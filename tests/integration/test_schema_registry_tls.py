"""The schema registry's client over TLS: trusted authorities and client certificates."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("trustme", reason="trustme is not installed")

from confluent_kafka.schema_registry import (
    AsyncSchemaRegistryClient,
    SchemaRegistryClient,
    SchemaRegistryError,
)
from tests.integration.certificates import Authority
from tests.support.schema_registry import FakeRegistry, running_registry

ONCE = {"max.retries": 0}


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    """The authority that signed the registry's certificate."""
    return Authority(tmp_path / "authority")


@pytest.fixture
def registry(authority: Authority) -> Iterator[FakeRegistry]:
    """A registry at `localhost` that requires client certificates."""
    pair = authority.issue("registry", "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)
    context.load_verify_locations(authority.file)
    context.verify_mode = ssl.CERT_REQUIRED
    with running_registry(context) as one:
        one.url = one.url.replace("http://127.0.0.1", "https://localhost")
        yield one


def test_mutual_tls(registry: FakeRegistry, authority: Authority) -> None:
    """The client uses the authority and the certificate of its configuration."""
    pair = authority.issue("client", "client.test")
    conf: dict[str, Any] = {
        "url": registry.url,
        "ssl.ca.location": str(authority.file),
        "ssl.certificate.location": str(pair.certificate),
        "ssl.key.location": str(pair.key),
    }
    with SchemaRegistryClient(conf) as client:
        assert client.get_subjects() == []

    async def main() -> None:
        async with AsyncSchemaRegistryClient(conf) as client:
            assert await client.get_subjects() == []

    asyncio.run(main())
    together = {name: conf[name] for name in conf if name != "ssl.key.location"}
    together["ssl.certificate.location"] = str(pair.both)
    with SchemaRegistryClient(together) as client:
        assert client.get_subjects() == []


def test_who_is_not_trusted(registry: FakeRegistry, authority: Authority, tmp_path: Path) -> None:
    """The client refuses a registry of an unknown authority; the registry refuses a client without
    certificate."""
    with (
        SchemaRegistryClient({"url": registry.url, **ONCE}) as client,
        pytest.raises(SchemaRegistryError, match=r"(?i)certificate"),
    ):
        client.get_subjects()
    trusting = {"url": registry.url, "ssl.ca.location": str(authority.file), **ONCE}
    with SchemaRegistryClient(trusting) as client, pytest.raises(SchemaRegistryError):
        client.get_subjects()
    other = Authority(tmp_path / "other").issue("client", "client.test")
    stranger = {**trusting, "ssl.certificate.location": str(other.both)}
    with SchemaRegistryClient(stranger) as client, pytest.raises(SchemaRegistryError):
        client.get_subjects()
    with pytest.raises(FileNotFoundError, match=r"ssl\.ca\.location .*none\.pem"):
        SchemaRegistryClient({**trusting, "ssl.ca.location": str(tmp_path / "none.pem")})


def test_the_deprecated_client(registry: FakeRegistry, authority: Authority) -> None:
    """CachedSchemaRegistryClient accepts the same files, as configuration keys or as arguments."""
    pytest.importorskip("fastavro", reason="fastavro is not installed")
    from confluent_kafka.avro import CachedSchemaRegistryClient

    pair = authority.issue("client", "client.test")
    files = {"ca": authority.file, "cert": pair.certificate, "key": pair.key}
    names = {"ca": "ca", "cert": "certificate", "key": "key"}
    conf = {f"ssl.{names[one]}.location": str(path) for one, path in files.items()}
    with CachedSchemaRegistryClient({"url": registry.url} | conf) as client:
        assert client.get_compatibility() == "BACKWARD"
    with pytest.warns(DeprecationWarning, match="is deprecated"):
        former = CachedSchemaRegistryClient(
            registry.url,
            ca_location=str(files["ca"]),
            cert_location=str(files["cert"]),
            key_location=str(files["key"]),
        )
    with former:
        assert former.get_compatibility() == "BACKWARD"


def test_a_pipeline_s_registry(authority: Authority) -> None:
    """`ca` in the pipeline's table [registry] is the trusted authority; the default is the
    system's."""
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    from confluent_kafka.spark.formats.registry import Unreadable, asking, latest
    from confluent_kafka.spark.pipeline.model import Registry

    pair = authority.issue("registry", "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair.certificate, pair.key)
    with running_registry(context) as one:
        one.register("flights-value", '"int"')
        url = one.url.replace("http://127.0.0.1", "https://localhost")
        trusting = Registry(url=url, ca=str(authority.file))
        assert latest(trusting, "flights-value", "AVRO").schema.schema_str == '"int"'
        with pytest.raises(Unreadable, match=r"(?i)certificate"), asking():
            latest(Registry(url=url), "flights-value", "AVRO")
