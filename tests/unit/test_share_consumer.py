"""ShareConsumer and its values without a network."""

from __future__ import annotations

import copy
import pickle
from enum import IntEnum
from typing import Any

import pytest

import confluent_kafka
from confluent_kafka import (
    AcknowledgeType,
    ConcurrentModificationException,
    IllegalStateException,
    KafkaException,
    Message,
    Messages,
    ShareConsumer,
    cimpl,
)
from tests.support.clients import config
from tests.support.scripts import check_script
from tests.support.waiting import SOON, Stopwatch


def share(more: dict[str, Any] | None = None) -> ShareConsumer:
    return ShareConsumer(config(more, ShareConsumer))


class TestConfiguration:
    def test_without_a_group(self) -> None:
        """Without a group, the constructor raises a ValueError that names the key."""
        with pytest.raises(ValueError, match=r"group\.id must be set"):
            ShareConsumer({"bootstrap.servers": "127.0.0.1:1"})

    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("enable.auto.commit", True),
            ("isolation.level", "read_committed"),
            ("group.instance.id", "name"),
            ("auto.offset.reset", "earliest"),
            ("session.timeout.ms", 6000),
            ("on_commit", print),
        ],
    )
    def test_what_only_consumers_have(self, key: str, value: object) -> None:
        """A key that the brokers or the group set, or that has no meaning for share consumers,
        raises a ValueError that names the key."""
        with pytest.raises(ValueError, match=key):
            share({key: value})

    def test_what_cannot_be_used(self) -> None:
        """If librdkafka refuses the configuration when it creates the consumer, the constructor
        also raises ValueError."""
        with pytest.raises(
            ValueError, match=r"^Failed to create share consumer: ssl\.ca\.location"
        ):
            share({"security.protocol": "ssl", "ssl.ca.location": "/no/such/file"})
        with pytest.raises(ValueError, match="on_commit is not supported on ShareConsumer"):
            ShareConsumer(config(None, ShareConsumer), on_commit=None)

    def test_mode(self) -> None:
        """A mode that does not exist raises an error that names the property."""
        with pytest.raises(KafkaException, match=r"share\.acknowledgement\.mode"):
            share({"share.acknowledgement.mode": "sometimes"})


class TestSubscription:
    def test_names(self) -> None:
        """The last call of subscribe() counts. An empty list ends the subscription."""
        with share() as consumer:
            assert consumer.subscription() == []
            consumer.subscribe(["a", "b"])
            consumer.subscribe(("c",))
            assert consumer.subscription() == ["c"]
            consumer.subscribe([])
            assert consumer.subscription() == []
            consumer.unsubscribe()

    @pytest.mark.parametrize(
        ("topics", "reason"),
        [
            (["a", ""], r"topics\[1\] must be a topic's name, not empty"),
            (["a", "b", "a"], r"topics\[0\] and topics\[2\] are the same"),
        ],
    )
    def test_wrong_names(self, topics: list[str], reason: str) -> None:
        """A ValueError names the wrong topic, and the subscription stays unchanged."""
        with share() as consumer:
            consumer.subscribe(["before"])
            with pytest.raises(ValueError, match=reason):
                consumer.subscribe(topics)
            assert consumer.subscription() == ["before"]

    def test_name_that_looks_like_a_pattern(self) -> None:
        """'^name' is the name of a topic, because share consumers do not support regular
        expressions."""
        with share() as consumer:
            consumer.subscribe(["^name", "^na[me"])
            assert sorted(consumer.subscription()) == ["^na[me", "^name"]

    def test_poll_without_one(self) -> None:
        """Without a subscription, poll() raises IllegalStateException at once."""
        with share() as consumer:
            watch = Stopwatch()
            with pytest.raises(IllegalStateException, match="not subscribed"):
                consumer.poll(30)
            assert watch.elapsed < SOON


