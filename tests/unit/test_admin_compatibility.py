"""AdminClient raises the same errors as confluent-kafka-python 2.16.1.

The class and the first words of the text are the same, because programs catch the classes and match
the words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    ElectionType,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from tests.support.clients import ANY_ACL, BINDING, config
from tests.support.waiting import TIMEOUT

RESOURCE = ConfigResource("topic", "t")
PLACE = TopicPartition("t", 0)
INFO = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)


@pytest.fixture
def admin() -> Iterator[AdminClient]:
    with AdminClient(config()) as admin:
        yield admin


def binding(**changes: Any) -> AclBinding:
    fields: dict[str, Any] = {
        "restype": ResourceType.TOPIC,
        "name": "t",
        "resource_pattern_type": ResourcePatternType.LITERAL,
        "principal": "User:a",
        "host": "*",
        "operation": AclOperation.READ,
        "permission_type": AclPermissionType.ALLOW,
    }
    return AclBinding(**(fields | changes))


def group_of(*partitions: Any) -> list[ConsumerGroupTopicPartitions]:
    return [ConsumerGroupTopicPartitions("g", list(partitions))]


def change(value: Any, operation: Any) -> list[ConfigResource]:
    entry = ConfigEntry("a", value, incremental_operation=operation)
    return [ConfigResource("topic", "t", incremental_configs=[entry])]


# The call, its argument, the exception and the beginning of its text.
REFUSED: list[tuple[str, Any, type[Exception], str]] = [
    ("create_acls", None, TypeError, ""),
    ("create_acls", "x", ValueError, "Expected list of"),
    ("create_acls", [], ValueError, "Expected non-empty list of AclBinding objects"),
    ("create_acls", [None], ValueError, "Expected list of"),
    ("create_acls", [BINDING, 1], ValueError, "Expected list of"),
    ("create_acls", [BINDING, BINDING], ValueError, "duplicate ACL bindings not allowed"),
    ("delete_acls", None, TypeError, ""),
    ("delete_acls", "x", ValueError, "Expected list of"),
    ("delete_acls", [], ValueError, "Expected non-empty list of AclBindingFilter objects"),
    ("delete_acls", [None], ValueError, "Expected list of"),
    ("delete_acls", [BINDING], ValueError, "Expected list of"),
    ("delete_acls", [ANY_ACL, ANY_ACL], ValueError, "duplicate ACL binding filters not allowed"),
    ("delete_topics", None, TypeError, ""),
    ("delete_topics", "t", TypeError, ""),
    ("delete_topics", [], ValueError, "Expected non-empty list of"),
    ("delete_topics", [None], ValueError, "Expected list of"),
    ("create_partitions", [NewTopic("t")], ValueError, "Expected list of NewPartitions"),
    ("describe_configs", None, TypeError, ""),
    ("describe_configs", "t", ValueError, "Expected list of"),
    ("describe_configs", [], ValueError, "Expected non-empty list of ConfigResource objects"),
    ("describe_configs", [None], ValueError, "Expected list of"),
    ("describe_configs", [""], ValueError, "Expected list of"),
    ("incremental_alter_configs", "t", TypeError, "Expected list of"),
    ("incremental_alter_configs", [None], TypeError, "Expected list of"),
    ("incremental_alter_configs", change("b", "SET"), TypeError, ""),
    ("incremental_alter_configs", change("b", 0), TypeError, ""),
    ("incremental_alter_configs", change(None, AlterConfigOpType.SET), TypeError, ""),
    ("incremental_alter_configs", change(1, AlterConfigOpType.SET), TypeError, ""),
    ("describe_consumer_groups", None, TypeError, "Expected"),
    ("describe_consumer_groups", [None], ValueError, "Expected list of"),
    ("delete_consumer_groups", "g", TypeError, "Expected"),
    ("delete_consumer_groups", [None], ValueError, "Expected list of"),
    ("delete_consumer_groups", [1], ValueError, "Expected list of"),
    (
        "list_consumer_group_offsets",
        group_of(TopicPartition("t", 0, 1)),
        ValueError,
        "Element of 'topic_partitions' must not have 'offset' value",
    ),
    (
        "list_consumer_group_offsets",
        group_of(None),
        ValueError,
        "Element of 'topic_partitions' cannot be None",
    ),
    ("list_consumer_group_offsets", group_of(1), TypeError, ""),
    (
        "alter_consumer_group_offsets",
        [ConsumerGroupTopicPartitions("g")],
        ValueError,
        "'topic_partitions' cannot be null",
    ),
    (
        "alter_consumer_group_offsets",
        group_of(None),
        ValueError,
        "Element of 'topic_partitions' cannot be None",
    ),
    (
        "alter_consumer_group_offsets",
        group_of(PLACE),
        ValueError,
        "Element of 'topic_partitions' must not have negative value for 'offset' field",
    ),
    ("create_acls", [binding(restype="unknown")], ValueError, "Invalid resource type"),
    (
        "create_acls",
        [binding(resource_pattern_type="unknown")],
        ValueError,
        "Invalid resource pattern type",
    ),
    ("create_acls", [binding(operation="unknown")], ValueError, "Invalid operation"),
    ("create_acls", [binding(permission_type="unknown")], ValueError, "Invalid permission type"),
]


@pytest.mark.parametrize(("method", "argument", "error", "text"), REFUSED)
def test_arguments(
    admin: AdminClient, method: str, argument: Any, error: type[Exception], text: str
) -> None:
    """The error has the expected class and first words; nothing is sent."""
    with pytest.raises(error) as raised:
        getattr(admin, method)(argument)
    assert raised.type is error
    assert str(raised.value).startswith(text)
    assert len(admin) == 0


@pytest.mark.parametrize("arguments", [(), (None,), ("x",), ([],)])
def test_configuration_that_is_no_dict(arguments: tuple[Any, ...]) -> None:
    """AdminClient needs a configuration, which must be a dict."""
    with pytest.raises(TypeError):
        AdminClient(*arguments)


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("states", [ConsumerGroupState.EMPTY], "'states' must be a set"),
        ("states", frozenset([ConsumerGroupState.EMPTY]), "'states' must be a set"),
        ("states", "EMPTY", "'states' must be a set"),
        ("states", {"EMPTY"}, "All elements of states must be of type ConsumerGroupState"),
        ("types", [ConsumerGroupType.CLASSIC], "'types' must be a set"),
        ("types", {1}, "All elements of types must be of type ConsumerGroupType"),
    ],
)
def test_sets(admin: AdminClient, option: str, value: Any, text: str) -> None:
    """States and types of groups are sets of their enumerations' members."""
    with pytest.raises(TypeError, match=f"^{text}"):
        admin.list_consumer_groups(**{option: value})


