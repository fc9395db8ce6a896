"""Requests about configurations. `_config_effects` lists those that have an effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError, Uuid
from confluent_kafka.testing._administration._brokers import Brokers, Refused, outcome
from confluent_kafka.testing._administration._config_defaults import (
    BROKER,
    GROUP,
    LIST,
    TOPIC,
    Setting,
)
from confluent_kafka.testing._administration._config_effects import (
    apply_to_groups,
    apply_to_topic,
)
from confluent_kafka.testing._administration._state import Topic

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

# The kinds of resources, the sources of a value, and the operations of a change.
_OF_TOPIC, _OF_BROKER, _OF_GROUP = 2, 4, 32
_DYNAMIC_TOPIC, _DYNAMIC_BROKER, _DYNAMIC_DEFAULT_BROKER, _DEFAULT = 1, 2, 3, 5
_DYNAMIC_GROUP = 8
_SET, _DELETE, _APPEND, _SUBTRACT = range(4)

# The owner of values: the id of a topic, or the id of a broker, or "" for all brokers, or a tuple
# with the id of a group.
_Owner = Uuid | str | tuple[str]


class Configs:
    """Answers requests about configurations.

    Args:
        brokers: the brokers, which have the topics.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers
        # The values that were set.
        self._values: dict[_Owner, dict[str, str]] = {}

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.DescribeConfigsRequest: self._describe,
            protocol.AlterConfigsRequest: self._alter,
            protocol.IncrementalAlterConfigsRequest: self._alter_incrementally,
        }

    # ---- topics that are created and deleted ----

    def check_topic(self, values: Mapping[str, str | None]) -> None:
        """Refuse values that a topic cannot have."""
        _check(TOPIC, values)

    def set_topic(self, topic: Topic, values: Mapping[str, str | None]) -> None:
        """Store the values of a new topic."""
        given = _given(values)
        self._values[topic.id] = given
        apply_to_topic(self._brokers.cluster, topic.name, {}, given)

    def forget_topic(self, topic: Topic) -> None:
        """Delete the values of a topic that is deleted."""
        self._values.pop(topic.id, None)

    def of_new_topic(self, values: Mapping[str, str | None]) -> list[Any]:
        """Return the configuration of a new topic for the answer to CreateTopics."""
        described = protocol.CreateTopicsResponse.CreatableTopicConfigs
        given = _given(values)
        return [
            described(
                name=name,
                value=given.get(name, setting.default),
                config_source=_DYNAMIC_TOPIC if name in given else _DEFAULT,
            )
            for name, setting in TOPIC.items()
        ]

    # ---- values that have an effect elsewhere ----

    def topic_value(self, topic: Topic, name: str) -> str:
        """Return the value of a topic."""
        return self._values.get(topic.id, {}).get(name, TOPIC[name].default)

    def broker_number(self, broker: int, name: str) -> int | None:
        """Return a number that limits a broker, or None if it was not set."""
        values = self._values.get("", {}) | self._values.get(str(broker), {})
        return int(values[name]) if name in values else None

    # ---- described ----

    def _describe(self, request: Any, context: RequestContext) -> Any:
        result = protocol.DescribeConfigsResponse.DescribeConfigsResult

        def described(resource: Any) -> Any:
            configs: list[Any] = []
            ended = outcome(
                lambda: configs.extend(self._described(resource, request.include_synonyms))
            )
            return result(
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
                configs=configs,
                **ended,
            )

        results = [described(each) for each in request.resources]
        return protocol.DescribeConfigsResponse(results=results)

    def _described(self, resource: Any, include_synonyms: bool) -> Iterable[Any]:
        known, owner, source = self._owner(resource)
        config = protocol.DescribeConfigsResponse.DescribeConfigsResourceResult
        for name, setting in known.items():
            if resource.configuration_keys is not None and name not in resource.configuration_keys:
                continue
            synonyms = self._synonyms(name, setting, owner, source)
            yield config(
                name=name,
                value=synonyms[0].value,
                config_source=synonyms[0].source,
                config_type=setting.type,
                synonyms=synonyms if include_synonyms else [],
            )

    def _synonyms(self, name: str, setting: Setting, owner: _Owner, source: int) -> list[Any]:
        """Return the possible sources of the value, in order of precedence."""
        synonym = protocol.DescribeConfigsResponse.DescribeConfigsSynonym
        places = [(source, self._values.get(owner, {}).get(name))]
        if source == _DYNAMIC_BROKER:
            places.append((_DYNAMIC_DEFAULT_BROKER, self._values.get("", {}).get(name)))
        places.append((_DEFAULT, setting.default))
        return [
            synonym(name=name, value=value, source=place)
            for place, value in places
            if value is not None
        ]

    def _owner(self, resource: Any) -> tuple[Mapping[str, Setting], _Owner, int]:
        """Return the settings of a resource, their owner, and the source of values that are set."""
        kind, name = resource.resource_type, resource.resource_name
        state = self._brokers.state()
        if kind == _OF_TOPIC:
            if name not in state.topics:
                raise Refused(KafkaError.UNKNOWN_TOPIC_OR_PART, f"there is no topic {name!r}")
            return TOPIC, state.topics[name].id, _DYNAMIC_TOPIC
        if kind == _OF_GROUP and name:
            return GROUP, (name,), _DYNAMIC_GROUP
        if kind != _OF_BROKER:
            raise Refused(
                KafkaError.INVALID_REQUEST,
                "the embedded cluster has configurations of topics, brokers and groups, not of "
                f"{kind}",
            )
        if name and name not in (str(broker.id) for broker in state.brokers):
            raise Refused(KafkaError.INVALID_REQUEST, f"there is no broker {name!r}")
        return BROKER, name, _DYNAMIC_BROKER if name else _DYNAMIC_DEFAULT_BROKER

    # ---- changed ----

    def _alter(self, request: Any, context: RequestContext) -> Any:
        def step(resource: Any) -> None:
            known, owner, _ = self._owner(resource)
            values = {each.name: each.value for each in resource.configs}
            _check(known, values)
            if not request.validate_only:
                self._set(resource, owner, _given(values))

        return _altered(protocol.AlterConfigsResponse, request, step)

    def _set(self, resource: Any, owner: _Owner, values: dict[str, str]) -> None:
        before, self._values[owner] = self._values.get(owner, {}), values
        if resource.resource_type == _OF_TOPIC:
            apply_to_topic(self._brokers.cluster, resource.resource_name, before, values)
        elif resource.resource_type == _OF_GROUP:
            apply_to_groups(self._brokers.cluster, values)

    def _alter_incrementally(self, request: Any, context: RequestContext) -> Any:
        def step(resource: Any) -> None:
            known, owner, _ = self._owner(resource)
            values: dict[str, str] = dict(self._values.get(owner, {}))
            for change in resource.configs:
                _change(known, values, change)
            _check(known, values)
            if not request.validate_only:
                self._set(resource, owner, values)

        return _altered(protocol.IncrementalAlterConfigsResponse, request, step)


