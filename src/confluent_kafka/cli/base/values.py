"""The types of options and arguments, with errors in our words."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from confluent_kafka._values.topic_names import RULE, is_legal


class Parsed(click.ParamType):  # type: ignore[type-arg]  # generic since Click 8.4
    """The type of a value that a function returns.

    Args:
        parse: turns a text into the value, or raises click.BadParameter with the reason.
        name: the name of the type in help texts.
        limits: what help texts say about the values that are allowed.
    """

    def __init__(
        self, parse: Callable[[Any], object], name: str = "text", limits: str = ""
    ) -> None:
        self.name = name
        self.limits = limits
        self._parse = parse

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        return self._parse(value)


class Choice(click.Choice[Any]):
    """A member of an enumeration by its value. Click would take the names of the members."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        return str(choice).lower()  # Kafka and its tools also write FULL and SCRAM-SHA-256

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return f"{value!r} is not one of {', '.join(map(str, self.choices))}"


class File(click.Path):
    """A file that exists."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if not path.exists():
            self.fail(f"'{path}' does not exist", param, ctx)
        if path.is_dir():
            self.fail(f"'{path}' is a directory", param, ctx)
        return path


JAVA = "java:"
LIBRDKAFKA = "librdkafka:"


class ConfigFile(File):
    """A file of properties that exists, perhaps after the kind of client that it is for."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        kind, path = divided(str(value))
        super().convert(path, param, ctx)
        return Path(f"{kind}{path}")


def divided(text: str) -> tuple[str, Path]:
    """Return the kind of client in front of the path of a file, or an empty text, and the path.

    Args:
        text: a path, perhaps after ``java:`` or ``librdkafka:``.
    """
    for kind in (JAVA, LIBRDKAFKA):
        if text.startswith(kind):
            return kind, Path(text.removeprefix(kind))
    return "", Path(text)


def number_type(kind: type[int] | type[float], least: float | None, most: float | None) -> Parsed:
    """Return the type of numbers from `least` to `most`. None is no limit."""
    low = -math.inf if least is None else least
    high = math.inf if most is None else most
    noun = "a whole number" if kind is int else "a number"
    if least is None:
        limits, wanted = "", noun
    elif most is None:
        limits, wanted = f"at least {least}", f"{noun} of at least {least}"
    else:
        limits, wanted = f"{least} to {most}", f"{noun} from {least} to {most}"

    def parse(text: Any) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = math.nan  # NaN is outside of all limits
        if not low <= number <= high:
            raise click.BadParameter(f"{text!r} is not {wanted}")
        return number

    return Parsed(parse, "number", limits)


def topic_or_pattern(text: str) -> str:
    """Return the name of a topic, or a regular expression that begins with ``^``.

    Args:
        text: the text.
    """
    if not text.startswith("^"):
        return topic_name(text)
    try:
        re.compile(text)
    except re.error as error:
        raise click.BadParameter(f"{text!r} is not a regular expression: {error}") from None
    return text


def name(text: str) -> str:
    """Return a text that is not empty and can be sent to a broker.

    Args:
        text: the text.
    """
    if not text:
        raise click.BadParameter("must not be empty")
    try:
        text.encode()
    except UnicodeEncodeError:  # bytes of the command line that are not UTF-8
        raise click.BadParameter(f"{text!r} is not UTF-8") from None
    return text


def principal(text: str) -> str:
    """Return a principal, which has a type and a name.

    Args:
        text: the text.
    """
    kind, _, name = text.partition(":")
    if not kind or not name:
        raise click.BadParameter(f"{text!r} needs a type: write User:{text or 'NAME'}")
    return text


def topic_name(text: str) -> str:
    """Return the name of a topic, or refuse a text that cannot be one.

    Args:
        text: the text.
    """
    if not is_legal(text):
        raise click.BadParameter(f"{text!r} cannot be a topic: {RULE}")
    return text
