"""Logs in with a delegation token by SCRAM, because librdkafka does not support such logins."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import socket
import struct
from typing import Any

from confluent_kafka import protocol
from confluent_kafka.admin import DelegationToken
from tests.support.protocol import answer_of, sized, text
from tests.support.waiting import TIMEOUT


def lets_in(address: str, token: DelegationToken) -> bool:
    """Whether a SASL_PLAINTEXT listener accepts the token and proves that the broker has it."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=TIMEOUT) as connection:
        handshake = protocol.SaslHandshakeRequest(mechanism="SCRAM-SHA-256")
        assert _ask(connection, handshake, 1).error_code == 0
        return _scram(connection, token)


def _scram(connection: socket.socket, token: DelegationToken) -> bool:
    first = f"n={token.token_info.token_id},r={secrets.token_hex()},tokenauth=true"
    challenge = _say(connection, f"n,,{first}")
    if challenge is None:
        return False
    fields = dict(field.split("=", 1) for field in challenge.split(","))
    last = f"c=biws,r={fields['r']}"
    password = token.hmac_as_base64.encode()
    salt = base64.b64decode(fields["s"])
    salted = hashlib.pbkdf2_hmac("sha256", password, salt, int(fields["i"]))
    said = f"{first},{challenge},{last}"
    key = _mac(salted, "Client Key")
    signature = _mac(hashlib.sha256(key).digest(), said)
    proof = bytes(one ^ other for one, other in zip(key, signature, strict=True))
    answer = _say(connection, f"{last},p={base64.b64encode(proof).decode()}")
    expected = _mac(_mac(salted, "Server Key"), said)
    return answer == f"v={base64.b64encode(expected).decode()}"


def _mac(key: bytes, message: str) -> bytes:
    return hmac.digest(key, message.encode(), "sha256")


def _say(connection: socket.socket, message: str) -> str | None:
    answer = _ask(connection, protocol.SaslAuthenticateRequest(auth_bytes=message.encode()), 0)
    return answer.auth_bytes.decode() if answer.error_code == 0 else None


def _ask(connection: socket.socket, request: protocol.Request, version: int) -> Any:
    header = struct.pack(">hhi", request.api_key, version, 1) + text("tests")
    connection.sendall(sized(header + request.encode(version)))
    return request.response_class.decode(answer_of(connection), version)
