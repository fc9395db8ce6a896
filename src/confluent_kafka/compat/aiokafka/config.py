"""aiokafka's keywords, with the librdkafka property or the effect of each."""

from __future__ import annotations

import warnings
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
from .coordinator.assignors.range import RangePartitionAssignor
from .coordinator.assignors.roundrobin import RoundRobinPartitionAssignor

__version__ = "0.14.0"
"""The version of aiokafka whose names, keywords and defaults this package has."""

_PRODUCER = frozenset({"producer"})
_CONSUMER = frozenset({"consumer"})

_COMPRESSIONS = ("gzip", "snappy", "lz4", "zstd")
_ASSIGNORS = (RangePartitionAssignor, RoundRobinPartitionAssignor)
_INSTEAD = (
    "make the context with aiokafka.helpers.create_ssl_context(certfile=..., keyfile=...)",
    "make the context with create_ssl_context(crlfile=...)",
)
# The beginnings of aiokafka's errors.
_SASL_WORDS = (
    "only `PLAIN`, `GSSAPI`, `SCRAM-SHA-256`, `SCRAM-SHA-512` and `OAUTHBEARER`"
    "sasl_mechanism are supported at the moment: ",
    "sasl_plain_username and sasl_plain_password required for {} sasl: ",
)
_RESETS = {"earliest": "earliest", "latest": "latest", "none": "error"}


def _reset(value: Any) -> str:
    if value not in _RESETS:
        raise ValueError(f"must be one of {', '.join(map(repr, _RESETS))}, not {value!r}")
    return _RESETS[value]


