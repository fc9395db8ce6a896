"""What the rules of the formats compare, and what they find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class Text:
    """A schema as it was registered."""

    schema: str
    references: Mapping[str, str] = field(default_factory=dict)
    """The schemas that it refers to, by name; a schema comes after those that it refers to."""


class Problem(NamedTuple):
    """A reason why the reader's schema cannot read what the writer's schema allows."""

    kind: str
    """The name that the registry's API has for it."""
    path: str
    """Where it is."""
    why: str

    def __str__(self) -> str:
        return (
            f"{{errorType:'{self.kind}', description:'{self.why}', additionalInfo:'{self.path}'}}"
        )


class SchemaError(ValueError):
    """A text is not a schema of its format."""
