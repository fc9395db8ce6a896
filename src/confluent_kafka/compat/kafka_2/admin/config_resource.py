"""Resources that have a configuration: the classes of version 3."""

from __future__ import annotations

from ...kafka.admin.configs import ConfigResource, ConfigResourceType

__all__ = ["ConfigResource", "ConfigResourceType"]
