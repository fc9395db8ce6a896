"""Checks each request of a client against the ACLs, and refuses it or parts of it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError, Uuid
from confluent_kafka.testing._administration._state import State
from confluent_kafka.testing._security import _refusals
from confluent_kafka.testing._security._authorizer import CLUSTER, CLUSTER_NAME, DESCRIBE
from confluent_kafka.testing._security._operations import (
    RULES,
    Need,
    Resource,
    Rule,
    Topics,
    rule_of,
)

if TYPE_CHECKING:
    from confluent_kafka.cimpl import MockCluster
    from confluent_kafka.testing._security._authorizer import Authorizer, Client


def is_enforced(api_key: int) -> bool:
    """Return whether requests of this kind are checked."""
    try:
        name = protocol.request_class(api_key).__name__
    except ValueError:
        return False  # the broker closes the connection
    return name.removesuffix("Request") in RULES


class Verdict(NamedTuple):
    """What happens to a request.

    Attributes:
        request: what the broker receives, or None.
        answer: the response to the client if the broker receives nothing.
        complete: changes the broker's response, or None.
    """

    request: Any
    answer: Any = None
    complete: Callable[[Any], Any] | None = None


class KnownTopics:
    """The topics of a cluster. It does not keep the cluster alive."""

    def __init__(self, cluster: MockCluster) -> None:
        self._cluster = weakref.ref(cluster)
        # A topic id never gets another name.
        self._names: dict[Uuid, str] = {}

    def exists(self, name: str) -> bool:
        """Return whether there is a topic of this name."""
        return name in self._state().topics

    def name_of(self, topic_id: Uuid) -> str | None:
        """Return the name of the topic with this id, or None."""
        if topic_id not in self._names:
            self._names |= {topic.id: topic.name for topic in self._state().topics.values()}
        return self._names.get(topic_id)

    def _state(self) -> State:
        cluster = self._cluster()
        if cluster is None:
            raise ConnectionError("the cluster is gone")
        try:
            return State.read(cluster._snapshot())
        except RuntimeError as closed:
            raise ConnectionError(str(closed)) from closed


class Enforcement:
    """Decides about the requests of one client.

    Args:
        authorizer: decides by the ACLs.
        topics: the topics of the cluster.
        client: the client that sends the requests.
    """

    def __init__(self, authorizer: Authorizer, topics: Topics, client: Client) -> None:
        self._authorizer = authorizer
        self._topics = topics
        self._client = client

    def allows(self, operation: int, kind: int, name: str) -> bool:
        """Return whether the client may do something with a resource."""
        return self._authorizer.allows(self._client, operation, kind, name)

    def judge(self, request: Any, version: int) -> Verdict:
        """Return what happens to a request that is_enforced()."""
        rule = rule_of(request, version)
        code = self._refusal(rule.whole, request, request)
        if code:
            return Verdict(None, _refusals.refusal(request, rule, version, code))
        asked = _refusals.entries(request, rule)
        codes = [self._refusal(rule.each, request, each) for each in asked]
        if not any(codes):
            return Verdict(request, None, self._completion(request, rule, []))
        return self._partly(request, rule, version, codes)

    def _partly(self, request: Any, rule: Rule, version: int, codes: list[int]) -> Verdict:
        """Refuse the entries that have an error code."""
        if rule.together:
            codes = [code or KafkaError.OPERATION_NOT_ATTEMPTED for code in codes]
        refused = [
            _refusals.result(request, rule, entry, version, code)
            for entry, code in zip(_refusals.entries(request, rule), codes, strict=True)
            if code
        ]
        if all(codes) and not rule.always:
            return Verdict(None, _refusals.response_of(request, rule, refused))
        left = iter(codes)
        kept = {
            path: [each for each in getattr(request, path) or () if not next(left)]
            for path in rule.entries
        }
        return Verdict(
            request.replace(**kept), None, self._completion(request, rule, refused, all(codes))
        )

    def _completion(
        self, request: Any, rule: Rule, refused: list[Any], alone: bool = False
    ) -> Callable[[Any], Any] | None:
        """Return the function that changes the broker's response, or None if nothing changes it.

        Args:
            request: the request of the client.
            rule: of the request.
            refused: results that the broker's response gets in addition.
            alone: whether the response has no other results.
        """
        asked = getattr(request, f"include_{rule.operations}", False)
        steps = [
            self._visible(request, rule.seen) if rule.seen else None,
            self._without_configs(request, rule.configs) if rule.configs else None,
            self._with_operations(request, rule) if asked else None,
        ]
        for_each = [step for step in steps if step is not None]
        for_cluster = getattr(request, "include_cluster_authorized_operations", False)
        if not (refused or for_each or for_cluster):
            return None

        def complete(response: Any) -> Any:
            if rule.results:
                shown = [] if alone else list(getattr(response, rule.results))
                for step in for_each:
                    shown = [changed for each in shown if (changed := step(each)) is not None]
                response = response.replace(**{rule.results: shown + refused})
            if for_cluster:
                bits = self._operations(Resource(CLUSTER, CLUSTER_NAME))
                response = response.replace(cluster_authorized_operations=bits)
            return response

        return complete

    def _visible(self, request: Any, need: Need) -> Callable[[Any], Any]:
        """Return a function that leaves out what the client may not see."""
        return lambda each: None if self._refusal((need,), request, each) else each

    def _without_configs(self, request: Any, need: Need) -> Callable[[Any], Any]:
        """Return a function that hides the configuration of a new topic."""

        def hide(topic: Any) -> Any:
            code = 0 if topic.error_code else self._refusal((need,), request, topic)
            hidden = {"configs": (), "num_partitions": -1, "replication_factor": -1}
            return topic.replace(topic_config_error_code=code, **hidden) if code else topic

        return hide

    def _with_operations(self, request: Any, rule: Rule) -> Callable[[Any], Any]:
        """Return a function that adds what the client may do with a topic or group."""

        def add(result: Any) -> Any:
            found = [] if result.error_code else rule.each[0].find(self._topics, request, result)
            bits = [self._operations(resource) for resource in found]
            return result.replace(**{rule.operations: bits[0]}) if bits else result

        return add

    def _operations(self, resource: Resource) -> int:
        """Return what the client may do, for a client that may describe the resource."""
        kind, name = resource
        if not self._authorizer.allows(self._client, DESCRIBE, kind, name or ""):
            return 0
        return self._authorizer.operations(self._client, kind, name or "")

    def _refusal(self, needs: Iterable[Need], request: Any, entry: Any) -> int:
        """Return the error code of the first need that the client lacks; 0 if it has all."""
        for need in needs:
            for resource in need.find(self._topics, request, entry):
                if not self._may(need, resource, request, entry):
                    return _refusals.CODES[resource.type]
        return 0

    def _may(self, need: Need, resource: Resource, request: Any, entry: Any) -> bool:
        kind, name = resource
        if name is None:
            allowed = self._authorizer.allows_any(self._client, need.operation, kind)
        else:
            allowed = self._authorizer.allows(self._client, need.operation, kind, name)
        if allowed or need.instead is None:
            return allowed
        return not self._refusal((need.instead,), request, entry)
