"""The codec and the protocol write and read the same bytes as kafka-python 0.9.5."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from confluent_kafka import protocol as kafkas
from confluent_kafka.compat.kafka_0_9 import codec, protocol
from confluent_kafka.compat.kafka_0_9.common import (
    BrokerMetadata,
    BufferUnderflowError,
    ChecksumError,
    ConsumerFetchSizeTooSmall,
    ConsumerMetadataResponse,
    FetchRequest,
    Message,
    MetadataResponse,
    OffsetAndMessage,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    OffsetRequest,
    OffsetResponse,
    PartitionMetadata,
    ProduceRequest,
    ProduceResponse,
    ProtocolError,
    TopicMetadata,
    UnsupportedCodecError,
)
from confluent_kafka.compat.kafka_0_9.protocol import KafkaProtocol
from confluent_kafka.protocol import records

PAIRS = [(b"v", b"k"), (b"w", None)]
# The messages of create_message(b"v", b"k") and create_message(b"w").
SET = bytes.fromhex(
    "0000000000000000 00000010 1fecd70a 00 00 00000001 6b 00000001 76"
    "0000000000000000 0000000f a50b8f63 00 00 ffffffff 00000001 77"
)
FIRST = OffsetAndMessage(0, Message(0, 0, b"k", b"v"))
SECOND = OffsetAndMessage(0, Message(0, 0, None, b"w"))


class TestCodec:
    @pytest.mark.parametrize("level", [None, 0, 1, 9])
    def test_gzip(self, level: int | None) -> None:
        """gzip_encode() writes a gzip file. Level 0 means the strongest compression, like None."""
        data = b"some text " * 100
        packed = codec.gzip_encode(data, level)
        assert gzip.decompress(packed) == codec.gzip_decode(packed) == data
        assert len(packed) < 60
        assert codec.gzip_decode(None) == b""

    @pytest.mark.parametrize(
        ("data", "error"),
        [(b"abc", gzip.BadGzipFile), (gzip.compress(b"x")[:-1], EOFError)],
        # Without these ids, the test's name would contain the time that gzip writes.
        ids=["no gzip", "cut off"],
    )
    def test_broken_gzip(self, data: bytes, error: type[Exception]) -> None:
        """Broken data raises the exceptions of Python's gzip module."""
        with pytest.raises(error):
            codec.gzip_decode(data)

    def test_snappy(self) -> None:
        """Both forms of Snappy are written and read.

        The reader recognises the form by its first bytes.
        """
        assert codec.snappy_encode(b"abc") == b"\x03\x08abc"
        framed = codec.snappy_encode(b"abcdefabcdef", True, 5)
        header = b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1)
        blocks = (b"\x05\x10abcde", b"\x05\x10fabcd", b"\x02\x04ef")
        assert framed == header + b"".join(struct.pack(">i", len(b)) + b for b in blocks)
        for packed in (framed, codec.snappy_encode(b"abcdefabcdef")):
            assert codec.snappy_decode(packed) == b"abcdefabcdef"

    def test_broken_snappy(self) -> None:
        """Broken Snappy raises a ProtocolError, because Python has no module for Snappy with its
        own exception."""
        with pytest.raises(ProtocolError, match="snappy"):
            codec.snappy_decode(b"abc")

    @pytest.mark.parametrize(
        ("encode", "decode"),
        [(codec.gzip_encode, codec.gzip_decode), (codec.snappy_encode, codec.snappy_decode)],
    )
    def test_bombs(
        self,
        monkeypatch: pytest.MonkeyPatch,
        encode: Callable[[bytes], bytes],
        decode: Callable[[bytes], bytes],
    ) -> None:
        """At most 128 MiB are unpacked, which protects against decompression bombs."""
        packed = encode(bytes(10_000_000))
        assert len(decode(packed)) == 10_000_000
        monkeypatch.setattr(codec, "MAX_SIZE", 9_999_999)
        with pytest.raises(ProtocolError, match="more than 9999999"):
            decode(packed)

    def test_both_are_there(self) -> None:
        """Both codecs work without another package."""
        assert (codec.has_gzip(), codec.has_snappy()) == (True, True)


