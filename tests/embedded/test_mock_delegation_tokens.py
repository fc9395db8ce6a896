"""Delegation tokens of the embedded cluster, in tests that do not also run on real brokers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, protocol
from confluent_kafka.admin import AdminClient, DelegationToken
from confluent_kafka.testing import MockCluster, RequestContext, Security
from tests.integration.token_login import lets_in
from tests.support.patches import needs
from tests.support.secrets import secret
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("raw-request", "mock-on-request")

USERS = {"alice": secret("alice"), "bob": secret("bob")}


@pytest.fixture
def cluster() -> Iterator[MockCluster]:
    """A cluster whose users log in, with an authorizer but without ACLs."""
    security = Security(
        protocol="SASL_PLAINTEXT", mechanisms=["SCRAM-SHA-256"], users=USERS, authorizer=True
    )
    with MockCluster(security=security) as one:
        yield one


def created(cluster: MockCluster, **options: Any) -> DelegationToken:
    """A token of alice."""
    with AdminClient(cluster.client_config("alice")) as admin:
        return admin.create_delegation_token(**options).result(TIMEOUT)


def test_expired_token_does_not_log_in(cluster: MockCluster) -> None:
    """A token can be used for logins until it expires, and cannot be renewed afterwards."""
    token = created(cluster)
    server = cluster.bootstrap_servers.split(",")[0]
    assert lets_in(server, token)
    with AdminClient(cluster.client_config("alice")) as admin:
        admin.expire_delegation_token(token.hmac, expiry_time_period=0.001).result(TIMEOUT)
        wait_until(lambda: not lets_in(server, token))
        with pytest.raises(KafkaException) as refused:
            admin.renew_delegation_token(token.hmac).result(TIMEOUT)
    assert refused.value.args[0].code() == KafkaError.DELEGATION_TOKEN_EXPIRED


def test_acls_decide_about_the_tokens_of_others(cluster: MockCluster) -> None:
    """Without an ACL, a user can neither create tokens for other users nor see their tokens."""
    token = created(cluster)
    with AdminClient(cluster.client_config("bob")) as admin:
        assert admin.describe_delegation_token().result(TIMEOUT) == []
        with pytest.raises(KafkaException) as refused:
            admin.create_delegation_token(owner="User:alice").result(TIMEOUT)
    assert refused.value.args[0].code() == KafkaError.DELEGATION_TOKEN_AUTHORIZATION_FAILED
    with AdminClient(cluster.client_config("alice")) as admin:
        assert admin.describe_delegation_token().result(TIMEOUT) == [token]


def test_a_handler_answers_instead(cluster: MockCluster) -> None:
    """A handler of on_request() also answers clients that have logged in."""

    def disabled(request: Any, context: RequestContext) -> Any:
        code = KafkaError.DELEGATION_TOKEN_AUTH_DISABLED
        return protocol.CreateDelegationTokenResponse(error_code=code)

    cluster.on_request(protocol.CreateDelegationTokenRequest.api_key, disabled)
    with pytest.raises(KafkaException) as refused:
        created(cluster)
    assert refused.value.args[0].code() == KafkaError.DELEGATION_TOKEN_AUTH_DISABLED
