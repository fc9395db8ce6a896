"""The exceptions of the protocol's codec."""

from __future__ import annotations


class MalformedMessageError(ValueError):
    """The bytes are not a message of the version that they were decoded as."""


class UnsupportedVersionError(ValueError):
    """The message does not have this version, or the version cannot express the set fields."""
