"""AdminClient without a cluster: futures, how they end, and arguments that it refuses to send."""

from __future__ import annotations

import os
import pickle
import sys
import textwrap
import threading
import warnings
import weakref
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ElectionType,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicIdCollection,
    TopicPartition,
    Uuid,
)
from confluent_kafka.admin import (
    AbortTransactionSpec,
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AdminClient,
    AlterConfigOpType,
    ClientQuotaAlteration,
    ClientQuotaEntity,
    ClientQuotaFilter,
    ClientQuotaFilterComponent,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    FeatureUpdate,
    GroupState,
    MemberToRemove,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    RaftVoterEndpoint,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialAlteration,
    UserScramCredentialUpsertion,
)
from confluent_kafka.admin import TopicPartitionReplica as Replica
from confluent_kafka.admin._embedded import explain
from tests.support.clients import ADMIN_REQUESTS, ANY_ACL, BINDING, REPLICA, UNREACHABLE, config
from tests.support.scripts import check_script
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

LATE = 30.0  # a request timeout that is longer than any test
each_request = pytest.mark.parametrize(
    "request_", ADMIN_REQUESTS.values(), ids=list(ADMIN_REQUESTS)
)
Request = Callable[[AdminClient, float], Any]


@pytest.fixture
def admin() -> Any:
    with AdminClient(config()) as admin:
        yield admin


def all_of(futures: Any) -> list[Future[Any]]:
    return list(futures.values()) if isinstance(futures, dict) else [futures]


def pending(admin: AdminClient) -> Future[Any]:
    """A future that gets no response during the test."""
    return admin.describe_cluster(request_timeout=LATE)


def code_of(future: Future[Any]) -> int | None:
    error = future.exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    return error.args[0].code()


class TestTimeouts:
    @each_request
    def test_nobody_answers(self, admin: AdminClient, request_: Request) -> None:
        """After request_timeout, the future fails with a timeout, and no request is pending."""
        watch = Stopwatch()
        for future in all_of(request_(admin, 0.1)):
            error = future.exception(TIMEOUT)
            if error is None:  # the result of list_groups() contains the errors of the brokers
                assert future.result().errors[0].code() == KafkaError._TIMED_OUT
            else:
                assert isinstance(error, KafkaException)
                assert error.args[0].code() == KafkaError._TIMED_OUT
        assert watch.elapsed < SOON
        assert len(admin) == 0

    def test_cause(self, admin: AdminClient) -> None:
        """The error of a timeout contains the reason why the client could not connect."""
        with pytest.raises(KafkaException):
            admin.connect(TIMEOUT)  # until a connection has been refused
        future = admin.create_topics([NewTopic("topic")], request_timeout=0.5)["topic"]
        with pytest.raises(KafkaException, match="refused"):
            future.result(TIMEOUT)

    def test_many_at_once(self, admin: AdminClient) -> None:
        """Requests do not wait for one another."""
        watch = Stopwatch()
        futures = [admin.describe_cluster(request_timeout=0.3) for _ in range(100)]
        assert {code_of(future) for future in futures} == {KafkaError._TIMED_OUT}
        assert watch.elapsed < SOON

    def test_own_exceptions(self, admin: AdminClient) -> None:
        """Each future of a request fails with an exception of its own, so that tracebacks do not
        mix."""
        futures = admin.delete_topics(["a", "b"], request_timeout=0.05)
        assert futures["a"].exception(TIMEOUT) is not futures["b"].exception(TIMEOUT)


class TestTheEnd:
    @each_request
    def test_close(self, request_: Request) -> None:
        """close() does not wait for responses, and the futures fail with _DESTROY."""
        admin = AdminClient(config())
        futures = all_of(request_(admin, LATE))
        assert len(admin) == 1
        watch = Stopwatch()
        admin.close()
        assert watch.elapsed < SOON
        assert [future.done() for future in futures] == [True] * len(futures)
        assert {code_of(future) for future in futures} == {KafkaError._DESTROY}
        assert len(admin) == 0

    def test_collected(self) -> None:
        """Dropping a client with a pending request raises a warning, and the future fails with
        _DESTROY."""
        admin = AdminClient(config())
        reference = weakref.ref(admin)
        future = pending(admin)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            del admin
        assert "AdminClient was not closed" in str(caught[0].message)
        caught.clear()  # a warning keeps its object alive
        assert reference() is None
        assert code_of(future) == KafkaError._DESTROY

    def test_thread_ends(self) -> None:
        """The client's thread begins with the first request and ends with the client."""

        def threads() -> int:
            return sum("AdminClient" in thread.name for thread in threading.enumerate())

        wait_until(lambda: threads() == 0)  # the threads of earlier tests
        with AdminClient(config()) as admin:
            assert threads() == 0
            pending(admin)
            assert threads() == 1
            pending(admin)
            assert threads() == 1
        wait_until(lambda: threads() == 0)

    def test_close_in_a_done_callback(self) -> None:
        """On the client's own thread, close() works and does not wait for that thread."""
        admin = AdminClient(config())
        watch = Stopwatch()
        closed = threading.Event()
        future = admin.describe_cluster(request_timeout=0.05)
        other = pending(admin)
        future.add_done_callback(lambda _: (admin.close(), closed.set()))
        assert closed.wait(TIMEOUT)
        assert code_of(other) == KafkaError._DESTROY
        assert watch.elapsed < SOON

    def test_requests_while_closing(self) -> None:
        """Requests that are sent while another thread closes the client get an answer or
        RuntimeError, and never hang."""
        admin = AdminClient(config())
        futures: list[Future[Any]] = []

        def work() -> None:
            while True:
                try:
                    futures.append(pending(admin))
                except RuntimeError:
                    return

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        wait_until(lambda: len(futures) > 30)
        admin.close()
        for thread in threads:
            thread.join(TIMEOUT)
        assert {code_of(future) for future in futures} == {KafkaError._DESTROY}

    def test_exit(self) -> None:
        """The interpreter exits without output, and runs the callbacks of futures before that."""
        script = f"""
            from confluent_kafka.admin import AdminClient, NewTopic

            admin = AdminClient({{"bootstrap.servers": "{UNREACHABLE}", "log_level": 0}})
            future = admin.create_topics([NewTopic("topic")])["topic"]
            future.add_done_callback(lambda done: print(done.exception().args[0].name()))
        """
        assert check_script(textwrap.dedent(script)) == "_DESTROY\n"

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork()")
    def test_fork(self) -> None:
        """In the child process, calls raise an error with advice, and the exit does not hang.

        The futures of the parent process get responses.
        """
        script = f"""
            import os, sys
            from confluent_kafka.admin import AdminClient

            settings = {{"bootstrap.servers": "{UNREACHABLE}", "log_level": 0}}
            admin = AdminClient(settings)
            future = admin.describe_cluster(request_timeout=1)
            child = os.fork()
            if child == 0:
                try:
                    admin.describe_cluster()
                except RuntimeError as error:
                    assert "create a new AdminClient after the fork" in str(error)
                admin.close()
                del admin
                with AdminClient(settings) as own:
                    own.describe_cluster(request_timeout=0.1).exception(30)
                sys.exit(7)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            print(future.exception(30).args[0].name())
            admin.close()
        """
        assert check_script(textwrap.dedent(script), forks=True) == "7\n_TIMED_OUT\n"


