"""Enumerations that admin requests take and that answers contain."""

from __future__ import annotations

from enum import Enum, IntEnum

from confluent_kafka import cimpl
from confluent_kafka._values.ordered import OrderedEnum


class ResourceType(OrderedEnum):
    """The kind of a resource with configurations or ACLs. librdkafka: rd_kafka_ResourceType_t."""

    UNKNOWN = cimpl.RESOURCE_UNKNOWN
    ANY = cimpl.RESOURCE_ANY
    TOPIC = cimpl.RESOURCE_TOPIC
    GROUP = cimpl.RESOURCE_GROUP
    BROKER = cimpl.RESOURCE_BROKER  # in ACLs it means the cluster
    TRANSACTIONAL_ID = cimpl.RESOURCE_TRANSACTIONAL_ID
    # The numbers of Java's ConfigResource.Type.
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16


# Types that have no ACLs, and no number in librdkafka.
CONFIGURATIONS_ONLY = frozenset({ResourceType.BROKER_LOGGER, ResourceType.CLIENT_METRICS})


class ResourcePatternType(OrderedEnum):
    """How an ACL matches names. librdkafka: rd_kafka_ResourcePatternType_t (KIP-290)."""

    UNKNOWN = cimpl.RESOURCE_PATTERN_UNKNOWN
    ANY = cimpl.RESOURCE_PATTERN_ANY
    MATCH = cimpl.RESOURCE_PATTERN_MATCH
    LITERAL = cimpl.RESOURCE_PATTERN_LITERAL
    PREFIXED = cimpl.RESOURCE_PATTERN_PREFIXED


class AclOperation(OrderedEnum):
    """An operation that an ACL allows or denies. librdkafka: rd_kafka_AclOperation_t (KIP-140)."""

    UNKNOWN = cimpl.ACL_OPERATION_UNKNOWN
    ANY = cimpl.ACL_OPERATION_ANY
    ALL = cimpl.ACL_OPERATION_ALL
    READ = cimpl.ACL_OPERATION_READ
    WRITE = cimpl.ACL_OPERATION_WRITE
    CREATE = cimpl.ACL_OPERATION_CREATE
    DELETE = cimpl.ACL_OPERATION_DELETE
    ALTER = cimpl.ACL_OPERATION_ALTER
    DESCRIBE = cimpl.ACL_OPERATION_DESCRIBE
    CLUSTER_ACTION = cimpl.ACL_OPERATION_CLUSTER_ACTION
    DESCRIBE_CONFIGS = cimpl.ACL_OPERATION_DESCRIBE_CONFIGS
    ALTER_CONFIGS = cimpl.ACL_OPERATION_ALTER_CONFIGS
    IDEMPOTENT_WRITE = cimpl.ACL_OPERATION_IDEMPOTENT_WRITE


class AclPermissionType(OrderedEnum):
    """Whether an ACL allows or denies. librdkafka: rd_kafka_AclPermissionType_t."""

    UNKNOWN = cimpl.ACL_PERMISSION_TYPE_UNKNOWN
    ANY = cimpl.ACL_PERMISSION_TYPE_ANY
    DENY = cimpl.ACL_PERMISSION_TYPE_DENY
    ALLOW = cimpl.ACL_PERMISSION_TYPE_ALLOW


class ConfigSource(IntEnum):
    """The source of a configuration's value. librdkafka: rd_kafka_ConfigSource_t."""

    UNKNOWN_CONFIG = cimpl.CONFIG_SOURCE_UNKNOWN_CONFIG
    DYNAMIC_TOPIC_CONFIG = cimpl.CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG
    DYNAMIC_BROKER_CONFIG = cimpl.CONFIG_SOURCE_DYNAMIC_BROKER_CONFIG
    DYNAMIC_DEFAULT_BROKER_CONFIG = cimpl.CONFIG_SOURCE_DYNAMIC_DEFAULT_BROKER_CONFIG
    STATIC_BROKER_CONFIG = cimpl.CONFIG_SOURCE_STATIC_BROKER_CONFIG
    DEFAULT_CONFIG = cimpl.CONFIG_SOURCE_DEFAULT_CONFIG
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    DYNAMIC_CLIENT_METRICS_CONFIG = 7
    GROUP_CONFIG = cimpl.CONFIG_SOURCE_GROUP_CONFIG

    # IntEnum's __str__() would return the number, but programs print the name.
    __str__ = Enum.__str__
    __format__ = Enum.__format__


class AlterConfigOpType(Enum):
    """The change of one configuration. librdkafka: rd_kafka_AlterConfigOpType_t (KIP-339)."""

    SET = cimpl.ALTER_CONFIG_OP_TYPE_SET
    DELETE = cimpl.ALTER_CONFIG_OP_TYPE_DELETE  # reset to the default
    APPEND = cimpl.ALTER_CONFIG_OP_TYPE_APPEND  # add to a list
    SUBTRACT = cimpl.ALTER_CONFIG_OP_TYPE_SUBTRACT  # remove from a list


class ScramMechanism(OrderedEnum):
    """The hash of a SCRAM credential. librdkafka: rd_kafka_ScramMechanism_t (KIP-554)."""

    UNKNOWN = cimpl.SCRAM_MECHANISM_UNKNOWN
    SCRAM_SHA_256 = cimpl.SCRAM_MECHANISM_SHA_256
    SCRAM_SHA_512 = cimpl.SCRAM_MECHANISM_SHA_512
