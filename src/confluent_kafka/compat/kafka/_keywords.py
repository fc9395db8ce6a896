"""The keywords of a client."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from . import _versions, errors


def complete(
    given: Mapping[str, Any], defaults: Mapping[str, Any], unknown: type[Exception]
) -> dict[str, Any]:
    """Return all keywords of a client, with the given values or the defaults.

    Args:
        given: the given keywords.
        defaults: the defaults of all keywords of the client.
        unknown: the exception for unknown keywords.

    Raises:
        KafkaConfigurationError, UnrecognizedBrokerVersion, ValueError: ``api_version`` is wrong.
    """
    others = sorted(given.keys() - defaults.keys())
    if others:
        raise unknown(f"Unrecognized configs: {', '.join(others)}")
    config = dict(defaults)
    config.update(given)
    config["api_version"] = _versions.given(config["api_version"])
    return config


def check_order(config: Mapping[str, Any], *names: str) -> None:
    """Check that each keyword's value is larger than the next one's.

    Raises:
        KafkaConfigurationError: a value is not larger.
    """
    for larger, smaller in itertools.pairwise(names):
        if config[larger] is not None and not config[larger] > config[smaller]:
            raise errors.KafkaConfigurationError(
                f"{larger} ({config[larger]}) must be larger than {smaller} ({config[smaller]})"
            )
