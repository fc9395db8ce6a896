"""The options that choose messages by their contents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.messages.decoding import Decoding

if TYPE_CHECKING:
    from confluent_kafka.cli.messages.filters import Keeps, Where

_FILTERS = "Filters"

KeyIs = Annotated[
    list[str] | None,
    option(
        "--key-is",
        panel=_FILTERS,
        metavar="KEY",
        help="Only messages with this key. Can be given more than once.",
    ),
]
Header = Annotated[
    list[str] | None,
    option(
        "--header",
        "-H",
        panel=_FILTERS,
        metavar="NAME=VALUE",
        help="Only messages with this header. If you repeat it, a message needs all of them.",
    ),
]
Condition = Annotated[
    str | None,
    option(
        "--where",
        panel=_FILTERS,
        metavar="EXPRESSION",
        help="Only messages for which this expression in CEL is true, such as 'value.id > 7'. It "
        "has the variables topic, partition, offset, timestamp, headers, key and value.",
    ),
]


def cheap_filters(keys: list[str] | None, headers: list[str] | None) -> Sequence[Keeps]:
    """Return the filters that need no decoding.

    Args:
        keys: values of --key-is.
        headers: values of --header.
    """
    if not keys and not headers:
        return ()
    from confluent_kafka.cli.connection.administration import pairs
    from confluent_kafka.cli.messages.filters import has_headers, key_is

    filters = []
    if keys:
        filters.append(key_is(keys))
    if headers:
        filters.append(has_headers(pairs(headers, "--header")))
    return filters


def condition_of(where: str | None, decoding: Decoding | None) -> Where | None:
    """Return the filter that sees decoded messages.

    Args:
        where: value of --where.
        decoding: what decodes the messages.
    """
    if where is None:
        return None
    from confluent_kafka.cli.messages.filters import Where

    return Where(where, set() if decoding is None else set(decoding.decoders))
