"""Client quotas: limits for users, client ids and addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, ClassVar

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import ANY, ProtocolRequests, error_of, raise_error_of
from confluent_kafka.admin._requests import checked, items_of, maybe_empty, new_futures
from confluent_kafka.cimpl import KafkaError

# The numbers of the comparisons in DescribeClientQuotas.
_EXACT, _DEFAULT, _SPECIFIED = 0, 1, 2


@dataclass(frozen=True)
class ClientQuotaEntity:
    """An entity that has quotas: a user, a client id, both together, or an address. Hashable.

    Attributes:
        entries: a dict of USER, CLIENT_ID or IP to a name. None instead of a name means the default
            for all entities that have no quotas of their own.

    Raises:
        TypeError, ValueError: entries is not such a dict, or is empty.

    Kafka: org.apache.kafka.common.quota.ClientQuotaEntity (KIP-546, KIP-612).
    """

    USER: ClassVar[str] = "user"
    CLIENT_ID: ClassVar[str] = "client-id"
    IP: ClassVar[str] = "ip"

    entries: Mapping[str, str | None]

    def __post_init__(self) -> None:
        entries = dict(checked(self.entries, dict, "entries"))
        if not entries:
            raise ValueError("entries must not be empty")
        for kind, name in entries.items():
            checked(kind, str, "a key of entries")
            if name is not None:
                checked(name, str, f"the value for {kind!r} in entries")
        object.__setattr__(self, "entries", entries)  # a copy, because it is part of the hash

    def __hash__(self) -> int:
        return hash(frozenset(self.entries.items()))


@dataclass(frozen=True)
class ClientQuotaFilterComponent:
    """Selects the entities of one type in describe_client_quotas(). Use the class methods.

    Attributes:
        entity_type: ClientQuotaEntity.USER, CLIENT_ID or IP.
        match: the name to find, or None.
        match_type: the protocol's number of the comparison.

    Kafka: org.apache.kafka.common.quota.ClientQuotaFilterComponent (KIP-546).
    """

    entity_type: str
    match: str | None
    match_type: int

    @classmethod
    def of_entity(cls, entity_type: str, entity_name: str) -> ClientQuotaFilterComponent:
        """Match the entity with this name."""
        name = checked(entity_name, str, "entity_name")
        return cls(checked(entity_type, str, "entity_type"), name, _EXACT)

    @classmethod
    def of_default_entity(cls, entity_type: str) -> ClientQuotaFilterComponent:
        """Match the default of the type."""
        return cls(checked(entity_type, str, "entity_type"), None, _DEFAULT)

    @classmethod
    def of_entity_type(cls, entity_type: str) -> ClientQuotaFilterComponent:
        """Match all entities of the type, including the default."""
        return cls(checked(entity_type, str, "entity_type"), None, _SPECIFIED)


@dataclass(frozen=True)
class ClientQuotaFilter:
    """Selects the entities in describe_client_quotas(). Use the class methods to make a filter.

    Attributes:
        components: a list of ClientQuotaFilterComponent, which must all match.
        strict: True leaves out entities that have a type besides the types of the components.

    Raises:
        TypeError: an argument is wrong.

    Kafka: org.apache.kafka.common.quota.ClientQuotaFilter (KIP-546).
    """

    components: list[ClientQuotaFilterComponent] = field(default_factory=list)
    strict: bool = False

    def __post_init__(self) -> None:
        components = maybe_empty(self.components, ClientQuotaFilterComponent, "components")
        object.__setattr__(self, "components", components)
        checked(self.strict, bool, "strict")

    @classmethod
    def all(cls) -> ClientQuotaFilter:
        """Match all entities."""
        return cls()

    @classmethod
    def contains(cls, components: list[ClientQuotaFilterComponent]) -> ClientQuotaFilter:
        """Match entities that match all components; they may have more types."""
        return cls(components)

    @classmethod
    def contains_only(cls, components: list[ClientQuotaFilterComponent]) -> ClientQuotaFilter:
        """Match entities that match all components and have no other type."""
        return cls(components, strict=True)


@dataclass(frozen=True)
class ClientQuotaAlteration:
    """Changes of an entity's quotas. Quotas that are not named keep their values.

    Attributes:
        entity: ClientQuotaEntity.
        ops: a dict of quota (``producer_byte_rate``, ``consumer_byte_rate``: bytes per second;
            ``request_percentage``, ``controller_mutation_rate``, ``connection_creation_rate``) to
            its new value, or to None to remove the quota.

    Raises:
        TypeError, ValueError: an argument is wrong, or ops is empty.

    Kafka: org.apache.kafka.common.quota.ClientQuotaAlteration (KIP-546).
    """

    entity: ClientQuotaEntity
    ops: Mapping[str, float | None]

    def __post_init__(self) -> None:
        checked(self.entity, ClientQuotaEntity, "entity")
        ops = dict(checked(self.ops, dict, "ops"))
        if not ops:
            raise ValueError("ops must not be empty")
        for key, value in ops.items():
            checked(key, str, "a key of ops")
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int | float)
            ):
                kind = type(value).__name__
                raise TypeError(f"the value for {key!r} in ops must be float, not {kind}")
        object.__setattr__(self, "ops", ops)


class QuotaRequests(ProtocolRequests):
    """Requests about client quotas."""

    __slots__ = ()

    def describe_client_quotas(
        self,
        filter: ClientQuotaFilter,  # noqa: A002 - its name in Java
        *,
        request_timeout: float | None = None,
    ) -> Future[dict[ClientQuotaEntity, dict[str, float]]]:
        """Read the quotas of users, client ids and addresses.

        Args:
            filter: ClientQuotaFilter, such as ClientQuotaFilter.all().
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future; its result is a dict of ClientQuotaEntity to a dict of quota to value. It
            fails with INVALID_REQUEST (the filter has an unknown type, or a type twice),
            CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DescribeClientQuotas (KIP-546).
        """
        message = protocol.DescribeClientQuotasRequest
        wanted = checked(filter, ClientQuotaFilter, "filter")
        request = message(
            components=[
                message.ComponentData(
                    entity_type=one.entity_type, match_type=one.match_type, match=one.match
                )
                for one in wanted.components
            ],
            strict=wanted.strict,
        )
        return self._exchange(request, ANY, request_timeout, _described)

    def alter_client_quotas(
        self,
        entries: list[ClientQuotaAlteration],
        *,
        validate_only: bool = False,
        request_timeout: float | None = None,
    ) -> dict[ClientQuotaEntity, Future[None]]:
        """Set and remove quotas.

        Args:
            entries: a list of ClientQuotaAlteration, one for each entity.
            validate_only: only check whether the request could be carried out.
            request_timeout: as for describe_client_quotas().

        Returns:
            A future for each entity; its result is None. It fails with INVALID_REQUEST (an unknown
            quota or type, or a value out of range), CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: AlterClientQuotas (KIP-546).
        """
        items = items_of(entries, ClientQuotaAlteration, "entries")
        futures = new_futures(item.entity for item in items)
        if len(futures) < len(items):
            raise ValueError("entries must not contain an entity twice")
        request = protocol.AlterClientQuotasRequest(
            entries=[_alteration(item) for item in items],
            validate_only=checked(validate_only, bool, "validate_only"),
        )
        self._exchange_each(request, ANY, request_timeout, futures, _altered)
        return futures


def _alteration(given: ClientQuotaAlteration) -> protocol.AlterClientQuotasRequest.EntryData:
    message = protocol.AlterClientQuotasRequest
    return message.EntryData(
        entity=[
            message.EntityData(entity_type=kind, entity_name=name)
            for kind, name in given.entity.entries.items()
        ],
        ops=[
            message.OpData(key=key, value=value or 0.0, remove=value is None)
            for key, value in given.ops.items()
        ],
    )


def _entity(entries: Any) -> ClientQuotaEntity:
    return ClientQuotaEntity({one.entity_type: one.entity_name for one in entries})


def _described(response: Any) -> dict[ClientQuotaEntity, dict[str, float]]:
    raise_error_of(response)
    return {
        _entity(found.entity): {one.key: one.value for one in found.values}
        for found in response.entries or ()
    }


def _altered(response: Any) -> Iterator[tuple[ClientQuotaEntity, KafkaError | None]]:
    for one in response.entries:
        yield _entity(one.entity), error_of(one)
