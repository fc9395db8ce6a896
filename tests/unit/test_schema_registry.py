"""The client of the schema registry, tested with a server that has the registry's HTTP API."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")

from confluent_kafka.schema_registry import (
    AssociationCreateOrUpdateInfo,
    AssociationCreateOrUpdateRequest,
    AsyncSchemaRegistryClient,
    ConfigCompatibilityLevel,
    Metadata,
    MetadataProperties,
    RegisteredSchema,
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    SchemaRegistryError,
    ServerConfig,
)
from confluent_kafka.schema_registry._async.mock_schema_registry_client import (
    AsyncMockSchemaRegistryClient,
)
from confluent_kafka.schema_registry._http import _context
from confluent_kafka.schema_registry._settings import read_settings
from confluent_kafka.schema_registry._sync.mock_schema_registry_client import (
    MockSchemaRegistryClient,
)
from confluent_kafka.schema_registry.error import OAuthTokenError
from confluent_kafka.schema_registry.schema_registry_client import full_jitter
from confluent_kafka.schema_registry.serde import ParsedSchemaCache
from confluent_kafka.serialization._coroutines import run
from tests.support.schema_registry import FakeRegistry, Fault, running_registry
from tests.support.scripts import check_script
from tests.support.secrets import reveals, secret
from tests.support.waiting import SOON, Stopwatch, wait_until

QUICK = {"retries.wait.ms": 1, "retries.max.wait.ms": 2}
INT = Schema('"int"')
RECORD = '{"type": "record", "name": "n.R", "fields": [{"name": "a", "type": "int"}]}'


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    """An empty registry."""
    with running_registry() as one:
        yield one


class Face:
    """Calls the blocking and the awaiting client in the same way."""

    def __init__(self, asynchronous: bool, conf: dict[str, Any]) -> None:
        self._asynchronous = asynchronous
        self._conf = conf

    def __call__(self, work: Callable[[Any], Any]) -> Any:
        """Run one call on a client of its own."""
        if not self._asynchronous:
            with SchemaRegistryClient(self._conf) as client:
                return work(client)

        async def main() -> Any:
            async with AsyncSchemaRegistryClient(self._conf) as client:
                return await work(client)

        return asyncio.run(main())


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def face(request: pytest.FixtureRequest, registry: FakeRegistry) -> Callable[..., Face]:
    """Makes a client of either kind for the registry, with more configuration if given."""

    def make(**more: Any) -> Face:
        conf = {"url": registry.url, **QUICK}
        return Face(request.param, conf | {name.replace("_", "."): v for name, v in more.items()})

    return make


def test_schemas_by_id_are_asked_for_once(registry: FakeRegistry) -> None:
    """The client requests a schema by id only once, because ids never change.

    The result has the references and the type.
    """
    number = registry.register("a b/c", '"string"')
    reference = {"name": "a.proto", "subject": "a b/c", "version": 1}
    other = registry.register("p", "message P {}", "PROTOBUF", [reference])
    with SchemaRegistryClient({"url": registry.url + "/"}) as client:
        schema = client.get_schema(number)
        assert (schema.schema_str, schema.schema_type) == ('"string"', "AVRO")
        assert client.get_schema(number) is schema
        assert client.get_schema(other).references == [SchemaReference("a.proto", "a b/c", 1)]
        assert len(registry.requests) == 2
        latest = client.get_latest_version("a b/c")
        assert (latest.schema_id, latest.version, latest.schema) == (number, 1, schema)
        assert client.get_version("a b/c", 1) == latest


def test_errors_say_what_the_registry_said(registry: FakeRegistry) -> None:
    """Errors contain the status, the code and the message of the registry, or the URL if the
    registry cannot be reached."""
    with SchemaRegistryClient({"url": registry.url}) as client:
        with pytest.raises(SchemaRegistryError, match=r"Subject 'x' not found.*40401") as raised:
            client.get_latest_version("x")
        assert (raised.value.http_status_code, raised.value.error_code) == (404, 40401)
    with (
        SchemaRegistryClient({"url": "http://127.0.0.1:1", **QUICK}) as client,
        pytest.raises(SchemaRegistryError, match=r"127\.0\.0\.1:1/schemas/ids/1: .*refused"),
    ):
        client.get_schema(1)


@pytest.mark.parametrize("url", ["mock://", "http"])
def test_every_call(registry: FakeRegistry, url: str) -> None:
    """The registry in memory behaves the same with and without HTTP."""
    with SchemaRegistryClient({"url": registry.url if url == "http" else url}) as client:
        record = Schema(RECORD, metadata=Metadata(None, MetadataProperties({"a": "b"}), None))
        number = client.register_schema("s", record)
        assert client.register_schema("s", record) == number
        full = client.register_schema_full_response("other", record)
        assert (full.subject, full.version, full.schema_id) == ("other", 1, number)
        assert full.guid is not None
        assert client.get_schema_by_guid(full.guid).schema_str == RECORD
        assert client.lookup_schema("s", record).version == 1
        with pytest.raises(SchemaRegistryError, match="40403"):
            client.lookup_schema("s", INT)
        user = Schema('["n.R", "null"]', references=[SchemaReference("n.R", "s", 1)])
        referring = client.register_schema("user", user)
        assert client.get_referenced_by("s") == [referring]
        assert client.get_subjects() == ["s", "other", "user"]
        assert client.get_subjects("o") == ["other"]
        assert client.get_subjects(offset=1, limit=1) == ["other"]
        assert client.get_subjects_by_schema_id(number) == ["s", "other"]
        places = client.get_schema_versions(number)
        assert [(one.subject, one.version) for one in places] == [("s", 1), ("other", 1)]
        assert client.get_latest_with_metadata("s", {"a": "b"}).schema == record
        with pytest.raises(SchemaRegistryError, match="40401"):
            client.get_latest_with_metadata("s", {"a": "c"})
        assert set(client.get_schema_types()) == {"AVRO", "JSON", "PROTOBUF"}
        assert client.get_contexts() == ["."]
        client.delete_subject("user")
        assert client.delete_version("other", 1) == 1
        assert client.get_subjects() == ["s"]
        assert client.get_subjects(deleted_only=True) == ["other", "user"]
        assert client.delete_subject("user", permanent=True) == [1]
        assert client.get_versions("s") == [1]
        assert client.get_versions("other", deleted=True) == [1]


@pytest.mark.parametrize("url", ["mock://", "http"])
def test_compatibility_configuration_and_modes(registry: FakeRegistry, url: str) -> None:
    """Settings are returned as they were set, and determine which schemas may be registered."""
    with SchemaRegistryClient({"url": registry.url if url == "http" else url}) as client:
        client.register_schema("s", Schema(RECORD))
        fields = RECORD.removesuffix("]}")
        worse = Schema(fields + ', {"name": "b", "type": "int"}]}')
        better = Schema(fields + ', {"name": "b", "type": "int", "default": 0}]}')
        assert client.get_compatibility() == "BACKWARD"
        assert not client.test_compatibility("s", worse)
        assert client.test_compatibility("s", better)
        assert client.set_compatibility("s", "full") == {"compatibility": "FULL"}
        assert client.get_compatibility("s") == "FULL"
        with pytest.raises(SchemaRegistryError, match="the field b, which has no default"):
            client.register_schema("s", worse)
        assert client.test_compatibility_all_versions("s", better)
        with pytest.raises(SchemaRegistryError, match="42203"):
            client.set_compatibility(level="most")
        level = ConfigCompatibilityLevel.NONE
        client.set_config(config=ServerConfig(compatibility=level, compatibility_group="g"))
        assert client.get_config() == ServerConfig(
            compatibility_level=level, compatibility_group="g"
        )
        assert client.delete_config("s").compatibility_level == "FULL"
        with pytest.raises(SchemaRegistryError, match="40408"):
            client.get_config("s")
        assert client.get_global_mode() == client.get_mode("s") == "READWRITE"
        assert client.update_mode("s", "READONLY", force=True) == "READONLY"
        with pytest.raises(SchemaRegistryError, match="read-only"):
            client.register_schema("s", better)
        assert client.delete_mode("s") == "READONLY"
        assert client.update_global_mode("IMPORT") == client.get_mode("s") == "IMPORT"


def test_associations() -> None:
    """Subjects that belong to a topic are found by the topic's name and cluster, until the
    association is deleted."""
    with SchemaRegistryClient({"url": "mock://"}) as client:
        info = AssociationCreateOrUpdateInfo("mine", "value", schema=INT)
        client.create_association(
            AssociationCreateOrUpdateRequest("t", "cluster", "id", "topic", [info])
        )
        assert client.get_latest_version("mine").schema == INT
        (found,) = client.get_associations_by_resource_name("t", "-", "topic", ["value"])
        assert (found.subject, found.association_type) == ("mine", "value")
        assert client.get_associations_by_resource_name("t", "another") == []
        assert client.get_associations_by_resource_name("t", "-", None, ["key"]) == []
        client.delete_associations("id")
        assert client.get_associations_by_resource_name("t", "cluster") == []


def test_both_clients_have_the_same_methods() -> None:
    """The awaiting client has every method of the blocking client, with the same parameters."""
    named = {"close": "aclose", "__enter__": "__aenter__", "__exit__": "__aexit__"}
    for name, method in vars(SchemaRegistryClient).items():
        if not inspect.isfunction(method) or name in ("__init__", "__repr__", "_open"):
            continue
        other = getattr(AsyncSchemaRegistryClient, named.get(name, name))
        assert inspect.iscoroutinefunction(other) == (name != "config"), name
        assert inspect.signature(other).parameters == inspect.signature(method).parameters, name


def test_texts_of_errors() -> None:
    """The text contains the two codes, because programs search for them.

    Without a response, there are no codes.
    """
    error = SchemaRegistryError(404, 40401, "Subject 's' not found.")
    assert str(error) == "Subject 's' not found. (HTTP status code 404, SR code 40401)"
    assert str(SchemaRegistryError(503, -1, "m")) == "m (HTTP status code 503, SR code -1)"
    assert str(SchemaRegistryError(0, -1, "refused")) == "schema registry: refused"
    assert str(OAuthTokenError("m", 401, "r")) == "m (HTTP 401): r"
    assert str(OAuthTokenError("m")) == "m"


def test_clients_that_are_mocks_by_class() -> None:
    """Each mock client has its own registry in memory, whatever its URL, and works like other
    clients."""
    conf = {"url": "http://127.0.0.1:1"}
    with MockSchemaRegistryClient(conf) as one, MockSchemaRegistryClient(conf) as other:
        assert isinstance(one, SchemaRegistryClient)
        assert one.register_schema("s", INT) == 1
        assert (one.get_subjects(), other.get_subjects()) == (["s"], [])
        assert one.config() == conf

    async def awaited() -> list[str]:
        async with AsyncMockSchemaRegistryClient(conf) as client:
            assert isinstance(client, AsyncSchemaRegistryClient)
            await client.register_schema("s", INT)
            return await client.get_subjects()

    assert asyncio.run(awaited()) == ["s"]
    with pytest.raises(ValueError, match="Missing required configuration property url"):
        MockSchemaRegistryClient({})


def test_mock_registries_are_shared_by_name() -> None:
    """Clients of the same named registry share its schemas.

    A client without a name has its own registry.
    """
    conf = {"url": "mock://shared"}
    with SchemaRegistryClient(conf) as one, SchemaRegistryClient.new_client(conf) as other:
        one.register_schema("s", INT)
        assert other.get_subjects() == ["s"]
        asynchronous = AsyncSchemaRegistryClient(conf)
        assert asyncio.run(asynchronous.get_subjects()) == ["s"]
    alone = SchemaRegistryClient({"url": "mock://"})
    alone.register_schema("s", INT)
    assert SchemaRegistryClient({"url": "mock://"}).get_subjects() == []


def test_the_latest_version_is_kept_for_its_time(registry: FakeRegistry) -> None:
    """The client requests the latest version once, and again after the caches are cleared or after
    the configured time."""
    registry.register("s", '"int"')
    with SchemaRegistryClient({"url": registry.url}) as client:
        assert client.get_latest_version("s").version == 1
        registry.register("s", '"long"')
        assert client.get_latest_version("s").version == 1
        client.clear_latest_caches()
        assert client.get_latest_version("s").version == 2
        assert client.register_schema("s", Schema('"float"')) == 3
        assert client.get_latest_version("s").version == 3
    conf = {"url": registry.url, "cache.latest.ttl.sec": 0}
    with SchemaRegistryClient(conf) as client:
        assert client.get_latest_version("s").version == 3
        registry.register("s", '"double"')
        assert client.get_latest_version("s").version == 4


@pytest.mark.parametrize("forget", ["register", "clear"])
def test_answers_that_come_too_late_are_not_kept(registry: FakeRegistry, forget: str) -> None:
    """If the cache is cleared during a request, the next call sends the request again.

    Thread A requests the latest version. Before the response arrives, thread B registers a newer
    version with the same client, or clears the caches.
    """
    registry.register("s", '"int"')
    with SchemaRegistryClient({"url": registry.url}) as client:

        def meanwhile() -> None:
            if forget == "register":
                client.register_schema("s", Schema('"long"'))
            else:
                registry.register("s", '"long"')
                client.clear_caches()

        registry.before_the_answer = [meanwhile]
        assert client.get_latest_version("s").version == 1
        assert client.get_latest_version("s").version == 2


def test_caches_have_an_end(registry: FakeRegistry) -> None:
    """If a cache is full, the oldest response is removed."""
    numbers = [registry.register("s", f'"{one}"') for one in ("int", "long", "float")]
    with SchemaRegistryClient({"url": registry.url, "cache.capacity": 2}) as client:
        for number in (*numbers, numbers[0]):
            client.get_schema(number)
        assert len(registry.requests) == 4
        client.get_schema(numbers[2])
        assert len(registry.requests) == 4


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(
    registry: FakeRegistry, face: Callable[..., Face], status: int
) -> None:
    """If a registry is busy or starting, the client repeats the request as often as configured."""
    registry.register("s", '"int"')
    registry.faults = [Fault(status)] * 3
    assert face()(lambda client: client.get_versions("s")) == [1]
    assert len(registry.requests) == 4
    registry.faults = [Fault(status)] * 9
    with pytest.raises(SchemaRegistryError) as raised:
        face()(lambda client: client.get_versions("s"))
    assert raised.value.http_status_code == status
    assert len(registry.requests) == 8


def test_a_redirect_is_named(registry: FakeRegistry, face: Callable[..., Face]) -> None:
    """The client does not follow a redirect, because another server would get the credentials.

    The error names the target.
    """
    registry.faults = [Fault(301, b"", {"Location": "https://new/subjects"})]
    with pytest.raises(SchemaRegistryError, match="https://new/subjects"):
        face()(lambda client: client.get_subjects())
    assert len(registry.requests) == 1


def test_what_will_not_pass_is_not_tried_again(
    registry: FakeRegistry, face: Callable[..., Face]
) -> None:
    """A request with a permanent error is not repeated."""
    for status in (400, 401, 403, 404, 409, 422, 302):
        registry.faults = [Fault(status)]
        with pytest.raises(SchemaRegistryError) as raised:
            face()(lambda client: client.get_versions("s"))
        assert raised.value.http_status_code == status
        assert registry.faults == []


def test_retry_after_is_heeded_within_bounds(
    registry: FakeRegistry, face: Callable[..., Face]
) -> None:
    """If a registry requests a wait of an hour, the client waits only for its own longest wait."""
    registry.faults = [Fault(429, headers={"Retry-After": "3600"})]
    watch = Stopwatch()
    assert face()(lambda client: client.get_subjects()) == []
    assert watch.elapsed < SOON


def test_registries_that_do_not_answer(registry: FakeRegistry, face: Callable[..., Face]) -> None:
    """A missing response, and a response without an end, raise a timeout and never hang."""
    for fault in (Fault(hang=True), Fault(trickle=True), Fault(slow_headers=True)):
        registry.faults = [fault]
        watch = Stopwatch()
        with pytest.raises(SchemaRegistryError) as raised:
            face(timeout=0.2, max_retries=0)(lambda client: client.get_subjects())
        assert (raised.value.http_status_code, raised.value.error_code) == (0, -1)
        assert watch.elapsed < SOON
        wait_until(lambda: not registry.faults)  # the server may receive the request late


@contextlib.contextmanager
def slow_server(answer: bytes) -> Iterator[int]:
    """The port of a server that sends a response slowly and without an end."""
    ended = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            for byte in itertools.chain(answer, itertools.repeat(ord("x"))):
                connection.send(bytes([byte]))
                if ended.wait(0.02):
                    break

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        yield listener.getsockname()[1]
        ended.set()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)


# Slow responses: lines without an end, a body, and a TLS record of 16 KB with a ServerHello.
SLOW = {
    "status": ("http", b""),
    "headers": ("http", b"HTTP/1.1 200 OK\r\nX-Slow: "),
    "redirect": ("http", b"HTTP/1.1 302 Found\r\nLocation: /"),
    "body": ("http", b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"),
    "TLS handshake": ("https", b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc\x03\x03"),
}


@pytest.mark.parametrize(("scheme", "answer"), SLOW.values(), ids=SLOW)
def test_answers_that_trickle(scheme: str, answer: bytes, face: Callable[..., Face]) -> None:
    """The timeout applies to the whole response, whichever part of it never ends."""
    with slow_server(answer) as port:
        asking = face(url=f"{scheme}://127.0.0.1:{port}", timeout=0.3, max_retries=0)
        watch = Stopwatch()
        with pytest.raises(SchemaRegistryError) as raised:
            asking(lambda client: client.get_subjects())
        assert raised.value.error_code == -1
        assert watch.elapsed < SOON


def test_a_token_that_trickles(face: Callable[..., Face]) -> None:
    """The timeout also applies to the whole response of a token endpoint."""
    with slow_server(b"HTTP/1.1 200 OK\r\nX-Slow: ") as port:
        bearer = {
            "bearer.auth.credentials.source": "OAUTHBEARER",
            "bearer.auth.issuer.endpoint.url": f"http://127.0.0.1:{port}",
            "bearer.auth.client.id": "id",
            "bearer.auth.client.secret": "secret",
            "bearer.auth.scope": "scope",
            "bearer.auth.logical.cluster": "cluster",
            "bearer.auth.identity.pool.id": "pool",
        }
        asking = face(timeout=0.3, max_retries=0, **bearer)
        watch = Stopwatch()
        with pytest.raises(OAuthTokenError):
            asking(lambda client: client.get_subjects())
        assert watch.elapsed < SOON


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, b"<html>Welcome</html>", "not JSON: '<html>Welcome</html>'"),
        (200, b"[" * 100_000, "not JSON"),
        (200, b"\xff\xfe", "not JSON"),
        (200, b"[]", r"unexpected response: \[\]"),
        (200, b"null", "no reason|not JSON"),
        (200, b"{}", "unexpected response"),
        (200, b'{"schema": "x", "references": 5}', "'references' is 5"),
        (404, b"<html>Not here</html>", "not JSON: '<html>Not here.*404"),
        (404, b'{"message": 7}', "404"),
    ],
)
def test_answers_that_are_none(
    registry: FakeRegistry, face: Callable[..., Face], status: int, body: bytes, said: str
) -> None:
    """A page of a proxy, or an incomplete response, raises an error of the registry that names the
    request."""
    registry.faults = [Fault(status, body)]
    with pytest.raises(SchemaRegistryError, match=said) as raised:
        face()(lambda client: client.get_schema(1))
    assert "/schemas/ids/1" in str(raised.value)
    assert raised.value.http_status_code == status


@pytest.mark.parametrize("body", [b'{"id": "x"}', b'{"id": [1]}', b'{"id": 1, "references": 5}'])
def test_registrations_that_are_none(registry: FakeRegistry, body: bytes) -> None:
    """A response with an id that is not a number raises an error."""
    registry.faults = [Fault(200, body)]
    with (
        SchemaRegistryClient({"url": registry.url}) as client,
        pytest.raises(SchemaRegistryError, match=r"unexpected|references"),
    ):
        client.register_schema("s", INT)


def test_several_urls_are_tried_in_turn(registry: FakeRegistry, face: Callable[..., Face]) -> None:
    """The client uses the first URL that responds, and does not wait for a registry that is
    down."""
    with running_registry() as busy:
        busy.faults = [Fault(503)]
        url = f"http://127.0.0.1:1, {busy.url}/ ,{registry.url}"
        ask = face(url=url, max_retries=0)
        assert ask(lambda client: client.get_subjects()) == []
        assert len(busy.requests) == len(registry.requests) == 1


def test_basic_authentication(registry: FakeRegistry, face: Callable[..., Face]) -> None:
    """Each request has the user's credentials, also if they are in the URL.

    The error of a refusal does not show the password.
    """
    number = registry.register("a", '"int"')
    registry.user = f"me:{secret('registry')}"
    conf = {"url": registry.url, "basic.auth.user.info": registry.user}
    with SchemaRegistryClient(conf) as client:
        assert client.get_schema(number).schema_str == '"int"'
        assert not reveals(repr(client))
    url = registry.url.replace("://", f"://me:{secret('registry')}@")
    with SchemaRegistryClient({"url": url}) as client:
        assert client.get_schema(number).schema_str == '"int"'
        assert not reveals(repr(client))
    wrong = {**conf, "basic.auth.user.info": f"you:{secret('registry')}"}
    with (
        SchemaRegistryClient(wrong) as client,
        pytest.raises(SchemaRegistryError, match="401") as raised,
    ):
        client.get_schema(number)
    assert not reveals(str(raised.value))
    dead = url.rpartition(":")[0] + ":1"
    with (
        SchemaRegistryClient({"url": dead, **QUICK}) as client,
        pytest.raises(SchemaRegistryError, match="refused") as raised,
    ):
        client.get_schema(number)
    assert not reveals(str(raised.value))


def test_static_token(registry: FakeRegistry, face: Callable[..., Face]) -> None:
    """Each request contains the token, the cluster and the identity pool."""
    registry.token = secret("token")
    bearer = {
        "bearer_auth_credentials_source": "STATIC_TOKEN",
        "bearer_auth_token": secret("token"),
        "bearer_auth_logical_cluster": "lsrc-1",
        "bearer_auth_identity_pool_id": ["pool-1", "pool-2"],
    }
    assert face(**bearer)(lambda client: client.get_subjects()) == []
    sent = registry.headers[-1]
    assert (sent["target-sr-cluster"], sent["Confluent-Identity-Pool-Id"]) == (
        "lsrc-1",
        "pool-1,pool-2",
    )


def test_custom_token_provider(registry: FakeRegistry) -> None:
    """A function returns the token for each request.

    The awaiting client also accepts a coroutine function.
    """
    registry.token = secret("token")
    conf: dict[str, Any] = {
        "url": registry.url,
        "bearer.auth.credentials.source": "CUSTOM",
        "bearer.auth.custom.provider.function": lambda given: {
            "bearer.auth.token": given["token"],
            "bearer.auth.logical.cluster": "lsrc-2",
        },
        "bearer.auth.custom.provider.config": {"token": secret("token")},
    }
    with SchemaRegistryClient(conf) as client:
        assert client.get_subjects() == []
    assert registry.headers[-1]["target-sr-cluster"] == "lsrc-2"

    async def provide(given: Any) -> dict[str, str]:
        return {"bearer.auth.token": given["token"]}

    conf["bearer.auth.custom.provider.function"] = provide
    assert asyncio.run(AsyncSchemaRegistryClient(conf).get_subjects()) == []
    with (
        SchemaRegistryClient(conf) as client,
        pytest.raises(TypeError, match="AsyncSchemaRegistryClient"),
    ):
        client.get_subjects()
    conf["bearer.auth.custom.provider.function"] = lambda given: {}
    with (
        SchemaRegistryClient(conf) as client,
        pytest.raises(OAuthTokenError, match=r"bearer\.auth\.token"),
    ):
        client.get_subjects()


def test_oauth_client_credentials(registry: FakeRegistry, face: Callable[..., Face]) -> None:
    """The client requests a token with its secret, and keeps the token while it is valid.

    No output shows the token or the secret.
    """
    registry.token = secret("token")
    registry.pages["/token"] = {"access_token": secret("token"), "expires_in": 600}
    oauth = {
        "bearer_auth_credentials_source": "OAUTHBEARER",
        "bearer_auth_client_id": "client",
        "bearer_auth_client_secret": secret("oauth"),
        "bearer_auth_scope": "schemas other",
        "bearer_auth_logical_cluster": "lsrc-1",
        "bearer_auth_issuer_endpoint_url": f"{registry.url}/token",
    }
    assert face(**oauth)(lambda client: client.get_subjects()) == []
    assert registry.bodies[0] == "grant_type=client_credentials&scope=schemas+other"
    assert reveals(registry.headers[0]["Authorization"])
    conf = {name.replace("_", "."): value for name, value in oauth.items()}
    with SchemaRegistryClient({"url": registry.url, **conf}) as client:
        client.get_subjects()
        before = len(registry.requests)
        client.get_schema_types()
        assert len(registry.requests) == before + 1
    for status, body in ((401, b'{"error": "invalid_client"}'), (200, b"<html>"), (200, b"[]")):
        registry.faults = [Fault(status, body)]
        with pytest.raises(OAuthTokenError, match="no token") as raised:
            face(**oauth)(lambda client: client.get_subjects())
        assert raised.value.status_code == status
        assert not reveals(str(raised.value))
    oauth["bearer_auth_issuer_endpoint_url"] = "http://127.0.0.1:1/token"
    with pytest.raises(OAuthTokenError, match=r"127\.0\.0\.1:1/token"):
        face(**oauth)(lambda client: client.get_subjects())


def token_settings(registry: FakeRegistry) -> dict[str, str]:
    """The configuration of a client whose tokens come from the registry's own /token."""
    return {
        "url": registry.url,
        "bearer.auth.credentials.source": "OAUTHBEARER",
        "bearer.auth.client.id": "client",
        "bearer.auth.client.secret": secret("oauth"),
        "bearer.auth.logical.cluster": "lsrc-1",
        "bearer.auth.scope": "schemas",
        "bearer.auth.issuer.endpoint.url": f"{registry.url}/token",
    }


