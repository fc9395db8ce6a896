"""ACLs. They are stored, but not enforced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Refused, outcome

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

# In filters: match anything, and match the patterns that apply to a resource name.
_ANY, _MATCH, _LITERAL, _PREFIXED = 1, 2, 3, 4


class _Acl(NamedTuple):
    resource_type: int
    resource_name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission_type: int

    def is_matched_by(self, asked: Any) -> bool:
        """Return whether a filter of DescribeAcls or DeleteAcls matches this ACL."""
        return (
            asked.resource_type_filter in (_ANY, self.resource_type)
            and self._has_name(asked.resource_name_filter, asked.pattern_type_filter)
            and asked.principal_filter in (None, self.principal)
            and asked.host_filter in (None, self.host)
            and asked.operation in (_ANY, self.operation)
            and asked.permission_type in (_ANY, self.permission_type)
        )

    def _has_name(self, name: str | None, pattern: int) -> bool:
        if pattern not in (_ANY, _MATCH, self.pattern_type):
            return False
        if name is None or name == self.resource_name:
            return True
        if pattern != _MATCH:
            return False
        prefixed = self.pattern_type == _PREFIXED and name.startswith(self.resource_name)
        return prefixed or (self.pattern_type == _LITERAL and self.resource_name == "*")


class Acls:
    """Answers requests about ACLs."""

    def __init__(self) -> None:
        # A dict without values, used as a set that keeps the order of creation.
        self._acls: dict[_Acl, None] = {}

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.CreateAclsRequest: self._create,
            protocol.DescribeAclsRequest: self._describe,
            protocol.DeleteAclsRequest: self._delete,
        }

    def _create(self, request: Any, context: RequestContext) -> Any:
        result = protocol.CreateAclsResponse.AclCreationResult
        return protocol.CreateAclsResponse(
            results=[result(**outcome(self._create_one, each)) for each in request.creations]
        )

    def _create_one(self, creation: Any) -> None:
        acl = _Acl(*creation[:7])
        if not acl.resource_name:
            raise Refused(KafkaError.INVALID_REQUEST, "the name of the resource is empty")
        if ":" not in acl.principal:
            raise Refused(
                KafkaError.INVALID_REQUEST, f"a principal is 'type:name', not {acl.principal!r}"
            )
        self._acls[acl] = None

    def _describe(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DescribeAclsResponse
        resources: dict[tuple[int, str, int], list[Any]] = {}
        for acl in filter(lambda acl: acl.is_matched_by(request), self._acls):
            described = response.AclDescription(
                principal=acl.principal,
                host=acl.host,
                operation=acl.operation,
                permission_type=acl.permission_type,
            )
            resources.setdefault(acl[:3], []).append(described)
        return response(
            resources=[
                response.DescribeAclsResource(
                    resource_type=kind, resource_name=name, pattern_type=pattern, acls=acls
                )
                for (kind, name, pattern), acls in resources.items()
            ]
        )

    def _delete(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DeleteAclsResponse
        results = []
        for asked in request.filters:
            matching = [acl for acl in self._acls if acl.is_matched_by(asked)]
            for acl in matching:
                del self._acls[acl]
            told = [response.DeleteAclsMatchingAcl(**acl._asdict()) for acl in matching]
            results.append(response.DeleteAclsFilterResult(matching_acls=told))
        return response(filter_results=results)