KEYWORDS = (
    *SHARED,
    Keyword(
        "request_timeout_ms",
        ("request.timeout.ms", "message.timeout.ms"),
        number(1, 900_000),
        "ms",
        _PRODUCER,
        note="a message that is not delivered in this time fails with the broker's last error or "
        "KafkaTimeoutError (with enable_idempotence, after 5 minutes); this also limits start() "
        "and requests for metadata",
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
    Keyword("api_version", note="librdkafka asks each broker for its versions"),
    Keyword("loop", note="a client belongs to the loop that start() runs in"),
    Keyword(
        "security_protocol",
        ("security.protocol",),
        one_of(*PROTOCOLS),
        words="`security_protocol` should be SSL or PLAINTEXT",
    ),
    Keyword("ssl_context", kept="security(): ssl.ca.*, ssl.certificate.*, ssl.key.* and others"),
    Keyword("sasl_mechanism", kept="security(): sasl.mechanism"),
    Keyword("sasl_plain_username", kept="security(): sasl.username"),
    Keyword("sasl_plain_password", kept="security(): sasl.password"),
    Keyword("sasl_kerberos_service_name", kept="security(): sasl.kerberos.service.name"),
    Keyword("sasl_oauth_token_provider", kept="security(): oauth_cb"),
    Keyword("acks", ("acks",), acks, clients=_PRODUCER, words="Invalid ACKS parameter"),
    Keyword(
        "compression_type",
        ("compression.type",),
        none_or(one_of(*_COMPRESSIONS)),
        clients=_PRODUCER,
        words="Invalid compression type!",
    ),
    Keyword("max_batch_size", ("batch.size",), number(1, LONGEST), "bytes", _PRODUCER),
    Keyword("send_backoff_ms", clients=_PRODUCER, note="use retry_backoff_ms"),
    Keyword("enable_idempotence", ("enable.idempotence",), boolean, clients=_PRODUCER),
    Keyword("auto_offset_reset", ("auto.offset.reset",), _reset, clients=_CONSUMER),
    Keyword("enable_auto_commit", ("enable.auto.commit",), boolean, clients=_CONSUMER),
    Keyword("check_crcs", ("check.crcs",), boolean, clients=_CONSUMER),
    Keyword(
        "partition_assignment_strategy",
        ("partition.assignment.strategy",),
        assignors(_ASSIGNORS),
        clients=_CONSUMER,
    ),
    Keyword(
        "rebalance_timeout_ms",
        unit="ms",
        clients=_CONSUMER,
        note="members have max_poll_interval_ms to join again",
    ),
    Keyword(
        "consumer_timeout_ms",
        unit="ms",
        clients=_CONSUMER,
        note="nothing in the consumer polls at intervals",
    ),
    Keyword(
        "isolation_level",
        ("isolation.level",),
        one_of("read_uncommitted", "read_committed"),
        clients=_CONSUMER,
        words="Incorrect isolation level {}",
    ),
    Keyword("client_rack", ("client.rack",), none_or(text), clients=_CONSUMER),
    Keyword(
        "properties",
        kept="librdkafka, unchanged; they take precedence",
        note="not in aiokafka: librdkafka properties that no keyword stands for",
    ),
)


# Milliseconds: the default of Kafka's own clients for reconnect.backoff.max.ms.
_RECONNECT_MAX = 1000

# In milliseconds: the time of an attempt to send, without the backoff; and the default backoff.
_ATTEMPT, _BACKOFF = 10, 100

# The delivery timeout of an idempotent producer, in milliseconds: in aiokafka such messages never
# expire.
_IDEMPOTENT_TIMEOUT = 300_000


def configuration(client: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return librdkafka's configuration of a client.

    Args:
        client: "producer", "consumer", "admin" or "client".
        keywords: all keywords of the client, with their values.

    Raises:
        ValueError, TypeError: a keyword's value is wrong; the text names it and what is allowed.
    """
    conf = converted(of_client(client), keywords)
    if (backoff := conf.get("reconnect.backoff.ms")) is not None:
        # With librdkafka's own limit of 10 s, a message could fail just when a broker is back.
        conf["reconnect.backoff.max.ms"] = max(backoff, _RECONNECT_MAX)
    if "message.timeout.ms" in conf:
        conf.update(_expiry(conf))
    reconcile(conf)
    conf.update(_security(keywords))
    conf.update(keywords.get("properties") or {})
    return conf


def _expiry(conf: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that decide when a message fails.

    librdkafka returns the broker's reason only if it gives up because of the number of attempts. So
    attempts are made at equal intervals, as in aiokafka, and end just before the timeout.
    """
    timeout, backoff = conf["message.timeout.ms"], conf.get("retry.backoff.ms", _BACKOFF)
    if conf.get("enable.idempotence"):
        return {"message.timeout.ms": max(timeout, _IDEMPOTENT_TIMEOUT)}
    attempts = max(1, timeout // (backoff + _ATTEMPT))
    return {"retry.backoff.max.ms": backoff, "message.send.max.retries": attempts}


def of_client(client: str) -> Iterator[Keyword]:
    """Return the keywords of a client."""
    return (keyword for keyword in KEYWORDS if client in keyword.clients)


def shared(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords of a client that its AIOKafkaClient also takes."""
    return {one.name: keywords[one.name] for one in of_client("client") if not one.has_no_effect}


def warn_deprecated(keywords: Mapping[str, Any], *names: str) -> None:
    """Warn about keywords that aiokafka has deprecated.

    Args:
        keywords: the keywords of the client.
        names: the keywords about which its class warns.
    """
    for name in names:
        if keywords[name] is not None:
            text = f"The `{name}` parameter has been deprecated, and has no effect"
            warnings.warn(text, DeprecationWarning, stacklevel=3)


def _security(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that depend on ``security_protocol`` and ``sasl_mechanism``."""
    protocol = keywords.get("security_protocol", "PLAINTEXT")
    conf: dict[str, Any] = {}
    if protocol.endswith("SSL"):
        context = keywords.get("ssl_context")
        if context is None:
            if not any(str(name).startswith("ssl.") for name in keywords.get("properties") or {}):
                raise ValueError(
                    "`ssl_context` is mandatory if security_protocol=='SSL': it is needed with "
                    f"{protocol!r}, unless properties has librdkafka's ssl.* instead"
                )
        else:
            conf.update(tls_properties(context, *_INSTEAD))
    if protocol.startswith("SASL"):
        conf.update(sasl_properties(keywords, oauth_callback, _SASL_WORDS))
    return conf
