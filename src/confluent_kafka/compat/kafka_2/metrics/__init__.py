"""What reporters of metrics are made of."""

from __future__ import annotations

from .metrics_reporter import AbstractMetricsReporter

__all__ = ["AbstractMetricsReporter"]
