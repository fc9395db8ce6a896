"""Another import path for names of ``confluent_kafka.admin``."""

from confluent_kafka.admin import ListOffsetsResultInfo, OffsetSpec

__all__ = ["ListOffsetsResultInfo", "OffsetSpec"]
