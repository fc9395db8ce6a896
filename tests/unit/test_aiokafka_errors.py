"""aiokafka's exceptions, and the conversion of librdkafka's errors to them."""

from __future__ import annotations

import pickle

import pytest

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.compat.aiokafka import errors
from confluent_kafka.compat.aiokafka._failures import failure_of, translated
from tests.support.error_stub import module_classes, stub_classes

_NUMBERED = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and hasattr(kind, "errno") and kind is not OSError
]


@pytest.mark.parametrize("kind", _NUMBERED)
def test_a_number_is_its_class(kind: type[errors.BrokerResponseError]) -> None:
    """The table finds each numbered exception by its number.

    The exception has its number, name and meaning.
    """
    assert errors.for_code(kind.errno) is kind
    assert kind.description == kind.__doc__
    assert kind.message.replace("_", "").isalnum()
    assert str(kind("why")) == f"[Error {kind.errno}] {kind.__name__}: why"


def test_the_stub_is_what_the_module_is() -> None:
    """errors.pyi, which editors and type checkers read, has exactly the classes of the table."""
    assert stub_classes(errors) == module_classes(errors)


@pytest.mark.parametrize("kind", [errors.KafkaError, errors.KafkaTimeoutError, *_NUMBERED])
def test_an_exception_is_pickled(kind: type[errors.KafkaError]) -> None:
    """An exception from another process arrives unchanged."""
    copy = pickle.loads(pickle.dumps(kind("why")))
    assert type(copy) is kind
    assert copy.args == ("why",)


def test_an_unknown_number() -> None:
    """A number that aiokafka has no class for is an unknown error."""
    assert errors.for_code(12345) is errors.UnknownError


def test_what_an_exception_says() -> None:
    """The text of an exception consists of its class and its arguments."""
    assert str(errors.KafkaTimeoutError()) == "KafkaTimeoutError"
    assert str(errors.KafkaTimeoutError("a b")) == "KafkaTimeoutError: a b"
    assert str(errors.KafkaTimeoutError("a", 1)) == "KafkaTimeoutError: ('a', 1)"


@pytest.mark.parametrize(
    ("kind", "retriable", "invalid_metadata"),
    [
        (errors.KafkaError, False, False),
        (errors.KafkaConnectionError, True, True),
        (errors.NotLeaderForPartitionError, True, True),
        (errors.RequestTimedOutError, True, False),
        (errors.MessageSizeTooLargeError, False, False),
    ],
)
def test_what_helps(kind: type[errors.KafkaError], retriable: bool, invalid_metadata: bool) -> None:
    """The attributes of an exception show whether to try again, and whether to request metadata
    first."""
    assert (kind.retriable, kind.invalid_metadata) == (retriable, invalid_metadata)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (KafkaError.UNKNOWN_TOPIC_OR_PART, errors.UnknownTopicOrPartitionError),
        (KafkaError._UNKNOWN_TOPIC, errors.UnknownTopicOrPartitionError),
        (KafkaError._MSG_TIMED_OUT, errors.KafkaTimeoutError),
        (KafkaError._TRANSPORT, errors.KafkaConnectionError),
        (KafkaError.MSG_SIZE_TOO_LARGE, errors.MessageSizeTooLargeError),
        (KafkaError.INVALID_PRODUCER_EPOCH, errors.ProducerFenced),
        (KafkaError._FAIL, errors.KafkaError),
        (KafkaError.INVALID_RECORD, errors.UnknownError),
    ],
)
def test_an_error_of_librdkafka(code: int, kind: type[errors.KafkaError]) -> None:
    """An error of librdkafka becomes aiokafka's exception with the same text; the KafkaException is
    its cause."""
    error = KafkaError(code, "why")
    assert type(failure_of(error)) is kind
    assert failure_of(error).args == ("why",)
    with pytest.raises(kind) as raised, translated():
        raise KafkaException(error)
    assert isinstance(raised.value.__cause__, KafkaException)


def test_other_exceptions_stay() -> None:
    """Exceptions that do not come from librdkafka are raised unchanged."""
    with pytest.raises(ZeroDivisionError), translated():
        _ = 1 / 0
    assert type(failure_of(KafkaException("no error in it"))) is errors.KafkaError
