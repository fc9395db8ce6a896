"""The metadata quorum of real controllers, and the features that it agrees on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Uuid
from confluent_kafka.admin import (
    AdminClient,
    FeatureUpdate,
    FinalizedVersionRange,
    RaftVoterEndpoint,
    UpgradeType,
)
from confluent_kafka.aio import AIOAdminClient
from confluent_kafka.protocol import UnregisterControllerRequest
from tests.integration.conftest import kafka_home
from tests.integration.dynamic_quorum import (
    OBSERVER,
    VOTER,
    DynamicQuorum,
    described,
    running_quorum,
)
from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.support.aio import in_loop
from tests.support.command_line import Ended, run
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request")]

INCONSISTENT_CLUSTER_ID = 104
BROKER_ID_NOT_REGISTERED = 102
CONTROLLER_ID_NOT_REGISTERED = 136
NOBODY = Uuid(1, 2)
URL_SAFE = str.maketrans("+/", "-_")
STATIC = Uuid(0, 0)  # the directory of every voter in a static set
FEATURE = "streams.version"  # no other test uses this feature


@pytest.fixture(scope="module")
def quorum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DynamicQuorum]:
    with running_quorum(kafka_home(), tmp_path_factory.mktemp("quorum")) as quorum:
        yield quorum


@pytest.fixture
def admin(quorum: DynamicQuorum) -> Iterator[AdminClient]:
    with AdminClient(quorum.config()) as admin:
        yield admin


def place_of(quorum: DynamicQuorum) -> RaftVoterEndpoint:
    """The address of the controller that is an observer."""
    host, _, port = quorum.observing.partition(":")
    return RaftVoterEndpoint("CONTROLLER", host, int(port))


def place_text(quorum: DynamicQuorum) -> str:
    return f"CONTROLLER://{quorum.observing}"


def test_a_controller_votes(quorum: DynamicQuorum, admin: AdminClient) -> None:
    """On request, an observer becomes a voter, and later becomes an observer again."""
    known = quorum.observer(admin)
    before = described(admin)
    assert (before.leader_id, [each.replica_id for each in before.voters]) == (VOTER, [VOTER])
    assert before.leader_epoch >= 1
    assert before.high_watermark > 0
    assert set(before.nodes) == {VOTER}
    place = place_of(quorum)
    added = admin.add_raft_voter(
        OBSERVER, known.replica_directory_id, {place}, cluster_id=quorum.cluster_id
    )
    assert added.result(TIMEOUT) is None
    wait_until(lambda: {each.replica_id for each in described(admin).voters} == {VOTER, OBSERVER})
    among = described(admin)
    assert among.observers == []
    assert among.nodes[OBSERVER] == [place]
    removed = admin.remove_raft_voter(OBSERVER, known.replica_directory_id)
    assert removed.result(TIMEOUT) is None
    wait_until(lambda: [each.replica_id for each in described(admin).voters] == [VOTER])
    again = quorum.observer(admin)
    assert again.replica_directory_id == known.replica_directory_id
    assert again.log_end_offset > known.log_end_offset
    assert (again.last_caught_up_timestamp or 0) <= (again.last_fetch_timestamp or 0)


def test_voters_that_are_refused(quorum: DynamicQuorum, admin: AdminClient) -> None:
    """Adding a voter again, removing a non-voter, and a wrong cluster id are refused."""
    directory = described(admin).voters[0].replica_directory_id
    place = place_of(quorum)
    for future, code, text in (
        (
            admin.add_raft_voter(VOTER, directory, {place}),
            KafkaError.DUPLICATE_VOTER,
            "already part of the set of voters",
        ),
        (
            admin.remove_raft_voter(77, NOBODY),
            KafkaError.VOTER_NOT_FOUND,
            "Cannot remove voter",
        ),
        (
            admin.remove_raft_voter(VOTER, directory, cluster_id="another"),
            INCONSISTENT_CLUSTER_ID,
            quorum.cluster_id,
        ),
    ):
        with pytest.raises(KafkaException, match=text) as caught:
            future.result(TIMEOUT)
        assert caught.value.code() == code


def test_a_feature_up_and_down(admin: AdminClient) -> None:
    """The feature's version changes as requested, and the epoch grows; a validation changes
    nothing."""

    def level() -> int:
        found = admin.describe_features().result(TIMEOUT).finalized_features
        # Features of version 0 are not listed.
        return found.get(FEATURE, FinalizedVersionRange(0, 0)).max_version_level

    def update(update: FeatureUpdate, validate_only: bool = False) -> None:
        futures = admin.update_features({FEATURE: update}, validate_only=validate_only)
        assert futures.keys() == {FEATURE}
        assert futures[FEATURE].result(TIMEOUT) is None

    before = admin.describe_features().result(TIMEOUT)
    assert before.finalized_features_epoch is not None
    assert level() == before.supported_features[FEATURE].max_version == 1
    down = FeatureUpdate(0, UpgradeType.SAFE_DOWNGRADE)
    update(down, validate_only=True)
    assert level() == 1
    update(down)
    wait_until(lambda: level() == 0)
    update(FeatureUpdate(1))
    wait_until(lambda: level() == 1)
    after = admin.describe_features().result(TIMEOUT)
    assert (after.finalized_features_epoch or 0) > before.finalized_features_epoch


def test_a_feature_that_is_refused(admin: AdminClient) -> None:
    """If one feature is refused, no feature changes, and every future's error names it."""
    before = admin.describe_features().result(TIMEOUT).finalized_features
    futures = admin.update_features(
        {FEATURE: FeatureUpdate(0, UpgradeType.SAFE_DOWNGRADE), "nosuch": FeatureUpdate(1)}
    )
    assert futures.keys() == {FEATURE, "nosuch"}
    for future in futures.values():
        with pytest.raises(KafkaException, match="for feature nosuch") as caught:
            future.result(TIMEOUT)
        assert caught.value.code() == KafkaError.INVALID_UPDATE_VERSION
    assert admin.describe_features().result(TIMEOUT).finalized_features == before


