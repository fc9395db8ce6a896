"""Another import path for names of ``confluent_kafka.admin``."""

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
