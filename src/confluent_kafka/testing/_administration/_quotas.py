"""Quotas of users, clients and IP addresses.

The byte rates of a `client.id` have an effect: the brokers throttle what its clients send and read.
Other quotas are only stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Brokers, Refused, outcome
from confluent_kafka.testing._administration._config_defaults import DOUBLE, INT, LONG

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

_USER, _CLIENT, _IP = "user", "client-id", "ip"
# The types of the values of each quota.
_OF_CLIENTS = {
    "consumer_byte_rate": LONG,
    "controller_mutation_rate": DOUBLE,
    "producer_byte_rate": LONG,
    "request_percentage": DOUBLE,
}
_OF_ADDRESSES = {"connection_creation_rate": INT}
_WHOLE = {INT: ("an Integer", 2**31 - 1), LONG: ("a Long", 2**63 - 1)}
# How a filter selects an entity: by its name, the default entity, or any entity of the type.
_EXACT, _DEFAULT, _ANY = range(3)

# The types and names of an entity, in the order of the types. The name None is the default entity.
_Entity = tuple[tuple[str, str | None], ...]


class Quotas:
    """Answers requests about quotas.

    Args:
        brokers: the brokers, which throttle clients.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers
        self._quotas: dict[_Entity, dict[str, float]] = {}

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.DescribeClientQuotasRequest: self._describe,
            protocol.AlterClientQuotasRequest: self._alter,
        }

    # ---- kept between runs ----

    kept_as = "quotas"

    def saved(self) -> list[dict[str, Any]]:
        """Return the quotas of all entities."""
        return [
            {"entity": dict(entity), "quotas": quotas} for entity, quotas in self._quotas.items()
        ]

    def restore(self, saved: list[Mapping[str, Any]]) -> None:
        """Set the quotas of an earlier run."""
        for each in saved:
            self._set(tuple(each["entity"].items()), each["quotas"])

    # ---- described ----

    def _describe(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DescribeClientQuotasResponse
        found: list[Any] = []
        ended = outcome(lambda: found.extend(self._found(request)))
        if ended["error_code"]:
            return response(entries=None, **ended)
        entries = [
            response.EntryData(
                entity=[
                    response.EntityData(entity_type=kind, entity_name=name) for kind, name in entity
                ],
                values=[response.ValueData(key=key, value=value) for key, value in quotas.items()],
            )
            for entity, quotas in found
        ]
        return response(entries=entries, **ended)

    def _found(self, request: Any) -> list[tuple[_Entity, dict[str, float]]]:
        """Return the entities that match all components of a filter, and their quotas."""
        wanted = _wanted(request.components)
        return [
            (entity, quotas)
            for entity, quotas in self._quotas.items()
            if all(_matches(dict(entity), each) for each in wanted.values())
            and not (request.strict and len(entity) > len(wanted))
        ]

    # ---- changed ----

    def _alter(self, request: Any, context: RequestContext) -> Any:
        response = protocol.AlterClientQuotasResponse
        entries = [
            response.EntryData(
                entity=[
                    response.EntityData(entity_type=each.entity_type, entity_name=each.entity_name)
                    for each in entry.entity
                ],
                **outcome(self._alter_entity, entry, request.validate_only),
            )
            for entry in request.entries
        ]
        return response(entries=entries)

    def _alter_entity(self, entry: Any, validate_only: bool) -> None:
        entity = _entity(entry.entity)
        kinds = _OF_ADDRESSES if dict(entity).keys() == {_IP} else _OF_CLIENTS
        quotas = dict(self._quotas.get(entity, {}))
        for change in entry.ops:
            if change.remove:
                quotas.pop(change.key, None)
            else:
                _check(kinds, change.key, change.value)
                quotas[change.key] = change.value
        if not validate_only:
            self._set(entity, quotas)

    def _set(self, entity: _Entity, quotas: dict[str, float]) -> None:
        if dict(entity).keys() == {_CLIENT}:
            rates = (int(quotas.get(f"{each}_byte_rate", 0)) for each in ("producer", "consumer"))
            self._brokers.cluster._set_client_quota(entity[0][1], *rates)
        if quotas:
            self._quotas[entity] = quotas
        else:
            self._quotas.pop(entity, None)


def _wanted(components: Any) -> dict[str, Any]:
    """Return the components of a filter by type. Refuse what Kafka refuses."""
    wanted: dict[str, Any] = {}
    for each in components:
        kind = each.entity_type
        if not kind:
            raise Refused(KafkaError.INVALID_REQUEST, "Invalid empty entity type.")
        if kind in wanted:
            raise Refused(
                KafkaError.INVALID_REQUEST,
                f"Entity type {kind} cannot appear more than once in the filter.",
            )
        if kind not in (_USER, _CLIENT, _IP):
            raise Refused(KafkaError.UNSUPPORTED_VERSION, f"Unsupported entity type {kind}")
        if each.match_type not in (_EXACT, _DEFAULT, _ANY):
            raise Refused(KafkaError.INVALID_REQUEST, f"Unknown match type {each.match_type}")
        if (each.match is None) == (each.match_type == _EXACT):
            raise Refused(
                KafkaError.INVALID_REQUEST,
                "A component must have a name if it selects one entity, and no name otherwise.",
            )
        wanted[kind] = each
    if _IP in wanted and len(wanted) > 1:
        raise Refused(
            KafkaError.INVALID_REQUEST,
            "Invalid entity filter component combination. IP filter component should not be used "
            "with user or clientId filter component.",
        )
    return wanted


def _matches(entity: Mapping[str, str | None], component: Any) -> bool:
    kind = component.entity_type
    return kind in entity and (component.match_type == _ANY or entity[kind] == component.match)


def _entity(parts: Any) -> _Entity:
    """Return an entity of a request. Refuse what Kafka refuses."""
    if not parts:
        raise Refused(KafkaError.INVALID_REQUEST, "Invalid empty client quota entity")
    for each in parts:
        if each.entity_type not in (_USER, _CLIENT, _IP):
            raise Refused(
                KafkaError.INVALID_REQUEST,
                f"Unhandled client quota entity type: {each.entity_type}",
            )
        if each.entity_name == "":
            raise Refused(KafkaError.INVALID_REQUEST, f"Empty {each.entity_type} not supported")
    entity = {each.entity_type: each.entity_name for each in parts}
    if _IP in entity and len(entity) > 1:
        raise Refused(KafkaError.INVALID_REQUEST, "Invalid client quota entity: ip has other types")
    return tuple(sorted(entity.items()))


def _check(kinds: Mapping[str, int], key: str, value: float) -> None:
    """Refuse a quota that does not exist for the entity, or a wrong value."""
    if key not in kinds:
        raise Refused(KafkaError.INVALID_REQUEST, f"Invalid configuration key {key}")
    if not value > 0:
        raise Refused(KafkaError.INVALID_REQUEST, f"Quota {key} must be greater than 0")
    if kinds[key] in _WHOLE:
        name, highest = _WHOLE[kinds[key]]
        if not value <= highest or value != int(value):
            raise Refused(KafkaError.INVALID_REQUEST, f"Configuration {key} must be {name} value")
