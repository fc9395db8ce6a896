"""The guarantees of a producer, and the keywords that exclude each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import errors
from .._refusals import RefusedConfiguration, RefusedValue

_IDEMPOTENCE_SINCE = (0, 11)
_CODECS_SINCE = {"lz4": (0, 8, 2), "zstd": (2, 1)}


def settle_guarantees(config: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Set ``acks`` and ``enable_idempotence`` according to the guarantees of a producer.

    Args:
        config: all keywords.
        given: the keywords that the application has given.

    Raises:
        KafkaConfigurationError: keywords exclude each other; the text names all of them.
        ValueError: brokers of ``api_version`` do not have the codec.
    """
    if config["acks"] == "all":
        config["acks"] = -1
    if config["transactional_id"] is not None and not config["enable_idempotence"]:
        raise errors.KafkaConfigurationError(
            "Cannot set transactional_id without enable_idempotence."
        )
    _settle_idempotence(config, given)
    _check_codec(config)
    least = config["linger_ms"] + config["request_timeout_ms"]
    if config["delivery_timeout_ms"] < least:
        raise errors.KafkaConfigurationError(
            f"delivery_timeout_ms ({config['delivery_timeout_ms']}) must be at least linger_ms + "
            f"request_timeout_ms ({least})"
        )


def _settle_idempotence(config: dict[str, Any], given: Mapping[str, Any]) -> None:
    if not config["enable_idempotence"]:
        return
    is_asked_for = given.get("enable_idempotence") or config["transactional_id"] is not None
    conflicts = [f"{name}={given[name]}" for name in _conflicts(config)]
    version = config["api_version"]
    is_old = version is not None and version < _IDEMPOTENCE_SINCE
    if is_asked_for and conflicts:
        raise errors.KafkaConfigurationError(
            f"enable_idempotence=True is incompatible with user-provided {', '.join(conflicts)}"
        )
    if is_asked_for and is_old:
        raise RefusedConfiguration(
            f"Idempotent/Transactional producer requires broker >= 0.11 (got api_version={version})"
        )
    if conflicts or is_old:
        config["enable_idempotence"] = False


def _conflicts(config: Mapping[str, Any]) -> list[str]:
    """Return the given keywords that an idempotent producer does not allow."""
    breaks = {
        "acks": config["acks"] != -1,
        "retries": config["retries"] == 0,
        "max_in_flight_requests_per_connection": (
            config["max_in_flight_requests_per_connection"] > 5
        ),
    }
    return [name for name, does_break in breaks.items() if does_break]


def _check_codec(config: Mapping[str, Any]) -> None:
    codec, version = config["compression_type"], config["api_version"]
    since = _CODECS_SINCE.get(codec)
    if since is not None and version is not None and version < since:
        wanted = ".".join(map(str, since))
        raise RefusedValue(f"{codec.capitalize()} Requires >= Kafka {wanted} Brokers")
