"""confluent_kafka.protocol compared with the serializer of Kafka's own client."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from confluent_kafka import Uuid, protocol
from confluent_kafka.protocol._tables import TABLES
from tests.integration.conftest import kafka_home
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.java import QUICK_START
from tests.support.messages import every_version, random_message
from tests.support.protocol import ask
from tools.kafka import VERSION

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

TOOL = Path(__file__).parents[2] / "tools" / "protocol.py"
PROGRAM = Path(__file__).parent / "java" / "Messages.java"
# The number of samples of each version of each message.
SAMPLES = 4


class Line(NamedTuple):
    """A request to the Java program, and its answer."""

    name: str
    version: int
    given: str
    answer: str


@pytest.fixture(scope="module")
def libraries() -> Path:
    """The jars of the Kafka release from which the tables are generated."""
    folder = kafka_home() / "libs"
    if not (folder / f"kafka-clients-{VERSION}.jar").is_file():
        pytest.skip(f"the tables are for Kafka {VERSION}, but KAFKA_HOME has another")
    return folder


@pytest.fixture(scope="module")
def java(libraries: Path) -> dict[str, list[Line]]:
    """The answers of Kafka's serializer about messages that this package wrote or that Java
    wrote."""
    asked = []
    for name, version in every_version():
        for sample in range(SAMPLES):
            message = random_message(name, version, Random(f"{name}{version}{sample}"))
            asked.append(("read", name, version, message.encode(version).hex(), version))
            asked.append(("fill", name, version, str(sample)))
        asked.append(("new", name, version, ""))
        if issubclass(request := protocol.message_class(name), protocol.Request):
            asked.append(("header", request.api_key, version, name))
    found: dict[str, list[Line]] = {"read": [], "fill": [], "new": [], "header": []}
    for (kind, name, version, given, *_), text in zip(asked, run(libraries, asked), strict=True):
        found[kind].append(Line(name, version, given, text))
    return found


def run(libraries: Path, asked: Iterable[Sequence[object]]) -> list[str]:
    """Run the Java program and return its answers."""
    if shutil.which("javac") is None:
        pytest.skip("Kafka's serializer needs a JDK")
    command = ["java", *QUICK_START.split(), "-cp", f"{libraries}/*"]
    answer = subprocess.run(
        [*command, str(PROGRAM)],
        input="".join(" ".join(map(str, line)) + "\n" for line in asked),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=100,
    )
    return answer.stdout.splitlines()


@pytest.mark.usefixtures("libraries")
def test_tables_are_kafkas() -> None:
    """The committed tables match the message definitions of the pinned Kafka release."""
    done = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_java_reads_what_is_written_here(java: dict[str, list[Line]]) -> None:
    """Java reads every message in every version, and writes the same bytes again."""
    assert [line for line in java["read"] if line.answer != line.given] == []
    assert len(java["read"]) > 600 * SAMPLES


def test_what_java_writes_is_read_and_written(java: dict[str, list[Line]]) -> None:
    """This package reads every message that Java filled, in every version, and writes the same
    bytes."""
    wrong = []
    for line in java["fill"]:
        data = bytes.fromhex(line.answer.partition("\t")[0])
        message = protocol.message_class(line.name).decode(data, line.version)
        if message.encode(line.version) != data:
            wrong.append(line)
    assert wrong == []


def test_fields_have_the_values_that_java_gave_them(java: dict[str, list[Line]]) -> None:
    """Fields have the names and values of Java's JSON; equal bytes would not show mixed-up
    fields."""
    for line in java["fill"]:
        hexadecimal, _, text = line.answer.partition("\t")
        data = bytes.fromhex(hexadecimal)
        message = protocol.message_class(line.name).decode(data, line.version)
        assert_same(message, json.loads(text), f"{line.name} {line.version}")


def test_defaults_are_javas(java: dict[str, list[Line]]) -> None:
    """A message without values has the same bytes as in Java, or cannot be written in both."""
    for line in java["new"]:
        message = protocol.message_class(line.name)()
        if line.answer.startswith("error"):
            with pytest.raises(protocol.UnsupportedVersionError):
                message.encode(line.version)
        else:
            assert message.encode(line.version).hex() == line.answer, line


def test_older_versions_take_what_java_lets_them_take(libraries: Path) -> None:
    """If a version does not have a field, the field is dropped or refused, as in Java."""
    asked: list[tuple[object, ...]] = []
    ours = []
    for name in TABLES:
        *older, latest = protocol.message_class(name).valid_versions
        for version in older:
            for sample, defaults in enumerate((0.2, 0.5, 0.8, 0.95)):
                rng = Random(f"{name}{version}{sample}")
                message = random_message(name, latest, rng, defaults)
                asked.append(("read", name, latest, message.encode(latest).hex(), version))
                try:
                    ours.append(message.encode(version).hex())
                except protocol.UnsupportedVersionError:
                    ours.append("error")
    theirs = [each.partition(":")[0] for each in run(libraries, asked)]
    wrong = [each for each in zip(asked, ours, theirs, strict=True) if each[1] != each[2]]
    assert wrong == []
    assert 200 < ours.count("error") < len(ours) - 200


def test_headers_have_the_versions_that_java_gives_them(java: dict[str, list[Line]]) -> None:
    """The headers of every request and answer have the same versions as in Java."""
    for line in java["header"]:
        versions = [
            function(int(line.name), line.version)
            for function in (protocol.request_header_version, protocol.response_header_version)
        ]
        assert versions == [int(each) for each in line.answer.split()], line
    assert len(java["header"]) > 250


ASKED = [
    protocol.ApiVersionsRequest(client_software_name="tests", client_software_version="1"),
    protocol.DescribeClientQuotasRequest(),
    protocol.DescribeClusterRequest(),
    protocol.DescribeConfigsRequest(
        resources=[
            protocol.DescribeConfigsRequest.DescribeConfigsResource(
                resource_type=4, resource_name="1", configuration_keys=None
            )
        ],
    ),
    protocol.DescribeLogDirsRequest(topics=None),
    protocol.ListConfigResourcesRequest(),
    protocol.ListGroupsRequest(),
    protocol.ListTransactionsRequest(),
    protocol.MetadataRequest(topics=None),
]


@pytest.mark.parametrize("request_", ASKED, ids=lambda request: type(request).__name__)
def test_answers_of_brokers_are_read(
    kafka: KafkaCluster, topic: str, request_: protocol.Request
) -> None:
    """The package can read a broker's answers in every version that supports the request."""
    address = kafka.bootstrap_servers.split(",")[0]
    api_versions = sent(address, protocol.ApiVersionsRequest(), 2)
    [known] = [each for each in api_versions.api_keys if each.api_key == request_.api_key]
    read = 0
    for version in range(known.min_version, known.max_version + 1):
        with suppress(protocol.UnsupportedVersionError):
            answer = sent(address, request_, version)
            read += 1
            assert getattr(answer, "error_code", 0) == 0
            if isinstance(answer, protocol.MetadataResponse):
                assert topic in {each.name for each in answer.topics}
    assert read


