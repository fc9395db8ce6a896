"""The exceptions of the protocol's codec."""

from __future__ import annotations


class MalformedMessageError(ValueError):
    """Bytes that are not the message of the version that they were decoded as."""


class UnsupportedVersionError(ValueError):
    """A version that the message does not have, or that cannot carry what its fields say."""
