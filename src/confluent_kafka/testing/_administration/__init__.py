"""The administration requests that Python answers, because librdkafka's mock brokers do not.

There is one module for each area. They read and change the state of the brokers (`_brokers`). State
that the brokers do not need, such as ACLs, is stored in these modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka.testing._administration._acls import AclRequests
from confluent_kafka.testing._administration._brokers import Brokers
from confluent_kafka.testing._administration._client_metrics import ClientMetrics
from confluent_kafka.testing._administration._cluster import Cluster
from confluent_kafka.testing._administration._configs import Configs
from confluent_kafka.testing._administration._elections import Elections
from confluent_kafka.testing._administration._features import Features
from confluent_kafka.testing._administration._groups import Groups
from confluent_kafka.testing._administration._kept import Kept
from confluent_kafka.testing._administration._log_dirs import LogDirs
from confluent_kafka.testing._administration._logins import Logins
from confluent_kafka.testing._administration._offsets import Offsets
from confluent_kafka.testing._administration._producers import Producers
from confluent_kafka.testing._administration._quorum import Quorum
from confluent_kafka.testing._administration._quotas import Quotas
from confluent_kafka.testing._administration._reassignments import Reassignments
from confluent_kafka.testing._administration._records import Records
from confluent_kafka.testing._administration._scram import Scram
from confluent_kafka.testing._administration._share_offsets import ShareOffsets
from confluent_kafka.testing._administration._tokens import TokenRequests
from confluent_kafka.testing._administration._topic_partitions import TopicPartitions
from confluent_kafka.testing._administration._topics import Topics
from confluent_kafka.testing._administration._transactions import Transactions

if TYPE_CHECKING:
    from confluent_kafka.cimpl import MockCluster
    from confluent_kafka.testing._answering import Handler
    from confluent_kafka.testing._security._authorizer import Acls
    from confluent_kafka.testing._security._sasl import Credential


class Administration(NamedTuple):
    """The areas, and their handlers by API key."""

    handlers: dict[int, Handler]
    areas: tuple[object, ...]

    @property
    def kept(self) -> list[Kept]:
        """The areas that a data folder keeps."""
        return [area for area in self.areas if isinstance(area, Kept)]


def administration(
    cluster: MockCluster, users: dict[str, dict[int, Credential]], acls: Acls
) -> Administration:
    """Return the administration of a cluster.

    Args:
        cluster: the cluster.
        users: the credentials of SCRAM by user and mechanism, which requests change.
        acls: the ACLs, which requests change.
    """
    brokers = Brokers(cluster)
    configs = Configs(brokers)
    areas = (
        Topics(brokers, configs),
        configs,
        Groups(brokers),
        Offsets(brokers),
        Cluster(brokers),
        Features(brokers),
        Records(brokers),
        Elections(brokers),
        LogDirs(brokers, configs),
        Reassignments(brokers, configs),
        ShareOffsets(brokers),
        TopicPartitions(brokers),
        ClientMetrics(configs.metrics),
        Transactions(brokers),
        Producers(brokers),
        Quotas(brokers),
        Quorum(brokers),
        AclRequests(acls),
        Scram(users),
        TokenRequests(),
        Logins(),
    )
    handlers = {kind.api_key: handler for area in areas for kind, handler in area.answers.items()}
    return Administration(handlers, areas)