def test_a_broker_is_forgotten_by_a_command(quorum: DynamicQuorum, admin: AdminClient) -> None:
    """`brokers unregister` removes a broker that is not up."""
    quorum.register_broker(admin, 78)
    done = run("brokers", "unregister", "78", "--yes", "-b", quorum.bootstrap_servers)
    assert done == (0, b"broker 78 was unregistered\n", "")


def test_a_broker_is_forgotten(quorum: DynamicQuorum, admin: AdminClient) -> None:
    """A broker can be unregistered once; afterwards it does not exist."""
    quorum.register_broker(admin, 77)
    assert admin.unregister_broker(77).result(TIMEOUT) is None
    error = admin.unregister_broker(77).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == BROKER_ID_NOT_REGISTERED
    assert "Broker ID 77 is not currently registered" in error.args[0].str()


def test_a_controller_is_forgotten(quorum: DynamicQuorum, admin: AdminClient) -> None:
    """Only an inactive controller can be unregistered. Brokers before 4.4 do not support the
    request."""
    if UnregisterControllerRequest.api_key not in admin.api_versions():
        error = admin.unregister_controller(OBSERVER).exception(TIMEOUT)
        assert isinstance(error, KafkaException)
        assert error.code() == KafkaError._UNSUPPORTED_FEATURE
        return
    for controller, code in (
        (77, CONTROLLER_ID_NOT_REGISTERED),
        (VOTER, KafkaError.INVALID_REQUEST),
    ):
        error = admin.unregister_controller(controller).exception(TIMEOUT)
        assert isinstance(error, KafkaException)
        assert error.code() == code
    # The controller is running, so it registers again.
    assert admin.unregister_controller(OBSERVER).result(TIMEOUT) is None


def test_a_controller_is_forgotten_by_a_command(quorum: DynamicQuorum, admin: AdminClient) -> None:
    """`quorum unregister` removes a controller that does not vote, and no other."""
    if UnregisterControllerRequest.api_key not in admin.api_versions():
        pytest.skip("brokers support the request since Kafka 4.4")
    refused = command(quorum, "quorum", "unregister", str(VOTER), "-y")
    assert (refused.status, refused.stdout) == (1, b"")
    done = command(quorum, "quorum", "unregister", str(OBSERVER), "-y")
    assert done == (0, b"controller 2 was unregistered\n", "")


