"""The Python value classes of ``confluent_kafka`` and ``confluent_kafka.admin``."""

from __future__ import annotations

import copy
import pickle
from enum import Enum
from typing import Any

import pytest

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    ElectionType,
    IsolationLevel,
    KafkaError,
    Node,
    ThrottleEvent,
    TopicCollection,
    TopicIdCollection,
    TopicPartition,
    TopicPartitionInfo,
    Uuid,
    admin,
    statistics,
)
from confluent_kafka.admin import (
    BrokerMetadata,
    ClusterMetadata,
    GroupMetadata,
    PartitionMetadata,
    TopicMetadata,
)

LEADER = Node(1, "h1", 9092)
ERROR = KafkaError(3, "gone")

# Each object with its given attributes and its repr().
OBJECTS: list[tuple[Any, dict[str, Any], str]] = [
    (
        ThrottleEvent("b:9092/1", 1, 0.5),
        {"broker_name": "b:9092/1", "broker_id": 1, "throttle_time": 0.5},
        "ThrottleEvent('b:9092/1', 1, 0.5)",
    ),
    (
        Node(1, "h", 9092, "r"),
        {"id": 1, "id_string": "1", "host": "h", "port": 9092, "rack": "r"},
        "Node(1, 'h', 9092, rack='r')",
    ),
    (Node(1, "h", 9092), {"rack": None}, "Node(1, 'h', 9092, rack=None)"),
    (TopicCollection(["a", "b"]), {"topic_names": ["a", "b"]}, "TopicCollection(['a', 'b'])"),
    (
        TopicIdCollection([Uuid(0, 1)]),
        {"topic_ids": [Uuid(0, 1)]},
        "TopicIdCollection([AAAAAAAAAAAAAAAAAAAAAQ])",
    ),
    (
        TopicPartitionInfo(0, LEADER, [LEADER], []),
        {"id": 0, "leader": LEADER, "replicas": [LEADER], "isr": []},
        f"TopicPartitionInfo(0, leader={LEADER}, replicas=[{LEADER}], isr=[])".replace(
            str(LEADER), repr(LEADER)
        ),
    ),
    (
        ConsumerGroupTopicPartitions("g"),
        {"group_id": "g", "topic_partitions": None},
        "ConsumerGroupTopicPartitions('g', None)",
    ),
    (
        ConsumerGroupTopicPartitions("g", [TopicPartition("t", 0)]),
        {"topic_partitions": [TopicPartition("t", 0)]},
        f"ConsumerGroupTopicPartitions('g', [{TopicPartition('t', 0)}])",
    ),
    (
        ClusterMetadata(),
        {
            "cluster_id": None,
            "controller_id": -1,
            "brokers": {},
            "topics": {},
            "orig_broker_id": -1,
            "orig_broker_name": None,
        },
        "ClusterMetadata(None)",
    ),
    (ClusterMetadata("id", 2), {"cluster_id": "id", "controller_id": 2}, "ClusterMetadata(id)"),
    (BrokerMetadata(), {"id": -1, "host": None, "port": -1}, "BrokerMetadata(-1, None:-1)"),
    (
        BrokerMetadata(1, "127.0.0.1", 42351),
        {"id": 1, "host": "127.0.0.1", "port": 42351},
        "BrokerMetadata(1, 127.0.0.1:42351)",
    ),
    (
        TopicMetadata(),
        {"topic": None, "partitions": {}, "error": None},
        "TopicMetadata(None, 0 partitions)",
    ),
    (
        TopicMetadata("t", {0: PartitionMetadata(0)}, ERROR),
        {"topic": "t", "error": ERROR},
        f"TopicMetadata(t, 1 partitions, {ERROR})",
    ),
    (
        PartitionMetadata(),
        {"id": -1, "leader": -1, "replicas": [], "isrs": [], "error": None},
        "PartitionMetadata(-1)",
    ),
    (
        PartitionMetadata(0, 1, [1, 2], [2], ERROR),
        {"id": 0, "leader": 1, "replicas": [1, 2], "isrs": [2], "error": ERROR},
        f"PartitionMetadata(0, {ERROR})",
    ),
]
IDS = [type(thing).__name__ for thing, _, _ in OBJECTS]


@pytest.mark.parametrize(("thing", "attributes", "text"), OBJECTS, ids=IDS)
def test_attributes_and_repr(thing: Any, attributes: dict[str, Any], text: str) -> None:
    """Attributes return the given values, and repr() shows them."""
    assert {name: getattr(thing, name) for name in attributes} == attributes
    assert repr(thing) == text
    assert type(thing).__doc__


@pytest.mark.parametrize(("thing", "attributes", "text"), OBJECTS, ids=IDS)
def test_pickles(thing: Any, attributes: dict[str, Any], text: str) -> None:
    """Results can be pickled, so that a program can send them to another process."""
    for twin in (pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing)):
        assert type(twin) is type(thing)
        assert {name: getattr(twin, name) for name in attributes} == attributes
        assert repr(twin) == text