class TestFutures:
    def test_cancel(self, admin: AdminClient) -> None:
        """A cancelled future stays cancelled when the response comes, and the other futures get
        their responses."""
        futures = admin.delete_topics(["a", "b"], request_timeout=1)
        assert futures["a"].cancel()
        assert code_of(futures["b"]) == KafkaError._TIMED_OUT
        with pytest.raises(CancelledError):
            futures["a"].result(TIMEOUT)
        assert len(admin) == 0

    def test_callback_that_raises(
        self, admin: AdminClient, caplog: pytest.LogCaptureFixture
    ) -> None:
        """An exception of a done callback is logged, and the thread continues."""
        future = admin.describe_cluster(request_timeout=0.1)
        future.add_done_callback(lambda _: 1 / 0)
        assert code_of(future) == KafkaError._TIMED_OUT
        assert code_of(admin.describe_cluster(request_timeout=0.1)) == KafkaError._TIMED_OUT
        assert "ZeroDivisionError" in caplog.text

    def test_callback_that_exits(self, admin: AdminClient, monkeypatch: pytest.MonkeyPatch) -> None:
        """SystemExit in a done callback reaches sys.unraisablehook; all futures are settled."""
        shown: list[Any] = []
        monkeypatch.setattr(sys, "unraisablehook", lambda info: shown.append(info.exc_type))
        futures = admin.delete_topics(["a", "b", "c"], request_timeout=1)

        def leave(_: Future[None]) -> None:
            raise SystemExit

        futures["b"].add_done_callback(leave)
        for future in futures.values():
            assert code_of(future) == KafkaError._TIMED_OUT
        assert code_of(admin.describe_cluster(request_timeout=0.1)) == KafkaError._TIMED_OUT
        assert shown == [SystemExit]

    def test_request_in_a_callback(self, admin: AdminClient) -> None:
        """A done callback may send the next request."""
        second: list[Future[Any]] = []
        first = admin.describe_cluster(request_timeout=0.05)
        first.add_done_callback(
            lambda _: second.append(admin.describe_cluster(request_timeout=0.05))
        )
        wait_until(lambda: bool(second))
        assert code_of(second[0]) == KafkaError._TIMED_OUT


TOPIC = [NewTopic("topic")]
GROUP = ConsumerGroupTopicPartitions
Component: Any = ClientQuotaFilterComponent
PLACE = TopicPartition("t", 0)
ENTITY = ClientQuotaEntity({"user": "name"})
QUOTA = ClientQuotaAlteration(ENTITY, {"producer_byte_rate": 1})
TIERED = OffsetSpec.latest_tiered()
LOGGER = ConfigResource("broker_logger", 1)
METRICS = ConfigResource("client_metrics", "m")
UPDATE = FeatureUpdate(1)
UUID = Uuid(1, 2)
IDS = TopicIdCollection([UUID])
VOTERS = {RaftVoterEndpoint("CONTROLLER", "host", 9093)}
SHA_256 = ScramMechanism.SCRAM_SHA_256
INFO = ScramCredentialInfo(SHA_256, 4096)


def change(*arguments: Any, **more: Any) -> list[ConfigResource]:
    return [ConfigResource("topic", "t", incremental_configs=[ConfigEntry(*arguments, **more)])]


SET_LEVEL = ConfigResource(
    "broker_logger",
    1,
    incremental_configs=[ConfigEntry("a", "INFO", incremental_operation=AlterConfigOpType.SET)],
)


def topic_with(**attributes: Any) -> list[NewTopic]:
    topic = NewTopic("topic")
    for name, value in attributes.items():
        setattr(topic, name, value)
    return [topic]


