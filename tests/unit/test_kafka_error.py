"""KafkaError and KafkaException: codes, flags, comparison, pickling."""

from __future__ import annotations

import copy
import inspect
import pickle
import sys
import traceback
import weakref
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Producer
from tests.support.refcounts import assert_no_leaks
from tests.support.scripts import check_script

CONSTANTS = {name: value for name, value in vars(KafkaError).items() if isinstance(value, int)}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("NO_ERROR", 0),
        ("UNKNOWN", -1),
        ("OFFSET_OUT_OF_RANGE", 1),
        ("UNKNOWN_TOPIC_OR_PART", 3),
        ("NOT_LEADER_FOR_PARTITION", 6),
        ("TOPIC_ALREADY_EXISTS", 36),
        ("FENCED_INSTANCE_ID", 82),
        ("UNKNOWN_MEMBER_ID", 25),
    ],
)
def test_broker_codes_are_those_of_the_protocol(name: str, code: int) -> None:
    """Codes that brokers send have the numbers of Kafka's protocol guide."""
    assert getattr(KafkaError, name) == code


OLD_NAMES = {
    "GROUP_COORDINATOR_NOT_AVAILABLE",
    "GROUP_LOAD_IN_PROGRESS",
    "NOT_COORDINATOR_FOR_GROUP",
}


def test_every_code_of_librdkafka_is_a_constant() -> None:
    """Each name of librdkafka's table is a constant, and each constant is in the table."""
    named = {}
    for code in range(-256, 1024):
        name = KafkaError(code).name()
        if not name.startswith("ERR_"):
            named[name] = code
    assert named == {name: CONSTANTS[name] for name in CONSTANTS if name not in OLD_NAMES}
    assert len(named) >= 150


@pytest.mark.parametrize("code", sorted(CONSTANTS.values()))
def test_every_code_has_a_text(code: int) -> None:
    """librdkafka has a text for each constant."""
    assert not KafkaError(code).str().startswith("Err-")


def test_unknown_code_is_kept() -> None:
    """An error keeps a code that only newer brokers have."""
    error = KafkaError(32000)
    assert error.code() == 32000
    assert error == 32000
    assert "32000" in error.name()
    assert "32000" in error.str()


def test_defaults() -> None:
    """Without a reason, the error has librdkafka's text and no flags."""
    error = KafkaError(KafkaError._TIMED_OUT)
    assert error.code() == -185
    assert error.name() == "_TIMED_OUT"
    assert error.str() == "Local: Timed out"
    assert error.fatal() is False
    assert error.retriable() is False
    assert error.txn_requires_abort() is False


def test_errors_keep_no_text_that_librdkafka_has() -> None:
    """The error of a failed message needs only one block of memory.

    Its text is created when a program reads it.
    """
    producer = Producer({"log_level": 0, "queue.buffering.max.messages": 1})
    producer.produce("t", b"fills the queue")
    messages: list[dict[str, Any]] = [{"value": b"x", "_error": None} for _ in range(10_000)]
    before = sys.getallocatedblocks()
    producer.produce_batch("t", messages)
    blocks = sys.getallocatedblocks() - before
    error = messages[-1]["_error"]
    producer.close(0)
    assert blocks < 15_000
    for twin in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (twin.str(), twin.args) == ("Local: Queue full", (-184, twin.str(), *[False] * 3))
        assert repr(twin) == 'KafkaError{code=_QUEUE_FULL,val=-184,str="Local: Queue full"}'


def test_all_fields() -> None:
    """Each accessor returns its argument, whether it was given by name or by position."""
    for error in (
        KafkaError(3, "why", True, False, True),
        KafkaError(error=3, reason="why", fatal=True, retriable=False, txn_requires_abort=True),
    ):
        assert (error.code(), error.str()) == (3, "why")
        assert error.fatal() is True
        assert error.retriable() is False
        assert error.txn_requires_abort() is True
    assert KafkaError(3, retriable=True).retriable() is True


def test_an_empty_reason_is_a_reason() -> None:
    """An empty reason stays empty. Only None means librdkafka's text."""
    assert KafkaError(3, "").str() == ""
    assert KafkaError(3, None).str() == "Broker: Unknown topic or partition"


def test_repr() -> None:
    """repr() and str() contain the name, the number and the text, and FATAL if the error is
    fatal."""
    error = KafkaError(-190, "gone")
    assert repr(error) == 'KafkaError{code=_UNKNOWN_PARTITION,val=-190,str="gone"}'
    assert str(error) == repr(error)
    assert repr(KafkaError(-190, "gone", fatal=True)).startswith("KafkaError{FATAL,code=")


