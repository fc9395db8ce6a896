"""librdkafka's statistics as objects: what ``Producer.stats()`` and ``Consumer.stats()`` return.

The names are those of librdkafka's own statistics, whose manual (STATISTICS.md) says what each
counts; times are in the units that it gives there. What a version of librdkafka does not
report has the value 0, "", False or None.
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
