"""``kafka.*`` options with the names of Java's clients, which Spark's own source accepts."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka import Consumer, Producer
from confluent_kafka.spark.java_properties import translate
from tests.support.secrets import secret

PASSWORD = secret("jaas")


def test_names_that_both_know_pass_unchanged() -> None:
    """Most properties have the same name in Java's clients and in librdkafka."""
    given = {"bootstrap.servers": "a:1", "max.partition.fetch.bytes": "5", "linger.ms": "7"}
    assert translate(given, "consumer") == given
    assert translate(given, "producer") == given


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"fetch.max.wait.ms": "9"}, {"fetch.wait.max.ms": "9"}),
        ({"request.timeout.ms": "9000"}, {"socket.timeout.ms": "9000"}),
        ({"receive.buffer.bytes": "-1"}, {"socket.receive.buffer.bytes": "0"}),
        ({"send.buffer.bytes": "4096"}, {"socket.send.buffer.bytes": "4096"}),
        ({"buffer.memory": "33554432"}, {"queue.buffering.max.kbytes": "32768"}),
        ({"max.request.size": "2000000"}, {"message.max.bytes": "2000000"}),
        (
            {"compression.type": "zstd", "compression.zstd.level": "9"},
            {"compression.type": "zstd", "compression.level": "9"},
        ),
        ({"ssl.truststore.location": "/ca.pem"}, {"ssl.ca.location": "/ca.pem"}),
        (
            {"ssl.truststore.location": "/ca", "ssl.truststore.type": "PEM"},
            {"ssl.ca.location": "/ca"},
        ),
        ({"ssl.truststore.certificates": "PEM"}, {"ssl.ca.pem": "PEM"}),
        (
            {"ssl.keystore.location": "/me.p12", "ssl.keystore.password": PASSWORD},
            {"ssl.keystore.location": "/me.p12", "ssl.keystore.password": PASSWORD},
        ),
        (
            {"ssl.keystore.location": "/me", "ssl.keystore.type": "PEM"},
            {"ssl.certificate.location": "/me", "ssl.key.location": "/me"},
        ),
        (
            {"ssl.keystore.key": "K", "ssl.keystore.certificate.chain": "C"},
            {"ssl.key.pem": "K", "ssl.certificate.pem": "C"},
        ),
        (
            {"ssl.endpoint.identification.algorithm": ""},
            {"ssl.endpoint.identification.algorithm": "none"},
        ),
        (
            {
                "sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule "
                f'required username="al\\"ice" password="{PASSWORD}";'
            },
            {"sasl.username": 'al"ice', "sasl.password": PASSWORD},
        ),
        (
            {"sasl.jaas.config": f"ScramLoginModule required username=a password='{PASSWORD}' ;"},
            {"sasl.username": "a", "sasl.password": PASSWORD},
        ),
        (
            {
                "sasl.jaas.config": "OAuthBearerLoginModule required clientId='me' "
                f"clientSecret='{PASSWORD}' scope='all';"
            },
            {
                "sasl.oauthbearer.method": "oidc",
                "sasl.oauthbearer.client.id": "me",
                "sasl.oauthbearer.client.secret": PASSWORD,
                "sasl.oauthbearer.scope": "all",
            },
        ),
    ],
)
def test_java_s_names_become_librdkafka_s(given: dict[str, str], found: dict[str, str]) -> None:
    """A configuration of Java's clients works without changes."""
    assert translate(given, "producer") == found


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"key.deserializer": "x"}, "kafka.key.deserializer cannot be given: .*as bytes"),
        ({"value.deserializer": "x"}, "kafka.value.deserializer cannot be given"),
        ({"interceptor.classes": "x"}, "kafka.interceptor.classes cannot be given"),
        ({"auto.offset.reset": "latest"}, "startingOffsets says where to start"),
        ({"enable.auto.commit": "true"}, "checkpoint.*commitOffsetsToGroup"),
        ({"metric.reporters": "x"}, "kafka.metric.reporters cannot be given: it names a Java"),
        ({"ssl.engine.factory.class": "x"}, "kafka.ssl.engine.factory.class cannot be given"),
        ({"ssl.enabled.protocols": "TLSv1.3"}, "kafka.ssl.enabled.protocols cannot be given"),
        (
            {"ssl.truststore.location": "{jks}"},
            r"kafka.ssl.truststore.location: .*keytool -list.*kafka\.ssl\.ca\.location",
        ),
        ({"ssl.keystore.location": "{jks}"}, "kafka.ssl.keystore.location: .*-importkeystore"),
        ({"ssl.truststore.location": "/t.jks"}, r"/t\.jks cannot be read \(No such file"),
        ({"ssl.truststore.location": "/t.p12"}, r"/t\.p12 cannot be read \(No such file"),
        ({"ssl.keystore.location": "/k.jks"}, r"/k\.jks cannot be read \(No such file"),
        (
            {"ssl.keystore.location": "/k", "ssl.keystore.type": "BCFKS"},
            "kafka.ssl.keystore.type: 'BCFKS' is none of PEM, PKCS12 and JKS",
        ),
        (
            {"ssl.truststore.location": "/t.pem", "ssl.truststore.password": PASSWORD},
            "kafka.ssl.truststore.password: a PEM file has none",
        ),
        ({"sasl.jaas.config": PASSWORD}, "kafka.sasl.jaas.config is not of the form"),
        (
            {"sasl.jaas.config": f"PlainLoginModule required username='a' password={PASSWORD}"},
            "semicolon after username and password",
        ),
        (
            {"sasl.jaas.config": "PlainLoginModule required username='a';"},
            "password of PlainLoginModule is missing",
        ),
        (
            {"sasl.jaas.config": "Krb5LoginModule required useKeyTab=true;"},
            r"Krb5LoginModule is not supported.*kafka\.sasl\.kerberos",
        ),
        (
            {"request.timeout.ms": "1", "socket.timeout.ms": "2"},
            "kafka.request.timeout.ms means kafka.socket.timeout.ms here, which is also given",
        ),
        (
            {"ssl.truststore.location": "/a.pem", "ssl.ca.location": "/b.pem"},
            "kafka.ssl.ca.location is given twice: also as a property of Java's clients",
        ),
        ({"buffer.memory": "much"}, "kafka.buffer.memory: 'much' is not a number of bytes"),
    ],
)
def test_what_cannot_be_honoured_is_refused_by_name(
    given: dict[str, str], message: str, tmp_path: Path
) -> None:
    """The error names the property to use instead, and contains no secret."""
    jks = tmp_path / "store.jks"
    jks.write_bytes(b"\xfe\xed\xfe\xed\0\0\0\2")
    given = {name: text.replace("{jks}", str(jks)) for name, text in given.items()}
    with pytest.raises(ValueError, match=message) as failure:
        translate(given, "consumer" if "buffer.memory" not in given else "producer")
    assert PASSWORD not in str(failure.value)


