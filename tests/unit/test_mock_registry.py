"""MockRegistry is a registry in memory that other processes can reach."""

from __future__ import annotations

import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")

import httpx

from confluent_kafka.schema_registry import (
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
)
from confluent_kafka.testing import MockRegistry
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT

INT, LONG = Schema('"int"'), Schema('"long"')


def test_a_client_registers_and_reads() -> None:
    """Ids, versions, references and errors are the same as from a real registry."""
    with MockRegistry() as registry, SchemaRegistryClient({"url": registry.url}) as client:
        number = client.register_schema("a-value", INT)
        assert client.register_schema("a-value", LONG) != number
        assert client.get_schema(number) == INT
        place = Schema('{"type": "enum", "name": "x.P", "symbols": ["A"]}')
        client.register_schema("x/P", place)
        user = Schema(
            '{"type": "array", "items": "x.P"}', references=[SchemaReference("x.P", "x/P", 1)]
        )
        client.register_schema("user", user)
        assert client.get_latest_version("user").schema.references == user.references
        assert client.get_subjects() == ["a-value", "x/P", "user"]
        with pytest.raises(SchemaRegistryError, match="40403"):
            client.get_schema(99)


def test_another_process_reaches_it() -> None:
    """Another process reaches the registry by its URL, as Spark's executors do."""
    with MockRegistry() as registry, SchemaRegistryClient({"url": registry.url}) as client:
        number = client.register_schema("a-value", INT)
        check_script(
            f"""
from confluent_kafka.schema_registry import SchemaRegistryClient

with SchemaRegistryClient({{"url": {registry.url!r}}}) as client:
    assert client.get_schema({number}).schema_str == '"int"'
    client.set_compatibility("a-value", "NONE")
"""
        )
        assert client.get_compatibility("a-value") == "NONE"


def test_registries_are_apart() -> None:
    """Each registry has its own port and schemas."""
    with MockRegistry() as first, MockRegistry() as second:
        assert first.url != second.url
        with SchemaRegistryClient({"url": first.url}) as client:
            client.register_schema("a", INT)
        with SchemaRegistryClient({"url": second.url}) as client:
            assert client.get_subjects() == []


def test_many_clients_at_once() -> None:
    """If there are more clients than the registry serves at the same time, the other clients wait.

    No client is refused.
    """
    with MockRegistry() as registry:

        def register(number: int) -> int:
            with SchemaRegistryClient({"url": registry.url, "timeout": TIMEOUT}) as client:
                return client.register_schema(f"s{number}", INT)

        with ThreadPoolExecutor(100) as pool:
            assert len(set(pool.map(register, range(100)))) == 1


def test_the_end_leaves_nothing() -> None:
    """close() ends all threads and connections, even the connection of a silent client.

    A second close() does nothing.
    """
    before = set(threading.enumerate())
    registry = MockRegistry()
    address = urlsplit(registry.url)
    with socket.create_connection((address.hostname, address.port)) as silent:
        silent.settimeout(TIMEOUT)
        # The registry has accepted the silent client before this request.
        httpx.get(f"{registry.url}/subjects")
        registry.close()
        assert silent.recv(1) == b""
    assert set(threading.enumerate()) == before
    registry.close()
    with pytest.raises(httpx.ConnectError):
        httpx.get(registry.url)


@pytest.mark.parametrize(
    ("body", "status"), [(b"{", 400), (b"[1]", 422), (b'{"schema": "nonsense"}', 422)]
)
def test_requests_that_make_no_sense(body: bytes, status: int) -> None:
    """Requests that are not valid get an error document, and the registry continues."""
    with MockRegistry() as registry:
        answer = httpx.post(f"{registry.url}/subjects/a/versions", content=body)
        assert answer.status_code == status
        assert answer.json()["message"]
        assert httpx.get(f"{registry.url}/subjects").json() == []


def test_requests_that_are_too_large() -> None:
    """The registry refuses a request with a too large Content-Length before it reads the body."""
    request = f"POST /subjects/a/versions HTTP/1.0\r\nContent-Length: {1 << 30}\r\n\r\n"
    with MockRegistry() as registry:
        address = urlsplit(registry.url)
        with socket.create_connection((address.hostname, address.port)) as client:
            client.settimeout(TIMEOUT)
            client.sendall(request.encode())
            assert b" 413 " in client.recv(100)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork()")
def test_a_fork_leaves_it_alone() -> None:
    """If a forked child closes the registry, it neither waits for the parent's threads nor ends
    them."""
    check_script(
        """
import os

import httpx

from confluent_kafka.testing import MockRegistry

with MockRegistry() as registry:
    child = os.fork()
    if child == 0:
        registry.close()
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert httpx.get(f"{registry.url}/subjects").json() == []
""",
        forks=True,
    )
