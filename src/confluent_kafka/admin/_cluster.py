"""The description of the cluster."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka._values.cluster import Node
from confluent_kafka.admin._enums import AclOperation
from confluent_kafka.admin._requests import AdminRequests


@dataclass(eq=False)
class DescribeClusterResult:
    """The description of a cluster.

    Attributes:
        controller: the broker that represents the controller, or None.
        nodes: the brokers.
        cluster_id: the cluster's id.
        authorized_operations: the operations that this client may perform; None if not requested.

    librdkafka: rd_kafka_DescribeCluster_result_t.
    """

    controller: Node | None
    nodes: list[Node]
    cluster_id: str | None = None
    authorized_operations: list[AclOperation] | None = None


class ClusterRequests(AdminRequests):
    """Requests about the cluster."""

    __slots__ = ()

    def describe_cluster(
        self,
        *,
        include_authorized_operations: bool = False,
        request_timeout: float | None = None,
    ) -> Future[DescribeClusterResult]:
        """Describe the cluster.

        Args:
            include_authorized_operations: also request the operations that this client may perform.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future; its result is a DescribeClusterResult. It fails with _TIMED_OUT
            ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DescribeCluster().
        """
        options = {
            "include_authorized_operations": include_authorized_operations,
            "request_timeout": request_timeout,
        }
        return self._ask("describe_cluster", None, options, _description)


def _description(result: tuple[Any, ...]) -> DescribeClusterResult:
    cluster_id, controller, nodes, operations = result
    return DescribeClusterResult(
        None if controller is None else node_from(controller),
        [node_from(node) for node in nodes],
        cluster_id,
        operations_from(operations),
    )


def node_from(fields: tuple[int, str, int, str | None]) -> Node:
    """Return the broker that a part of an answer describes."""
    return Node(*fields)


def operations_from(operations: list[int] | None) -> list[AclOperation] | None:
    """Convert the numbers of the authorized operations in an answer to operations."""
    return None if operations is None else [AclOperation(number) for number in operations]
