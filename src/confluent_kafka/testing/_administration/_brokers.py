"""What all areas use: the brokers, and the errors of single items in an answer."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from confluent_kafka.cimpl import KafkaError, KafkaException
from confluent_kafka.testing._administration._state import State

if TYPE_CHECKING:
    from confluent_kafka.cimpl import MockCluster


class Refused(Exception):
    """A broker's error for one item of a request.

    Args:
        code: an error code of KafkaError.
        message: the error's text for the client.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def outcome(step: Callable[..., object], *args: Any) -> dict[str, Any]:
    """Run one step of a request. Return the error fields of the answer."""
    try:
        step(*args)
    except Refused as refused:
        return {"error_code": refused.code, "error_message": str(refused)}
    except KafkaException as failed:
        error: KafkaError = failed.args[0]
        return {"error_code": error.code(), "error_message": error.str()}
    return {"error_code": 0, "error_message": None}


def code_of(step: Callable[..., object], *args: Any) -> int:
    """Run one step of a request. Return the error code, for answers without error text."""
    code: int = outcome(step, *args)["error_code"]
    return code


class Brokers:
    """The brokers of a cluster. This object does not keep the cluster alive."""

    def __init__(self, cluster: MockCluster) -> None:
        self._cluster = weakref.ref(cluster)

    @property
    def cluster(self) -> MockCluster:
        """The cluster, for changes of its state."""
        cluster = self._cluster()
        if cluster is None:
            raise RuntimeError("the cluster is gone")
        return cluster

    def state(self) -> State:
        """Return the current state of the brokers."""
        return State.read(self.cluster._snapshot())
