"""Requests about ACLs. Clusters with an authorizer enforce the ACLs (`_security`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Refused, outcome
from confluent_kafka.testing._security._authorizer import CLUSTER, CLUSTER_NAME, Acl, Acls

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

# In filters: match anything, and match the patterns that apply to a resource name.
_ANY, _MATCH = 1, 2


def _matches(asked: Any, acl: Acl) -> bool:
    """Return whether a filter of DescribeAcls or DeleteAcls matches an ACL."""
    return (
        asked.resource_type_filter in (_ANY, acl.resource_type)
        and _matches_name(asked.resource_name_filter, asked.pattern_type_filter, acl)
        and asked.principal_filter in (None, acl.principal)
        and asked.host_filter in (None, acl.host)
        and asked.operation in (_ANY, acl.operation)
        and asked.permission_type in (_ANY, acl.permission_type)
    )


def _matches_name(name: str | None, pattern: int, acl: Acl) -> bool:
    if pattern not in (_ANY, _MATCH, acl.pattern_type):
        return False
    if name is None or name == acl.resource_name:
        return True
    return pattern == _MATCH and acl.covers(acl.resource_type, name)


class AclRequests:
    """Answers requests about ACLs.

    Args:
        acls: the ACLs.
    """

    def __init__(self, acls: Acls) -> None:
        self._acls = acls

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.CreateAclsRequest: self._create,
            protocol.DescribeAclsRequest: self._describe,
            protocol.DeleteAclsRequest: self._delete,
        }

    # ---- kept between runs ----

    kept_as = "acls"

    def saved(self) -> list[dict[str, Any]]:
        """Return the ACLs."""
        return [acl._asdict() for acl in self._acls.all]

    def restore(self, saved: list[dict[str, Any]]) -> None:
        """Add the ACLs of an earlier run."""
        for each in saved:
            self._acls.add(Acl(**each))

    # ---- requests ----

    def _create(self, request: Any, context: RequestContext) -> Any:
        result = protocol.CreateAclsResponse.AclCreationResult
        return protocol.CreateAclsResponse(
            results=[result(**outcome(self._create_one, each)) for each in request.creations]
        )

    def _create_one(self, creation: Any) -> None:
        acl = Acl(*creation[:7])
        if not acl.resource_name:
            raise Refused(KafkaError.INVALID_REQUEST, "the name of the resource is empty")
        if ":" not in acl.principal:
            raise Refused(
                KafkaError.INVALID_REQUEST, f"a principal is 'type:name', not {acl.principal!r}"
            )
        if acl.resource_type == CLUSTER and acl.resource_name != CLUSTER_NAME:
            raise Refused(
                KafkaError.INVALID_REQUEST,
                f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}",
            )
        self._acls.add(acl)

    def _describe(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DescribeAclsResponse
        resources: dict[tuple[int, str, int], list[Any]] = {}
        for acl in filter(lambda acl: _matches(request, acl), self._acls.all):
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
            matching = [acl for acl in self._acls.all if _matches(asked, acl)]
            self._acls.remove(matching)
            told = [response.DeleteAclsMatchingAcl(**acl._asdict()) for acl in matching]
            results.append(response.DeleteAclsFilterResult(matching_acls=told))
        return response(filter_results=results)
