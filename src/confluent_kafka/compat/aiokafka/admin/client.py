"""aiokafka's admin client, on AIOAdminClient."""

from __future__ import annotations

import asyncio
import ssl
import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException
from confluent_kafka import TopicPartition as Place
from confluent_kafka._values.topic_names import is_legal
from confluent_kafka.admin import ConfigEntry
from confluent_kafka.admin import ConfigResource as Resource
from confluent_kafka.admin import NewPartitions as Partitions
from confluent_kafka.admin import NewTopic as Topic
from confluent_kafka.aio import AIOAdminClient

from .. import errors
from .._closing import leave
from .._engines import made
from .._failures import failure_of, translated
from ..abc import AbstractTokenProvider
from ..client import AIOKafkaClient, CoordinationType
from ..config import __version__, configuration, shared, warn_deprecated
from ..structs import OffsetAndMetadata, TopicPartition
from . import _answers as answers
from .config_resource import ConfigResource
from .new_partitions import NewPartitions
from .new_topic import NewTopic
from .records_to_delete import RecordsToDelete

T = TypeVar("T")
K = TypeVar("K")

# librdkafka's errors for a missing partition, alone and among other partitions.
_NO_PARTITION = frozenset({KafkaError._NOENT, KafkaError._UNKNOWN_PARTITION})

_ALL = -1  # deletes all existing records


class _Engine(AIOAdminClient):
    _alias = "AIOKafkaAdminClient"


