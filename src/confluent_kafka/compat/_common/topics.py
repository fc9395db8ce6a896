"""Having brokers create a topic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka.protocol import MetadataRequest

_CREATES = "allow.auto.create.topics"
_VERSION = 4  # the first in which a client says whether it wants topics to be created


def creation(topic: str) -> tuple[int, int, bytes]:
    """Return a request by which brokers create a topic, if they are configured so.

    Args:
        topic: its name.

    Returns:
        What a client's request() takes first: API key, version and body.
    """
    asked = MetadataRequest.MetadataRequestTopic(name=topic)
    request = MetadataRequest(topics=[asked], allow_auto_topic_creation=True)
    return request.api_key, _VERSION, request.encode(_VERSION)


def without_creation(conf: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Have librdkafka create no topics; return whether the API is to do that.

    librdkafka asks again and again for each topic that it has read, and so creates one that was
    deleted, also if it was only one of those that matched a pattern.

    Args:
        conf: its configuration.
    """
    creates = str(conf.get(_CREATES, False)).lower() in ("true", "1", "yes", "t")
    return {**conf, _CREATES: False}, creates
