"""The tests' broker that receives credentials."""

from __future__ import annotations

import socket
import struct

import pytest

from confluent_kafka import Producer
from tests.embedded.sasl_broker import API_VERSIONS, SaslBroker
from tests.support.secrets import secret


@pytest.mark.parametrize(
    "sent",
    [b"", struct.pack(">ihhi", 8, API_VERSIONS, 0, 1)],
    ids=["at-once", "after-a-request"],
)
def test_who_hangs_up_is_not_heard(sent: bytes) -> None:
    """The broker ignores a connection that ends before its credentials, and waits for the
    client."""
    broker = SaslBroker("PLAIN")
    with broker.socket:
        with socket.create_connection(broker.socket.getsockname()) as stranger:
            stranger.sendall(sent)
        settings = {
            "security.protocol": "sasl_plaintext",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "name",
            "sasl.password": secret("word"),
            "log_level": 0,
        }
        with Producer(broker.settings | settings):
            assert broker.initial_response() == f"\0name\0{secret('word')}".encode()
