"""A small OIDC identity provider: a token endpoint for client credentials, and its keys."""

from __future__ import annotations

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from jwcrypto.jwk import JWK
from jwcrypto.jwt import JWT

from tests.support.secrets import secret

CLIENT_ID = "alice"
CLIENT_SECRET = secret("oidc")
AUDIENCE = "kafka"
ISSUER = "tests"


class IdentityProvider:
    """Listens on loopback from the start until close()."""

    def __init__(self) -> None:
        key = JWK.generate(kty="RSA", size=2048, kid="tests", use="sig", alg="RS256")
        self._key = key

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(200, {"keys": [key.export_public(as_dict=True)]})

            def do_POST(self) -> None:
                # Read the body: otherwise, a client that is still sending it would get a reset.
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if self.headers.get("Authorization") != _basic(CLIENT_ID, CLIENT_SECRET):
                    self._answer(401, {"error": "invalid_client"})
                    return
                lifetime = -60 if self.path == "/expired" else 300
                self._answer(
                    200,
                    {
                        "access_token": sign_token(key, CLIENT_ID, lifetime),
                        "token_type": "Bearer",
                        "expires_in": lifetime,
                    },
                )

            def _answer(self, status: int, body: dict[str, Any]) -> None:
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *args: Any) -> None:
                """Log nothing, because the log lines are not about failures."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://localhost:{self._server.server_address[1]}"
        self.token_url = f"{self.url}/token"
        self.expired_url = f"{self.url}/expired"
        self.jwks_url = f"{self.url}/jwks"

    def check(self, token: str) -> str:
        """Return the user of a valid token; raise an exception for other tokens."""
        claims = {"iss": ISSUER, "aud": AUDIENCE, "exp": None, "sub": None}
        checked = JWT(jwt=token, key=self._key, check_claims=claims)
        user: str = json.loads(checked.claims)["sub"]
        return user

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def sign_token(key: JWK, subject: str, lifetime: int) -> str:
    """Return a token that the tests' brokers accept for `lifetime` seconds from now."""
    now = int(time.time())
    token = JWT(
        header={"alg": "RS256", "kid": "tests"},
        claims={
            "iss": ISSUER,
            "sub": subject,
            "aud": AUDIENCE,
            "iat": now - 120,
            "exp": now + lifetime,
            "scope": "kafka",
            "secret": secret("token"),
        },
    )
    token.make_signed_token(key)
    serialized: str = token.serialize()
    return serialized


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
