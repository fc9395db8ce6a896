"""Configuration: from a dict to what librdkafka runs with, and errors that name the key."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from tests.support.scripts import check_script

SECRET = "S3CR3T"
SECRETS = (
    "sasl.password",
    "sasl.username",
    "sasl.oauthbearer.config",
    "sasl.oauthbearer.client.secret",
    "ssl.key.password",
    "ssl.key.pem",
    "ssl.ca.pem",
    "ssl.keystore.password",
)
CALLBACKS = (
    (Producer, "error_cb"),
    (Producer, "throttle_cb"),
    (Producer, "stats_cb"),
    (Producer, "oauth_cb"),
    (Producer, "on_delivery"),
    (Consumer, "error_cb"),
    (Consumer, "throttle_cb"),
    (Consumer, "stats_cb"),
    (Consumer, "oauth_cb"),
    (Consumer, "on_commit"),
)


class Records(logging.Handler):
    """Keeps the messages of all records."""

    def __init__(self) -> None:
        super().__init__(level=logging.DEBUG)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def effective(
    config: dict[str, Any], client: type[Producer] | type[Consumer] = Producer, **keywords: Any
) -> dict[str, str]:
    """What librdkafka says its configuration is, other than defaults (debug=conf)."""
    records = Records()
    base: dict[str, Any] = {"debug": "conf", "logger": records}
    if client is Consumer:
        base["group.id"] = "group"
    client(base | config, **keywords).close()
    lines = (re.search(r"\]:   (\S+) = (.*)", message) for message in records.messages)
    return {line[1]: line[2] for line in lines if line}


def refusal(
    config: Any, client: type[Producer] | type[Consumer] = Producer, **keywords: Any
) -> str:
    """The text of the KafkaException(_INVALID_ARG) that creating the client raises."""
    with pytest.raises(KafkaException) as caught:
        client(config, **keywords)
    error = caught.value.args[0]
    assert isinstance(error, KafkaError)
    assert error.code() == KafkaError._INVALID_ARG
    assert not error.fatal()
    return error.str()


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
        """str, int, float and bool arrive as librdkafka's text for them."""
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
        """None leaves a property of any type as it is, as if the key were not there."""
        assert effective({key: None}).get(key, default) == default

    @pytest.mark.parametrize(
        "key", ["delivery.report.only.error", "default.topic.config", "logger", "error_cb"]
    )
    def test_none_for_keys_of_python(self, key: str) -> None:
        """The same for the keys that are not librdkafka's."""
        Producer({key: None}).close()

    def test_none_for_an_unknown_key(self) -> None:
        """A typo is an error whatever the value."""
        assert "compresion.type" in refusal({"compresion.type": None})

    def test_keywords_alone(self) -> None:
        """Producer(**kwargs): for keys that are Python identifiers."""
        assert effective({}, acks="all")["request.required.acks"] == "-1"
        Producer(acks=1).close()
        Consumer(**{"group.id": "group"}).close()

    def test_keywords_go_before_the_dict(self) -> None:
        """A keyword is the more specific of two values."""
        assert effective({"acks": 0}, acks="all")["request.required.acks"] == "-1"

    def test_default_topic_config(self) -> None:
        """The nested dict of the older style: topic-level properties."""
        kept = effective({"default.topic.config": {"request.timeout.ms": 1234, "acks": 1.0}})
        assert kept["request.timeout.ms"] == "1234"
        assert kept["request.required.acks"] == "1"

    def test_topic_properties_without_nesting(self) -> None:
        """Topic-level properties are as good at the top."""
        kept = effective({"auto.offset.reset": "earliest"}, Consumer)
        assert kept["auto.offset.reset"] == "smallest"

    def test_software_name(self) -> None:
        """Brokers are told which client this is (KIP-511), and users may say otherwise."""
        kept = effective({})
        assert kept["client.software.name"] == "confluent-kafka-python"
        assert re.fullmatch(
            r"\d+\.\d+\.\d+\S*-librdkafka-\d+\.\d+\.\d+\S*", kept["client.software.version"]
        )
        assert effective({"client.software.name": "mine"})["client.software.name"] == "mine"

    def test_the_dict_stays_the_callers(self) -> None:
        """It is neither changed nor kept: one dict can make many clients."""
        config = {"acks": "all", "default.topic.config": {"acks": 1}, "plugin.library.paths": None}
        before = json.dumps(config)
        Producer(config).close()
        Producer(config, acks=1).close()
        assert json.dumps(config) == before

    def test_subclass_of_str_and_dict(self) -> None:
        """Settings of libraries are often such; what they hold is what counts."""

        class Text(str):
            __slots__ = ()

            def __str__(self) -> str:
                return "another"

        class Settings(dict[str, Any]):
            pass

        assert effective(Settings({Text("client.id"): Text("name")}))["client.id"] == "name"