@in_loop
async def test_a_static_quorum(own_kafka: OwnKafkaCluster) -> None:
    """AIOAdminClient shows that all brokers are voters; it cannot change the voters, and gets each
    broker's features."""
    async with AIOAdminClient(own_kafka.config()) as admin:
        quorum = await admin.describe_metadata_quorum()
        places = {(each.replica_id, each.replica_directory_id) for each in quorum.voters}
        assert places == {(1, STATIC), (2, STATIC), (3, STATIC)}
        assert quorum.observers == []
        assert quorum.nodes.keys() == {1, 2, 3}
        for refused in (
            admin.add_raft_voter(4, NOBODY, {RaftVoterEndpoint("CONTROLLER", "localhost", 1)}),
            admin.remove_raft_voter(1, NOBODY),
        ):
            with pytest.raises(KafkaException) as caught:
                await refused
            assert caught.value.code() == KafkaError.UNSUPPORTED_VERSION
        with pytest.raises(KafkaException) as caught:
            await admin.unregister_broker(77)
        assert caught.value.code() == BROKER_ID_NOT_REGISTERED
        for broker in (1, 2, 3):
            found = await admin.describe_features(broker=broker)
            assert found.supported_features["kraft.version"].max_version >= 1
        level = found.finalized_features["metadata.version"].max_version_level
        updated = admin.update_features(
            {"metadata.version": FeatureUpdate(level)}, validate_only=True
        )
        assert await updated == {"metadata.version": None}


def test_features_of_a_broker_that_is_not_there(admin: AdminClient) -> None:
    """If the broker does not exist, the future fails, and the client asks no other broker."""
    error = admin.describe_features(broker=77, request_timeout=2).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError._TIMED_OUT


def command(quorum: DynamicQuorum, *arguments: str) -> Ended:
    return run(*arguments, "-b", quorum.bootstrap_servers)


def rows(quorum: DynamicQuorum, *arguments: str) -> list[dict[str, Any]]:
    """The rows that a command printed with --json."""
    done = command(quorum, *arguments, "--json")
    assert (done.status, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_command_of_the_quorum(quorum: DynamicQuorum, admin: AdminClient) -> None:
    """The commands show the leader and the voters, in one row or one row per controller, and change
    voters."""
    # in the format of Kafka's tools
    directory = str(quorum.observer(admin).replica_directory_id).translate(URL_SAFE)
    (status,) = rows(quorum, "quorum", "describe", "--status")
    assert (status["cluster"], status["leader"]) == (quorum.cluster_id, VOTER)
    assert (status["voters"], status["observers"]) == ([VOTER], [OBSERVER])
    assert (status["lag"], status["lag ms"]) == (0, 0)
    done = command(quorum, "quorum", "add-voter", str(OBSERVER), place_text(quorum), "-y")
    assert done == (0, b"controller 2 is now a voter\n", "")
    wait_until(lambda: {each.replica_id for each in described(admin).voters} == {VOTER, OBSERVER})
    every = {row["node"]: row for row in rows(quorum, "quorum", "describe", "--replication")}
    leader, follower = every[VOTER], every[OBSERVER]
    assert (leader["role"], leader["lag"], follower["role"]) == ("leader", 0, "follower")
    assert follower["directory"] == directory
    assert follower["endpoints"] == [place_text(quorum)]
    again = command(quorum, "quorum", "add-voter", str(OBSERVER), place_text(quorum), "-y")
    assert again == (
        1,
        b"",
        "error: 2 is not the id of exactly one observer. The observers are: none\n",
    )
    options = ["--directory", directory, "--cluster-id", quorum.cluster_id, "-y"]
    done = command(quorum, "quorum", "remove-voter", str(OBSERVER), *options)
    assert done == (0, b"controller 2 is no longer a voter\n", "")
    wait_until(lambda: [each.replica_id for each in described(admin).voters] == [VOTER])
    done = command(quorum, "quorum", "remove-voter", "77", "--directory", directory, "-y")
    assert (done.status, done.stdout) == (1, b"")
    assert "Cannot remove voter" in done.stderr


def test_command_of_the_features(quorum: DynamicQuorum, admin: AdminClient) -> None:
    """The commands lower and raise a feature's version; an error names the refused feature."""

    def version() -> int:
        every = {row["feature"]: row for row in rows(quorum, "features", "describe")}
        assert (every[FEATURE]["lowest"], every[FEATURE]["highest"]) == (0, 1)
        return int(every[FEATURE]["version"])

    done = command(quorum, "features", "downgrade", f"{FEATURE}=0", "--check")
    assert done == (0, f"feature {FEATURE} can have version 0\n".encode(), "")
    assert version() == 1
    done = command(quorum, "features", "downgrade", f"{FEATURE}=0", "-y")
    assert done == (0, f"feature {FEATURE} has version 0\n".encode(), "")
    wait_until(lambda: version() == 0)
    assert command(quorum, "features", "upgrade", f"{FEATURE}=1", "-y").status == 0
    wait_until(lambda: version() == 1)
    done = command(quorum, "features", "upgrade", "nosuch=1", "-y")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith("error: feature 'nosuch': ")
