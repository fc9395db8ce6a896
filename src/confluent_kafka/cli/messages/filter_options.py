"""The options that choose messages by their contents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.messages.decoding import Decoding

if TYPE_CHECKING:
    from confluent_kafka.cli.messages.filters import Keeps, Where

_FILTERS = "Filters"


class FilterOptions(NamedTuple):
    """Which messages a command reads."""

    key_is: Annotated[
        list[str] | None,
        option(
            "--key-is",
            panel=_FILTERS,
            metavar="KEY",
            help="Only messages with this key. Can be given more than once.",
        ),
    ] = None
    header: Annotated[
        list[str] | None,
        option(
            "--header",
            "-H",
            panel=_FILTERS,
            metavar="NAME=VALUE",
            help="Only messages with this header. If you repeat it, a message needs all of them.",
        ),
    ] = None
    where: Annotated[
        str | None,
        option(
            "--where",
            panel=_FILTERS,
            metavar="EXPRESSION",
            help="Only messages for which this expression in CEL is true, such as 'value.id > 7'. "
            "It has the variables topic, partition, offset, timestamp, headers, key and value.",
        ),
    ] = None


def cheap_filters(options: FilterOptions) -> Sequence[Keeps]:
    """Return the filters that need no decoding.

    Args:
        options: the options of the command.
    """
    if not options.key_is and not options.header:
        return ()
    from confluent_kafka.cli.connection.administration import pairs
    from confluent_kafka.cli.messages.filters import has_headers, key_is

    filters = []
    if options.key_is:
        filters.append(key_is(options.key_is))
    if options.header:
        filters.append(has_headers(pairs(options.header, "--header")))
    return filters


def condition_of(options: FilterOptions, decoding: Decoding | None) -> Where | None:
    """Return the filter that sees decoded messages.

    Args:
        options: the options of the command.
        decoding: what decodes the messages.
    """
    if options.where is None:
        return None
    from confluent_kafka.cli.messages.filters import Where

    return Where(options.where, set() if decoding is None else set(decoding.decoders))
