"""Clients for asyncio.

They wait in the event loop on a file descriptor that librdkafka writes to, so that messages reach
the waiting task without another thread. Requests that a broker must answer (list_topics(),
committed() ...) run on threads of an executor; most requests of AIOAdminClient need no thread.
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
