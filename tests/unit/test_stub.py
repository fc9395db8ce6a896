"""cimpl.pyi describes the extension.

The tests compare both in both directions, and use the stub.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import confluent_kafka
from confluent_kafka import KafkaError, admin, cimpl
from confluent_kafka._other_clients import CONSUMER, PRODUCER, Elsewhere
from tools.librdkafka import VERSION

STUB = Path(confluent_kafka.__file__).with_name("cimpl.pyi")
CONFIG = Path(__file__).parents[2] / "pyproject.toml"

# Typical code of an application. It must pass the checks, except that each line marked as an error
# must be an error.
USAGE = """
import logging
from typing import Any, assert_type

from confluent_kafka import (
    AcknowledgeType, Consumer, DeserializingConsumer, KafkaError, KafkaException, Message,
    MessageBatch, Messages, Producer, SerializingProducer, ShareConsumer, ThrottleEvent,
    TopicPartition, Uuid, murmur2,
)
from confluent_kafka.aio import AIOAdminClient, AIOConsumer, AIOProducer, Answers
from concurrent.futures import Future

from confluent_kafka import protocol
from confluent_kafka.admin import (
    AdminClient, ClusterMetadata, ConfigEntry, ConfigResource, NewTopic, TopicDescription,
)
from confluent_kafka import TopicCollection, TopicIdCollection, Uuid
from confluent_kafka.error import ProduceError
from confluent_kafka.testing import MockCluster, MockRequest

def delivered(error: KafkaError | None, message: Message) -> None: ...
def throttled(event: ThrottleEvent) -> None: ...
def assigned(consumer: Consumer, partitions: list[TopicPartition]) -> None: ...
def committed(error: KafkaError | None, partitions: list[TopicPartition]) -> None: ...
def failed(error: KafkaError) -> None: ...
def token(config: str) -> tuple[str, float]: return config, 0.0

with AdminClient({"bootstrap.servers": "a"}) as admin:
    assert_type(admin.create_topics([NewTopic("a", 1)]), dict[str, Future[None]])
    assert_type(admin.describe_topics(TopicCollection(["a"]))["a"].result(), TopicDescription)
    ids = TopicIdCollection([Uuid(1, 2)])
    assert_type(admin.describe_topics(ids), dict[Uuid, Future[TopicDescription]])
    assert_type(admin.delete_topics(ids), dict[Uuid, Future[None]])
    assert_type(admin.delete_topics(["a"]), dict[str, Future[None]])
    described = admin.describe_configs([ConfigResource("topic", "a")], request_timeout=1)
    assert_type(described, dict[ConfigResource, Future[dict[str, ConfigEntry]]])
    admin.create_topics(["a"])  # error
    admin.create_topics([NewTopic("a")], timeout=1)  # error
    NewTopic("a", "1")  # error

async def administer(admin: AIOAdminClient) -> None:
    assert_type(await admin.create_topics([NewTopic("a", 1)]), dict[str, None])
    assert_type(admin.delete_topics(["a"]), Answers[str, None])
    assert_type(admin.delete_topics(TopicIdCollection([])), Answers[Uuid, None])
    assert_type(await admin.describe_topics(TopicCollection(["a"]))["a"], TopicDescription)
    assert_type(await admin.list_config_resources(request_timeout=1), list[ConfigResource])
    admin.create_topics(["a"])  # error
    admin.create_topics([NewTopic("a")], timeout=1)  # error
    admin.create_topic([NewTopic("a")])  # error

request = protocol.MetadataRequest(topics=[protocol.MetadataRequest.MetadataRequestTopic()])
assert_type(request.topics, tuple[protocol.MetadataRequest.MetadataRequestTopic, ...] | None)
assert_type(request.response_class, type[protocol.MetadataResponse])
assert_type(protocol.MetadataResponse.decode(request.encode(1), 1).topics[0].name, str | None)
protocol.MetadataRequest(topics=["a"])  # error
protocol.MetadataRequest(topic=[])  # error
protocol.MetadataRequest(())  # error
request.topics = None  # error

class Mine(Consumer):
    def poll(self, timeout: float = 1) -> Message | None: return super().poll(timeout)