def test_tokens_that_are_no_longer_taken(registry: FakeRegistry) -> None:
    """A new token is requested once.

    If the registry also refuses the new token, the call raises.
    """
    registry.pages["/token"] = {"access_token": "first", "expires_in": 600}
    registry.token = "first"
    with SchemaRegistryClient(token_settings(registry)) as client:
        assert client.get_subjects() == []
        registry.token = "second"
        registry.pages["/token"] = {"access_token": "second", "expires_in": 600}
        assert client.get_subjects() == []
        registry.token = "third"
        before = len(registry.requests)
        with pytest.raises(SchemaRegistryError, match="401"):
            client.get_subjects()
        assert len(registry.requests) - before == 3
        with pytest.raises(SchemaRegistryError, match="401"):
            client.get_subjects()


def test_tokens_that_are_refused_while_others_use_them(registry: FakeRegistry) -> None:
    """If a registry refuses every token, the calls raise, whatever the number of tasks is.

    The registry refuses task A's new token. Before task A gets this response, task B takes the same
    token from the cache.
    """
    registry.pages["/token"] = {"access_token": "known", "expires_in": 600}
    registry.token = "other"
    with SchemaRegistryClient(token_settings(registry)) as client:
        sender: Any = client._sender
        task_b = [lambda: run(sender._tokens.headers())] * 50
        registry.before_the_answer = [step for one in task_b for step in (lambda: None, one)]
        with pytest.raises(SchemaRegistryError, match="401"):
            client.get_subjects()
        assert len(registry.requests) <= 4


