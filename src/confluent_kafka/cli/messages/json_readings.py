"""Reads JSON that was written with a registry's schema."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from confluent_kafka.cli.messages.decoding import Decoded, Failure, checked_json
from confluent_kafka.cli.messages.layouts import Layout
from confluent_kafka.cli.messages.payloads import Payloads
from confluent_kafka.cli.messages.readings import Reads
from confluent_kafka.columns import JSONColumns, JSONSchemaError


class JsonOfRegistry(Reads):
    """Reads JSON. Only columns need the schema.

    Args:
        registry: the SchemaRegistryClient.
        schema: the schema.
        frame: the size of the framing before each payload.
    """

    def __init__(self, registry: Any, schema: Any, frame: int) -> None:
        self._registry = registry
        self._schema = schema
        self._frame = frame

    def __call__(self, payloads: Sequence[bytes]) -> list[Decoded]:
        return [self._read(payload[self._frame :]) for payload in payloads]

    def layout(self, payload: bytes) -> Layout | None:
        return self._layout

    @cached_property
    def _layout(self) -> Layout | None:
        columns = JSONColumns(self._registry, schema=self._schema, extra="error")
        document = columns._document(self._schema)
        try:
            columns.decode(Payloads([]))
        except JSONSchemaError:
            return None
        is_object = isinstance(document, dict) and (
            document.get("type") == "object" or "properties" in document
        )
        if not is_object:
            return None
        return Layout(columns.decode, "json", False, json.dumps(document))

    def _read(self, payload: bytes) -> Decoded:
        try:
            return checked_json(payload)
        except ValueError as error:
            return Failure(error)
