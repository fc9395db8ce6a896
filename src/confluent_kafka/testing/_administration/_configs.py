"""Requests about configurations. `_config_effects` lists those that have an effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Brokers, Refused, outcome
from confluent_kafka.testing._administration._config_defaults import LIST, PASSWORD, UNKNOWN
from confluent_kafka.testing._administration._config_groups import GroupResources
from confluent_kafka.testing._administration._config_loggers import LoggerResources
from confluent_kafka.testing._administration._config_metrics import MetricsResources
from confluent_kafka.testing._administration._config_resources import (
    DEFAULT,
    DYNAMIC_TOPIC,
    Owner,
    Resources,
)
from confluent_kafka.testing._administration._config_topics import TopicResources
from confluent_kafka.testing._administration._state import Topic

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

# The types of resources, and the operations of a change.
_TOPIC, _BROKER, _LOGGER, _METRICS, _GROUP = 2, 4, 8, 16, 32
# What a data folder keeps. Kafka, too, forgets the levels of loggers.
_KEPT = {_TOPIC: "topics", _BROKER: "brokers", _METRICS: "client_metrics", _GROUP: "groups"}
_SET, _DELETE, _APPEND, _SUBTRACT = range(4)
_OPERATIONS = ("SET", "DELETE", "APPEND", "SUBTRACT")


class Configs:
    """Answers requests about configurations.

    Args:
        brokers: the brokers, which have the topics.
    """

    def __init__(self, brokers: Brokers) -> None:
        self.topics = TopicResources(brokers)
        self.metrics = MetricsResources(brokers)
        of_brokers = self.topics.of_brokers
        self._types: dict[int, Resources] = {
            _TOPIC: self.topics,
            _BROKER: of_brokers,
            _LOGGER: LoggerResources(brokers),
            _METRICS: self.metrics,
            _GROUP: GroupResources(brokers, of_brokers),
        }

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.DescribeConfigsRequest: self._describe,
            protocol.AlterConfigsRequest: self._alter,
            protocol.IncrementalAlterConfigsRequest: self._alter_incrementally,
            protocol.ListConfigResourcesRequest: self._list,
        }

    # ---- kept between runs ----

    kept_as = "configs"

    def saved(self) -> dict[str, dict[str, dict[str, str]]]:
        """Return the values that were set, by the type and the name of the resource."""
        return {kept: self._types[kind].saved() for kind, kept in _KEPT.items()}

    def restore(self, saved: Mapping[str, Mapping[str, dict[str, str]]]) -> None:
        """Set the values of an earlier run."""
        for kind, kept in _KEPT.items():
            self._types[kind].restore(saved[kept])

    # ---- topics that are created and deleted ----

    def check_topic(self, values: Mapping[str, str | None]) -> None:
        """Refuse values that a topic cannot have."""
        self.topics.check(_given(values), values.keys())

    def set_topic(self, topic: Topic, values: Mapping[str, str | None]) -> None:
        """Store the values of a new topic."""
        self.topics.set(topic.name, topic.id, _given(values))

    def forget_topic(self, topic: Topic) -> None:
        """Delete the values of a topic that is deleted."""
        self.topics.forget(topic.id)

    def of_new_topic(self, values: Mapping[str, str | None]) -> list[Any]:
        """Return the configuration of a new topic for the answer to CreateTopics."""
        described = protocol.CreateTopicsResponse.CreatableTopicConfigs
        given = _given(values)
        return [
            described(
                name=name,
                value=given.get(name, setting.default),
                config_source=DYNAMIC_TOPIC if name in given else DEFAULT,
            )
            for name, setting in self.topics.settings.items()
        ]

    # ---- values that have an effect elsewhere ----

    def topic_value(self, topic: Topic, name: str) -> str:
        """Return the value of a topic."""
        return self.topics.places(topic.id, name)[0].value

    def broker_number(self, broker: int, name: str) -> int | None:
        """Return a number that limits a broker, or None if it was not set."""
        places = self.topics.of_brokers.places(str(broker), name)
        return int(places[0].value) if places else None

    # ---- listed and described ----

    def _list(self, request: Any, context: RequestContext) -> Any:
        response = protocol.ListConfigResourcesResponse
        # Version 0 is ListClientMetricsResources.
        types = [_METRICS] if context.version == 0 else request.resource_types or self._types
        if not self._types.keys() >= set(types):
            return response(error_code=KafkaError.UNSUPPORTED_VERSION)
        return response(
            config_resources=[
                response.ConfigResource(resource_name=name, resource_type=kind)
                for kind in types
                for name in self._types[kind].names()
            ]
        )

    def _describe(self, request: Any, context: RequestContext) -> Any:
        result = protocol.DescribeConfigsResponse.DescribeConfigsResult

        def described(resource: Any) -> Any:
            configs: list[Any] = []
            ended = outcome(lambda: configs.extend(self._described(resource, request, context)))
            return result(
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
                configs=configs,
                **ended,
            )

        results = [described(each) for each in request.resources]
        return protocol.DescribeConfigsResponse(results=results)

    def _described(self, resource: Any, request: Any, context: RequestContext) -> Iterable[Any]:
        resources, owner = self._found(resource, context)
        response = protocol.DescribeConfigsResponse
        for name, setting in resources.described(owner):
            if resource.configuration_keys is not None and name not in resource.configuration_keys:
                continue
            secret = setting.type == PASSWORD or (setting.read_only and setting.type == UNKNOWN)
            synonyms = [
                response.DescribeConfigsSynonym(
                    name=place.name, value=None if secret else place.value, source=place.source
                )
                for place in resources.places(owner, name)
            ]
            yield response.DescribeConfigsResourceResult(
                name=name,
                value=synonyms[0].value if synonyms else None,
                read_only=setting.read_only,
                config_source=synonyms[0].source if synonyms else DEFAULT,
                is_sensitive=secret,
                config_type=setting.type,
                documentation=None,
                synonyms=synonyms if request.include_synonyms else [],
            )

    def _found(self, resource: Any, context: RequestContext) -> tuple[Resources, Owner]:
        """Return the resources of the type, and the owner of the values."""
        resources = self._types.get(resource.resource_type)
        if resources is None:
            raise Refused(
                KafkaError.INVALID_REQUEST, f"Unknown resource type {resource.resource_type}"
            )
        return resources, resources.owner(resource.resource_name, context.broker_id)

    # ---- changed ----

    def _alter(self, request: Any, context: RequestContext) -> Any:
        def changed(resources: Resources, before: Mapping[str, str], configs: Any) -> Any:
            return _given({each.name: each.value for each in configs})

        return self._altered(protocol.AlterConfigsResponse, request, context, changed)

    def _alter_incrementally(self, request: Any, context: RequestContext) -> Any:
        def changed(resources: Resources, before: Mapping[str, str], configs: Any) -> Any:
            values = dict(before)
            for change in configs:
                _change(resources, values, change)
            return values

        return self._altered(protocol.IncrementalAlterConfigsResponse, request, context, changed)

    def _altered(
        self,
        response: Any,
        request: Any,
        context: RequestContext,
        changed: Callable[[Resources, Mapping[str, str], Any], dict[str, str]],
    ) -> Any:
        def step(resource: Any) -> None:
            resources, owner = self._found(resource, context)
            if any(count > 1 for count in Counter(each.name for each in resource.configs).values()):
                raise Refused(KafkaError.INVALID_REQUEST, "Error due to duplicate config keys")
            for each in resource.configs:
                resources.setting(each.name)
            values = changed(resources, resources.values(owner), resource.configs)
            resources.check(values, [each.name for each in resource.configs])
            if not request.validate_only:
                resources.set(resource.resource_name, owner, values)

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


def _change(resources: Resources, values: dict[str, str], change: Any) -> None:
    """Take one step of an incremental change."""
    name, operation = change.name, change.config_operation
    if operation == _DELETE:
        values.pop(name, None)
        return
    if operation not in range(len(_OPERATIONS)):
        raise Refused(KafkaError.INVALID_REQUEST, f"Unknown operation type {operation}")
    if change.value is None:
        raise Refused(KafkaError.INVALID_REQUEST, f"Null value not supported for : {name}")
    if operation == _SET:
        values[name] = change.value
        return
    setting = resources.setting(name)
    if setting.type != LIST or not resources.has_lists:
        raise Refused(
            KafkaError.INVALID_CONFIG,
            f"Can't {_OPERATIONS[operation]} to key {name} because its type is not LIST.",
        )
    parts = [part for part in values.get(name, setting.default or "").split(",") if part]
    changed = [part for part in change.value.split(",") if part]
    if operation == _APPEND:
        parts += [part for part in changed if part not in parts]
    else:
        parts = [part for part in parts if part not in changed]
    values[name] = ",".join(parts)


def _given(values: Mapping[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}
