"""The schema registry's client of a producer or consumer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._conf import SASL
from .cached_schema_registry_client import CachedSchemaRegistryClient

_PREFIX = "schema.registry."


class ClientRegistry:
    """The schema registry's client that a Kafka client uses: a given one, or a new one.

    Args:
        config: the configuration. ``rest`` has the keys that do not concern the registry.
        given: the registry's client; None makes one from the configuration.

    Raises:
        TypeError: the configuration is not a dict, or a value has a wrong type.
        ValueError: there is no registry or there are two, a key is unknown, or a value is out of
            range.
    """

    def __init__(self, config: Mapping[str, Any], given: Any) -> None:
        if not isinstance(config, Mapping):
            raise TypeError(f"config must be a dict, not {type(config).__name__}")
        own = {name: value for name, value in config.items() if str(name).startswith(_PREFIX)}
        self.rest = {name: value for name, value in config.items() if name not in own}
        self._owned: CachedSchemaRegistryClient | None = None
        if given is None:
            self._owned = given = self._make(own)
        elif own:
            names = ", ".join(sorted(own))
            raise ValueError(
                f"schema_registry and {names} are mutually exclusive: give one of them"
            )
        self.client: Any = given

    def _make(self, own: Mapping[str, Any]) -> CachedSchemaRegistryClient:
        if f"{_PREFIX}url" not in own:
            raise ValueError(
                "there is no schema registry: set schema.registry.url in config, as "
                "http://host:port, or give schema_registry"
            )
        conf = {name: self.rest[name] for name in SASL if name in self.rest}
        conf |= {name.removeprefix(_PREFIX): value for name, value in own.items()}
        try:
            return CachedSchemaRegistryClient(conf)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"config, {_PREFIX}<key>: {error}") from error

    def close(self) -> None:
        """Close the registry's client if it was made here; the caller closes a given one."""
        if self._owned is not None:
            self._owned.close()
