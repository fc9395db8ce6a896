"""kafka-python's keywords, with the librdkafka property or the effect of each.

The defaults of each client are in its class's ``DEFAULT_CONFIG``.
"""

from __future__ import annotations

import math
import socket
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._common.keywords import (
    LONGEST,
    Keyword,
    acks,
    assignors,
    boolean,
    converted,
    none_or,
    number,
    one_of,
    reconcile,
    text,
)
from .._common.sasl import PROTOCOLS, sasl_properties
from .._common.shared_keywords import SHARED
from .._common.tls import tls_properties
from ._tokens import oauth_callback
from .coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from .coordinator.assignors.range import RangePartitionAssignor
from .coordinator.assignors.roundrobin import RoundRobinPartitionAssignor

__version__ = "3.0.12"
"""The version of kafka-python whose names, keywords and defaults this package has."""

_PRODUCER = frozenset({"producer"})
_CONSUMER = frozenset({"consumer"})
_PRODUCER_OR_CONSUMER = _PRODUCER | _CONSUMER

_LOOKUPS = ("use_all_dns_ips", "resolve_canonical_bootstrap_servers_only")
_COMPRESSIONS = ("gzip", "snappy", "lz4", "zstd")
_ASSIGNORS = (RangePartitionAssignor, RoundRobinPartitionAssignor, CooperativeStickyAssignor)
_RESETS = ("earliest", "latest")
_INSTEAD = (
    "leave ssl_context out, and pass ssl_certfile= and ssl_keyfile=",
    "leave ssl_context out, and pass ssl_crlfile=",
)


def _reset(value: Any) -> str:
    """Convert ``auto_offset_reset``. As in Kafka, any unknown value means "error"."""
    return str(value) if value in _RESETS else "error"


def _not_given(instead: str, harmless: Callable[[Any], bool]) -> Callable[[Any], None]:
    def convert(value: Any) -> None:
        if not harmless(value):
            raise ValueError(f"is not supported: {instead}")

    return convert


def _is_none(value: Any) -> bool:
    return value is None


def _is_empty(value: Any) -> bool:
    return not value


def _only_nodelay_and_keepalive(value: Any) -> bool:
    return all(tuple(option[:2]) in _SOCKET_PROPERTIES for option in value or ())


_SOCKET_PROPERTIES = {
    (socket.IPPROTO_TCP, socket.TCP_NODELAY): "socket.nagle.disable",
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE): "socket.keepalive.enable",
}
_NO_PROXY = _not_given(
    "librdkafka connects to brokers directly; run a TCP forwarder that uses the proxy",
    _is_none,
)

