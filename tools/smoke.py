"""Tries an installed package: imports it, sends one message and reads it.

Run it with the interpreter that has the package, and with `python -P`, so that nothing is imported
from this file's folder. The exit code is not 0 if there is a problem. With --patched, a librdkafka
that lacks patches is also a problem.
"""

from __future__ import annotations

import importlib.metadata
import sys

import confluent_kafka
from confluent_kafka import Consumer, Producer
from confluent_kafka.testing import MockCluster

FEATURES = {"gzip", "snappy", "lz4", "zstd", "ssl", "sasl_scram", "sasl_oauthbearer", "oidc"}


def main() -> None:
    installed = importlib.metadata.version("confluent-kafka")
    if installed != confluent_kafka.version():
        sys.exit(f"error: {installed} is installed, but this is {confluent_kafka.version()}")
    patched = confluent_kafka.build_info()["patched"]
    if "--patched" in sys.argv[1:] and not patched:
        sys.exit(f"error: librdkafka lacks patches: {confluent_kafka.build_info()}")
    undelivered: list[object] = []

    def delivered(error: object, _message: object) -> None:
        if error is not None:
            undelivered.append(error)

    with MockCluster(brokers=1) as cluster:
        cluster.create_topic("smoke", partitions=1)
        configuration = {"bootstrap.servers": cluster.bootstrap_servers}
        # librdkafka refuses a client if the configuration names a feature that the library lacks.
        features = {"builtin.features": ",".join(sorted(FEATURES))}
        with Producer(configuration | features | {"compression.type": "zstd"}) as producer:
            producer.produce("smoke", key=b"key", value=b"value", on_delivery=delivered)
            if producer.flush(30) or undelivered:
                sys.exit(f"error: the message was not delivered: {undelivered}")
        group = {"group.id": "smoke", "auto.offset.reset": "earliest"}
        with Consumer(configuration | group) as consumer:
            consumer.subscribe(["smoke"])
            message = consumer.poll(30)
            if message is None or message.error() or message.value() != b"value":
                sys.exit(f"error: the message did not come back: {message}")
    print(
        f"ok: Python {sys.version.split()[0]}, confluent_kafka {confluent_kafka.version()}, "
        f"librdkafka {confluent_kafka.libversion()[0]} ({'' if patched else 'not '}patched), "
        f"from {confluent_kafka.__file__}"
    )


if __name__ == "__main__":
    main()
