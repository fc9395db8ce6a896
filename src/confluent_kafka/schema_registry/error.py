"""Errors of a registry and its schemas."""

from __future__ import annotations

from typing import Any, Final


class SchemaRegistryError(Exception):
    """The registry answered with an error, or not at all.

    Args:
        http_status_code: the status of its answer; 0 if there was none.
        error_code: the registry's own code, such as 40403; UNKNOWN if it gave none.
        error_message: its message.
    """

    UNKNOWN: Final = -1

    def __init__(self, http_status_code: int, error_code: int, error_message: str) -> None:
        self.http_status_code = http_status_code
        self.error_code = error_code
        self.error_message = error_message
        super().__init__(http_status_code, error_code, error_message)

    def __str__(self) -> str:
        if not self.http_status_code:  # there was no answer
            return f"schema registry: {self.error_message}"
        codes = f"HTTP status code {self.http_status_code}, SR code {self.error_code}"
        return f"{self.error_message} ({codes})"


class OAuthTokenError(Exception):
    """Getting a token for the registry failed.

    Args:
        message: the error.
        status_code: the status of the token endpoint's answer; None if there was none.
        response_text: the answer.
    """

    def __init__(
        self, message: str, status_code: int | None = None, response_text: str | None = None
    ) -> None:
        self.message = message
        self.status_code = status_code
        self.response_text = response_text
        super().__init__(message, status_code, response_text)

    def __str__(self) -> str:
        status = "" if self.status_code is None else f" (HTTP {self.status_code})"
        said = f": {self.response_text}" if self.response_text else ""
        return f"{self.message}{status}{said}"


class SchemaParseException(Exception):
    """A schema is not valid for its type."""


class UnknownType(ValueError):
    """A schema names an unknown type.

    Args:
        name: the name.
    """

    def __init__(self, name: Any) -> None:
        self.name = name
        super().__init__(name)