# The call, its arguments, the class of the error, and a pattern for the error's text.
REFUSED: list[tuple[str, tuple[Any, ...], type[Exception], str]] = [
    ("create_topics", ([],), ValueError, "non-empty list of NewTopic objects: new_topics"),
    ("create_topics", ("topic",), TypeError, "new_topics must be a list of NewTopic, not str"),
    ("create_topics", (["topic"],), TypeError, r"new_topics\[0\] must be NewTopic, not str"),
    (
        "create_topics",
        ([NewTopic("a"), NewTopic("b"), NewTopic("a", 5)],),
        ValueError,
        r"new_topics\[2\]: 'a' is also in new_topics\[0\]",
    ),
    ("create_topics", ([NewTopic("a", -5)],), ValueError, "num_partitions .* not -5"),
    ("create_topics", ([NewTopic("a", 200000)],), ValueError, "num_partitions .* not 200000"),
    ("create_topics", ([NewTopic("a", 1, 99999)],), ValueError, "replication_factor"),
    ("create_topics", ([NewTopic("a", 1, 1, [[1]])],), ValueError, "mutually exclusive"),
    (
        "create_topics",
        ([NewTopic("a", 1, replica_assignment=[[1], [1]])],),
        ValueError,
        "topic 'a': replica_assignment .* 2, and num_partitions is 1",
    ),
    ("create_topics", ([NewTopic("a", replica_assignment=[])],), ValueError, "one item for each"),
    ("create_topics", (topic_with(replica_assignment=5),), ValueError, "a list of lists"),
    ("create_topics", (topic_with(replica_assignment=[5]),), ValueError, "a list of broker ids"),
    ("create_topics", (topic_with(replica_assignment=[["x"]]),), ValueError, "broker id"),
    ("create_topics", (topic_with(replica_assignment=[[-1]]),), ValueError, "broker id"),
    ("create_topics", (topic_with(num_partitions="1"),), TypeError, "num_partitions"),
    ("create_topics", (topic_with(config=[]),), TypeError, "config must be dict"),
    ("create_topics", (topic_with(config={1: "a"}),), TypeError, "key of config"),
    ("create_topics", (topic_with(config={"a": [1]}),), TypeError, "value of config"),
    ("create_topics", (topic_with(config={"a\0": "b"}),), ValueError, "NUL"),
    ("create_partitions", ([NewPartitions("a", 0)],), ValueError, "new_total_count"),
    (
        "create_partitions",
        ([NewPartitions("a", 2), NewPartitions("a", 3)],),
        ValueError,
        r"new_partitions\[1\]: 'a' is also in new_partitions\[0\]",
    ),
    ("create_partitions", ([NewPartitions("a", 1, [[1], [1]])],), ValueError, "2 items for 1"),
    ("create_partitions", (TOPIC,), ValueError, "NewPartitions, not NewTopic"),
    ("delete_topics", ("topic",), TypeError, "topics must be a list of str"),
    ("delete_topics", ([1],), ValueError, r"topics\[0\] must be str, not int"),
    ("delete_topics", (["\ud800"],), ValueError, "lone surrogate"),
    ("delete_topics", (["a\0b"],), ValueError, "NUL"),
    ("describe_topics", (["a"],), TypeError, "TopicCollection, not list"),
    ("describe_topics", (TopicCollection(["a", ""]),), ValueError, r"topic_names\[1\]"),
    ("describe_topics", (TopicCollection("a"),), TypeError, "topic_names"),  # type: ignore[arg-type]
    ("describe_topics", (TopicIdCollection("a"),), TypeError, "topic_ids must be a list of Uuid"),  # type: ignore[arg-type]
    ("describe_topics", (TopicIdCollection([UUID, "a"]),), TypeError, r"topic_ids\[1\] must be Uu"),  # type: ignore[list-item]
    ("describe_topics", (TopicIdCollection([Uuid(0, 0)]),), ValueError, r"\[0\] must not be zero"),
    ("delete_topics", (TopicIdCollection([]),), ValueError, "topic_ids must not be empty"),
    ("delete_topics", (TopicIdCollection([UUID, Uuid(0, 0)]),), ValueError, r"\[1\] must not be"),
    ("describe_configs", ([],), ValueError, "resources must not be empty"),
    ("describe_configs", ([ConfigResource("topic", "")],), ValueError, "refused"),
    ("incremental_alter_configs", ([ConfigResource("topic", "a")],), ValueError, "incremental"),
    (
        "incremental_alter_configs",
        ([ConfigResource("topic", "a"), ConfigResource("topic", "a")],),
        ValueError,
        r"resources\[1\]: ConfigResource\(ResourceType.TOPIC,a\) is also in resources\[0\]",
    ),
    ("incremental_alter_configs", (change("a", "b"),), TypeError, "incremental_operation of 'a'"),
    (
        "incremental_alter_configs",
        (change("a", None, incremental_operation=AlterConfigOpType.SET),),
        TypeError,
        "value of 'a' must be str, not NoneType",
    ),
    ("create_acls", ([],), ValueError, "acls must not be empty"),
    (
        "create_acls",
        ([ANY_ACL],),
        ValueError,
        r"acls\[0\] must be AclBinding, not AclBindingFilter",
    ),
    ("create_acls", ([BINDING, BINDING],), ValueError, "duplicate ACL bindings"),
    ("describe_acls", (BINDING,), TypeError, "AclBindingFilter, not AclBinding"),
    ("delete_acls", ([BINDING],), ValueError, "AclBindingFilter, not AclBinding"),
    ("describe_consumer_groups", ([],), ValueError, "group_ids"),
    ("describe_consumer_groups", ("group",), TypeError, "group_ids"),
    ("delete_consumer_groups", ([None],), ValueError, r"group_ids\[0\]"),
    ("list_consumer_group_offsets", ([],), ValueError, "must not be empty"),
    ("list_consumer_group_offsets", (["g"],), TypeError, "ConsumerGroupTopicPartitions"),
    ("list_consumer_group_offsets", ([GROUP("a"), GROUP("b")],), ValueError, "one group, not 2"),
    ("list_consumer_group_offsets", ([GROUP("a", [])],), ValueError, "topic_partitions"),
    ("list_consumer_group_offsets", ([GROUP("")],), ValueError, "group_id"),
    ("alter_consumer_group_offsets", ([GROUP("a")],), ValueError, "topic_partitions"),
    (
        "alter_consumer_group_offsets",
        ([GROUP("a", [TopicPartition("t", 0)])],),
        ValueError,
        "offset of 0 or more",
    ),
    ("delete_consumer_group_offsets", ([GROUP("a")],), ValueError, "topic_partitions"),
    ("delete_records", ([TopicPartition("t")],), ValueError, "a partition of 0 or more"),
    ("delete_records", ([TopicPartition("t", 0, -5)],), ValueError, "OFFSET_END"),
    ("list_offsets", ([TopicPartition("t", 0)],), TypeError, "must be dict"),
    ("list_offsets", ({TopicPartition("t", 0): 1},), TypeError, "OffsetSpec, not int"),
    ("list_offsets", ({TopicPartition("t"): OffsetSpec.latest()},), ValueError, "partition"),
    ("list_offsets", ({"t": OffsetSpec.latest()},), TypeError, "TopicPartition, not str"),
    ("list_offsets", ({PLACE: TIERED, TopicPartition("t"): TIERED},), ValueError, "partition"),
    ("list_offsets", ({PLACE: TIERED, "t": TIERED},), TypeError, "TopicPartition, not str"),
    (
        "elect_leaders",
        (1,),
        TypeError,
        "Expected 'election_type' to be of type 'ElectionType', got 'int'",
    ),
    (
        "elect_leaders",
        (ElectionType.PREFERRED, "x"),
        TypeError,
        "Expected 'partitions' to be a list, got 'str'",
    ),
    ("describe_user_scram_credentials", ("a",), TypeError, "users must be a list"),
    ("describe_user_scram_credentials", ([""],), ValueError, r"users\[0\]"),
    ("alter_user_scram_credentials", ([],), ValueError, "alterations must not be empty"),
    (
        "alter_user_scram_credentials",
        ([UserScramCredentialAlteration("a")],),
        TypeError,
        "Upsertion or",
    ),
    (
        "alter_user_scram_credentials",
        ([UserScramCredentialUpsertion("a", INFO, "secret")],),  # type: ignore[arg-type]
        TypeError,
        "password must be bytes, not str",
    ),
    (
        "alter_user_scram_credentials",
        ([UserScramCredentialUpsertion("a", INFO, b"")],),
        ValueError,
        "password must have from 1",
    ),
    (
        "alter_user_scram_credentials",
        ([UserScramCredentialUpsertion("a", ScramCredentialInfo(SHA_256, 0), b"x")],),
        ValueError,
        "iterations",
    ),
    ("describe_client_quotas", (None,), TypeError, "filter must be ClientQuotaFilter, not NoneT"),
    ("alter_client_quotas", ([],), ValueError, "entries must not be empty"),
    ("alter_client_quotas", (["name"],), TypeError, r"entries\[0\] must be ClientQuotaAlteration"),
    ("alter_client_quotas", ([QUOTA, QUOTA],), ValueError, "must not contain an entity twice"),
    ("describe_replica_log_dirs", ([PLACE],), TypeError, r"replicas\[0\] must be TopicPartitionR"),
    ("describe_replica_log_dirs", ([REPLICA, Replica("", 0, 1)],), ValueError, r"replicas\[1\]"),
    ("describe_replica_log_dirs", ([Replica("t", -1, 1)],), ValueError, "a partition of 0"),
    ("describe_replica_log_dirs", ([Replica("t", 0, "1")],), TypeError, "broker_id must be int"),  # type: ignore[arg-type]
    ("describe_replica_log_dirs", ([Replica(1, 0, 1)],), TypeError, "topic must be str, not int"),  # type: ignore[arg-type]
    ("alter_replica_log_dirs", ([REPLICA],), TypeError, "assignment must be dict, not list"),
    ("alter_replica_log_dirs", ({PLACE: "/a"},), TypeError, "a key of assignment must be TopicP"),
    ("alter_replica_log_dirs", ({REPLICA: 1},), TypeError, "must be str, not int"),
    ("alter_replica_log_dirs", ({REPLICA: ""},), ValueError, "must be a path, not empty"),
    ("alter_partition_reassignments", ([PLACE],), TypeError, "reassignments must be dict, not"),
    ("alter_partition_reassignments", ({"t": [1]},), TypeError, "a key of reassignments must be T"),
    ("alter_partition_reassignments", ({TopicPartition("t"): [1]},), ValueError, "partition of 0"),
    ("alter_partition_reassignments", ({PLACE: 1},), TypeError, "must be a list of int, not int"),
    ("alter_partition_reassignments", ({PLACE: []},), ValueError, "the value for .* not be empty"),
    (
        "alter_partition_reassignments",
        ({PLACE: [1, "2"]},),
        TypeError,
        r"\[1\] must be int, not str",
    ),
    (
        "alter_partition_reassignments",
        ({PLACE: [1, -1]},),
        ValueError,
        r"\[1\] must be a broker id",
    ),
    ("list_partition_reassignments", ("t",), TypeError, "partitions must be a list"),
    ("list_partition_reassignments", ([TopicPartition("t")],), ValueError, "partition of 0"),
    ("describe_transactions", ([],), ValueError, "transactional_ids must not be empty"),
    ("describe_transactions", ("id",), TypeError, "transactional_ids must be a list of str"),
    ("describe_transactions", (["id", ""],), ValueError, r"transactional_ids\[1\] must not"),
    ("describe_producers", ([],), ValueError, "topic_partitions must not be empty"),
    ("describe_producers", (["t"],), TypeError, r"topic_partitions\[0\] must be TopicPartition"),
    ("describe_producers", ([TopicPartition("t")],), ValueError, r"topic_partitions\[0\]: "),
    ("abort_transaction", ("id",), TypeError, "spec must be AbortTransactionSpec, not str"),
    (
        "abort_transaction",
        (AbortTransactionSpec("t", 1, 1),),  # type: ignore[arg-type]
        TypeError,
        "topic_partition must be TopicPartition, not str",
    ),
    (
        "abort_transaction",
        (AbortTransactionSpec(TopicPartition("t"), 1, 1),),
        ValueError,
        "spec.topic_partition: .* must have a topic and a partition",
    ),
    (
        "abort_transaction",
        (AbortTransactionSpec(TopicPartition("t", 0), 1, 2**15),),
        ValueError,
        "producer_epoch must be from",
    ),
    ("fence_producers", ([1],), ValueError, r"transactional_ids\[0\] must be str, not int"),
    ("force_terminate_transaction", (1,), TypeError, "transactional_id must be str, not int"),
    ("force_terminate_transaction", ("",), ValueError, "transactional_id must not be empty"),
    (
        "describe_configs",
        ([METRICS, LOGGER, ConfigResource("client_metrics", "")],),
        ValueError,
        "the name of ConfigResource.* must not be empty",
    ),
    ("describe_configs", ([ConfigResource("broker_logger", "x")],), ValueError, "a broker's id"),
    ("describe_configs", ([ConfigResource("broker_logger", 2**31)],), ValueError, "from 0 to 21"),
    ("describe_configs", ([METRICS, ConfigResource("topic", "")],), ValueError, "refused"),
    ("incremental_alter_configs", ([METRICS],), ValueError, "incremental_configs of .* not be"),
    ("incremental_alter_configs", ([*change("a", "b"), LOGGER],), TypeError, "operation of 'a'"),
    ("list_config_resources", ({"topic"},), TypeError, "config_resource_types must be of type Re"),
    ("list_config_resources", ([ResourceType.TOPIC],), TypeError, "must be a set of ResourceType"),
    ("list_config_resources", ({ResourceType.ANY},), ValueError, "BROKER, .* GROUP, not ANY"),
    ("update_features", ([],), TypeError, "feature_updates must be dict, not list"),
    ("update_features", ({},), ValueError, "feature_updates must not be empty"),
    ("update_features", ({1: UPDATE},), TypeError, "a key of feature_updates must be str, not int"),
    ("update_features", ({"": UPDATE},), ValueError, "a key of feature_updates must not be empty"),
    ("update_features", ({"a": 1},), TypeError, "'a' in feature_updates must be FeatureUpdate"),
    ("add_raft_voter", ("1", UUID, VOTERS), TypeError, "voter_id must be int, not str"),
    ("add_raft_voter", (-1, UUID, VOTERS), ValueError, "voter_id must be from 0 to .*, not -1"),
    ("add_raft_voter", (1, str(UUID), VOTERS), TypeError, "voter_directory_id must be Uuid, not"),
    ("add_raft_voter", (1, UUID, set()), ValueError, "endpoints must not be empty"),
    ("add_raft_voter", (1, UUID, list(VOTERS)), TypeError, "'endpoints' must be a set of Raft"),
    ("add_raft_voter", (1, UUID, {"host"}), TypeError, "endpoints must be of type RaftVoterE"),
    ("remove_raft_voter", (True, UUID), TypeError, "voter_id must be int, not bool"),
    ("remove_raft_voter", (1, None), TypeError, "voter_directory_id must be Uuid, not NoneType"),
    ("unregister_broker", ("1",), TypeError, "broker_id must be int, not str"),
    ("unregister_broker", (2**31,), ValueError, "broker_id must be from 0 to 2147483647, not"),
    ("unregister_controller", ("1",), TypeError, "controller_id must be int, not str"),
    ("unregister_controller", (-1,), ValueError, "controller_id must be from 0 to 2147483647, not"),
    ("describe_share_groups", ([],), ValueError, "group_ids must not be empty"),
    ("describe_share_groups", ("g",), TypeError, "group_ids must be a list of str, not str"),
    ("delete_share_groups", (["g", ""],), ValueError, r"group_ids\[1\] must not be empty"),
    ("list_share_group_offsets", (["g"],), TypeError, "group_specs must be dict, not list"),
    ("list_share_group_offsets", ({},), ValueError, "group_specs must not be empty"),
    ("list_share_group_offsets", ({"": None},), ValueError, r"group_specs\[0\] must not be empty"),
    ("list_share_group_offsets", ({"g": []},), ValueError, "value for 'g' .* must not be empty"),
    ("list_share_group_offsets", ({"g": ["t"]},), TypeError, "value for 'g' .* TopicPartition"),
    ("list_share_group_offsets", ({"g": [TopicPartition("t")]},), ValueError, "partition of 0"),
    ("alter_share_group_offsets", (1, {PLACE: 1}), TypeError, "group_id must be str, not int"),
    ("alter_share_group_offsets", ("", {PLACE: 1}), ValueError, "group_id must not be empty"),
    ("alter_share_group_offsets", ("g", [PLACE]), TypeError, "offsets must be dict, not list"),
    ("alter_share_group_offsets", ("g", {}), ValueError, "offsets must not be empty"),
    ("alter_share_group_offsets", ("g", {"t": 1}), TypeError, "a key of offsets must be TopicP"),
    ("alter_share_group_offsets", ("g", {TopicPartition("t"): 1}), ValueError, "partition of 0"),
    ("alter_share_group_offsets", ("g", {PLACE: "1"}), TypeError, "must be int, not str"),
    ("alter_share_group_offsets", ("g", {PLACE: -1}), ValueError, "must be 0 or more, not -1"),
    ("delete_share_group_offsets", ("", ["t"]), ValueError, "group_id must not be empty"),
    ("delete_share_group_offsets", ("g", []), ValueError, "topics must not be empty"),
    ("delete_share_group_offsets", ("g", "t"), TypeError, "topics must be a list of str, not str"),
    ("describe_streams_groups", ([],), ValueError, "group_ids must not be empty"),
    ("describe_streams_groups", ("g",), TypeError, "group_ids must be a list of str, not str"),
    ("delete_streams_groups", (["g", ""],), ValueError, r"group_ids\[1\] must not be empty"),
    ("list_streams_group_offsets", (["g"],), TypeError, "group_specs must be dict, not list"),
    ("list_streams_group_offsets", ({},), ValueError, "group_specs must not be empty"),
    ("list_streams_group_offsets", ({"g": []},), ValueError, "value for 'g' .* must not be empty"),
    ("list_streams_group_offsets", ({"g": ["t"]},), TypeError, "value for 'g' .* TopicPartition"),
    ("list_streams_group_offsets", ({"g": [TopicPartition("t")]},), ValueError, "partition of 0"),
    ("alter_streams_group_offsets", ("", {PLACE: 1}), ValueError, "group_id must not be empty"),
    ("alter_streams_group_offsets", ("g", {}), ValueError, "offsets must not be empty"),
    ("alter_streams_group_offsets", ("g", {PLACE: -1}), ValueError, "must be 0 or more, not -1"),
    ("delete_streams_group_offsets", (1, [PLACE]), TypeError, "group_id must be str, not int"),
    ("delete_streams_group_offsets", ("g", []), ValueError, "partitions must not be empty"),
    (
        "delete_streams_group_offsets",
        ("g", [PLACE, TopicPartition("")]),
        ValueError,
        r"partitions\[1\]: .* must have a topic and a partition",
    ),
    ("renew_delegation_token", ("hmac",), TypeError, "hmac must be bytes, not str"),
    ("renew_delegation_token", (b"",), ValueError, "hmac must not be empty"),
    ("expire_delegation_token", (None,), TypeError, "hmac must be bytes, not NoneType"),
    ("describe_classic_groups", ([],), ValueError, "group_ids must not be empty"),
    ("describe_classic_groups", (["g", ""],), ValueError, r"group_ids\[1\] must not be empty"),
    ("describe_classic_groups", ([1],), ValueError, r"group_ids\[0\] must be str, not int"),
    ("remove_members_from_consumer_group", (1,), TypeError, "group_id must be str, not int"),
    ("remove_members_from_consumer_group", ("",), ValueError, "group_id must not be empty"),
    ("remove_members_from_consumer_group", ("g", []), ValueError, "members must not be empty"),
    ("remove_members_from_consumer_group", ("g", ["a"]), TypeError, r"members\[0\] must be Member"),
    (
        "remove_members_from_consumer_group",
        ("g", [MemberToRemove("a"), MemberToRemove("")]),
        ValueError,
        r"members\[1\].group_instance_id must not be empty",
    ),
    (
        "remove_members_from_consumer_group",
        ("g", [MemberToRemove(1)]),  # type: ignore[arg-type]
        TypeError,
        r"members\[0\].group_instance_id must be str, not int",
    ),
]


