"""Configures clients of confluent_kafka.compat.kafka_0_9, for tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from confluent_kafka.compat.kafka_0_9 import _sender
from confluent_kafka.compat.kafka_0_9 import client as client_module
from confluent_kafka.compat.kafka_0_9.consumer import multiprocess
from tests.support.waiting import TIMEOUT


@pytest.fixture
def patient() -> Iterator[None]:
    """Let clients wait longer, because a slow machine looks to them like a missing leader.

    The longer linger also keeps the messages of one call in one batch; flush() ends the linger.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client_module, "_PATIENCE", TIMEOUT)
        patch.setattr(multiprocess, "_PATIENCE", TIMEOUT)
        patch.setattr(_sender, "_ELECTION", int(TIMEOUT * 1000))
        patch.setattr(_sender, "_LINGER", int(TIMEOUT * 1000))
        yield
