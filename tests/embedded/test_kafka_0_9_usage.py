"""compat.kafka_0_9: the usage pages of kafka-python 0.9.5, on the embedded cluster."""

from __future__ import annotations

import pytest

from confluent_kafka.testing import MockCluster
from tests.support import kafka_0_9_usage as usage
from tests.support.kafka_0_9 import patient as patient

pytestmark = [
    pytest.mark.kafka_topic(partitions=usage.PARTITIONS),
    pytest.mark.usefixtures("patient"),
]


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
def test_producers(page: usage.Page, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The code on the page about producers works."""
    page(kafka_cluster.bootstrap_servers, kafka_topic)


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
def test_consumers(page: usage.GroupPage, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The code on the pages about consumers and requests works."""
    page(kafka_cluster.bootstrap_servers, kafka_topic, "group")