def test_compares_by_code() -> None:
    """Equality and order depend only on the code. Errors can also be compared with ints."""
    error = KafkaError(3, "a", fatal=True)
    assert error == KafkaError(3, "b")
    assert error == 3
    assert error == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert error != KafkaError(4)
    assert error != 4
    assert error < KafkaError(4) < 5
    assert error <= 3 <= KafkaError(3)
    assert error > -1
    assert error >= KafkaError(-190)
    assert error < 2**100
    assert sorted([KafkaError(3), KafkaError(-190), KafkaError(0)]) == [-190, 0, 3]


@pytest.mark.parametrize("other", ["x", 3.0, None, b"", [3], object()])
def test_other_types_are_unequal_and_unordered(other: Any) -> None:
    """An error does not equal an object of another type, and an order comparison raises
    TypeError."""
    assert (KafkaError(3) == other) is False
    assert (KafkaError(3) != other) is True
    with pytest.raises(TypeError):
        KafkaError(3) < other  # noqa: B015


@pytest.mark.parametrize("code", [0, 3, -1, -2, -191, 32000])
def test_hashes_like_its_code(code: int) -> None:
    """Equal errors and codes have the same hash, so that they are the same key of a dict."""
    assert hash(KafkaError(code)) == hash(code)
    assert {code: "found"}[KafkaError(code)] == "found"  # type: ignore[index]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(protocol: int) -> None:
    """Pickling keeps the code, the text and the flags, which multiprocessing and Spark need."""
    error = KafkaError(3, "why ☃", True, True, True)
    for twin in (pickle.loads(pickle.dumps(error, protocol)), copy.deepcopy(error)):
        assert type(twin) is KafkaError
        assert twin.code() == 3
        assert twin.str() == "why ☃"
        assert (twin.fatal(), twin.retriable(), twin.txn_requires_abort()) == (True,) * 3


class Located(KafkaError):
    """A subclass with a constructor of its own, as applications write them."""

    def __init__(self, error: int, *rest: Any, where: str = "") -> None:
        super().__init__(error, *rest)
        self.where = where


def test_subclass() -> None:
    """An instance of a subclass keeps its attributes, equals an error of the base class, and can be
    pickled."""
    error = Located(3, "why", where="here")
    assert error == KafkaError(3)
    twin = copy.copy(Located(3, where="there"))
    assert (type(twin), twin.where) == (Located, "there")


def test_pickles_like_its_fields() -> None:
    """A pickle contains the fields of an error and its added attributes, and nothing else."""
    error = KafkaError(3, "why")
    assert error.__reduce__() == (KafkaError, (3, "why", False, False, False))
    error.add_note("while testing")
    twin = pickle.loads(pickle.dumps(error))
    assert twin.__notes__ == ["while testing"]


# ---- as an exception ----


def test_is_an_exception_class() -> None:
    """A KafkaError can be caught like a KafkaException; neither is a subclass of the other."""
    assert KafkaError.__mro__ == (KafkaError, Exception, BaseException, object)
    assert not issubclass(KafkaError, KafkaException)
    assert not issubclass(KafkaException, KafkaError)


@pytest.mark.parametrize(
    "raised", [KafkaException(KafkaError(3)), KafkaError(3), ValueError("x")], ids=repr
)
def test_except_clauses(raised: Exception) -> None:
    """Each exception goes to the first clause that names its class."""
    try:
        raise raised
    except KafkaError as error:
        caught: Exception = error
        assert type(raised) is KafkaError
    except (ZeroDivisionError, KafkaException) as error:
        caught = error
        assert type(raised) is KafkaException
    except Exception as error:
        caught = error
        assert type(raised) is ValueError
    assert caught is raised


def fail_with(error: KafkaError, cause: Exception) -> None:
    try:
        raise cause
    except KeyError as first:
        raise error from first


def test_raised_error() -> None:
    """A raised error has a traceback, a cause, a context and notes.

    The report shows its text once.
    """
    error = KafkaError(3, "why")
    error.add_note("a note")
    first = KeyError("first")
    with pytest.raises(KafkaError) as caught:
        fail_with(error, first)
    assert caught.value is error
    assert isinstance(error.__cause__, KeyError)
    assert error.__context__ is error.__cause__ is first
    assert error.__traceback__ is not None
    report = traceback.format_exception(error)
    assert report[-2:] == [f"confluent_kafka.cimpl.KafkaError: {error}\n", "a note\n"]
    assert error.with_traceback(None).__traceback__ is None
    assert ExceptionGroup("two", [error, KafkaException(error)]).subgroup(KafkaError) is not None


def test_args_make_an_equal_error() -> None:
    """KafkaError(*error.args) has the same fields, whoever made the error."""
    producer = Producer({"log_level": 0})
    with pytest.raises(KafkaException) as caught:
        producer.begin_transaction()
    producer.close(0)
    for error in (KafkaError(3, "why", True, False, True), KafkaError(3), caught.value.args[0]):
        assert KafkaError(*error.args).args == error.args
        assert error.args == error.__reduce__()[1]