class TestRefused:
    @pytest.mark.parametrize(("method", "arguments", "error", "text"), REFUSED)
    def test_arguments(
        self,
        admin: AdminClient,
        method: str,
        arguments: tuple[Any, ...],
        error: type[Exception],
        text: str,
    ) -> None:
        """The error names the argument, the given value and the allowed values; nothing is sent."""
        with pytest.raises(error, match=text):
            getattr(admin, method)(*arguments)
        assert len(admin) == 0

    @pytest.mark.parametrize(
        ("option", "value", "error"),
        [
            ("request_timeout", -1, ValueError),
            ("request_timeout", 3601, ValueError),
            ("request_timeout", float("nan"), ValueError),
            ("request_timeout", float("inf"), ValueError),
            ("request_timeout", "1", TypeError),
            ("operation_timeout", -1, ValueError),
            ("operation_timeout", 10**400, OverflowError),
            ("validate_only", "yes", TypeError),
            ("validate_only", 2, ValueError),
        ],
    )
    def test_options(
        self, admin: AdminClient, option: str, value: Any, error: type[Exception]
    ) -> None:
        """The error names the wrong option."""
        with pytest.raises(error, match=option):
            admin.create_topics(TOPIC, **{option: value})

    @pytest.mark.parametrize(
        ("name", "arguments", "options", "error"),
        [
            ("describe_configs", ([ConfigResource("topic", "t")],), {"broker": -1}, ValueError),
            ("describe_configs", ([ConfigResource("topic", "t")],), {"broker": "1"}, TypeError),
            ("describe_producers", ([TopicPartition("t", 0)],), {"broker": -1}, ValueError),
            ("list_transactions", (), {"states": {"Ongoing"}}, TypeError),
            ("list_transactions", (), {"producer_ids": [1]}, TypeError),
            ("list_transactions", (), {"producer_ids": {2**63}}, ValueError),
            ("list_transactions", (), {"duration": "1"}, TypeError),
            ("list_transactions", (), {"duration": -1}, ValueError),
            ("list_transactions", (), {"duration": float("nan")}, ValueError),
            ("list_transactions", (), {"transactional_id_pattern": 1}, TypeError),
            ("list_transactions", (), {"request_timeout": "1"}, TypeError),
            ("list_consumer_groups", (), {"states": "stable"}, TypeError),
            ("list_consumer_groups", (), {"states": {"stable"}}, TypeError),
            ("list_consumer_groups", (), {"types": {99}}, TypeError),
            ("list_consumer_groups", (), {"types": {ConsumerGroupState.EMPTY}}, TypeError),
            ("list_offsets", ({TopicPartition("t", 0): OffsetSpec.latest()},),
             {"isolation_level": 1}, TypeError),
            ("alter_partition_reassignments", ({PLACE: [1]},),
             {"allow_replication_factor_change": 1}, TypeError),
            ("list_all_groups", (), {"types": {"classic"}}, TypeError),
            ("list_all_groups", (), {"states": {"stable"}}, TypeError),
            ("list_share_groups", (), {"states": {"stable"}}, TypeError),
            ("list_share_groups", (), {"states": GroupState.EMPTY}, TypeError),
            ("describe_share_groups", (["g"],), {"include_authorized_operations": 1}, TypeError),
            ("list_streams_groups", (), {"states": {"stable"}}, TypeError),
            ("describe_streams_groups", (["g"],), {"include_authorized_operations": 1}, TypeError),
            ("describe_streams_groups", (["g"],), {"include_topology_description": 1}, TypeError),
            ("list_streams_group_offsets", ({"g": None},), {"require_stable": "x"}, TypeError),
            ("create_delegation_token", (), {"owner": 1}, TypeError),
            ("create_delegation_token", (), {"owner": "alice"}, ValueError),
            ("create_delegation_token", (), {"owner": "User:"}, ValueError),
            ("create_delegation_token", (), {"renewers": "User:alice"}, TypeError),
            ("create_delegation_token", (), {"renewers": ["User:alice", ":"]}, ValueError),
            ("create_delegation_token", (), {"max_lifetime": "1"}, TypeError),
            ("create_delegation_token", (), {"max_lifetime": 0}, ValueError),
            ("create_delegation_token", (), {"max_lifetime": float("nan")}, ValueError),
            ("renew_delegation_token", (b"h",), {"renew_time_period": True}, TypeError),
            ("renew_delegation_token", (b"h",), {"renew_time_period": -1}, ValueError),
            ("expire_delegation_token", (b"h",), {"expiry_time_period": 2**53}, ValueError),
            ("describe_delegation_token", (), {"owners": {"User:alice"}}, TypeError),
            ("describe_delegation_token", (), {"owners": ["alice"]}, ValueError),
            ("delete_share_groups", (["g"],), {"request_timeout": -1}, ValueError),
            ("remove_members_from_consumer_group", ("g",), {"reason": 1}, TypeError),
            ("describe_classic_groups", (["g"],), {"include_authorized_operations": 1}, TypeError),
            ("alter_client_quotas", ([QUOTA],), {"validate_only": 1}, TypeError),
            ("list_client_metrics_resources", (), {"request_timeout": -1}, ValueError),
            ("describe_configs", ([METRICS],), {"broker": -1}, ValueError),
            ("describe_configs", ([LOGGER],), {"broker": "1"}, TypeError),
            ("incremental_alter_configs", ([SET_LEVEL],), {"validate_only": 1}, TypeError),
            ("incremental_alter_configs", ([SET_LEVEL],), {"request_timeout": -1}, ValueError),
            ("list_config_resources", (), {"request_timeout": -1}, ValueError),
            ("describe_topics", (IDS,), {"include_authorized_operations": 1}, TypeError),
            ("describe_topics", (IDS,), {"request_timeout": -1}, ValueError),
            ("delete_topics", (IDS,), {"operation_timeout": "1"}, TypeError),
            ("delete_topics", (IDS,), {"operation_timeout": True}, TypeError),
            ("delete_topics", (IDS,), {"operation_timeout": 3601}, ValueError),
            ("delete_topics", (IDS,), {"operation_timeout": float("nan")}, ValueError),
            ("delete_topics", (IDS,), {"request_timeout": -1}, ValueError),
            ("list_offsets", ({PLACE: TIERED},), {"isolation_level": 1}, TypeError),
            ("list_offsets", ({PLACE: TIERED},), {"request_timeout": -1}, ValueError),
            ("describe_features", (), {"broker": -1}, ValueError),
            ("describe_features", (), {"broker": "1"}, TypeError),
            ("update_features", ({"a": UPDATE},), {"validate_only": 1}, TypeError),
            ("describe_metadata_quorum", (), {"request_timeout": -1}, ValueError),
            ("add_raft_voter", (1, UUID, VOTERS), {"cluster_id": 1}, TypeError),
            ("remove_raft_voter", (1, UUID), {"cluster_id": 1}, TypeError),
            ("describe_cluster", (), {"include_authorized_operations": None.__class__}, TypeError),
        ],
    )  # fmt: skip
    def test_other_options(
        self,
        admin: AdminClient,
        name: str,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
        error: type[Exception],
    ) -> None:
        """The error also names an option that only some requests have."""
        with pytest.raises(error, match=next(iter(options))):
            getattr(admin, name)(*arguments, **options)

    def test_nothing_asked(self, admin: AdminClient) -> None:
        """A request with an empty list returns an empty result, and sends nothing."""
        assert admin.describe_topics(TopicCollection([])) == {}
        assert admin.describe_topics(TopicIdCollection([])) == {}
        assert admin.list_offsets({}) == {}
        assert admin.describe_user_scram_credentials([]) == {}
        assert admin.alter_partition_reassignments({}) == {}
        with pytest.raises(ValueError, match="request_timeout"):
            admin.alter_partition_reassignments({}, request_timeout=-1)
        assert len(admin) == 0

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    @pytest.mark.parametrize(
        ("second", "reason"),
        [(LOGGER, "must be a topic, .*BROKER_LOGGER"), (ConfigResource("topic", "t"), ": .* also")],
        ids=["logger", "twice"],
    )
    def test_alter_configs_refuses(
        self, admin: AdminClient, second: ConfigResource, reason: str
    ) -> None:
        """alter_configs() refuses a logger, because it would reset all other loggers of the broker,
        and a resource that is given twice."""
        with pytest.raises(ValueError, match=rf"resources\[1\] ?{reason}"):
            admin.alter_configs([ConfigResource("topic", "t"), second])
        assert len(admin) == 0

    def test_mixed_offsets(self, admin: AdminClient) -> None:
        """librdkafka looks up some offsets, and raw messages look up the other offsets.

        The result has one future for each partition, in order.
        """
        places = [TopicPartition("t", number) for number in range(3)]
        specs = dict(zip(places, (TIERED, OffsetSpec.latest(), TIERED), strict=True))
        futures = admin.list_offsets(specs, request_timeout=0.05)
        assert list(futures) == places
        for future in futures.values():
            assert code_of(future) == KafkaError._TIMED_OUT

    def test_mixed_configurations(self, admin: AdminClient) -> None:
        """librdkafka requests some configurations, and raw messages request the other
        configurations. The result has one future for each resource, in order."""
        topic = ConfigResource("topic", "t")
        resources = [METRICS, topic, LOGGER, METRICS]
        futures = admin.describe_configs(resources, request_timeout=0.05)
        assert list(futures) == [METRICS, topic, LOGGER]
        for future in futures.values():
            assert code_of(future) == KafkaError._TIMED_OUT

    def test_alter_configs_is_deprecated(self, admin: AdminClient) -> None:
        """alter_configs() resets each property that is not given, so it warns at the caller's
        line."""
        with pytest.warns(DeprecationWarning, match="incremental_alter_configs") as caught:
            admin.alter_configs([ConfigResource("topic", "t")])
        assert caught[0].filename == __file__


