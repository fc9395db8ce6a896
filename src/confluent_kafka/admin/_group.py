"""Names of ``confluent_kafka.admin`` under another import path."""

from confluent_kafka.admin import (
    AclOperation,
    ConsumerGroupDescription,
    ConsumerGroupListing,
    ListConsumerGroupsResult,
    MemberAssignment,
    MemberDescription,
)

__all__ = [
    "AclOperation",
    "ConsumerGroupDescription",
    "ConsumerGroupListing",
    "ListConsumerGroupsResult",
    "MemberAssignment",
    "MemberDescription",
]