def test_args_can_be_set() -> None:
    """args can be set, as in any exception. The error, its hash and its pickle do not change."""
    error = KafkaError(3, "why")
    error.args = ["mine"]  # type: ignore[assignment]
    assert error.args == ("mine",)
    assert (error.code(), error.str(), hash(error)) == (3, "why", 3)
    assert pickle.loads(pickle.dumps(error)).str() == "why"
    with pytest.raises(TypeError):
        error.args = 5  # type: ignore[assignment]
    with pytest.raises(TypeError, match="args may not be deleted"):
        del error.args


def test_errors_from_c_leave_context_to_the_exception() -> None:
    """If the extension raises inside an except clause, the KafkaException has the context, and its
    KafkaError has no context."""

    def fail() -> None:
        try:
            raise ZeroDivisionError
        except ZeroDivisionError:
            Producer({"no.such.property": "x"})

    with pytest.raises(KafkaException) as caught:
        fail()
    assert isinstance(caught.value.__context__, ZeroDivisionError)
    assert caught.value.args[0].__context__ is None
    assert caught.value.args[0].__traceback__ is None


def test_cycles_of_raised_errors_are_collected() -> None:
    """The garbage collector frees an error that refers to its own frame or to itself."""

    def work() -> None:
        kept = KafkaError(3)
        try:
            raise kept
        except KafkaError as error:
            mine = Located(4)
            mine.where = mine  # type: ignore[assignment]
            error.__cause__ = mine
            error.__context__ = KafkaException(error)
            error.add_note("a note")
            error.args = (error,)

    assert_no_leaks(work)


def test_a_long_chain_is_freed() -> None:
    """A long chain of errors and their causes is freed without a recursion that would end the
    process."""
    check_script(
        """
        from confluent_kafka import KafkaError

        cause = None
        for _ in range(300_000):
            error = KafkaError(3)
            error.__cause__ = cause
            cause = error
        del cause, error
        """
    )


class Both(ValueError, KafkaError):
    """An application's error that is an error of two libraries at the same time."""

    __init__ = KafkaError.__init__
    __new__ = KafkaError.__new__


def test_subclass_of_two_exceptions() -> None:
    """A KafkaError can be a ValueError as well."""
    error = Both(3, "why")
    assert isinstance(error, ValueError)
    assert (error.code(), error == KafkaError(3)) == (3, True)


# ---- arguments ----


@pytest.mark.parametrize(
    ("arguments", "keywords", "exception", "message"),
    [
        ((), {}, TypeError, "error"),
        ((None,), {}, TypeError, "error must be int"),
        (("3",), {}, TypeError, "error must be int"),
        ((3.0,), {}, TypeError, "error must be int"),
        ((2**33,), {}, OverflowError, "error must be"),
        ((-(2**33),), {}, OverflowError, "error must be"),
        ((3, 5), {}, TypeError, "reason must be str or None"),
        ((3, b"x"), {}, TypeError, "reason must be str or None"),
        ((3,), {"fatal": "yes"}, TypeError, "fatal must be bool"),
        ((3,), {"fatal": None}, TypeError, "fatal must be bool"),
        ((3,), {"retriable": 2}, ValueError, "retriable must be"),
        ((3,), {"txn_requires_abort": 1.0}, TypeError, "txn_requires_abort must be bool"),
        ((3,), {"reazon": "x"}, TypeError, "reazon"),
        ((3, "x", True, True, True, True), {}, TypeError, "at most 5"),
    ],
)
def test_bad_arguments(
    arguments: tuple[Any, ...], keywords: dict[str, Any], exception: type[Exception], message: str
) -> None:
    """A wrong argument raises a typed error that names the argument, and leaks nothing."""

    def make() -> None:
        with pytest.raises(exception, match=message):
            KafkaError(*arguments, **keywords)

    make()
    assert_no_leaks(make, repeat=50)


def test_any_text_is_a_reason() -> None:
    """A reason may contain lone surrogates and NULs, like any str."""
    assert KafkaError(3, "\udc80\0").str() == "\udc80\0"


def test_uninitialised_is_harmless() -> None:
    """__new__ without __init__ creates an empty error, which does not crash."""
    error = KafkaError.__new__(KafkaError)
    assert (error.code(), error.str()) == (0, "")
    assert pickle.loads(pickle.dumps(error)) == error


def test_signatures() -> None:
    """help() and editors can show the parameters."""
    assert str(inspect.signature(KafkaError)) == (
        "(error, reason=None, fatal=False, retriable=False, txn_requires_abort=False)"
    )
    for name in ("code", "name", "str", "fatal", "retriable", "txn_requires_abort"):
        method = getattr(KafkaError, name)
        assert str(inspect.signature(method)) == "(self, /)"
        assert method.__doc__


