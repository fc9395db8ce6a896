"""The keywords of kafka-python 2 that version 3 does not have, or has with another default."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from ..kafka._config import COMMON_DEFAULTS
from . import errors

__version__ = "2.0.2"
"""The version of kafka-python whose names, keywords and defaults this package has."""

DEFAULTS: dict[str, Any] = {
    "api_version_auto_timeout_ms": 2000,
    "client_id": f"kafka-python-{__version__}",
    "reconnect_backoff_max_ms": 1000,
    # The keywords of connections, which librdkafka manages.
    "sock_chunk_buffer_count": 1000,
    "sock_chunk_bytes": 4096,
}
"""The keywords of every client."""

CONNECTION_DEFAULTS: dict[str, Any] = (
    COMMON_DEFAULTS | DEFAULTS | {"metric_group_prefix": "", "metrics": None, "ssl_ciphers": None}
)
"""The keywords of the classes below the clients."""


def of_version_3(configs: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the keywords of version 2 to the keywords of version 3.

    Args:
        configs: the given keywords.
        defaults: the defaults of all keywords.
    """
    wait = configs.get("api_version_auto_timeout_ms", defaults["api_version_auto_timeout_ms"])
    return {"bootstrap_timeout_ms": wait} | dict(configs)


@contextlib.contextmanager
def brokers_needed() -> Iterator[None]:
    """Raise NoBrokersAvailable instead of version 3's error for a missing broker."""
    try:
        yield
    except errors.KafkaTimeoutError as failure:
        raise errors.NoBrokersAvailable(*failure.args) from failure
