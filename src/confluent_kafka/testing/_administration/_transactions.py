"""Transactions, as their coordinators see them: list and describe them."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError
from confluent_kafka.testing._administration._brokers import Brokers
from confluent_kafka.testing._administration._state import Transaction

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

_STATES = {
    "Empty",
    "Ongoing",
    "PrepareCommit",
    "PrepareAbort",
    "CompleteCommit",
    "CompleteAbort",
    "Dead",
    "PrepareEpochFence",
}
_TRANSACTIONAL_ID_NOT_FOUND = 105  # KafkaError does not have this code


class Transactions:
    """Answers requests about transactions.

    Args:
        brokers: the brokers, which have the transactions.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {
            protocol.ListTransactionsRequest: self._list,
            protocol.DescribeTransactionsRequest: self._describe,
        }

    def _list(self, request: Any, context: RequestContext) -> Any:
        response = protocol.ListTransactionsResponse
        try:
            pattern = re.compile(request.transactional_id_pattern or "")
        except re.error:
            return response(error_code=KafkaError.INVALID_REGULAR_EXPRESSION)
        # Clients ask every broker. One broker answers for all of them, as for groups.
        found = self._found(request, pattern) if context.broker_id == self._spokesman() else ()
        return response(
            unknown_state_filters=sorted({*request.state_filters} - _STATES),
            transaction_states=[
                response.TransactionState(
                    transactional_id=each.id,
                    producer_id=each.producer_id,
                    transaction_state=each.state,
                )
                for each in found
            ],
        )

    def _spokesman(self) -> int | None:
        return next((each.id for each in self._brokers.state().brokers if each.up), None)

    def _found(self, request: Any, pattern: re.Pattern[str]) -> Iterator[Transaction]:
        """Yield the transactions that match all filters of a request."""
        now = time.time() * 1000
        for each in self._brokers.state().transactions.values():
            if (
                (not request.state_filters or each.state in request.state_filters)
                and (
                    not request.producer_id_filters
                    or each.producer_id in request.producer_id_filters
                )
                and (request.duration_filter < 0 or _is_older(each, now, request.duration_filter))
                and (not pattern.pattern or pattern.fullmatch(each.id))
            ):
                yield each

    def _describe(self, request: Any, context: RequestContext) -> Any:
        transactions = self._brokers.state().transactions
        return protocol.DescribeTransactionsResponse(
            transaction_states=[
                _described(name, transactions.get(name)) for name in request.transactional_ids
            ]
        )


def _is_older(transaction: Transaction, now: float, duration: int) -> bool:
    return transaction.start_ms >= 0 and now - transaction.start_ms > duration


def _described(name: str, found: Transaction | None) -> Any:
    response = protocol.DescribeTransactionsResponse
    if found is None:
        return response.TransactionState(
            error_code=_TRANSACTIONAL_ID_NOT_FOUND, transactional_id=name
        )
    topics: dict[str, list[int]] = {}
    for topic, partition in found.partitions:
        topics.setdefault(topic, []).append(partition)
    return response.TransactionState(
        transactional_id=name,
        transaction_state=found.state,
        transaction_timeout_ms=found.timeout_ms,
        transaction_start_time_ms=found.start_ms,
        producer_id=found.producer_id,
        producer_epoch=found.producer_epoch,
        topics=[
            response.TopicData(topic=topic, partitions=sorted(partitions))
            for topic, partitions in topics.items()
        ],
    )
