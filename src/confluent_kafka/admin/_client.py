"""The admin client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka.admin._acls import AclRequests
from confluent_kafka.admin._classic_groups import ClassicGroupRequests
from confluent_kafka.admin._client_metrics import ClientMetricsRequests
from confluent_kafka.admin._cluster import ClusterRequests
from confluent_kafka.admin._configs import ConfigRequests
from confluent_kafka.admin._delegation_tokens import DelegationTokenRequests
from confluent_kafka.admin._features import FeatureRequests
from confluent_kafka.admin._group_members import GroupMemberRequests
from confluent_kafka.admin._log_dirs import LogDirRequests
from confluent_kafka.admin._quorum import QuorumRequests
from confluent_kafka.admin._quotas import QuotaRequests
from confluent_kafka.admin._reassignments import ReassignmentRequests
from confluent_kafka.admin._records import RecordRequests
from confluent_kafka.admin._scram import ScramRequests
from confluent_kafka.admin._share_groups import ShareGroupRequests
from confluent_kafka.admin._streams_groups import StreamsGroupRequests
from confluent_kafka.admin._topics import TopicRequests
from confluent_kafka.admin._transactions import TransactionRequests


class AdminClient(
    TopicRequests,
    ConfigRequests,
    AclRequests,
    GroupMemberRequests,
    ShareGroupRequests,
    StreamsGroupRequests,
    ClassicGroupRequests,
    RecordRequests,
    ScramRequests,
    DelegationTokenRequests,
    ClusterRequests,
    LogDirRequests,
    ReassignmentRequests,
    QuotaRequests,
    ClientMetricsRequests,
    TransactionRequests,
    FeatureRequests,
    QuorumRequests,
):
    """Administers a cluster: topics, configurations, ACLs, groups, users. Thread-safe.

    Each request returns at once, with a ``concurrent.futures.Future`` or a dict of futures. A
    future gets its result without poll(). All done callbacks run on one thread of the client: a
    callback must not wait for another future of the client. Cancelling a future discards the
    answer; the request is still carried out.

    ``close()`` or the end of a ``with`` block ends the client, and so does deleting it. Futures
    that have no answer then fail with KafkaException(_DESTROY).

    Args:
        conf: librdkafka's configuration properties, as for Producer, with error_cb, throttle_cb,
            stats_cb, oauth_cb and logger. poll() serves all of them except oauth_cb.
        **kwargs: more configuration, for keys that are Python identifiers.

    Raises:
        KafkaException: _INVALID_ARG: a key, type or value is wrong; the error names it.
            SASL_AUTHENTICATION_FAILED: oauth_cb failed, or did not return within 10 s.

    librdkafka: rd_kafka_new(), the Admin API.
    """

    __slots__ = ()

    def __init__(self, conf: Mapping[str, Any], **kwargs: Any) -> None:
        super().__init__(conf, **kwargs)
