"""Which version of the header goes before a request or a response."""

from __future__ import annotations

from confluent_kafka.protocol._classes import request_class
from confluent_kafka.protocol._errors import UnsupportedVersionError

_API_VERSIONS = 18


def request_header_version(api_key: int, version: int) -> int:
    """The version of RequestHeader that goes before a request.

    Args:
        api_key: the request's.
        version: the request's.

    Raises:
        UnsupportedVersionError: there is no such request or version.
    """
    return 2 if _is_flexible(api_key, version) else 1


def response_header_version(api_key: int, version: int) -> int:
    """The version of ResponseHeader that goes before the answer to a request.

    Args:
        api_key: the request's.
        version: the request's.

    Raises:
        UnsupportedVersionError: there is no such request or version.
    """
    flexible = _is_flexible(api_key, version)
    # Who asks for the versions does not know yet which ones it can read.
    return 1 if flexible and api_key != _API_VERSIONS else 0


def _is_flexible(api_key: int, version: int) -> bool:
    try:
        request = request_class(api_key)
    except ValueError as error:
        raise UnsupportedVersionError(str(error)) from None
    request._check_version(version)
    return version in request.flexible_versions
