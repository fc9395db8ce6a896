"""aiokafka's keywords: which librdkafka property each becomes, or what happens with it instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ._tokens import oauth_callback
from .coordinator.assignors.range import RangePartitionAssignor
from .coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from .helpers import tls_properties

__version__ = "0.14.0"
"""The version of aiokafka whose names, keywords and defaults these are."""

EVERY = frozenset({"producer", "consumer", "admin", "client"})
_PRODUCER = frozenset({"producer"})
_CONSUMER = frozenset({"consumer"})

_LONGEST = 2**31 - 1
_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_MECHANISMS = ("PLAIN", "GSSAPI", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
_COMPRESSIONS = ("gzip", "snappy", "lz4", "zstd")
_ASSIGNORS = (RangePartitionAssignor, RoundRobinPartitionAssignor)
_RESETS = {"earliest": "earliest", "latest": "latest", "none": "error"}


@dataclass(frozen=True)
class Keyword:
    """A keyword of aiokafka's clients.

    Args:
        name: its name.
        properties: librdkafka's properties that get its value.
        convert: returns the properties' value; raises ValueError or TypeError with a text that
            completes "NAME ...". None leaves the properties as they are.
        unit: of a number.
        clients: that have it: "producer", "consumer", "admin", "client".
        kept: what reads it instead, if there is no property; "" if nothing does.
        note: more for the documentation.
    """

    name: str
    properties: tuple[str, ...] = ()
    convert: Callable[[Any], Any] = lambda value: value
    unit: str = ""
    clients: frozenset[str] = EVERY
    kept: str = ""
    note: str = ""

    @property
    def has_no_effect(self) -> bool:
        """Whether the keyword is accepted and changes nothing."""
        return not self.properties and not self.kept


def _number(low: int, high: int) -> Callable[[Any], int]:
    """Convert a number; those outside of what librdkafka takes become the nearest that it takes."""

    def convert(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"must be a number, not {type(value).__name__}")
        if value < 0:
            raise ValueError(f"must not be negative, not {value}")
        return max(low, min(high, int(value)))

    return convert


def _none_or(convert: Callable[[Any], Any], otherwise: Any = None) -> Callable[[Any], Any]:
    return lambda value: otherwise if value is None else convert(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"must be str, not {type(value).__name__}")
    return value


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"must be bool, not {type(value).__name__}")
    return value


def _one_of(*allowed: str) -> Callable[[Any], str]:
    def convert(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(map(repr, allowed))}, not {value!r}")
        return str(value)

    return convert


def _servers(value: Any) -> str:
    servers = [value] if isinstance(value, str) else value
    if not isinstance(servers, list | tuple | set) or not all(isinstance(s, str) for s in servers):
        raise TypeError(f"must be 'host:port' or a list of those, not {value!r}")
    return ",".join(servers)


def _acks(value: Any) -> int | None:
    if value not in (0, 1, -1, "all") or isinstance(value, bool):
        raise ValueError(f"must be 0, 1, -1 or 'all', not {value!r}")
    return -1 if value == "all" else int(value)


def _reset(value: Any) -> str:
    if value not in _RESETS:
        raise ValueError(f"must be one of {', '.join(map(repr, _RESETS))}, not {value!r}")
    return _RESETS[value]


def _assignors(value: Any) -> str:
    """Name the assignors: librdkafka has its own of the same names, and calls no others."""
    for assignor in value:
        if assignor not in _ASSIGNORS:
            raise ValueError(
                f"cannot have {getattr(assignor, '__name__', assignor)!r}: librdkafka assigns "
                "partitions itself. Use RangePartitionAssignor or RoundRobinPartitionAssignor; or "
                "let the broker assign: properties={'group.protocol': 'consumer'}"
            )
    if not value:
        raise ValueError("must have at least one assignor")
    return ",".join(assignor.name for assignor in value)


def _no_domain(value: Any) -> None:
    if value is not None:
        raise ValueError(
            "is not supported: librdkafka asks for a ticket of the broker's host name. Map the "
            "host to its realm in krb5.conf ([domain_realm]) and leave the keyword out"
        )


KEYWORDS = (
    Keyword("bootstrap_servers", ("bootstrap.servers",), _servers),
    Keyword("client_id", ("client.id",), _none_or(_text)),
    Keyword(
        "metadata_max_age_ms",
        ("metadata.max.age.ms", "topic.metadata.refresh.interval.ms"),
        _number(1, 3_600_000),
        "ms",
    ),
    Keyword(
        "request_timeout_ms",
        ("request.timeout.ms", "message.timeout.ms"),
        _number(1, 900_000),
        "ms",
        _PRODUCER,
        note="a message that is not delivered within it fails with KafkaTimeoutError; of the "
        "requests that the client itself sends, it bounds start() and metadata",
    ),
    Keyword(
        "request_timeout_ms",
        ("socket.timeout.ms",),
        _number(1000, 300_000),
        "ms",
        EVERY - _PRODUCER,
    ),
    Keyword(
        "retry_backoff_ms",
        ("retry.backoff.ms", "reconnect.backoff.ms"),
        _number(1, 300_000),
        "ms",
    ),
    Keyword(
        "connections_max_idle_ms",
        ("connections.max.idle.ms",),
        _none_or(_number(0, _LONGEST), 0),
        "ms",
    ),
    Keyword("api_version", note="librdkafka asks each broker for its versions"),
    Keyword("loop", note="a client belongs to the loop that start() runs in"),
    Keyword("security_protocol", ("security.protocol",), _one_of(*_PROTOCOLS)),
    Keyword("ssl_context", kept="security(): ssl.ca.*, ssl.certificate.*, ssl.key.* and others"),
    Keyword("sasl_mechanism", kept="security(): sasl.mechanism"),
    Keyword("sasl_plain_username", kept="security(): sasl.username"),
    Keyword("sasl_plain_password", kept="security(): sasl.password"),
    Keyword("sasl_kerberos_service_name", kept="security(): sasl.kerberos.service.name"),
    Keyword("sasl_kerberos_domain_name", kept="refused unless None", convert=_no_domain),
    Keyword("sasl_oauth_token_provider", kept="security(): oauth_cb"),
    Keyword("acks", ("acks",), _none_or(_acks), clients=_PRODUCER),
    Keyword("key_serializer", kept="the producer", clients=_PRODUCER),
    Keyword("value_serializer", kept="the producer", clients=_PRODUCER),
    Keyword(
        "compression_type",
        ("compression.type",),
        _none_or(_one_of(*_COMPRESSIONS)),
        clients=_PRODUCER,
    ),
    Keyword("max_batch_size", ("batch.size",), _number(1, _LONGEST), "bytes", _PRODUCER),
    Keyword("partitioner", kept="the producer", clients=_PRODUCER),
    Keyword("max_request_size", ("message.max.bytes",), _number(1000, 10**9), "bytes", _PRODUCER),
    Keyword("linger_ms", ("linger.ms",), _number(0, 900_000), "ms", _PRODUCER),
    Keyword("send_backoff_ms", clients=_PRODUCER, note="retry_backoff_ms says it all"),
    Keyword("enable_idempotence", ("enable.idempotence",), _boolean, clients=_PRODUCER),
    Keyword("transactional_id", ("transactional.id",), _none_or(_text), clients=_PRODUCER),
    Keyword(
        "transaction_timeout_ms",
        ("transaction.timeout.ms",),
        _number(1000, _LONGEST),
        "ms",
        _PRODUCER,
    ),
    Keyword("group_id", ("group.id",), _none_or(_text), clients=_CONSUMER),
    Keyword("group_instance_id", ("group.instance.id",), _none_or(_text), clients=_CONSUMER),
    Keyword("key_deserializer", kept="the consumer", clients=_CONSUMER),
    Keyword("value_deserializer", kept="the consumer", clients=_CONSUMER),
    Keyword("fetch_max_wait_ms", ("fetch.wait.max.ms",), _number(0, 299_000), "ms", _CONSUMER),
    Keyword(
        "fetch_max_bytes", ("fetch.max.bytes",), _number(1000, _LONGEST - 512), "bytes", _CONSUMER
    ),
    Keyword("fetch_min_bytes", ("fetch.min.bytes",), _number(1, 10**8), "bytes", _CONSUMER),
    Keyword(
        "max_partition_fetch_bytes",
        ("max.partition.fetch.bytes",),
        _number(1, 10**9),
        "bytes",
        _CONSUMER,
    ),
    Keyword("auto_offset_reset", ("auto.offset.reset",), _reset, clients=_CONSUMER),
    Keyword("enable_auto_commit", ("enable.auto.commit",), _boolean, clients=_CONSUMER),
    Keyword(
        "auto_commit_interval_ms",
        ("auto.commit.interval.ms",),
        _number(1, 86_400_000),
        "ms",
        _CONSUMER,
    ),
    Keyword("check_crcs", ("check.crcs",), _boolean, clients=_CONSUMER),
    Keyword(
        "partition_assignment_strategy",
        ("partition.assignment.strategy",),
        _assignors,
        clients=_CONSUMER,
    ),
    Keyword(
        "max_poll_interval_ms",
        ("max.poll.interval.ms",),
        _number(1, 86_400_000),
        "ms",
        _CONSUMER,
    ),
    Keyword(
        "rebalance_timeout_ms",
        unit="ms",
        clients=_CONSUMER,
        note="members have max_poll_interval_ms to join again",
    ),
    Keyword("session_timeout_ms", ("session.timeout.ms",), _number(1, 3_600_000), "ms", _CONSUMER),
    Keyword(
        "heartbeat_interval_ms",
        ("heartbeat.interval.ms",),
        _number(1, 3_600_000),
        "ms",
        _CONSUMER,
    ),
    Keyword("consumer_timeout_ms", kept="the consumer", unit="ms", clients=_CONSUMER),
    Keyword("max_poll_records", kept="the consumer", clients=_CONSUMER),
    Keyword("exclude_internal_topics", kept="the consumer", clients=_CONSUMER),
    Keyword(
        "isolation_level",
        ("isolation.level",),
        _one_of("read_uncommitted", "read_committed"),
        clients=_CONSUMER,
    ),
    Keyword("client_rack", ("client.rack",), _none_or(_text), clients=_CONSUMER),
    Keyword(
        "properties",
        kept="librdkafka, as they are; they come last",
        note="not in aiokafka: librdkafka properties that no keyword stands for",
    ),
)


def configuration(client: str, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return librdkafka's configuration of a client.

    Args:
        client: "producer", "consumer", "admin" or "client".
        keywords: those that the client was made with, all of them.

    Raises:
        ValueError, TypeError: a keyword's value is wrong; the text names it and what is allowed.
    """
    conf: dict[str, Any] = {}
    for keyword in of_client(client):
        if keyword.name not in keywords:
            continue
        try:
            value = keyword.convert(keywords[keyword.name])
        except (TypeError, ValueError) as wrong:
            raise type(wrong)(f"{keyword.name} {wrong}") from None
        if value is not None:
            conf.update(dict.fromkeys(keyword.properties, value))
    _reconcile(conf)
    conf.update(_security(keywords))
    conf.update(keywords.get("properties") or {})
    return conf


