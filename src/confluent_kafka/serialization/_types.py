"""The types of a client's keys and values. The default is Any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # TypeVar defaults came with Python 3.13. With them, strict mode accepts `SerializingProducer`
    # without type arguments.
    from typing_extensions import TypeVar

    K = TypeVar("K", default=Any)
    V = TypeVar("V", default=Any)
else:
    from typing import TypeVar

    K = TypeVar("K")
    V = TypeVar("V")
