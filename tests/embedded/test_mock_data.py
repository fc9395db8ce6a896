"""A data folder: the next run of an embedded cluster has the same data."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    ConsumerGroupState,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ClientQuotaAlteration,
    ClientQuotaEntity,
    ClientQuotaFilter,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import Record, RecordBatch
from confluent_kafka.testing import MockCluster, Security
from confluent_kafka.testing._administration._state import State
from confluent_kafka.testing._data import _keeping
from tests.embedded.test_cluster_command import run, running
from tests.support.clients import ANY_ACL
from tests.support.kafka import numbers, read, send, values_of
from tests.support.patches import needs
from tests.support.record_batches import fetched, sent
from tests.support.scripts import check_script, run_script
from tests.support.secrets import secret
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-written-state", "mock-written-logs", "mock-snapshot", "mock-on-request")

TOPIC = "orders"


def config_of(cluster: MockCluster, **more: Any) -> dict[str, Any]:
    return {"bootstrap.servers": cluster.bootstrap_servers} | more


def consumer_of(cluster: MockCluster, group: str = "group", **more: Any) -> Consumer:
    return Consumer(
        config_of(cluster, **{"group.id": group, "auto.offset.reset": "earliest"} | more)
    )


def fill(data: Path, *values: bytes, topic: str = TOPIC) -> None:
    """Run a cluster that produces these values to partition 0."""
    with MockCluster(1, data=data) as cluster, Producer(config_of(cluster)) as producer:
        send(producer, topic, values)


def contents(data: Path, count: int, topic: str = TOPIC, partitions: int = 1) -> list[Message]:
    """The values that the next run reads."""
    with MockCluster(1, data=data) as cluster, consumer_of(cluster) as consumer:
        return read(consumer, topic, count, partitions)


def admin_of(cluster: MockCluster) -> AdminClient:
    return AdminClient(config_of(cluster))


# ---- what is kept ----


@needs("mock-written-state")
def test_everything_is_kept(tmp_path: Path) -> None:
    """Topics keep their ids, records keep their offsets, and groups keep their committed
    offsets."""
    with MockCluster(3, data=tmp_path / "kept") as cluster:
        cluster.create_topic(TOPIC, 2, 3)
        with Producer(config_of(cluster)) as producer:
            send(producer, TOPIC, numbers(0, 5))
        with consumer_of(cluster) as consumer:
            asked = TopicPartition(TOPIC, 0, 3, metadata="here")
            consumer.commit(offsets=[asked], asynchronous=False)
        with admin_of(cluster) as admin:
            before = admin.describe_topics(TopicCollection([TOPIC]))[TOPIC].result()
    with MockCluster(3, data=tmp_path / "kept") as cluster:
        with admin_of(cluster) as admin:
            after = admin.describe_topics(TopicCollection([TOPIC]))[TOPIC].result()
        assert after.topic_id == before.topic_id
        assert [[node.id for node in each.replicas] for each in after.partitions] == [
            [node.id for node in each.replicas] for each in before.partitions
        ]
        assert [each.leader for each in after.partitions if each.leader is None] == []
        assert [each.leader and each.leader.id for each in after.partitions] == [
            each.leader and each.leader.id for each in before.partitions
        ]
        with consumer_of(cluster) as consumer:
            [found] = consumer.committed([TopicPartition(TOPIC, 0)], TIMEOUT)
            assert (found.offset, found.metadata) == (3, "here")
            consumer.subscribe([TOPIC])
            messages = consumer.consume(2, TIMEOUT)
            assert [(each.offset(), each.value()) for each in messages] == [(3, b"3"), (4, b"4")]
        with Producer(config_of(cluster)) as producer:
            send(producer, TOPIC, [b"5"])
    messages = contents(tmp_path / "kept", 6)
    assert [(each.offset(), each.value()) for each in messages] == list(enumerate(numbers(0, 6)))


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_records(tmp_path: Path, codec: str) -> None:
    """Each field of a record stays the same, with every codec."""
    fields = [
        {"key": b"k", "value": b"v", "timestamp": 1_000_000_000_000, "headers": [("h", b"x")]},
        {"key": b"k", "value": None, "timestamp": 1_000_000_000_001, "headers": [("n", None)]},
        {"key": None, "value": b"", "timestamp": 1_000_000_000_002, "headers": None},
    ]
    with MockCluster(1, data=tmp_path) as cluster:
        with Producer(config_of(cluster, **{"compression.type": codec})) as producer:
            for each in fields:
                producer.produce(TOPIC, partition=0, **each)  # type: ignore[arg-type]
            assert producer.flush(TIMEOUT) == 0
        before = fetched(cluster, TOPIC)
    found = contents(tmp_path, 3)
    assert [
        {
            "key": each.key(),
            "value": each.value(),
            "timestamp": each.timestamp()[1],
            "headers": each.headers(),
        }
        for each in found
    ] == fields
    with MockCluster(1, data=tmp_path) as cluster:
        [old], [new] = list(records.read(before)), list(records.read(fetched(cluster, TOPIC)))
        assert isinstance(old, RecordBatch)
        assert isinstance(new, RecordBatch)
        assert (new.compression, new.payload) == (old.compression, old.payload)


def test_transactions(tmp_path: Path) -> None:
    """Aborted records stay hidden. A transaction that was open at the end is aborted."""
    with MockCluster(1, data=tmp_path) as cluster:
        config = config_of(cluster, **{"transactional.id": "t", "linger.ms": 0})
        with Producer(config) as producer:
            producer.init_transactions(TIMEOUT)
            for value, end in (
                (b"committed", producer.commit_transaction),
                (b"aborted", producer.abort_transaction),
                (b"too", producer.commit_transaction),
            ):
                producer.begin_transaction()
                send(producer, TOPIC, [value])
                end(TIMEOUT)
            producer.begin_transaction()
            send(producer, TOPIC, [b"open"])
            cluster.close()
            producer.close(0)  # otherwise, it would wait for the end of its transaction
    for _ in range(2):  # the second time, the marker comes from the file
        with MockCluster(1, data=tmp_path) as cluster:
            with consumer_of(cluster) as consumer:
                assert values_of(read(consumer, TOPIC, 2)) == [b"committed", b"too"]
            with consumer_of(cluster, **{"isolation.level": "read_uncommitted"}) as consumer:
                every = [b"committed", b"aborted", b"too", b"open"]
                assert values_of(read(consumer, TOPIC, 4)) == every
    with MockCluster(1, data=tmp_path) as cluster:
        with Producer(config_of(cluster, **{"transactional.id": "t"})) as producer:
            producer.init_transactions(TIMEOUT)
            producer.begin_transaction()
            send(producer, TOPIC, [b"next"])
            producer.commit_transaction(TIMEOUT)
        with consumer_of(cluster) as consumer:
            assert values_of(read(consumer, TOPIC, 3)) == [b"committed", b"too", b"next"]


@pytest.mark.parametrize("first", [2, 3, 6])
def test_deleted_records(tmp_path: Path, first: int) -> None:
    """A log begins where it began before, even within a batch or if all records were deleted."""
    with MockCluster(1, data=tmp_path) as cluster:
        batch = [
            Record(offset=number, timestamp=number, key=None, value=b"%d" % number, headers=())
            for number in range(3)
        ]
        cluster.create_topic(TOPIC)
        for _ in range(2):
            sent(cluster, TOPIC, RecordBatch.of(batch).encode())
        with admin_of(cluster) as admin:
            asked = TopicPartition(TOPIC, 0, first)
            [deleted] = admin.delete_records([asked]).values()
            assert deleted.result().low_watermark == first
    for _ in range(2):
        with MockCluster(1, data=tmp_path) as cluster, consumer_of(cluster) as consumer:
            watermarks = consumer.get_watermark_offsets(TopicPartition(TOPIC, 0), TIMEOUT)
            assert watermarks == (first, 6)
            consumer.assign([TopicPartition(TOPIC, 0, first)])
            found = consumer.consume(6 - first, TIMEOUT)
            assert [each.offset() for each in found] == list(range(first, 6))


def test_compacted_logs(tmp_path: Path) -> None:
    """Offsets without a record still have no record."""
    with MockCluster(1, data=tmp_path) as cluster:
        cluster.create_topic(TOPIC)
        with Producer(config_of(cluster)) as producer:
            for key, value in (("a", "1"), ("b", "2"), ("a", "3"), ("b", "4"), ("c", "5")):
                producer.produce(TOPIC, value, key)
                assert producer.flush(TIMEOUT) == 0
        cluster.compact(TOPIC)
    found = contents(tmp_path, 3)
    assert [(each.offset(), each.value()) for each in found] == [(2, b"3"), (3, b"4"), (4, b"5")]


def test_configs(tmp_path: Path) -> None:
    """Topics, brokers and groups have their configured values, and these take effect."""
    resources = [
        ConfigResource(kind, name, incremental_configs=[ConfigEntry(key, value)])
        for kind, name, key, value in (
            (ResourceType.TOPIC, TOPIC, "max.message.bytes", "100"),
            (ResourceType.BROKER, "1", "log.cleaner.threads", "3"),
            (ResourceType.GROUP, "group", "consumer.session.timeout.ms", "46000"),
        )
    ]
    for each in resources:
        for entry in each.incremental_configs:
            entry.incremental_operation = AlterConfigOpType.SET
    with MockCluster(1, data=tmp_path) as cluster:
        cluster.create_topic(TOPIC)
        with admin_of(cluster) as admin:
            for future in admin.incremental_alter_configs(resources).values():
                future.result()
    with MockCluster(1, data=tmp_path) as cluster:
        with admin_of(cluster) as admin:
            described = admin.describe_configs(resources)
            for resource in resources:
                [entry] = resource.incremental_configs
                found = next(each for key, each in described.items() if key == resource).result()
                assert found[entry.name].value == entry.value
        with Producer(config_of(cluster)) as producer:
            refused: list[KafkaError | None] = []
            producer.produce(TOPIC, b"x" * 200, on_delivery=lambda error, _: refused.append(error))
            assert producer.flush(TIMEOUT) == 0
        assert [error and error.code() for error in refused] == [KafkaError.MSG_SIZE_TOO_LARGE]


def test_quotas_and_features(tmp_path: Path) -> None:
    """Clients are limited as before, and the cluster has the same version of transactions."""
    entity = ClientQuotaEntity({"client-id": "slow"})
    with MockCluster(1, data=tmp_path) as cluster, admin_of(cluster) as admin:
        cluster.set_transaction_version(1)
        change = ClientQuotaAlteration(entity, {"producer_byte_rate": 1000})
        admin.alter_client_quotas([change])[entity].result()
    with MockCluster(1, data=tmp_path) as cluster, admin_of(cluster) as admin:
        found = admin.describe_client_quotas(ClientQuotaFilter.all()).result()
        assert found == {entity: {"producer_byte_rate": 1000.0}}
        state = State.read(cluster._snapshot())
        assert state.transaction_version == 1


def test_acls_and_users(tmp_path: Path) -> None:
    """SCRAM users that were created can log in again, and the ACLs exist."""
    password = secret("kept")
    security = Security(
        protocol="SASL_PLAINTEXT",
        mechanisms=("SCRAM-SHA-256",),
        users={"admin": secret("admin")},
        super_users=("User:admin",),
        authorizer=True,
    )
    acl = AclBinding(
        ResourceType.TOPIC,
        TOPIC,
        ResourcePatternType.LITERAL,
        "User:bob",
        "*",
        AclOperation.ALL,
        AclPermissionType.ALLOW,
    )
    with MockCluster(1, data=tmp_path, security=security) as cluster:
        cluster.create_topic(TOPIC)
        with AdminClient(cluster.client_config("admin")) as admin:
            info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
            new = UserScramCredentialUpsertion("bob", info, password.encode())
            admin.alter_user_scram_credentials([new])["bob"].result()
            admin.create_acls([acl])[acl].result()
    text = (tmp_path / "cluster.json").read_text()
    assert password not in text
    assert "admin" not in json.loads(text)["scram_users"]
    with MockCluster(1, data=tmp_path, security=security) as cluster:
        login = cluster.client_config("admin") | {
            "sasl.username": "bob",
            "sasl.password": password,
        }
        with Producer(login) as producer:
            send(producer, TOPIC, [b"allowed"])
        with AdminClient(cluster.client_config("admin")) as admin:
            assert admin.describe_acls(ANY_ACL).result() == [acl]


def test_groups_are_listed(tmp_path: Path) -> None:
    """Groups that have committed offsets exist, without members."""
    fill(tmp_path, b"one")
    with MockCluster(1, data=tmp_path) as cluster, consumer_of(cluster) as consumer:
        consumer.subscribe([TOPIC])
        assert values_of(consumer.consume(1, TIMEOUT)) == [b"one"]
        consumer.commit(asynchronous=False)
    with MockCluster(1, data=tmp_path) as cluster, admin_of(cluster) as admin:
        [group] = admin.list_consumer_groups().result().valid or []
        assert (group.group_id, group.state) == ("group", ConsumerGroupState.EMPTY)


def test_share_groups(tmp_path: Path) -> None:
    """Share groups continue at their offsets."""
    fill(tmp_path, b"one", b"two")
    with MockCluster(1, data=tmp_path) as cluster:
        cluster._set_share_offset("sharing", TOPIC, 0, 1)
    with MockCluster(1, data=tmp_path):
        pass
    [saved] = json.loads((tmp_path / "cluster.json").read_text())["share_group_offsets"]
    assert saved == {"group": "sharing", "topic": TOPIC, "partition": 0, "offset": 1}


def test_older_formats(tmp_path: Path) -> None:
    """Records that an old client sent exist; the next run stores the log in format 2."""
    entries = records.message_set(
        [Record(offset=0, timestamp=5, key=b"k", value=b"old", headers=())], magic=1
    )
    with MockCluster(1, data=tmp_path) as cluster:
        cluster.create_topic(TOPIC)
        sent(cluster, TOPIC, records.write(entries))
    [message] = contents(tmp_path, 1)
    assert (message.key(), message.value(), message.timestamp()[1]) == (b"k", b"old", 5)


@pytest.mark.parametrize("brokers", [1, 5])
def test_another_number_of_brokers(tmp_path: Path, brokers: int) -> None:
    """With another number of brokers, replicas are placed on the existing brokers."""
    with MockCluster(3, data=tmp_path) as cluster:
        cluster.create_topic(TOPIC, 2, 3)
        with Producer(config_of(cluster)) as producer:
            send(producer, TOPIC, [b"one"])
    with MockCluster(brokers, data=tmp_path) as cluster:
        with admin_of(cluster) as admin:
            described = admin.describe_topics(TopicCollection([TOPIC]))[TOPIC].result()
        assert {len(each.replicas) for each in described.partitions} == {min(3, brokers)}
        with consumer_of(cluster) as consumer:
            assert values_of(read(consumer, TOPIC, 1)) == [b"one"]


def test_deleted_topics(tmp_path: Path) -> None:
    """A deleted topic does not exist in the next run, and a new topic of that name has another
    id."""
    fill(tmp_path, b"old")
    with MockCluster(1, data=tmp_path) as cluster, admin_of(cluster) as admin:
        before = admin.describe_topics(TopicCollection([TOPIC]))[TOPIC].result().topic_id
        admin.delete_topics([TOPIC])[TOPIC].result()
    with MockCluster(1, data=tmp_path) as cluster, admin_of(cluster) as admin:
        assert TOPIC not in admin.list_topics(timeout=TIMEOUT).topics
        admin.create_topics([NewTopic(TOPIC, 1)])[TOPIC].result()
        assert admin.describe_topics(TopicCollection([TOPIC]))[TOPIC].result().topic_id != before


def test_the_id_of_the_cluster(tmp_path: Path) -> None:
    """The cluster keeps its id; otherwise, connected clients would report another cluster."""
    ids = []
    for _ in range(2):
        with MockCluster(1, data=tmp_path) as cluster, admin_of(cluster) as admin:
            ids.append(admin.describe_cluster().result().cluster_id)
    assert ids[0] == ids[1]
    with MockCluster(1) as cluster, pytest.raises(KafkaException, match="_INVALID_ARG"):
        cluster._set_cluster_id("x" * 32)


def test_leader_epochs_grow(tmp_path: Path) -> None:
    """Leader epochs grow, because clients ignore metadata with an older leader epoch."""
    fill(tmp_path, b"one")
    epochs = []
    for _ in range(3):
        with MockCluster(1, data=tmp_path):
            pass
        [topic] = json.loads((tmp_path / "cluster.json").read_text())["topics"]
        epochs.append(topic["partitions"][0]["leader_epoch"])
    assert epochs == [1, 2, 3]


# ---- files ----


def test_logs_are_files_of_kafka(tmp_path: Path) -> None:
    """Each partition has a file with the name that Kafka gives it; `dump-log` reads the files."""
    fill(tmp_path, b"one", b"two")
    [log] = tmp_path.glob("logs-*/*/*.log")
    assert (log.parent.name, log.name) == ("orders-0", "00000000000000000000.log")
    command = [sys.executable, "-m", "confluent_kafka", "dump-log", "--records", "--json", str(log)]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    rows = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [each["value"] for row in rows for each in row["records"]] == ["one", "two"]
    fill(tmp_path, b"three")
    assert len(list(tmp_path.glob("logs-*"))) == 1, "the logs of earlier saves stay"


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such permissions")
def test_files_are_private(tmp_path: Path) -> None:
    """Only the owner can read credentials and records."""
    fill(tmp_path, b"one")
    for each in (tmp_path / "cluster.json", *tmp_path.glob("logs-*/*/*.log")):
        assert each.stat().st_mode & 0o077 == 0


class _Cut(BaseException):
    """The save ends at this point, as if the process had ended."""


def _steps_of_a_save(monkeypatch: pytest.MonkeyPatch, cut_at: int | None) -> list[str]:
    """Record the system calls of a save, and end it before the call with the number `cut_at`."""
    done: list[str] = []

    def noting(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **kwargs: Any) -> Any:
            if len(done) == cut_at:
                raise _Cut
            done.append(name)
            return call(*args, **kwargs)

        return noted

    for module, name in (("os", "open"), ("os", "fsync"), ("os", "replace"), ("shutil", "rmtree")):
        target = f"confluent_kafka.testing._data._folder.{module}.{name}"
        monkeypatch.setattr(target, noting(name, getattr(sys.modules[module], name)))
    return done


def test_a_save_that_is_cut_off(tmp_path: Path) -> None:
    """Wherever a save is interrupted, the folder has the state before or after the save."""
    fill(tmp_path, b"one")
    with pytest.MonkeyPatch.context() as patch, MockCluster(1, data=tmp_path):
        steps = _steps_of_a_save(patch, None)
    assert steps.count("replace") == 1
    # rmtree() makes further calls.
    for number in range(steps.index("rmtree") + 1):
        with pytest.MonkeyPatch.context() as patch:
            cluster = MockCluster(1, data=tmp_path)
            cluster.create_topic(f"topic-{number}")
            _steps_of_a_save(patch, number)
            with pytest.raises(_Cut):
                cluster.close()
        replaced = "replace" in steps[:number]
        names = {each["name"] for each in _metadata(tmp_path)["topics"]}
        assert (f"topic-{number}" in names) == replaced
        assert values_of(contents(tmp_path, 1)) == [b"one"]


def _metadata(data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data / "cluster.json").read_text())
    return found


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_a_process_that_is_killed(tmp_path: Path) -> None:
    """The folder has what the last save wrote, and is not locked."""
    fill(tmp_path, b"one")
    script = """
        import os, signal, sys
        from confluent_kafka.testing import MockCluster
        cluster = MockCluster(1, data=sys.argv[1])
        cluster.create_topic("lost")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    ended = run_script(script, str(tmp_path))
    assert ended.returncode == -signal.SIGKILL
    assert values_of(contents(tmp_path, 1)) == [b"one"]