KEYWORDS = (
    *SHARED,
    Keyword("bootstrap_timeout_ms", unit="ms", kept="the constructor, which connects"),
    Keyword("client_dns_lookup", ("client.dns.lookup",), one_of(*_LOOKUPS)),
    Keyword(
        "request_timeout_ms",
        ("request.timeout.ms",),
        number(1000, 300_000),
        "ms",
        _PRODUCER,
    ),
    Keyword(
        "request_timeout_ms",
        ("socket.timeout.ms",),
        number(1000, 300_000),
        "ms",
        frozenset({"consumer", "admin"}),
    ),
    Keyword("retry_backoff_ms", ("retry.backoff.ms",), number(1, 300_000), "ms"),
    Keyword("reconnect_backoff_ms", ("reconnect.backoff.ms",), number(0, 3_600_000), "ms"),
    Keyword("reconnect_backoff_max_ms", ("reconnect.backoff.max.ms",), number(0, 3_600_000), "ms"),
    Keyword(
        "max_in_flight_requests_per_connection",
        ("max.in.flight.requests.per.connection",),
        number(1, 1_000_000),
    ),
    Keyword(
        "receive_message_max_bytes",
        ("receive.message.max.bytes",),
        number(1000, LONGEST),
        "bytes",
    ),
    Keyword(
        "receive_buffer_bytes",
        ("socket.receive.buffer.bytes",),
        none_or(number(0, 100_000_000)),
        "bytes",
    ),
    Keyword(
        "send_buffer_bytes",
        ("socket.send.buffer.bytes",),
        none_or(number(0, 100_000_000)),
        "bytes",
    ),
    Keyword(
        "socket_options",
        kept="TCP_NODELAY: socket.nagle.disable, SO_KEEPALIVE: socket.keepalive.enable",
        convert=_not_given(
            "librdkafka has TCP_NODELAY and SO_KEEPALIVE, receive_buffer_bytes and "
            "send_buffer_bytes",
            _only_nodelay_and_keepalive,
        ),
    ),
    Keyword("proxy_url", kept="refused unless None", convert=_NO_PROXY),
    Keyword("socks5_proxy", kept="refused unless None", convert=_NO_PROXY),
    Keyword(
        "api_version",
        kept="the constructor does not connect if it is given; idempotence needs 0.11",
    ),
    Keyword("selector", note="librdkafka's threads wait for the connections"),
    Keyword(
        "kafka_client",
        kept="refused unless left out",
        convert=_not_given("librdkafka is the client", _is_none),
    ),
    Keyword(
        "metric_reporters",
        kept="refused unless empty",
        convert=_not_given("call metrics(), which has librdkafka's statistics", _is_empty),
    ),
    Keyword("metrics_num_samples", note="librdkafka's statistics have their own windows"),
    Keyword("metrics_sample_window_ms", unit="ms", note="as metrics_num_samples"),
    Keyword("metrics_enabled", kept="metrics()", clients=_PRODUCER_OR_CONSUMER),
    Keyword("metric_group_prefix", kept="metrics()", clients=_CONSUMER),
    Keyword("security_protocol", ("security.protocol",), one_of(*PROTOCOLS)),
    Keyword("ssl_context", kept="security: ssl.ca.*, ssl.certificate.*, ssl.key.* and others"),
    Keyword("ssl_check_hostname", kept="security: ssl.endpoint.identification.algorithm"),
    Keyword("ssl_cafile", kept="security: ssl.ca.location"),
    Keyword("ssl_certfile", kept="security: ssl.certificate.location"),
    Keyword("ssl_keyfile", kept="security: ssl.key.location"),
    Keyword("ssl_password", kept="security: ssl.key.password"),
    Keyword("ssl_crlfile", kept="security: ssl.crl.location"),
    Keyword("ssl_ciphers", kept="security: ssl.cipher.suites", clients=_PRODUCER_OR_CONSUMER),
    Keyword("sasl_mechanism", kept="security: sasl.mechanism"),
    Keyword("sasl_plain_username", kept="security: sasl.username"),
    Keyword("sasl_plain_password", kept="security: sasl.password"),
    Keyword(
        "sasl_kerberos_name",
        kept="refused unless None",
        convert=_not_given(
            "librdkafka takes properties={'sasl.kerberos.principal': ..., "
            "'sasl.kerberos.keytab': ...}",
            _is_none,
        ),
    ),
    Keyword("sasl_kerberos_service_name", kept="security: sasl.kerberos.service.name"),
    Keyword("sasl_oauth_token_provider", kept="security: oauth_cb"),
    Keyword("acks", ("acks",), acks, clients=_PRODUCER),
    Keyword(
        "allow_auto_create_topics",
        kept="refused unless True",
        convert=_not_given(
            "a producer of librdkafka lets brokers create topics; forbid it there "
            "(auto.create.topics.enable=false)",
            bool,
        ),
        clients=_PRODUCER,
    ),
    Keyword("batch_size", ("batch.size",), number(1, LONGEST), "bytes", _PRODUCER),
    Keyword(
        "compression_type",
        ("compression.type",),
        none_or(one_of(*_COMPRESSIONS)),
        clients=_PRODUCER,
    ),
    Keyword("delivery_timeout_ms", ("message.timeout.ms",), number(1, LONGEST), "ms", _PRODUCER),
    Keyword("enable_idempotence", ("enable.idempotence",), none_or(boolean), clients=_PRODUCER),
    Keyword("max_block_ms", kept="the producer", unit="ms", clients=_PRODUCER),
    Keyword("retries", ("message.send.max.retries",), number(0, LONGEST), clients=_PRODUCER),
    Keyword("allow_auto_create_topics", ("allow.auto.create.topics",), boolean, clients=_CONSUMER),
    Keyword(
        "enable_incremental_fetch_sessions",
        clients=_CONSUMER,
        note="librdkafka's fetches name every partition",
    ),
    Keyword("auto_offset_reset", ("auto.offset.reset",), _reset, clients=_CONSUMER),
    Keyword("enable_auto_commit", ("enable.auto.commit",), bool, clients=_CONSUMER),
    Keyword("default_offset_commit_callback", kept="the consumer", clients=_CONSUMER),
    Keyword("check_crcs", ("check.crcs",), bool, clients=_CONSUMER),
    Keyword("isolation_level", kept="the consumer: isolation.level", clients=_CONSUMER),
    Keyword(
        "partition_assignment_strategy",
        ("partition.assignment.strategy",),
        assignors(_ASSIGNORS),
        clients=_CONSUMER,
    ),
    Keyword("consumer_timeout_ms", kept="the consumer", unit="ms", clients=_CONSUMER),
    Keyword("client_rack", ("client.rack",), text, clients=_CONSUMER),
    Keyword(
        "properties",
        kept="librdkafka, unchanged; they take precedence",
        note="not in kafka-python: librdkafka properties that no keyword stands for",
    ),
)

