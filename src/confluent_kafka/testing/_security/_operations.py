"""Which operations each request needs: the table "authorization primitives" of Kafka's manual."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

from confluent_kafka.cimpl import Uuid
from confluent_kafka.testing._security._authorizer import (
    ALTER,
    ALTER_CONFIGS,
    CLUSTER,
    CLUSTER_ACTION,
    CLUSTER_NAME,
    CREATE,
    DELETE,
    DESCRIBE,
    DESCRIBE_CONFIGS,
    GROUP,
    IDEMPOTENT_WRITE,
    READ,
    TOPIC,
    TRANSACTIONAL_ID,
    WRITE,
)


class Topics(Protocol):
    """The topics of a cluster."""

    def exists(self, name: str) -> bool:
        """Return whether there is a topic of this name."""

    def name_of(self, topic_id: Uuid) -> str | None:
        """Return the name of the topic with this id, or None."""


class Resource(NamedTuple):
    """A resource that a request is about. The name None stands for any resource of the type."""

    type: int
    name: str | None


# Takes the topics, a request and one entry of its lists. For the whole request, the entry is the
# request itself. A missing resource, such as the id of a producer without transactions, needs no
# permission.
Find = Callable[[Topics, Any, Any], Iterable[Resource]]


class Need(NamedTuple):
    """An operation that the client must be allowed to do; `instead` also suffices."""

    operation: int
    find: Find
    instead: Need | None = None


class Rule(NamedTuple):
    """What one kind of request needs.

    Attributes:
        whole: what the whole request needs; without it, nothing of the request is done.
        entries: the lists in the request whose entries are refused one by one.
        results: the list in the response that has a result for each entry.
        each: what each entry needs.
        together: whether one refused entry stops all entries.
        always: whether the response has more than these results, so that the broker must answer
            even if every entry is refused.
        seen: what the client needs to see an entry of `results`; other entries are left out.
        configs: what the client needs to see the configuration of a new topic.
        operations: the field of a result that has the client's operations if it asks for them.
    """

    whole: tuple[Need, ...] = ()
    entries: tuple[str, ...] = ()
    results: str = ""
    each: tuple[Need, ...] = ()
    together: bool = False
    always: bool = False
    seen: Need | None = None
    configs: Need | None = None
    operations: str = ""


def _value(entry: Any, *fields: str) -> Any:
    """Return the first value that is not empty; an entry without fields is the value itself."""
    if isinstance(entry, str):
        return entry
    return next((found for field in fields if (found := getattr(entry, field, None))), None)


def _named(resource: int, *fields: str) -> Find:
    def find(topics: Topics, request: Any, entry: Any) -> Iterable[Resource]:
        name = _value(entry, *fields)
        return [Resource(resource, name)] if name else []

    return find


def _topic(topics: Topics, request: Any, entry: Any) -> Iterable[Resource]:
    name = _value(entry, "name", "topic", "topic_name")
    if not name and hasattr(entry, "topic_id"):
        name = topics.name_of(entry.topic_id)
    # The broker itself answers for a topic id that does not exist.
    return [Resource(TOPIC, name)] if name else []


def _new_topic(topics: Topics, request: Any, entry: Any) -> Iterable[Resource]:
    """Find a topic that the broker would create for a client that asks for it."""
    if not request.allow_auto_topic_creation or not entry.name or topics.exists(entry.name):
        return []
    return [Resource(TOPIC, entry.name)]


def _subscribed(topics: Topics, request: Any, entry: Any) -> Iterable[Resource]:
    return [Resource(TOPIC, name) for name in entry.subscribed_topic_names or ()]


def _cluster(topics: Topics, request: Any, entry: Any) -> Iterable[Resource]:
    return [Resource(CLUSTER, CLUSTER_NAME)]


def _cluster_without_transactions(topics: Topics, request: Any, entry: Any) -> Iterable[Resource]:
    return [] if request.transactional_id else _cluster(topics, request, entry)


def _any_topic(topics: Topics, request: Any, entry: Any) -> Iterable[Resource]:
    return [Resource(TOPIC, None)]


def _transactions_of_brokers(topics: Topics, request: Any, entry: Any) -> Iterable[Resource]:
    """Find the cluster if the request has a version that only brokers send."""
    return _cluster(topics, request, entry) if request.transactions else []


# By the type of a key. The keys of the other types are for brokers.
_COORDINATED = {0: GROUP, 1: TRANSACTIONAL_ID}


def _coordinated(topics: Topics, request: Any, entry: Any) -> Iterable[Resource]:
    """Find the group or transactional id whose coordinator the client looks up."""
    if request.key_type not in _COORDINATED:
        return _cluster(topics, request, entry)
    key = _value(entry, "key")  # version 4 and later have the keys in a list instead
    return [Resource(_COORDINATED[request.key_type], key)] if key else []


# The types of resources that have configurations. Other configurations belong to the cluster.
_CONFIGURED_TOPIC, _CONFIGURED_GROUP = 2, 32


def _configured(topics: Topics, request: Any, entry: Any) -> Iterable[Resource]:
    if entry.resource_type == _CONFIGURED_TOPIC:
        return [Resource(TOPIC, entry.resource_name)]
    if entry.resource_type == _CONFIGURED_GROUP:
        return [Resource(GROUP, entry.resource_name)]
    return _cluster(topics, request, entry)


_group = _named(GROUP, "group_id")
_transactional_id = _named(TRANSACTIONAL_ID, "transactional_id")


def _cluster_needs(operation: int) -> tuple[Need, ...]:
    return (Need(operation, _cluster),)


def _group_needs(operation: int) -> tuple[Need, ...]:
    return (Need(operation, _group),)


def _topic_needs(operation: int) -> tuple[Need, ...]:
    return (Need(operation, _topic),)


def _described_groups(entries: str) -> Rule:
    return Rule(
        (), (entries,), "groups", _group_needs(DESCRIBE), operations="authorized_operations"
    )


_MEMBER = Rule(_group_needs(READ))
_SUBSCRIBER = Rule((*_group_needs(READ), Need(DESCRIBE, _subscribed)))
_TRANSACTION = (Need(WRITE, _transactional_id),)
_CHANGED_CONFIGS = Rule(
    entries=("resources",), results="responses", each=(Need(ALTER_CONFIGS, _configured),)
)

# By the name of a message, without "Request".
RULES = {
    "AddOffsetsToTxn": Rule((*_TRANSACTION, *_group_needs(READ))),
    "AddPartitionsToTxn": Rule(
        (
            Need(CLUSTER_ACTION, _transactions_of_brokers),
            Need(WRITE, _named(TRANSACTIONAL_ID, "v3_and_below_transactional_id")),
        ),
        ("v3_and_below_topics",),
        "results_by_topic_v3_and_below",
        _topic_needs(WRITE),
        together=True,
    ),
    "AddRaftVoter": Rule(_cluster_needs(ALTER)),
    "AlterClientQuotas": Rule(_cluster_needs(ALTER_CONFIGS), ("entries",), "entries"),
    "AlterConfigs": _CHANGED_CONFIGS,
    "AlterPartitionReassignments": Rule(_cluster_needs(ALTER)),
    "AlterReplicaLogDirs": Rule(_cluster_needs(ALTER), ("dirs.topics",), "results"),
    "AlterShareGroupOffsets": Rule(
        _group_needs(READ), ("topics",), "responses", _topic_needs(READ)
    ),
    "AlterUserScramCredentials": Rule(
        _cluster_needs(ALTER), ("deletions", "upsertions"), "results"
    ),
    "ConsumerGroupDescribe": _described_groups("group_ids"),
    "ConsumerGroupHeartbeat": _SUBSCRIBER,
    "CreateAcls": Rule(_cluster_needs(ALTER), ("creations",), "results"),
    "CreatePartitions": Rule((), ("topics",), "results", _topic_needs(ALTER)),
    "CreateTopics": Rule(
        (),
        ("topics",),
        "topics",
        (Need(CREATE, _topic, instead=Need(CREATE, _cluster)),),
        configs=Need(DESCRIBE_CONFIGS, _topic),
    ),
    "DeleteAcls": Rule(_cluster_needs(ALTER), ("filters",), "filter_results"),
    "DeleteGroups": Rule((), ("groups_names",), "results", _group_needs(DELETE)),
    "DeleteRecords": Rule((), ("topics",), "topics", _topic_needs(DELETE)),
    "DeleteShareGroupOffsets": Rule(
        _group_needs(DELETE), ("topics",), "responses", _topic_needs(READ)
    ),
    "DeleteTopics": Rule((), ("topics", "topic_names"), "responses", _topic_needs(DELETE)),
    "DescribeAcls": Rule(_cluster_needs(DESCRIBE)),
    # It needs nothing, but the operations in its response depend on the client.
    "DescribeCluster": Rule(),
    "DescribeClientQuotas": Rule(_cluster_needs(DESCRIBE_CONFIGS)),
    "DescribeConfigs": Rule((), ("resources",), "results", (Need(DESCRIBE_CONFIGS, _configured),)),
    "DescribeGroups": _described_groups("groups"),
    "DescribeLogDirs": Rule(_cluster_needs(DESCRIBE)),
    "DescribeProducers": Rule((), ("topics",), "topics", _topic_needs(READ)),
    "DescribeQuorum": Rule(_cluster_needs(DESCRIBE)),
    "DescribeShareGroupOffsets": Rule((), ("groups",), "groups", _group_needs(DESCRIBE)),
    "DescribeTopicPartitions": Rule(
        (), ("topics",), "topics", _topic_needs(DESCRIBE), seen=Need(DESCRIBE, _topic)
    ),
    "DescribeTransactions": Rule(
        (), ("transactional_ids",), "transaction_states", (Need(DESCRIBE, _transactional_id),)
    ),
    "DescribeUserScramCredentials": Rule(_cluster_needs(DESCRIBE)),
    "ElectLeaders": Rule(_cluster_needs(ALTER), ("topic_partitions",), "replica_election_results"),
    "EndTxn": Rule(_TRANSACTION),
    "Fetch": Rule((), ("topics",), "responses", _topic_needs(READ)),
    "FindCoordinator": Rule(
        (Need(DESCRIBE, _coordinated),),
        ("coordinator_keys",),
        "coordinators",
        (Need(DESCRIBE, _coordinated),),
    ),
    "Heartbeat": _MEMBER,
    "IncrementalAlterConfigs": _CHANGED_CONFIGS,
    "InitProducerId": Rule(
        (
            *_TRANSACTION,
            Need(
                IDEMPOTENT_WRITE,
                _cluster_without_transactions,
                instead=Need(WRITE, _any_topic),
            ),
        )
    ),
    "JoinGroup": _MEMBER,
    "LeaveGroup": _MEMBER,
    "ListConfigResources": Rule(_cluster_needs(DESCRIBE_CONFIGS)),
    "ListGroups": Rule(
        results="groups", seen=Need(DESCRIBE, _group, instead=Need(DESCRIBE, _cluster))
    ),
    "ListOffsets": Rule((), ("topics",), "topics", _topic_needs(DESCRIBE)),
    "ListPartitionReassignments": Rule(_cluster_needs(DESCRIBE)),
    "ListTransactions": Rule(results="transaction_states", seen=Need(DESCRIBE, _transactional_id)),
    "Metadata": Rule(
        (),
        ("topics",),
        "topics",
        (
            Need(DESCRIBE, _topic),
            Need(CREATE, _new_topic, instead=Need(CREATE, _cluster)),
        ),
        always=True,
        seen=Need(DESCRIBE, _topic),
        operations="topic_authorized_operations",
    ),
    "OffsetCommit": Rule(_group_needs(READ), ("topics",), "topics", _topic_needs(READ)),
    "OffsetDelete": Rule(_group_needs(DELETE), ("topics",), "topics", _topic_needs(READ)),
    "OffsetFetch": Rule(
        _group_needs(DESCRIBE),
        ("topics",),
        "topics",
        _topic_needs(DESCRIBE),
        seen=Need(DESCRIBE, _topic),
    ),
    "OffsetForLeaderEpoch": Rule((), ("topics",), "topics", _topic_needs(DESCRIBE)),
    "Produce": Rule(_TRANSACTION, ("topic_data",), "responses", _topic_needs(WRITE)),
    "RemoveRaftVoter": Rule(_cluster_needs(ALTER)),
    "ShareAcknowledge": Rule(_group_needs(READ), ("topics",), "responses", _topic_needs(READ)),
    "ShareFetch": Rule(_group_needs(READ), ("topics",), "responses", _topic_needs(READ)),
    "ShareGroupDescribe": _described_groups("group_ids"),
    "ShareGroupHeartbeat": _SUBSCRIBER,
    "StreamsGroupDescribe": _described_groups("group_ids"),
    "StreamsGroupHeartbeat": _MEMBER,
    "StreamsGroupTopologyDescriptionUpdate": _MEMBER,
    "SyncGroup": _MEMBER,
    "TxnOffsetCommit": Rule(
        (*_TRANSACTION, *_group_needs(READ)), ("topics",), "topics", _topic_needs(READ)
    ),
    "UnregisterBroker": Rule(_cluster_needs(ALTER)),
    "UnregisterController": Rule(_cluster_needs(ALTER)),
    "UpdateFeatures": Rule(_cluster_needs(ALTER)),
    "WriteTxnMarkers": Rule(
        (Need(CLUSTER_ACTION, _cluster, instead=Need(ALTER, _cluster)),), ("markers",), "markers"
    ),
}

_BETWEEN_BROKERS = {
    "AllocateProducerIds",
    "AlterPartition",
    "AssignReplicasToDirs",
    "BeginQuorumEpoch",
    "BrokerHeartbeat",
    "BrokerRegistration",
    "ControllerRegistration",
    "DeleteShareGroupState",
    "EndQuorumEpoch",
    "Envelope",
    "FetchSnapshot",
    "InitializeShareGroupState",
    "ReadShareGroupState",
    "ReadShareGroupStateSummary",
    "UpdateRaftVoter",
    "Vote",
    "WriteShareGroupState",
}
RULES |= dict.fromkeys(_BETWEEN_BROKERS, Rule(_cluster_needs(CLUSTER_ACTION)))

# The rules of later versions, from the first one on, if they have other fields.
_LATER = {"OffsetFetch": (8, Rule((), ("groups",), "groups", _group_needs(DESCRIBE)))}

# Every client may send these.
FREE = {
    "ApiVersions",
    "CreateDelegationToken",
    "DescribeDelegationToken",
    "ExpireDelegationToken",
    "GetTelemetrySubscriptions",
    "PushTelemetry",
    "RenewDelegationToken",
    "SaslAuthenticate",
    "SaslHandshake",
}


def rule_of(request: Any, version: int) -> Rule:
    """Return the rule of a request, which must have one."""
    name = type(request).__name__.removesuffix("Request")
    first, later = _LATER.get(name, (0, None))
    return RULES[name] if later is None or version < first else later