# ---- folders and arguments that are refused ----


def test_one_cluster_at_a_time(tmp_path: Path) -> None:
    """While a cluster uses the folder, a second one is refused, in this process and in any
    other."""
    script = """
        import sys
        from confluent_kafka.testing import MockCluster
        try:
            MockCluster(1, data=sys.argv[1])
        except BlockingIOError as error:
            print(error)
    """
    with MockCluster(1, data=tmp_path):
        with pytest.raises(BlockingIOError, match="another embedded cluster uses this folder"):
            MockCluster(1, data=tmp_path)
        assert "another embedded cluster" in check_script(script, str(tmp_path))
    with MockCluster(1, data=tmp_path):
        pass


def test_a_forked_child(tmp_path: Path) -> None:
    """close() in a child neither saves nor unlocks the folder; the parent can still close the
    cluster."""
    script = """
        import os, sys
        from confluent_kafka.testing import MockCluster
        cluster = MockCluster(1, data=sys.argv[1])
        cluster.create_topic("orders")
        child = os.fork()
        if child == 0:
            cluster.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert not os.path.exists(os.path.join(sys.argv[1], "cluster.json"))
        try:
            MockCluster(1, data=sys.argv[1])
        except BlockingIOError:
            cluster.close()
            with MockCluster(1, data=sys.argv[1]):
                print("saved")
    """
    assert check_script(script, str(tmp_path), forks=True) == "saved\n"


