"""kafka-python's admin client, on AdminClient."""

from __future__ import annotations

import weakref
from types import TracebackType
from typing import Any, ClassVar, Self

from confluent_kafka.admin import AdminClient

from .. import errors
from .._bootstrap import bootstrap
from .._config import COMMON_DEFAULTS, configuration
from .._keywords import check_order, complete
from ._wire import Wire
from .acls import ACLAdminMixin
from .cluster import ClusterAdminMixin
from .configs import ConfigAdminMixin
from .groups import GroupAdminMixin
from .topics import TopicAdminMixin
from .transactions import TransactionsAdminMixin
from .users import UserAdminMixin

__all__ = ["KafkaAdminClient"]


class KafkaAdminClient(
    ACLAdminMixin,
    ClusterAdminMixin,
    ConfigAdminMixin,
    GroupAdminMixin,
    TopicAdminMixin,
    TransactionsAdminMixin,
    UserAdminMixin,
):
    """Administers a cluster. It has the API of kafka-python's class.

    Most methods return the brokers' answers as dicts and lists.

    Args:
        configs: the keywords of ``DEFAULT_CONFIG``, which are kafka-python's, and ``properties``: a
            dict of librdkafka properties that have no keyword. The guide "Coming from kafka-python"
            describes each of them.

    Raises:
        KafkaTimeoutError: no broker answered for ``bootstrap_timeout_ms``.
        KafkaConfigurationError, ValueError, TypeError: a keyword is wrong; the text names it.
    """

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = COMMON_DEFAULTS

    def __init__(self, **configs: Any) -> None:
        unknown = errors.KafkaConfigurationError
        self.config = config = complete(configs, self.DEFAULT_CONFIG, unknown)
        check_order(config, "connections_max_idle_ms", "request_timeout_ms")
        engine = AdminClient(configuration("admin", config))
        engine._be_called(type(self).__name__)
        self._end = weakref.finalize(self, engine.close)
        self._cluster = bootstrap(engine, config, always=True)
        self._wire = Wire(engine, self._cluster, config["request_timeout_ms"] / 1000)

    def close(self) -> None:
        """Close the connections.

        A second close() does nothing; other methods then raise RuntimeError.
        """
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
