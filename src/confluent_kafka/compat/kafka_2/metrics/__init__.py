"""The base class of reporters of metrics."""

from __future__ import annotations

from .metrics_reporter import AbstractMetricsReporter

__all__ = ["AbstractMetricsReporter"]