@pytest.mark.parametrize("wrong", [1, b"folder", object()])
def test_wrong_types(wrong: Any) -> None:
    """Arguments of wrong types are refused before anything starts."""
    with pytest.raises(TypeError, match=r"data must be str, os\.PathLike or None"):
        MockCluster(1, data=wrong)


def test_an_empty_name() -> None:
    """An empty name is refused, because it would mean the current folder."""
    with pytest.raises(ValueError, match="data must not be empty"):
        MockCluster(1, data="")


def test_a_file(tmp_path: Path) -> None:
    """A file is refused, because it is not a folder."""
    path = tmp_path / "file"
    path.write_text("mine")
    with pytest.raises(NotADirectoryError, match="data must be a folder, but this is a file"):
        MockCluster(1, data=path)
    with pytest.raises(NotADirectoryError, match="data must be a folder"):
        MockCluster(1, data=path / "below")
    assert path.read_text() == "mine"


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    """A folder with other files is refused, and nothing is written into it."""
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"contains other files, such as 'notes\.txt'"):
        MockCluster(1, data=tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root can write anywhere")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    """The error contains the permission that the folder needs."""
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError, match="this user can create and write"):
            MockCluster(1, data=tmp_path / "new")
    finally:
        tmp_path.chmod(0o700)


def _all_files(data: Path) -> dict[str, bytes]:
    files = (each for each in data.rglob("*") if each.is_file() and each.name != "lock")
    return {str(each): each.read_bytes() for each in files}


def _cut(text: bytes) -> bytes:
    return text[:-7]


def _flip(text: bytes) -> bytes:
    return text[:-1] + bytes([text[-1] ^ 1])


@pytest.mark.parametrize(
    ("pattern", "change", "told"),
    [
        ("logs-*/*/*.log", _cut, r"orders-0.*\.log is damaged: it has \d+ bytes instead of \d+"),
        ("logs-*/*/*.log", _flip, r"orders-0.*\.log is damaged: its contents were changed"),
        ("logs-*/*/*.log", None, r"orders-0.*\.log is damaged: .*No such file"),
        ("cluster.json", _cut, r"cluster\.json is damaged"),
        ("cluster.json", lambda text: b"[]", r"cluster\.json is damaged"),
        ("cluster.json", lambda text: b'{"format": 1}', r"cluster\.json is damaged"),
        (
            "cluster.json",
            lambda text: re.sub(rb'"name": "orders"', b'"name": ".."', text),
            r"no topic can have the name '\.\.'",
        ),
        (
            "cluster.json",
            lambda text: re.sub(rb'"format": \d+', b'"format": 999', text),
            r"has format 999, .*reads formats up to \d+: use the newer",
        ),
    ],
)
def test_damage(
    tmp_path: Path, pattern: str, change: Callable[[bytes], bytes] | None, told: str
) -> None:
    """The error names the file. Nothing is overwritten, and the folder is not locked."""
    fill(tmp_path, b"one")
    [path] = tmp_path.glob(pattern)
    whole = path.read_bytes()
    if change is None:
        path.unlink()
    else:
        path.write_bytes(change(whole))
    before = _all_files(tmp_path)
    with pytest.raises(ValueError, match=told):
        MockCluster(1, data=tmp_path)
    assert _all_files(tmp_path) == before
    path.write_bytes(whole)
    assert values_of(contents(tmp_path, 1)) == [b"one"]


def test_a_save_that_fails(tmp_path: Path) -> None:
    """close() raises the error once, and the folder keeps the previous save."""
    fill(tmp_path, b"one")
    cluster = MockCluster(1, data=tmp_path)
    cluster.create_topic("lost")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_keeping, "topics_and_logs", _no_space)
        with pytest.raises(OSError, match="No space left"):
            cluster.close()
    cluster.close()
    assert values_of(contents(tmp_path, 1)) == [b"one"]


def test_a_save_that_fails_after_another_error(tmp_path: Path) -> None:
    """The error of the save becomes a note of the exception that ended the block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_keeping, "topics_and_logs", _no_space)
        with pytest.raises(RuntimeError, match="first") as caught, MockCluster(1, data=tmp_path):
            raise RuntimeError("first")
    [note] = caught.value.__notes__
    assert note.startswith("the data were not saved:\n")
    assert "No space left" in note