@pytest.mark.parametrize("name", ["key.serializer", "interceptor.classes", "partitioner.class"])
def test_a_producer_has_prohibitions_of_its_own(name: str) -> None:
    """A producer also refuses properties that only producers have."""
    with pytest.raises(ValueError, match=f"kafka.{name} cannot be given"):
        translate({name: "x"}, "producer")


def test_what_has_no_effect_is_left_out_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    """Settings that only affect Java's own code are ignored, with a warning."""
    with caplog.at_level(logging.WARNING):
        given = {"max.poll.records": "9", "compression.lz4.level": "3", "fetch.min.bytes": "1"}
        assert translate(given, "consumer") == {"fetch.min.bytes": "1"}
    assert "kafka.max.poll.records has no effect" in caplog.text
    assert "kafka.compression.lz4.level has no effect" in caplog.text


def test_librdkafka_knows_every_name_that_comes_out() -> None:
    """An unknown translated name would make every query fail."""
    given = {
        "bootstrap.servers": "127.0.0.1:1",
        "buffer.memory": "33554432",
        "compression.type": "zstd",
        "compression.zstd.level": "3",
        "fetch.max.wait.ms": "100",
        "max.request.size": "1000000",
        "receive.buffer.bytes": "-1",
        "request.timeout.ms": "9000",
        "sasl.jaas.config": f'ScramLoginModule required username="a" password="{PASSWORD}";',
        "sasl.mechanism": "SCRAM-SHA-512",
        "security.protocol": "SASL_PLAINTEXT",
        "send.buffer.bytes": "4096",
        "ssl.endpoint.identification.algorithm": "",
    }
    quiet = {"log_level": "0"}
    with Producer({**translate(given, "producer"), **quiet}):
        pass
    with Consumer({**translate(given, "consumer"), **quiet, "group.id": "g"}):
        pass
    oauth = {
        "sasl.jaas.config": f"OAuthBearerLoginModule required clientId=a clientSecret={PASSWORD};",
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.token.endpoint.url": "http://127.0.0.1:1/token",
        "security.protocol": "SASL_PLAINTEXT",
    }
    with Producer({**translate(oauth, "producer"), **quiet}):
        pass
