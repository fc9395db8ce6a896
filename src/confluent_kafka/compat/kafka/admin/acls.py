"""Access control lists."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

from confluent_kafka import protocol

from .. import errors
from .._enums import answered
from ._wire import CONTROLLER, Wire, check

# The value of a bit field that was not requested, or that a broker does not return.
_UNKNOWN_BITS = -(2**31)


class ResourceType(IntEnum):
    """Kinds of resources."""

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class ACLOperation(IntEnum):
    """The operation that a rule is about."""

    UNKNOWN = 0
    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14


class ACLPermissionType(IntEnum):
    """Whether a rule allows or denies the operation."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


class ACLResourcePatternType(IntEnum):
    """How a pattern matches the names of resources."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class ResourcePatternFilter:
    """Matches patterns of resources.

    Args:
        resource_type: a ResourceType.
        resource_name: the name of the resource; None for any.
        pattern_type: an ACLResourcePatternType.

    Raises:
        IllegalArgumentError: an argument is of another type.
    """

    def __init__(self, resource_type: Any, resource_name: str | None, pattern_type: Any) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.validate()

    def validate(self) -> None:
        """Check the arguments."""
        _require("resource_type", self.resource_type, ResourceType)
        _require("pattern_type", self.pattern_type, ACLResourcePatternType)

    def _key(self) -> tuple[Any, ...]:
        return self.resource_type, self.resource_name, self.pattern_type

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResourcePatternFilter) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"<ResourcePattern type={self.resource_type.name}, name={self.resource_name}, "
            f"pattern={self.pattern_type.name}>"
        )


class ResourcePattern(ResourcePatternFilter):
    """A resource, or all resources with a prefix; see ResourcePatternFilter."""

    def __init__(
        self,
        resource_type: Any,
        resource_name: str,
        pattern_type: Any = ACLResourcePatternType.LITERAL,
    ) -> None:
        super().__init__(resource_type, resource_name, pattern_type)

    def validate(self) -> None:
        """Check the arguments."""
        super().validate()
        if self.resource_type == ResourceType.ANY:
            raise errors.IllegalArgumentError("resource_type cannot be ANY")
        if self.pattern_type in (ACLResourcePatternType.ANY, ACLResourcePatternType.MATCH):
            raise errors.IllegalArgumentError(f"pattern_type cannot be {self.pattern_type.name}")


class ACLFilter:
    """Matches rules.

    Args:
        principal: the user, as "User:name"; None for any.
        host: the host of the client; None for any.
        operation: an ACLOperation.
        permission_type: an ACLPermissionType.
        resource_pattern: a ResourcePatternFilter.

    Raises:
        IllegalArgumentError: an argument is of another type.
    """

    def __init__(
        self,
        principal: str | None,
        host: str | None,
        operation: Any,
        permission_type: Any,
        resource_pattern: Any,
    ) -> None:
        self.principal: Any = principal
        self.host: Any = host
        self.operation = operation
        self.permission_type = permission_type
        self.resource_pattern = resource_pattern
        self.validate()

    def validate(self) -> None:
        """Check the arguments."""
        _require("operation", self.operation, ACLOperation)
        _require("permission_type", self.permission_type, ACLPermissionType)
        _require("resource_pattern", self.resource_pattern, ResourcePatternFilter)

    def _key(self) -> tuple[Any, ...]:
        who = (self.principal, self.host, self.operation, self.permission_type)
        return *who, self.resource_pattern

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ACLFilter) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"<ACL principal={self.principal}, resource={self.resource_pattern}, "
            f"operation={self.operation.name}, type={self.permission_type.name}, host={self.host}>"
        )


class ACL(ACLFilter):
    """A rule. It has the arguments of ACLFilter, but none of them may mean "any"."""

    def validate(self) -> None:
        """Check the arguments."""
        super().validate()
        if self.operation == ACLOperation.ANY:
            raise errors.IllegalArgumentError("operation cannot be ANY")
        if self.permission_type == ACLPermissionType.ANY:
            raise errors.IllegalArgumentError("permission_type cannot be ANY")
        _require("resource_pattern", self.resource_pattern, ResourcePattern)


class ACLAdminMixin:
    """Methods of KafkaAdminClient."""

    _wire: Wire

    def create_acls(self, acls: Iterable[ACL]) -> dict[str, list[Any]]:
        """Create rules.

        Returns:
            ``{"succeeded": [...], "failed": [...]}``: the rules, and the classes of errors.
        """
        rules, kind = list(acls), protocol.CreateAclsRequest
        creations = [
            kind.AclCreation(
                resource_type=int(one.resource_pattern.resource_type),
                resource_name=one.resource_pattern.resource_name,
                resource_pattern_type=int(one.resource_pattern.pattern_type),
                principal=one.principal,
                host=one.host,
                operation=int(one.operation),
                permission_type=int(one.permission_type),
            )
            for one in rules
        ]
        answer = self._wire.ask(kind(creations=creations), CONTROLLER)
        results = list(zip(rules, answer.results, strict=True))
        return {
            "succeeded": [rule for rule, result in results if not result.error_code],
            "failed": [errors.for_code(one.error_code) for _, one in results if one.error_code],
        }

    def describe_acls(
        self, acl_filter: ACLFilter
    ) -> tuple[list[ACL], type[errors.BrokerResponseError]]:
        """Return the rules that a filter matches, and NoError.

        Raises:
            BrokerResponseError: the broker's error.
        """
        pattern = acl_filter.resource_pattern
        answer = self._wire.ask(
            protocol.DescribeAclsRequest(
                resource_type_filter=int(pattern.resource_type),
                resource_name_filter=pattern.resource_name,
                pattern_type_filter=int(pattern.pattern_type),
                principal_filter=acl_filter.principal,
                host_filter=acl_filter.host,
                operation=int(acl_filter.operation),
                permission_type=int(acl_filter.permission_type),
            )
        )
        check(answer)
        rules = [_rule(resource, one) for resource in answer.resources for one in resource.acls]
        return rules, errors.NoError

    def delete_acls(
        self, acl_filters: Iterable[ACLFilter]
    ) -> list[tuple[ACLFilter, list[Any], type[errors.BrokerResponseError]]]:
        """Delete the rules that filters match.

        Returns:
            For each filter: the filter, the deleted rules, and the class of the filter's error. The
                class is NoError for a success.
        """
        return [
            (each, [_rule(one, one) for one in result.matching_acls], error)
            for each, result, error in self._deleted(acl_filters)
        ]

    def _deleted(
        self, acl_filters: Iterable[ACLFilter]
    ) -> list[tuple[ACLFilter, Any, type[errors.BrokerResponseError]]]:
        """Delete rules; return each filter with the broker's answer and the class of its error."""
        filters, kind = list(acl_filters), protocol.DeleteAclsRequest
        asked = [
            kind.DeleteAclsFilter(
                resource_type_filter=int(one.resource_pattern.resource_type),
                resource_name_filter=one.resource_pattern.resource_name,
                pattern_type_filter=int(one.resource_pattern.pattern_type),
                principal_filter=one.principal,
                host_filter=one.host,
                operation=int(one.operation),
                permission_type=int(one.permission_type),
            )
            for one in filters
        ]
        answer = self._wire.ask(kind(filters=asked), CONTROLLER)
        return [
            (each, result, errors.for_code(result.error_code))
            for each, result in zip(filters, answer.filter_results, strict=True)
        ]


def operations(bits: int) -> list[str] | None:
    """Return the names of the allowed operations in a bit field."""
    if bits == _UNKNOWN_BITS:
        return None
    return [one.name for one in ACLOperation if one > ACLOperation.ALL and bits >> one & 1] + (
        [ACLOperation.ALL.name] if bits >> ACLOperation.ALL & 1 else []
    )


def _rule(resource: Any, rule: Any) -> ACL:
    pattern = ResourcePattern(
        answered(ResourceType, resource.resource_type),
        resource.resource_name,
        answered(ACLResourcePatternType, resource.pattern_type),
    )
    operation = answered(ACLOperation, rule.operation)
    permission = answered(ACLPermissionType, rule.permission_type)
    return ACL(rule.principal, rule.host, operation, permission, pattern)


def rule_and_error(one: Any) -> tuple[ACL, type[errors.BrokerResponseError]]:
    """Return a rule that was deleted, and the class of the error that it has."""
    return _rule(one, one), errors.for_code(one.error_code)


def _require(name: str, value: Any, kind: type[Any]) -> None:
    if not isinstance(value, kind):
        raise errors.IllegalArgumentError(f"{name} must be a {kind.__name__} object, not {value!r}")
