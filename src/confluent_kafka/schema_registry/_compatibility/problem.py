"""The schemas that the rules compare, and the problems that they find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class Text:
    """A registered schema."""

    schema: str
    references: Mapping[str, str] = field(default_factory=dict)
    """The schemas that it refers to, by name.

    A schema comes after the schemas that it refers to.
    """


class Problem(NamedTuple):
    """A reason why the reader's schema cannot read data of the writer's schema."""

    kind: str
    """The name of the reason in the registry's API."""
    path: str
    """The place in the schema."""
    why: str

    def __str__(self) -> str:
        return (
            f"{{errorType:'{self.kind}', description:'{self.why}', additionalInfo:'{self.path}'}}"
        )


class SchemaError(ValueError):
    """A text is not a schema of its format."""
