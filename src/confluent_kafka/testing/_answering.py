"""The threads that answer the requests which a MockCluster's brokers pass to Python."""

from __future__ import annotations

import contextlib
import enum
import queue
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka.cimpl import MockCluster

if TYPE_CHECKING:
    from confluent_kafka.protocol import Request, Response

# How long close() waits for a running handler, in seconds.
_PATIENCE = 2.0


class MockAction(enum.Enum):
    """What a handler of `MockCluster.on_request()` may do instead of answering."""

    DISCONNECT = "close the connection"
    NO_ANSWER = "leave this and every later request of the connection without an answer"


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What a handler of `MockCluster.on_request()` receives in addition to the request.

    Attributes:
        broker_id (int): the broker that received the request.
        api_key (int): the number of this kind of request.
        version (int): the version of the request and of the answer.
        correlation_id (int): the number that the client gave to the request.
        client_id (str or None): the client's 'client.id'.
    """

    broker_id: int
    api_key: int
    version: int
    correlation_id: int
    client_id: str | None


if TYPE_CHECKING:
    Answer = Response | MockAction | None
    # The request is Any, because each handler is for one class of requests.
    Handler = Callable[[Any, RequestContext], Answer]

# A request: its number, API key, version, broker, correlation id, client id and body.
_Offer = tuple[int, int, int, int, int, str | None, bytes]
# The values of rd_kafka_mock_answer_t that take a body.
_Action = tuple[int, bytes]
_DEFAULT: _Action = (1, b"")
_DISCONNECT: _Action = (2, b"")


class Answering:
    """Calls the handlers.

    The cluster's own handlers run on one thread, and handlers of on_request() run on another one.
    So if a handler of on_request() waits, the cluster still answers the other requests.

    It does not keep the cluster alive. If the cluster is deleted, the threads end.

    Args:
        cluster: the cluster that sends the answers.
        own: the handlers for requests that have no handler in `handlers`.
    """

    def __init__(self, cluster: MockCluster, own: Mapping[int, Handler]) -> None:
        self.handlers: dict[int, Handler] = {}
        self._own = own
        self._cluster = weakref.ref(cluster)
        self._failures: list[BaseException] = []
        self._closing = False
        # If on_request()'s handler returns None, the cluster's own handler runs on the same thread.
        self._own_lock = threading.Lock()
        self._handed_over: queue.SimpleQueue[_Offer | None] = queue.SimpleQueue()
        self._threads = [self._started(self._serve, cluster._offers())]

    def answers(self, api_key: int) -> bool:
        """Return whether these requests have an answer without `handlers`."""
        return api_key in self._own

    def set_handler(self, api_key: int, handler: Handler) -> None:
        """Let a handler answer these requests."""
        if len(self._threads) == 1:
            self._threads.append(self._started(self._serve_handed_over))
        self.handlers[api_key] = handler

    def begin_to_close(self) -> None:
        """From now on, ignore errors of handlers that find the cluster closed."""
        self._closing = True

    def end(self) -> None:
        """Wait for the threads, once the cluster is closed."""
        until = time.monotonic() + _PATIENCE
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, until - time.monotonic()))

    def take_failure(self) -> BaseException | None:
        """Return the first exception of a handler, or None. A second call returns None."""
        failures, self._failures = self._failures, []
        if len(failures) > 1:
            failures[0].add_note(f"handlers of on_request() failed {len(failures)} times")
        return failures[0] if failures else None

    def _started(self, target: Callable[..., None], *args: object) -> threading.Thread:
        # A daemon thread: if nobody closes the cluster, the end of the process must end it.
        thread = threading.Thread(target=target, args=args, name="MockCluster", daemon=True)
        with signals_blocked():
            thread.start()
        return thread

    def _serve(self, offers: Iterable[_Offer]) -> None:
        try:
            for offer in offers:
                if offer[1] in self.handlers:
                    self._handed_over.put(offer)
                else:
                    self._serve_one(offer)
        finally:
            self._handed_over.put(None)

    def _serve_handed_over(self) -> None:
        while (offer := self._handed_over.get()) is not None:
            self._serve_one(offer)

    def _serve_one(self, offer: _Offer) -> None:
        number, api_key, version, broker_id, correlation_id, client_id, body = offer
        context = RequestContext(broker_id, api_key, version, correlation_id, client_id)
        action = self._action(body, context)
        cluster = self._cluster()
        if cluster is not None and action is not None:
            with contextlib.suppress(RuntimeError):  # the cluster was closed in between
                cluster._answer(number, *action)

    def _action(self, body: bytes, context: RequestContext) -> _Action | None:
        from confluent_kafka import protocol  # slow to import

        kind = protocol.request_class(context.api_key)
        try:
            # librdkafka sends one byte too many in AlterUserScramCredentials; brokers ignore it.
            request, _ = kind._decode_front(body, context.version)
        except protocol.UnsupportedVersionError:
            return _DEFAULT  # only the brokers know this kind of request
        except protocol.MalformedMessageError:
            return _DISCONNECT  # a broker also closes the connection
        try:
            answer = self._answer_to(request, context)
            return _as_action(answer, kind, context.version)
        except BaseException as error:  # for example the exception of pytest.fail()
            if not (self._closing and isinstance(error, RuntimeError)):
                self._failures.append(error)
            return _DISCONNECT

    def _answer_to(self, request: Request, context: RequestContext) -> Answer:
        handler = self.handlers.get(context.api_key)
        answer = None if handler is None else handler(request, context)
        own = self._own.get(context.api_key)
        if answer is None and own is not None:
            with self._own_lock:
                answer = own(request, context)
        return answer


@contextlib.contextmanager
def signals_blocked() -> Iterator[None]:
    """Block signals in a thread that is started in the block, as librdkafka does in its threads."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _as_action(answer: object, kind: type[Request], version: int) -> _Action | None:
    if answer is None:
        return _DEFAULT
    if answer is MockAction.DISCONNECT:
        return _DISCONNECT
    if answer is MockAction.NO_ANSWER:
        return None
    if not isinstance(answer, kind.response_class):
        raise TypeError(
            f"a handler of {kind.__name__} must return a {kind.response_class.__name__}, a "
            f"MockAction or None, not {answer!r}"
        )
    return 0, answer.encode(version)
