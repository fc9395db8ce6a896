"""Errors of a registry, and of invalid schemas."""

from __future__ import annotations

__all__ = ["ClientError"]


class ClientError(Exception):
    """The registry refuses a request or cannot be reached, or a schema is not valid.

    Args:
        message: the error.
        http_code: the HTTP status of the registry's answer; None if there was no answer.
    """

    def __init__(self, message: str, http_code: int | None = None) -> None:
        self.message = message
        self.http_code = http_code
        super().__init__(message, http_code)

    def __str__(self) -> str:
        return self.message
