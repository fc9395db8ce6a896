"""Schemas, their metadata and their rules, as stored in a registry.

Source: the documents of Confluent Schema Registry's HTTP API.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Self


def wire(name: str, read: Callable[[Any], Any] | None = None, **options: Any) -> Any:
    """Return the dataclass field for a document's field. `read` converts the field's JSON value."""
    return field(metadata={"name": name, "read": read}, **options)


def each(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that reads a list of values."""
    return lambda values: [read(value) for value in values]


def _written(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_written(one) for one in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


class Document:
    """An object that is read from JSON and written to JSON. A field that is None is absent."""

    @classmethod
    def from_dict(cls, src_dict: dict[str, Any]) -> Self:
        """Return the object of a JSON document.

        Args:
            src_dict: the document; unknown fields are ignored.

        Raises:
            ValueError: a field has a wrong value.
        """
        values = {}
        for one in fields(cls):  # type: ignore[arg-type]
            value = src_dict.get(one.metadata["name"])
            read = one.metadata["read"]
            if value is None:
                continue
            try:
                values[one.name] = value if read is None else read(value)
            except (AttributeError, TypeError) as error:
                name = one.metadata["name"]
                raise ValueError(f"{cls.__name__}: {name!r} is {value!r:.100}") from error
        absent = {one.name: None for one in fields(cls) if _required(one)}  # type: ignore[arg-type]
        return cls(**absent | values)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document of this object, without fields that are None."""
        named = {one.metadata["name"]: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
        return {name: _written(value) for name, value in named.items() if value is not None}


def _required(one: Any) -> bool:
    missing = type(field().default)
    return isinstance(one.default, missing) and isinstance(one.default_factory, missing)


class _Plain:
    """A JSON object with arbitrary names."""

    @classmethod
    def from_dict(cls, src_dict: dict[str, Any]) -> Self:
        """Return the object of a JSON document."""
        return cls(dict(src_dict))  # type: ignore[call-arg]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document of this object."""
        return dict(getattr(self, fields(self)[0].name))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash(tuple(sorted((name, str(value)) for name, value in self.to_dict().items())))


class ConfigCompatibilityLevel(StrEnum):
    """The compatibility that a new version of a schema needs."""

    BACKWARD = "BACKWARD"
    BACKWARD_TRANSITIVE = "BACKWARD_TRANSITIVE"
    FORWARD = "FORWARD"
    FORWARD_TRANSITIVE = "FORWARD_TRANSITIVE"
    FULL = "FULL"
    FULL_TRANSITIVE = "FULL_TRANSITIVE"
    NONE = "NONE"


class RuleKind(StrEnum):
    """Whether a rule checks or changes messages."""

    CONDITION = "CONDITION"
    TRANSFORM = "TRANSFORM"


class RuleMode(StrEnum):
    """When a rule is run."""

    UPGRADE = "UPGRADE"
    DOWNGRADE = "DOWNGRADE"
    UPDOWN = "UPDOWN"
    READ = "READ"
    WRITE = "WRITE"
    WRITEREAD = "WRITEREAD"


@dataclass(frozen=True, eq=True)
class RuleParams(_Plain):
    """The parameters of a rule."""

    params: dict[str, str] = field(default_factory=dict)

    def __hash__(self) -> int:
        return super().__hash__()


@dataclass(frozen=True)
class Rule(Document):
    """A rule of a data contract. This client stores rules but does not run them."""

    name: str = wire("name")
    doc: str | None = wire("doc")
    kind: RuleKind | None = wire("kind", RuleKind)
    mode: RuleMode | None = wire("mode", RuleMode)
    type: str = wire("type")
    tags: list[str] | None = wire("tags", list)
    params: RuleParams | None = wire("params", RuleParams.from_dict)
    expr: str | None = wire("expr")
    on_success: str | None = wire("onSuccess")
    on_failure: str | None = wire("onFailure")
    disabled: bool | None = wire("disabled")

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.mode, self.type, tuple(self.tags or ())))


@dataclass(frozen=True)
class RuleSet(Document):
    """The rules of a schema."""

    migration_rules: list[Rule] | None = wire("migrationRules", each(Rule.from_dict))
    domain_rules: list[Rule] | None = wire("domainRules", each(Rule.from_dict))
    encoding_rules: list[Rule] | None = wire("encodingRules", each(Rule.from_dict), default=None)
    enable_at: str | None = wire("enableAt", default=None)

    def __hash__(self) -> int:
        rules = (self.migration_rules, self.domain_rules, self.encoding_rules)
        return hash((*(tuple(some or ()) for some in rules), self.enable_at))


