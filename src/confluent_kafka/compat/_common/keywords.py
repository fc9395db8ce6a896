"""Tables of keywords, from which librdkafka's configuration is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

LONGEST = 2**31 - 1
"""The largest number that most properties accept."""

EVERY = frozenset({"producer", "consumer", "admin", "client"})
"""The kinds of clients in the compatibility APIs."""


@dataclass(frozen=True)
class Keyword:
    """A keyword of an API's clients.

    Args:
        name: its name.
        properties: librdkafka's properties that get its value.
        convert: returns the properties' value, or None to leave the properties unset; raises
            ValueError or TypeError with a text that completes "NAME ...".
        unit: the unit of a number.
        clients: the kinds of clients that have it.
        kept: the code that reads it, if there is no property; "" if it has no effect.
        note: additional text for the documentation.
        words: the beginning of the original client's ValueError for a wrong value; ``{}`` stands
            for the value.
    """

    name: str
    properties: tuple[str, ...] = ()
    convert: Callable[[Any], Any] = lambda value: value
    unit: str = ""
    clients: frozenset[str] = EVERY
    kept: str = ""
    note: str = ""
    words: str = ""

    @property
    def has_no_effect(self) -> bool:
        """Whether the keyword is accepted without any effect."""
        return not self.properties and not self.kept


def number(low: int, high: int) -> Callable[[Any], int]:
    """Convert a number; limit it to librdkafka's range."""

    def convert(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"must be a number, not {type(value).__name__}")
        if value < 0:
            raise ValueError(f"must not be negative, not {value}")
        return int(max(low, min(high, value)))

    return convert


def none_or(convert: Callable[[Any], Any], otherwise: Any = None) -> Callable[[Any], Any]:
    """Convert a value that is not None; None becomes ``otherwise``."""
    return lambda value: otherwise if value is None else convert(value)


def text(value: Any) -> str:
    """Accept a text, unchanged."""
    if not isinstance(value, str):
        raise TypeError(f"must be str, not {type(value).__name__}")
    return value


def boolean(value: Any) -> bool:
    """Accept True and False, unchanged."""
    if not isinstance(value, bool):
        raise TypeError(f"must be bool, not {type(value).__name__}")
    return value


def one_of(*allowed: str) -> Callable[[Any], str]:
    """Return a function that accepts only the allowed texts, and returns them unchanged."""

    def convert(value: Any) -> str:
        if value not in allowed:
            raise ValueError(f"must be one of {', '.join(map(repr, allowed))}, not {value!r}")
        return str(value)

    return convert


def servers(value: Any) -> str:
    """Convert one broker, or a list of them."""
    servers = [value] if isinstance(value, str) else value
    if not isinstance(servers, list | tuple | set) or not all(isinstance(s, str) for s in servers):
        raise TypeError(f"must be 'host:port' or a list of those, not {value!r}")
    return ",".join(servers)


def acks(value: Any) -> int | None:
    """Convert ``acks``: whose acknowledgements a producer waits for."""
    if value not in (0, 1, -1, "all") or isinstance(value, bool):
        raise ValueError(f"must be 0, 1, -1 or 'all', not {value!r}")
    return -1 if value == "all" else int(value)


def assignors(allowed: Iterable[type[Any]]) -> Callable[[Any], str]:
    """Convert classes of assignors to the names of librdkafka's assignors; refuse other classes."""
    known = tuple(allowed)
    names = ", ".join(assignor.__name__ for assignor in known)

    def convert(value: Any) -> str:
        for assignor in value:
            if assignor not in known:
                raise ValueError(
                    f"cannot have {getattr(assignor, '__name__', assignor)!r}: librdkafka assigns "
                    f"partitions itself. Use one of {names}; or let the broker assign: "
                    "properties={'group.protocol': 'consumer'}"
                )
        if not value:
            raise ValueError("must have at least one assignor")
        return ",".join(assignor.name for assignor in value)

    return convert


def no_domain(value: Any) -> None:
    """Refuse sasl_kerberos_domain_name."""
    if value is not None:
        raise ValueError(
            "is not supported: librdkafka asks for a ticket of the broker's host name. Map the "
            "host to its realm in krb5.conf ([domain_realm]) and leave the keyword out"
        )


def converted(keywords: Iterable[Keyword], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties for some keywords.

    Args:
        keywords: the keywords of a client.
        given: their values; keywords without a value are ignored.

    Raises:
        ValueError, TypeError: a keyword's value is wrong; the text names it and what is allowed.
    """
    conf: dict[str, Any] = {}
    for keyword in keywords:
        if keyword.name not in given:
            continue
        try:
            value = keyword.convert(given[keyword.name])
        except (TypeError, ValueError) as wrong:
            text = f"{keyword.name} {wrong}"
            if keyword.words:
                words = keyword.words.format(given[keyword.name])
                raise ValueError(f"{words}: {text}") from None
            raise type(wrong)(text) from None
        if value is not None:
            conf.update(dict.fromkeys(keyword.properties, value))
    return conf


def reconcile(conf: dict[str, Any]) -> None:
    """Change properties that librdkafka accepts alone, but not together."""
    for name, least in (("retry.backoff", 1000), ("reconnect.backoff", 10_000)):
        if conf.get(f"{name}.ms", 0) > least:
            conf[f"{name}.max.ms"] = conf[f"{name}.ms"]
    if "transactional.id" in conf and "message.timeout.ms" in conf:
        longest = conf.get("transaction.timeout.ms", LONGEST)
        conf["message.timeout.ms"] = min(conf["message.timeout.ms"], longest)
    if "message.timeout.ms" in conf and "linger.ms" in conf:
        conf["linger.ms"] = min(conf["linger.ms"], conf["message.timeout.ms"] - 1)
    if "socket.timeout.ms" in conf:
        # The broker may delay an answer for this time, and then has to send it.
        least = min(conf.get("fetch.wait.max.ms", 0) + 1000, 300_000)
        conf["socket.timeout.ms"] = max(conf["socket.timeout.ms"], least)
    if "fetch.max.bytes" in conf:
        conf["message.max.bytes"] = min(conf["fetch.max.bytes"], 1_000_000)
        conf["receive.message.max.bytes"] = max(conf["fetch.max.bytes"] + 512, 100_000_000)
    if "max.poll.interval.ms" in conf:
        least = conf.get("session.timeout.ms", 0)
        conf["max.poll.interval.ms"] = max(conf["max.poll.interval.ms"], least)