class TestCreating:
    def test_message(self) -> None:
        """A message has the given fields."""
        assert protocol.create_message(b"v", b"k") == Message(0, 0, b"k", b"v")
        assert protocol.create_message(None) == Message(0, 0, None, None)

    def test_gzip(self) -> None:
        """A gzip message contains its messages, and has its own key."""
        message = protocol.create_gzip_message(PAIRS, b"K", 1)
        assert (message.magic, message.attributes, message.key) == (0, 1, b"K")
        assert gzip.decompress(message.value or b"") == SET

    def test_snappy(self) -> None:
        """A snappy message contains its messages, without Java's framing."""
        message = protocol.create_snappy_message(PAIRS)
        assert (message.magic, message.attributes, message.key) == (0, 2, None)
        assert codec.snappy_decode(message.value or b"") == SET

    def test_set(self) -> None:
        """A message set is a list of the messages, or a list of one compressed message that
        contains them."""
        plain = [protocol.create_message(*pair) for pair in PAIRS]
        assert protocol.create_message_set(PAIRS) == plain
        snappy = protocol.create_snappy_message(PAIRS, b"K")
        assert protocol.create_message_set(PAIRS, protocol.CODEC_SNAPPY, b"K") == [snappy]
        [packed] = protocol.create_message_set(PAIRS, protocol.CODEC_GZIP, b"K", 9)
        assert (packed.attributes, packed.key) == (1, b"K")
        assert protocol.create_message_set([]) == []
        with pytest.raises(UnsupportedCodecError, match=r"one of \(0, 1, 2\), not 3"):
            protocol.create_message_set(PAIRS, 3)

    def test_they_are_message_sets(self) -> None:
        """The messages are of format 0 and can be read by protocol.records, which is tested against
        Java."""
        body = KafkaProtocol.encode_produce_request(
            b"", 1, [ProduceRequest(b"t", 0, protocol.create_message_set(PAIRS, 2))]
        )
        [entry] = records.read(body[body.index(bytes(8), 20) :], check_crc=True)
        assert [(record.value, record.key) for record in entry.records()] == PAIRS