def _no_space(cluster: MockCluster, state: State) -> Any:
    raise OSError(28, "No space left on device")


def test_an_unpatched_librdkafka(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the patch, and nothing is created."""
    lacking = {"missing_patches": {"features": ["mock-written-state"]}}
    monkeypatch.setattr(_keeping, "build_info", lambda: lacking)
    with pytest.raises(KafkaException, match="needs the patch mock-written-state") as caught:
        MockCluster(1, data=tmp_path / "new")
    assert caught.value.args[0].code() == KafkaError._NOT_IMPLEMENTED
    assert not (tmp_path / "new").exists()


# ---- the command line ----


def test_the_command(tmp_path: Path) -> None:
    """`cluster --data FOLDER` saves when SIGTERM ends it; existing topics are no error."""
    options = ["--port", "0", "--brokers", "1", "--topic", f"{TOPIC}:2", "--data"]
    for number in range(2):
        with running(*options, str(tmp_path / "kept")) as (process, address):
            with Producer({"bootstrap.servers": address}) as producer:
                send(producer, TOPIC, [b"%d" % number])
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
    assert values_of(contents(tmp_path / "kept", 2)) == [b"0", b"1"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    ended = run(*options, str(tmp_path / "other"))
    assert ended.returncode == 1
    assert "contains other files" in ended.stderr
    assert "Traceback" not in ended.stderr
