"""Names of ``confluent_kafka.admin`` under another import path."""

from confluent_kafka.admin import ListOffsetsResultInfo, OffsetSpec

__all__ = ["ListOffsetsResultInfo", "OffsetSpec"]
