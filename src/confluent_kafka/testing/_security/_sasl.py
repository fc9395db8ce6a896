"""The brokers' side of the SASL mechanisms.

Each mechanism is a generator: it receives the client's messages and yields the answers. If the
client may log in, it returns the last answer and the name of the user. If not, it raises `Refused`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka.testing._security import _principals

if TYPE_CHECKING:
    from confluent_kafka.testing._security._settings import Security


class User(NamedTuple):
    """Who has logged in, and whether with a delegation token."""

    name: str
    has_token: bool = False


# It receives bytes after each yield, and returns the last answer and the user.
Login = Generator[bytes, bytes, tuple[bytes, User]]

_HASHES = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
# The numbers of the mechanisms in Kafka's protocol.
SCRAM_NUMBERS = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
_ITERATIONS = 4096


class Refused(Exception):
    """The login fails, with Kafka's text for the client."""


class Credential(NamedTuple):
    """What a broker stores of a user's password for one mechanism of SCRAM."""

    iterations: int
    salt: bytes
    salted_password: bytes


# By user and number of the mechanism.
Credentials = Mapping[str, Mapping[int, Credential]]


def credential(mechanism: str, password: str) -> Credential:
    """Return the credential of a password for a mechanism."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac(_HASHES[mechanism], password.encode(), salt, _ITERATIONS)
    return Credential(_ITERATIONS, salt, salted)


# Takes the id of a delegation token and the number of a mechanism. Returns the token's credential
# and the name of its owner, or None if there is no such token.
FindToken = Callable[[str, int], "tuple[Credential, str] | None"]


def begin(
    mechanism: str, security: Security, credentials: Credentials, find_token: FindToken
) -> Login:
    """Begin the login of one client. Send its first message into the generator first."""
    if mechanism == "PLAIN":
        login = _plain(security.users)
    elif mechanism == "OAUTHBEARER":
        login = _oauthbearer(security.check_token or _check_unsecured)
    else:
        login = _scram(mechanism, credentials, find_token)
    next(login)
    return login


def _plain(users: Mapping[str, str]) -> Login:
    parts = (yield b"").split(b"\0")
    if len(parts) != 3:
        raise Refused("Authentication failed: the message is not one of PLAIN")
    authorization, user, password = (part.decode(errors="replace") for part in parts)
    known = users.get(user)
    right = known is not None and hmac.compare_digest(known.encode(), password.encode())
    if not right:
        raise Refused("Authentication failed: Invalid username or password")
    if authorization not in ("", user):
        raise Refused(
            "Authentication failed: Client requested an authorization id that is "
            "different from username"
        )
    return b"", User(user)


def _scram(mechanism: str, credentials: Credentials, find_token: FindToken) -> Login:
    refused = Refused(
        "Authentication failed during authentication due to invalid credentials with SASL "
        f"mechanism {mechanism}"
    )
    first = (yield b"").decode(errors="replace")
    # The header of GSS-API, two fields, comes before the message.
    header, bare = _split_header(first, refused)
    fields = _fields(bare)
    name = fields.get("n", "").replace("=2C", ",").replace("=3D", "=")
    number = SCRAM_NUMBERS[mechanism]
    has_token = fields.get("tokenauth") == "true"
    if has_token:
        known, name = find_token(name, number) or (None, name)
    else:
        known = credentials.get(name, {}).get(number)
    if known is None or "r" not in fields:
        raise refused
    nonce = fields["r"] + secrets.token_urlsafe(18)
    salt = base64.b64encode(known.salt).decode()
    challenge = f"r={nonce},s={salt},i={known.iterations}"
    final = (yield challenge.encode()).decode(errors="replace")
    without_proof, _, proof = final.rpartition(",p=")
    given = _fields(without_proof)
    if given.get("r") != nonce or given.get("c") != base64.b64encode(header.encode()).decode():
        raise refused
    signed = f"{bare},{challenge},{without_proof}".encode()
    name_of_hash = _HASHES[mechanism]
    client_key = hmac.digest(known.salted_password, b"Client Key", name_of_hash)
    stored_key = hashlib.new(name_of_hash, client_key).digest()
    signature = hmac.digest(stored_key, signed, name_of_hash)
    expected = bytes(a ^ b for a, b in zip(client_key, signature, strict=True))
    if not hmac.compare_digest(base64.b64encode(expected), proof.encode()):
        raise refused
    server_key = hmac.digest(known.salted_password, b"Server Key", name_of_hash)
    signature = base64.b64encode(hmac.digest(server_key, signed, name_of_hash))
    return b"v=" + signature, User(name, has_token)


def _split_header(first: str, refused: Refused) -> tuple[str, str]:
    parts = first.split(",", 2)
    if len(parts) != 3:
        raise refused
    return f"{parts[0]},{parts[1]},", parts[2]


def _fields(message: str) -> dict[str, str]:
    pairs = (part.partition("=") for part in message.split(","))
    return {name: value for name, _, value in pairs}


def _oauthbearer(check: Callable[[str], object]) -> Login:
    first = (yield b"").decode(errors="replace")
    parts = [part for part in first.split("\x01") if part.startswith("auth=Bearer ")]
    token = parts[0].removeprefix("auth=Bearer ") if parts else ""
    checked = _checked(check, token)
    if not parts or not checked:
        # RFC 7628: the client answers with one more message before the login fails.
        answer = '{"status":"invalid_token"}'
        yield answer.encode()
        raise Refused(answer)
    return b"", User(_principals.of_token(token, checked))


def _checked(check: Callable[[str], object], token: str) -> object:
    try:
        return check(token)
    except Exception:
        return None


def _check_unsecured(token: str) -> bool:
    """Do what Kafka does without a key: read a token that nobody signed."""
    header, _, signature = token.split(".")
    if signature or _principals.decoded(header)["alg"] != "none":
        return False
    told = _principals.claims(token)
    return bool(told["sub"]) and time.time() < told["exp"]
