"""Requests to all brokers, or to the broker that coordinates something."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from confluent_kafka import protocol
from confluent_kafka._values.cluster import Node
from confluent_kafka.admin._protocol import (
    ANY,
    Deadline,
    ProtocolRequests,
    Target,
    broker,
    gathered,
    only,
    raise_error_of,
)
from confluent_kafka.cimpl import KafkaError, KafkaException
from confluent_kafka.protocol import Request

T = TypeVar("T")
U = TypeVar("U")


class BrokerRequests(ProtocolRequests):
    """Sends requests to every broker, or to a coordinator, and adds that to the result."""

    __slots__ = ()

    def _ask_every_broker(
        self,
        request: Request,
        request_timeout: float | None,
        convert: Callable[[Any], list[T]],
        merge: Callable[[list[T], list[KafkaError]], U],
    ) -> Future[U]:
        """Send a message to all brokers.

        Args:
            request: the message.
            request_timeout: seconds until brokers that have not answered count as failed.
            convert: turns a broker's response into a list.
            merge: makes the future's result from the joined lists and the errors of brokers.
        """
        deadline = Deadline(request_timeout)

        def merged(answers: dict[int, list[T] | BaseException]) -> U:
            return merge(*_sorted_out(answers.values()))

        return self._then(
            self._exchange(protocol.MetadataRequest(), ANY, request_timeout, _ids),
            lambda client, ids: gathered(
                {
                    each: client._exchange(request, broker(each), deadline.left(), convert)
                    for each in ids
                },
                merged,
            ),
        )

    def _ask_coordinator(
        self,
        request: Request,
        coordinator: Target,
        request_timeout: float | None,
        convert: Callable[[Any], T],
        add: Callable[[T, Node], U],
    ) -> Future[U]:
        """Send a message to a coordinator. The result contains the coordinator.

        Args:
            request: the message.
            coordinator: the coordinator to ask.
            request_timeout: seconds until the future fails, at most 3600.
            convert: converts the response, or raises its error.
            add: makes the future's result from the converted response and the coordinator.
        """
        deadline = Deadline(request_timeout)
        find = coordinator.finding  # the coordinator's answer does not contain its own address
        assert find is not None
        return self._then(
            self._exchange(request, coordinator, request_timeout, convert),
            lambda client, found: client._exchange(
                find, ANY, deadline.left(), lambda response: add(found, _coordinator(response))
            ),
        )


def _ids(response: protocol.MetadataResponse) -> list[int]:
    return [each.node_id for each in response.brokers]


def _coordinator(response: protocol.FindCoordinatorResponse) -> Node:
    found = only(response.coordinators)
    raise_error_of(found)
    return Node(found.node_id, found.host, found.port)


def _sorted_out(answers: Iterable[list[T] | BaseException]) -> tuple[list[T], list[KafkaError]]:
    valid: list[T] = []
    errors: list[KafkaError] = []
    for answer in answers:
        if isinstance(answer, KafkaException):
            errors.append(answer.args[0])
        elif isinstance(answer, BaseException):
            raise answer
        else:
            valid.extend(answer)
    return valid, errors
