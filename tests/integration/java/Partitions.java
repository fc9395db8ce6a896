import java.util.HexFormat;
import java.util.Scanner;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

/** The partition that Kafka's own producer chooses for each key, one per line in hexadecimal. */
public class Partitions {
    public static void main(String[] arguments) {
        int count = Integer.parseInt(arguments[0]);
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            byte[] key = HexFormat.of().parseHex(lines.nextLine());
            System.out.println(BuiltInPartitioner.partitionForKey(key, count));
        }
    }
}
