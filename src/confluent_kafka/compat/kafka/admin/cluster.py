"""The cluster: brokers, versions, features and the controllers' quorum."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from confluent_kafka import protocol

from .. import errors
from .._config import __version__
from .._enums import EnumHelper
from .._failures import translated
from ._wire import ANY, CONTROLLER, Wire, check, plain
from .acls import operations

_SOFTWARE = "confluent-kafka"
_QUORUM_TOPIC = "__cluster_metadata"


class UpdateFeatureType(EnumHelper, IntEnum):
    """How update_features() may change a level."""

    UNKNOWN = 0
    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


class BrokerVersionData(NamedTuple):
    """The capabilities of a broker."""

    api_versions: dict[int, tuple[int, int]]
    """The oldest and the newest version of each request, by API key."""


class ClusterAdminMixin:
    """Methods of KafkaAdminClient."""

    _wire: Wire

    def describe_cluster(self) -> dict[str, Any]:
        """Return the cluster's id, its brokers and its controller."""
        request = protocol.DescribeClusterRequest(include_cluster_authorized_operations=True)
        answer = self._wire.ask(request)
        check(answer)
        found = plain(
            answer, "error_code", "error_message", "endpoint_type", "cluster_authorized_operations"
        )
        allowed = operations(answer.cluster_authorized_operations)
        return found | {"authorized_operations": allowed}

    def api_versions(self) -> dict[int, tuple[int, int]]:
        """Return a broker's oldest and newest version of each request, by API key."""
        return self.get_broker_version_data(self._wire.brokers()[0]).api_versions

    def get_broker_version_data(self, broker_id: int) -> BrokerVersionData:
        """Return the capabilities of a broker."""
        with translated():
            versions = self._wire.engine.api_versions(broker_id, self._wire.timeout)
        return BrokerVersionData(dict(versions))

    def describe_features(self, send_request_to_controller: bool = False) -> dict[str, Any]:
        """Return the features of the cluster, with the supported levels and the levels in use.

        Args:
            send_request_to_controller: whether to ask the controller instead of any broker.
        """
        target = CONTROLLER if send_request_to_controller else ANY
        request = protocol.ApiVersionsRequest(
            client_software_name=_SOFTWARE, client_software_version=__version__
        )
        answer = self._wire.ask(request, target)
        check(answer)
        found: dict[str, Any] = {
            one.name: {"supported": (one.min_version, one.max_version)}
            for one in answer.supported_features
        }
        for one in answer.finalized_features:
            found.setdefault(one.name, {}).update(
                finalized=(one.min_version_level, one.max_version_level),
                finalized_epoch=answer.finalized_features_epoch,
            )
        return found

    def update_features(
        self,
        feature_updates: Mapping[str, Any],
        validate_only: bool = False,
        timeout_ms: float = 60000,
    ) -> dict[str, type[errors.BrokerResponseError]]:
        """Change the levels of features.

        Args:
            feature_updates: by feature, the level, or (level, UpdateFeatureType).
            validate_only: whether to check the request only, without a change.
            timeout_ms: milliseconds.

        Returns:
            A dict from each feature to NoError.

        Raises:
            BrokerResponseError: the broker's error.
        """
        kind = protocol.UpdateFeaturesRequest
        updates = []
        for name, given in feature_updates.items():
            level, how = given if isinstance(given, tuple) else (given, UpdateFeatureType.UPGRADE)
            updates.append(
                kind.FeatureUpdateKey(
                    feature=name,
                    max_version_level=level,
                    upgrade_type=UpdateFeatureType.value_for(how),
                )
            )
        request = kind(
            timeout_ms=int(timeout_ms), feature_updates=updates, validate_only=validate_only
        )
        answer = self._wire.ask(request, CONTROLLER, timeout_ms)
        check(answer)
        for one in answer.results:
            check(one, one.feature)
        return dict.fromkeys(feature_updates, errors.NoError)

    def describe_metadata_quorum(self) -> dict[str, Any]:
        """Return the voters and the observers of the controllers' quorum."""
        kind = protocol.DescribeQuorumRequest
        partition = kind.PartitionData(partition_index=0)
        topic = kind.TopicData(topic_name=_QUORUM_TOPIC, partitions=[partition])
        answer = self._wire.ask(kind(topics=[topic]), CONTROLLER)
        check(answer)
        found = plain(answer, "error_code", "error_message")
        for topic in found["topics"]:
            for one in topic["partitions"]:
                code, message = one.pop("error_code"), one.pop("error_message")
                one["error"] = str(errors.for_code(code)(message)) if code else None
        return found
