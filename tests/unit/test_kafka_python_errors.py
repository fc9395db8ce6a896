"""kafka-python's exceptions, and the conversion of librdkafka's errors to them."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.compat.kafka import errors
from confluent_kafka.compat.kafka._failures import failure_of, translated
from tests.support.error_stub import module_classes, stub_classes

KINDS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.KafkaError)
]


def test_the_stub_is_what_the_module_is() -> None:
    """errors.pyi, which editors and type checkers read, has exactly the classes of the table."""
    assert stub_classes(errors) == module_classes(errors)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (errors.KafkaError(), "KafkaError"),
        (errors.KafkaError("a"), "KafkaError: a"),
        (errors.KafkaError("a", 1), "KafkaError: ('a', 1)"),
        (errors.NotControllerError("x"), "[Error 41] NotControllerError: x"),
        (errors.CommitFailedError("why"), "CommitFailedError: why"),
        (errors.LogTruncationError({}, "x"), "LogTruncationError: x"),
    ],
)
def test_texts(error: Exception, text: str) -> None:
    """The texts are the same as in kafka-python."""
    assert str(error) == text


@pytest.mark.parametrize("kind", KINDS)
def test_each_exception(kind: type[errors.KafkaError]) -> None:
    """An exception can be pickled, and equals an exception of the same class with the same
    arguments."""
    error: Any = kind({"p": 1}) if kind is errors.LogTruncationError else kind("x")
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert other == error
        assert hash(other) == hash(error)
    assert error != errors.KafkaError("y")


def test_numbers() -> None:
    """Each number has one class with its name and meaning.

    An unknown number gets a class of its own.
    """
    numbered = [
        kind
        for kind in set(KINDS)
        if issubclass(kind, errors.BrokerResponseError) and "errno" in vars(kind)
    ]
    numbers = {kind.errno for kind in numbered if kind is not errors.BrokerResponseError}
    assert numbers == set(range(-1, 128))
    for number in numbers:
        assert number is not None
        assert errors.for_code(number).errno == number
        assert errors.for_code(number).message
        assert errors.for_code(number).description
        # Each class of an unknown number has its own number.
        assert "errno" in vars(errors.for_code(number))
    unknown = errors.for_code(9999)
    assert (unknown.__name__, unknown.errno) == ("UnrecognizedBrokerError", 9999)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (KafkaError._TRANSPORT, errors.KafkaConnectionError),
        (KafkaError._MSG_TIMED_OUT, errors.KafkaTimeoutError),
        (KafkaError._STATE, errors.IllegalStateError),
        (KafkaError._APPLICATION, errors.KafkaError),
        (KafkaError.TOPIC_ALREADY_EXISTS, errors.TopicAlreadyExistsError),
        (KafkaError.NOT_COORDINATOR, errors.NotCoordinatorError),
        (KafkaError.UNKNOWN, errors.UnknownError),
    ],
)
def test_librdkafkas_errors(code: int, kind: type[Exception]) -> None:
    """An error of librdkafka becomes the exception with the same meaning; the KafkaException is its
    cause."""
    failure = KafkaException(KafkaError(code, "why"))
    with pytest.raises(kind) as caught, translated():
        raise failure
    assert type(caught.value) is kind
    assert caught.value.args == ("why",)
    assert caught.value.__cause__ is failure
    assert type(failure_of(failure.args[0])) is kind


def test_what_may_be_repeated() -> None:
    """The attributes of the classes show whether a call may succeed later, and whether metadata is
    out of date."""
    assert errors.NotControllerError.retriable
    assert not errors.NotControllerError.invalid_metadata
    assert errors.UnknownTopicOrPartitionError.invalid_metadata
    assert not errors.TopicAlreadyExistsError.retriable
