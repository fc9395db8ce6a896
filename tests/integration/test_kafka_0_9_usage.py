"""compat.kafka_0_9: the usage pages of kafka-python 0.9.5, on real brokers."""

from __future__ import annotations

import pytest

from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.support import kafka_0_9_usage as usage
from tests.support.kafka_0_9 import patient as patient

pytestmark = [
    pytest.mark.integration,
    pytest.mark.usefixtures("patient"),
    pytest.mark.both_clusters,
]


def servers_of(kafka: KafkaCluster) -> str:
    return str(kafka.config()["bootstrap.servers"])


@pytest.mark.parametrize(
    "page",
    [
        usage.messages_are_sent_at_once,
        usage.acknowledgements_are_chosen,
        usage.codecs_compress,
        usage.messages_are_sent_in_the_background,
        usage.keys_choose_partitions,
        usage.compressed_messages_are_unpacked,
    ],
    ids=lambda page: page.__name__,
)
def test_producers(page: usage.Page, kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """The code on the page about producers works."""
    page(servers_of(kafka), make_topic(usage.PARTITIONS))


@pytest.mark.parametrize(
    "page",
    [
        usage.a_group_goes_on,
        usage.processes_share,
        usage.offsets_are_of_what_is_done,
        usage.offsets_are_of_what_was_marked,
        usage.requests_are_answered,
    ],
    ids=lambda page: page.__name__,
)
def test_consumers(page: usage.GroupPage, kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """The code on the pages about consumers and requests works."""
    topic = make_topic(usage.PARTITIONS)
    page(servers_of(kafka), topic, f"group-{topic}")