def sent(address: str, request: protocol.Request, version: int) -> Any:
    """The answer of a broker."""
    key = request.api_key
    tags = b"\0" if protocol.request_header_version(key, version) == 2 else b""
    data = ask(address, key, version, request.encode(version), tags)
    # The correlation id is read; a flexible header has an empty section of tagged fields.
    data = data[protocol.response_header_version(key, version) :]
    answer = request.response_class.decode(data, version)
    assert answer.encode(version) == data
    return answer


def assert_same(ours: Any, theirs: Any, where: str) -> None:
    """Check a value against Java's JSON, which contains only the size of records."""
    match ours:
        case protocol.Struct():
            named = {name.replace("_", ""): name for name in dir(ours)}
            for key, value in theirs.items():
                name = key.removesuffix("SizeInBytes")
                mine = getattr(ours, named[name.lower()])
                assert_same(mine if name == key else len(mine), value, f"{where}.{name}")
        case tuple():
            assert len(ours) == len(theirs), where
            for mine, other in zip(ours, theirs, strict=True):
                assert_same(mine, other, f"{where}[]")
        case Uuid():
            # Java uses the alphabet of base64 for URLs.
            assert str(ours).translate(str.maketrans("+/", "-_")) == theirs, where
        case bytes():
            assert ours == b64decode(theirs), where
        case _:
            assert ours == theirs, where