with Producer({"bootstrap.servers": "a", "linger.ms": 5, "on_delivery": delivered}) as producer:
    producer.produce("topic", b"v", "k", headers={"a": b"1", "b": None}, on_delivery=delivered)
    producer.produce("topic", memoryview(b"v"), headers=[("a", "b")], timestamp=1, block=-1)
    producer.produce("topic", lambda: None)  # error
    producer.produce(5)  # error
    producer.produce("topic", on_delivery=throttled)  # error
    producer.produce("topic", b"v", b"k", 0, None, None, 0, None, 1.0)  # error
    assert_type(producer.produce_batch("topic", [{"value": b"v"}, b"v"]), int)
    assert_type(producer.poll(), int)
    assert_type(producer.flush(timeout=1.5), int)
    assert_type(producer.list_topics(), ClusterMetadata)
    assert_type(producer.cluster_id(1), str | None)
    assert_type(len(producer), int)
    producer.flush("1")  # error
    producer.consume()  # error

Producer(**{"bootstrap.servers": "a"}, logger=logging.getLogger("a"), error_cb=failed)
Consumer({"group.id": "g", "throttle_cb": throttled, "on_commit": committed, "oauth_cb": token})
Consumer({"group.id": "g", "default.topic.config": {"acks": 1}, "enable.auto.commit": False})
# What mypy infers for values of several types is dict[str, object].
mixed = {"group.id": "g", "enable.auto.commit": False, "linger.ms": 5, "error_cb": failed}
for conf in (mixed, dict[str, object](mixed)):
    Consumer(conf), Producer(conf), ShareConsumer(conf), AdminClient(conf)
    DeserializingConsumer(conf), SerializingProducer(conf), AIOConsumer(conf)
texts: dict[str, str] = {"bootstrap.servers": "a"}
Consumer(texts), Producer(texts), ShareConsumer(texts), AdminClient(texts), AIOProducer(texts)
Consumer(["group.id"])  # error

with Mine({"group.id": "g"}) as consumer:
    assert_type(consumer, Mine)
    consumer.subscribe(["^a"], on_assign=assigned, on_revoke=assigned, on_lost=None)
    consumer.subscribe(["a"], committed)  # error
    consumer.subscribe([1])  # error
    message = consumer.poll(1)
    message.value()  # error
    if message is not None:
        assert_type(message.error(), KafkaError | None)
        assert_type(message.key(), bytes | None)
        assert_type(message.value(), bytes | None)
        message.value().decode()  # error
        assert_type(message.headers(), list[tuple[str, bytes | None]] | None)
        assert_type(message.timestamp(), tuple[int, int])
        assert_type(consumer.commit(message), None)
    for each in consumer:
        assert_type(each, Message)
    assert_type(consumer.consume(10, 1.0), list[Message])
    batch = consumer.consume_arrow(10, headers=True)
    assert_type(batch, MessageBatch)
    assert_type(batch.eof, list[TopicPartition])
    producer.produce_arrow(batch, "topic")
    producer.produce_arrow([b"v"])  # error
    MessageBatch().eof = []  # error
    assert_type(consumer.commit(asynchronous=False), list[TopicPartition])
    assert_type(consumer.get_watermark_offsets(TopicPartition("a", 0)), tuple[int, int])
    producer.send_offsets_to_transaction(consumer.position([]), consumer.consumer_group_metadata())

def answered(
    offsets: dict[TopicPartition, set[int]], exception: KafkaException | None
) -> None: ...

with ShareConsumer({"group.id": "g", "share.acknowledgement.mode": "explicit"}) as sharer:
    sharer.set_acknowledgement_commit_callback(answered)
    sharer.set_acknowledgement_commit_callback(committed)  # error
    sharer.subscribe("a")
    sharer.subscribe(["a"], answered)  # error
    messages = sharer.poll(timeout=1)
    assert_type(messages, Messages)
    assert_type(messages[0], Message)
    assert_type(messages[1:], Messages)
    messages[0] = None  # error
    for each in messages:
        sharer.acknowledge(each, AcknowledgeType.REJECT)
        sharer.acknowledge_offset("a", 0, each.offset() or 0)
        sharer.acknowledge(each, "accept")  # error
    assert_type(sharer.commit_sync(), dict[TopicPartition, KafkaException | None])
    sharer.commit_async(1)  # error
    assert_type(sharer.subscription(), list[str])

