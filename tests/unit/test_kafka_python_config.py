"""Converts kafka-python's keywords into librdkafka's configuration."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Consumer, Producer
from confluent_kafka.compat.kafka import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    _versions,
    errors,
)
from confluent_kafka.compat.kafka._config import KEYWORDS, configuration, of_client
from confluent_kafka.compat.kafka.coordinator.assignors.abstract import RebalanceProtocol
from confluent_kafka.compat.kafka.coordinator.assignors.cooperative_sticky import (
    CooperativeStickyAssignor,
)
from confluent_kafka.compat.kafka.coordinator.assignors.range import RangePartitionAssignor
from confluent_kafka.compat.kafka.coordinator.assignors.roundrobin import (
    RoundRobinPartitionAssignor,
)
from confluent_kafka.compat.kafka.coordinator.assignors.sticky.sticky_assignor import (
    StickyPartitionAssignor,
)
from confluent_kafka.compat.kafka.net.sasl.oauth import AbstractTokenProvider

ROOT = Path(__file__).parents[2]
CLIENTS: dict[str, Any] = {
    "producer": KafkaProducer,
    "consumer": KafkaConsumer,
    "admin": KafkaAdminClient,
}
_SASL = {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN"}
_NO_DELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
_KEEP_ALIVE = (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)


class Tokens(AbstractTokenProvider):
    """A token provider that always returns the same token."""

    def token(self) -> str:
        return "a.b.c"


def configured(client: str, **keywords: Any) -> dict[str, Any]:
    return configuration(client, CLIENTS[client].DEFAULT_CONFIG | keywords)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_table_has_each_keyword_of_a_client_once(client: str) -> None:
    """Each keyword of a client is in the table once, with its meaning for librdkafka."""
    names = [keyword.name for keyword in of_client(client)]
    assert sorted(names) == sorted(CLIENTS[client].DEFAULT_CONFIG)
    assert all(keyword.note for keyword in KEYWORDS if keyword.has_no_effect)


@pytest.mark.parametrize(
    ("keywords", "wanted"),
    [
        ({"bootstrap_servers": ["a:1", "b:2"]}, {"bootstrap.servers": "a:1,b:2"}),
        ({"connections_max_idle_ms": None}, {"connections.max.idle.ms": 0}),
        ({"request_timeout_ms": 5000}, {"request.timeout.ms": 5000}),
        ({"retries": float("inf")}, {"message.send.max.retries": 2**31 - 1}),
        ({"linger_ms": 5.9}, {"linger.ms": 5}),
        ({"acks": "all"}, {"acks": -1}),
        ({"socket_options": [_NO_DELAY]}, {"socket.nagle.disable": True}),
        ({"socket_options": [_KEEP_ALIVE]}, {"socket.keepalive.enable": True}),
        ({"linger_ms": 5, "properties": {"linger.ms": 7}}, {"linger.ms": 7}),
        (
            _SASL | {"sasl_plain_username": "u", "sasl_plain_password": "p"},
            {"sasl.mechanism": "PLAIN", "sasl.username": "u", "sasl.password": "p"},
        ),
        (
            {"security_protocol": "SSL", "ssl_cafile": "a", "ssl_certfile": "c"},
            {
                "ssl.ca.location": "a",
                "ssl.certificate.location": "c",
                "ssl.key.location": "c",
                "ssl.endpoint.identification.algorithm": "https",
            },
        ),
        (
            {"security_protocol": "SSL", "ssl_check_hostname": False, "ssl_ciphers": "X"},
            {"ssl.endpoint.identification.algorithm": "none", "ssl.cipher.suites": "X"},
        ),
    ],
)
def test_what_keywords_become(keywords: dict[str, Any], wanted: dict[str, Any]) -> None:
    """A keyword of any client becomes its property, in the unit of the property."""
    conf = configured("producer", **keywords)
    assert {name: conf.get(name) for name in wanted} == wanted


@pytest.mark.parametrize(
    ("keywords", "wanted"),
    [
        ({"request_timeout_ms": 5000}, {"socket.timeout.ms": 5000}),
        ({"auto_offset_reset": "earliest"}, {"auto.offset.reset": "earliest"}),
        ({"auto_offset_reset": "none"}, {"auto.offset.reset": "error"}),
        ({"client_rack": "r"}, {"client.rack": "r"}),
        (
            {"partition_assignment_strategy": [RoundRobinPartitionAssignor]},
            {"partition.assignment.strategy": "roundrobin"},
        ),
        (
            {"partition_assignment_strategy": [CooperativeStickyAssignor]},
            {"partition.assignment.strategy": "cooperative-sticky"},
        ),
        ({"enable_auto_commit": 0}, {"enable.auto.commit": False}),
    ],
)
def test_what_a_consumers_keywords_become(keywords: dict[str, Any], wanted: dict[str, Any]) -> None:
    """A keyword of a consumer becomes its property, in the unit of the property."""
    conf = configured("consumer", **keywords)
    assert {name: conf.get(name) for name in wanted} == wanted


def test_credentials_are_only_where_they_are_used() -> None:
    """Credentials are passed on only if the protocol needs them, as in kafka-python."""
    conf = configured("producer", sasl_plain_username="u", ssl_cafile="a", sasl_mechanism="PLAIN")
    assert not any(name.startswith(("sasl.", "ssl.")) for name in conf)


@pytest.mark.parametrize(
    ("keywords", "kind", "says"),
    [
        ({"acks": 5}, ValueError, "acks must be 0, 1, -1 or 'all', not 5"),
        ({"linger_ms": "5"}, TypeError, "linger_ms must be a number, not str"),
        ({"compression_type": "zip"}, ValueError, "compression_type must be one of 'gzip', "),
        ({"security_protocol": "TLS"}, ValueError, "security_protocol must be one of "),
        ({"socks5_proxy": "socks5://x"}, ValueError, "socks5_proxy is not supported: "),
        ({"proxy_url": "http://x"}, ValueError, "proxy_url is not supported: "),
        ({"metric_reporters": [object]}, ValueError, "metric_reporters is not supported: "),
        ({"kafka_client": object}, ValueError, "kafka_client is not supported: "),
        ({"socket_options": [(1, 99, 1)]}, ValueError, "socket_options is not supported: "),
        ({"sasl_kerberos_name": "n"}, ValueError, "sasl_kerberos_name is not supported: "),
        ({"allow_auto_create_topics": False}, ValueError, "allow_auto_create_topics is not "),
        (_SASL, ValueError, "sasl_plain_username and sasl_plain_password are needed with PLAIN"),
        (_SASL | {"sasl_mechanism": "X"}, ValueError, "sasl_mechanism must be one of 'PLAIN', "),
        (
            _SASL | {"sasl_mechanism": "OAUTHBEARER", "sasl_oauth_token_provider": 3},
            TypeError,
            "sasl_oauth_token_provider must be an AbstractTokenProvider, not int",
        ),
    ],
)
def test_what_is_refused(keywords: dict[str, Any], kind: type[Exception], says: str) -> None:
    """An error names the keyword, the allowed values and the given value."""
    with pytest.raises(kind, match=re.escape(says)):
        configured("producer", **keywords)


@pytest.mark.parametrize(
    ("keywords", "kind", "says"),
    [
        ({"foo": 1, "bar": 2}, ValueError, "Unrecognized configs: bar, foo"),
        ({"acks": 1, "enable_idempotence": True}, None, "incompatible with user-provided acks=1"),
        ({"retries": 0, "enable_idempotence": True}, None, "user-provided retries=0"),
        (
            {
                "acks": 0,
                "retries": 0,
                "max_in_flight_requests_per_connection": 6,
                "transactional_id": "t",
            },
            None,
            "acks=0, retries=0, max_in_flight_requests_per_connection=6",
        ),
        ({"transactional_id": "t", "enable_idempotence": False}, None, "transactional_id"),
        ({"api_version": (0, 10), "enable_idempotence": True}, None, "api_version=(0, 10, 0)"),
        ({"api_version": "0.10.2", "transactional_id": "t"}, AssertionError, ">= 0.11"),
        ({"api_version": (2, 0), "compression_type": "zstd"}, ValueError, ">= Kafka 2.1"),
        ({"api_version": (0, 8, 1), "compression_type": "lz4"}, AssertionError, "0.8.2"),
        ({"api_version": [2, 5]}, None, "api_version must be tuple"),
        ({"api_version": (0, 7)}, errors.UnrecognizedBrokerVersion, "(0, 7)"),
        ({"api_version": ()}, errors.UnrecognizedBrokerVersion, "()"),
        ({"linger_ms": 100_000}, None, "delivery_timeout_ms"),
        ({"connections_max_idle_ms": 1000}, None, "must be larger than request_timeout_ms"),
    ],
)
def test_what_a_producer_refuses(
    keywords: dict[str, Any], kind: type[Exception] | None, says: str
) -> None:
    """Keywords that contradict each other are refused as kafka-python does, before connecting."""
    with pytest.raises(kind or errors.KafkaConfigurationError, match=re.escape(says)):
        KafkaProducer(**keywords)


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"foo": 1}, "Unrecognized configs: foo"),
        (
            {"request_timeout_ms": 100},
            "(100) must be larger than fetch_max_wait",
        ),
        ({"connections_max_idle_ms": 1000}, "must be larger than request_timeout_ms"),
        ({"group_id": "g", "heartbeat_interval_ms": 50_000}, "must be larger than heartbeat_"),
    ],
)
def test_what_a_consumer_refuses(keywords: dict[str, Any], says: str) -> None:
    """Keywords that contradict each other are refused as kafka-python does, before connecting."""
    with pytest.raises(errors.KafkaConfigurationError, match=re.escape(says)):
        KafkaConsumer(**keywords)


@pytest.mark.parametrize("strategy", [(StickyPartitionAssignor,), (object(),), ()])
def test_assignors_that_librdkafka_does_not_have(strategy: Any) -> None:
    """Assignors that librdkafka does not have are refused, and the error names alternatives."""
    with pytest.raises(ValueError, match="partition_assignment_strategy"):
        configured("consumer", partition_assignment_strategy=strategy)


def test_assignors_are_names() -> None:
    """Methods of assignors raise NotImplementedError, because librdkafka assigns partitions."""
    for kind in (RangePartitionAssignor, CooperativeStickyAssignor):
        assignor = kind()
        for call in (lambda a=assignor: a.assign(None, {}), lambda a=assignor: a.metadata([])):
            with pytest.raises(NotImplementedError, match="is a name"):
                call()
        assignor.on_assignment(None, 1)
    with pytest.raises(NotImplementedError, match="is a name"):
        StickyPartitionAssignor.parse_member_metadata(None)
    assert RebalanceProtocol.COOPERATIVE in CooperativeStickyAssignor().supported_protocols()
    assert RangePartitionAssignor().supported_protocols() == [RebalanceProtocol.EAGER]


def test_the_documentation_has_what_is_not_used() -> None:
    """The page about moving names each keyword that has no effect, or is refused."""
    page = (ROOT / "docs" / "coming-from" / "kafka-python.md").read_text()
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
    token, _, principal, extensions = configured("producer", **_SASL | mechanism)["oauth_cb"]("")
    assert (token, principal, extensions) == ("a.b.c", "", {})


@pytest.mark.parametrize("extreme", [0, 10**12])
@pytest.mark.parametrize(("client", "kind"), [("producer", Producer), ("consumer", Consumer)])
def test_librdkafka_knows_every_property(client: str, kind: Any, extreme: int) -> None:
    """librdkafka has every property in the table, and accepts extreme values, also together."""
    keywords: dict[str, Any] = {
        keyword.name: extreme
        for keyword in of_client(client)
        if keyword.unit and keyword.properties
    }
    keywords |= {"transactional_id": "t", "group_id": "g"}
    with kind(configured(client, **keywords)):
        pass


@pytest.mark.parametrize(
    ("given", "version"),
    [
        (None, None),
        ("auto", None),
        ((2, 5), (2, 5)),
        ((2, 5, 1), (2, 5)),
        ("2.5.1", (2, 5)),
        ("1", (1, 0)),
        ((0, 10), (0, 10, 0)),
        ((0, 11, 1), (0, 11)),
        ((1, 2), (1, 1)),
        ((9, 9), (4, 3)),
    ],
)
def test_versions(given: Any, version: Any) -> None:
    """A given version is rounded down to the newest known version, as in kafka-python."""
    assert _versions.given(given) == version


@pytest.mark.parametrize(
    ("requests", "version"),
    [
        ({}, (0, 8, 0)),
        ({3: (0, 1)}, (0, 10, 0)),
        ({3: (0, 5), 9: (0, 3)}, (1, 0)),
        ({0: (3, 12), 1: (4, 17), 3: (0, 13)}, (4, 0)),
        ({0: (3, 13), 1: (4, 18), 78: (1, 2), 35: (1, 5)}, (4, 3)),
    ],
)
def test_the_version_of_a_broker(requests: dict[int, tuple[int, int]], version: Any) -> None:
    """The broker's version follows from the newest request that the broker supports."""
    assert _versions.of_broker(requests) == version