def test_exception_carries_the_error() -> None:
    """args[0] is the KafkaError, as handlers everywhere expect."""
    error = KafkaError(3, "why")
    exception = KafkaException(error)
    assert isinstance(exception, Exception)
    assert exception.args == (error,)
    assert exception.args[0] is error
    assert str(exception) == str(error)
    assert KafkaException.__doc__


def test_exception_code_and_error() -> None:
    """`error` and code() return the KafkaError and its code, or None if the exception has no
    KafkaError."""
    error = KafkaError(3, "why")
    assert KafkaException(error, "more").error is error
    assert KafkaException(error).code() == KafkaError.UNKNOWN_TOPIC_OR_PART
    for other in (KafkaException(), KafkaException("text"), KafkaException(3)):
        assert other.error is None
        assert other.code() is None


def test_exception_with_attributes_of_its_own() -> None:
    """A subclass may have attributes with the names `error` and `code`."""

    class Failure(KafkaException):
        def __init__(self, error: KafkaError) -> None:
            super().__init__(error)
            self.error = str(error)  # type: ignore[assignment]
            self.code = error.code()  # type: ignore[method-assign, assignment]

    failure: Any = Failure(KafkaError(3))
    assert (failure.error, failure.code) == (str(KafkaError(3)), 3)
    twin = copy.copy(KafkaException(KafkaError(3)))
    twin.error = KafkaError(4)
    assert copy.copy(twin).error == 4
    del twin.error
    assert twin.error == 3
    with pytest.raises(AttributeError, match="error"):
        del twin.error


def test_exception_can_be_referred_to_weakly() -> None:
    """A KafkaException can have weak references, like exceptions written in Python."""
    exception = KafkaException(KafkaError(3))
    reference = weakref.ref(exception)
    assert reference() is exception
    del exception
    assert reference() is None


def test_exception_pickles() -> None:
    """A KafkaException can be pickled, so that it can leave a worker process."""
    twin = pickle.loads(pickle.dumps(KafkaException(KafkaError(3, "why", fatal=True))))
    assert type(twin) is KafkaException
    assert twin.args[0].str() == "why"
    assert twin.args[0].fatal()


def test_raising_from_c_leaks_nothing() -> None:
    """The KafkaError of an exception is freed together with the exception, however the error was
    created."""
    producer = Producer({"log_level": 0})

    def work() -> None:
        with pytest.raises(KafkaException) as caught:
            Producer({"no.such.property": "x"})
        assert caught.value.args[0].code() == KafkaError._INVALID_ARG
        with pytest.raises(KafkaException) as caught:
            producer.begin_transaction()  # an rd_kafka_error_t, with flags of its own
        assert caught.value.args[0].code() == KafkaError._NOT_CONFIGURED
        assert caught.value.args[0].fatal() is False

    assert_no_leaks(work)
    producer.close(0)


def test_no_leaks() -> None:
    """Creating, reading, comparing, pickling and raising errors leaks nothing."""

    def work() -> None:
        error = KafkaError(3, "why", True, True, True)
        error.code(), error.name(), error.str(), error.fatal()
        error.retriable(), error.txn_requires_abort(), repr(error), hash(error)
        error.__init__(4, "once more")  # type: ignore[misc]
        assert error == 4
        assert error != "x"
        assert error < 2**100
        pickle.loads(pickle.dumps(error))
        error.__init__(5)  # type: ignore[misc]
        error.str(), error.args, repr(error), pickle.dumps(error)
        error.__init__(4)  # type: ignore[misc]
        Located(3, where="here")
        with pytest.raises(KafkaException) as caught:
            raise KafkaException(error)
        assert caught.value.error is error
        assert caught.value.code() == 4
        caught.value.error = KafkaError(5)
        weakref.ref(caught.value)
        assert KafkaError(*error.args) == error

    assert_no_leaks(work)


def test_old_names_of_codes() -> None:
    """The old names from librdkafka 0.11 still exist, because programs use them. name() returns the
    new name."""
    assert KafkaError.GROUP_LOAD_IN_PROGRESS == KafkaError.COORDINATOR_LOAD_IN_PROGRESS
    assert KafkaError.GROUP_COORDINATOR_NOT_AVAILABLE == KafkaError.COORDINATOR_NOT_AVAILABLE
    assert KafkaError.NOT_COORDINATOR_FOR_GROUP == KafkaError.NOT_COORDINATOR
    assert KafkaError(KafkaError.NOT_COORDINATOR_FOR_GROUP).name() == "NOT_COORDINATOR"