def typed(objects: DeserializingConsumer[str, int], untyped: DeserializingConsumer) -> None:
    first = next(objects)
    assert_type(first, Message[str, int])
    assert_type(first.deserialized_key(), str | None)
    assert_type(first.deserialized_value(), int | None)
    assert_type(next(untyped).deserialized_value(), Any | None)
    objects.commit(message=first, asynchronous=False)

partition = TopicPartition("a", 0, 1)
partition.offset = 2
partition.topic = "b"  # error
assert_type(sorted([partition]), list[TopicPartition])
error = KafkaError(KafkaError._ALL_BROKERS_DOWN, "reason", fatal=True)
assert_type(error == KafkaError._FATAL, bool)
assert_type(error < 5, bool)
error < "5"  # error
raise_me: Exception = KafkaException(error)
try:
    raise error from raise_me
except (KafkaError, KafkaException) as caught:
    assert_type(caught, KafkaError | KafkaException)
except ProduceError as failed_message:
    failed_message.code = 5  # error
assert_type(KafkaException(error).code(), int | None)
assert_type(KafkaException(error).error, KafkaError | None)
assert_type(Uuid(1, 2).get_most_significant_bits(), int)
assert_type(murmur2(b"key", 3), int)

with MockCluster(brokers=1) as cluster:
    cluster.create_topic("a", 4)
    cluster.inject_errors("Produce", [KafkaError._TRANSPORT, error], broker_id=1)
    cluster.set_coordinator("group", "key", 1)
    cluster.set_coordinator("share", "key", 1)  # error
    assert_type(cluster.requests(), list[MockRequest])
"""


def run_module(*arguments: str | Path) -> str:
    """The output of `python -m` with the build in this tree, without a sanitizer's preloaded
    library."""
    settings = {
        name: value
        for name, value in os.environ.items()
        if name not in {"LD_PRELOAD", "PYTHONMALLOC"}
    } | {"PYTHONPATH": str(CONFIG.parent / "src")}
    command = [sys.executable, "-m", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=CONFIG.parent, env=settings, capture_output=True, text=True, timeout=900
    )
    return done.stdout + done.stderr


def test_modules_run_on_this_tree() -> None:
    """Even if the environment has the package of another checkout, the tools below read this
    checkout."""
    output = run_module("inspect", "confluent_kafka", "--details")
    assert f"Origin: {CONFIG.parent / 'src' / 'confluent_kafka'}" in output, output


def public_types() -> Iterator[type]:
    for module in (cimpl, admin, confluent_kafka):
        yield from (value for value in vars(module).values() if isinstance(value, type))


def public_callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions, types, and methods of types, by their names."""
    for name, value in vars(cimpl).items():
        if callable(value) and not name.startswith("_"):
            yield name, value
    for owner in vars(cimpl).values():
        if isinstance(owner, type):
            for name, value in vars(owner).items():
                is_method = inspect.ismethoddescriptor(value) and not isinstance(value, Elsewhere)
                if is_method and not name.startswith("_"):
                    yield f"{owner.__name__}.{name}", value


CALLABLES = dict(public_callables())


def test_stub_and_run_time_agree(tmp_path: Path) -> None:
    """The stub and the extension have the same names, methods, parameters and defaults, and the
    same classes can be subclassed."""
    # Codes depend on librdkafka, so test_constants_of_kafka_error() compares them. Names of methods
    # of other clients exist only for error messages.
    allowed = tmp_path / "allowed"
    codes = r"confluent_kafka\.cimpl\.KafkaError\._?[A-Z][A-Z_]+"
    elsewhere = rf"confluent_kafka\.cimpl\.\w+\.({'|'.join({**PRODUCER, **CONSUMER})})"
    allowed.write_text(f"{codes}\n{elsewhere}\n")
    output = run_module(
        "mypy.stubtest", "confluent_kafka.cimpl", "--ignore-unused-allowlist",
        "--allowlist", allowed, "--mypy-config-file", CONFIG,
    )  # fmt: skip
    assert re.match(r"Success: no issues found in 1 module\n", output), output


