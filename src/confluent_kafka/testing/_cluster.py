"""The embedded cluster, including the answers that Python code gives."""

from __future__ import annotations

import contextlib
import os
import traceback
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from confluent_kafka.cimpl import KafkaError, KafkaException
from confluent_kafka.cimpl import MockCluster as _Brokers
from confluent_kafka.testing._answering import Answering
from confluent_kafka.testing._security._authorizer import Acls
from confluent_kafka.testing._security._settings import Security

if TYPE_CHECKING:
    from typing import Self

    from confluent_kafka.protocol import Request
    from confluent_kafka.testing._answering import Handler
    from confluent_kafka.testing._data import Keeping
    from confluent_kafka.testing._security._entrance import Entrance
    from confluent_kafka.testing._security._sasl import Credential


# Python answers later versions of these requests than the mock brokers.
_LATER_VERSIONS = {"ListOffsets": 2}


class _Failure(NamedTuple):
    """An error that close() raises, and what failed."""

    what: str
    error: BaseException


class MockCluster(_Brokers):
    __doc__ = (_Brokers.__doc__ or "").replace(
        "\n\nRaises:",
        "\n    security (Security or None): TLS and SASL for all clients; None for neither."
        "\n    data (str, os.PathLike or None): a folder that keeps topics, records, offsets and"
        "\n        settings between runs. close() writes it. It is created if it does not exist."
        "\n\nRaises:"
        "\n    BlockingIOError: another cluster uses the folder `data`."
        "\n    ValueError: `data` has other files, is damaged, or a newer version wrote it."
        "\n    KafkaException: _NOT_IMPLEMENTED: this librdkafka lacks the patches for `data`.",
        1,
    )
    __slots__ = (
        "__weakref__",
        "_acls",
        "_administration",
        "_answering",
        "_entrance",
        "_keeping",
        "_tokens",
        "_users",
    )

    def __init_subclass__(cls) -> None:
        raise TypeError("type 'MockCluster' is not an acceptable base type")

    def __new__(
        cls,
        brokers: int = 3,
        *,
        retention_bytes: int | None = None,
        security: Security | None = None,
        data: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Start the brokers; the class describes the arguments."""
        if security is not None and not isinstance(security, Security):
            raise TypeError(f"security must be Security or None, not {security!r}")
        if data is not None and not isinstance(data, (str, os.PathLike)):
            raise TypeError(f"data must be str, os.PathLike or None, not {data!r}")
        if data is not None and not os.fspath(data):
            raise ValueError("data must not be empty: name a folder")
        return super().__new__(cls, brokers, retention_bytes=retention_bytes)

    def __init__(
        self,
        brokers: int = 3,
        *,
        retention_bytes: int | None = None,
        security: Security | None = None,
        data: str | os.PathLike[str] | None = None,
    ) -> None:
        # __new__() has processed the other arguments.
        from confluent_kafka.testing._administration import administration  # slow to import
        from confluent_kafka.testing._security._tokens import Tokens

        self._answering: Answering | None = None
        self._entrance: Entrance | None = None
        self._users: dict[str, dict[int, Credential]] = {}
        self._acls = Acls()
        self._tokens = Tokens()
        self._keeping: Keeping | None = None
        try:
            if security is not None:
                self._entrance = self._secure(security)
            self._administration = administration(self, self._users, self._acls)
            if data is not None:
                self._keep_in(os.fspath(data))
        except BaseException:
            self._end_brokers()
            raise
        own = self._administration.handlers
        with contextlib.suppress(KafkaException):  # an unpatched librdkafka: no administration
            self._answering = Answering(self, own)
            for api_key in own:
                self._offer(api_key, None)

    def _keep_in(self, data: str) -> None:
        """Continue with what an earlier run left in a folder."""
        from confluent_kafka.testing._data import Keeping  # slow to import

        keeping = Keeping(data)
        try:
            keeping.restore(self, self._administration.kept)
        except BaseException:
            keeping.close()
            raise
        self._keeping = keeping

    def _secure(self, security: Security, advertised: Sequence[int] | None = None) -> Entrance:
        """Start listeners in front of the brokers; `Entrance` describes the arguments."""
        from confluent_kafka.testing._security._enforcement import KnownTopics  # slow to import
        from confluent_kafka.testing._security._entrance import Entrance

        brokers, topics = super().bootstrap_servers, KnownTopics(self)
        entrance = Entrance(
            security, brokers, self._users, self._tokens, self._acls, topics, advertised
        )
        # It does not keep the cluster alive. If the cluster is deleted, its listeners end.
        weakref.finalize(self, entrance.close)
        return entrance

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, ``127.0.0.1:port,...``, for ``bootstrap.servers``.

        librdkafka: rd_kafka_mock_cluster_bootstraps().
        """
        behind = super().bootstrap_servers
        return behind if self._entrance is None else self._entrance.bootstrap_servers

    def client_config(
        self, user: str | None = None, mechanism: str | None = None
    ) -> dict[str, Any]:
        """Return the configuration that a client needs to connect.

        It contains the addresses and, if the cluster has `Security`, the protocol, the files of TLS
        and the user's password.

        Args:
            user (str or None): one of the users of the security; for OAUTHBEARER any name, which
                becomes the name in an unsecured token. None means the first user. If there is no
                user, the configuration has none, and you add it (for example ``oauth_cb``).
            mechanism (str or None): one of the mechanisms of the security; None means the first.

        Raises:
            ValueError: the security does not have this user or mechanism.
        """
        config: dict[str, Any] = {"bootstrap.servers": self.bootstrap_servers}
        if self._entrance is not None:
            return config | self._entrance.client_config(user, mechanism)
        for name, given in (("user", user), ("mechanism", mechanism)):
            if given is not None:
                raise ValueError(f"{name} must be None, not {given!r}: the cluster has no SASL")
        return config

    def on_request(
        self,
        api_key: int,
        handler: Handler | None,
        *,
        versions: tuple[int, int] | None = None,
    ) -> None:
        """Let a Python function answer all requests of one kind.

        Clients ask for the supported versions when they connect. So a client that is already
        connected may never send a kind of request that the brokers did not support when it
        connected.

        Args:
            api_key (int): the number of the kind of request in Kafka's protocol, such as
                `protocol.MetadataRequest.api_key`.
            handler (callable or None): called with the request, as a message of
                `confluent_kafka.protocol`, and a `RequestContext`. It returns the response, a
                `MockAction`, or None. After None the request is answered as if there were no
                handler; if nothing else answers it, the connection is closed. Handlers run on one
                thread of the cluster, one at a time, in the order of the requests of each
                connection. While a handler waits, the cluster answers requests of other kinds. None
                removes the handler.
            versions (tuple of int, optional): the lowest and the highest version that the brokers
                report to clients. None means the versions that the brokers themselves answer; if
                they answer none, all versions that `confluent_kafka.protocol` supports.

        An exception in a handler closes the connection. close(), or the end of the cluster's
        ``with`` block, raises it again. If another error ends the block, the handler's exception
        becomes a note of that error.

        Raises:
            ValueError: there is no such kind of request, or no such version of it.
            KafkaException: _NOT_IMPLEMENTED: this librdkafka lacks the patch mock-on-request.

        librdkafka: rd_kafka_mock_offer_requests(), from our patch mock-on-request.
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
        answering.set_handler(api_key, handler)

    def set_api_versions(
        self, request: str, min_version: int | None, max_version: int | None
    ) -> None:
        super().set_api_versions(request, min_version, max_version)
        api_key = _LATER_VERSIONS.get(request)
        if api_key is not None and self._answering is not None:
            # Clients get the versions that Python offers, not the versions of the mock brokers.
            from confluent_kafka import protocol  # slow to import

            first_flexible = protocol.request_class(api_key).flexible_versions[0]
            self._offer_requests(api_key, min_version, max_version, first_flexible)

    set_api_versions.__doc__ = _Brokers.set_api_versions.__doc__

    def compact(self, topic: str, *, keep_tombstones: bool = True) -> None:
        """Compact all partitions of a topic now, as Kafka's log cleaner does in the background.

        Of each key only the newest record stays, at its offset. Records without a key and records
        of aborted transactions are removed. Records from the first open transaction on stay as they
        are. The 'cleanup.policy' of the topic does not matter, and Kafka's rule that the newest
        segment is not compacted does not apply.

        Args:
            topic (str): the name of the topic.
            keep_tombstones (bool): whether the newest record of a key stays if its value is null.
                Kafka removes it after 'delete.retention.ms'.

        Raises:
            TypeError: `topic` is not a str.
            KafkaException: UNKNOWN_TOPIC_OR_PART: there is no such topic; _NOT_IMPLEMENTED: this
                librdkafka lacks the patch mock-written-logs.
            CodecUnavailableError: the records are compressed with a codec that this build lacks.

        librdkafka: rd_kafka_mock_partition_write_records(), of our patch mock-written-logs.
        """
        from confluent_kafka.testing._administration._state import State  # slow to import
        from confluent_kafka.testing._compaction import compacted

        if not isinstance(topic, str):
            raise TypeError(f"topic must be str, not {topic!r}")
        found = State.read(self._snapshot()).topics.get(topic)
        if found is None:
            raise KafkaException(
                KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART, f"there is no topic {topic!r}")
            )
        for number, partition in enumerate(found.partitions):
            batches = compacted(self._records(topic, number), keep_tombstones=keep_tombstones)
            if batches:
                # Batches that producers send from now on stay as they are.
                data = b"".join(batch.encode() for batch in batches)
                end = batches[-1].last_offset + 1
                # Where records were deleted, the log begins in the middle of a batch.
                low = min(partition.start, batches[0].base_offset)
                self._write_records(topic, number, data, low, end)

    def _offer(self, api_key: int, versions: tuple[int, int] | None) -> None:
        """Let the brokers offer requests of one kind; `versions` is as in on_request()."""
        from confluent_kafka import protocol  # slow to import

        kind = protocol.request_class(api_key)
        first_flexible = kind.flexible_versions[0] if kind.flexible_versions else -1
        lowest, highest = (None, None) if versions is None else _checked(kind, versions)
        if versions is None and (not self._answers(api_key) or api_key in _LATER_VERSIONS.values()):
            lowest, highest = _stable(kind)
        self._offer_requests(api_key, lowest, highest, first_flexible)

    def close(self) -> None:
        """Stop the brokers and free their ports; connected clients lose their connections.

        If the cluster has a data folder, everything is saved first.

        Later calls do nothing. Any other use of a closed cluster raises RuntimeError. In a forked
        child close() does nothing, because the brokers belong to the parent.

        Raises:
            OSError: the data folder could not be written. It contains what was saved before.
            Exception: the first exception that a handler of on_request() raised.

        librdkafka: rd_kafka_mock_cluster_destroy().
        """
        failure = self._close()
        if failure is not None:
            raise failure.error

    def _close(self) -> _Failure | None:
        if self._answering is not None:
            self._answering.begin_to_close()
        unsaved = self._save_and_end()
        if self._answering is None:
            return unsaved
        self._answering.end()
        failure = self._answering.take_failure()
        if failure is None or unsaved is not None:
            return unsaved
        return _Failure("a handler of on_request() failed", failure)

    def _save_and_end(self) -> _Failure | None:
        """Save the data and end the brokers. Return the error of a save that failed."""
        keeping, self._keeping = self._keeping, None
        try:
            if keeping is not None and keeping.is_own:
                # No client can change anything while it is saved.
                self.set_broker_down()
                try:
                    keeping.save(self, self._administration.kept)
                finally:
                    keeping.close()
        except Exception as error:
            return _Failure("the data were not saved", error)
        finally:
            self._end_brokers()
        return None

    def _end_brokers(self) -> None:
        if self._entrance is not None:
            self._entrance.close()
        super().close()

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
            raise failure.error
        told = "".join(traceback.format_exception(failure.error))
        exc_value.add_note(f"{failure.what}:\n{told}")


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