class TestKeys:
    @pytest.mark.parametrize(
        ("key", "nearest"),
        [
            ("bootstrap_servers", "bootstrap.servers"),
            ("bootstrap.server", "bootstrap.servers"),
            ("Bootstrap.Servers", "bootstrap.servers"),
            ("compresion.type", "compression.type"),
            ("linger_ms", "linger.ms"),
            ("request.required.ack", "request.required.acks"),
            ("error_callback", "error_cb"),
            ("stats.cb", "stats_cb"),
            ("on_deliver", "on_delivery"),
        ],
    )
    def test_did_you_mean(self, key: str, nearest: str) -> None:
        """An unknown key comes with the nearest known one."""
        text = refusal({key: "x"})
        assert f'"{key}"' in text
        assert f"did you mean '{nearest}'?" in text

    def test_did_you_mean_of_the_consumer(self) -> None:
        """Each client type knows its own keys."""
        text = refusal({"group.id": "group", "on_comit": print}, Consumer)
        assert "did you mean 'on_commit'?" in text

    def test_nothing_is_near(self) -> None:
        """No suggestion is better than a wild one."""
        text = refusal({"%%%": 1})
        assert '"%%%"' in text
        assert "did you mean" not in text

    def test_unknown_keyword(self) -> None:
        """Keywords are keys too."""
        assert "bootstrap.servers" in refusal({}, bootstrap_servers="localhost")
        with pytest.raises(KafkaException, match=r"bootstrap\.servers"):
            Producer(bootstrap_servers="localhost")

    def test_unknown_key_in_the_nested_dict(self) -> None:
        """default.topic.config is checked like the rest."""
        text = refusal({"default.topic.config": {"aks": 1}})
        assert '"aks"' in text
        assert "did you mean 'acks'?" in text

    @pytest.mark.parametrize("key", ["on_commit", "rebalance_cb", "dr_msg_cb", "opaque"])
    def test_keys_that_are_not_for_a_producer(self, key: str) -> None:
        """Of another client type, or only for C: named, and not taken silently."""
        assert key in refusal({key: print})

    @pytest.mark.parametrize("key", [b"client.id", 1, None, ("client.id",), 1.5])
    def test_key_that_is_no_str(self, key: object) -> None:
        """The type that was given is named."""
        text = refusal({key: "x"})
        assert "must be str" in text
        assert type(key).__name__ in text

    @pytest.mark.parametrize("key", ["\ud800", "client.id\udfff", "client\0id", "\0"])
    def test_key_that_is_no_text(self, key: str) -> None:
        """A lone surrogate or a NUL is named in a readable form."""
        for config in ({key: "x"}, {"default.topic.config": {key: "x"}}):
            text = refusal(config)
            assert ascii(key) in text
            assert "surrogate" in text

    def test_hook_of_librdkafkas_unit_tests(self) -> None:
        """It would be called as a function: the string must not get there."""
        assert "ut_handle_ProduceResponse" in refusal({"ut_handle_ProduceResponse": "x"})


