import java.io.FileWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The same as application.py with Java's client, for comparison. Arguments are name=value. */
public final class Transactions {
    private final Map<String, String> settings = new HashMap<>();
    private final Random random;
    private final PrintWriter history;
    private final long run = ProcessHandle.current().pid();
    private volatile boolean stopped;
    private KafkaProducer<byte[], byte[]> producer;
    private long next;
    private long transactions;

    private Transactions(String[] arguments) throws Exception {
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        random = new Random(Long.parseLong(settings.get("seed")));
        history = new PrintWriter(new FileWriter(settings.get("history"), true), true);
    }

    public static void main(String[] arguments) throws Exception {
        Transactions application = new Transactions(arguments);
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            application.stopped = true;
            try {
                main.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        application.work();
    }

    private void work() {
        while (!stopped) {
            try {
                if (producer == null) {
                    producer = begun();
                    next = committed();
                }
                transaction();
            } catch (RuntimeException error) {
                tell("\"lost\": \"" + error.getClass().getSimpleName() + "\"");
                close();
            }
        }
        close();
        tell("\"ended\": true");
    }

    private KafkaProducer<byte[], byte[]> begun() {
        Properties config = common();
        config.put("transactional.id", settings.get("transactional_id"));
        config.put("transaction.timeout.ms", settings.get("transaction_ms"));
        config.put("max.block.ms", "15000");
        config.put("delivery.timeout.ms", "9000");
        KafkaProducer<byte[], byte[]> made =
            new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        try {
            retried(made::initTransactions);
        } catch (RuntimeException error) {
            made.close(Duration.ZERO);
            throw error;
        }
        return made;
    }

    private Properties common() {
        Properties config = new Properties();
        config.put("bootstrap.servers", settings.get("bootstrap"));
        config.put("request.timeout.ms", settings.get("request_ms"));
        return config;
    }

    private long committed() {
        Properties config = common();
        config.put("group.id", settings.get("group"));
        config.put("isolation.level", "read_committed");
        TopicPartition source = new TopicPartition(settings.get("source"), 0);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                    config, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            OffsetAndMetadata found = consumer.committed(Set.of(source)).get(source);
            return found == null ? 0 : found.offset();
        }
    }

    private void transaction() {
        long number = transactions++;
        List<Integer> partitions = new ArrayList<>();
        for (int each = 0; each < Integer.parseInt(settings.get("partitions")); each++) {
            partitions.add(each);
        }
        Collections.shuffle(partitions, random);
        partitions = partitions.subList(0, 1 + random.nextInt(3));
        long first = next;
        int count = 1 + random.nextInt(Integer.parseInt(settings.get("numbers")));
        tell("\"begin\": " + number + ", \"first\": " + first + ", \"count\": " + count);
        String outcome = "unknown";
        try {
            boolean wantsCommit = random.nextDouble() < 0.7;
            try {
                producer.beginTransaction();
                for (int index = 0; index < count; index++) {
                    int partition = partitions.get(index % partitions.size());
                    byte[] value = value(number, first + index);
                    producer.send(
                        new ProducerRecord<>(
                            settings.get("output"), partition, null, value));
                }
                TopicPartition source = new TopicPartition(settings.get("source"), 0);
                producer.sendOffsetsToTransaction(
                    Map.of(source, new OffsetAndMetadata(first + count)),
                    new ConsumerGroupMetadata(settings.get("group")));
                if (wantsCommit) {
                    retried(producer::commitTransaction);
                    outcome = "committed";
                    next = first + count;
                } else {
                    retried(producer::abortTransaction);
                    outcome = "aborted";
                }
            } catch (ProducerFencedException error) {
                throw error;
            } catch (KafkaException error) {
                retried(producer::abortTransaction);
                outcome = "aborted";
            }
        } finally {
            tell("\"end\": " + number + ", \"outcome\": \"" + outcome + "\"");
        }
    }

    /** Repeats a call that timed out, as the documentation of Java's producer allows. */
    private void retried(Runnable call) {
        for (int left = 3; ; left--) {
            try {
                call.run();
                return;
            } catch (TimeoutException error) {
                if (left == 0) {
                    throw error;
                }
            }
        }
    }

    private byte[] value(long transaction, long number) {
        String text =
            String.format(
                "{\"app\": \"%s\", \"run\": %d, \"transaction\": %d, \"number\": %d}",
                settings.get("name"), run, transaction, number);
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void close() {
        if (producer != null) {
            producer.close(Duration.ZERO);
            producer = null;
        }
    }

    private void tell(String step) {
        history.println("{\"run\": " + run + ", " + step + "}");
    }
}