def _altered(response: Any, request: Any, step: Any) -> Any:
    result = response.AlterConfigsResourceResponse
    return response(
        responses=[
            result(
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
                **outcome(step, resource),
            )
            for resource in request.resources
        ]
    )


def _change(known: Mapping[str, Setting], values: dict[str, str], change: Any) -> None:
    """Take one step of an incremental change."""
    name, operation = change.name, change.config_operation
    setting = _setting(known, name)
    if operation == _DELETE:
        values.pop(name, None)
        return
    if change.value is None:
        raise Refused(KafkaError.INVALID_REQUEST, f"{name} needs a value")
    if operation == _SET:
        values[name] = change.value
        return
    if operation not in (_APPEND, _SUBTRACT) or setting.type != LIST:
        raise Refused(KafkaError.INVALID_CONFIG, f"{name} is not a list: use SET or DELETE")
    parts = [part for part in values.get(name, setting.default).split(",") if part]
    changed = [part for part in change.value.split(",") if part]
    kept = [part for part in parts if part not in changed]
    values[name] = ",".join(kept if operation == _SUBTRACT else kept + changed)


def _setting(known: Mapping[str, Setting], name: str) -> Setting:
    if name not in known:
        raise Refused(KafkaError.INVALID_CONFIG, f"Unknown config name: {name}")
    return known[name]


def _check(known: Mapping[str, Setting], values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        setting = _setting(known, name)
        refusal = setting.refusal(value) if value else None
        if refusal is not None:
            raise Refused(KafkaError.INVALID_CONFIG, f"{name}: {refusal}")


def _given(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}
