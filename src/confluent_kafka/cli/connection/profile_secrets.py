"""Secrets of profiles: from the environment, from the output of a program, or from the keyring."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from confluent_kafka._suggestions import did_you_mean

_TIMEOUT = 10.0
# Only keys and certificates can have more than one line.
_OF_SEVERAL_LINES = ".pem"


class Reference(NamedTuple):
    """The place of a secret.

    Attributes:
        kind: env, command or keyring.
        words: the name of a variable; a program and its arguments; a service and a user.
    """

    kind: str
    words: tuple[str, ...]


def reference_of(key: str, table: Mapping[str, Any]) -> Reference | None:
    """Return the reference that a table of the file is, or None if it is something else.

    Args:
        key: the property.
        table: its value, such as ``{env = "NAME"}``.

    Raises:
        ValueError: it is a reference, but a wrong one.
    """
    kinds = table.keys() & _FROM.keys()
    if len(table) != 1 or not kinds:
        return None
    (kind,) = kinds
    given = table[kind]
    words = given if isinstance(given, list) else [given]
    number, form, _ = _FROM[kind]
    if (
        isinstance(given, list) == (kind == "env")
        or not words
        or (number is not None and len(words) != number)
        or not all(isinstance(word, str) for word in words)
    ):
        raise ValueError(f"{key} needs {form}")
    return Reference(kind, tuple(words))


def resolved(key: str, value: str | Reference) -> str:
    """Return the text of a property.

    Args:
        key: the property.
        value: its text, or the place of its text.

    Raises:
        ValueError: there is nothing in this place. The error contains no secret.
    """
    if isinstance(value, str):
        return value
    _, _, look_up = _FROM[value.kind]
    try:
        text = look_up(*value.words)
        if "\n" in text and not key.endswith(_OF_SEVERAL_LINES):
            raise ValueError(f"{_origin(value)} has more than one line, and the secret is one line")
        return text
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None


def refuse_table(key: str, table: Mapping[str, Any]) -> None:
    """Refuse a table that is the value of a property, but is not a reference to a secret.

    Args:
        key: the property.
        table: its value, such as ``{envir = "NAME"}``.

    Raises:
        ValueError: librdkafka has this property. Otherwise the table comes from a dot in a name.
    """
    from confluent_kafka._properties import known_properties

    if key in known_properties():
        forms = ", ".join(form for _, form, _ in _FROM.values())
        near = did_you_mean(next(iter(table), ""), _FROM)
        raise ValueError(f"{key} needs a text, or one of {forms}{f': {near}' if near else ''}")


def _origin(place: Reference) -> str:
    """Return a description of the place of a secret, without the arguments of a program."""
    if place.kind == "command":
        return f"the output of {place.words[0]}"
    return f"the {'variable' if place.kind == 'env' else 'entry of the keyring'} {place.words[0]}"


def _from_environment(name: str) -> str:
    text = os.environ.get(name)
    if not text:
        problem = "not set" if text is None else "empty"
        raise ValueError(f"the environment variable {name} is {problem}")
    return text


def _from_command(program: str, *arguments: str) -> str:
    """Return what a program prints. No shell is involved.

    An error contains neither the arguments nor what the program printed, which can be secret.
    """
    try:
        done = subprocess.run(
            [program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=False,
        )
        text = done.stdout.decode().rstrip("\r\n")
    except subprocess.TimeoutExpired:
        raise ValueError(f"{program} did not end within {_TIMEOUT:.0f} s") from None
    except OSError as error:
        raise ValueError(f"{program} cannot be run: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{program} did not print UTF-8") from None
    if done.returncode != 0:
        raise ValueError(f"{program} ended with status {done.returncode}")
    if not text:
        raise ValueError(f"{program} printed nothing")
    return text


def _from_keyring(service: str, user: str) -> str:
    try:
        import keyring
        from keyring.errors import NoKeyringError
    except ModuleNotFoundError:
        raise ValueError("the keyring needs the extra [keyring]: pip install keyring") from None
    try:
        found = keyring.get_password(service, user)
    except NoKeyringError:
        raise ValueError(
            'this system has no keyring: use {env = "NAME"} or {command = ["PROGRAM"]} instead'
        ) from None
    except Exception as error:  # each kind of keyring has errors of its own
        raise ValueError(f"the keyring cannot be read: {type(error).__name__}") from None
    if found is None:
        raise ValueError(f"the keyring has no password of {user!r} for {service!r}")
    return found


# The number of words, what a wrong one is told, and the function that looks it up.
_FROM: dict[str, tuple[int | None, str, Callable[..., str]]] = {
    "env": (1, '{env = "NAME"}', _from_environment),
    "command": (None, '{command = ["PROGRAM", "ARGUMENT", ...]}', _from_command),
    "keyring": (2, '{keyring = ["SERVICE", "USER"]}', _from_keyring),
}
