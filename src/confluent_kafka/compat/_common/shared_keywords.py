"""The keywords that aiokafka and kafka-python both have, with the same meaning and limits."""

from __future__ import annotations

from .keywords import LONGEST, Keyword, no_domain, none_or, number, servers, text

_PRODUCER = frozenset({"producer"})
_CONSUMER = frozenset({"consumer"})

SHARED = (
    Keyword("bootstrap_servers", ("bootstrap.servers",), servers),
    Keyword("client_id", ("client.id",), none_or(text)),
    Keyword(
        "metadata_max_age_ms",
        ("metadata.max.age.ms", "topic.metadata.refresh.interval.ms"),
        number(1, 3_600_000),
        "ms",
    ),
    Keyword(
        "connections_max_idle_ms",
        ("connections.max.idle.ms",),
        none_or(number(0, LONGEST), 0),
        "ms",
    ),
    Keyword("sasl_kerberos_domain_name", kept="refused unless None", convert=no_domain),
    Keyword("key_serializer", kept="the producer", clients=_PRODUCER),
    Keyword("value_serializer", kept="the producer", clients=_PRODUCER),
    Keyword("partitioner", kept="the producer", clients=_PRODUCER),
    Keyword("max_request_size", ("message.max.bytes",), number(1000, 10**9), "bytes", _PRODUCER),
    Keyword("linger_ms", ("linger.ms",), number(0, 900_000), "ms", _PRODUCER),
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
    Keyword(
        "auto_commit_interval_ms",
        ("auto.commit.interval.ms",),
        number(1, 86_400_000),
        "ms",
        _CONSUMER,
    ),
    Keyword(
        "max_poll_interval_ms",
        ("max.poll.interval.ms",),
        number(1, 86_400_000),
        "ms",
        _CONSUMER,
    ),
    Keyword("session_timeout_ms", ("session.timeout.ms",), number(1, 3_600_000), "ms", _CONSUMER),
    Keyword(
        "heartbeat_interval_ms",
        ("heartbeat.interval.ms",),
        number(1, 3_600_000),
        "ms",
        _CONSUMER,
    ),
    Keyword("max_poll_records", kept="the consumer", clients=_CONSUMER),
    Keyword("exclude_internal_topics", kept="the consumer", clients=_CONSUMER),
)
