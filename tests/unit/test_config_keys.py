"""Configuration keys: suggestions for wrong keys, callbacks, loggers, secrets and plugins."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaException, Producer, ShareConsumer
from confluent_kafka.admin import AdminClient
from tests.support.clients import config as configuration
from tests.support.configuration import Records, refusal
from tests.support.secrets import secret

SECRET = secret("word")
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


class TestKeys:
    @pytest.mark.parametrize(
        ("key", "nearest"),
        [
            ("bootstrap_servers", "bootstrap.servers"),
            ("bootstrap.server", "bootstrap.servers"),
            ("Bootstrap.Servers", "bootstrap.servers"),
            ("compression.typ", "compression.type"),
            ("linger_ms", "linger.ms"),
            ("request.required.ack", "request.required.acks"),
            ("error_callback", "error_cb"),
            ("stats.cb", "stats_cb"),
            ("on_deliver", "on_delivery"),
        ],
    )
    def test_did_you_mean(self, key: str, nearest: str) -> None:
        """The error for an unknown key suggests the nearest known key."""
        text = refusal({key: "x"})
        assert f'"{key}"' in text
        assert f"did you mean '{nearest}'?" in text

    def test_did_you_mean_of_the_consumer(self) -> None:
        """Suggestions are keys of the client's own type."""
        text = refusal({"group.id": "group", "on_comit": print}, Consumer)
        assert "did you mean 'on_commit'?" in text

    def test_nothing_is_near(self) -> None:
        """If no known key is near, the error makes no suggestion."""
        text = refusal({"%%%": 1})
        assert '"%%%"' in text
        assert "did you mean" not in text

    def test_unknown_keyword(self) -> None:
        """Unknown keywords get suggestions, too."""
        assert "bootstrap.servers" in refusal({}, bootstrap_servers="localhost")
        with pytest.raises(KafkaException, match=r"bootstrap\.servers"):
            Producer(bootstrap_servers="localhost")

    def test_unknown_key_in_the_nested_dict(self) -> None:
        """The keys in default.topic.config are checked like other keys."""
        text = refusal({"default.topic.config": {"ackss": 1}})
        assert '"ackss"' in text
        assert "did you mean 'acks'?" in text

    @pytest.mark.parametrize("key", ["on_commit", "rebalance_cb", "dr_msg_cb", "opaque"])
    def test_keys_that_are_not_for_a_producer(self, key: str) -> None:
        """Keys of another client type, and keys for C only, raise an error that names them.

        They are not ignored silently.
        """
        assert key in refusal({key: print})

    @pytest.mark.parametrize("key", [b"client.id", 1, None, ("client.id",), 1.5])
    def test_key_that_is_no_str(self, key: object) -> None:
        """The error names the type of the key."""
        text = refusal({key: "x"})
        assert "must be str" in text
        assert type(key).__name__ in text

    @pytest.mark.parametrize("key", ["\ud800", "client.id\udfff", "client\0id", "\0"])
    def test_key_that_is_no_text(self, key: str) -> None:
        """The error shows a lone surrogate or a NUL in a key in readable form."""
        for config in ({key: "x"}, {"default.topic.config": {key: "x"}}):
            text = refusal(config)
            assert ascii(key) in text
            assert "surrogate" in text

    def test_hook_of_librdkafkas_unit_tests(self) -> None:
        """The value of this property must not reach librdkafka, which would call the string as a
        function."""
        assert "ut_handle_ProduceResponse" in refusal({"ut_handle_ProduceResponse": "x"})


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
        """The error does not show the value, because errors end up in logs."""
        text = refusal({key: wrap(SECRET)})
        assert f'"{key}"' in text
        assert SECRET not in text

    @pytest.mark.parametrize("key", SECRETS)
    def test_value_of_a_wrong_key_is_not_shown(self, key: str) -> None:
        """The error does not show the value, because the misspelt key may mean a password."""
        text = refusal({key.replace("s", "z"): SECRET})
        assert SECRET not in text

    @pytest.mark.parametrize("key", SECRETS)
    def test_secrets_are_not_logged(self, key: str) -> None:
        """Secrets are not in the log, even with all of librdkafka's debug output, or if creating
        the client fails."""
        records = Records()
        config: dict[str, Any] = {
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
        """A callback that cannot be called raises TypeError or KafkaException(_INVALID_ARG), as in
        confluent-kafka. The error names the key and the type."""
        config = {"group.id": "group", key: value}
        given = type(value).__name__
        if key.startswith("on_"):
            expected = f"{key} requires a callable object or None, not {given}"
            assert refusal(config, client) == expected
        else:
            expected = f"expected {key} property as a callable function or None, not {given}"
            with pytest.raises(TypeError, match=f"^{expected}$"):
                client(config)

    @pytest.mark.parametrize(("client", "key"), CALLBACKS)
    def test_none_is_no_callback(self, client: type[Any], key: str) -> None:
        """None is accepted for each callback, as for other properties."""
        client({"group.id": "group", key: None}).close()

    @pytest.mark.parametrize(("client", "key"), CALLBACKS)
    def test_anything_callable(self, client: type[Any], key: str) -> None:
        """A callback may be a function, a method, a class or an object with __call__."""

        class Called:
            def __call__(self, *args: object) -> None:
                pass

        for value in (print, str.upper, Called().__call__, Called, Called()):
            client({"group.id": "group", key: value}).close()


class TestLogger:
    @pytest.mark.parametrize("key", ["dict", "keyword"])
    @pytest.mark.parametrize("kind", ["logger", "handler"])
    def test_logger_or_handler(self, key: str, kind: str) -> None:
        """A logger and a handler are accepted, in the dict and as a keyword."""
        handler = Records()
        logger = logging.Logger("mine")
        logger.addHandler(handler)
        value = handler if kind == "handler" else logger
        config = {"debug": "conf"}
        if key == "dict":
            Producer(config | {"logger": value}).close()
        else:
            Producer(config, logger=value).close()
        assert any("debug = conf" in message for message in handler.messages)

    @pytest.mark.parametrize("value", ["name", 1, [], object()])
    def test_wrong_type(self, value: object) -> None:
        """The error names the key, the given type and the allowed types."""
        text = refusal({"logger": value})
        assert "logging.Logger, a logging.Handler or None" in text
        assert type(value).__name__ in text


class TestConsumer:
    @pytest.mark.parametrize("config", [{}, {"group.id": ""}, {"group.id": None}])
    def test_group_id_is_required(self, config: dict[str, Any]) -> None:
        """Without a group.id, the client raises a ValueError that names the property."""
        with pytest.raises(ValueError, match=r"group\.id must be set"):
            Consumer(config)


class TestPlugins:
    def test_plugins_are_loaded_before_their_properties(self) -> None:
        """A plugin adds properties, so librdkafka gets plugins first, wherever they are in the
        dict."""
        text = refusal({"property.of.the.plugin": 1, "plugin.library.paths": "no-such-plugin"})
        assert "plugin.library.paths" in text
        assert "no-such-plugin" in text
        assert "property.of.the.plugin" not in text

    def test_no_plugins(self) -> None:
        """An empty list of plugins means no plugin."""
        Producer({"plugin.library.paths": ""}).close()


@pytest.mark.parametrize("client", [Producer, Consumer, AdminClient, ShareConsumer])
def test_aws_iam_is_refused(client: type[Any]) -> None:
    """The method aws_iam raises an error instead of being silently accepted.

    With an oauth_cb, which makes the tokens, the method is accepted.
    """
    key = "sasl.oauthbearer.metadata.authentication.type"
    settings = configuration({key: "aws_iam", "sasl.oauthbearer.method": "oidc"}, client)
    with pytest.raises(KafkaException, match=f"{key}=aws_iam is not supported: give an oauth_cb"):
        client(settings)
    client(settings | {"oauth_cb": lambda _: ("token", 4e9)}).close()
    client(settings | {key: "azure_imds"}).close()
