"""confluent_kafka.protocol.records. tests/integration/test_records.py compares it with Kafka's
client."""

from __future__ import annotations

import gzip
import mmap
import os
import struct
import tracemalloc
import zlib
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from random import Random

import pytest

from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    TIMESTAMP_NOT_AVAILABLE,
    Uuid,
    protocol,
)
from confluent_kafka.cimpl import _crc32c, _snappy_compress
from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import (
    Compression,
    CorruptRecordsError,
    MessageSetEntry,
    Record,
    RecordBatch,
    RecordsError,
    RecordsTooLargeError,
)
from tests.support.batches import FORMATS, batch_of, random_records

CODECS = [codec for codec in Compression if records.available(codec)]
SQUEEZED = [codec for codec in CODECS if codec != Compression.NONE]
MADE = [Record(7, 1000, b"k", b"v"), Record(9, 1005, None, None, (("h", b"1"), ("h", None)))]

# A batch that Kafka's Java client wrote: one record, offset 5, key "k", value "v".
JAVA = bytes.fromhex(
    "0000000000000005 0000003a ffffffff 02 716a6189 0000 00000000 00000000000003e8"
    "00000000000003e8 ffffffffffffffff ffff ffffffff 00000001 10 00 00 00 02 6b 02 76 00"
)


def java() -> RecordBatch:
    """The batch that Java wrote."""
    [batch] = records.read(JAVA)
    assert isinstance(batch, RecordBatch)
    return batch


class TestChecksums:
    @pytest.mark.parametrize(
        ("data", "crc"),
        [
            (b"123456789", 0xE3069283),
            # From RFC 3720, appendix B.4.
            (bytes(32), 0x8A9136AA),
            (b"\xff" * 32, 0x62A8AB43),
            (bytes(range(32)), 0x46DD794E),
            (bytes(reversed(range(32))), 0x113FDB5C),
            (b"", 0),
        ],
    )
    def test_crc32c(self, data: bytes, crc: int) -> None:
        """CRC-32C has the values of RFC 3720."""
        assert _crc32c(data) == crc

    def test_of_a_batch(self) -> None:
        """A wrong CRC raises an error.

        With check_crc=False, only an attribute of the batch shows it.
        """
        batch = java()
        assert batch.is_valid
        spoilt = replace(batch, crc=batch.crc ^ 1).encode()
        with pytest.raises(CorruptRecordsError, match="CRC of the batch at byte 0 is wrong"):
            next(records.read(spoilt))
        [told] = records.read(spoilt, check_crc=False)
        assert not told.is_valid
        assert told.encode() == spoilt