class TestModels:
    def test_new_topic(self) -> None:
        """Attributes other than the name can be set; equality compares all attributes."""
        topic = NewTopic("a", 3, config={"a": "b"})
        assert (topic.topic, topic.num_partitions, topic.replication_factor) == ("a", 3, -1)
        assert (topic.replica_assignment, topic.config) == (None, {"a": "b"})
        assert topic == NewTopic("a", 3, -1, None, {"a": "b"})
        assert topic != NewTopic("a", 3)
        assert hash(topic) == hash(NewTopic("a"))
        assert NewTopic("a", 9) < NewTopic("b", 1) <= NewTopic("b", 2)
        topic.num_partitions = 4
        assert "num_partitions=4" in repr(topic)
        with pytest.raises(AttributeError):
            topic.topic = "b"  # type: ignore[misc]
        assert (topic == NewPartitions("a", 4)) is False

    def test_new_topic_that_makes_up_its_name(self, admin: AdminClient) -> None:
        """If the `topic` property returns a new string each time, the error can still use the
        name."""

        class Numbered(NewTopic):
            @property
            def topic(self) -> str:
                return "-".join(["made", "up"])

        class Count:
            def __index__(self) -> int:
                kept.extend("-".join(["over", "it"]) for _ in range(100))
                return 2

        kept: list[str] = []
        topic = Numbered("a", 1, replica_assignment=[[1]])
        topic.num_partitions = Count()  # type: ignore[assignment]
        with pytest.raises(ValueError, match="topic 'made-up': replica_assignment must have"):
            admin.create_topics([topic])

    def test_new_partitions(self) -> None:
        """NewPartitions has the given attributes; equality compares all of them."""
        partitions = NewPartitions("a", 3, [[1]])
        assert (partitions.topic, partitions.new_total_count) == ("a", 3)
        assert partitions == NewPartitions("a", 3, replica_assignment=[[1]])
        assert partitions != NewPartitions("a", 4, [[1]])
        assert NewPartitions("a", 3) < NewPartitions("a", 4)

    @pytest.mark.parametrize(
        "value",
        [
            NewTopic("a", 1, 2, None, {"a": "b"}),
            NewPartitions("a", 2, [[1]]),
            ConfigResource("topic", "a"),
            BINDING,
            ANY_ACL,
            QUOTA,
            OffsetSpec.for_timestamp(5),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_pickle(self, value: Any) -> None:
        """Values can be pickled, so they can be sent to other processes."""
        assert pickle.loads(pickle.dumps(value)) == value

    def test_config_resource(self) -> None:
        """The type may be a name or a number. The type and the name identify a resource."""
        resource = ConfigResource("Topic", "a", {"x": "1"})
        assert resource.restype is ConfigResource.Type.TOPIC
        assert resource == ConfigResource(2, "a") == ConfigResource(ResourceType.TOPIC, "a")
        assert {resource: 1}[ConfigResource("topic", "a")] == 1
        assert ConfigResource("broker", 1).name == "1"
        assert len(resource) == 1
        resource.set_config("x", "2", overwrite=False)
        resource.set_config("y", "3")
        assert resource.set_config_dict == {"x": "1", "y": "3"}
        with pytest.raises(ValueError, match="did you mean 'topic'"):
            ConfigResource("topik", "a")

    def test_config_source(self) -> None:
        """A source equals its number, for code that compares with ints, and its text is its
        name."""
        assert ConfigSource.DEFAULT_CONFIG == 5
        source = ConfigSource(5)
        assert {str(source), f"{source}", "%s" % source} == {"ConfigSource.DEFAULT_CONFIG"}  # noqa: UP031

    def test_config_resource_in_print(self) -> None:
        """The text of a resource is the same as in confluent-kafka-python, because programs print
        it."""
        assert str(ConfigResource("topic", "a")) == "ConfigResource(ResourceType.TOPIC,a)"

    def test_acl_binding(self) -> None:
        """Values that only a filter may have are refused, and a filter is not accepted as a
        binding."""
        assert BINDING.operation is AclOperation.READ
        assert (BINDING.restype_int, BINDING.operation_int, BINDING.permission_type_int) == (
            2,
            3,
            3,
        )
        assert AclBindingFilter("topic", "topic", "literal", "User:name", "*", 3, 3) != BINDING
        with pytest.raises(ValueError, match="restype"):
            AclBinding("any", "t", "literal", "User:a", "*", "read", "allow")
        with pytest.raises(ValueError, match="resource_pattern_type"):
            AclBinding("topic", "t", "match", "User:a", "*", "read", "allow")
        with pytest.raises(ValueError, match="name"):
            AclBinding("topic", None, "literal", "User:a", "*", "read", "allow")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="principal"):
            AclBinding("topic", "t", "literal", 5, "*", "read", "allow")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="did you mean 'describe'"):
            AclBinding("topic", "t", "literal", "User:a", "*", "describes", "allow")
        assert sorted([ANY_ACL, BINDING])

    @pytest.mark.parametrize("kind", [ResourceType.BROKER_LOGGER, ResourceType.CLIENT_METRICS])
    def test_acl_of_what_has_none(self, kind: ResourceType) -> None:
        """Types that only have configurations are refused in ACLs and in filters."""
        text = f"Cannot use enum restype, value {kind.name} in this class"
        with pytest.raises(ValueError, match=text):
            AclBinding(kind, "t", "literal", "User:a", "*", "read", "allow")
        with pytest.raises(ValueError, match=text):
            AclBindingFilter(kind, None, "any", None, None, "any", "any")

    def test_offset_spec(self) -> None:
        """An OffsetSpec is one of Kafka's own numbers, or a time that is not negative."""
        assert OffsetSpec.latest() == OffsetSpec(-1)
        assert OffsetSpec.earliest() == OffsetSpec(-2)
        assert OffsetSpec.max_timestamp() == OffsetSpec(-3) < OffsetSpec.for_timestamp(0)
        assert OffsetSpec.earliest_local() == OffsetSpec(-4)
        assert OffsetSpec.latest_tiered() == OffsetSpec(-5)
        assert OffsetSpec.earliest_pending_upload() == OffsetSpec(-6)
        assert repr(OffsetSpec(-5)) == "OffsetSpec.latest_tiered()"
        for wrong in (-1, 2**63, -4):
            with pytest.raises(ValueError, match="not"):
                OffsetSpec.for_timestamp(wrong)
        for wrong in (-7, 2**63):
            with pytest.raises(ValueError, match=f"from -6 to -1, not {wrong}"):
                OffsetSpec(wrong)
        with pytest.raises(TypeError, match="index"):
            OffsetSpec("latest")  # type: ignore[arg-type]

    def test_quota_entity(self) -> None:
        """The types and names identify an entity, in any order; later changes of the dict have no
        effect."""
        entries: dict[str, str | None] = {"user": "a", "client-id": None}
        entity = ClientQuotaEntity(entries)
        entries["user"] = "b"
        same = ClientQuotaEntity({"client-id": None, "user": "a"})
        assert {entity: 1}[same] == 1
        assert entity != ClientQuotaEntity({"user": "a"})

    @pytest.mark.parametrize(
        ("make", "error", "text"),
        [
            (lambda: ClientQuotaEntity({}), ValueError, "entries must not be empty"),
            (lambda: ClientQuotaEntity([]), TypeError, "entries must be dict, not list"),
            (lambda: ClientQuotaEntity({1: "a"}), TypeError, "a key of entries must be str"),
            (lambda: ClientQuotaEntity({"user": 1}), TypeError, "the value for 'user' in entries"),
            (lambda: ClientQuotaAlteration("a", {"b": 1}), TypeError, "entity must be ClientQuota"),
            (lambda: ClientQuotaAlteration(ENTITY, {}), ValueError, "ops must not be empty"),
            (lambda: ClientQuotaAlteration(ENTITY, [1]), TypeError, "ops must be dict, not list"),
            (lambda: ClientQuotaAlteration(ENTITY, {1: 1}), TypeError, "a key of ops must be str"),
            (lambda: ClientQuotaAlteration(ENTITY, {"a": "1"}), TypeError, "'a' in ops .* not str"),
            (lambda: ClientQuotaAlteration(ENTITY, {"a": True}), TypeError, "ops .* not bool"),
            (
                lambda: ClientQuotaFilter(["user"]),
                TypeError,
                r"components\[0\] must be ClientQuota",
            ),
            (lambda: ClientQuotaFilter([], strict=1), TypeError, "strict must be bool, not int"),
            (lambda: Component.of_entity("user", None), TypeError, "entity_name must be str"),
            (lambda: Component.of_entity_type(1), TypeError, "entity_type must be str, not int"),
            (lambda: Component.of_default_entity(1), TypeError, "entity_type must be str, not int"),
        ],
    )
    def test_quotas_refused(
        self, make: Callable[[], object], error: type[Exception], text: str
    ) -> None:
        """Wrong quotas cannot be made; the error names the argument."""
        with pytest.raises(error, match=text):
            make()

    @pytest.mark.parametrize(
        ("make", "error", "text"),
        [
            (lambda: FeatureUpdate("1"), TypeError, "max_version_level must be int, not str"),
            (lambda: FeatureUpdate(True), TypeError, "max_version_level must be int, not bool"),
            (lambda: FeatureUpdate(-1), ValueError, "must be from 0 to 32767, not -1"),
            (lambda: FeatureUpdate(2**15), ValueError, "must be from 0 to 32767, not 32768"),
            (lambda: FeatureUpdate(1, 2), TypeError, "upgrade_type must be UpgradeType, not int"),
            (lambda: FeatureUpdate(0), ValueError, "upgrade_type must be a downgrade"),
            (lambda: RaftVoterEndpoint("", "host", 1), ValueError, "listener must not be empty"),
            (lambda: RaftVoterEndpoint("A", "", 1), ValueError, "host must not be empty"),
            (lambda: RaftVoterEndpoint("A", 1, 1), TypeError, "host must be str, not int"),
            (lambda: RaftVoterEndpoint("A", "host", "1"), TypeError, "port must be int, not str"),
            (lambda: RaftVoterEndpoint("A", "host", 2**16), ValueError, "port must be from 0 to"),
        ],
    )
    def test_features_and_voters_refused(
        self, make: Callable[[], object], error: type[Exception], text: str
    ) -> None:
        """A wrong version of a feature, or a wrong address of a controller, raises an error that
        names it."""
        with pytest.raises(error, match=text):
            make()

    def test_secrets_are_not_shown(self) -> None:
        """repr() of a credential has neither password nor salt."""
        shown = repr(UserScramCredentialUpsertion("user", INFO, b"secret", b"salty"))
        assert "user" in shown
        assert "secret" not in shown
        assert "salty" not in shown


