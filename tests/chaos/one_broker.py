"""A cluster of one broker, for faults that would damage the scenarios' shared cluster."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from trivup.trivup import Cluster

from confluent_kafka import KafkaException, Producer
from tests.integration.kafka_broker import KraftBroker
from tests.integration.kafka_cluster import READY_SECONDS, KafkaCluster, RealKafkaCluster
from tests.support.waiting import wait_until


class OneBroker(KafkaCluster):
    """A cluster of one broker that does not create topics automatically."""

    def __init__(self, broker: KraftBroker) -> None:
        super().__init__(broker.listeners["PLAINTEXT"])
        self.broker = broker

    def wait_ready(self) -> None:
        with Producer(self.config()) as producer:

            def there() -> bool:
                with contextlib.suppress(KafkaException):
                    return len(producer.list_topics(timeout=5).brokers) == 1
                return False

            wait_until(there, timeout=READY_SECONDS)

    def restart(self) -> None:
        """Start the same broker again, with the data on its disks."""
        self.broker.start()
        self.wait_ready()


@contextlib.contextmanager
def one_broker(kafka: RealKafkaCluster, log_dirs: Sequence[Path] = ()) -> Iterator[OneBroker]:
    """Start a broker of the same Kafka distribution.

    Its records are in `log_dirs`, its metadata is in a directory of its own.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        trivup = Cluster("one", folder)
        broker = KraftBroker(trivup, Path(kafka.brokers[0].conf["kafka_path"]), "")
        address = broker.listeners["PLAINTEXT"].rsplit(":", 1)[1]
        broker.append(
            {
                "listeners": f"PLAINTEXT://127.0.0.1:{address},{broker.conf['controller_listener']}",
                "advertised.listeners": f"PLAINTEXT://{broker.listeners['PLAINTEXT']}",
                "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "authorizer.class.name": "",  # trivup names a class of older releases
                "auto.create.topics.enable": "false",
                "default.replication.factor": 1,
                "offsets.topic.replication.factor": 1,
                "offsets.topic.num.partitions": 1,
                "transaction.state.log.replication.factor": 1,
                "transaction.state.log.min.isr": 1,
                "metadata.log.dir": broker.create_dir("metadata"),
            }
        )
        if log_dirs:
            broker.append({"log.dirs": ",".join(str(each) for each in log_dirs)})
        cluster = OneBroker(broker)
        try:
            trivup.deploy()
            cluster.restart()
            yield cluster
        finally:
            broker.kill()
