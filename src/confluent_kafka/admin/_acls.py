"""Access control lists: create, describe, delete."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from enum import Enum
from functools import total_ordering
from typing import Any, Self, TypeVar

from confluent_kafka.admin._enums import (
    CONFIGURATIONS_ONLY,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)
from confluent_kafka.admin._requests import (
    AdminRequests,
    checked,
    enum_of,
    items_of,
    new_futures,
)
from confluent_kafka.cimpl import KafkaError

_Acl = TypeVar("_Acl", bound="AclBinding")
_Fields = tuple[int, str | None, int, str | None, str | None, int, int]


@total_ordering
class AclBinding:
    """An ACL, which allows or denies an operation. Equal if all attributes are equal.

    Where an argument takes an enumeration, you can also pass a member's name or number.

    Args:
        restype: ResourceType of the protected resource.
        name: the name of the protected resource, or a prefix of names (see resource_pattern_type);
            ``kafka-cluster`` for ResourceType.BROKER.
        resource_pattern_type: ResourcePatternType.LITERAL or PREFIXED.
        principal: the user or group, for example ``User:alice``; ``User:*`` means everybody.
        host: the client's address; ``*`` is any address.
        operation: AclOperation.
        permission_type: AclPermissionType.ALLOW or DENY.

    Raises:
        TypeError, ValueError: an argument is wrong, or its value is for filters only.

    librdkafka: rd_kafka_AclBinding_t.
    """

    __slots__ = (
        "host",
        "name",
        "operation",
        "permission_type",
        "principal",
        "resource_pattern_type",
        "restype",
    )

    def __init__(
        self,
        restype: ResourceType | str | int,
        name: str,
        resource_pattern_type: ResourcePatternType | str | int,
        principal: str,
        host: str,
        operation: AclOperation | str | int,
        permission_type: AclPermissionType | str | int,
    ) -> None:
        self._set(restype, name, resource_pattern_type, principal, host, operation, permission_type)
        self._check()

    @classmethod
    def _of_answer(cls, fields: _Fields) -> Self:
        """Return an ACL from an answer. A value that librdkafka does not know is UNKNOWN."""
        binding = cls.__new__(cls)
        binding._set(*fields)
        return binding

    def _set(
        self,
        restype: ResourceType | str | int,
        name: Any,
        resource_pattern_type: ResourcePatternType | str | int,
        principal: Any,
        host: Any,
        operation: AclOperation | str | int,
        permission_type: AclPermissionType | str | int,
    ) -> None:
        self.restype: ResourceType = enum_of(ResourceType, restype, "restype")
        self.name: Any = name
        self.resource_pattern_type: ResourcePatternType = enum_of(
            ResourcePatternType, resource_pattern_type, "resource_pattern_type"
        )
        self.principal: Any = principal
        self.host: Any = host
        self.operation: AclOperation = enum_of(AclOperation, operation, "operation")
        self.permission_type: AclPermissionType = enum_of(
            AclPermissionType, permission_type, "permission_type"
        )

    def _check(self) -> None:
        for text in ("name", "principal", "host"):
            if getattr(self, text) is None:
                raise ValueError(
                    f"Expected {text} to be not None: only an AclBindingFilter may leave it open"
                )
            checked(getattr(self, text), str, text)
        for choice in ("restype", "resource_pattern_type", "operation", "permission_type"):
            # describe_acls() returns UNKNOWN for new values; create_acls() refuses it.
            if getattr(self, choice).name in ("ANY", "MATCH"):
                raise _not_here(choice, getattr(self, choice))
        self._check_type()

    def _check_type(self) -> None:
        if self.restype in CONFIGURATIONS_ONLY:
            raise _not_here("restype", self.restype)

    @property
    def restype_int(self) -> int:
        """The number of restype."""
        return int(self.restype.value)

    @property
    def resource_pattern_type_int(self) -> int:
        """The number of resource_pattern_type."""
        return int(self.resource_pattern_type.value)

    @property
    def operation_int(self) -> int:
        """The number of operation."""
        return int(self.operation.value)

    @property
    def permission_type_int(self) -> int:
        """The number of permission_type."""
        return int(self.permission_type.value)

    def _fields(self) -> _Fields:
        return (
            self.restype_int,
            self.name,
            self.resource_pattern_type_int,
            self.principal,
            self.host,
            self.operation_int,
            self.permission_type_int,
        )

    def _order(self) -> tuple[Any, ...]:
        return tuple("" if part is None else part for part in self._fields())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._fields() == other._fields()

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, AclBinding):
            return NotImplemented
        return self._order() < other._order()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.restype},{self.name},{self.resource_pattern_type},"
            f"{self.principal},{self.host},{self.operation},{self.permission_type})"
        )


class AclBindingFilter(AclBinding):
    """A filter for ACLs. It matches ACLs that agree with every attribute that has a value.

    Args:
        restype: ResourceType; ANY matches every type.
        name: the name of the protected resource; None matches every name.
        resource_pattern_type: ResourcePatternType; ANY matches every type. MATCH matches every ACL
            that applies to ``name``: by its full name, a prefix or ``*``.
        principal: the user or group; None matches everybody.
        host: the client's address; None matches every address.
        operation: AclOperation; ANY matches every operation.
        permission_type: AclPermissionType; ANY matches both.

    Raises:
        TypeError, ValueError: an argument is wrong.

    librdkafka: rd_kafka_AclBindingFilter_t.
    """

    __slots__ = ()

    def __init__(
        self,
        restype: ResourceType | str | int,
        name: str | None,
        resource_pattern_type: ResourcePatternType | str | int,
        principal: str | None,
        host: str | None,
        operation: AclOperation | str | int,
        permission_type: AclPermissionType | str | int,
    ) -> None:
        super().__init__(
            restype,
            name,  # type: ignore[arg-type]
            resource_pattern_type,
            principal,  # type: ignore[arg-type]
            host,  # type: ignore[arg-type]
            operation,
            permission_type,
        )

    def _check(self) -> None:
        for text in ("name", "principal", "host"):
            if getattr(self, text) is not None:
                checked(getattr(self, text), str, text)
        for choice in ("restype", "resource_pattern_type", "operation", "permission_type"):
            if getattr(self, choice).name == "UNKNOWN":
                raise _not_here(choice, getattr(self, choice))
        self._check_type()


def _not_here(name: str, choice: Enum) -> ValueError:
    return ValueError(f"Cannot use enum {name}, value {choice.name} in this class")


class AclRequests(AdminRequests):
    """Requests about ACLs."""

    __slots__ = ()

    def create_acls(
        self, acls: list[AclBinding], *, request_timeout: float | None = None
    ) -> dict[AclBinding, Future[None]]:
        """Create ACLs. An ACL that already exists is not changed.

        Args:
            acls: a list of AclBinding.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future for each binding; its result is None. It fails with
            SECURITY_DISABLED, INVALID_REQUEST, CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_CreateAcls().
        """
        items = items_of(acls, AclBinding, "acls", ValueError)
        for index, item in enumerate(items):
            if isinstance(item, AclBindingFilter):
                raise ValueError(f"acls[{index}] must be AclBinding, not AclBindingFilter")
        futures = _distinct(new_futures(items), items, "ACL bindings")

        def in_order(result: list[Any]) -> Iterator[tuple[AclBinding, KafkaError | None]]:
            return zip(items, result, strict=True)

        argument = [item._fields() for item in items]
        options = {"request_timeout": request_timeout}
        self._ask_each("create_acls", argument, options, futures, in_order)
        return futures

    def describe_acls(
        self, acl_binding_filter: AclBindingFilter, *, request_timeout: float | None = None
    ) -> Future[list[AclBinding]]:
        """Find ACLs.

        Args:
            acl_binding_filter: an AclBindingFilter.
            request_timeout: as for create_acls().

        Returns:
            A future; its result is a list of AclBinding. Values that librdkafka does not know, such
            as delegation tokens, are UNKNOWN. It fails with SECURITY_DISABLED,
            CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DescribeAcls().
        """
        item = checked(acl_binding_filter, AclBindingFilter, "acl_binding_filter")
        options = {"request_timeout": request_timeout}
        return self._ask("describe_acls", item._fields(), options, _bindings)

    def delete_acls(
        self,
        acl_binding_filters: list[AclBindingFilter],
        *,
        request_timeout: float | None = None,
    ) -> dict[AclBindingFilter, Future[list[AclBinding]]]:
        """Delete ACLs.

        Args:
            acl_binding_filters: a list of AclBindingFilter that match the ACLs to delete.
            request_timeout: as for create_acls().

        Returns:
            A future for each filter; its result is a list of the deleted AclBindings, as
            describe_acls() returns them. It fails with SECURITY_DISABLED,
            CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DeleteAcls().
        """
        items = items_of(acl_binding_filters, AclBindingFilter, "acl_binding_filters", ValueError)
        futures = _distinct(new_futures(items), items, "ACL binding filters")

        def in_order(
            result: list[tuple[KafkaError | None, list[_Fields]]],
        ) -> Iterator[tuple[AclBindingFilter, list[AclBinding] | KafkaError]]:
            for item, (error, acls) in zip(items, result, strict=True):
                yield item, error or _bindings(acls)

        argument = [item._fields() for item in items]
        options = {"request_timeout": request_timeout}
        self._ask_each("delete_acls", argument, options, futures, in_order)
        return futures


def _distinct(
    futures: dict[_Acl, Future[Any]], items: list[_Acl], kind: str
) -> dict[_Acl, Future[Any]]:
    """Return the futures. Raise if an item occurs twice: answers are matched by their order."""
    if len(futures) < len(items):
        raise ValueError(f"duplicate {kind} not allowed")
    return futures


def _bindings(acls: list[Any]) -> list[AclBinding]:
    return [AclBinding._of_answer(fields) for fields in acls]
