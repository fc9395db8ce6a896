"""Reads the configuration that librdkafka uses, and the errors for wrong configurations."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer


class Records(logging.Handler):
    """Keeps the messages of all records."""

    def __init__(self) -> None:
        super().__init__(level=logging.DEBUG)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def effective(
    config: dict[str, Any], client: type[Producer] | type[Consumer] = Producer, **keywords: Any
) -> dict[str, str]:
    """The settings that librdkafka logs with debug=conf.

    It logs only settings that are not defaults.
    """
    records = Records()
    base: dict[str, Any] = {"debug": "conf", "logger": records}
    if client is Consumer:
        base["group.id"] = "group"
    client(base | config, **keywords).close()
    lines = (re.search(r"\]:   (\S+) = (.*)", message) for message in records.messages)
    return {line[1]: line[2] for line in lines if line}


def refusal(
    config: Any, client: type[Producer] | type[Consumer] = Producer, **keywords: Any
) -> str:
    """Create the client, which must raise KafkaException(_INVALID_ARG); return the error's text."""
    with pytest.raises(KafkaException) as caught:
        client(config, **keywords)
    error = caught.value.args[0]
    assert isinstance(error, KafkaError)
    assert error.code() == KafkaError._INVALID_ARG
    assert not error.fatal()
    return error.str()
