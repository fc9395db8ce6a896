"""Features of the cluster: change their versions.

When a client connects, the brokers return the versions in ApiVersions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Brokers, Refused, outcome

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

# The only feature, and its versions.
_FEATURE = "transaction.version"
_VERSIONS = range(1, 3)

_UPGRADE, _SAFE_DOWNGRADE, _UNSAFE_DOWNGRADE = 1, 2, 3
# The first version of UpdateFeatures whose answer has no result for each feature.
_WITHOUT_RESULTS = 2


class Features:
    """Answers requests about features.

    Args:
        brokers: the brokers, which have the features.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {protocol.UpdateFeaturesRequest: self._update}

    # ---- kept between runs ----

    kept_as = "features"

    def saved(self) -> dict[str, int]:
        """Return the version of each feature."""
        return {_FEATURE: self._brokers.state().transaction_version}

    def restore(self, saved: Mapping[str, Literal[1, 2]]) -> None:
        """Set the versions of an earlier run."""
        self._brokers.cluster.set_transaction_version(saved[_FEATURE])

    # ---- requests ----

    def _update(self, request: Any, context: RequestContext) -> Any:
        """Change all features, or none."""
        response = protocol.UpdateFeaturesResponse
        ended = outcome(self._check, request, context.version)
        if not ended["error_code"] and not request.validate_only:
            for update in request.feature_updates:
                level = update.max_version_level
                ended = outcome(self._brokers.cluster.set_transaction_version, level)
        if ended["error_code"] or context.version >= _WITHOUT_RESULTS:
            return response(**ended)
        results = [
            response.UpdatableFeatureResult(feature=update.feature)
            for update in request.feature_updates
        ]
        return response(results=results)

    def _check(self, request: Any, version: int) -> None:
        current = self._brokers.state().transaction_version
        for update in request.feature_updates:
            kind = update.upgrade_type
            if version == 0:
                kind = _SAFE_DOWNGRADE if update.allow_downgrade else _UPGRADE
            problem = _problem(update.feature, update.max_version_level, kind, current)
            if problem is not None:
                raise Refused(
                    KafkaError.INVALID_UPDATE_VERSION,
                    f"The update failed for all features since the following feature had an error: "
                    f"Invalid update version {update.max_version_level} for feature "
                    f"{update.feature}. {problem}",
                )


def _problem(feature: str, level: int, kind: int, current: int) -> str | None:
    """Return why Kafka refuses a change, or None."""
    if feature != _FEATURE:
        return "The controller does not support this feature."
    if level not in _VERSIONS:
        return f"The controller supports versions {_VERSIONS[0]}-{_VERSIONS[-1]}."
    if kind not in {_UPGRADE, _SAFE_DOWNGRADE, _UNSAFE_DOWNGRADE}:
        return f"The controller does not support the upgrade type {kind}."
    if level < current and kind == _UPGRADE:
        return (
            "Can't downgrade the version of this feature without setting the upgrade type to "
            "either safe or unsafe downgrade."
        )
    if level > current and kind != _UPGRADE:
        return "Can't downgrade to a newer version."
    return None
