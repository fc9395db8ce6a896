"""Create, describe, change and delete a topic.

Run it with ``python -m examples.admin BOOTSTRAP_SERVERS TOPIC``.
"""

from __future__ import annotations

import sys
import time

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    TopicDescription,
)


def make(admin: AdminClient, topic: str) -> None:
    """Create the topic, or print that it already exists."""
    try:
        admin.create_topics([NewTopic(topic, 2)], operation_timeout=30)[topic].result()
        print(f"{topic}: created")
    except KafkaException as error:
        if error.code() != KafkaError.TOPIC_ALREADY_EXISTS:
            raise
        print(f"{topic}: exists")


def described(admin: AdminClient, topic: str) -> TopicDescription:
    """Describe a topic. A broker may not have a new topic yet, so the request is repeated."""
    end = time.monotonic() + 30
    while True:
        try:
            return admin.describe_topics(TopicCollection([topic]))[topic].result()
        except KafkaException as error:
            unknown = error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART
            if not unknown or time.monotonic() > end:
                raise
            time.sleep(0.1)


def show(admin: AdminClient, topic: str) -> None:
    """Print the leader and the replicas of each partition."""
    description = described(admin, topic)
    for partition in description.partitions:
        replicas = [node.id for node in partition.replicas]
        print(f"{topic} [{partition.id}]: leader {partition.leader}, replicas {replicas}")


def change(admin: AdminClient, topic: str) -> None:
    """Add a partition, and change the retention time."""
    admin.create_partitions([NewPartitions(topic, 3)])[topic].result()
    hour = ConfigEntry("retention.ms", "3600000", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource("topic", topic, incremental_configs=[hour])
    admin.incremental_alter_configs([resource])[resource].result()
    print(f"{topic}: changed")


def main(bootstrap_servers: str, topic: str) -> None:
    with AdminClient({"bootstrap.servers": bootstrap_servers}) as admin:
        make(admin, topic)
        make(admin, topic)
        show(admin, topic)
        change(admin, topic)
        admin.delete_topics([topic])[topic].result()
        print(f"{topic}: deleted")


if __name__ == "__main__":
    main(*sys.argv[1:])
