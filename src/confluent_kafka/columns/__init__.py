"""Decodes payloads into Arrow columns, and encodes Arrow columns as payloads."""

from __future__ import annotations

from confluent_kafka._values.rows import RowError
from confluent_kafka.cimpl import DecodedRows, EncodedRows
from confluent_kafka.columns._avro_schema import AvroResolutionError, AvroSchemaError
from confluent_kafka.columns._json_layout import JSONSchemaError
from confluent_kafka.columns.avro import AvroDecoder
from confluent_kafka.columns.avro_encoder import AvroEncoder
from confluent_kafka.columns.batch import (
    DecodedBatch,
    EncodedBatch,
    decode_batch,
    encode_batch,
)
from confluent_kafka.columns.json_encoder import JSONEncoder
from confluent_kafka.columns.json_text import JSONDecoder
from confluent_kafka.columns.protobuf import ProtobufDecoder
from confluent_kafka.columns.protobuf_encoder import ProtobufEncoder
from confluent_kafka.columns.registry import AvroColumns, JSONColumns, ProtobufColumns
from confluent_kafka.columns.topic import Progress, TopicReader, read_topic

__all__ = [
    "AvroColumns",
    "AvroDecoder",
    "AvroEncoder",
    "AvroResolutionError",
    "AvroSchemaError",
    "DecodedBatch",
    "DecodedRows",
    "EncodedBatch",
    "EncodedRows",
    "JSONColumns",
    "JSONDecoder",
    "JSONEncoder",
    "JSONSchemaError",
    "Progress",
    "ProtobufColumns",
    "ProtobufDecoder",
    "ProtobufEncoder",
    "RowError",
    "TopicReader",
    "decode_batch",
    "encode_batch",
    "read_topic",
]
