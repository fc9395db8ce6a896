"""Which properties Java's clients have, and what they are called in error messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Wording(NamedTuple):
    """What users call a property: ``option kafka.linger.ms`` in Spark, ``linger.ms`` in a file.

    Attributes:
        kind: the noun for a property.
        prefix: what users write before the name of a property.
    """

    kind: str
    prefix: str

    def named(self, name: str) -> str:
        """Return the noun and the name of a property."""
        return f"{self.kind} {self.prefix}{name}"

    def advice(self, text: str) -> str:
        """Return a text in which ``{}`` stands before each name of a property."""
        return text.format(*[self.prefix] * text.count("{}"))


# They change only the inner workings of a Java client, not what it reads or writes.
WITHOUT_EFFECT = frozenset(
    {
        "auto.include.jmx.reporter",
        "bootstrap.resolve.timeout.ms",
        "buffer.memory.allocation.strategy",
        "default.api.timeout.ms",
        "exclude.internal.topics",
        "max.block.ms",
        "max.poll.records",
        "metadata.cluster.check.enable",
        "metadata.max.idle.ms",
        "metrics.num.samples",
        "metrics.recording.level",
        "metrics.sample.window.ms",
        "partitioner.adaptive.partitioning.enable",
        "partitioner.availability.timeout.ms",
        "partitioner.rack.aware",
        # How long a client waits for a login, and when it renews the login.
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.login.refresh.buffer.seconds",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "sasl.login.retry.backoff.max.ms",
        "sasl.login.retry.backoff.ms",
        # How a broker checks a token. A client only passes the token on.
        "sasl.oauthbearer.allow.unverified.audience",
        "sasl.oauthbearer.allow.unverified.issuer",
        "sasl.oauthbearer.clock.skew.seconds",
        "sasl.oauthbearer.expected.audience",
        "sasl.oauthbearer.expected.issuer",
        "sasl.oauthbearer.jwks.endpoint.refresh.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms",
        "sasl.oauthbearer.jwks.endpoint.url",
        "sasl.oauthbearer.scope.claim.name",
        "socket.connection.setup.timeout.max.ms",
        "throw.on.fetch.stable.offset.unsupported",
    }
)


def _same(text: str) -> str:
    return text


def _buffer_size(text: str) -> str:
    """Return 0 for -1: the system's default size is -1 in Java and 0 in librdkafka."""
    return "0" if text.strip() == "-1" else text


def _lookup(text: str) -> str:
    """Return librdkafka's way to look names up for "default", which Java had before version 4."""
    return "use_all_dns_ips" if text.strip() == "default" else text


def _kilobytes(text: str) -> str:
    """Return bytes as kilobytes, at least one."""
    if not text.strip().isdecimal():
        raise ValueError(f"{text!r} is not a number of bytes")
    return str(max(1, int(text) // 1024))


_ASSIGNORS = {
    "RangeAssignor": "range",
    "RoundRobinAssignor": "roundrobin",
    "CooperativeStickyAssignor": "cooperative-sticky",
}


def _assignors(text: str) -> str:
    """Return librdkafka's names for Java's classes that assign partitions."""
    names = []
    for name in text.split(","):
        simple = name.strip().rpartition(".")[2]
        if simple.endswith("Assignor") and simple not in _ASSIGNORS:
            raise ValueError(f"librdkafka has {', '.join(_ASSIGNORS)}, but not {simple}")
        names.append(_ASSIGNORS.get(simple, name.strip()))
    return ",".join(names)


def _reset(text: str) -> str:
    """Return what Java's "none" is called in librdkafka."""
    return "error" if text.strip() == "none" else text


RENAMED: dict[str, tuple[str, Callable[[str], str]]] = {
    "auto.offset.reset": ("auto.offset.reset", _reset),
    "buffer.memory": ("queue.buffering.max.kbytes", _kilobytes),
    "client.dns.lookup": ("client.dns.lookup", _lookup),
    "compression.gzip.level": ("compression.level", _same),
    "compression.lz4.level": ("compression.level", _same),
    "compression.zstd.level": ("compression.level", _same),
    "fetch.max.wait.ms": ("fetch.wait.max.ms", _same),
    "max.request.size": ("message.max.bytes", _same),
    "partition.assignment.strategy": ("partition.assignment.strategy", _assignors),
    "receive.buffer.bytes": ("socket.receive.buffer.bytes", _buffer_size),
    # In librdkafka this name means how long a broker waits for its followers.
    "request.timeout.ms": ("socket.timeout.ms", _same),
    "send.buffer.bytes": ("socket.send.buffer.bytes", _buffer_size),
}

# librdkafka has a property of the same name, with another meaning or other values.
_ALSO_LIBRDKAFKA = {
    "auto.offset.reset",
    "client.dns.lookup",
    "partition.assignment.strategy",
    "request.timeout.ms",
}
# librdkafka would refuse each of these names.
ONLY_JAVA = (WITHOUT_EFFECT | RENAMED.keys() - _ALSO_LIBRDKAFKA) | {
    "config.providers",
    "interceptor.classes",
    "key.deserializer",
    "key.serializer",
    "metric.reporters",
    "partitioner.class",
    "partitioner.ignore.keys",
    "sasl.client.callback.handler.class",
    "sasl.jaas.config",
    "sasl.login.callback.handler.class",
    "sasl.login.class",
    "sasl.oauthbearer.assertion.template.file",
    "sasl.oauthbearer.header.urlencode",
    "sasl.oauthbearer.jwt.retriever.class",
    "sasl.oauthbearer.jwt.validator.class",
    "security.providers",
    "ssl.enabled.protocols",
    "ssl.engine.factory.class",
    "ssl.keymanager.algorithm",
    "ssl.keystore.certificate.chain",
    "ssl.keystore.key",
    "ssl.keystore.type",
    "ssl.protocol",
    "ssl.provider",
    "ssl.secure.random.implementation",
    "ssl.trustmanager.algorithm",
    "ssl.truststore.certificates",
    "ssl.truststore.location",
    "ssl.truststore.password",
    "ssl.truststore.type",
    "value.deserializer",
    "value.serializer",
}