def test_token_endpoints_that_may_come_back(
    registry: FakeRegistry, face: Callable[..., Face]
) -> None:
    """Requests to the token endpoint are repeated in the same cases as requests to the registry."""
    registry.token = "token"
    registry.pages["/token"] = {"access_token": "token", "expires_in": 600}
    oauth = {
        "bearer_auth_credentials_source": "OAUTHBEARER",
        "bearer_auth_client_id": "client",
        "bearer_auth_client_secret": secret("oauth"),
        "bearer_auth_logical_cluster": "lsrc-1",
        "bearer_auth_scope": "schemas",
        "bearer_auth_issuer_endpoint_url": f"{registry.url}/token",
    }
    registry.faults = [Fault(503, b"<html>"), Fault(429)]
    assert face(**oauth)(lambda client: client.get_subjects()) == []
    assert registry.requests[:3] == ["/token"] * 3
    assert len(registry.requests) == 4
    registry.faults = [Fault(503), Fault(503)]
    with pytest.raises(OAuthTokenError, match="503"):
        face(max_retries=1, **oauth)(lambda client: client.get_subjects())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork()")
def test_forked_processes_have_connections_of_their_own(registry: FakeRegistry) -> None:
    """Both processes may use a client after a fork.

    Neither process reads the responses of the other process.
    """
    number = registry.register("s", '"int"')
    other = registry.register("t", '"long"')
    script = """
        import os, sys
        from confluent_kafka.schema_registry import SchemaRegistryClient
        url, number, other = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        with SchemaRegistryClient({"url": url}) as client:
            client.get_subjects()
            pid = os.fork()
            if pid == 0:
                status = 1
                try:
                    status = 0 if client.get_schema(number).schema_str == '"int"' else 2
                finally:
                    os._exit(status)
            assert client.get_schema(other).schema_str == '"long"'
            assert os.waitpid(pid, 0)[1] == 0
            assert client.get_versions("s") == [1]
    """
    check_script(script, registry.url, str(number), str(other), forks=True)


