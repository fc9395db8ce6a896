"""librdkafka's statistics as objects: what ``Producer.stats()`` and ``Consumer.stats()`` return.

The names are those of librdkafka's own statistics. Its manual (STATISTICS.md) explains each value
and gives the units of times. A value that a version of librdkafka does not report is 0, "", False
or None.
"""

from __future__ import annotations

from confluent_kafka._values.statistics import (
    BrokerStatistics,
    GroupStatistics,
    PartitionStatistics,
    Statistics,
    TopicStatistics,
    TransactionStatistics,
    WindowStatistics,
    from_json,
)

__all__ = [
    "BrokerStatistics",
    "GroupStatistics",
    "PartitionStatistics",
    "Statistics",
    "TopicStatistics",
    "TransactionStatistics",
    "WindowStatistics",
    "from_json",
]