def test_constants_of_kafka_error() -> None:
    """The error codes agree with the librdkafka of the stub.

    Other versions may have more or fewer codes.
    """
    [stub] = [
        statement
        for statement in ast.parse(STUB.read_text()).body
        if isinstance(statement, ast.ClassDef) and statement.name == "KafkaError"
    ]
    declared = {
        statement.target.id: ast.literal_eval(statement.value)
        for statement in stub.body
        if isinstance(statement, ast.AnnAssign)
        and isinstance(statement.target, ast.Name)
        and statement.value is not None
    }
    known = {name: value for name, value in vars(KafkaError).items() if isinstance(value, int)}
    both = declared.keys() & known.keys()
    assert {name: declared[name] for name in both} == {name: known[name] for name in both}
    if confluent_kafka.libversion()[0] == VERSION:
        assert declared.keys() ^ known.keys() == set()


def test_usage_passes_mypy_strict(tmp_path: Path) -> None:
    """mypy --strict accepts real code, and reports each typical mistake."""
    script = tmp_path / "usage.py"
    script.write_text(USAGE)
    output = run_module("mypy", "--strict", "--config-file", CONFIG, script)
    found = {int(number) for number in re.findall(r"usage\.py:(\d+): error", output)}
    lines = USAGE.splitlines()
    marked = {number for number, line in enumerate(lines, 1) if line.endswith("# error")}
    assert found == marked, output


def test_package_passes_mypy_strict() -> None:
    """The package's own Python code passes mypy --strict with the stub of the extension."""
    output = run_module("mypy", "--strict", "--config-file", CONFIG, "src")
    assert output.startswith("Success:"), output


@pytest.mark.parametrize("name", CALLABLES)
def test_docstrings_document_parameters(name: str) -> None:
    """help() describes each argument under the name that the call takes."""
    function = CALLABLES[name]
    text = inspect.getdoc(function) or ""
    assert len(text) > 20
    if isinstance(function, type) and issubclass(function, (Exception, tuple)):
        return  # their constructors come from Exception and tuple
    # If a method has one argument and is named after it, the summary describes the argument.
    if name.startswith("Message.set_"):
        return
    section = re.split(r"\n\S", text.partition("\nArgs:\n")[2])[0]
    described = {
        word.strip().lstrip("*")
        for line in section.splitlines()
        if re.match(r" {4}\S", line)
        for word in re.split(r":| \(", line)[0].split(",")
    }
    parameters = set(inspect.signature(function).parameters) - {"self"}
    assert parameters <= described


def test_docstrings_have_sections_in_googles_style() -> None:
    """No docstring has a section in numpydoc's style, because the site and ruff would treat it as
    plain text."""
    numpydoc = re.compile(r"\b[A-Z]\w+s(\\n)?[\"\s\\]*-{3,}(\\n|$)", re.MULTILINE)
    assert numpydoc.search('"Returns\\n"\n"-------\\n"')
    assert numpydoc.search("    Notes\n    -----\n")
    sources = [path for end in ("c", "h", "py", "pyi") for path in STUB.parent.rglob(f"*.{end}")]
    assert not [path for path in sources if numpydoc.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("owner", sorted(set(public_types()), key=repr))
def test_docstrings_of_types(owner: type) -> None:
    """Every type, and every computed attribute of a type, has a docstring."""
    assert inspect.getdoc(owner)
    for name, value in vars(owner).items():
        if inspect.isgetsetdescriptor(value) and not name.startswith("_"):
            assert value.__doc__, f"{owner.__name__}.{name}"


def test_signatures_are_in_docstrings() -> None:
    """inspect.signature() returns the parameters of every callable, so that editors can show
    them."""
    unknown = []
    for name, function in CALLABLES.items():
        try:
            inspect.signature(function)
        except ValueError:
            unknown.append(name)
    exceptions = {name for name in CALLABLES if name.endswith("Exception")}
    assert set(unknown) == exceptions
