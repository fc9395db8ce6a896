"""The versions of the headers before requests and responses."""

from __future__ import annotations

from confluent_kafka.protocol._classes import request_class
from confluent_kafka.protocol._errors import UnsupportedVersionError

_API_VERSIONS = 18


def request_header_version(api_key: int, version: int) -> int:
    """Return the version of RequestHeader that comes before a request.

    Args:
        api_key: the API key of the request.
        version: the version of the request.

    Raises:
        UnsupportedVersionError: the request or the version does not exist.
    """
    return 2 if _is_flexible(api_key, version) else 1


def response_header_version(api_key: int, version: int) -> int:
    """Return the version of ResponseHeader that comes before the answer to a request.

    Args:
        api_key: the API key of the request.
        version: the version of the request.

    Raises:
        UnsupportedVersionError: the request or the version does not exist.
    """
    flexible = _is_flexible(api_key, version)
    # A client that asks for the versions does not know yet which header versions it can use.
    return 1 if flexible and api_key != _API_VERSIONS else 0


def _is_flexible(api_key: int, version: int) -> bool:
    try:
        request = request_class(api_key)
    except ValueError as error:
        raise UnsupportedVersionError(str(error)) from None
    request._check_version(version)
    return version in request.flexible_versions