@dataclass(frozen=True, eq=True)
class MetadataTags(_Plain):
    """Tags by the path of the tagged element."""

    tags: dict[str, list[str]] = field(default_factory=dict)

    def __hash__(self) -> int:
        return super().__hash__()


@dataclass(frozen=True, eq=True)
class MetadataProperties(_Plain):
    """Properties by name."""

    properties: dict[str, str] = field(default_factory=dict)

    def __hash__(self) -> int:
        return super().__hash__()


@dataclass(frozen=True)
class Metadata(Document):
    """Metadata of a schema."""

    tags: MetadataTags | None = wire("tags", MetadataTags.from_dict)
    properties: MetadataProperties | None = wire("properties", MetadataProperties.from_dict)
    sensitive: list[str] | None = wire("sensitive", list)

    def __hash__(self) -> int:
        return hash((self.tags, self.properties, tuple(self.sensitive or ())))


@dataclass(frozen=True)
class SchemaReference(Document):
    """A reference of a schema to another schema."""

    name: str = wire("name")
    """The name that the schema uses: the file of an import, or the name of a type."""
    subject: str = wire("subject")
    version: int = wire("version")


@dataclass(frozen=True)
class Schema(Document):
    """A schema."""

    schema_str: str = wire("schema")
    schema_type: str = wire("schemaType", default="AVRO")
    """``AVRO``, ``JSON`` or ``PROTOBUF``."""
    references: list[SchemaReference] = wire(
        "references", each(SchemaReference.from_dict), default_factory=list
    )
    metadata: Metadata | None = wire("metadata", Metadata.from_dict, default=None)
    rule_set: RuleSet | None = wire("ruleSet", RuleSet.from_dict, default=None)

    def __hash__(self) -> int:
        parts = (self.schema_str, self.schema_type, tuple(self.references or ()))
        return hash((*parts, self.metadata, self.rule_set))


@dataclass(frozen=True)
class SchemaVersion(Document):
    """A subject and a version of it."""

    subject: str = wire("subject")
    version: int = wire("version")


@dataclass(frozen=True)
class RegisteredSchema:
    """A schema with its place in the registry; a field that the registry did not send is None."""

    subject: str | None
    version: int | None
    schema_id: int | None
    guid: str | None
    schema: Schema

    @classmethod
    def from_dict(cls, src_dict: dict[str, Any]) -> Self:
        """Return the object of a JSON document.

        Raises:
            ValueError: a field has a wrong value.
        """
        return cls(
            subject=src_dict.get("subject"),
            version=src_dict.get("version"),
            schema_id=src_dict.get("id"),
            guid=src_dict.get("guid"),
            schema=Schema.from_dict(src_dict),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document of this object, without fields that are None."""
        place = {
            "subject": self.subject,
            "version": self.version,
            "id": self.schema_id,
            "guid": self.guid,
        }
        said = {name: value for name, value in place.items() if value is not None}
        # The mock of an application may have no schema.
        return said | self.schema.to_dict() if self.schema else said


@dataclass(frozen=True)
class ServerConfig(Document):
    """The configuration of one subject, or the global configuration."""

    compatibility: ConfigCompatibilityLevel | None = wire(
        "compatibility", ConfigCompatibilityLevel, default=None
    )
    compatibility_level: ConfigCompatibilityLevel | None = wire(
        "compatibilityLevel", ConfigCompatibilityLevel, default=None
    )
    compatibility_group: str | None = wire("compatibilityGroup", default=None)
    default_metadata: Metadata | None = wire("defaultMetadata", Metadata.from_dict, default=None)
    override_metadata: Metadata | None = wire("overrideMetadata", Metadata.from_dict, default=None)
    default_rule_set: RuleSet | None = wire("defaultRuleSet", RuleSet.from_dict, default=None)
    override_rule_set: RuleSet | None = wire("overrideRuleSet", RuleSet.from_dict, default=None)

    def __hash__(self) -> int:
        return hash((self.compatibility, self.compatibility_level, self.compatibility_group))
