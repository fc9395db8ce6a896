"""Features: the versions that the cluster uses, and the versions that brokers support."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import (
    ANY,
    CONTROLLER,
    ProtocolRequests,
    error_of,
    known,
    raise_error_of,
)
from confluent_kafka.admin._protocol import broker as node
from confluent_kafka.admin._requests import checked, new_futures, number_of
from confluent_kafka.cimpl import KafkaError, libversion, version

_Split = Callable[[protocol.UpdateFeaturesResponse], Iterator[tuple[str, KafkaError | None]]]

_HIGHEST_LEVEL = 2**15 - 1
# The same values as in the connection's first request: brokers keep the latest values they get.
_SOFTWARE_NAME = "confluent-kafka-python"
_SOFTWARE_VERSION = f"{version()}-librdkafka-{libversion()[0]}"


@dataclass(frozen=True)
class SupportedVersionRange:
    """The versions of a feature that a broker supports.

    Attributes:
        min_version: the lowest version; 0 means without the feature.
        max_version: the highest version.

    Kafka: org.apache.kafka.clients.admin.SupportedVersionRange (KIP-584).
    """

    min_version: int
    max_version: int


@dataclass(frozen=True)
class FinalizedVersionRange:
    """The versions of a feature that the cluster has finalized.

    Attributes:
        min_version_level: the lowest version that brokers must support.
        max_version_level: the version that is in use.

    Kafka: org.apache.kafka.clients.admin.FinalizedVersionRange (KIP-584).
    """

    min_version_level: int
    max_version_level: int


@dataclass(frozen=True)
class FeatureMetadata:
    """The features of a cluster.

    Attributes:
        finalized_features: a dict of each feature's name to its FinalizedVersionRange.
        finalized_features_epoch: grows with every change of these features; None if the broker
            does not know them yet.
        supported_features: a dict of each feature's name to its SupportedVersionRange, for the
            broker that was asked.

    Kafka: org.apache.kafka.clients.admin.FeatureMetadata (KIP-584).
    """

    finalized_features: dict[str, FinalizedVersionRange]
    finalized_features_epoch: int | None
    supported_features: dict[str, SupportedVersionRange]


class UpgradeType(Enum):
    """The direction in which the version of a feature may change.

    Kafka: org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType (KIP-778).
    """

    UPGRADE = 1  # upgrade only
    SAFE_DOWNGRADE = 2  # downgrade, if no metadata is lost
    UNSAFE_DOWNGRADE = 3  # downgrade, even if metadata is lost


@dataclass(frozen=True)
class FeatureUpdate:
    """The new version of a feature.

    Attributes:
        max_version_level: the version, from 0 to 32767; 0 disables the feature, and counts as a
            downgrade.
        upgrade_type: UpgradeType.

    Raises:
        TypeError, ValueError: an argument is wrong.

    Kafka: org.apache.kafka.clients.admin.FeatureUpdate (KIP-584, KIP-778).
    """

    max_version_level: int
    upgrade_type: UpgradeType = UpgradeType.UPGRADE

    def __post_init__(self) -> None:
        level = number_of(self.max_version_level, _HIGHEST_LEVEL, "max_version_level")
        kind = checked(self.upgrade_type, UpgradeType, "upgrade_type")
        if level == 0 and kind is UpgradeType.UPGRADE:
            raise ValueError("upgrade_type must be a downgrade where max_version_level is 0")


class FeatureRequests(ProtocolRequests):
    """Requests about features."""

    __slots__ = ()

    def describe_features(
        self, *, broker: int | None = None, request_timeout: float | None = None
    ) -> Future[FeatureMetadata]:
        """Read the versions of features that the cluster uses and that a broker supports.

        Args:
            broker: the id of the broker to ask; any broker if None.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future; its result is a FeatureMetadata. It has no features if the broker is older
            than 2.7. It fails with _TIMED_OUT if the broker does not answer ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: ApiVersions (KIP-584).
        """
        request = protocol.ApiVersionsRequest(
            client_software_name=_SOFTWARE_NAME, client_software_version=_SOFTWARE_VERSION
        )
        target = ANY if broker is None else node(broker)
        return self._exchange(request, target, request_timeout, _metadata)

    def update_features(
        self,
        feature_updates: dict[str, FeatureUpdate],
        *,
        validate_only: bool = False,
        request_timeout: float | None = None,
    ) -> dict[str, Future[None]]:
        """Change the versions of features. If one change is refused, none is made.

        Args:
            feature_updates: a dict of each feature's name to its FeatureUpdate.
            validate_only: only check whether the request could be carried out.
            request_timeout: as for describe_features().

        Returns:
            A future for each feature; its result is None. It fails with INVALID_UPDATE_VERSION (the
            feature does not exist, a broker does not support the version, or upgrade_type excludes
            the change), CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: UpdateFeatures (KIP-584, KIP-778).
        """
        updates = _checked_updates(feature_updates)
        request = protocol.UpdateFeaturesRequest(
            feature_updates=[
                protocol.UpdateFeaturesRequest.FeatureUpdateKey(
                    feature=feature,
                    max_version_level=update.max_version_level,
                    upgrade_type=update.upgrade_type.value,
                )
                for feature, update in updates.items()
            ],
            validate_only=checked(validate_only, bool, "validate_only"),
        )
        futures = new_futures(updates)
        self._exchange_each(request, CONTROLLER, request_timeout, futures, _updated(updates))
        return futures


def _checked_updates(given: object) -> dict[str, FeatureUpdate]:
    name = "feature_updates"
    updates: dict[str, FeatureUpdate] = checked(given, dict, name)
    if not updates:
        raise ValueError(f"{name} must not be empty")
    for feature, update in updates.items():
        if not checked(feature, str, f"a key of {name}"):
            raise ValueError(f"a key of {name} must not be empty")
        checked(update, FeatureUpdate, f"the value for {feature!r} in {name}")
    return updates


def _metadata(response: protocol.ApiVersionsResponse) -> FeatureMetadata:
    raise_error_of(response)
    return FeatureMetadata(
        {
            one.name: FinalizedVersionRange(one.min_version_level, one.max_version_level)
            for one in response.finalized_features
        },
        known(response.finalized_features_epoch),
        {
            one.name: SupportedVersionRange(one.min_version, one.max_version)
            for one in response.supported_features
        },
    )


def _updated(updates: dict[str, FeatureUpdate]) -> _Split:
    def split(
        response: protocol.UpdateFeaturesResponse,
    ) -> Iterator[tuple[str, KafkaError | None]]:
        raise_error_of(response)
        # Only brokers before 4.0 answer for each feature separately.
        errors = {one.feature: error_of(one) for one in response.results}
        for feature in updates:
            yield feature, errors.get(feature)

    return split
