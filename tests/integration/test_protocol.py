"""confluent_kafka.protocol beside the serializer of Kafka's own client."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from base64 import b64decode
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from confluent_kafka import Uuid, protocol
from tests.integration.conftest import kafka_home
from tests.support.messages import every_version, random_message

pytestmark = pytest.mark.integration

TOOL = Path(__file__).parents[2] / "tools" / "protocol.py"
PROGRAM = Path(__file__).parent / "java" / "Messages.java"
# Of each version of each message.
SAMPLES = 4


class Line(NamedTuple):
    """What Java was asked for, and what it answered."""

    name: str
    version: int
    given: str
    answer: str


@pytest.fixture(scope="module")
def java() -> dict[str, list[Line]]:
    """What Kafka's serializer makes of messages that are written here, and of its own."""
    if shutil.which("javac") is None:
        pytest.skip("Kafka's serializer needs a JDK")
    asked = []
    for name, version in every_version():
        for sample in range(SAMPLES):
            message = random_message(name, version, Random(f"{name}{version}{sample}"))
            asked.append(("read", name, version, message.encode(version).hex()))
            asked.append(("fill", name, version, str(sample)))
    command = ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1"]
    answer = subprocess.run(
        [*command, "-cp", f"{kafka_home()}/libs/*", str(PROGRAM)],
        input="".join(" ".join(map(str, line)) + "\n" for line in asked),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=100,
    )
    found: dict[str, list[Line]] = {"read": [], "fill": []}
    for (kind, *line), text in zip(asked, answer.stdout.splitlines(), strict=True):
        found[kind].append(Line(*line, text))
    return found


def test_tables_are_kafkas() -> None:
    """What is committed is what the pinned Kafka's definitions give."""
    assert kafka_home()
    done = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_java_reads_what_is_written_here(java: dict[str, list[Line]]) -> None:
    """Every message in every version: Java reads all of its bytes, and writes the same ones."""
    assert [line for line in java["read"] if line.answer != line.given] == []
    assert len(java["read"]) > 600 * SAMPLES


def test_what_java_writes_is_read_and_written(java: dict[str, list[Line]]) -> None:
    """Every message in every version, as Java fills it."""
    wrong = []
    for line in java["fill"]:
        data = bytes.fromhex(line.answer.partition("\t")[0])
        message = protocol.message_class(line.name).decode(data, line.version)
        if message.encode(line.version) != data:
            wrong.append(line)
    assert wrong == []


def test_fields_have_the_values_that_java_gave_them(java: dict[str, list[Line]]) -> None:
    """Names and values are those of Java's JSON; the bytes alone would not show two mixed up."""
    for line in java["fill"]:
        hexadecimal, _, text = line.answer.partition("\t")
        data = bytes.fromhex(hexadecimal)
        message = protocol.message_class(line.name).decode(data, line.version)
        assert_same(message, json.loads(text), f"{line.name} {line.version}")


def assert_same(ours: Any, theirs: Any, where: str) -> None:
    """A value is what Java's JSON says: of records only their size."""
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
            # Java's letters are those of base64 for URLs.
            assert str(ours).translate(str.maketrans("+/", "-_")) == theirs, where
        case bytes():
            assert ours == b64decode(theirs), where
        case _:
            assert ours == theirs, where
