"""What a registry refuses."""

from __future__ import annotations


class SchemaRegistryError(Exception):
    """The registry answered with an error, or not at all.

    Args:
        http_status_code: the status of its answer; 0 if there was none.
        error_code: the registry's own code, such as 40403; -1 if it gave none.
        error_message: what it said.
    """

    def __init__(self, http_status_code: int, error_code: int, error_message: str) -> None:
        self.http_status_code = http_status_code
        self.error_code = error_code
        self.error_message = error_message
        super().__init__(http_status_code, error_code, error_message)

    def __str__(self) -> str:
        status = f"HTTP status {self.http_status_code}, " if self.http_status_code else ""
        code = f"code {self.error_code}: " if self.error_code != -1 else ""
        return f"schema registry: {status}{code}{self.error_message}"
