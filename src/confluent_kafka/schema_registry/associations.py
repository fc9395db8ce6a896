"""Associations of subjects with topics, in registries that support them."""

from __future__ import annotations

from dataclasses import dataclass

from .schema import Document, Schema, each, wire


@dataclass(frozen=True)
class Association(Document):
    """A subject that is associated with a resource, such as a topic."""

    subject: str = wire("subject")
    guid: str = wire("guid")
    resource_name: str = wire("resourceName")
    resource_namespace: str = wire("resourceNamespace")
    resource_id: str = wire("resourceId")
    resource_type: str = wire("resourceType")
    association_type: str = wire("associationType")
    frozen: bool = wire("frozen", default=False)


@dataclass(frozen=True)
class AssociationInfo(Document):
    """One association in an answer."""

    subject: str | None = wire("subject", default=None)
    association_type: str | None = wire("associationType", default=None)
    lifecycle: str | None = wire("lifecycle", default=None)
    frozen: bool = wire("frozen", default=False)
    schema: Schema | None = wire("schema", Schema.from_dict, default=None)


@dataclass(frozen=True)
class AssociationCreateOrUpdateInfo(Document):
    """One association in a request."""

    subject: str | None = wire("subject", default=None)
    association_type: str | None = wire("associationType", default=None)
    lifecycle: str | None = wire("lifecycle", default=None)
    frozen: bool | None = wire("frozen", default=None)
    schema: Schema | None = wire("schema", Schema.from_dict, default=None)
    normalize: bool | None = wire("normalize", default=None)


@dataclass(frozen=True)
class AssociationCreateOrUpdateRequest(Document):
    """A request to create or update the associations of a resource."""

    resource_name: str | None = wire("resourceName", default=None)
    resource_namespace: str | None = wire("resourceNamespace", default=None)
    resource_id: str | None = wire("resourceId", default=None)
    resource_type: str | None = wire("resourceType", default=None)
    associations: list[AssociationCreateOrUpdateInfo] | None = wire(
        "associations", each(AssociationCreateOrUpdateInfo.from_dict), default=None
    )


@dataclass(frozen=True)
class AssociationResponse(Document):
    """The associations of a resource."""

    resource_name: str | None = wire("resourceName", default=None)
    resource_namespace: str | None = wire("resourceNamespace", default=None)
    resource_id: str | None = wire("resourceId", default=None)
    resource_type: str | None = wire("resourceType", default=None)
    associations: list[AssociationInfo] | None = wire(
        "associations", each(AssociationInfo.from_dict), default=None
    )