class AIOKafkaAdminClient:
    """Administers a cluster. It has the API of aiokafka's class, and belongs to one event loop.

    Answers have the same fields as aiokafka's answers. If a single topic or resource fails, the
    answer contains the number of the error. If the whole request fails, the method raises the
    error. create_partitions() and delete_records() always raise errors.

    Args:
        loop: no effect; the client belongs to the loop in which start() runs.
        bootstrap_servers: "host:port", or a list of such texts.
        client_id: a name for the broker's log.
        request_timeout_ms: the timeout of a request, in milliseconds.
        connections_max_idle_ms: milliseconds after which an idle connection is closed.
        retry_backoff_ms: milliseconds before a request is repeated.
        metadata_max_age_ms: milliseconds after which metadata is asked for again.
        security_protocol: "PLAINTEXT", "SSL", "SASL_PLAINTEXT" or "SASL_SSL".
        ssl_context: a context from helpers.create_ssl_context().
        api_version: no effect.
        sasl_mechanism: "PLAIN", "GSSAPI", "SCRAM-SHA-256", "SCRAM-SHA-512" or "OAUTHBEARER".
        sasl_plain_username: the user, for PLAIN and SCRAM.
        sasl_plain_password: the password, for PLAIN and SCRAM.
        sasl_kerberos_service_name: the service name of the brokers, for GSSAPI.
        sasl_kerberos_domain_name: must be None: librdkafka always uses the broker's host name.
        sasl_oauth_token_provider: an AbstractTokenProvider, for OAUTHBEARER.
        properties: a dict of librdkafka properties that have no keyword.

    Raises:
        ValueError, TypeError: a keyword's value is wrong; the text names it.
    """

    def __init__(
        self,
        *,
        loop: asyncio.AbstractEventLoop | None = None,
        bootstrap_servers: str | list[str] = "localhost",
        client_id: str | None = "aiokafka-" + __version__,
        request_timeout_ms: int = 40000,
        connections_max_idle_ms: int | None = 540000,
        retry_backoff_ms: int = 100,
        metadata_max_age_ms: int = 300000,
        security_protocol: str = "PLAINTEXT",
        ssl_context: ssl.SSLContext | None = None,
        api_version: Any = None,
        sasl_mechanism: str = "PLAIN",
        sasl_plain_username: str | None = None,
        sasl_plain_password: str | None = None,
        sasl_kerberos_service_name: str = "kafka",
        sasl_kerberos_domain_name: str | None = None,
        sasl_oauth_token_provider: AbstractTokenProvider | None = None,
        properties: Mapping[str, Any] | None = None,
    ) -> None:
        keywords = {name: value for name, value in locals().items() if name != "self"}
        warn_deprecated(keywords, "api_version")
        self._configuration = configuration("admin", keywords)
        self._client = AIOKafkaClient(**shared(keywords))
        self._timeout = request_timeout_ms / 1000
        self._engine: _Engine | None = None

    async def start(self) -> None:
        """Connect to the cluster.

        Raises:
            KafkaConnectionError: no broker answers.
            AuthenticationFailedError: no broker accepts the credentials.
        """
        if self._engine is not None:
            self._engine._check_loop()
            return
        engine = made(_Engine, self._configuration)
        try:
            await self._client._attach(engine)
        except BaseException:
            await engine.close()
            raise
        self._engine = engine

    async def close(self) -> None:
        """Close the connections. Closing twice does nothing."""
        if self._engine is not None:
            self._engine._check_loop()
        engine, self._engine = self._engine, None
        await self._client.close()
        if engine is not None:
            await engine.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await leave(self._engine, self.close, error)

    async def create_topics(
        self,
        new_topics: Iterable[NewTopic],
        timeout_ms: int | None = None,
        validate_only: bool = False,
    ) -> answers.TopicErrors:
        """Create topics.

        Args:
            new_topics: the topics.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.
            validate_only: whether to check the request only, without a change.
        """
        topics = [
            Topic(
                one.name,
                len(one.replica_assignments) or one.num_partitions,
                -1 if one.replica_assignments else one.replication_factor,
                [brokers for _, brokers in sorted(one.replica_assignments.items())] or None,
                one.topic_configs,
            )
            for one in new_topics
        ]
        asked = self._ask(
            AIOAdminClient.create_topics,
            topics,
            request_timeout=self._seconds(timeout_ms),
            validate_only=validate_only,
        )
        return answers.TopicErrors(0, _topic_errors(await _settled(asked)))

    async def delete_topics(
        self, topics: Iterable[str], timeout_ms: int | None = None
    ) -> answers.DeletedTopics:
        """Delete topics.

        Args:
            topics: the names of the topics.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.
        """
        asked = self._ask(
            AIOAdminClient.delete_topics,
            _each(topics),
            request_timeout=self._seconds(timeout_ms),
        )
        codes = [
            answers.TopicErrorCode(*error[:2]) for error in _topic_errors(await _settled(asked))
        ]
        return answers.DeletedTopics(0, codes)

    async def create_partitions(
        self,
        topic_partitions: Mapping[str, NewPartitions],
        timeout_ms: int | None = None,
        validate_only: bool = False,
    ) -> answers.TopicErrors:
        """Give topics more partitions.

        Args:
            topic_partitions: the new numbers of partitions, by topic.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.
            validate_only: whether to check the request only, without a change.

        Raises:
            InvalidPartitionsError, UnknownTopicOrPartitionError, and others: the error of the first
                topic that failed. The other topics get their partitions.
        """
        wanted = [
            Partitions(topic, one.total_count, one.new_assignments)
            for topic, one in topic_partitions.items()
        ]
        asked = self._ask(
            AIOAdminClient.create_partitions,
            wanted,
            request_timeout=self._seconds(timeout_ms),
            validate_only=validate_only,
        )
        found = _topic_errors(await _settled(asked))
        for topic, code, text in found:
            if code:
                raise errors.for_code(code)(f"no new partitions for topic {topic!r}: {text}")
        return answers.TopicErrors(0, found)

    async def delete_records(
        self,
        records_to_delete: Mapping[TopicPartition, RecordsToDelete],
        timeout_ms: int | None = None,
    ) -> dict[TopicPartition, int]:
        """Delete the oldest records of partitions.

        Args:
            records_to_delete: the first records to keep, by partition.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Returns:
            The first remaining offset, by partition.

        Raises:
            NotLeaderForPartitionError: there is no such partition.
            OffsetOutOfRangeError: a partition does not have the offset.
            KafkaError: the error of the first partition that failed.
        """
        for one in records_to_delete:
            if not is_legal(one.topic):  # librdkafka would ask for it until the timeout
                raise errors.NotLeaderForPartitionError(f"{one} has no leader")
        # The engine refuses such offsets, and sends nothing. The offset 0 deletes nothing.
        wrong = [one for one, each in records_to_delete.items() if each.before_offset < _ALL]
        places = [
            Place(one.topic, one.partition, 0 if one in wrong else records.before_offset)
            for one, records in records_to_delete.items()
        ]
        try:
            deleted = await self._running().delete_records(
                places, request_timeout=self._seconds(timeout_ms)
            )
        except KafkaException as failure:
            raise _not_deleted(failure) from failure
        if wrong:
            raise errors.OffsetOutOfRangeError(f"{wrong[0]} has no negative offsets")
        return {
            TopicPartition(place.topic, place.partition): one.low_watermark
            for place, one in deleted.items()
        }

    async def list_topics(self) -> list[str]:
        """Return the names of all topics."""
        return [topic["topic"] for topic in await self.describe_topics()]

    async def describe_topics(self, topics: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """Return topics, each with its partitions.

        Args:
            topics: the names of the topics; None means all.
        """
        names = [None] if topics is None else list(topics)
        with translated():
            found = [await self._running().list_topics(name, self._timeout) for name in names]
        cluster = self._client.cluster
        for metadata in found:
            cluster._update(metadata)
        return [_described(one) for metadata in found for one in metadata.topics.values()]

    async def describe_cluster(self) -> dict[str, Any]:
        """Return the cluster's id, its brokers and its controller."""
        with translated():
            found = await self._running().describe_cluster(request_timeout=self._timeout)
        return {
            "throttle_time_ms": 0,
            "brokers": [
                {"node_id": node.id, "host": node.host, "port": node.port, "rack": node.rack}
                for node in found.nodes
            ],
            "cluster_id": found.cluster_id,
            "controller_id": -1 if found.controller is None else found.controller.id,
        }

    async def describe_configs(
        self, config_resources: Iterable[ConfigResource], include_synonyms: bool = False
    ) -> list[answers.DescribedResources]:
        """Read configurations.

        Args:
            config_resources: the resources.
            include_synonyms: whether to return all sources of each value.
        """
        wanted = {Resource(one.resource_type.name, one.name): one for one in config_resources}
        asked = self._ask(
            AIOAdminClient.describe_configs, list(wanted), request_timeout=self._timeout
        )
        found = await _settled(asked)
        return [
            answers.DescribedResources(
                0, [_described_resource(wanted[resource], found[resource], include_synonyms)]
            )
            for resource in wanted
        ]

    async def alter_configs(
        self, config_resources: Iterable[ConfigResource]
    ) -> list[answers.AlteredResources]:
        """Replace configurations. An entry that is not given gets its default.

        Args:
            config_resources: the resources, with their new ``configs``.
        """
        wanted = [
            Resource(one.resource_type.name, one.name, set_config=dict(one.configs or {}))
            for one in config_resources
        ]
        with warnings.catch_warnings():
            # aiokafka's users expect this request, not the one that replaced it.
            warnings.simplefilter("ignore", DeprecationWarning)
            asked = self._ask(AIOAdminClient.alter_configs, wanted, request_timeout=self._timeout)
        found = [
            answers.AlteredResource(*_code_and_text(error), resource.restype_int, resource.name)
            for resource, error in (await _settled(asked)).items()
        ]
        return [answers.AlteredResources(0, found)]

    async def list_consumer_groups(
        self, broker_ids: Sequence[int] | None = None
    ) -> list[tuple[str, str]]:
        """Return all consumer groups, each with the type of its protocol.

        Args:
            broker_ids: must be None, because librdkafka asks all brokers.

        Raises:
            IllegalOperation: broker_ids is given.
        """
        if broker_ids is not None:
            raise errors.IllegalOperation("broker_ids: librdkafka asks all brokers; leave it out")
        with translated():
            found = await self._running().list_consumer_groups(request_timeout=self._timeout)
        if found.errors and not found.valid:
            raise failure_of(found.errors[0])
        return [
            (one.group_id, "" if one.is_simple_consumer_group else "consumer")
            for one in found.valid or ()
        ]

    async def describe_consumer_groups(
        self,
        group_ids: Iterable[str],
        group_coordinator_id: int | None = None,
        include_authorized_operations: bool = False,
    ) -> list[answers.DescribedGroups]:
        """Return groups and their members.

        Args:
            group_ids: the groups.
            group_coordinator_id: no effect, because librdkafka finds the coordinator itself.
            include_authorized_operations: no effect, because the answer has no field for them.
        """
        asked = self._ask(
            AIOAdminClient.describe_consumer_groups, _each(group_ids), request_timeout=self._timeout
        )
        return [
            answers.DescribedGroups(0, [_group(group, found)])
            for group, found in (await _settled(asked)).items()
        ]

    async def list_consumer_group_offsets(
        self,
        group_id: str,
        group_coordinator_id: int | None = None,
        partitions: Iterable[TopicPartition] | None = None,
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """Return a group's committed offsets, by partition; -1 for a partition without an offset.

        Args:
            group_id: the group.
            group_coordinator_id: no effect, because librdkafka finds the coordinator itself.
            partitions: the partitions; None means all partitions with a committed offset.
        """
        places = None if partitions is None else [Place(*one) for one in partitions]
        if places == []:
            return {}
        wanted = ConsumerGroupTopicPartitions(group_id, places)
        with translated():
            found = await self._running().list_consumer_group_offsets(
                [wanted], request_timeout=self._timeout
            )
        offsets = {}
        for place in found[group_id].topic_partitions or ():
            if place.error is not None:
                raise failure_of(place.error)
            partition = TopicPartition(place.topic, place.partition)
            offsets[partition] = OffsetAndMetadata(max(place.offset, -1), place.metadata or "")
        return offsets

    async def find_coordinator(self, group_id: str, coordinator_type: int = 0) -> int:
        """Return the id of a coordinator.

        Args:
            group_id: the group, or the transactional id.
            coordinator_type: 0 for groups, 1 for transactions.
        """
        self._running()
        return await self._client.coordinator_lookup(CoordinationType(coordinator_type), group_id)

    def _ask(
        self, request: Callable[..., Mapping[K, Awaitable[T]]], things: list[Any], **options: Any
    ) -> Mapping[K, Awaitable[T]]:
        """Send a request of AIOAdminClient about several things.

        If there are none, no request is sent: librdkafka would refuse it, and aiokafka returns an
        empty answer.
        """
        engine = self._running()
        return request(engine, things, **options) if things else {}

    def _running(self) -> AIOAdminClient:
        if self._engine is None:
            raise errors.KafkaConnectionError("the client was not started, or was closed")
        return self._engine

    def _seconds(self, timeout_ms: int | None) -> float:
        return self._timeout if timeout_ms is None else timeout_ms / 1000


async def _settled(asked: Mapping[K, Awaitable[T]]) -> dict[K, T | KafkaError]:
    """Return the results or the brokers' errors; raise all other errors."""
    found = await asyncio.gather(*asked.values(), return_exceptions=True)
    settled: dict[K, T | KafkaError] = {}
    for key, result in zip(asked, found, strict=True):
        if not isinstance(result, BaseException):
            settled[key] = result
        elif isinstance(result, KafkaException) and result.args[0].code() > 0:
            settled[key] = result.args[0]
        elif isinstance(result, KafkaException):
            raise failure_of(result) from result
        else:
            raise result
    return settled


def _each(names: Iterable[str]) -> list[str]:
    """Return each name once: librdkafka refuses repeated names, and aiokafka does not."""
    return list(dict.fromkeys(names))


def _not_deleted(failure: KafkaException) -> Exception:
    """Return aiokafka's exception for a failed delete_records(), also for a missing partition."""
    if failure.args[0].code() in _NO_PARTITION:
        return errors.NotLeaderForPartitionError(failure.args[0].str())
    exception: Exception = failure_of(failure)
    return exception


def _code_and_text(result: object) -> tuple[int, str | None]:
    if isinstance(result, KafkaError):
        return result.code(), result.str()
    return 0, None


def _topic_errors(results: Mapping[str, object]) -> list[answers.TopicError]:
    return [answers.TopicError(topic, *_code_and_text(result)) for topic, result in results.items()]


def _described(topic: Any) -> dict[str, Any]:
    return {
        "error_code": _code_and_text(topic.error)[0],
        "topic": topic.topic,
        "is_internal": topic.topic in {"__consumer_offsets", "__transaction_state"},
        "partitions": [
            {
                "error_code": _code_and_text(one.error)[0],
                "partition": one.id,
                "leader": one.leader,
                "replicas": list(one.replicas),
                "isr": list(one.isrs),
                "offline_replicas": [],
            }
            for one in topic.partitions.values()
        ],
    }


def _described_resource(
    wanted: ConfigResource, found: Mapping[str, ConfigEntry] | KafkaError, synonyms: bool
) -> answers.DescribedResource:
    entries = {} if isinstance(found, KafkaError) else found
    return answers.DescribedResource(
        *_code_and_text(found),
        int(wanted.resource_type),
        wanted.name,
        [
            answers.Entry(
                one.name,
                one.value,
                one.is_read_only,
                one.source.value,
                one.is_sensitive,
                [
                    answers.Synonym(other.name, other.value, other.source.value)
                    for other in (one.synonyms.values() if synonyms else ())
                ],
            )
            for one in entries.values()
            if wanted.configs is None or one.name in wanted.configs
        ],
    )


def _group(group: str, found: Any) -> answers.Group:
    if isinstance(found, KafkaError):
        return answers.Group(found.code(), group, "", "", "", [])
    # The state as a word: "Stable", "PreparingRebalance".
    state = "".join(part.capitalize() for part in found.state.name.split("_"))
    kind = "" if found.is_simple_consumer_group else "consumer"
    members = [
        answers.Member(one.member_id, one.client_id, one.host, b"", b"") for one in found.members
    ]
    return answers.Group(0, group, state, kind, found.partition_assignor, members)
