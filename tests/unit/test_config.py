"""Configuration values reach librdkafka unchanged, or raise an error with the reason."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaException, Producer
from tests.support.configuration import effective, refusal
from tests.support.scripts import check_script


class TestValues:
    @pytest.mark.parametrize(
        ("key", "value", "expected"),
        [
            ("client.id", "name", "name"),
            ("client.id", "n\u00e4me \u20ac", "n\u00e4me \u20ac"),
            ("client.id", 12, "12"),
            ("retry.backoff.ms", 250, "250"),
            ("retry.backoff.ms", "250", "250"),
            ("retry.backoff.ms", 250.0, "250"),
            ("queue.buffering.max.ms", 2.5, "2.5"),
            ("queue.buffering.max.ms", 2, "2"),
            ("enable.idempotence", True, "true"),
            ("enable.idempotence", "true", "true"),
            ("log.connection.close", False, "false"),
            ("compression.codec", "lz4", "lz4"),
            ("client.rack", "", ""),
        ],
    )
    def test_value_reaches_librdkafka(self, key: str, value: object, expected: str) -> None:
        """Values of type str, int, float and bool reach librdkafka in its own text form."""
        assert effective({key: value})[key] == expected

    @pytest.mark.parametrize(
        ("key", "default"),
        [
            ("client.id", "rdkafka"),
            ("retry.backoff.ms", "100"),
            ("linger.ms", "5"),
            ("enable.idempotence", "false"),
            ("compression.type", "none"),
            ("acks", "-1"),
        ],
    )
    def test_none_is_the_default(self, key: str, default: str) -> None:
        """None leaves a property of any type at its default, as if the key were missing."""
        assert effective({key: None}).get(key, default) == default

    @pytest.mark.parametrize(
        "key", ["delivery.report.only.error", "default.topic.config", "logger", "error_cb"]
    )
    def test_none_for_keys_of_python(self, key: str) -> None:
        """None is also the default for keys that librdkafka does not have."""
        Producer({key: None}).close()

    def test_none_for_an_unknown_key(self) -> None:
        """An unknown key is an error, even if its value is None."""
        assert '"compression.typ"' in refusal({"compression.typ": None})

    def test_keywords_alone(self) -> None:
        """A client can be configured by keywords alone, if the keys are Python identifiers."""
        assert effective({}, acks="all")["request.required.acks"] == "-1"
        Producer(acks=1).close()
        Consumer(**{"group.id": "group"}).close()

    def test_keywords_go_before_the_dict(self) -> None:
        """A keyword takes precedence over the dict."""
        assert effective({"acks": 0}, acks="all")["request.required.acks"] == "-1"

    def test_default_topic_config(self) -> None:
        """The nested dict of older programs sets topic-level properties."""
        kept = effective({"default.topic.config": {"request.timeout.ms": 1234, "acks": 1.0}})
        assert kept["request.timeout.ms"] == "1234"
        assert kept["request.required.acks"] == "1"

    def test_topic_properties_without_nesting(self) -> None:
        """Topic-level properties work at the top level, too."""
        kept = effective({"auto.offset.reset": "earliest"}, Consumer)
        assert kept["auto.offset.reset"] == "smallest"

    def test_software_name(self) -> None:
        """Brokers get the name of this client (KIP-511), and users may set another name."""
        kept = effective({})
        assert kept["client.software.name"] == "confluent-kafka-python"
        assert re.fullmatch(
            r"\d+\.\d+\.\d+\S*-librdkafka-\d+\.\d+\.\d+\S*", kept["client.software.version"]
        )
        assert effective({"client.software.name": "mine"})["client.software.name"] == "mine"

    def test_the_dict_stays_the_callers(self) -> None:
        """The client neither changes nor keeps the dict, so that one dict can configure many
        clients."""
        config = {"acks": "all", "default.topic.config": {"acks": 1}, "plugin.library.paths": None}
        before = json.dumps(config)
        Producer(config).close()
        Producer(config, acks=1).close()
        assert json.dumps(config) == before

    def test_subclass_of_str_and_dict(self) -> None:
        """Subclasses of str and dict, which settings libraries use, work like str and dict."""

        class Text(str):
            __slots__ = ()

            def __str__(self) -> str:
                return "another"

        class Settings(dict[str, Any]):
            pass

        assert effective(Settings({Text("client.id"): Text("name")}))["client.id"] == "name"


class TestWrongValues:
    @pytest.mark.parametrize("value", [b"x", [], {}, ("a",), object(), print, 1j])
    def test_type(self, value: object) -> None:
        """The error names the key, the given type and the allowed types."""
        text = refusal({"client.id": value})
        assert '"client.id"' in text
        assert type(value).__name__ in text
        assert "str, int, float, bool or None" in text

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("retry.backoff.ms", "soon"),
            ("retry.backoff.ms", 1.5),
            ("retry.backoff.ms", "1.5"),
            ("retry.backoff.ms", "100 seconds"),
            ("retry.backoff.ms", "1e3"),
            ("retry.backoff.ms", -1),
            ("retry.backoff.ms", True),
            ("retry.backoff.ms", float("nan")),
            ("retry.backoff.ms", float("inf")),
            ("linger.ms", float("nan")),
            ("linger.ms", -1),
            ("enable.idempotence", "maybe"),
            ("enable.idempotence", 2),
            ("compression.type", "lz5"),
            ("compression.type", ""),
            ("debug", "conf,nothing"),
            ("delivery.timeout.ms", -1),
            ("plugin.library.paths", "no-such-plugin"),
            ("ssl.truststore.location", "/file"),
            ("sasl.jaas.config", "x"),
            ("delivery.report.only.error", "maybe"),
            ("delivery.report.only.error", 1),
        ],
    )
    def test_value(self, key: str, value: object) -> None:
        """The error contains the given key, even if librdkafka has another name for the
        property."""
        text = refusal({key: value})
        assert key in text
        assert "\n" not in text

    @pytest.mark.parametrize("value", [2**31, 2**32 + 5, 2**33, -(2**32), 2**70, str(2**33)])
    @pytest.mark.parametrize("key", ["delivery.timeout.ms", "retry.backoff.ms", "batch.size"])
    def test_integer_beyond_32_bits(self, key: str, value: object) -> None:
        """An integer of more than 32 bits is refused. librdkafka would cut it, so that 2**33 ms
        would mean no timeout."""
        text = refusal({key: value})
        assert key in text
        assert str(value) in text or "range" in text

    @pytest.mark.parametrize("number", [2**33, 2**70, 10**100])
    def test_long_number_as_text(self, number: int) -> None:
        """Properties with text values accept any number."""
        assert effective({"client.id": number})["client.id"] == str(number)

    def test_number_too_long_to_write(self) -> None:
        """A number too long for Python to convert to str raises Python's ValueError."""
        with pytest.raises(ValueError, match="digit"):
            Producer({"client.id": 10**5000})

    @pytest.mark.parametrize("value", ["\ud800", "a\udfffb", "a\0b", "\0"])
    @pytest.mark.parametrize("key", ["client.id", "sasl.password"])
    def test_text_that_librdkafka_cannot_hold(self, key: str, value: str) -> None:
        """A value with a NUL is refused, because the NUL would silently cut the value."""
        assert f'"{key}"' in refusal({key: value})

    @pytest.mark.parametrize("value", ["x", 1, [], True])
    def test_nested_config_that_is_no_dict(self, value: object) -> None:
        """The error names the key and the given type."""
        text = refusal({"default.topic.config": value})
        assert "default.topic.config" in text
        assert type(value).__name__ in text

    def test_nested_config_in_itself(self) -> None:
        """A nested dict that contains itself raises RecursionError and does not crash."""
        config: dict[str, Any] = {}
        config["default.topic.config"] = config
        with pytest.raises(RecursionError):
            Producer(config)

    @pytest.mark.parametrize("config", [None, [], "acks=1", 5, [("acks", 1)]])
    def test_configuration_that_is_no_dict(self, config: Any) -> None:
        """The TypeError shows what a configuration looks like."""
        with pytest.raises(TypeError, match=r"bootstrap\.servers"):
            Producer(config)

    def test_no_configuration(self) -> None:
        """No configuration and two configurations raise the same TypeError."""
        with pytest.raises(TypeError, match=r"bootstrap\.servers"):
            Producer()
        with pytest.raises(TypeError, match=r"bootstrap\.servers"):
            Producer({}, {})  # type: ignore[call-arg]

    def test_combination_that_librdkafka_refuses(self) -> None:
        """An error that appears only when the client is created also names the properties."""
        text = refusal({"enable.idempotence": True, "acks": 0})
        assert "acks" in text
        assert "enable.idempotence" in text

    def test_first_try_leaves_nothing_behind(self) -> None:
        """An object whose __init__ failed can be initialised again.

        Nothing of the first configuration remains.
        """
        called: list[object] = []
        producer = Producer.__new__(Producer)
        with pytest.raises(KafkaException):
            producer.__init__({"stats_cb": called.append, "acks": "many"})  # type: ignore[misc]
        producer.__init__({"statistics.interval.ms": 1})  # type: ignore[misc]
        producer.poll(0.05)
        producer.close()
        assert not called


def test_every_property_takes_any_value_or_says_why() -> None:
    """For each property of librdkafka, a value of any kind results in a client or in a typed
    error."""
    script = """
        import difflib, logging
        from confluent_kafka import Consumer, KafkaException

        properties = []
        difflib.get_close_matches = lambda word, known, n: properties.extend(known) or []
        try:
            Consumer({"?": 1})
        except KafkaException:
            pass
        quiet = logging.Logger("quiet")
        quiet.addHandler(logging.NullHandler())
        for key in properties:
            for value in (None, "", "x", "a,b", -1, 0, 2**33, 1.5, True, b"x", print):
                try:
                    Consumer({"group.id": "g", "logger": quiet, key: value}).close()
                except (KafkaException, TypeError, ValueError) as error:
                    # Combinations are refused when the client is created, in other words.
                    assert key in str(error) or "Failed to" in str(error), (key, value, error)
        print(len(properties))
    """
    assert int(check_script(script, timeout=300)) > 150