def _reconcile(conf: dict[str, Any]) -> None:
    """Change properties that librdkafka takes one by one, but not together."""
    for name, least in (("retry.backoff", 1000), ("reconnect.backoff", 10_000)):
        if conf.get(f"{name}.ms", 0) > least:
            conf[f"{name}.max.ms"] = conf[f"{name}.ms"]
    if "transactional.id" in conf and "message.timeout.ms" in conf:
        longest = conf.get("transaction.timeout.ms", _LONGEST)
        conf["message.timeout.ms"] = min(conf["message.timeout.ms"], longest)
    if "message.timeout.ms" in conf and "linger.ms" in conf:
        conf["linger.ms"] = min(conf["linger.ms"], conf["message.timeout.ms"] - 1)
    if "socket.timeout.ms" in conf:
        # The broker may hold an answer back as long, and then has to send it.
        least = min(conf.get("fetch.wait.max.ms", 0) + 1000, 300_000)
        conf["socket.timeout.ms"] = max(conf["socket.timeout.ms"], least)
    if "fetch.max.bytes" in conf:
        conf["message.max.bytes"] = min(conf["fetch.max.bytes"], 1_000_000)
        conf["receive.message.max.bytes"] = max(conf["fetch.max.bytes"] + 512, 100_000_000)
    if "max.poll.interval.ms" in conf:
        least = conf.get("session.timeout.ms", 0)
        conf["max.poll.interval.ms"] = max(conf["max.poll.interval.ms"], least)


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
            conf.update(tls_properties(context))
    if protocol.startswith("SASL"):
        conf.update(_sasl(keywords))
    return conf


def _sasl(keywords: Mapping[str, Any]) -> dict[str, Any]:
    mechanism = keywords["sasl_mechanism"]
    if mechanism not in _MECHANISMS:
        allowed = ", ".join(map(repr, _MECHANISMS))
        raise ValueError(f"sasl_mechanism must be one of {allowed}, not {mechanism!r}")
    conf: dict[str, Any] = {"sasl.mechanism": mechanism}
    if mechanism == "GSSAPI":
        conf["sasl.kerberos.service.name"] = keywords["sasl_kerberos_service_name"]
    elif mechanism == "OAUTHBEARER":
        conf["oauth_cb"] = oauth_callback(keywords["sasl_oauth_token_provider"])
    else:
        user, password = keywords["sasl_plain_username"], keywords["sasl_plain_password"]
        if user is None or password is None:
            raise ValueError(
                f"sasl_plain_username and sasl_plain_password are needed with {mechanism}"
            )
        conf.update({"sasl.username": user, "sasl.password": password})
    return conf