class TestWrongValues:
    @pytest.mark.parametrize("value", [b"x", [], {}, ("a",), object(), print, 1j])
    def test_type(self, value: object) -> None:
        """The key and the type are named, and what is allowed."""
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
        """The key is named as it was given, also where librdkafka knows it by another name."""
        text = refusal({key: value})
        assert key in text
        assert "\n" not in text

    @pytest.mark.parametrize("value", [2**31, 2**32 + 5, 2**33, -(2**32), 2**70, str(2**33)])
    @pytest.mark.parametrize("key", ["delivery.timeout.ms", "retry.backoff.ms", "batch.size"])
    def test_integer_beyond_32_bits(self, key: str, value: object) -> None:
        """librdkafka would cut it to another number, and 2**33 ms would be no timeout at all."""
        text = refusal({key: value})
        assert key in text
        assert str(value) in text or "range" in text

    @pytest.mark.parametrize("number", [2**33, 2**70, 10**100])
    def test_long_number_as_text(self, number: int) -> None:
        """Properties that are texts take any number."""
        assert effective({"client.id": number})["client.id"] == str(number)

    def test_number_too_long_to_write(self) -> None:
        """int to str has a limit in Python: its ValueError, and no crash."""
        with pytest.raises(ValueError, match="digit"):
            Producer({"client.id": 10**5000})

    @pytest.mark.parametrize("value", ["\ud800", "a\udfffb", "a\0b", "\0"])
    @pytest.mark.parametrize("key", ["client.id", "sasl.password"])
    def test_text_that_librdkafka_cannot_hold(self, key: str, value: str) -> None:
        """A NUL would silently cut the value: it is refused."""
        assert f'"{key}"' in refusal({key: value})

    @pytest.mark.parametrize("value", ["x", 1, [], True])
    def test_nested_config_that_is_no_dict(self, value: object) -> None:
        """Named with the type given."""
        text = refusal({"default.topic.config": value})
        assert "default.topic.config" in text
        assert type(value).__name__ in text

    def test_nested_config_in_itself(self) -> None:
        """A cycle ends in RecursionError, not in a crash."""
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
        """Nothing given, or two: the same TypeError."""
        with pytest.raises(TypeError, match=r"bootstrap\.servers"):
            Producer()
        with pytest.raises(TypeError, match=r"bootstrap\.servers"):
            Producer({}, {})  # type: ignore[call-arg]

    def test_combination_that_librdkafka_refuses(self) -> None:
        """What only shows when the client is created names the properties all the same."""
        text = refusal({"enable.idempotence": True, "acks": 0})
        assert "acks" in text
        assert "enable.idempotence" in text

    def test_first_try_leaves_nothing_behind(self) -> None:
        """An object whose __init__ failed can be initialised again, with a clean slate."""
        called: list[object] = []
        producer = Producer.__new__(Producer)
        with pytest.raises(KafkaException):
            producer.__init__({"stats_cb": called.append, "acks": "many"})  # type: ignore[misc]
        producer.__init__({"statistics.interval.ms": 1})  # type: ignore[misc]
        producer.poll(0.05)
        producer.close()
        assert not called


class TestSecrets:
    @pytest.mark.parametrize(
        "wrap",
        [
            lambda text: [text],
            lambda text: text.encode(),
            lambda text: text + "\0",
            lambda text: text + "\ud800",
            lambda text: {text: text},
        ],
        ids=["list", "bytes", "NUL", "surrogate", "dict"],
    )
    @pytest.mark.parametrize("key", SECRETS)
    def test_wrong_value_is_not_shown(self, key: str, wrap: Callable[[str], object]) -> None:
        """Error texts end in logs."""
        text = refusal({key: wrap(SECRET)})
        assert f'"{key}"' in text
        assert SECRET not in text

    @pytest.mark.parametrize("key", SECRETS)
    def test_value_of_a_wrong_key_is_not_shown(self, key: str) -> None:
        """The key with a typo may well be the password's."""
        text = refusal({key.replace("s", "z"): SECRET})
        assert SECRET not in text

    @pytest.mark.parametrize("key", SECRETS)
    def test_secrets_are_not_logged(self, key: str) -> None:
        """Nor with all of librdkafka's debug output on, nor when the client is refused."""
        records = Records()
        config = {
            "debug": "all",
            "logger": records,
            key: SECRET,
            "security.protocol": "sasl_ssl",
            "sasl.mechanism": "PLAIN",
        }
        config = {"sasl.username": "me", "sasl.password": "me"} | config
        texts = records.messages
        try:
            Producer(config).close()
        except KafkaException as error:
            texts.append(str(error))
        assert texts
        assert not [text for text in texts if SECRET in text]


