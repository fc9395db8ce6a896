"""confluent_kafka.protocol: messages as classes, their bytes and their errors."""

from __future__ import annotations

import ast
import copy
import pickle
import re
import tracemalloc
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from confluent_kafka import Uuid, protocol
from confluent_kafka.protocol import (
    CreateTopicsRequest,
    DescribeTopicPartitionsRequest,
    FetchRequest,
    FetchResponse,
    MalformedMessageError,
    MetadataRequest,
    MetadataResponse,
    ProduceRequest,
    RequestHeader,
    UnsupportedVersionError,
)
from confluent_kafka.protocol._tables import TABLES
from tests.support.messages import every_version, random_message
from tests.support.native import ROOT
from tests.support.scripts import check_script

Topic = MetadataRequest.MetadataRequestTopic
REQUEST = MetadataRequest(topics=[Topic(name="a")])


class TestClasses:
    def test_fields_have_defaults(self) -> None:
        """A field that is not given has the protocol's default.

        The default means the same as a version that does not have the field.
        """
        request = MetadataRequest()
        assert (request.topics, request.allow_auto_topic_creation) == ((), True)
        assert Topic() == Topic(topic_id=Uuid(0, 0), name="")
        assert CreateTopicsRequest().timeout_ms == 60_000
        assert FetchRequest().replica_state == FetchRequest.ReplicaState(replica_id=-1)
        assert DescribeTopicPartitionsRequest().cursor is None

    def test_values_are_immutable(self) -> None:
        """Fields cannot be set, and other attributes cannot be added.

        Arrays become tuples, and bytes are copied.
        """
        with pytest.raises(AttributeError):
            REQUEST.topics = ()  # type: ignore[misc]
        with pytest.raises(AttributeError):
            REQUEST.other = 1  # type: ignore[attr-defined]
        given = bytearray(b"abc")
        partition = ProduceRequest.PartitionProduceData(records=given)  # type: ignore[arg-type]
        given[0] = 0
        assert partition.records == b"abc"
        assert type(REQUEST.topics) is tuple

    def test_equality_is_of_class_and_fields(self) -> None:
        """Structs of two classes are not equal, even with equal values.

        A struct does not equal a tuple.
        """
        assert MetadataRequest(topics=(Topic(name="a"),)) == REQUEST
        assert hash(MetadataRequest(topics=(Topic(name="a"),))) == hash(REQUEST)
        assert REQUEST.replace(topics=None) != REQUEST
        one, other = protocol.EndTxnMarker(), protocol.HeartbeatResponse()
        assert one != other
        assert not one == tuple(one)  # type: ignore[call-overload] # noqa: SIM201
        assert not tuple(one) == one  # type: ignore[call-overload] # noqa: SIM201

    def test_copies(self) -> None:
        """copy() and deepcopy() return the same object, and pickle creates an equal object."""
        assert copy.copy(REQUEST) is REQUEST
        assert copy.deepcopy(REQUEST) is REQUEST
        for number in range(pickle.HIGHEST_PROTOCOL + 1):
            if number >= 4:  # older protocols cannot name a nested class
                assert pickle.loads(pickle.dumps(REQUEST, number)) == REQUEST

    def test_repr_evaluates_to_an_equal_message(self) -> None:
        """repr() returns the call that creates the message.

        It shows unknown tagged fields if there are any.
        """
        broker = MetadataResponse.MetadataResponseBroker(node_id=1, host="a", port=9092)
        assert repr(broker) == (
            "MetadataResponse.MetadataResponseBroker(node_id=1, host='a', port=9092, rack=None)"
        )
        assert eval(repr(broker)) == broker
        tagged = broker.replace(unknown_tagged_fields=[(5, b"x")])
        assert repr(tagged).endswith("unknown_tagged_fields=((5, b'x'),))")

    @pytest.mark.parametrize(
        ("fields", "error", "text"),
        [
            ({"topic": ()}, TypeError, "MetadataRequest has no field 'topic': did you mean"),
            ({"topics": 5}, TypeError, "MetadataRequest.topics must be an iterable, not int"),
            ({"topics": Topic()}, TypeError, "must be an iterable, not MetadataRequestTopic"),
            ({"topics": "abc"}, TypeError, "must be an iterable, not str"),
            ({"topics": ["a"]}, TypeError, "topics.0. must be MetadataRequest.MetadataRequestT"),
            ({"allow_auto_topic_creation": 1}, TypeError, "must be bool, not int"),
        ],
    )
    def test_wrong_fields(self, fields: dict[str, object], error: type, text: str) -> None:
        """The error names the wrong field and the possible fields."""
        with pytest.raises(error, match=text):
            MetadataRequest(**fields)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("fields", "error", "text"),
        [
            ({"node_id": 2**31}, ValueError, "node_id must be from -2147483648 to 2147483647"),
            ({"node_id": "1"}, TypeError, "node_id must be int, not str"),
            ({"host": b"a"}, TypeError, "host must be str, not bytes"),
            ({"host": None}, TypeError, "host must be str, not NoneType"),
            ({"host": "\ud800"}, ValueError, "host must be text that UTF-8 can write"),
            ({"host": "ü" * 2**14}, ValueError, "host must have at most 32767 bytes of UTF-8"),
            ({"unknown_tagged_fields": [(1, b""), (1, b"")]}, ValueError, "has tag 1 twice"),
            ({"unknown_tagged_fields": [1]}, TypeError, "must be a pair of tag and bytes"),
            ({"unknown_tagged_fields": 1}, TypeError, "must be an iterable of pairs"),
        ],
    )
    def test_wrong_values(self, fields: dict[str, object], error: type, text: str) -> None:
        """A value that could not be written is refused when the message is created."""
        with pytest.raises(error, match=text):
            MetadataResponse.MetadataResponseBroker(**fields)  # type: ignore[arg-type]

    def test_request_and_response_know_each_other(self) -> None:
        """The classes of request and response refer to each other, and the API key leads to the
        request."""
        assert MetadataRequest.response_class is MetadataResponse
        assert MetadataResponse.request_class is MetadataRequest
        assert MetadataRequest.api_key == MetadataResponse.api_key == 3
        assert protocol.request_class(3) is MetadataRequest

    def test_help_names_the_fields(self) -> None:
        """The docstring of a class lists the fields with types and versions."""
        assert "\n    name string 0+ nullable=10+" in str(Topic.__doc__)

    def test_versions(self) -> None:
        """valid_versions and flexible_versions are ranges of the existing versions."""
        assert MetadataRequest.valid_versions == range(14)
        assert MetadataRequest.flexible_versions == range(9, 14)
        assert not MetadataRequest.latest_version_unstable
        assert protocol.InitProducerIdRequest.latest_version_unstable

    def test_unknown_names(self) -> None:
        """Unknown names and API keys raise errors."""
        with pytest.raises(AttributeError, match="has no attribute 'MetadataReqest'"):
            protocol.MetadataReqest  # type: ignore[attr-defined] # noqa: B018
        with pytest.raises(ValueError, match="did you mean 'MetadataRequest'"):
            protocol.message_class("MetadataReqest")
        with pytest.raises(ValueError, match="no request with the API key 999"):
            protocol.request_class(999)

    def test_all_are_listed(self) -> None:
        """dir() lists every message, although most classes are created later."""
        assert {name for name, _ in every_version()} <= set(dir(protocol))

    def test_threads_get_one_class(self) -> None:
        """The first thread creates the class. Two classes would make equal messages unequal."""
        script = """
            from concurrent.futures import ThreadPoolExecutor
            from confluent_kafka import protocol
            with ThreadPoolExecutor(8) as pool:
                made = set(pool.map(protocol.message_class, ["FetchResponse"] * 200))
            assert made == {protocol.FetchResponse}
        """
        check_script(script)

    def test_nothing_is_made_before_it_is_asked_for(self) -> None:
        """Importing the package does not load the protocol, and importing the protocol creates no
        class."""
        script = """
            import sys
            import confluent_kafka
            assert "confluent_kafka.protocol" not in sys.modules
            from confluent_kafka import protocol
            assert protocol.Request.__subclasses__() == []
            made = protocol.MetadataRequest
            assert protocol.Request.__subclasses__() == [made]
        """
        check_script(script)

    def test_the_stub_has_every_name(self) -> None:
        """The stub and the module have the same names."""
        stub = ast.parse(Path(protocol.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
        named = {
            node.name
            for node in stub.body
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
        }
        errors = {"MalformedMessageError", "UnsupportedVersionError"}
        assert named | errors == {*protocol.__all__, *TABLES}

    def test_the_stub_has_every_field(self) -> None:
        """The stub has all fields of messages and of their structs."""
        stub = ast.parse(Path(protocol.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
        for node in stub.body:
            if isinstance(node, ast.ClassDef) and node.name in TABLES:
                assert_fields(node, protocol.message_class(node.name))


def assert_fields(node: ast.ClassDef, made: type) -> None:
    """A class of the stub has the same fields as the class at run time, in their order."""
    fields = [
        each.target.id
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.value
    ]
    assert [*fields, "unknown_tagged_fields"] == list(made._fields)  # type: ignore[attr-defined]
    for each in node.body:
        if isinstance(each, ast.ClassDef):
            assert_fields(each, getattr(made, each.name))


class TestBytes:
    @pytest.mark.parametrize(
        ("version", "data"),
        [
            (0, "00000001 000161"),
            (4, "00000001 000161 01"),
            (9, "02 0261 00 01 00 00 00"),
            (13, "02 00000000000000000000000000000000 0261 00 01 00 00"),
        ],
    )
    def test_known_bytes(self, version: int, data: str) -> None:
        """Messages have the bytes that the protocol's documentation describes: plain, and compact
        with tagged fields."""
        assert REQUEST.encode(version) == bytes.fromhex(data)
        assert MetadataRequest.decode(bytes.fromhex(data), version) == REQUEST

    def test_every_message_and_version(self) -> None:
        """Every message in every version is written, read, and written again with the same
        bytes."""
        for name, version in every_version():
            for seed in range(2):
                message = random_message(name, version, Random(seed))
                data = message.encode(version)
                again = type(message).decode(data, version)
                assert again == message, (name, version)
                assert again.encode(version) == data

    def test_any_buffer_is_read(self) -> None:
        """decode() accepts any buffer, not only bytes."""
        data = REQUEST.encode(9)
        assert MetadataRequest.decode(bytearray(data), 9) == REQUEST
        assert MetadataRequest.decode(memoryview(b"x" + data)[1:], 9) == REQUEST
        with pytest.raises(TypeError, match="data must be bytes, not str"):
            MetadataRequest.decode("abc", 9)  # type: ignore[arg-type]

    def test_null_is_not_empty(self) -> None:
        """A null array, such as "all topics", and an empty array stay different."""
        for version in (1, 12):
            for topics in ((), None):
                request = MetadataRequest(topics=topics)
                assert MetadataRequest.decode(request.encode(version), version) == request

    def test_tagged_fields(self) -> None:
        """Tagged fields with their default are not written; unknown tagged fields stay, in
        order."""
        plain = FetchRequest()
        assert FetchRequest(cluster_id="a").encode(17).endswith(bytes.fromhex("01 00 02 0261"))
        assert plain.encode(17).endswith(b"\0")
        both = FetchRequest(cluster_id="a", unknown_tagged_fields=[(70, b"z"), (60, b"")])
        assert both.encode(17).endswith(bytes.fromhex("03 00 02 0261 3c 00 46 01 7a"))
        assert FetchRequest.decode(both.encode(17), 17) == both
        assert both.unknown_tagged_fields == ((60, b""), (70, b"z"))

    def test_a_known_tag_is_not_unknown(self) -> None:
        """An unknown tagged field cannot have the tag of a named field."""
        request = FetchRequest(cluster_id="a", unknown_tagged_fields=[(0, b"")])
        with pytest.raises(UnsupportedVersionError, match="tag 0, which belongs to a named field"):
            request.encode(17)
        with pytest.raises(UnsupportedVersionError, match="tag 0, which belongs to a named field"):
            FetchRequest(unknown_tagged_fields=[(0, b"")]).encode(17)


class TestVersions:
    def test_a_version_without_the_field(self) -> None:
        """encode() does not drop a field that changes the meaning of the message.

        The error names the field and the version.
        """
        request = MetadataRequest(allow_auto_topic_creation=False)
        with pytest.raises(
            UnsupportedVersionError,
            match=r"MetadataRequest\.allow_auto_topic_creation is False, but version 3 has no such",
        ):
            request.encode(3)
        assert len(request.encode(4)) == 5

    def test_an_ignorable_field_is_dropped(self) -> None:
        """An older version leaves out an ignorable field."""
        response = MetadataResponse(cluster_id="a", throttle_time_ms=5)
        assert MetadataResponse.decode(response.encode(0), 0) == MetadataResponse()

    def test_null_where_the_version_has_none(self) -> None:
        """A null array cannot be written in a version without nulls."""
        with pytest.raises(
            UnsupportedVersionError, match=r"MetadataRequest.topics cannot be None in version 0"
        ):
            MetadataRequest(topics=None).encode(0)

    def test_no_tagged_fields_in_two_bytes(self) -> None:
        """A varint may have more bytes than necessary, also the number 0 of tagged fields."""
        request = MetadataRequest(topics=[])
        written = request.encode(12)
        assert written.endswith(b"\0")
        assert MetadataRequest.decode(written[:-1] + b"\x80\0", 12) == request

    def test_tagged_fields_where_the_version_has_none(self) -> None:
        """Unknown tagged fields are refused, not dropped, in a version without tagged fields."""
        request = MetadataRequest(unknown_tagged_fields=[(1, b"")])
        with pytest.raises(UnsupportedVersionError, match=r"tagged_fields is .*, but version 8"):
            request.encode(8)

    @pytest.mark.parametrize("version", [-1, 14, None, "3"])
    def test_unknown_versions(self, version: int) -> None:
        """The error names the existing versions."""
        text = f"MetadataRequest has versions 0 to 13, not {version!r}"
        with pytest.raises(UnsupportedVersionError, match=text):
            REQUEST.encode(version)
        with pytest.raises(UnsupportedVersionError, match=text):
            MetadataRequest.decode(b"", version)

    def test_errors_are_value_errors(self) -> None:
        """Both errors are ValueErrors, so that programs can catch them together."""
        assert issubclass(UnsupportedVersionError, ValueError)
        assert issubclass(MalformedMessageError, ValueError)


class TestHeaders:
    def test_versions(self) -> None:
        """Flexible requests and responses have flexible headers, except for ApiVersions."""
        assert [protocol.request_header_version(3, version) for version in (8, 9)] == [1, 2]
        assert [protocol.response_header_version(3, version) for version in (8, 9)] == [0, 1]
        assert [protocol.request_header_version(18, version) for version in (2, 3)] == [1, 2]
        assert [protocol.response_header_version(18, version) for version in (2, 3)] == [0, 0]

    @pytest.mark.parametrize(("key", "version"), [(3, 99), (999, 0), (7, 0)])
    def test_unknown(self, key: int, version: int) -> None:
        """Removed requests have no header version.

        That includes ControlledShutdown, which had header version 0.
        """
        with pytest.raises(UnsupportedVersionError):
            protocol.request_header_version(key, version)
        with pytest.raises(UnsupportedVersionError):
            protocol.response_header_version(key, version)

    def test_client_id_is_never_compact(self) -> None:
        """The client id is never compact, so that old brokers can read it in any request."""
        header = RequestHeader(request_api_key=18, request_api_version=3, client_id="ab")
        assert header.encode(2) == bytes.fromhex("0012 0003 00000000 0002 6162 00")


def test_as_dict() -> None:
    """as_dict() turns structs into dicts and arrays into lists. The key for unknown fields exists
    only if there are such fields."""
    Topic = MetadataRequest.MetadataRequestTopic  # noqa: N806
    message = MetadataRequest(topics=[Topic(name="a", unknown_tagged_fields=[(9, b"x")])])
    assert message.as_dict() == {
        "topics": [{"topic_id": Uuid(0, 0), "name": "a", "unknown_tagged_fields": [[9, b"x"]]}],
        "allow_auto_topic_creation": True,
        "include_cluster_authorized_operations": False,
        "include_topic_authorized_operations": False,
    }


class TestRecordsOfTopics:
    def test_no_fields(self) -> None:
        """The bytes of a message without fields are only the number of tagged fields."""
        empty = protocol.EndTransactionRecord()
        assert empty.encode(0) == b"\0"
        assert protocol.EndTransactionRecord.decode(b"\0", 0) == empty

    def test_null_in_a_tagged_struct(self) -> None:
        """A null struct in a tagged field is written as 0, as in Java.

        Elsewhere it is written as -1.
        """
        Value = protocol.ConsumerGroupMemberMetadataValue  # noqa: N806
        message = Value(client_id="a", client_host="b", classic_member_metadata=None)
        data = message.encode(0)
        assert data.endswith(bytes.fromhex("ffffffff 01 01 00 01 00"))
        assert Value.decode(data, 0) == message


class TestMalformed:
    @pytest.mark.parametrize(
        ("data", "version", "text"),
        [
            ("", 0, "it is longer than the 0 bytes"),
            ("00000001 0001", 0, "name has a length of 1, and 0 bytes follow"),
            ("00000000 00", 0, "it ends at byte 4 of 5"),
            ("ffffffff", 0, "topics is null"),
            ("fffffffe", 1, "topics has a length of -2, and 0 bytes follow"),
            ("7fffffff 000161", 0, "topics has a length of 2147483647, and 3 bytes follow"),
            ("00000001 ffff", 0, "name is null"),
            ("00000001 0001ff", 0, "a string is not UTF-8"),
            ("ffffffffff", 9, "the number that ends at byte 5 has more than 5 bytes"),
            ("ffffffff0f", 9, "topics has a length of 4294967294, and 0 bytes follow"),
            (
                "02 0261 00 01 00 00 02 05 00 05 00",
                9,
                "tag 5 of MetadataRequest is not larger than the tag",
            ),
            ("02 0261 00 01 00 00 01 05 02 00", 9, "with tag 5 has a length of 2, and 1 bytes"),
            (
                "02 0261 00 01 00 00 7f 05 02 00",
                9,
                "tagged fields of MetadataRequest has a length of",
            ),
        ],
    )
    def test_what_is_wrong(self, data: str, version: int, text: str) -> None:
        """The error names the message, the version and the field."""
        with pytest.raises(MalformedMessageError, match=text) as raised:
            MetadataRequest.decode(bytes.fromhex(data), version)
        assert str(raised.value).startswith(f"MetadataRequest of version {version}: ")

    def test_a_tagged_field_has_its_size(self) -> None:
        """A tagged field has exactly the size that its tag gives."""
        good = FetchRequest(cluster_id="ab").encode(17)
        assert good.endswith(bytes.fromhex("01 00 03 036162"))
        for end in ("01 00 04 03616200", "01 00 02 036162"):
            with pytest.raises(
                MalformedMessageError, match=r"cluster_id does not end at byte \d+, as"
            ):
                FetchRequest.decode(good[:-6] + bytes.fromhex(end), 17)

    def test_every_beginning_is_refused(self) -> None:
        """A message that is cut off anywhere raises only the error for malformed messages."""
        for name, version in every_version():
            message = random_message(name, version, Random(3))
            data = message.encode(version)
            for size in {0, len(data) // 3, len(data) // 2, len(data) - 1} - {len(data)}:
                if size >= 0:
                    with pytest.raises(MalformedMessageError):
                        type(message).decode(data[:size], version)

    @pytest.mark.parametrize("length", [b"\xff\xff\xff\xff\x07", b"\x7f\xff\xff\xff", b"\x7f\xff"])
    def test_a_length_takes_no_memory(self, length: bytes) -> None:
        """A huge length at any place is refused before memory is allocated for it."""
        messages = [random_message("FetchResponse", version, Random(9)) for version in (4, 12, 17)]
        tracemalloc.start()
        try:
            for version, message in zip((4, 12, 17), messages, strict=True):
                data = message.encode(version)
                for place in range(len(data) - len(length)):
                    spoilt = data[:place] + length + data[place + len(length) :]
                    with suppress(MalformedMessageError):
                        FetchResponse.decode(spoilt, version)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 1_000_000


@pytest.mark.parametrize(
    ("offered", "version"), [((0, 99), 5), ((0, 3), 3), ((2, 2), 2), ((5, 7), 5), ((1, 1), 1)]
)
def test_version_that_both_have(offered: tuple[int, int], version: int) -> None:
    """The latest version that both sides support is chosen. DescribeLogDirs has versions 1 to 5."""
    assert protocol.DescribeLogDirsRequest.common_version(offered) == version


@pytest.mark.parametrize(
    ("offered", "told"), [(None, "does not know"), ((0, 0), "0 to 0"), ((6, 9), "6 to 9")]
)
def test_no_version_that_both_have(offered: tuple[int, int] | None, told: str) -> None:
    """The error names the versions of the broker."""
    with pytest.raises(protocol.UnsupportedVersionError, match=told):
        protocol.DescribeLogDirsRequest.common_version(offered)


def test_flexible_versions_that_the_extension_knows() -> None:
    """The extension's table of flexible versions is correct for every request."""
    source = (ROOT / "src/confluent_kafka/csrc/client/raw_header.c").read_text()
    table = source.split("first_flexible[] = {")[1].split("}")[0]
    first = re.sub(r"/\*.*?\*/", "", table).replace("NEVER", "127").split(",")[:-1]
    for name in TABLES:
        message = getattr(protocol, name)
        if issubclass(message, protocol.Request):
            flexible = message.flexible_versions
            known = range(int(first[message.api_key]), message.valid_versions.stop)
            assert set(known) & set(message.valid_versions) == set(flexible), name
