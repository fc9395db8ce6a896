"""The names of clients in ACLs: the parts of Kafka's principals after ``User:``."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

ANONYMOUS = "ANONYMOUS"

# Java's short names, which RFC 2253 defines.
_SHORT = {
    "commonName": "CN",
    "countryName": "C",
    "localityName": "L",
    "organizationName": "O",
    "organizationalUnitName": "OU",
    "stateOrProvinceName": "ST",
    "streetAddress": "STREET",
    "domainComponent": "DC",
    "userId": "UID",
}


def of_certificate(certificate: Any) -> str:
    """Return the distinguished name of a client's certificate, from `SSLSocket.getpeercert()`."""
    subject = (certificate or {}).get("subject", ())
    parts = ["+".join(f"{_SHORT.get(k, k)}={_escaped(v)}" for k, v in each) for each in subject]
    return ",".join(reversed(parts)) or ANONYMOUS


def _escaped(value: str) -> str:
    return re.sub(r'([,+"\\<>;])', r"\\\1", value)


def of_token(token: str, checked: object) -> str:
    """Return the name in a token of OAUTHBEARER: what its check returned, or else the ``sub``."""
    if isinstance(checked, str):
        return checked
    try:
        name = claims(token)["sub"]
    except (ValueError, KeyError, TypeError):  # a token that only the test's own check can read
        return ANONYMOUS
    return str(name)


def claims(token: str) -> dict[str, Any]:
    """Return the claims of a token in JWT's format, without a check.

    Raises:
        ValueError: the token has another format.
    """
    return decoded(token.split(".")[1] if token.count(".") == 2 else "")


def decoded(part: str) -> dict[str, Any]:
    """Decode one part of a token.

    Raises:
        ValueError: it is not Base64 of JSON.
    """
    value: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return value
