"""The thread that answers what the brokers of a MockCluster offer to Python."""

from __future__ import annotations

import contextlib
import enum
import signal
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from confluent_kafka.cimpl import MockCluster

if TYPE_CHECKING:
    from confluent_kafka.protocol import Request, Response

# How long close() waits for a handler that is at work, in seconds.
_PATIENCE = 2.0


class MockAction(enum.Enum):
    """What a handler of `MockCluster.on_request()` may do instead of answering."""

    DISCONNECT = "close the connection"
    NO_ANSWER = "leave the client waiting, and all that it sends on the connection afterwards"


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What a handler of `MockCluster.on_request()` learns besides the request itself.

    Attributes:
        broker_id (int): the broker that received the request.
        api_key (int): the number of this kind of request.
        version (int): the request's, and the answer's.
        correlation_id (int): the client's number of it.
        client_id (str or None): what the client calls itself (its 'client.id').
    """

    broker_id: int
    api_key: int
    version: int
    correlation_id: int
    client_id: str | None


if TYPE_CHECKING:
    Answer = Response | MockAction | None
    # Of a request, of which the handler knows the class.
    Handler = Callable[[Any, RequestContext], Answer]

# The numbers of rd_kafka_mock_answer_t, with a body.
_Action = tuple[int, bytes]
_DEFAULT: _Action = (1, b"")
_DISCONNECT: _Action = (2, b"")


class Answering:
    """Asks handlers, one request after the other.

    It does not keep the cluster alive: one that is dropped ends its offers, and so the thread.

    Args:
        cluster: who is told the answers.
        own: the handlers that answer where `handlers` has none.
    """

    def __init__(self, cluster: MockCluster, own: Mapping[int, Handler]) -> None:
        self.handlers: dict[int, Handler] = {}
        self._own = own
        self._cluster = weakref.ref(cluster)
        self._failures: list[BaseException] = []
        self._closing = False
        # A daemon, as nothing else ends it when the process does and nobody closed the cluster.
        self._thread = threading.Thread(
            target=self._serve, args=(cluster._offers(),), name="MockCluster", daemon=True
        )
        with _signals_blocked():
            self._thread.start()

    def answers(self, api_key: int) -> bool:
        """Whether there is an answer to these requests without `handlers`."""
        return api_key in self._own

    def begin_to_close(self) -> None:
        """Expect handlers to find the cluster closed, which is no failure."""
        self._closing = True

    def end(self) -> None:
        """Wait for the thread, once the cluster is closed."""
        if self._thread is not threading.current_thread():
            self._thread.join(_PATIENCE)

    def take_failure(self) -> BaseException | None:
        """The first exception of a handler, if there were any; they are told once."""
        failures, self._failures = self._failures, []
        if len(failures) > 1:
            failures[0].add_note(f"handlers of on_request() failed {len(failures)} times")
        return failures[0] if failures else None

    def _serve(self, offers: Iterable[tuple[int, int, int, int, int, str | None, bytes]]) -> None:
        for number, api_key, version, broker_id, correlation_id, client_id, body in offers:
            context = RequestContext(broker_id, api_key, version, correlation_id, client_id)
            action = self._action(body, context)
            cluster = self._cluster()
            if cluster is not None and action is not None:
                with contextlib.suppress(RuntimeError):  # it was closed meanwhile
                    cluster._answer(number, *action)
            del cluster

    def _action(self, body: bytes, context: RequestContext) -> _Action | None:
        from confluent_kafka import protocol  # it loads a lot

        kind = protocol.request_class(context.api_key)
        try:
            # librdkafka ends AlterUserScramCredentials with a byte too many, which no broker reads.
            request, _ = kind._decode_front(body, context.version)
        except protocol.UnsupportedVersionError:
            return _DEFAULT  # one that only the brokers know
        except protocol.MalformedMessageError:
            return _DISCONNECT  # as a broker does
        try:
            answer = self._answer_to(request, context)
            return _as_action(answer, kind, context.version)
        except BaseException as error:  # such as that of pytest.fail()
            if not (self._closing and isinstance(error, RuntimeError)):
                self._failures.append(error)
            return _DISCONNECT

    def _answer_to(self, request: Request, context: RequestContext) -> Answer:
        for handlers in (self.handlers, self._own):
            handler = handlers.get(context.api_key)
            answer = None if handler is None else handler(request, context)
            if answer is not None:
                return answer
        return None


@contextlib.contextmanager
def _signals_blocked() -> Iterator[None]:
    """Start a thread that takes no signals, as none of librdkafka's does."""
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
