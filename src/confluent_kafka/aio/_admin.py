"""The asyncio admin client."""

from __future__ import annotations

import asyncio
import functools
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor, Future
from typing import Any, Concatenate, ParamSpec, TypeVar, overload

from confluent_kafka.admin import (
    AdminClient,
    GroupMetadata,
    MemberToRemove,
    UserScramCredentialsDescription,
)

from ._answers import Answers, Key
from ._client import MAX_WORKERS, AIOClient
from ._readiness import Readiness

P = ParamSpec("P")
T = TypeVar("T")


@overload
def _awaited(
    method: Callable[Concatenate[AdminClient, P], dict[Key, Future[T]]],
) -> Callable[Concatenate[AIOAdminClient, P], Answers[Key, T]]: ...
@overload
def _awaited(
    method: Callable[Concatenate[AdminClient, P], Future[T]],
) -> Callable[Concatenate[AIOAdminClient, P], asyncio.Future[T]]: ...
def _awaited(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of AIOAdminClient that wraps AdminClient's method, with its signature."""
    name = method.__name__

    @functools.wraps(method)
    def ask(client: AIOAdminClient, *args: Any, **kwargs: Any) -> Any:
        asked = getattr(client._open(), name)(*args, **kwargs)
        return client._each(asked) if isinstance(asked, dict) else client._one(asked)

    signature = inspect.signature(method)
    returned = re.sub(r"\bFuture\b", "asyncio.Future", signature.return_annotation)
    returned = re.sub(
        r"dict\[(\w+), asyncio\.Future\[(.+?)\]\](?= \||$)", r"Answers[\1, \2]", returned
    )
    ask.__signature__ = signature.replace(return_annotation=returned)  # type: ignore[attr-defined]
    ask.__annotations__ = {**method.__annotations__, "return": returned}
    ask.__module__, ask.__qualname__ = __name__, f"AIOAdminClient.{name}"
    what = (method.__doc__ or "").partition("\n")[0]
    ask.__doc__ = f"{what}\n\nSee AdminClient.{name}()."
    return ask


class AIOAdminClient(AIOClient):
    """Administers a cluster: the requests of AdminClient for asyncio.

    Each method sends its request when you call it, and returns an awaitable: a future, or Answers.
    Answers has a future for each item of the request, and you can also await it as a whole. The
    event loop settles the futures without a thread. Cancelling a wait does not stop the request.
    list_topics(), cluster_id(), list_groups() and connect() wait inside librdkafka, on threads of
    the executor.

    ::

        async with AIOAdminClient({"bootstrap.servers": "localhost:9092"}) as admin:
            await admin.create_topics([NewTopic("flights", 12)])

    Args:
        conf: the configuration of an AdminClient. ``error_cb``, ``throttle_cb`` and ``stats_cb``
            may be coroutines and run in the event loop, whose exception handler gets their
            exceptions. ``oauth_cb`` may be a coroutine too; a plain function runs on a thread of
            its own.
        max_workers: the number of threads for requests that wait inside librdkafka.
        executor: runs these requests instead; the client does not shut it down. Python waits for
            the threads of a ThreadPoolExecutor before it exits: if no broker answers, a cancelled
            request keeps the process alive until the request times out.

    Raises:
        KafkaException: the configuration is wrong; the error names the property.
        RuntimeError: no event loop is running in this thread.

    A method raises TypeError or ValueError for a wrong argument, and RuntimeError if the client is
    closed or belongs to another event loop. The awaitable raises KafkaException.
    """

    _client: AdminClient

    def __init__(
        self,
        conf: Mapping[str, Any],
        max_workers: int = MAX_WORKERS,
        executor: Executor | None = None,
    ) -> None:
        super().__init__(conf, max_workers, executor)

    # ---- topics

    create_topics = _awaited(AdminClient.create_topics)
    delete_topics = _awaited(AdminClient.delete_topics)
    create_partitions = _awaited(AdminClient.create_partitions)
    describe_topics = _awaited(AdminClient.describe_topics)

    # ---- configurations

    describe_configs = _awaited(AdminClient.describe_configs)
    incremental_alter_configs = _awaited(AdminClient.incremental_alter_configs)
    alter_configs = _awaited(AdminClient.alter_configs)
    list_config_resources = _awaited(AdminClient.list_config_resources)

    # ---- ACLs

    create_acls = _awaited(AdminClient.create_acls)
    describe_acls = _awaited(AdminClient.describe_acls)
    delete_acls = _awaited(AdminClient.delete_acls)

    # ---- groups

    async def list_groups(
        self, group: str | None = None, timeout: float = -1
    ) -> list[GroupMetadata]:
        """List one group or all groups; see AdminClient.list_groups()."""
        return await self._request(self._client.list_groups, group, timeout)

    list_consumer_groups = _awaited(AdminClient.list_consumer_groups)
    describe_consumer_groups = _awaited(AdminClient.describe_consumer_groups)
    delete_consumer_groups = _awaited(AdminClient.delete_consumer_groups)
    list_consumer_group_offsets = _awaited(AdminClient.list_consumer_group_offsets)
    alter_consumer_group_offsets = _awaited(AdminClient.alter_consumer_group_offsets)
    delete_consumer_group_offsets = _awaited(AdminClient.delete_consumer_group_offsets)
    describe_classic_groups = _awaited(AdminClient.describe_classic_groups)

    def remove_members_from_consumer_group(
        self,
        group_id: str,
        members: list[MemberToRemove] | None = None,
        *,
        reason: str | None = None,
        request_timeout: float | None = None,
    ) -> Answers[MemberToRemove, None] | asyncio.Future[None]:
        """Remove members; see AdminClient.remove_members_from_consumer_group()."""
        asked = self._open().remove_members_from_consumer_group(
            group_id, members, reason=reason, request_timeout=request_timeout
        )
        return self._each(asked) if isinstance(asked, dict) else self._one(asked)

    # ---- groups of all kinds

    list_all_groups = _awaited(AdminClient.list_all_groups)

    # ---- streams groups

    list_streams_groups = _awaited(AdminClient.list_streams_groups)
    describe_streams_groups = _awaited(AdminClient.describe_streams_groups)
    delete_streams_groups = _awaited(AdminClient.delete_streams_groups)
    list_streams_group_offsets = _awaited(AdminClient.list_streams_group_offsets)
    alter_streams_group_offsets = _awaited(AdminClient.alter_streams_group_offsets)
    delete_streams_group_offsets = _awaited(AdminClient.delete_streams_group_offsets)

    # ---- share groups

    list_share_groups = _awaited(AdminClient.list_share_groups)
    describe_share_groups = _awaited(AdminClient.describe_share_groups)
    delete_share_groups = _awaited(AdminClient.delete_share_groups)
    list_share_group_offsets = _awaited(AdminClient.list_share_group_offsets)
    alter_share_group_offsets = _awaited(AdminClient.alter_share_group_offsets)
    delete_share_group_offsets = _awaited(AdminClient.delete_share_group_offsets)

    # ---- partitions and their records

    delete_records = _awaited(AdminClient.delete_records)
    list_offsets = _awaited(AdminClient.list_offsets)
    elect_leaders = _awaited(AdminClient.elect_leaders)

    # ---- SCRAM credentials

    def describe_user_scram_credentials(
        self, users: list[str] | None = None, *, request_timeout: float | None = None
    ) -> Awaitable[dict[str, UserScramCredentialsDescription]]:
        """Describe users' SCRAM credentials: their mechanisms, not their passwords.

        See AdminClient.describe_user_scram_credentials().
        """
        asked = self._open().describe_user_scram_credentials(users, request_timeout=request_timeout)
        return self._each(asked) if isinstance(asked, dict) else self._one(asked)

    alter_user_scram_credentials = _awaited(AdminClient.alter_user_scram_credentials)

    # ---- delegation tokens

    create_delegation_token = _awaited(AdminClient.create_delegation_token)
    renew_delegation_token = _awaited(AdminClient.renew_delegation_token)
    expire_delegation_token = _awaited(AdminClient.expire_delegation_token)
    describe_delegation_token = _awaited(AdminClient.describe_delegation_token)

    # ---- transactions

    list_transactions = _awaited(AdminClient.list_transactions)
    describe_transactions = _awaited(AdminClient.describe_transactions)
    describe_producers = _awaited(AdminClient.describe_producers)
    abort_transaction = _awaited(AdminClient.abort_transaction)
    fence_producers = _awaited(AdminClient.fence_producers)
    force_terminate_transaction = _awaited(AdminClient.force_terminate_transaction)

    # ---- the cluster

    describe_log_dirs = _awaited(AdminClient.describe_log_dirs)
    describe_replica_log_dirs = _awaited(AdminClient.describe_replica_log_dirs)
    alter_replica_log_dirs = _awaited(AdminClient.alter_replica_log_dirs)
    alter_partition_reassignments = _awaited(AdminClient.alter_partition_reassignments)
    list_partition_reassignments = _awaited(AdminClient.list_partition_reassignments)
    describe_client_quotas = _awaited(AdminClient.describe_client_quotas)
    alter_client_quotas = _awaited(AdminClient.alter_client_quotas)
    list_client_metrics_resources = _awaited(AdminClient.list_client_metrics_resources)
    describe_features = _awaited(AdminClient.describe_features)
    update_features = _awaited(AdminClient.update_features)
    describe_metadata_quorum = _awaited(AdminClient.describe_metadata_quorum)
    add_raft_voter = _awaited(AdminClient.add_raft_voter)
    remove_raft_voter = _awaited(AdminClient.remove_raft_voter)
    unregister_broker = _awaited(AdminClient.unregister_broker)
    unregister_controller = _awaited(AdminClient.unregister_controller)
    describe_cluster = _awaited(AdminClient.describe_cluster)

    def _make_client(self, conf: dict[str, Any]) -> AdminClient:
        return AdminClient(conf)

    def _make_readiness(self) -> Readiness:
        readiness = Readiness(self._client, self._loop, self._serve)
        self._client._answer_in_loop()
        return readiness

    def _callback_failed(self, error: BaseException) -> None:
        self._loop.call_exception_handler(
            {"message": "a callback of AIOAdminClient failed", "exception": error}
        )

    def _served_elsewhere(self) -> None:
        super()._served_elsewhere()
        self._serve()

    def _serve(self) -> None:
        if self._left:
            return  # close() serves the remaining answers
        try:
            self._client._serve_answers()
            self._client.poll(0)
        except Exception as error:
            self._callback_failed(error)
        if self._client._queue_length() > 0:  # the wake-up byte was read; nothing else wakes us
            self._loop.call_soon(self._serve)

    def _open(self) -> AdminClient:
        """Return the client; raise if it is closed."""
        self._check_loop()
        if self._left:
            raise self._closed_error()
        return self._client

    def _one(self, asked: Future[T]) -> asyncio.Future[T]:
        answer = asyncio.wrap_future(asked, loop=self._loop)
        answer.add_done_callback(self._answered)
        return answer

    def _answered(self, _: asyncio.Future[Any]) -> None:
        """Do nothing. A pending future refers to this method, and so keeps the client alive."""

    def _each(self, asked: Mapping[Key, Future[T]]) -> Answers[Key, T]:
        return Answers({key: self._one(future) for key, future in asked.items()})
