"""Clients for asyncio.

They wait in the event loop on a file descriptor that librdkafka writes to: no thread stands between
a message and the task that waits for it. Requests that a broker must answer (list_topics(),
committed() ...) run on threads of an executor, those of AIOAdminClient without one.
"""

from __future__ import annotations

from ._admin import AIOAdminClient
from ._answers import Answers
from ._consumer import AIOConsumer
from ._deserializing_consumer import AsyncDeserializingConsumer
from ._producer import AIOProducer
from ._serializing_producer import AsyncSerializingProducer

__all__ = [
    "AIOAdminClient",
    "AIOConsumer",
    "AIOProducer",
    "Answers",
    "AsyncDeserializingConsumer",
    "AsyncSerializingProducer",
]
