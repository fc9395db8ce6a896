"""Ranges of offsets: the parts of partitions that Spark's tasks read."""

import logging
from dataclasses import dataclass

from pyspark.sql.datasource import InputPartition

from .offsets import Partition
from .read_options import ReadOptions

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class OffsetRange:
    """Offsets of one partition, from ``start`` up to, but not including, ``end``."""

    partition: Partition
    start: int
    end: int


@dataclass(frozen=True)
class TaskRanges(InputPartition):
    """The ranges that one task reads: at least one, and at most one of each partition."""

    ranges: tuple[OffsetRange, ...]


class DataLoss(RuntimeError):
    """Offsets that were requested existed once and no longer exist."""


def report_loss(options: ReadOptions, what: str) -> None:
    """Raise DataLoss, or only log it, depending on the option ``failOnDataLoss``."""
    if options.fail_on_data_loss:
        raise DataLoss(f"{what}. Set the option failOnDataLoss to false to go on without them.")
    _log.warning("%s; going on without them, as failOnDataLoss is false", what)