MESSAGES = [protocol.create_message(b"v", b"k")]
REQUESTS: list[tuple[bytes, str]] = [
    (
        KafkaProtocol.encode_metadata_request(b"cid", 3, [b"t1", b"t2"]),
        "00000019 0003 0000 00000003 0003636964 00000002 00027431 00027432",
    ),
    (
        KafkaProtocol.encode_metadata_request(b"cid", 3),
        "00000011 0003 0000 00000003 0003636964 00000000",
    ),
    (
        KafkaProtocol.encode_metadata_request(b"cid", 3, [b"y"], payloads=[b"x"]),
        "00000014 0003 0000 00000003 0003636964 00000001 000178",
    ),
    (
        KafkaProtocol.encode_produce_request(
            b"cid",
            3,
            [
                ProduceRequest(b"t", 0, MESSAGES),
                ProduceRequest(b"u", 0, MESSAGES),
                ProduceRequest(b"t", 1, [protocol.create_message(b"x")]),
            ],
            acks=-1,
            timeout=99,
        ),
        "00000090 0000 0000 00000003 0003636964 ffff 00000063 00000002"
        "000174 00000002"
        "00000000 0000001c 0000000000000000 00000010 1fecd70a 00 00 00000001 6b 00000001 76"
        "00000001 0000001b 0000000000000000 0000000f 35b492f2 00 00 ffffffff 00000001 78"
        "000175 00000001"
        "00000000 0000001c 0000000000000000 00000010 1fecd70a 00 00 00000001 6b 00000001 76",
    ),
    (
        KafkaProtocol.encode_produce_request(b"cid", 3),
        "00000017 0000 0000 00000003 0003636964 0001 000003e8 00000000",
    ),
    (
        KafkaProtocol.encode_fetch_request(
            b"cid",
            4,
            [FetchRequest(b"t", 0, 5, 100), FetchRequest(b"t", 1, 6, 100)],
            max_wait_time=7,
            min_bytes=9,
        ),
        "00000044 0001 0000 00000004 0003636964 ffffffff 00000007 00000009 00000001"
        "000174 00000002 00000000 0000000000000005 00000064 00000001 0000000000000006 00000064",
    ),
    (
        KafkaProtocol.encode_fetch_request(b"cid", 4),
        "0000001d 0001 0000 00000004 0003636964 ffffffff 00000064 00001000 00000000",
    ),
    (
        KafkaProtocol.encode_offset_request(b"cid", 4, [OffsetRequest(b"t", 0, -1, 2)]),
        "0000002c 0002 0000 00000004 0003636964 ffffffff 00000001"
        "000174 00000001 00000000 ffffffffffffffff 00000002",
    ),
    (
        KafkaProtocol.encode_offset_commit_request(
            b"cid",
            4,
            b"g",
            [OffsetCommitRequest(b"t", 0, 5, b"m"), OffsetCommitRequest(b"t", 1, 5, None)],
        ),
        "00000038 0008 0000 00000004 0003636964 000167 00000001 000174 00000002"
        "00000000 0000000000000005 00016d 00000001 0000000000000005 ffff",
    ),
    (
        KafkaProtocol.encode_offset_fetch_request(b"cid", 4, b"g", [OffsetFetchRequest(b"t", 0)]),
        "0000001f 0009 0000 00000004 0003636964 000167 00000001 000174 00000001 00000000",
    ),
    (
        KafkaProtocol.encode_offset_fetch_request(
            b"cid", 4, b"g", [OffsetFetchRequest(b"t", 0)], from_kafka=True
        ),
        "0000001f 0009 0001 00000004 0003636964 000167 00000001 000174 00000001 00000000",
    ),
    (
        KafkaProtocol.encode_consumer_metadata_request(b"cid", 4, b"g"),
        "00000010 000a 0000 00000004 0003636964 000167",
    ),
]


class TestRequests:
    @pytest.mark.parametrize(("written", "expected"), REQUESTS)
    def test_bytes(self, written: bytes, expected: str) -> None:
        """Requests have the bytes that version 0.9.5 writes."""
        assert written == bytes.fromhex(expected)

    @pytest.mark.parametrize(
        ("written", "message"),
        [
            (
                KafkaProtocol.encode_metadata_request(b"cid", 3, [b"t"]),
                kafkas.MetadataRequest(
                    topics=[kafkas.MetadataRequest.MetadataRequestTopic(name="t")]
                ),
            ),
            (
                KafkaProtocol.encode_consumer_metadata_request(b"cid", 3, b"g"),
                kafkas.FindCoordinatorRequest(key="g"),
            ),
            (
                KafkaProtocol.encode_offset_fetch_request(
                    b"cid", 3, b"g", [OffsetFetchRequest(b"t", 4)], from_kafka=True
                ),
                kafkas.OffsetFetchRequest(
                    group_id="g",
                    topics=[
                        kafkas.OffsetFetchRequest.OffsetFetchRequestTopic(
                            name="t", partition_indexes=[4]
                        )
                    ],
                ),
            ),
        ],
    )
    def test_versions_that_there_still_are(self, written: bytes, message: kafkas.Request) -> None:
        """For versions that still exist, Kafka's own definitions result in the same bytes."""
        key, version, number = struct.unpack_from(">hhi", written, 4)
        header = kafkas.RequestHeader(
            request_api_key=key,
            request_api_version=version,
            correlation_id=number,
            client_id="cid",
        )
        assert key == message.api_key
        assert written[4:] == header.encode(1) + message.encode(version)

    def test_one_payload_for_each_partition(self) -> None:
        """Two payloads for one partition are refused, because their responses could not be
        distinguished."""
        payloads = [ProduceRequest(b"t", 0, MESSAGES)] * 2
        with pytest.raises(AssertionError, match="Duplicate ProduceRequests for b't' 0"):
            KafkaProtocol.encode_produce_request(b"cid", 3, payloads)

    def test_other_formats_are_refused(self) -> None:
        """Messages of formats other than 0 are refused."""
        with pytest.raises(ProtocolError, match="must be 0, not 1"):
            KafkaProtocol.encode_produce_request(
                b"", 1, [ProduceRequest(b"t", 0, [Message(1, 0, None, b"")])]
            )