class TestExceptions:
    @pytest.mark.parametrize("kind", [IllegalStateException, ConcurrentModificationException])
    def test_base(self, kind: type[Exception]) -> None:
        """The exceptions are RuntimeErrors, because other clients raise RuntimeError in the same
        cases."""
        assert kind.__bases__ == (RuntimeError,)
        assert repr(pickle.loads(pickle.dumps(kind("text")))) == repr(kind("text"))

    def test_closed(self) -> None:
        """All calls of a closed consumer raise IllegalStateException, including the calls that all
        clients have."""
        consumer = share()
        consumer.close()
        for call in (consumer.poll, consumer.commit_sync, consumer.list_topics, consumer.wakeup):
            with pytest.raises(IllegalStateException, match="ShareConsumer has been closed"):
                call()

    def test_not_initialised(self) -> None:
        """A consumer whose __init__ was not called also raises IllegalStateException."""
        with pytest.raises(IllegalStateException, match=r"super\(\)\.__init__"):
            ShareConsumer.__new__(ShareConsumer).poll()


def test_acknowledge_type() -> None:
    """The members have the numbers of the protocol."""
    assert issubclass(AcknowledgeType, IntEnum)
    assert {each.name: int(each) for each in AcknowledgeType} == {
        "RENEW": 4,  # KIP-1222
        "ACCEPT": cimpl.SHARE_ACKNOWLEDGE_TYPE_ACCEPT,
        "RELEASE": cimpl.SHARE_ACKNOWLEDGE_TYPE_RELEASE,
        "REJECT": cimpl.SHARE_ACKNOWLEDGE_TYPE_REJECT,
    }
    assert [int(each) for each in AcknowledgeType] == [1, 2, 3, 4]  # KIP-932, KIP-1222


class TestMessages:
    MANY = tuple(Message("topic", 0, offset) for offset in range(5))

    def test_sequence(self) -> None:
        """Messages are a sequence: length, truth, indices, order and membership."""
        messages = Messages(self.MANY)
        assert (len(messages), messages.count(), messages.is_empty()) == (5, 5, False)
        assert list(messages) == list(self.MANY)
        assert list(reversed(messages)) == list(reversed(self.MANY))
        assert (messages[0], messages[-1]) == (self.MANY[0], self.MANY[4])
        assert self.MANY[3] in messages
        assert Message("other", 0, 0) not in messages
        with pytest.raises(IndexError):
            messages[5]
        with pytest.raises(TypeError):
            messages["0"]  # type: ignore[call-overload]

    def test_empty(self) -> None:
        """Messages without content are false and have no records."""
        messages = Messages()
        assert not messages
        assert (messages.count(), messages.is_empty(), messages.records()) == (0, True, [])

    def test_slices(self) -> None:
        """A slice of Messages is Messages, too."""
        part = Messages(self.MANY)[1:4:2]
        assert isinstance(part, Messages)
        assert [message.offset() for message in part] == [1, 3]

    def test_is_not_changed(self) -> None:
        """A caller may change the list of records() without changing the Messages."""
        messages = Messages(self.MANY)
        messages.records().clear()
        assert messages.count() == 5
        with pytest.raises(TypeError):
            messages[0] = None  # type: ignore[index]

    def test_copies(self) -> None:
        """Messages can be pickled and copied, like each message in them."""
        messages = Messages(self.MANY)
        for made in (copy.copy(messages), pickle.loads(pickle.dumps(messages))):
            assert isinstance(made, Messages)
            assert list(made) == list(messages)

    def test_repr(self) -> None:
        """repr() shows the messages."""
        assert repr(Messages(self.MANY[:1])) == f"Messages([{self.MANY[0]!r}])"


def test_older_librdkafka() -> None:
    """If librdkafka has no share consumers, other clients work, and the errors for the names
    contain the required version."""
    script = """
        import sys
        from confluent_kafka import cimpl

        for name in ("ShareConsumer", "IllegalStateException", "ConcurrentModificationException"):
            delattr(cimpl, name)
        del sys.modules["confluent_kafka"]
        import confluent_kafka
        assert "ShareConsumer" not in confluent_kafka.__all__
        from confluent_kafka import *
        Producer({"bootstrap.servers": ""}).close()
        try:
            from confluent_kafka import ShareConsumer
        except ImportError as error:
            assert "needs librdkafka 2.15" in str(error), error
        try:
            confluent_kafka.nothing
        except AttributeError as error:
            print(error)
    """
    assert check_script(script) == "module 'confluent_kafka' has no attribute 'nothing'\n"
    assert "ShareConsumer" in confluent_kafka.__all__