COMMON_DEFAULTS: dict[str, Any] = {
    "bootstrap_servers": "localhost",
    "bootstrap_timeout_ms": 30000,
    "client_dns_lookup": "use_all_dns_ips",
    "client_id": f"kafka-python-{__version__}",
    "connections_max_idle_ms": 9 * 60 * 1000,
    "kafka_client": None,
    "max_in_flight_requests_per_connection": 5,
    "metadata_max_age_ms": 300000,
    "metric_reporters": [],
    "metrics_num_samples": 2,
    "metrics_sample_window_ms": 30000,
    "properties": {},
    "proxy_url": None,
    "receive_buffer_bytes": None,
    "receive_message_max_bytes": 100_000_000,
    "reconnect_backoff_max_ms": 30000,
    "reconnect_backoff_ms": 50,
    "request_timeout_ms": 30000,
    "retry_backoff_ms": 100,
    "sasl_kerberos_domain_name": None,
    "sasl_kerberos_name": None,
    "sasl_kerberos_service_name": "kafka",
    "sasl_mechanism": None,
    "sasl_oauth_token_provider": None,
    "sasl_plain_password": None,
    "sasl_plain_username": None,
    "security_protocol": "PLAINTEXT",
    "selector": None,
    "send_buffer_bytes": None,
    "socket_options": [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
    "socks5_proxy": None,
    "ssl_cafile": None,
    "ssl_certfile": None,
    "ssl_check_hostname": True,
    "ssl_context": None,
    "ssl_crlfile": None,
    "ssl_keyfile": None,
    "ssl_password": None,
    "api_version": None,
}
"""The keywords that every client has."""


def of_client(client: str) -> Iterator[Keyword]:
    """Return the keywords of a client."""
    return (keyword for keyword in KEYWORDS if client in keyword.clients)


def configuration(client: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return librdkafka's configuration of a client.

    Args:
        client: "producer", "consumer" or "admin".
        keywords: all keywords of the client, with their values.

    Raises:
        ValueError, TypeError: a keyword's value is wrong; the text names it and what is allowed.
    """
    conf = converted(of_client(client), keywords)
    conf.update(_socket_properties(keywords["socket_options"]))
    reconcile(conf)
    protocol = keywords["security_protocol"]
    if protocol.endswith("SSL"):
        conf.update(_tls(keywords))
    if protocol.startswith("SASL"):
        conf.update(sasl_properties(keywords, oauth_callback))
    conf.update(keywords["properties"] or {})
    return conf


def seconds_of(milliseconds: float | None) -> float:
    """Return a timeout for the blocking clients: in seconds, -1 for no limit."""
    if milliseconds is None or math.isinf(milliseconds):
        return -1.0
    return milliseconds / 1000


def _socket_properties(options: Any) -> dict[str, bool]:
    given = {tuple(option[:2]): bool(option[2]) for option in options or ()}
    return {_SOCKET_PROPERTIES[option]: given[option] for option in given}


def _tls(keywords: Mapping[str, Any]) -> dict[str, Any]:
    if keywords["ssl_context"] is not None:
        return tls_properties(keywords["ssl_context"], *_INSTEAD)
    check = "https" if keywords["ssl_check_hostname"] else "none"
    conf: dict[str, Any] = {"ssl.endpoint.identification.algorithm": check}
    for keyword, name in _TLS_PROPERTIES.items():
        if keywords.get(keyword) is not None:
            conf[name] = keywords[keyword]
    if "ssl.certificate.location" in conf:
        conf.setdefault("ssl.key.location", conf["ssl.certificate.location"])
    return conf


_TLS_PROPERTIES = {
    "ssl_cafile": "ssl.ca.location",
    "ssl_certfile": "ssl.certificate.location",
    "ssl_keyfile": "ssl.key.location",
    "ssl_password": "ssl.key.password",
    "ssl_crlfile": "ssl.crl.location",
    "ssl_ciphers": "ssl.cipher.suites",
}
