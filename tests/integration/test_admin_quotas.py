"""Client quotas on real brokers."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (
    AdminClient,
    ClientQuotaAlteration,
    ClientQuotaEntity,
    ClientQuotaFilter,
    ClientQuotaFilterComponent,
)
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request"), pytest.mark.both_clusters]

USER, CLIENT_ID = ClientQuotaEntity.USER, ClientQuotaEntity.CLIENT_ID
Quotas = dict[ClientQuotaEntity, dict[str, float]]


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


@pytest.fixture
def user() -> str:
    """A user whom no other test has."""
    return f"user-{uuid.uuid4().hex[:12]}"


def _alter(admin: AdminClient, entity: ClientQuotaEntity, ops: dict[str, float | None]) -> None:
    futures = admin.alter_client_quotas([ClientQuotaAlteration(entity, ops)])
    assert futures.keys() == {entity}
    assert futures[entity].result(TIMEOUT) is None


def _described(admin: AdminClient, wanted: ClientQuotaFilter) -> Quotas:
    return admin.describe_client_quotas(wanted).result(TIMEOUT)


def test_set_and_remove(admin: AdminClient, user: str) -> None:
    """Quotas that are set are described; removing a quota does not affect other quotas."""
    entity = ClientQuotaEntity({USER: user})
    only = ClientQuotaFilter.contains_only([ClientQuotaFilterComponent.of_entity(USER, user)])
    _alter(admin, entity, {"producer_byte_rate": 1000, "request_percentage": 12.5})
    both = {"producer_byte_rate": 1000.0, "request_percentage": 12.5}
    wait_until(lambda: _described(admin, only) == {entity: both})
    wait_until(lambda: _described(admin, ClientQuotaFilter.all()).get(entity) == both)
    _alter(admin, entity, {"producer_byte_rate": None})
    wait_until(lambda: _described(admin, only) == {entity: {"request_percentage": 12.5}})
    _alter(admin, entity, {"request_percentage": None})
    wait_until(lambda: _described(admin, only) == {})


def test_filters(admin: AdminClient, user: str) -> None:
    """A filter by one type also finds entities with two types, unless the filter is strict."""
    alone = ClientQuotaEntity({USER: user})
    default = ClientQuotaEntity({CLIENT_ID: None, USER: user})
    named = ClientQuotaEntity({USER: user, CLIENT_ID: "client"})
    for entity in (alone, default, named):
        _alter(admin, entity, {"consumer_byte_rate": 2000})
    of_user = ClientQuotaFilterComponent.of_entity(USER, user)
    of_default = ClientQuotaFilterComponent.of_default_entity(CLIENT_ID)
    of_client = ClientQuotaFilterComponent.of_entity_type(CLIENT_ID)
    for wanted, found in (
        (ClientQuotaFilter.contains([of_user]), {alone, default, named}),
        (ClientQuotaFilter.contains_only([of_user]), {alone}),
        (ClientQuotaFilter.contains([of_user, of_client]), {default, named}),
        (ClientQuotaFilter.contains_only([of_user, of_default]), {default}),
    ):
        wait_until(lambda w=wanted, f=found: _described(admin, w).keys() == f)  # type: ignore[misc]
    for entity in (alone, default, named):
        _alter(admin, entity, {"consumer_byte_rate": None})


def test_validate_only(admin: AdminClient, user: str) -> None:
    """With validate_only nothing is set: afterwards only a later quota exists."""
    entity = ClientQuotaEntity({USER: user})
    change = ClientQuotaAlteration(entity, {"producer_byte_rate": 1000})
    admin.alter_client_quotas([change], validate_only=True)[entity].result(TIMEOUT)
    _alter(admin, entity, {"consumer_byte_rate": 1})
    only = ClientQuotaFilter.contains_only([ClientQuotaFilterComponent.of_entity(USER, user)])
    # the next request may go to a broker that does not have the change yet
    found: list[Quotas] = []
    wait_until(lambda: found and found[-1], lambda: found.append(_described(admin, only)))
    assert found[-1] == {entity: {"consumer_byte_rate": 1.0}}
    _alter(admin, entity, {"consumer_byte_rate": None})


def test_each_entity_has_its_own_error(admin: AdminClient, user: str) -> None:
    """If one quota of a request does not exist, only this quota fails, with the controller's
    text."""
    good, bad = ClientQuotaEntity({USER: user}), ClientQuotaEntity({CLIENT_ID: user})
    futures = admin.alter_client_quotas(
        [
            ClientQuotaAlteration(good, {"producer_byte_rate": 1}),
            ClientQuotaAlteration(bad, {"byte_rate": 1}),
        ],
        validate_only=True,
    )
    assert futures[good].result(TIMEOUT) is None
    with pytest.raises(KafkaException, match="byte_rate") as caught:
        futures[bad].result(TIMEOUT)
    assert caught.value.code() == KafkaError.INVALID_REQUEST


def test_filter_that_is_refused(admin: AdminClient) -> None:
    """The future fails if a filter contains the same type twice."""
    twice = [ClientQuotaFilterComponent.of_entity_type(USER)] * 2
    error = admin.describe_client_quotas(ClientQuotaFilter.contains(twice)).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError.INVALID_REQUEST
