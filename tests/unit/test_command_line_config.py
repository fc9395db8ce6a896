"""`config list`: the configuration properties of librdkafka."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka._properties import properties
from tests.support.command_line import run

ROOT = Path(__file__).parents[2]


def listed(*arguments: str) -> list[dict[str, Any]]:
    done = run("config", "list", "--json", *arguments)
    assert done.status == 0
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_property() -> None:
    """The list shows all names, type, default, range, importance and meaning, without Markdown."""
    (linger,) = listed("linger.ms", "--client", "producer")[:1]
    assert linger["meaning"].startswith("Delay in milliseconds to wait")
    del linger["meaning"]
    assert linger == {
        "property": "linger.ms, queue.buffering.max.ms",
        "client": "producer",
        "type": "float",
        "default": "5",
        "range": "0 to 900000",
        "importance": "high",
    }
    texts = [each["meaning"] for each in listed()]
    assert not [text for text in texts if "`" in text or "<br>" in text or "](" in text or not text]


def test_patterns() -> None:
    """A text matches any part of a name. A pattern with * or ? must match a whole name."""
    assert [each["property"] for each in listed("sasl.pass*")] == ["sasl.password"]
    assert {each["property"] for each in listed("LINGER")} == {
        "linger.ms, queue.buffering.max.ms",
        "sticky.partitioning.linger.ms",
    }
    assert listed("queue.buffering.max.m?")[0]["property"].startswith("linger.ms")


def test_clients() -> None:
    """--client selects the properties of one kind of client. Each property has exactly one kind."""
    parts = [listed("--client", client) for client in ("producer", "consumer", "all")]
    assert all(parts)
    assert sum(map(len, parts)) == len(listed())
    assert {each["client"] for each in parts[2]} == {"all clients"}


def test_nothing_matches() -> None:
    """The error suggests the nearest name."""
    done = run("config", "list", "linger_ms")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr == "error: no property matches 'linger_ms': did you mean 'linger.ms'?\n"


def test_librdkafka_has_every_property() -> None:
    """No property of the list is unknown to the library that this package is built with."""
    for each in properties():
        client = Producer if each["client"] == "producer" else Consumer
        for name in each["names"]:
            # The client is always refused, because the property no.such does not exist.
            with pytest.raises((KafkaException, ValueError, TypeError)) as refusal:
                client({name: "x", "no.such": "x"})
            assert not re.search(f"No such.*{re.escape(name)}", str(refusal.value)), name


def test_the_list_is_that_of_the_documentation(monkeypatch: pytest.MonkeyPatch) -> None:
    """properties.json is up to date. If not, run: python tools/configuration_properties.py."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import configuration_properties
    import librdkafka

    if librdkafka.needs_download():
        pytest.skip("the sources of librdkafka are not on this machine")
    written = files("confluent_kafka._properties") / "properties.json"
    text = written.read_text(encoding="utf-8")
    assert text == configuration_properties.for_the_command()
