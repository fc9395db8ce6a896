import java.lang.reflect.Field;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.protocol.Errors;

/**
 * Prints the names in Kafka's own client: a line "error CODE NAME" for each error code, and a line
 * "KIND NAME" for each configuration. KIND is admin, consumer, producer or topic.
 */
public class Names {
    public static void main(String[] arguments) throws Exception {
        for (Errors error : Errors.values()) {
            System.out.println("error " + error.code() + " " + error.name());
        }
        print("admin", AdminClientConfig.configNames());
        print("consumer", ConsumerConfig.configNames());
        print("producer", ProducerConfig.configNames());
        print("topic", topicConfigurations());
    }

    private static void print(String kind, Set<String> names) {
        names.forEach(name -> System.out.println(kind + " " + name));
    }

    private static Set<String> topicConfigurations() throws IllegalAccessException {
        Set<String> names = new TreeSet<>();
        for (Field field : TopicConfig.class.getFields()) {
            if (field.getName().endsWith("_CONFIG")) {
                names.add((String) field.get(null));
            }
        }
        return names;
    }
}
