"""The base of reporters of metrics."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping
from typing import Any


class AbstractMetricsReporter(abc.ABC):
    """The base class of a program's reporters of metrics.

    No client here calls reporters, and all clients refuse ``metric_reporters``. Call ``metrics()``,
    which returns librdkafka's statistics.
    """

    @abc.abstractmethod
    def init(self, metrics: Iterable[Any]) -> None:
        """Take the metrics that exist at the beginning."""

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
        """Stop the reporter."""
