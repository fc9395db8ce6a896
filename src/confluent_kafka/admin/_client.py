"""The admin client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka.admin._acls import AclRequests
from confluent_kafka.admin._cluster import ClusterRequests
from confluent_kafka.admin._configs import ConfigRequests
from confluent_kafka.admin._groups import GroupRequests
from confluent_kafka.admin._records import RecordRequests
from confluent_kafka.admin._scram import ScramRequests
from confluent_kafka.admin._topics import TopicRequests


class AdminClient(
    TopicRequests,
    ConfigRequests,
    AclRequests,
    GroupRequests,
    RecordRequests,
    ScramRequests,
    ClusterRequests,
):
    """Looks after a cluster: topics, configurations, ACLs, groups, users. Thread-safe.

    A request returns at once, with a ``concurrent.futures.Future`` or a dict of them. A future
    gets its result by itself, without poll(). Its done callbacks run on a thread of the
    client's own, which all its requests share: they must not wait for another of its futures.
    Cancelling a future gives the answer up, not the request.

    ``close()``, or leaving a ``with`` block, ends the client; futures without an answer fail
    with KafkaException(_DESTROY) then, as they do when the client is dropped.

    Args:
        conf: librdkafka's configuration properties, as for Producer, with error_cb,
            throttle_cb, stats_cb, oauth_cb and logger, which all but oauth_cb are served by
            poll().
        **kwargs: more configuration, for keys that are Python identifiers.

    Raises:
        KafkaException: _INVALID_ARG: a key, type or value is wrong; names it.

    librdkafka: rd_kafka_new(), the Admin API.
    """

    def __init__(self, conf: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__({} if conf is None else conf, **kwargs)