def test_azure_tokens(registry: FakeRegistry, face: Callable[..., Face]) -> None:
    """Tokens come from Azure's metadata endpoint, which needs a query and a header."""
    registry.token = secret("token")
    registry.pages["/imds"] = {"access_token": secret("token"), "expires_in": "600"}
    azure = {
        "bearer_auth_credentials_source": "OAUTHBEARER_AZURE_IMDS",
        "bearer_auth_logical_cluster": "lsrc-1",
        "bearer_auth_issuer_endpoint_url": f"{registry.url}/imds",
        "bearer_auth_issuer_endpoint_query": "resource=api://x&client_id=7",
    }
    assert face(**azure)(lambda client: client.get_subjects()) == []
    assert registry.requests[0] == "/imds?resource=api%3A%2F%2Fx&client_id=7"
    assert registry.headers[0]["Metadata"] == "true"


INFO_FORM = "basic.auth.user.info must be in the form of {username}:{password}"


@pytest.mark.parametrize(
    ("conf", "error", "said"),
    [
        ({"ulr": "http://x"}, ValueError, "Unrecognized properties: ulr: did you mean 'url'"),
        ({"url": "http://x", "basic.auth.user": "a:b"}, ValueError, "'basic.auth.user.info'"),
        ({"url": "http://x", 5: 6}, ValueError, "Unrecognized properties: 5"),
        ({}, ValueError, "Missing required configuration property url"),
        ({"url": "http://x", "a": 1, "b": 2}, ValueError, "Unrecognized properties: a, b: there"),
        (
            {"url": "http://x", "a": 1, "timeuot": 2},
            ValueError,
            "Unrecognized properties: a, timeuot: did you mean 'timeout'",
        ),
        ({"url": "ftp://x"}, ValueError, "Invalid url ftp://x: it must be http://host:port"),
        ({"url": "http://a,,http://b"}, ValueError, "Invalid url : "),
        ({"url": f"ftp://u:{secret('url')}@x"}, ValueError, "Invalid url x: "),
        ({"url": 5}, TypeError, "url must be a str, not <class 'int'>"),
        (None, TypeError, "conf must be a dict, not NoneType"),
        (
            {"url": "http://x", "timeout": "5"},
            TypeError,
            "timeout must be a number, not <class 'str'>",
        ),
        ({"url": "http://x:1a"}, ValueError, "must be http://host:port or"),
        ({"url": "http://x:65536"}, ValueError, "must be http://host:port or"),
        ({"url": "http://[::1"}, ValueError, "must be http://host:port or"),
        ({"url": "http://x", "timeout": -1}, ValueError, "timeout must be at least"),
        ({"url": "http://x", "timeout": float("nan")}, ValueError, "timeout must be at least"),
        ({"url": "http://x", "max.retries": -1}, ValueError, "max.retries must be at least 0"),
        ({"url": "http://x", "cache.capacity": 0}, ValueError, "cache.capacity must be at least"),
        ({"url": "http://x", "basic.auth.user.info": secret("u")}, ValueError, INFO_FORM),
        ({"url": "http://x", "basic.auth.user.info": ""}, ValueError, INFO_FORM),
        (
            {"url": "http://u:p@x", "basic.auth.user.info": "u:p"},
            ValueError,
            "basic.auth.user.info configured with userinfo credentials in the URL. Remove userinfo "
            "credentials from the url or remove basic.auth.user.info from the configuration",
        ),
        (
            {"url": "http://x", "ssl.key.location": "k"},
            ValueError,
            "ssl.certificate.location required when configuring ssl.key.location or "
            "ssl.key.password",
        ),
        ({"url": "http://x", "ssl.ca.location": 5}, TypeError, "ssl.ca.location must be a str"),
        ({"url": "https://x", "ssl.ca.location": "/no.pem"}, OSError, "ssl.ca.location /no.pem"),
        (
            {"url": "https://x", "ssl.ca.location": __file__},
            ValueError,
            f"ssl.ca.location {__file__}: NO_CERTIFICATE_OR_CRL_FOUND",
        ),
        (
            {
                "url": "https://x",
                "ssl.certificate.location": "/no.pem",
                "ssl.key.location": "/key.pem",
            },
            FileNotFoundError,
            "ssl.certificate.location /no.pem with ssl.key.location /key.pem: No such file",
        ),
        (
            {"url": "http://x", "bearer.auth.token": "t", "bearer.auth.scope": "s"},
            ValueError,
            "Unrecognized properties: bearer.auth.token, bearer.auth.scope: they need the key "
            "bearer.auth.credentials.source",
        ),
        (
            {
                "url": "http://u:p@x",
                "bearer.auth.credentials.source": "STATIC_TOKEN",
                "bearer.auth.token": secret("t"),
                "bearer.auth.logical.cluster": "lsrc-1",
            },
            ValueError,
            "are mutually exclusive",
        ),
    ],
)
def test_wrong_configurations(conf: Any, error: type[Exception], said: str) -> None:
    """The errors of both clients name the key and its allowed values, and show no secret."""
    for kind in (SchemaRegistryClient, AsyncSchemaRegistryClient):
        with pytest.raises(error) as raised:
            kind(conf)
        assert said in str(raised.value)
        assert not reveals(str(raised.value))


