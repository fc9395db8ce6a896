"""Sources of tokens."""

from __future__ import annotations

import abc
from typing import Any


class AbstractTokenProvider(abc.ABC):
    """A source of tokens for SASL/OAUTHBEARER.

    Args:
        config: no effect: for providers that hand on what they were made with.
    """

    def __init__(self, **config: Any) -> None:
        super().__init__()

    @abc.abstractmethod
    def token(self) -> str:
        """Return a token that is valid now.

        Called on a thread of its own when a token is needed: at the start, and before the last one
        expires, by the ``exp`` of a JWT. A token of another kind is asked for again every five
        minutes.
        """

    def extensions(self) -> dict[str, str]:
        """Return the SASL extensions (KIP-342) that are sent with a token."""
        return {}