def answer(*partitions: bytes) -> bytes:
    """A response about the topic "t". The data of each partition follow the partition's number."""
    start = struct.pack(">iih1si", 3, 1, 1, b"t", len(partitions))
    return start + b"".join(struct.pack(">i", n) + each for n, each in enumerate(partitions))


def fetched(*sets: bytes) -> list[list[OffsetAndMessage]]:
    """The messages of each partition."""
    data = answer(*(struct.pack(">hqi", 0, 99, len(each)) + each for each in sets))
    return [list(each.messages) for each in KafkaProtocol.decode_fetch_response(data)]


def entry(body: bytes, crc: int | None = None) -> bytes:
    """A message with these bytes after its checksum."""
    checked = struct.pack(">I", zlib.crc32(body) if crc is None else crc) + body
    return struct.pack(">qi", 5, len(checked)) + checked


def wrapper(attributes: int, value: bytes | None) -> bytes:
    size = -1 if value is None else len(value)
    return entry(struct.pack(">bbii", 0, attributes, -1, size) + (value or b""))


class TestAnswers:
    def test_numbers(self) -> None:
        """Responses that contain only numbers are decoded."""
        produced = answer(struct.pack(">hq", 7, 55), struct.pack(">hq", 0, 56))
        assert list(KafkaProtocol.decode_produce_response(produced)) == [
            ProduceResponse(b"t", 0, 7, 55),
            ProduceResponse(b"t", 1, 0, 56),
        ]
        committed = answer(struct.pack(">h", 7))
        assert list(KafkaProtocol.decode_offset_commit_response(committed)) == [
            OffsetCommitResponse(b"t", 0, 7)
        ]
        offsets = answer(struct.pack(">hiqq", 7, 2, 55, 66))
        assert list(KafkaProtocol.decode_offset_response(offsets)) == [
            OffsetResponse(b"t", 0, 7, (55, 66))
        ]
        fetched = answer(struct.pack(">qh1sh", 7, 1, b"m", 3), struct.pack(">qhh", 8, -1, 0))
        assert list(KafkaProtocol.decode_offset_fetch_response(fetched)) == [
            OffsetFetchResponse(b"t", 0, 7, b"m", 3),
            OffsetFetchResponse(b"t", 1, 8, None, 0),  # type: ignore[arg-type]
        ]

    def test_cluster(self) -> None:
        """Brokers and topics are decoded from bytes that Kafka's own definitions write."""
        answer = kafkas.MetadataResponse
        partition = answer.MetadataResponsePartition(
            partition_index=4, leader_id=7, replica_nodes=[7, 8], isr_nodes=[8], error_code=9
        )
        message = answer(
            brokers=[answer.MetadataResponseBroker(node_id=7, host="h", port=9092)],
            topics=[answer.MetadataResponseTopic(error_code=5, name="t", partitions=[partition])],
        )
        data = struct.pack(">i", 1) + message.encode(0)
        assert KafkaProtocol.decode_metadata_response(data) == MetadataResponse(
            [BrokerMetadata(7, b"h", 9092)],
            [TopicMetadata(b"t", 5, [PartitionMetadata(b"t", 4, 7, (7, 8), (8,), 9)])],
        )

    def test_coordinator(self) -> None:
        """The coordinator of a group is decoded from bytes that Kafka's own definitions write."""
        message = kafkas.FindCoordinatorResponse(error_code=2, node_id=7, host="h", port=9092)
        data = struct.pack(">i", 1) + message.encode(0)
        response = KafkaProtocol.decode_consumer_metadata_response(data)
        assert response == ConsumerMetadataResponse(2, 7, b"h", 9092)

    def test_lazy(self) -> None:
        """A response is decoded only when the program reads it."""
        assert isinstance(KafkaProtocol.decode_produce_response(b""), Iterator)

    def test_every_beginning_is_too_short(self) -> None:
        """A response that is cut short anywhere raises an error."""
        data = answer(struct.pack(">hqi", 0, 99, len(SET)) + SET)
        for end in range(len(data)):
            with pytest.raises(BufferUnderflowError):
                list(KafkaProtocol.decode_fetch_response(data[:end]))
        for size in (-2, 2**31 - 1):
            with pytest.raises(BufferUnderflowError):
                list(KafkaProtocol.decode_offset_response(answer(struct.pack(">hi", 0, size))))


