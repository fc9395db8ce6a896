"""aiokafka's keywords: which librdkafka property each becomes, or what happens with it instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._common.keywords import (
    EVERY,
    LONGEST,
    Keyword,
    acks,
    assignors,
    boolean,
    converted,
    no_domain,
    none_or,
    number,
    one_of,
    reconcile,
    servers,
    text,
)
from .._common.sasl import PROTOCOLS, sasl_properties
from .._common.tls import tls_properties
from ._tokens import oauth_callback
from .coordinator.assignors.range import RangePartitionAssignor
from .coordinator.assignors.roundrobin import RoundRobinPartitionAssignor

__version__ = "0.14.0"
"""The version of aiokafka whose names, keywords and defaults these are."""

_PRODUCER = frozenset({"producer"})
_CONSUMER = frozenset({"consumer"})

_COMPRESSIONS = ("gzip", "snappy", "lz4", "zstd")
_ASSIGNORS = (RangePartitionAssignor, RoundRobinPartitionAssignor)
_INSTEAD = (
    "make the context with aiokafka.helpers.create_ssl_context(certfile=..., keyfile=...)",
    "make the context with create_ssl_context(crlfile=...)",
)
_RESETS = {"earliest": "earliest", "latest": "latest", "none": "error"}


def _reset(value: Any) -> str:
    if value not in _RESETS:
        raise ValueError(f"must be one of {', '.join(map(repr, _RESETS))}, not {value!r}")
    return _RESETS[value]


KEYWORDS = (
    Keyword("bootstrap_servers", ("bootstrap.servers",), servers),
    Keyword("client_id", ("client.id",), none_or(text)),
    Keyword(
        "metadata_max_age_ms",
        ("metadata.max.age.ms", "topic.metadata.refresh.interval.ms"),
        number(1, 3_600_000),
        "ms",
    ),
    Keyword(
        "request_timeout_ms",
        ("request.timeout.ms", "message.timeout.ms"),
        number(1, 900_000),
        "ms",
        _PRODUCER,
        note="a message that is not delivered within it fails with KafkaTimeoutError; of the "
        "requests that the client itself sends, it bounds start() and metadata",
    ),
    Keyword(
        "request_timeout_ms",
        ("socket.timeout.ms",),
        number(1000, 300_000),
        "ms",
        EVERY - _PRODUCER,
    ),
    Keyword(
        "retry_backoff_ms",
        ("retry.backoff.ms", "reconnect.backoff.ms"),
        number(1, 300_000),
        "ms",
    ),
    Keyword(
        "connections_max_idle_ms",
        ("connections.max.idle.ms",),
        none_or(number(0, LONGEST), 0),
        "ms",
    ),
    Keyword("api_version", note="librdkafka asks each broker for its versions"),
    Keyword("loop", note="a client belongs to the loop that start() runs in"),
    Keyword("security_protocol", ("security.protocol",), one_of(*PROTOCOLS)),
    Keyword("ssl_context", kept="security(): ssl.ca.*, ssl.certificate.*, ssl.key.* and others"),
    Keyword("sasl_mechanism", kept="security(): sasl.mechanism"),
    Keyword("sasl_plain_username", kept="security(): sasl.username"),
    Keyword("sasl_plain_password", kept="security(): sasl.password"),
    Keyword("sasl_kerberos_service_name", kept="security(): sasl.kerberos.service.name"),
    Keyword("sasl_kerberos_domain_name", kept="refused unless None", convert=no_domain),
    Keyword("sasl_oauth_token_provider", kept="security(): oauth_cb"),
    Keyword("acks", ("acks",), none_or(acks), clients=_PRODUCER),
    Keyword("key_serializer", kept="the producer", clients=_PRODUCER),
    Keyword("value_serializer", kept="the producer", clients=_PRODUCER),
    Keyword(
        "compression_type",
        ("compression.type",),
        none_or(one_of(*_COMPRESSIONS)),
        clients=_PRODUCER,
    ),
    Keyword("max_batch_size", ("batch.size",), number(1, LONGEST), "bytes", _PRODUCER),
    Keyword("partitioner", kept="the producer", clients=_PRODUCER),
    Keyword("max_request_size", ("message.max.bytes",), number(1000, 10**9), "bytes", _PRODUCER),
    Keyword("linger_ms", ("linger.ms",), number(0, 900_000), "ms", _PRODUCER),
    Keyword("send_backoff_ms", clients=_PRODUCER, note="retry_backoff_ms says it all"),
    Keyword("enable_idempotence", ("enable.idempotence",), boolean, clients=_PRODUCER),
    Keyword("transactional_id", ("transactional.id",), none_or(text), clients=_PRODUCER),
    Keyword(
        "transaction_timeout_ms",
        ("transaction.timeout.ms",),
        number(1000, LONGEST),
        "ms",
        _PRODUCER,
    ),
    Keyword("group_id", ("group.id",), none_or(text), clients=_CONSUMER),
    Keyword("group_instance_id", ("group.instance.id",), none_or(text), clients=_CONSUMER),
    Keyword("key_deserializer", kept="the consumer", clients=_CONSUMER),
    Keyword("value_deserializer", kept="the consumer", clients=_CONSUMER),
    Keyword("fetch_max_wait_ms", ("fetch.wait.max.ms",), number(0, 299_000), "ms", _CONSUMER),
    Keyword(
        "fetch_max_bytes", ("fetch.max.bytes",), number(1000, LONGEST - 512), "bytes", _CONSUMER
    ),
    Keyword("fetch_min_bytes", ("fetch.min.bytes",), number(1, 10**8), "bytes", _CONSUMER),
    Keyword(
        "max_partition_fetch_bytes",
        ("max.partition.fetch.bytes",),
        number(1, 10**9),
        "bytes",
        _CONSUMER,
    ),
    Keyword("auto_offset_reset", ("auto.offset.reset",), _reset, clients=_CONSUMER),
    Keyword("enable_auto_commit", ("enable.auto.commit",), boolean, clients=_CONSUMER),
    Keyword(
        "auto_commit_interval_ms",
        ("auto.commit.interval.ms",),
        number(1, 86_400_000),
        "ms",
        _CONSUMER,
    ),
    Keyword("check_crcs", ("check.crcs",), boolean, clients=_CONSUMER),
    Keyword(
        "partition_assignment_strategy",
        ("partition.assignment.strategy",),
        assignors(_ASSIGNORS),
        clients=_CONSUMER,
    ),
    Keyword(
        "max_poll_interval_ms",
        ("max.poll.interval.ms",),
        number(1, 86_400_000),
        "ms",
        _CONSUMER,
    ),
    Keyword(
        "rebalance_timeout_ms",
        unit="ms",
        clients=_CONSUMER,
        note="members have max_poll_interval_ms to join again",
    ),
    Keyword("session_timeout_ms", ("session.timeout.ms",), number(1, 3_600_000), "ms", _CONSUMER),
    Keyword(
        "heartbeat_interval_ms",
        ("heartbeat.interval.ms",),
        number(1, 3_600_000),
        "ms",
        _CONSUMER,
    ),
    Keyword(
        "consumer_timeout_ms",
        unit="ms",
        clients=_CONSUMER,
        note="nothing in the consumer polls at intervals",
    ),
    Keyword("max_poll_records", kept="the consumer", clients=_CONSUMER),
    Keyword("exclude_internal_topics", kept="the consumer", clients=_CONSUMER),
    Keyword(
        "isolation_level",
        ("isolation.level",),
        one_of("read_uncommitted", "read_committed"),
        clients=_CONSUMER,
    ),
    Keyword("client_rack", ("client.rack",), none_or(text), clients=_CONSUMER),
    Keyword(
        "properties",
        kept="librdkafka, as they are; they come last",
        note="not in aiokafka: librdkafka properties that no keyword stands for",
    ),
)


# Milliseconds: what Kafka's own clients have for reconnect.backoff.max.ms.
_RECONNECT_MAX = 1000


def configuration(client: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return librdkafka's configuration of a client.

    Args:
        client: "producer", "consumer", "admin" or "client".
        keywords: those that the client was made with, all of them.

    Raises:
        ValueError, TypeError: a keyword's value is wrong; the text names it and what is allowed.
    """
    conf = converted(of_client(client), keywords)
    if (backoff := conf.get("reconnect.backoff.ms")) is not None:
        # With librdkafka's own limit of 10 s, what is sent when a broker is back could fail.
        conf["reconnect.backoff.max.ms"] = max(backoff, _RECONNECT_MAX)
    reconcile(conf)
    conf.update(_security(keywords))
    conf.update(keywords.get("properties") or {})
    return conf


def of_client(client: str) -> Iterator[Keyword]:
    """Return the keywords of a client."""
    return (keyword for keyword in KEYWORDS if client in keyword.clients)


def _security(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that depend on ``security_protocol`` and ``sasl_mechanism``."""
    protocol = keywords.get("security_protocol", "PLAINTEXT")
    conf: dict[str, Any] = {}
    if protocol.endswith("SSL"):
        context = keywords.get("ssl_context")
        if context is None:
            if not any(str(name).startswith("ssl.") for name in keywords.get("properties") or {}):
                raise ValueError(f"ssl_context is needed with security_protocol={protocol!r}")
        else:
            conf.update(tls_properties(context, *_INSTEAD))
    if protocol.startswith("SASL"):
        conf.update(sasl_properties(keywords, oauth_callback))
    return conf
