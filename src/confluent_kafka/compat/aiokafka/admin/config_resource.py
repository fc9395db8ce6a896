"""Resources that have a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any


class ConfigResourceType(IntEnum):
    """Kinds of resources that have a configuration."""

    BROKER = 4
    TOPIC = 2


class ConfigResource:
    """A topic or a broker, to describe or to configure.

    Args:
        resource_type: a ConfigResourceType, or its name.
        name: the topic's name, or the broker's id.
        configs: to alter, the new values by name; to describe, the names. None means all.
    """

    def __init__(
        self,
        resource_type: ConfigResourceType | str,
        name: str,
        configs: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(resource_type, ConfigResourceType):
            resource_type = ConfigResourceType[str(resource_type).upper()]
        self.resource_type = resource_type
        self.name = name
        self.configs = configs
