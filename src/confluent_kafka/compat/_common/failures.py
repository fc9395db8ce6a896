"""librdkafka's errors as the exceptions of a face."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from confluent_kafka import KafkaError, KafkaException


class Failures:
    """The exceptions that a face has for errors.

    Args:
        base: for errors of librdkafka that have no other exception.
        for_code: returns the exception of a number of Kafka's protocol.
        others: by librdkafka's own codes, and by those numbers that `for_code` is not asked for.
    """

    def __init__(
        self,
        base: type[Exception],
        for_code: Callable[[int], type[Exception]],
        others: Mapping[int, type[Exception]],
    ) -> None:
        self._base = base
        self._for_code = for_code
        self._others = others

    def failure_of(self, failure: KafkaError | KafkaException) -> Any:
        """Return the exception that the face has for an error.

        Args:
            failure: a KafkaError, or a KafkaException, which becomes the cause.

        Returns:
            The exception, with the error's text; not raised.
        """
        error = failure.args[0] if isinstance(failure, KafkaException) else failure
        if not isinstance(error, KafkaError):
            exception = self._base(str(failure))
        else:
            exception = self._kind_of(error)(error.str())
        exception.__cause__ = failure if isinstance(failure, KafkaException) else None
        return exception

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise the face's exceptions instead of KafkaException in a block."""
        try:
            yield
        except KafkaException as failure:
            raise self.failure_of(failure) from failure

    def _kind_of(self, error: KafkaError) -> type[Exception]:
        code = error.code()
        kind = self._others.get(code)
        if kind is None:
            kind = self._base if code < -1 else self._for_code(code)
        return kind