def test_callbacks() -> None:
    """poll() serves the client's callbacks and returns how many it has served."""
    errors: list[KafkaError] = []
    with AdminClient(config({"error_cb": errors.append})) as admin:
        wait_until(lambda: bool(errors), lambda: admin.poll(0.1))


def test_configuration() -> None:
    """AdminClient accepts a dict and keywords.

    For a wrong key, the error suggests the nearest key.
    """
    AdminClient(config(), **{"client.id": "mine"}).close()
    AdminClient(conf=config()).close()
    with pytest.raises(KafkaException, match=r"bootstrap\.servers"):
        AdminClient({"bootstrap_servers": "a"})


@pytest.mark.parametrize(
    ("code", "cluster_id", "noted"),
    [
        (KafkaError._UNSUPPORTED_FEATURE, "mockCluster7f01", True),
        (KafkaError._UNSUPPORTED_FEATURE, "4L6g3nShT-eMCtK--X86sw", False),
        (KafkaError._UNSUPPORTED_FEATURE, None, False),
        (KafkaError._TIMED_OUT, "mockCluster7f01", False),
    ],
)
def test_note_of_the_embedded_cluster(code: int, cluster_id: str | None, noted: bool) -> None:
    """Only errors of the embedded cluster have the note, because a real broker may have an old
    version."""
    exception = KafkaException(KafkaError(code))
    explain(exception, cluster_id)
    assert hasattr(exception, "__notes__") is noted
