"""The embedded cluster, including the answers that Python code gives."""

from __future__ import annotations

import contextlib
import traceback
from types import TracebackType
from typing import TYPE_CHECKING

from confluent_kafka.cimpl import KafkaException
from confluent_kafka.cimpl import MockCluster as _Brokers
from confluent_kafka.testing._answering import Answering

if TYPE_CHECKING:
    from typing import Self

    from confluent_kafka.protocol import Request
    from confluent_kafka.testing._answering import Handler


class MockCluster(_Brokers):
    __doc__ = _Brokers.__doc__
    __slots__ = ("__weakref__", "_answering")

    def __init_subclass__(cls) -> None:
        raise TypeError("type 'MockCluster' is not an acceptable base type")

    def __init__(self, brokers: int = 3, *, retention_bytes: int | None = None) -> None:
        # __new__() has processed the arguments.
        from confluent_kafka.testing._administration import administration  # slow to import

        self._answering: Answering | None = None
        own = administration(self)
        with contextlib.suppress(KafkaException):  # an unpatched librdkafka: no administration
            self._answering = Answering(self, own)
            for api_key in own:
                self._offer(api_key, None)

    def on_request(
        self,
        api_key: int,
        handler: Handler | None,
        *,
        versions: tuple[int, int] | None = None,
    ) -> None:
        """Let a Python function answer all requests of one kind.

        Clients ask for the supported versions when they connect. A client that is already connected
        may not use a kind of request that the brokers did not answer before.

        Args:
            api_key (int): the number of the kind of request in Kafka's protocol, such as
                `protocol.MetadataRequest.api_key`.
            handler (callable or None): called with the request, as a message of
                `confluent_kafka.protocol`, and a `RequestContext`. It returns the response, a
                `MockAction`, or None. After None the request is answered as if there were no
                handler; if nothing else answers it, the connection is closed. Handlers run on one
                thread of the cluster, one at a time, in the order of the requests of each
                connection. None removes the handler.
            versions (tuple of int, optional): the lowest and the highest version that the brokers
                report to clients. None means the versions that the brokers themselves answer; if
                they answer none, all versions that `confluent_kafka.protocol` supports.

        An exception in a handler closes the connection. close(), or the end of the cluster's
        ``with`` block, raises it again. If another error ends the block, that error gets it as a
        note.

        Raises:
            ValueError: there is no such kind of request, or no such version of it.
            KafkaException: _NOT_IMPLEMENTED: this librdkafka lacks the patch mock-on-request.

        librdkafka: rd_kafka_mock_offer_requests(), of our patch mock-on-request.
        """
        answering = self._answering or Answering(self, {})
        if handler is None:
            answering.handlers.pop(api_key, None)
            if answering.answers(api_key):
                self._offer(api_key, None)
            else:
                self._offer_requests(api_key, None, None, None)
            return
        if not callable(handler):
            raise TypeError(f"handler must be callable or None, not {handler!r}")
        self._offer(api_key, versions)
        answering.handlers[api_key] = handler

    def _offer(self, api_key: int, versions: tuple[int, int] | None) -> None:
        """Let the brokers offer requests of one kind; `versions` is as in on_request()."""
        from confluent_kafka import protocol  # slow to import

        kind = protocol.request_class(api_key)
        first_flexible = kind.flexible_versions[0] if kind.flexible_versions else -1
        lowest, highest = (None, None) if versions is None else _checked(kind, versions)
        if versions is None and not self._answers(api_key):
            lowest, highest = _stable(kind)
        self._offer_requests(api_key, lowest, highest, first_flexible)

    def close(self) -> None:
        """Stop the brokers and free their ports; connected clients lose their connections.

        Later calls do nothing. Any other use of a closed cluster raises RuntimeError. In a forked
        child close() does nothing, because the brokers belong to the parent.

        Raises:
            Exception: the first exception that a handler of on_request() raised.

        librdkafka: rd_kafka_mock_cluster_destroy().
        """
        failure = self._close()
        if failure is not None:
            raise failure

    def _close(self) -> BaseException | None:
        if self._answering is not None:
            self._answering.begin_to_close()
        super().close()
        if self._answering is None:
            return None
        self._answering.end()
        return self._answering.take_failure()

    def __enter__(self) -> Self:
        """Return the cluster itself."""
        super().__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback_: TracebackType | None,
        /,
    ) -> None:
        """Close the cluster."""
        failure = self._close()
        if failure is None:
            return
        if exc_value is None:
            raise failure
        told = "".join(traceback.format_exception(failure))
        exc_value.add_note(f"a handler of on_request() failed:\n{told}")


def _stable(kind: type[Request]) -> tuple[int, int]:
    """Return the stable versions of a kind of request, without versions that may still change."""
    known = kind.valid_versions
    return known[0], known[-2 if kind.latest_version_unstable and len(known) > 1 else -1]


def _checked(kind: type[Request], versions: tuple[int, int]) -> tuple[int, int]:
    known = kind.valid_versions
    lowest, highest = versions
    if not known[0] <= lowest <= highest <= known[-1]:
        raise ValueError(
            f"versions of {kind.__name__} must be two of {known[0]} to {known[-1]}, the lower one "
            f"first, not {versions!r}"
        )
    return lowest, highest
