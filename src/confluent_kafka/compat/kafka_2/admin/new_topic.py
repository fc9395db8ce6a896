"""A topic to create: the class of version 3."""

from __future__ import annotations

from ...kafka.admin.topics import NewTopic

__all__ = ["NewTopic"]
