import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
// ByteBufferOutputStream is in the first of these packages up to Kafka 4.3, then in the second.
import org.apache.kafka.common.utils.*;
import org.apache.kafka.common.utils.internals.*;

/**
 * Writes and reads record batches with Kafka's own classes. For each line "write MAGIC CODEC KIND
 * SEED" the program fills a batch at random, and prints its bytes, a tab and its contents; KIND is
 * create, append, transaction or horizon. For each line "read HEX" the program prints the contents
 * of these bytes, and for "control" a batch of control records of each type.
 */
public class Batches {
    private static final HexFormat HEX = HexFormat.of();

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "write" -> out.println(written(words));
                case "read" -> out.println(said(HEX.parseHex(words[1])));
                default -> out.println(control());
            }
        }
        out.flush();
    }

    /** Returns the contents of the bytes, or the error that Java raises for them. */
    private static String said(byte[] data) {
        List<String> parts = new ArrayList<>();
        try {
            for (RecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(data)).batches()) {
                batch.ensureValid();
                parts.add(header(batch));
                for (Record record : batch) {
                    record.ensureValid();
                    parts.add(said(record));
                }
            }
        } catch (RuntimeException error) {
            return "error: " + error.getClass().getSimpleName();
        }
        return String.join(" ", parts);
    }

    private static String header(RecordBatch batch) {
        List<Object> facts = new ArrayList<>(List.of(
            batch.magic(), batch.checksum(), batch.sizeInBytes(), batch.lastOffset(),
            batch.compressionType().id, batch.timestampType().id, batch.maxTimestamp()
        ));
        if (batch.magic() == 2) {
            facts.addAll(List.of(
                batch.baseOffset(), batch.countOrNull(), batch.partitionLeaderEpoch(),
                batch.producerId(), batch.producerEpoch(), batch.baseSequence(), batch.lastSequence(),
                batch.isTransactional(), batch.isControlBatch(), batch.deleteHorizonMs().orElse(-1)
            ));
        }
        return "batch:" + String.join(",", facts.stream().map(String::valueOf).toList());
    }

    private static String said(Record record) {
        StringBuilder text = new StringBuilder("record:");
        text.append(record.offset()).append(',').append(record.timestamp());
        text.append(',').append(hex(record.key())).append(',').append(hex(record.value()));
        for (Header header : record.headers()) {
            text.append(',').append(HEX.formatHex(header.key().getBytes(StandardCharsets.UTF_8)));
            text.append('=').append(hex(header.value() == null ? null : ByteBuffer.wrap(header.value())));
        }
        return text.toString();
    }

    private static String hex(ByteBuffer bytes) {
        if (bytes == null) {
            return "null";
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return HEX.formatHex(copy);
    }

    private static String written(String[] words) {
        byte magic = Byte.parseByte(words[1]);
        Compression compression = Compression.of(words[2]).build();
        String kind = words[3];
        Random random = new Random(Long.parseLong(words[4]));
        TimestampType type = magic == 0 ? TimestampType.NO_TIMESTAMP_TYPE
            : kind.equals("append") ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        boolean transaction = kind.equals("transaction");
        long base = random.nextInt(1_000_000);
        ByteBufferOutputStream bytes = new ByteBufferOutputStream(512);
        MemoryRecordsBuilder builder = new MemoryRecordsBuilder(
            bytes, magic, compression, type, base, kind.equals("append") ? 1_600_000_000_123L : -1L,
            transaction ? random.nextInt(1000) : -1L, (short) (transaction ? random.nextInt(99) : -1),
            transaction ? Integer.MAX_VALUE - random.nextInt(3) : -1, transaction, false,
            magic == 2 ? random.nextInt(20) : -1, Integer.MAX_VALUE,
            kind.equals("horizon") ? 1_700_000_000_456L : -1L
        );
        long offset = base;
        int count = 1 + random.nextInt(6);
        for (int number = 0; number < count; number++) {
            long timestamp = magic == 0 ? -1 : 1_500_000_000_000L + random.nextInt(1_000_000);
            builder.appendWithOffset(offset, timestamp, bytes(random), bytes(random), headers(magic, random));
            offset += 1 + random.nextInt(3);
        }
        if (magic == 2 && random.nextBoolean()) {
            builder.overrideLastOffset(offset + 5);
        }
        byte[] data = HEX.parseHex(hex(builder.build().buffer()));
        return HEX.formatHex(data) + "\t" + said(data);
    }

    private static Header[] headers(byte magic, Random random) {
        Header[] headers = new Header[magic == 2 ? random.nextInt(3) : 0];
        for (int number = 0; number < headers.length; number++) {
            headers[number] = new RecordHeader("n\u00fcmber" + number, bytes(random));
        }
        return headers;
    }

    /** Returns null, no bytes, a few bytes, or more bytes than a block of any codec has. */
    private static byte[] bytes(Random random) {
        int chosen = random.nextInt(20);
        if (chosen < 3) {
            return null;
        }
        byte[] made = new byte[chosen < 18 ? random.nextInt(40) : random.nextInt(150_000)];
        int letters = 1 + random.nextInt(256);
        for (int place = 0; place < made.length; place++) {
            made[place] = (byte) random.nextInt(letters);
        }
        return made;
    }

    private static String control() {
        ByteBuffer bytes = ByteBuffer.allocate(10_000);
        MemoryRecordsBuilder builder = new MemoryRecordsBuilder(
            bytes, (byte) 2, Compression.NONE, TimestampType.CREATE_TIME, 0L, -1L, 7L, (short) 1, -1,
            true, true, 3, 10_000
        );
        builder.appendEndTxnMarker(1L, new EndTransactionMarker(ControlRecordType.ABORT, 21));
        builder.appendEndTxnMarker(2L, new EndTransactionMarker(ControlRecordType.COMMIT, 22));
        builder.close();
        MemoryRecordsBuilder raft = new MemoryRecordsBuilder(
            new ByteBufferOutputStream(bytes), (byte) 2, Compression.NONE, TimestampType.CREATE_TIME, 2L,
            -1L, -1L, (short) -1, -1, false, true, 3, 10_000
        );
        Uuid directory = new Uuid(1, 2);
        raft.appendLeaderChangeMessage(3L, new LeaderChangeMessage()
            .setLeaderId(5).setVoters(List.of(new LeaderChangeMessage.Voter().setVoterId(6))));
        raft.appendSnapshotHeaderMessage(4L, new SnapshotHeaderRecord().setLastContainedLogTimestamp(77L));
        raft.appendSnapshotFooterMessage(5L, new SnapshotFooterRecord());
        raft.appendKRaftVersionMessage(6L, new KRaftVersionRecord().setKRaftVersion((short) 1));
        raft.appendVotersMessage(7L, new VotersRecord().setVoters(List.of(
            new VotersRecord.Voter().setVoterId(8).setVoterDirectoryId(directory))));
        raft.close();
        bytes.flip();
        return hex(bytes);
    }
}
