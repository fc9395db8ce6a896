"""Names of topics, and how brokers create them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka.protocol import MetadataRequest

_CREATES = "allow.auto.create.topics"
_VERSION = 4  # the first version with a flag for the creation of topics


def creation(topic: str) -> tuple[int, int, bytes]:
    """Return a request that makes brokers create a topic, if their configuration allows it.

    Args:
        topic: the name of the topic.

    Returns:
        The first arguments of a client's request(): API key, version and body.
    """
    asked = MetadataRequest.MetadataRequestTopic(name=topic)
    request = MetadataRequest(topics=[asked], allow_auto_topic_creation=True)
    return request.api_key, _VERSION, request.encode(_VERSION)


def without_creation(conf: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Keep librdkafka from creating topics; return whether the API has to create them.

    librdkafka keeps asking for each topic that it has read. So it would create a deleted topic
    again, even if the topic only matched a pattern.

    Args:
        conf: librdkafka's configuration.
    """
    creates = str(conf.get(_CREATES, False)).lower() in ("true", "1", "yes", "t")
    return {**conf, _CREATES: False}, creates
