"""The base of reporters of metrics."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping
from typing import Any


class AbstractMetricsReporter(abc.ABC):
    """What programs derive their reporters of metrics from.

    No client here calls them: they refuse ``metric_reporters``. Call ``metrics()``, which has
    librdkafka's statistics.
    """

    @abc.abstractmethod
    def init(self, metrics: Iterable[Any]) -> None:
        """Take the metrics that there are at the beginning."""

    @abc.abstractmethod
    def metric_change(self, metric: Any) -> None:
        """Take a metric that was added or changed."""

    @abc.abstractmethod
    def metric_removal(self, metric: Any) -> None:
        """Forget a metric."""

    @abc.abstractmethod
    def configure(self, configs: Mapping[str, Any]) -> None:
        """Take the client's keywords."""

    @abc.abstractmethod
    def close(self) -> None:
        """End."""