BEARER = {"credentials.source": "STATIC_TOKEN", "token": "t", "logical.cluster": "lsrc-1"}
OAUTH = {
    "credentials.source": "OAUTHBEARER",
    "client.id": "c",
    "client.secret": "s",
    "scope": "s",
    "issuer.endpoint.url": "http://x",
    "logical.cluster": "lsrc-1",
}
AZURE = {"credentials.source": "OAUTHBEARER_AZURE_IMDS", "logical.cluster": "lsrc-1"}
CUSTOM = {
    "credentials.source": "CUSTOM",
    "custom.provider.function": dict,
    "custom.provider.config": {},
}
ABSENT = object()


def bearer(conf: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A configuration for tokens with changes; ABSENT removes a key."""
    conf = conf | {name.replace("_", "."): value for name, value in changes.items()}
    kept = {f"bearer.auth.{name}": one for name, one in conf.items() if one is not ABSENT}
    return {"url": "http://x", **kept}


@pytest.mark.parametrize(
    ("conf", "error", "said"),
    [
        (
            bearer(BEARER, credentials_source="X"),
            ValueError,
            "Unrecognized bearer.auth.credentials.source",
        ),
        (
            bearer(BEARER, credentials_source=[]),
            ValueError,
            "Unrecognized bearer.auth.credentials.source",
        ),
        (bearer(BEARER, token=ABSENT), ValueError, "Missing bearer.auth.token"),
        (bearer(BEARER, token=5), TypeError, "bearer.auth.token must be a str, not <class 'int'>"),
        (
            bearer(BEARER, token=None),
            TypeError,
            "bearer.auth.token must be a str, not <class 'None",
        ),
        *(
            (
                bearer(conf, logical_cluster=ABSENT),
                ValueError,
                "Missing required bearer configuration properties: bearer.auth.logical.cluster",
            )
            for conf in (BEARER, OAUTH, AZURE)
        ),
        (
            bearer(BEARER, logical_cluster=5),
            TypeError,
            "logical cluster must be a str, not <class 'int'>",
        ),
        (
            bearer(BEARER, identity_pool_id=5),
            TypeError,
            "identity pool id must be a str or list, not <class 'int'>",
        ),
        (
            bearer(BEARER, identity_pool_id=["a", 5]),
            TypeError,
            "All items in identity pool list must be strings",
        ),
        (
            bearer(OAUTH, client_id=ABSENT, scope=ABSENT),
            ValueError,
            "Missing required OAuth configuration properties: bearer.auth.client.id, "
            "bearer.auth.scope",
        ),
        (bearer(OAUTH, scope=None), TypeError, "bearer.auth.scope must be a str"),
        (
            bearer(AZURE),
            ValueError,
            "bearer.auth.issuer.endpoint.query must be provided when "
            "bearer.auth.issuer.endpoint.url isn't overridden",
        ),
        (
            bearer(CUSTOM, custom_provider_function=ABSENT, custom_provider_config=ABSENT),
            ValueError,
            "Missing required custom OAuth configuration properties: "
            "bearer.auth.custom.provider.function, bearer.auth.custom.provider.config",
        ),
        (
            bearer(CUSTOM, custom_provider_function=5),
            TypeError,
            "bearer.auth.custom.provider.function must be a callable, not <class 'int'>",
        ),
        (
            bearer(CUSTOM, custom_provider_config="x"),
            TypeError,
            "bearer.auth.custom.provider.config must be a dict, not <class 'str'>",
        ),
    ],
)
def test_wrong_tokens(conf: dict[str, Any], error: type[Exception], said: str) -> None:
    """The errors have the same texts as in confluent-kafka-python, because programs match them."""
    for kind in (SchemaRegistryClient, AsyncSchemaRegistryClient):
        with pytest.raises(error) as raised:
            kind(conf)
        assert str(raised.value).startswith(said)


@pytest.mark.parametrize(
    "conf",
    [
        bearer(CUSTOM),
        bearer(BEARER, token=""),
        bearer(AZURE, issuer_endpoint_url="http://x"),
        {"url": "https://x", "ssl.ca.location": False},
        {"url": "https://x", "ssl.ca.location": True},
        {"url": "https://x", "ssl.ca.location": ""},
    ],
)
def test_configurations_that_are_taken(conf: dict[str, Any]) -> None:
    """An empty dict for a token provider, and False for the certificates, are accepted."""
    with SchemaRegistryClient(conf):
        pass
    assert AsyncSchemaRegistryClient(conf).config() == conf


@pytest.mark.parametrize(
    ("trusted", "mode"),
    [(False, ssl.CERT_NONE), (True, ssl.CERT_REQUIRED), ("", ssl.CERT_REQUIRED)],
)
def test_certificates_are_verified_unless_they_must_not(trusted: Any, mode: Any) -> None:
    """Only False turns the verification off. Other empty values do not."""
    context = _context(read_settings({"url": "https://x", "ssl.ca.location": trusted}))
    assert (context.verify_mode, context.check_hostname) == (mode, mode is ssl.CERT_REQUIRED)


def test_versions_as_text(registry: FakeRegistry) -> None:
    """A version may be a number or a text. The text is sent unchanged."""
    with SchemaRegistryClient({"url": registry.url}) as client:
        client.register_schema("s", INT)
        assert client.get_version("s", "1").version == 1
        assert client.get_referenced_by("s", "1") == []
        assert client.test_compatibility("s", INT, "1")
        with pytest.raises(SchemaRegistryError, match="40402"):
            client.get_version("s", "a/b")
        assert registry.requests[-1].startswith("/subjects/s/versions/a%2Fb?")
        assert client.delete_version("s", "1") == 1


@pytest.mark.parametrize("text", ["{", "not JSON", ""])
def test_associations_with_a_schema_that_cannot_be_parsed(text: str) -> None:
    """The registry in memory creates the association, but does not register the schema."""
    info = AssociationCreateOrUpdateInfo("mine", "value", schema=Schema(text))
    request = AssociationCreateOrUpdateRequest("t", "lkc", "id", "topic", [info])
    with SchemaRegistryClient({"url": "mock://"}) as client:
        client.create_association(request)
        found = client.get_associations_by_resource_name("t", "lkc")
        assert [one.subject for one in found] == ["mine"]
        assert client.get_subjects() == []


@pytest.mark.parametrize("bad", [None, 5, b"s", ""])
def test_bad_arguments(bad: Any) -> None:
    """A wrong subject or schema is refused before a request is sent."""
    with SchemaRegistryClient({"url": "http://127.0.0.1:1"}) as client:
        for call in (
            lambda: client.get_latest_version(bad),
            lambda: client.get_versions(bad),
            lambda: client.register_schema(bad, INT),
            lambda: client.register_schema("s", bad),
            lambda: client.lookup_schema("s", bad),
            lambda: client.test_compatibility("s", bad),
            lambda: client.get_version("s", bad if bad != 5 else 5.0),
            lambda: client.get_schema(bad if bad != 5 else True),
            lambda: client.set_config("s", bad),
            lambda: client.create_association(bad),
            lambda: client.get_latest_with_metadata("s", bad),
        ):
            with pytest.raises((TypeError, ValueError), match=r"must|missing"):
                call()


def test_jitter_has_bounds() -> None:
    """A wait is between 0 and a bound, which doubles with each try up to the maximum."""
    for tries in range(200):
        assert 0 <= full_jitter(100, 1000, tries) <= min(1000, 100 * 2**tries)


def test_a_cache_for_serdes_of_one_s_own() -> None:
    """Equal schemas are the same key of the cache."""
    cache = ParsedSchemaCache()
    cache.set(Schema('"int"'), "parsed")
    assert cache.get_parsed_schema(Schema('"int"')) == "parsed"
    assert cache.get_parsed_schema(Schema('"long"')) is None
    cache.clear()
    assert cache.get_parsed_schema(Schema('"int"')) is None
    assert cache.parsed_schemas == {}


def test_registered_schema_without_a_schema() -> None:
    """Mocks of applications can contain a registered schema whose `schema` is missing.

    It becomes a document of its other fields.
    """
    registered = RegisteredSchema(
        subject="orders-value", version=2, schema_id=1, guid=None, schema=cast("Schema", None)
    )
    assert registered.to_dict() == {"subject": "orders-value", "version": 2, "id": 1}