class TestCodecs:
    @pytest.mark.parametrize("codec", CODECS)
    @pytest.mark.parametrize(
        "size", [0, 1, 12, 13, 60, 61, 256, 257, 65_535, 65_536, 65_537, 300_000]
    )
    def test_round_trip(self, codec: Compression, size: int) -> None:
        """Bytes are unchanged after a round trip, whether they compress well, a little or not at
        all."""
        for letters in (1, 4, 256):
            data = bytes(Random(size).choices(range(letters), k=size))
            packed = records.compress(codec, data)
            assert records.decompress(codec, packed) == data
            assert len(packed) <= size + size // 100 + 60
            if letters == 1 and size > 1000 and codec != Compression.NONE:
                assert len(packed) < size // 10

    @pytest.mark.parametrize(
        ("codec", "packed", "data"),
        [
            # The programs lz4 (all checksums, blocks that depend on each other) and zstd wrote
            # these bytes.
            (
                Compression.LZ4,
                "04224d187c406b00000000000000fb150000004f616263640400393f78797a03000050797a78797a"
                "f7a3b4c4000000009b1f8ffe",
                b"abcd" * 20 + b"xyz" * 9,
            ),
            (Compression.ZSTD, "28b52ffd04585500002061626364010039ea88bd3b1c8f", b"abcd" * 20),
            # This example follows the description of the format: a literal, and copies of all three
            # kinds.
            (Compression.SNAPPY, "11 0c61626364 0104 0e0400 13 04000000", b"abcd" * 4 + b"a"),
        ],
    )
    def test_of_others(self, codec: Compression, packed: str, data: bytes) -> None:
        """Data of other programs, and examples from the descriptions of the formats, can be
        read."""
        if not records.available(codec):
            pytest.skip("this build has no zstd")
        assert records.decompress(codec, bytes.fromhex(packed)) == data

    def test_several_parts(self) -> None:
        """Several consecutive gzip members or LZ4 frames are read as one."""
        for codec in (Compression.GZIP, Compression.LZ4):
            packed = records.compress(codec, b"ab") + records.compress(codec, b"cd")
            assert records.decompress(codec, packed) == b"abcd"

    def test_snappy_of_java(self) -> None:
        """Snappy is written with the framing of Java's library: a header, and blocks with sizes.

        Snappy is read with and without this framing.
        """
        data = bytes(range(256)) * 400
        packed = records.compress(Compression.SNAPPY, data)
        assert packed.startswith(b"\x82SNAPPY\0" + struct.pack(">ii", 1, 1))
        assert records.decompress(Compression.SNAPPY, packed) == data
        plain = records.compress_snappy(data, None)
        assert plain == _snappy_compress(data, 0)
        assert records.decompress(Compression.SNAPPY, plain) == data
        assert records.decompress(Compression.SNAPPY, records.compress_snappy(data, 7)) == data
        with pytest.raises(RecordsError, match="block_size must be positive or None, got 0"):
            records.compress_snappy(data, 0)

    def test_lz4_of_format_0(self) -> None:
        """In format 0, the checksum of LZ4's header includes the magic number.

        Correct checksums can also be read.
        """
        old = records.compress(Compression.LZ4, b"text", magic=0)
        new = records.compress(Compression.LZ4, b"text", magic=1)
        assert [place for place in range(len(old)) if old[place] != new[place]] == [6]
        assert records.decompress(Compression.LZ4, old, magic=0) == b"text"
        assert records.decompress(Compression.LZ4, new, magic=0) == b"text"
        with pytest.raises(CorruptRecordsError, match="lz4"):
            records.decompress(Compression.LZ4, old, magic=1)

    @pytest.mark.parametrize("codec", CODECS)
    def test_bombs(self, codec: Compression) -> None:
        """At most max_size bytes are unpacked. Exactly max_size bytes are allowed."""
        size = 1 << 20
        packed = records.compress(codec, bytes(size))
        assert len(records.decompress(codec, packed, max_size=size)) == size
        with pytest.raises(RecordsTooLargeError, match=f"more than {size - 1} bytes"):
            records.decompress(codec, packed, max_size=size - 1)

    @pytest.mark.parametrize("codec", SQUEEZED)
    def test_every_beginning_is_refused(self, codec: Compression) -> None:
        """Compressed data that is cut off anywhere is refused, and also compressed data with bytes
        after its end."""
        packed = records.compress(codec, b"some text, some text, some text")
        for end in range(len(packed)):
            # Snappy's framing has no end mark, so its header alone is complete and means no data.
            if codec != Compression.SNAPPY or end != 16:
                with pytest.raises(CorruptRecordsError):
                    records.decompress(codec, packed[:end])
        with pytest.raises(CorruptRecordsError):
            records.decompress(codec, packed + b"\1")

    def test_levels(self) -> None:
        """Only gzip and zstd accept a level."""
        data = JAVA * 100
        sizes = [len(records.compress(Compression.GZIP, data, level=level)) for level in (0, 9)]
        assert sizes[0] > len(data) > sizes[1]
        for codec, level, told in (
            (Compression.GZIP, 10, "level of gzip must be 0 to 9, got 10"),
            (Compression.LZ4, 1, "level of lz4 must be None, got 1"),
            (Compression.ZSTD, 23, "level of zstd must be -131072 to 22, got 23"),
        ):
            with pytest.raises(RecordsError, match=told):
                records.compress(codec, data, level=level)

    @pytest.mark.parametrize("size", [0, 1, 511, 512, 3000])
    def test_gzip_of_many_members(self, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
        """The number of bytes that zlib gets, and returns unread, grows linearly with the input."""
        work = 0

        class Counting:
            """Counts the bytes that a decompressor copies."""

            def __init__(self, wbits: int) -> None:
                self.inner = real(wbits)

            def decompress(self, data: memoryview, limit: int) -> bytes:
                nonlocal work
                work += len(data)
                return self.inner.decompress(data, limit)

            @property
            def eof(self) -> bool:
                return bool(self.inner.eof)

            @property
            def unused_data(self) -> bytes:
                return bytes(self.inner.unused_data)

        real = zlib.decompressobj
        monkeypatch.setattr(zlib, "decompressobj", Counting)
        member = gzip.compress(os.urandom(size))
        counts = []
        for members in (50, 100, 200):
            work = 0
            found = records.decompress(Compression.GZIP, member * members)
            assert len(found) == size * members
            counts.append(work)
        assert counts[1] - counts[0] <= 100 * (len(member) + 1024)
        assert counts[2] - counts[1] <= 2.2 * (counts[1] - counts[0])
        with pytest.raises(records.CorruptRecordsError, match="ends too early"):
            records.decompress(Compression.GZIP, member + member[:-1])
        with pytest.raises(records.RecordsTooLargeError):
            records.decompress(
                Compression.GZIP, member * 3 + gzip.compress(b"x"), max_size=size * 3
            )

    def test_standard_gzip(self) -> None:
        """Python's gzip module reads and writes the same data."""
        assert gzip.decompress(records.compress(Compression.GZIP, b"text")) == b"text"
        assert records.decompress(Compression.GZIP, gzip.compress(b"text")) == b"text"


class TestRecordBatch:
    def test_fields(self) -> None:
        """The fields of Java's batch are read, and written again with the same bytes."""
        batch = java()
        assert (batch.base_offset, batch.last_offset, batch.count, batch.size) == (5, 5, 1, 70)
        assert (batch.producer_id, batch.producer_epoch, batch.base_sequence) == (-1, -1, -1)
        assert (batch.partition_leader_epoch, batch.last_sequence, batch.magic) == (-1, -1, 2)
        assert batch.timestamp_type == TIMESTAMP_CREATE_TIME
        assert (batch.is_transactional, batch.is_control, batch.delete_horizon) == (
            False,
            False,
            None,
        )
        assert list(batch.records()) == [Record(5, 1000, b"k", b"v")]
        assert RecordBatch.of(batch.records()).encode() == JAVA

    def test_facts_that_can_be_given(self) -> None:
        """Each argument of RecordBatch.of() is in the header that is read again."""
        made = RecordBatch.of(
            MADE,
            base_offset=5,
            last_offset=11,
            partition_leader_epoch=3,
            producer_id=8,
            producer_epoch=2,
            base_sequence=2**31 - 3,
            delete_horizon=990,
            transactional=True,
            control=True,
        )
        [batch] = records.read(made.encode())
        assert batch == made
        assert isinstance(batch, RecordBatch)
        assert (batch.base_offset, batch.last_offset, batch.delete_horizon) == (5, 11, 990)
        assert (batch.partition_leader_epoch, batch.producer_id, batch.producer_epoch) == (3, 8, 2)
        # A producer's sequence numbers start again at 0 after the largest number.
        assert (batch.base_sequence, batch.last_sequence) == (2**31 - 3, 3)
        assert (batch.is_transactional, batch.is_control, batch.max_timestamp) == (True, True, 1005)
        assert list(batch.records()) == MADE

    def test_log_append_time(self) -> None:
        """All records have the broker's time."""
        batch = RecordBatch.of(MADE, log_append_time=77)
        assert batch.timestamp_type == TIMESTAMP_LOG_APPEND_TIME
        assert [record.timestamp for record in batch.records()] == [77, 77]

    def test_no_records(self) -> None:
        """A batch may have no records: compaction leaves such batches."""
        batch = RecordBatch.of([], base_offset=3, last_offset=9, producer_id=1)
        assert (list(batch.records()), batch.last_offset, batch.count) == ([], 9, 0)
        with pytest.raises(RecordsError, match="needs base_offset and last_offset"):
            RecordBatch.of([])

    @pytest.mark.parametrize(
        ("offsets", "first", "last"),
        [((2, 1), None, None), ((1, 1), 1, 2), ((5,), 6, None), ((5,), None, 4)],
    )
    def test_offsets_increase(
        self, offsets: tuple[int, ...], first: int | None, last: int | None
    ) -> None:
        """Offsets must increase, and must be between the first and the last offset."""
        with pytest.raises(RecordsError, match="must increase"):
            RecordBatch.of(map(Record, offsets), base_offset=first, last_offset=last)

    def test_numbers_must_fit(self) -> None:
        """A number that does not fit its field raises an error."""
        with pytest.raises(RecordsError, match=r"a number of RecordBatch\(.*does not fit"):
            RecordBatch.of(MADE, producer_epoch=2**15)

    def test_immutable(self) -> None:
        """Batches cannot be changed, only copied with changes.

        Batches with equal fields are equal.
        """
        batch = RecordBatch.of(MADE)
        assert batch == RecordBatch.of(MADE)
        assert hash(batch) == hash(RecordBatch.of(MADE))
        with pytest.raises(FrozenInstanceError):
            batch.crc = 1  # type: ignore[misc]
        changed = replace(batch, producer_id=4)
        assert not changed.is_valid
        assert changed.with_crc().is_valid

    def test_names_of_headers_that_are_no_text(self) -> None:
        """Names of headers that are not UTF-8 are kept."""
        name = b"\xff\xfe".decode(errors="surrogateescape")
        made = [Record(0, 0, headers=((name, b""),))]
        assert list(RecordBatch.of(made).records()) == made


class TestMessageSets:
    @pytest.mark.parametrize("magic", [0, 1])
    @pytest.mark.parametrize("codec", [Compression.NONE, Compression.GZIP])
    def test_entries(self, magic: int, codec: Compression) -> None:
        """Each record is one entry.

        With compression, one wrapper contains all entries and has the last offset.
        """
        made = [
            Record(5, magic * 100 - (not magic), b"k", b"v"),
            Record(7, magic * 99 - (not magic)),
        ]
        entries = records.message_set(made, magic=magic, compression=codec)
        assert [entry.offset for entry in entries] == ([5, 7] if codec == Compression.NONE else [7])
        found = list(records.read(records.write(entries)))
        assert found == list(entries)
        assert [record for entry in found for record in entry.records()] == made
        kind = TIMESTAMP_CREATE_TIME if magic else TIMESTAMP_NOT_AVAILABLE
        assert {entry.timestamp_type for entry in entries} == {kind}

    def test_bytes_of_an_entry(self) -> None:
        """An entry has the bytes that the format describes: checksum, format, attributes, key and
        value."""
        [entry] = records.message_set([Record(1, key=None, value=b"v")], magic=0)
        checked = bytes.fromhex("00 00 ffffffff 00000001 76")
        size = struct.pack(">i", 4 + len(checked))
        crc = struct.pack(">I", zlib.crc32(checked))
        assert entry.encode() == bytes(7) + b"\1" + size + crc + checked

    def test_wrapper_of_a_producer(self) -> None:
        """Some producers leave the offset of a wrapper at 0. Its records then count from 0."""
        [wrapper] = records.message_set(MADE_OLD, magic=1, compression=Compression.GZIP)
        asked = replace(wrapper, offset=0)
        assert [record.offset for record in asked.records()] == [0, 2]

    @pytest.mark.parametrize("magic", [0, 1])
    def test_broken_wrappers(self, magic: int) -> None:
        """Each kind of damage has its own error text."""
        [wrapper] = records.message_set(MADE_OLD, magic=magic, compression=Compression.GZIP)
        [plain, _] = records.message_set(MADE_OLD, magic=magic)
        unknown = plain.encode()[:16] + b"\xc6" + plain.encode()[17:]
        for content, told in (
            (None, "no value"),
            (b"", "empty"),
            (wrapper.encode(), "contains a wrapper"),
            (unknown, "unknown format 198"),
            (plain.encode()[:-1], "not whole"),
            (replace(plain, crc=1).encode(), "CRC of message 0 in a wrapper is wrong"),
        ):
            value = None if content is None else records.compress(Compression.GZIP, content)
            with pytest.raises(CorruptRecordsError, match=told):
                list(replace(wrapper, value=value).records())

    def test_offset_of_a_wrapper(self) -> None:
        """The offset of a wrapper is at least the offset of its last record."""
        [wrapper] = records.message_set(MADE_OLD, magic=1, compression=Compression.GZIP)
        with pytest.raises(CorruptRecordsError, match="offset 1, and the last record in it 2"):
            list(replace(wrapper, offset=1).records())

    @pytest.mark.parametrize(
        ("made", "arguments", "told"),
        [
            (MADE, {"magic": 1}, "no headers"),
            ([], {"magic": 1, "compression": Compression.GZIP}, "at least one record"),
            ([], {"magic": 2}, "must be 0 or 1, got 2"),
            ([], {"magic": 0, "log_append_time": 1}, "needs format 1"),
        ],
    )
    def test_refused(self, made: list[Record], arguments: dict[str, int], told: str) -> None:
        """Values that these formats cannot contain are refused."""
        with pytest.raises(RecordsError, match=told):
            records.message_set(made, **arguments)  # type: ignore[arg-type]


MADE_OLD = [Record(7, 1000, b"k", b"v"), Record(9, 1005, None, None)]


class TestRead:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Iterator[mmap.mmap]:
        """A file of two batches."""
        path = tmp_path / "0.log"
        path.write_bytes(JAVA * 2)
        with (
            path.open("rb") as opened,
            mmap.mmap(opened.fileno(), 0, prot=mmap.PROT_READ) as mapped,
        ):
            yield mapped

    def test_a_file(self, file: mmap.mmap) -> None:
        """A mapped file can be unmapped after reading, even if not all of it was read."""
        batches = records.read(file)
        assert next(batches).encode() == JAVA
        batches.close()  # type: ignore[attr-defined]
        assert len(list(records.read(file))) == 2

    @pytest.mark.parametrize("view", [bytes, bytearray, memoryview])
    def test_several_formats(self, view: type) -> None:
        """Batches of all formats can follow one another, as in old files."""
        data = b"".join(
            records.write(batch_of(random_records(Random(magic), magic), magic, codec))
            for magic, codec, kind in FORMATS
            if codec in CODECS and kind == "create"
        )
        assert records.write(records.read(view(data))) == data

    def test_the_last_one_may_be_cut_off(self) -> None:
        """If the last batch is cut off anywhere, the batches before it are read."""
        for end in range(len(JAVA)):
            assert len(list(records.read(JAVA + JAVA[:end]))) == 1

    @pytest.mark.parametrize(
        ("place", "data", "told"),
        [
            (8, "00000000", "at byte 0 has 0 bytes"),
            (8, "ffffffff", "at byte 0 has -1 bytes"),
            (8, "00000020", "at least 61 bytes, not 44"),
            (16, "03", "format 3: there are 0, 1 and 2"),
            (57, "ffffffff", "a batch has -1 records"),
        ],
    )
    def test_headers_that_cannot_be(self, place: int, data: str, told: str) -> None:
        """The error contains the reason."""
        changed = bytes.fromhex(data)
        with pytest.raises(CorruptRecordsError, match=told):
            list(records.read(JAVA[:place] + changed + JAVA[place + len(changed) :]))

    @pytest.mark.parametrize(
        ("payload", "count", "told"),
        [
            ("", 1, "record 0 of 1: data at position 0 is not a record: it ends too early"),
            ("10 00 00 00 02 6b 02 76 00", 2, "record 1 of 2: data at position 9 is not a record"),
            ("10 00 00 00 02 6b 02 76 00 00", 1, "1 bytes follow the 1 records"),
            ("12 00 00 00 02 6b 02 76 00 00", 1, "does not end where its size says"),
            ("20 00 00 00 02 6b 02 76 00", 1, "has a size that does not fit the data"),
            ("10 00 00 00 40 6b 02 76 00", 1, "has a part that is larger than the record"),
            ("10 00 00 00 02 6b 02 76 40", 1, "has more headers than bytes"),
            ("14 00 00 00 02 6b 02 76 02 01 01", 1, "has a header whose name is null"),
            ("80808080808080808080 01", 1, "more than 10 bytes"),
        ],
    )
    def test_records_that_cannot_be(self, payload: str, count: int, told: str) -> None:
        """The error names the record and the reason."""
        batch = java()
        spoilt = replace(batch, payload=bytes.fromhex(payload), count=count)
        with pytest.raises(CorruptRecordsError, match=told):
            list(spoilt.records())

    @pytest.mark.parametrize("number", [5, 6, 7])
    def test_unknown_codec(self, number: int) -> None:
        """The header of a batch with an unknown codec can be read."""
        batch = java()
        [read] = records.read(replace(batch, attributes=number).with_crc().encode())
        with pytest.raises(CorruptRecordsError, match=f"there is no codec {number}"):
            list(read.records())

    def test_a_count_takes_no_memory(self) -> None:
        """A huge count of records or headers is refused before memory is allocated for it."""
        batch = java()
        many = bytes.fromhex("16 00 00 00 01 01 feffffff0f")
        tracemalloc.start()
        try:
            for spoilt in (replace(batch, count=2**31 - 1), replace(batch, payload=many)):
                with pytest.raises(CorruptRecordsError):
                    list(spoilt.records())
            assert tracemalloc.get_traced_memory()[1] < 100_000
        finally:
            tracemalloc.stop()


class TestControl:
    @pytest.mark.parametrize(
        ("key", "value"), [(None, b"\0\0"), (b"\0\0\0", b"\0\0"), (b"\0\0\0\0", None)]
    )
    def test_not_one(self, key: bytes | None, value: bytes | None) -> None:
        """A record that is too short is not a control record."""
        with pytest.raises(CorruptRecordsError, match="at offset 3 is not a control record"):
            records.control(Record(3, key=key, value=value))

    def test_unknown_types_and_versions(self) -> None:
        """Unknown types and versions are accepted, because Kafka may add some."""
        for number, version in ((99, 0), (3, 50)):
            control = records.control(
                Record(0, key=struct.pack(">hh", 0, number), value=struct.pack(">h", version))
            )
            assert control == (number, version, None)

    def test_broken_value(self) -> None:
        """A corrupt control record raises an error, and does not count as an unknown record."""
        with pytest.raises(CorruptRecordsError, match="EndTxnMarker of version 0"):
            records.control(Record(0, key=bytes(4), value=bytes(3)))


class TestInternal:
    def test_of_the_controller(self) -> None:
        """Three varints precede a message of the controller: 1, the type, and the version."""
        message = protocol.TopicRecord(name="t", topic_id=Uuid(1, 2))
        record = Record(0, value=bytes([1, 2, 0]) + message.encode(0))
        assert records.internal("__cluster_metadata", record) == (2, None, message)
        later = Record(0, value=b"\x01\x02\xb0\x09")
        assert records.internal("__cluster_metadata", later) == (2, None, None)

    def test_of_coordinators(self) -> None:
        """The same type number means different messages in different topics."""
        for topic, key, value, version in (
            ("__consumer_offsets", protocol.LegacyOffsetCommitKey(group="g"), None, 0),
            ("__transaction_state", protocol.TransactionLogKey(transactional_id="x"), None, 0),
            (
                "__share_group_state",
                protocol.ShareSnapshotKey(group_id="g", topic_id=Uuid(1, 2)),
                protocol.ShareSnapshotValue(snapshot_epoch=3),
                0,
            ),
        ):
            data = None if value is None else struct.pack(">h", version) + value.encode(version)
            record = Record(0, key=b"\0\0" + key.encode(0), value=data)
            assert records.internal(topic, record) == (0, key, value)

    @pytest.mark.parametrize("topic", sorted(records.INTERNAL_TOPICS))
    @pytest.mark.parametrize("data", [None, b"", b"\0", b"\0\0", b"\0\0\xff"])
    def test_broken(self, topic: str, data: bytes | None) -> None:
        """The error names the topic and the offset."""
        with pytest.raises(CorruptRecordsError, match=f"at offset 3 is not one of {topic}"):
            records.internal(topic, Record(3, key=data, value=data))

    def test_no_such_topic(self) -> None:
        """The error names the existing internal topics."""
        with pytest.raises(
            RecordsError, match=r"'t' is not an internal topic: there are __cluster_me"
        ):
            records.internal("t", Record(0))


def test_every_class_is_public() -> None:
    """All classes can be imported from the public module."""
    assert MessageSetEntry.__name__ in records.__all__
    assert all(hasattr(records, name) for name in records.__all__)
