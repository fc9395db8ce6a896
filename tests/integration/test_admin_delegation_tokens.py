"""Delegation tokens on real brokers."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, DelegationToken
from confluent_kafka.aio import AIOAdminClient
from tests.integration.kafka_cluster import USERS, SecuredKafkaCluster
from tests.integration.security import plain
from tests.integration.token_login import lets_in
from tests.support.aio import in_loop
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters, needs("raw-request")]

ALICE, BOB = "User:alice", "User:bob"
HOUR = 3600


def logged_in(kafka: SecuredKafkaCluster, user: str) -> dict[str, Any]:
    return kafka.config("SASL_PLAINTEXT") | plain(user, USERS[user])


@pytest.fixture
def alice(secured_kafka: SecuredKafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(logged_in(secured_kafka, "alice")) as admin:
        yield admin


@pytest.fixture
def bob(secured_kafka: SecuredKafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(logged_in(secured_kafka, "bob")) as admin:
        yield admin


def described(admin: AdminClient, token: DelegationToken, *owners: str) -> list[DelegationToken]:
    """The descriptions of the token: a list of one, or an empty list."""
    found = admin.describe_delegation_token(owners=list(owners) or None).result(TIMEOUT)
    return [each for each in found if each.hmac == token.hmac]


def let_in_everywhere(kafka: SecuredKafkaCluster, token: DelegationToken) -> bool:
    return all(lets_in(each, token) for each in kafka.servers("SASL_PLAINTEXT").split(","))


def wait_until_known(admin: AdminClient, token: DelegationToken) -> None:
    """Wait until the controller has the token.

    The controller gets the token after a delay, as every broker does.
    """

    def is_renewed() -> bool:
        error = admin.renew_delegation_token(token.hmac).exception(TIMEOUT)
        assert error is None or code_of_error(error) == KafkaError.DELEGATION_TOKEN_NOT_FOUND
        return error is None

    wait_until(is_renewed)


def wait_until_forgotten(admin: AdminClient, token: DelegationToken) -> None:
    """Wait until the controller has removed the token; before that, a renewal would succeed."""

    def is_unknown() -> bool:
        error = admin.expire_delegation_token(token.hmac).exception(TIMEOUT)
        assert error is None or code_of_error(error) == KafkaError.DELEGATION_TOKEN_NOT_FOUND
        return error is not None

    wait_until(is_unknown)


def remove(admin: AdminClient, token: DelegationToken) -> None:
    wait_until_known(admin, token)
    admin.expire_delegation_token(token.hmac).result(TIMEOUT)


def code_of_error(error: BaseException | None) -> int:
    assert isinstance(error, KafkaException)
    return error.code()


def code_of(future: Future[Any]) -> int:
    return code_of_error(future.exception(TIMEOUT))


def test_life_of_a_token(
    secured_kafka: SecuredKafkaCluster, alice: AdminClient, bob: AdminClient
) -> None:
    """A token is created, described, renewed by another user and used to log in; after its end it
    does not exist."""
    token = alice.create_delegation_token(renewers=[BOB], max_lifetime=HOUR).result(TIMEOUT)
    known = token.token_info
    assert (known.owner, known.token_requester, known.renewers) == (ALICE, ALICE, [BOB])
    assert known.max_timestamp - known.issue_timestamp == HOUR * 1000
    assert known.issue_timestamp < known.expiry_timestamp <= known.max_timestamp
    assert abs(known.issue_timestamp / 1000 - time.time()) < HOUR
    wait_until(lambda: described(alice, token) == [token])
    wait_until(lambda: described(alice, token, BOB) == [token])  # bob may renew the token
    assert described(alice, token, "User:nobody") == []
    wait_until(lambda: let_in_everywhere(secured_kafka, token))
    wait_until_known(alice, token)
    renewed = bob.renew_delegation_token(token.hmac, renew_time_period=HOUR / 2).result(TIMEOUT)
    assert known.issue_timestamp + HOUR * 500 <= renewed < known.max_timestamp
    wait_until(lambda: _expiry(alice, token) == renewed)
    longer = alice.renew_delegation_token(token.hmac).result(TIMEOUT)
    assert longer == known.max_timestamp
    later = alice.expire_delegation_token(token.hmac, expiry_time_period=HOUR / 4).result(TIMEOUT)
    assert later < renewed
    wait_until(lambda: _expiry(alice, token) == later)
    alice.expire_delegation_token(token.hmac).result(TIMEOUT)
    wait_until(lambda: described(alice, token) == [])
    for server in secured_kafka.servers("SASL_PLAINTEXT").split(","):
        wait_until(lambda server=server: not lets_in(server, token))  # type: ignore[misc]
    wait_until_forgotten(alice, token)
    gone = alice.renew_delegation_token(token.hmac)
    assert code_of(gone) == KafkaError.DELEGATION_TOKEN_NOT_FOUND


def _expiry(admin: AdminClient, token: DelegationToken) -> int | None:
    found = described(admin, token)
    return found[0].token_info.expiry_timestamp if found else None


def test_token_of_another(alice: AdminClient, bob: AdminClient) -> None:
    """A token that alice requests for bob belongs to bob: only bob can expire it."""
    token = alice.create_delegation_token(owner=BOB).result(TIMEOUT)
    assert (token.token_info.owner, token.token_info.token_requester) == (BOB, ALICE)
    assert token.token_info.renewers == []
    wait_until(lambda: described(alice, token, BOB) == [token])
    wait_until_known(bob, token)
    stranger = KafkaError.DELEGATION_TOKEN_OWNER_MISMATCH
    assert code_of(alice.expire_delegation_token(token.hmac)) == stranger
    remove(bob, token)


def test_what_is_refused(alice: AdminClient, bob: AdminClient) -> None:
    """Brokers refuse an unknown secret, a user who is not a renewer, and a renewer that is not a
    user."""
    unknown = KafkaError.DELEGATION_TOKEN_NOT_FOUND
    assert code_of(alice.renew_delegation_token(b"unknown")) == unknown
    assert code_of(alice.expire_delegation_token(b"unknown")) == unknown
    token = alice.create_delegation_token().result(TIMEOUT)
    wait_until_known(alice, token)
    stranger = KafkaError.DELEGATION_TOKEN_OWNER_MISMATCH
    assert code_of(bob.renew_delegation_token(token.hmac)) == stranger
    assert code_of(bob.expire_delegation_token(token.hmac)) == stranger
    wrong = alice.create_delegation_token(renewers=["Group:all"])
    assert code_of(wrong) == KafkaError.INVALID_PRINCIPAL_TYPE
    remove(alice, token)


@pytest.mark.parametrize(
    "request_of",
    [
        lambda admin: admin.create_delegation_token(),
        lambda admin: admin.renew_delegation_token(b"hmac"),
        lambda admin: admin.expire_delegation_token(b"hmac"),
        lambda admin: admin.describe_delegation_token(),
    ],
    ids=["create", "renew", "expire", "describe"],
)
def test_who_has_not_logged_in(
    secured_kafka: SecuredKafkaCluster, request_of: Callable[[AdminClient], Future[Any]]
) -> None:
    """A client that has not logged in cannot create or describe tokens."""
    with AdminClient(secured_kafka.config()) as admin:
        refused = KafkaError.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED
        assert code_of(request_of(admin)) == refused


def test_secret_is_not_shown(alice: AdminClient) -> None:
    """repr() of a token does not show its secret."""
    token = alice.create_delegation_token().result(TIMEOUT)
    for shown in (repr(token), str(token)):
        assert token.token_info.token_id in shown
        assert token.hmac_as_base64 not in shown
        assert repr(token.hmac) not in shown
    remove(alice, token)


@in_loop
async def test_awaited(secured_kafka: SecuredKafkaCluster) -> None:
    """AIOAdminClient also creates, describes, renews and expires tokens."""
    async with AIOAdminClient(logged_in(secured_kafka, "alice")) as admin:
        token = await admin.create_delegation_token(owner=ALICE, renewers=[BOB], max_lifetime=HOUR)

        while token not in await admin.describe_delegation_token(owners=[ALICE]):
            await asyncio.sleep(0.01)
        renewed = None
        while renewed is None:  # until the controller has the token
            with contextlib.suppress(KafkaException):
                renewed = await admin.renew_delegation_token(token.hmac, renew_time_period=60)
        assert renewed < token.token_info.max_timestamp
        assert await admin.expire_delegation_token(token.hmac) <= renewed