class TestCallables:
    @pytest.mark.parametrize(("client", "key"), CALLBACKS)
    @pytest.mark.parametrize("value", ["x", 1, [], False])
    def test_not_callable(self, client: type[Any], key: str, value: object) -> None:
        """One rule for all: KafkaException(_INVALID_ARG) that names the key and the type."""
        text = refusal({"group.id": "group", key: value}, client)
        assert f'"{key}" must be callable or None' in text
        assert type(value).__name__ in text

    @pytest.mark.parametrize(("client", "key"), CALLBACKS)
    def test_none_is_no_callback(self, client: type[Any], key: str) -> None:
        """None for every one of them, as for the other properties."""
        client({"group.id": "group", key: None}).close()

    @pytest.mark.parametrize(("client", "key"), CALLBACKS)
    def test_anything_callable(self, client: type[Any], key: str) -> None:
        """Functions, methods, classes, objects with __call__."""

        class Called:
            def __call__(self, *args: object) -> None:
                pass

        for value in (print, [].append, Called, Called()):
            client({"group.id": "group", key: value}).close()


class TestLogger:
    @pytest.mark.parametrize("key", ["dict", "keyword"])
    @pytest.mark.parametrize("kind", ["logger", "handler"])
    def test_logger_or_handler(self, key: str, kind: str) -> None:
        """Both kinds, in the dict or as a keyword."""
        handler = Records()
        logger = logging.Logger("mine")
        logger.addHandler(handler)
        value = handler if kind == "handler" else logger
        config = {"debug": "conf"}
        if key == "dict":
            Producer(config | {"logger": value}).close()  # type: ignore[arg-type]
        else:
            Producer(config, logger=value).close()
        assert any("debug = conf" in message for message in handler.messages)

    @pytest.mark.parametrize("value", ["name", 1, [], object()])
    def test_wrong_type(self, value: object) -> None:
        """Names the key, the type, and what is allowed."""
        text = refusal({"logger": value})
        assert "logging.Logger, a logging.Handler or None" in text
        assert type(value).__name__ in text


class TestConsumer:
    @pytest.mark.parametrize("config", [{}, {"group.id": ""}, {"group.id": None}])
    def test_group_id_is_required(self, config: dict[str, Any]) -> None:
        """Without one, ValueError says what to set."""
        with pytest.raises(ValueError, match=r"group\.id must be set"):
            Consumer(config)


class TestPlugins:
    def test_plugins_are_loaded_before_their_properties(self) -> None:
        """A plugin adds properties, so it comes first wherever it stands in the dict."""
        text = refusal({"property.of.the.plugin": 1, "plugin.library.paths": "no-such-plugin"})
        assert "plugin.library.paths" in text
        assert "no-such-plugin" in text
        assert "property.of.the.plugin" not in text

    def test_no_plugins(self) -> None:
        """An empty list of plugins is none."""
        Producer({"plugin.library.paths": ""}).close()


def test_every_property_takes_any_value_or_says_why() -> None:
    """Each property librdkafka knows, with values of all kinds: a client or a typed error."""
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
                except (KafkaException, ValueError) as error:
                    # Combinations are refused when the client is created, in other words.
                    assert key in str(error) or "cannot create" in str(error), (key, value, error)
        print(len(properties))
    """
    assert int(check_script(script, timeout=300)) > 150
