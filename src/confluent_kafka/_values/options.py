"""Options of requests."""

from confluent_kafka._values.ordered import OrderedEnum


class IsolationLevel(OrderedEnum):
    """Which records are visible when offsets are listed. librdkafka: rd_kafka_IsolationLevel_t."""

    READ_UNCOMMITTED = 0
    READ_COMMITTED = 1


class ElectionType(OrderedEnum):
    """Which replica becomes the leader. librdkafka: rd_kafka_ElectionType_t (KIP-460)."""

    PREFERRED = 0
    UNCLEAN = 1