class TestMessages:
    def test_plain(self) -> None:
        """Uncompressed messages are decoded. A partition may have no messages."""
        assert fetched(SET, b"") == [[FIRST, SECOND], []]

    @pytest.mark.parametrize("pack", [codec.gzip_encode, codec.snappy_encode])
    def test_compressed(self, pack: Callable[[bytes], bytes]) -> None:
        """The messages in a compressed message are returned, with their own offsets."""
        number = 1 if pack is codec.gzip_encode else 2
        assert fetched(wrapper(number, pack(SET)) + SET) == [[FIRST, SECOND, FIRST, SECOND]]

    def test_last_one_is_cut_off(self) -> None:
        """If the last message is cut off, the messages before it are returned.

        If there are none, decoding fails.
        """
        for end in range(28, len(SET)):
            assert fetched(SET[:end]) == [[FIRST]]
        for end in range(1, 28):
            with pytest.raises(ConsumerFetchSizeTooSmall):
                fetched(SET[:end])

    def test_checksum(self) -> None:
        """A change of any bit raises a checksum error."""
        for place in range(12, 28):
            with pytest.raises(ChecksumError, match="Message checksum failed"):
                fetched(SET[:place] + bytes([SET[place] ^ 1]) + SET[place + 1 :])

    def test_codecs_that_0_9_5_does_not_know(self) -> None:
        """LZ4 messages are skipped, and higher bits of the attributes are ignored."""
        assert fetched(wrapper(3, b"x")) == [[]]
        assert fetched(wrapper(4, b"x")) == [[OffsetAndMessage(5, Message(0, 4, None, b"x"))]]

    @pytest.mark.parametrize(
        ("data", "error"),
        [
            (wrapper(1, gzip.compress(wrapper(1, gzip.compress(SET)))), ProtocolError),
            (wrapper(1, gzip.compress(SET[:7])), ConsumerFetchSizeTooSmall),
            (wrapper(2, b"\xff\xff"), ProtocolError),
            (wrapper(2, None), ProtocolError),
            (entry(struct.pack(">bbqii", 1, 0, 0, -1, -1)), ProtocolError),
            (entry(struct.pack(">bbi", 0, 0, 9)), BufferUnderflowError),
            (struct.pack(">qi", 0, -1), BufferUnderflowError),
        ],
        ids=["wrapped twice", "cut off", "no snappy", "no value", "format 1", "key", "size"],
    )
    def test_broken(self, data: bytes, error: type[Exception]) -> None:
        """Broken messages raise one of kafka-python's errors."""
        with pytest.raises(error):
            fetched(data)

    def test_any_bytes(self) -> None:
        """Random bytes are decoded to messages, or raise one of the documented errors."""
        allowed: Any = (
            BufferUnderflowError,
            ChecksumError,
            ConsumerFetchSizeTooSmall,
            ProtocolError,
            OSError,
            EOFError,
            zlib.error,
        )
        rng = Random(9)
        for _ in range(3_000):
            body = bytearray(wrapper(rng.randrange(4), rng.choice([gzip.compress(SET), SET]))[16:])
            for _ in range(rng.randrange(3)):
                body[rng.randrange(len(body))] = rng.choice([0, 1, 127, 255])
            try:
                fetched(entry(bytes(body)))
            except allowed:
                continue
