"""The keywords of kafka-python 2 that version 3 does not have, or with another default."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from ..kafka._config import COMMON_DEFAULTS
from . import errors

__version__ = "2.0.2"
"""The version of kafka-python whose names, keywords and defaults these are."""

DEFAULTS: dict[str, Any] = {
    "api_version_auto_timeout_ms": 2000,
    "client_id": f"kafka-python-{__version__}",
    "reconnect_backoff_max_ms": 1000,
    # Of connections that librdkafka reads and writes.
    "sock_chunk_buffer_count": 1000,
    "sock_chunk_bytes": 4096,
}
"""Of every client."""

CONNECTION_DEFAULTS: dict[str, Any] = (
    COMMON_DEFAULTS | DEFAULTS | {"metric_group_prefix": "", "metrics": None, "ssl_ciphers": None}
)
"""Of the classes below the clients."""


def of_version_3(configs: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return keywords with those of version 3 that stand for them.

    Args:
        configs: the keywords that were given.
        defaults: of all keywords.
    """
    wait = configs.get("api_version_auto_timeout_ms", defaults["api_version_auto_timeout_ms"])
    return {"bootstrap_timeout_ms": wait} | dict(configs)


@contextlib.contextmanager
def brokers_needed() -> Iterator[None]:
    """Raise NoBrokersAvailable where version 3 has waited in vain for a broker."""
    try:
        yield
    except errors.KafkaTimeoutError as failure:
        raise errors.NoBrokersAvailable(*failure.args) from failure
