"""What rules hide in messages, before a language model sees them."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka import Message
from confluent_kafka.cli.messages.redaction import REDACTED, Redaction
from confluent_kafka.cli.messages.samples import shown
from tests.support.secrets import reveals, secret

PASSWORD = secret("message")


def value_of(text: str, redaction: Redaction, most: int = 1000) -> Any:
    """The value of a message with this text, as a model gets it."""
    message = Message("topic", 0, value=text.encode(), offset=1)
    return shown(message, most, redaction)["value"]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"password": PASSWORD}),
        json.dumps({"a": [{"PassWord": {"b": PASSWORD}}]}),
        f'{{"password": "{PASSWORD}", "v": NaN}}',
        f'{{"password": "{PASSWORD}", "v": -Infinity}}',
        f'{{"password": "{PASSWORD}", "password": "{PASSWORD}"}}',
        f'{{"pass\\u0077ord": "{PASSWORD}"}}',
        json.dumps({"inner": json.dumps({"password": PASSWORD})}),
        json.dumps(json.dumps({"a": json.dumps({"password": PASSWORD})})),
        f'{{"password": "{PASSWORD}"',
        f'{{"password": "{PASSWORD}"}} {{"password": "{PASSWORD}"}}',
        f"user=ada password={PASSWORD}",
        f"<password>{PASSWORD}</password>",
        "[" * 100_000 + f'{{"password": "{PASSWORD}"}}',
    ],
)
@pytest.mark.parametrize("rule", ["password", "*password*", "pass*", "*"])
def test_fields(text: str, rule: str) -> None:
    """A field with this name is hidden, whatever surrounds it. A text that is not JSON, and in
    which the name occurs, is hidden as a whole."""
    for most in (20, 1000):
        assert not reveals(json.dumps(value_of(text, Redaction([rule]), most)))


def test_other_texts() -> None:
    """Texts in which no name occurs stay as they are."""
    rules = Redaction(["*password*"], [r"\d{8}"])
    for value in ("hello", {"a": "{b", "n": 1, "t": True, "x": None}, [1.5, "7"]):
        assert value_of(json.dumps(value), rules) == value


def test_patterns() -> None:
    """Patterns apply to texts, numbers and the names of fields."""
    value = {"41111111": "a 41111111", "n": 41111111, "f": 41111111.5, "l": [-41111111]}
    found = value_of(json.dumps(value), Redaction(patterns=[r"\d{8}"]))
    assert found == {
        REDACTED: f"a {REDACTED}",
        "n": REDACTED,
        "f": REDACTED,
        "l": [REDACTED],
    }


def test_the_length_of_what_is_cut() -> None:
    """It is the length of the message's own bytes."""
    text = json.dumps({"a": "x" * 5000}, indent=4)
    assert value_of(text, Redaction(), 100)["bytes"] == len(text)