@pytest.mark.parametrize(("thing", "attributes", "text"), OBJECTS, ids=IDS)
def test_misspelt_attributes_are_refused(thing: Any, attributes: dict[str, Any], text: str) -> None:
    """An attribute that does not exist cannot be set by mistake."""
    with pytest.raises(AttributeError):
        thing.misspelt = 1


@pytest.mark.parametrize(
    ("module", "kinds"),
    [
        (admin, [ClusterMetadata, BrokerMetadata, TopicMetadata, PartitionMetadata, GroupMetadata]),
        (statistics, [statistics.Statistics, statistics.WindowStatistics]),
    ],
)
def test_what_is_pickled_names_a_public_module(module: Any, kinds: list[type]) -> None:
    """A pickle can be loaded even if the package's private modules have changed."""
    for kind in kinds:
        assert kind.__module__ == module.__name__
        assert getattr(module, kind.__name__) is kind


def test_defaults_are_not_shared() -> None:
    """Each object has its own default list or dict."""
    PartitionMetadata().replicas.append(1)
    TopicMetadata().partitions[0] = PartitionMetadata()
    ClusterMetadata().topics["t"] = TopicMetadata()
    assert PartitionMetadata().replicas == []
    assert TopicMetadata().partitions == {}
    assert ClusterMetadata().topics == {}


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (ThrottleEvent("b", 1, 0.5), "b/1 throttled for 500 ms"),
        (ThrottleEvent("b", 1, 0.0123), "b/1 throttled for 12 ms"),
        (ThrottleEvent("b", 1, 5), "b/1 throttled for 5000 ms"),
        (Node(1, "h", 9092), "(1) h:9092"),
        (Node(1, "h", 9092, "r"), "(1) h:9092 (Rack - r)"),
        (BrokerMetadata(1, "h", 9092), "h:9092/1"),
        (TopicMetadata("t"), "t"),
        (PartitionMetadata(3), "3"),
        (ClusterMetadata("id"), "id"),
    ],
)
def test_str(thing: Any, text: str) -> None:
    """str() returns the short form for people, as in confluent-kafka."""
    assert str(thing) == text


def test_nodes_compare_by_value() -> None:
    """Nodes with equal values are equal, so that programs find the leader among the replicas."""
    assert Node(1, "h", 9092, "r") == Node(1, "h", 9092, "r")
    assert Node(1, "h", 9092, "r") in {Node(1, "h", 9092, "r")}
    for other in (Node(2, "h", 9092, "r"), Node(1, "i", 9092, "r"), Node(1, "h", 1, "r")):
        assert Node(1, "h", 9092, "r") != other
    assert Node(1, "h", 9092) != Node(1, "h", 9092, "r")
    assert Node(1, "h", 9092) != (1, "h", 9092, None)


@pytest.mark.parametrize(
    ("enumeration", "names"),
    [
        (
            ConsumerGroupState,
            [
                "UNKNOWN",
                "PREPARING_REBALANCING",
                "COMPLETING_REBALANCING",
                "STABLE",
                "DEAD",
                "EMPTY",
            ],
        ),
        (ConsumerGroupType, ["UNKNOWN", "CONSUMER", "CLASSIC"]),
        (IsolationLevel, ["READ_UNCOMMITTED", "READ_COMMITTED"]),
        (ElectionType, ["PREFERRED", "UNCLEAN"]),
    ],
)
def test_enumerations(enumeration: type[Enum], names: list[str]) -> None:
    """Members have the numbers from 0 in librdkafka's order, and are sorted in this order."""
    assert [(member.name, member.value) for member in enumeration] == [
        (name, number) for number, name in enumerate(names)
    ]
    backwards = [*enumeration][::-1]
    assert sorted(backwards) == list(enumeration)
    for member in enumeration:
        assert pickle.loads(pickle.dumps(member)) is member


def test_enumerations_order_among_themselves_only() -> None:
    """A state can be ordered only among states, and not with types or numbers."""
    assert ConsumerGroupState.STABLE < ConsumerGroupState.DEAD
    assert ConsumerGroupState.STABLE <= ConsumerGroupState.STABLE
    assert ConsumerGroupState.DEAD > ConsumerGroupState.STABLE
    assert ConsumerGroupState.DEAD >= ConsumerGroupState.STABLE
    state = ConsumerGroupState.STABLE
    others: list[Any] = [ConsumerGroupType.CLASSIC, 3, "STABLE"]
    for other in others:
        with pytest.raises(TypeError):
            state < other  # noqa: B015
        with pytest.raises(TypeError):
            state <= other  # noqa: B015


def test_the_misspelt_state_is_an_alias() -> None:
    """The misspelt old name is an alias, so that programs that use it still work."""
    assert ConsumerGroupState["UNKOWN"] is ConsumerGroupState.UNKNOWN
