"""Sources of tokens."""

from __future__ import annotations

import abc
from typing import Any


class AbstractTokenProvider(abc.ABC):
    """A source of tokens for SASL/OAUTHBEARER.

    Args:
        config: no effect; providers may pass their arguments to it.
    """

    def __init__(self, **config: Any) -> None:
        super().__init__()

    @abc.abstractmethod
    def token(self) -> str:
        """Return a token that is valid now.

        The client calls this method on a separate thread at the start, and again before the last
        token expires. It reads the end from the ``exp`` of a JWT. For any other token, it calls the
        method every five minutes.
        """

    def extensions(self) -> dict[str, str]:
        """Return the SASL extensions (KIP-342) that are sent with a token."""
        return {}
