"""OAUTHBEARER: valid and invalid tokens of oauth_cb and of an identity provider."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from tests.integration.kafka_cluster import SecuredKafkaCluster
from tests.integration.oidc import CLIENT_ID, CLIENT_SECRET
from tests.integration.security import SECONDS, Config, check_round_trip, failing, told
from tests.support.kafka import NO_BROKER, failure, send
from tests.support.secrets import secret
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

CLIENTS = [Producer, Consumer]
WRONG = secret("wrong")


def unsecured_token(lifetime: float) -> str:
    """A token without a signature, which the listener without TLS accepts."""
    now = time.time()
    claims = {"sub": "alice", "iat": now - 120, "exp": now + lifetime, "secret": secret("token")}
    parts = (
        base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in ({"alg": "none"}, claims)
    )
    return ".".join(parts) + "."


class Tokens:
    """An oauth_cb; `told` is the lifetime that it returns to the client."""

    def __init__(self, lifetime: float = 300, told: float | None = None) -> None:
        self.lifetime = lifetime
        self.told = lifetime if told is None else told
        self.made: list[float] = []

    def __call__(self, _config: str) -> tuple[str, float]:
        self.made.append(time.time())
        return unsecured_token(self.lifetime), time.time() + self.told


# ---- oauth_cb ----


@pytest.fixture
def oauth(secured_kafka: SecuredKafkaCluster) -> Config:
    """The configuration of a client, without its source of tokens."""
    return secured_kafka.config("SASL_PLAINTEXT") | {"sasl.mechanism": "OAUTHBEARER"}


def test_oauth_cb(oauth: Config, topic: str) -> None:
    """Clients log in with the token of oauth_cb."""
    check_round_trip(oauth | {"oauth_cb": Tokens()}, topic)


@pytest.mark.parametrize("client", CLIENTS)
def test_expired_token(oauth: Config, client: Any) -> None:
    """If the broker finds that a token has expired, the client gets _AUTHENTICATION."""
    tokens = Tokens(lifetime=-60, told=300)
    config = oauth | {"oauth_cb": tokens}
    told(client, config, KafkaError._AUTHENTICATION, "SASL authentication error")


@pytest.mark.parametrize("client", CLIENTS)
def test_token_that_is_known_to_be_expired(oauth: Config, client: Any) -> None:
    """If oauth_cb returns a token with a past expiry, the constructor raises, and nothing is
    sent."""
    config = oauth | {"oauth_cb": Tokens(lifetime=-60)}
    refused = pytest.raises(KafkaException, match="unexpired token")
    with refused as raised, failing(client, config):
        pass
    assert raised.value.code() == KafkaError.SASL_AUTHENTICATION_FAILED


def test_renewed_without_poll(oauth: Config, topic: str) -> None:
    """A connection works longer than its first token: the client gets a new token without a
    poll."""
    # librdkafka checks every second whether 80 % of the lifetime have passed.
    tokens = Tokens(lifetime=15, told=6)
    with failing(Producer, oauth | {"oauth_cb": tokens}) as (producer, errors):
        assert producer.list_topics(timeout=SECONDS).brokers
        wait_until(lambda: len(tokens.made) > 1)
        assert tokens.made[1] < tokens.made[0] + tokens.lifetime
        wait_until(lambda: time.time() > tokens.made[0] + tokens.lifetime)
        send(producer, topic, [b"value"])
        assert errors.calls == []


def test_unsecured_tokens_of_librdkafka(oauth: Config, topic: str) -> None:
    """`enable.sasl.oauthbearer.unsecure.jwt` makes tokens from sasl.oauthbearer.config."""
    config = oauth | {
        "enable.sasl.oauthbearer.unsecure.jwt": True,
        "sasl.oauthbearer.config": "principal=alice",
    }
    check_round_trip(config, topic)


# ---- OIDC ----


def oidc(kafka: SecuredKafkaCluster, url: str, secret: str = CLIENT_SECRET) -> Config:
    """The configuration of a client that gets its tokens at `url`."""
    return kafka.config("SASL_SSL") | {
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.client.id": CLIENT_ID,
        "sasl.oauthbearer.client.secret": secret,
        "sasl.oauthbearer.token.endpoint.url": url,
    }


def test_oidc(secured_kafka: SecuredKafkaCluster, topic: str) -> None:
    """Clients log in with a token of the identity provider."""
    check_round_trip(oidc(secured_kafka, secured_kafka.identity.token_url), topic)


@pytest.mark.parametrize("client", CLIENTS)
def test_unsecured_token_where_signatures_count(
    secured_kafka: SecuredKafkaCluster, client: Any
) -> None:
    """A broker that checks signatures refuses an unsecured token: the client gets
    _AUTHENTICATION."""
    config = secured_kafka.config("SASL_SSL") | {
        "sasl.mechanism": "OAUTHBEARER",
        "oauth_cb": Tokens(),
    }
    told(client, config, KafkaError._AUTHENTICATION, "SASL authentication error")


@pytest.mark.parametrize("client", CLIENTS)
def test_wrong_client_secret(secured_kafka: SecuredKafkaCluster, client: Any) -> None:
    """If the identity provider refuses the client, error_cb gets its error, without the secret."""
    config = oidc(secured_kafka, secured_kafka.identity.token_url, secret=WRONG)
    assert WRONG not in told(client, config, KafkaError._AUTHENTICATION, "invalid_client")


@pytest.mark.parametrize("client", CLIENTS)
def test_expired_token_of_the_provider(secured_kafka: SecuredKafkaCluster, client: Any) -> None:
    """The client does not send an expired token of the provider: error_cb gets _AUTHENTICATION."""
    config = oidc(secured_kafka, secured_kafka.identity.expired_url)
    told(client, config, KafkaError._AUTHENTICATION, "expired")


@pytest.mark.parametrize("client", CLIENTS)
def test_no_token_endpoint(secured_kafka: SecuredKafkaCluster, client: Any) -> None:
    """If nobody listens at the provider's URL, error_cb gets _AUTHENTICATION."""
    config = oidc(secured_kafka, f"http://{NO_BROKER}/token")
    told(client, config, KafkaError._AUTHENTICATION, "Failed to connect")


def test_list_topics(secured_kafka: SecuredKafkaCluster) -> None:
    """Without an error_cb, list_topics() raises an error with the reason for the missing token."""
    config = oidc(secured_kafka, secured_kafka.identity.token_url, secret=WRONG)
    with Producer(config) as producer:
        failure(lambda: producer.list_topics(timeout=2), "invalid_client")
