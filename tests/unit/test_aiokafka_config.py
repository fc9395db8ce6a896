"""Converts aiokafka's keywords into librdkafka's configuration."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Consumer, Producer
from confluent_kafka.compat._common.tokens import expiry_of
from confluent_kafka.compat.aiokafka import AIOKafkaClient, AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka.compat.aiokafka._tokens import oauth_callback
from confluent_kafka.compat.aiokafka.abc import AbstractTokenProvider
from confluent_kafka.compat.aiokafka.admin import AIOKafkaAdminClient
from confluent_kafka.compat.aiokafka.config import EVERY, KEYWORDS, configuration
from confluent_kafka.compat.aiokafka.coordinator.assignors.range import RangePartitionAssignor
from confluent_kafka.compat.aiokafka.coordinator.assignors.roundrobin import (
    RoundRobinPartitionAssignor,
)
from confluent_kafka.compat.aiokafka.coordinator.assignors.sticky.sticky_assignor import (
    StickyPartitionAssignor,
)
from confluent_kafka.compat.aiokafka.util import parse_kafka_version

ROOT = Path(__file__).parents[2]
_SASL = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN"}


class Tokens(AbstractTokenProvider):
    """A token provider that always returns the same token."""

    async def token(self) -> str:
        return "a.b.c"


def test_the_table_has_each_keyword_of_a_client_once() -> None:
    """The table has a keyword at most once for each client. Each entry belongs to a client."""
    for client in EVERY:
        names = [keyword.name for keyword in KEYWORDS if client in keyword.clients]
        assert sorted(set(names)) == sorted(names)
    assert all(keyword.clients <= EVERY and keyword.clients for keyword in KEYWORDS)
    assert all(keyword.note for keyword in KEYWORDS if keyword.has_no_effect)


@pytest.mark.parametrize(
    ("client", "keywords", "wanted"),
    [
        ("client", {"bootstrap_servers": "a"}, {"bootstrap.servers": "a"}),
        ("client", {"bootstrap_servers": ["a:1", "b:2"]}, {"bootstrap.servers": "a:1,b:2"}),
        ("client", {"client_id": None}, {}),
        ("client", {"connections_max_idle_ms": None}, {"connections.max.idle.ms": 0}),
        ("client", {"loop": object(), "api_version": "auto"}, {}),
        ("admin", {"request_timeout_ms": 5000}, {"socket.timeout.ms": 5000}),
        (
            "producer",
            {"request_timeout_ms": 5000},
            {
                "request.timeout.ms": 5000,
                "message.timeout.ms": 5000,
                "message.send.max.retries": 45,
                "retry.backoff.max.ms": 100,
            },
        ),
        (
            "producer",
            {"request_timeout_ms": 5000, "enable_idempotence": True},
            {
                "request.timeout.ms": 5000,
                "message.timeout.ms": 300_000,
                "enable.idempotence": True,
            },
        ),
        (
            "producer",
            {"retry_backoff_ms": 0},
            {"retry.backoff.ms": 1, "reconnect.backoff.ms": 1, "reconnect.backoff.max.ms": 1000},
        ),
        (
            "consumer",
            {"retry_backoff_ms": 2000},
            {
                "retry.backoff.ms": 2000,
                "retry.backoff.max.ms": 2000,
                "reconnect.backoff.ms": 2000,
                "reconnect.backoff.max.ms": 2000,
            },
        ),
        ("producer", {"acks": "all"}, {"acks": -1}),
        ("producer", {"acks": 0, "linger_ms": 5.9}, {"acks": 0, "linger.ms": 5}),
        ("consumer", {"auto_offset_reset": "none"}, {"auto.offset.reset": "error"}),
        (
            "consumer",
            {"partition_assignment_strategy": [RoundRobinPartitionAssignor]},
            {"partition.assignment.strategy": "roundrobin"},
        ),
        (
            "consumer",
            {"partition_assignment_strategy": (RangePartitionAssignor,)},
            {"partition.assignment.strategy": "range"},
        ),
        (
            "producer",
            {"linger_ms": 5, "properties": {"linger.ms": 7, "statistics.interval.ms": 1}},
            {"linger.ms": 7, "statistics.interval.ms": 1},
        ),
        (
            "client",
            _SASL | {"sasl_plain_username": "u", "sasl_plain_password": "p"},
            {
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "u",
                "sasl.password": "p",
            },
        ),
        ("client", {"sasl_plain_username": "u", "sasl_plain_password": "p"}, {}),
    ],
)
def test_what_keywords_become(
    client: str, keywords: dict[str, Any], wanted: dict[str, Any]
) -> None:
    """A keyword becomes a property, with the value in the property's unit.

    Credentials are set only if the protocol and mechanism use them.
    """
    assert configuration(client, keywords) == wanted


@pytest.mark.parametrize(
    ("keywords", "kind", "says"),
    [
        ({"acks": 5}, ValueError, "acks must be 0, 1, -1 or 'all', not 5"),
        ({"acks": True}, ValueError, "acks must be 0, 1, -1 or 'all', not True"),
        ({"linger_ms": "5"}, TypeError, "linger_ms must be a number, not str"),
        ({"linger_ms": -1}, ValueError, "linger_ms must not be negative, not -1"),
        ({"compression_type": "zip"}, ValueError, "compression_type must be one of 'gzip', "),
        ({"bootstrap_servers": 3}, TypeError, "bootstrap_servers must be 'host:port' or a list"),
        ({"security_protocol": "TLS"}, ValueError, "security_protocol must be one of "),
        (
            {"security_protocol": "SSL"},
            ValueError,
            "`ssl_context` is mandatory if security_protocol=='SSL'",
        ),
        (
            {"security_protocol": "SSL", "ssl_context": 3},
            TypeError,
            "ssl_context must be an ssl.SSLContext, not int",
        ),
        (
            _SASL | {"sasl_plain_username": "u", "sasl_plain_password": None},
            ValueError,
            "sasl_plain_username and sasl_plain_password are needed with PLAIN",
        ),
        (_SASL | {"sasl_mechanism": "X"}, ValueError, "sasl_mechanism must be one of 'PLAIN', "),
        (
            _SASL | {"sasl_mechanism": "OAUTHBEARER", "sasl_oauth_token_provider": 3},
            ValueError,
            "sasl_oauth_token_provider needs to be provided implementing",
        ),
        (
            {"sasl_kerberos_domain_name": "d"},
            ValueError,
            "sasl_kerberos_domain_name is not supported: ",
        ),
        ({"enable_idempotence": 1}, TypeError, "enable_idempotence must be bool, not int"),
    ],
)
def test_what_is_refused(keywords: dict[str, Any], kind: type[Exception], says: str) -> None:
    """An error names the keyword, the allowed values and the given value."""
    with pytest.raises(kind, match=re.escape(says)):
        configuration("producer", keywords)


@pytest.mark.parametrize("strategy", [(StickyPartitionAssignor,), (object(),), ()])
def test_assignors_that_librdkafka_does_not_have(strategy: Any) -> None:
    """Assignors that librdkafka does not have are refused, and the error names alternatives."""
    with pytest.raises(ValueError, match="partition_assignment_strategy"):
        configuration("consumer", {"partition_assignment_strategy": strategy})


def test_the_documentation_has_what_is_not_used() -> None:
    """The page about moving names each keyword that has no effect, or is refused."""
    page = (ROOT / "docs" / "coming-from" / "aiokafka.md").read_text()
    _, without, refused = re.split(r"## Keywords .*", page)
    assert set(re.findall(r"^\| `(\w+)`", without, re.M)) == {
        keyword.name for keyword in KEYWORDS if keyword.has_no_effect
    }
    assert {keyword.name for keyword in KEYWORDS if "refused" in keyword.kept} <= set(
        re.findall(r"`(\w+)`", refused)
    )


def test_a_token_provider() -> None:
    """The provider becomes the callback that librdkafka calls for tokens."""
    mechanism = {"sasl_mechanism": "OAUTHBEARER", "sasl_oauth_token_provider": Tokens()}
    assert callable(configuration("client", _SASL | mechanism)["oauth_cb"])


def test_when_a_token_ends() -> None:
    """A JWT contains its expiry; other tokens are soon requested again."""
    claims = base64.urlsafe_b64encode(json.dumps({"exp": 12345}).encode()).decode().rstrip("=")
    assert expiry_of(f"header.{claims}.signature") == 12345
    for other in ("opaque", "a.b.c", "a.e30.c"):
        assert expiry_of(other) > 1_000_000_000


def test_librdkafka_knows_every_property() -> None:
    """librdkafka has every property in the table, and accepts extreme values, also together."""
    for client, kind in (("producer", Producer), ("consumer", Consumer)):
        for extreme in (0, 10**12):
            keywords: dict[str, Any] = {
                keyword.name: extreme
                for keyword in KEYWORDS
                if client in keyword.clients and keyword.unit and keyword.properties
            }
            keywords |= {"transactional_id": "t", "group_id": "g"}
            conf = configuration(client, keywords)
            with kind(conf):
                pass


@pytest.mark.parametrize(
    ("client", "keywords", "words"),
    [
        ("producer", {"acks": 5}, "Invalid ACKS parameter: acks must be"),
        ("producer", {"acks": None}, "Invalid ACKS parameter: acks must be"),
        ("producer", {"compression_type": "zip"}, "Invalid compression type!: compression_type"),
        ("consumer", {"isolation_level": "x"}, "Incorrect isolation level x: isolation_level"),
        ("client", {"security_protocol": "TLS"}, "`security_protocol` should be SSL or PLAINTEXT:"),
        ("admin", {"security_protocol": "SSL"}, "`ssl_context` is mandatory if security_protocol"),
        (
            "client",
            _SASL | {"sasl_plain_username": None, "sasl_plain_password": None},
            "sasl_plain_username and sasl_plain_password required for PLAIN sasl: ",
        ),
        ("client", _SASL | {"sasl_mechanism": "X"}, "only `PLAIN`, `GSSAPI`, `SCRAM-SHA-256`, "),
    ],
)
def test_errors_begin_with_the_words_of_aiokafka(
    client: str, keywords: dict[str, Any], words: str
) -> None:
    """Errors begin with aiokafka's words, because applications match them.

    The allowed values follow.
    """
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        configuration(client, keywords)
    assert str(raised.value).startswith(words)


@pytest.mark.parametrize(
    ("client", "name", "warns"),
    [
        (AIOKafkaProducer, "loop", True),
        (AIOKafkaConsumer, "loop", True),
        (AIOKafkaClient, "loop", False),
        (AIOKafkaAdminClient, "loop", False),
        (AIOKafkaProducer, "api_version", True),
        (AIOKafkaConsumer, "api_version", True),
        (AIOKafkaClient, "api_version", True),
        (AIOKafkaAdminClient, "api_version", True),
    ],
)
def test_keywords_that_are_deprecated(client: Any, name: str, warns: bool) -> None:
    """As in aiokafka, each deprecated keyword warns once, at the line that creates the client."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        client(**{name: "auto"})
    assert [one.filename for one in seen] == [__file__] * warns
    assert all(f"`{name}` parameter has been deprecated" in str(one.message) for one in seen)


def test_a_token_may_come_from_a_future() -> None:
    """The client awaits the result of a provider's token(), whatever kind of awaitable it is."""

    class Later(AbstractTokenProvider):
        def token(self) -> asyncio.Future[str]:  # type: ignore[override]
            future = asyncio.get_running_loop().create_future()
            future.set_result("a.b.c")
            return future

    token, _, _, extensions = asyncio.run(oauth_callback(Later())(""))
    assert (token, extensions) == ("a.b.c", {})


@pytest.mark.parametrize(
    ("text", "version"), [("2.0", (2, 0, 0)), ("0.10.2", (0, 10, 2)), ("1", None), ("auto", None)]
)
def test_a_version_of_kafka(text: str, version: tuple[int, int, int] | None) -> None:
    """A version of Kafka is two or three numbers."""
    if version is None:
        with pytest.raises(ValueError, match=text):
            parse_kafka_version(text)
    else:
        assert parse_kafka_version(text) == version
