"""Options that reads and writes share: the formats of keys and values, and the registry."""

from collections.abc import Mapping

from .formats.model import REGISTERED, Registry
from .options import Taker, positive

PARTS = ("key", "value")

_REGISTRY_URL = "schema.registry.url"
_REGISTRY_USER = "schema.registry.basic.auth.user.info"
_REGISTRY_CA = "schema.registry.ssl.ca.location"
_REGISTRY_TIMEOUT = "schema.registry.timeout"
OPTIONS = (
    *(f"{part}{what}" for part in PARTS for what in ("Format", "Schema", "Subject", "Message")),
    *(_REGISTRY_URL, _REGISTRY_USER, _REGISTRY_CA, _REGISTRY_TIMEOUT),
)


def check_raw(given: Mapping[str, str], part: str) -> None:
    """Refuse options of a schema for a part without a schema.

    Args:
        given: the options, with their names in the original spelling.
        part: ``key`` or ``value``; it stays bytes.

    Raises:
        ValueError: there is such an option.
    """
    for what in ("Schema", "Subject", "Message"):
        if f"{part}{what}" in given:
            raise ValueError(f"option {part}{what} needs a {part}Format other than raw")


def check_registry(form: str, part: str, place: Registry | None) -> None:
    """Refuse a format of the registry if there is no registry.

    Raises:
        ValueError: the format needs a registry.
    """
    if form in REGISTERED and place is None:
        raise ValueError(f"option {part}Format {form} needs {_REGISTRY_URL}")


def registry(take: Taker) -> Registry | None:
    """Return the registry of the options; None if they name none."""
    url = take.optional(_REGISTRY_URL, str)
    user, ca = take.optional(_REGISTRY_USER, str), take.optional(_REGISTRY_CA, str)
    timeout = take(_REGISTRY_TIMEOUT, positive, "10")
    if url is None:
        return None
    name, _, password = (user or "").partition(":")
    return Registry(
        url=url, username=name or None, password=password or None, ca=ca, timeout=timeout
    )


def registry_options(place: Registry) -> dict[str, str]:
    """Return a registry as the options that registry() reads."""
    options = {_REGISTRY_URL: place.url, _REGISTRY_TIMEOUT: str(place.timeout)}
    if place.username is not None:
        options[_REGISTRY_USER] = f"{place.username}:{place.password or ''}"
    if place.ca is not None:
        options[_REGISTRY_CA] = place.ca
    return options