NOTHING: dict[str, Callable[..., Any]] = {
    "describe_topics": lambda admin, **more: admin.describe_topics(TopicCollection([]), **more),
    "list_offsets": lambda admin, **more: admin.list_offsets({}, **more),
    "delete_records": lambda admin, **more: admin.delete_records([], **more),
    "describe_user_scram_credentials": lambda admin, **more: admin.describe_user_scram_credentials(
        [], **more
    ),
}


@pytest.mark.parametrize("request_", NOTHING.values(), ids=list(NOTHING))
def test_options_of_a_request_about_nothing(admin: AdminClient, request_: Any) -> None:
    """Options are checked, even if there is nothing to send."""
    assert request_(admin, request_timeout=1) == {}
    with pytest.raises(ValueError, match="request_timeout"):
        request_(admin, request_timeout=-1)
    with pytest.raises(TypeError, match="request_timeout"):
        request_(admin, request_timeout="x")
    assert len(admin) == 0


TWICE: dict[str, tuple[Callable[[AdminClient], dict[Any, Any]], str]] = {
    "describe_user_scram_credentials": (
        lambda admin: admin.describe_user_scram_credentials(["u", "u"]),
        "Duplicate users",
    ),
    "describe_consumer_groups": (
        lambda admin: admin.describe_consumer_groups(["g", "g"]),
        "Duplicate groups",
    ),
    "delete_consumer_groups": (
        lambda admin: admin.delete_consumer_groups(["g", "g"]),
        "Duplicate groups",
    ),
    "describe_topics": (
        lambda admin: admin.describe_topics(TopicCollection(["t", "t"])),
        "Duplicate topics",
    ),
    "delete_records": (
        lambda admin: admin.delete_records([TopicPartition("t", 0, 1)] * 2),
        "Duplicate partitions",
    ),
    "elect_leaders": (
        lambda admin: {0: admin.elect_leaders(ElectionType.PREFERRED, [PLACE] * 2)},
        "Duplicate partitions",
    ),
    "unknown mechanism": (
        lambda admin: admin.alter_user_scram_credentials(
            [UserScramCredentialDeletion("u", ScramMechanism.UNKNOWN)]
        ),
        "SCRAM mechanism must be specified",
    ),
}


@pytest.mark.parametrize(("request_", "text"), TWICE.values(), ids=list(TWICE))
def test_future_that_fails(admin: AdminClient, request_: Any, text: str) -> None:
    """If an item is requested twice, or its mechanism is unknown, its own future fails with
    _INVALID_ARG."""
    (future,) = request_(admin).values()
    error = future.exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.args[0].code() == KafkaError._INVALID_ARG
    assert error.args[0].str().startswith(text)


@pytest.mark.parametrize(
    "request_",
    [
        lambda admin: admin.delete_topics(["t", "t"], request_timeout=0.05),
        lambda admin: admin.describe_configs([RESOURCE, RESOURCE], request_timeout=0.05),
        lambda admin: admin.alter_user_scram_credentials(
            [UserScramCredentialUpsertion("u", INFO, b"p")] * 2, request_timeout=0.05
        ),
    ],
)
def test_sent_twice(admin: AdminClient, request_: Any) -> None:
    """If a name is given twice, and both mean the same, the request is sent, and its only future
    gets the response."""
    (future,) = request_(admin).values()
    error = future.exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.args[0].code() == KafkaError._TIMED_OUT


@pytest.mark.parametrize(
    "choice", ["restype", "resource_pattern_type", "operation", "permission_type"]
)
def test_choices_of_an_acl(choice: str) -> None:
    """A binding may have UNKNOWN, because responses contain it, but not ANY.

    A filter may have ANY, but not UNKNOWN.
    """
    assert getattr(binding(**{choice: "unknown"}), choice).name == "UNKNOWN"
    with pytest.raises(ValueError, match=f"^Cannot use enum {choice}, value ANY in this class"):
        binding(**{choice: "any"})
    with pytest.raises(ValueError, match=f"^Expected {choice} to be not None"):
        binding(**{choice: None})
    fields = dict.fromkeys(("name", "principal", "host"))
    choices = dict.fromkeys(("restype", "resource_pattern_type", "operation"), "any")
    anything: dict[str, Any] = fields | choices | {"permission_type": "any"}
    with pytest.raises(ValueError, match=f"^Cannot use enum {choice}, value UNKNOWN in this"):
        AclBindingFilter(**(anything | {choice: "unknown"}))


@pytest.mark.parametrize("text", ["name", "principal", "host"])
def test_texts_of_an_acl(text: str) -> None:
    """A binding refuses None for each of its texts."""
    with pytest.raises(ValueError, match=f"^Expected {text} to be not None"):
        binding(**{text: None})
