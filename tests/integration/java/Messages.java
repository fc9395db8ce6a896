import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Writes and reads messages with Kafka's own serializer. For each line "read NAME VERSION HEX
 * OTHER" the program reads the bytes, and prints the same message as bytes of version OTHER. For
 * each line "fill NAME VERSION SEED" it fills a message at random, and prints its bytes, a tab and
 * its fields as JSON. For "new NAME VERSION" it prints the bytes of a message whose fields are not
 * set. For "header KEY VERSION" it prints the versions of the request's and the response's headers.
 */
public class Messages {
    private static final List<String> PACKAGES = List.of(
        "common.message", "coordinator.group.generated", "coordinator.transaction.generated",
        "coordinator.share.generated", "common.metadata"
    );
    private static final int UNKNOWN_TAG = 10_000;

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("header")) {
                ApiMessageType api = ApiMessageType.fromApiKey(Short.parseShort(words[1]));
                short version = Short.parseShort(words[2]);
                out.println(api.requestHeaderVersion(version) + " " + api.responseHeaderVersion(version));
                continue;
            }
            Class<?> type = classOf(words[1]);
            short version = Short.parseShort(words[2]);
            try {
                out.println(switch (words[0]) {
                    case "read" -> rewritten(type, version, words[3], Short.parseShort(words[4]));
                    case "fill" -> filled(type, version, new Random(Long.parseLong(words[3])));
                    default -> hex((Message) type.getConstructor().newInstance(), version);
                });
            } catch (RuntimeException error) {
                out.println("error: " + error);
            }
        }
        out.flush();
    }

    /** Returns the Java class of a message. The name of the class may end in "Data". */
    private static Class<?> classOf(String name) throws ClassNotFoundException {
        for (String start : PACKAGES) {
            for (String end : List.of("Data", "")) {
                try {
                    return Class.forName("org.apache.kafka." + start + "." + name + end);
                } catch (ClassNotFoundException error) {
                    // The class has another name; try the next one.
                }
            }
        }
        throw new ClassNotFoundException(name);
    }

    private static String rewritten(Class<?> type, short version, String hex, short other)
        throws Exception {
        Message message = (Message) type.getConstructor().newInstance();
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
        message.read(new ByteBufferAccessor(bytes), version);
        return bytes.hasRemaining() ? "error: " + bytes.remaining() + " left" : hex(message, other);
    }

    private static String filled(Class<?> type, short version, Random random) throws Exception {
        Schema schema = ((Schema[]) type.getField("SCHEMAS").get(null))[version];
        Message message = (Message) fill(type.getConstructor().newInstance(), schema, random);
        Object json = Class.forName(type.getName() + "JsonConverter")
            .getMethod("write", type, short.class, boolean.class)
            .invoke(null, message, version, false);
        return hex(message, version) + "\t" + json;
    }

    private static String hex(Message message, short version) {
        ByteBuffer bytes = MessageUtil.toByteBufferAccessor(message, version).buffer();
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return HexFormat.of().formatHex(copy);
    }

    private static Object fill(Object struct, Schema schema, Random random) throws Exception {
        for (BoundField bound : schema.fields()) {
            if (bound.def.type instanceof TaggedFields tagged) {
                Map<Integer, Field> fields = new TreeMap<>(tagged.fields());
                for (Field field : fields.values()) {
                    set(struct, field, random);
                }
                if (random.nextInt(4) == 0) {
                    ((Message) struct).unknownTaggedFields()
                        .add(new RawTaggedField(UNKNOWN_TAG + random.nextInt(9), bytes(random)));
                }
            } else {
                set(struct, bound.def, random);
            }
        }
        return struct;
    }

    /** Sets a field at random, or leaves the field unset. */
    private static void set(Object struct, Field field, Random random) throws Exception {
        if (random.nextInt(5) == 0 && field.type != org.apache.kafka.common.protocol.types.Type.RECORDS
            && field.type != org.apache.kafka.common.protocol.types.Type.COMPACT_RECORDS) {
            return;
        }
        String wanted = "set" + field.name.replace("_", "");
        for (Method method : struct.getClass().getMethods()) {
            if (method.getName().equalsIgnoreCase(wanted)) {
                Type type = method.getGenericParameterTypes()[0];
                boolean isNull = field.type.isNullable() && random.nextInt(4) == 0;
                method.invoke(struct, isNull ? null : value(type, field.type, random));
                return;
            }
        }
        throw new IllegalStateException(struct.getClass() + " has no " + wanted);
    }

    private static Object value(
        Type type, org.apache.kafka.common.protocol.types.Type kind, Random random
    ) throws Exception {
        if (kind.isArray()) {
            return array(type, kind.arrayElementType().get(), random);
        }
        if (kind instanceof Schema schema) {
            return fill(((Class<?>) type).getConstructor().newInstance(), schema, random);
        }
        if (kind == org.apache.kafka.common.protocol.types.Type.UINT16) {
            return random.nextInt(0x10000);
        }
        if (kind == org.apache.kafka.common.protocol.types.Type.UNSIGNED_INT32) {
            return random.nextLong() & 0xFFFFFFFFL;
        }
        return primitive((Class<?>) type, random);
    }

    /** Returns a list, or one of Kafka's collections, whose elements are found by key. */
    @SuppressWarnings("unchecked")
    private static Object array(
        Type type, org.apache.kafka.common.protocol.types.Type element, Random random
    ) throws Exception {
        boolean isList = type instanceof ParameterizedType;
        Type owner = isList ? type : ((Class<?>) type).getGenericSuperclass();
        Type elementType = ((ParameterizedType) owner).getActualTypeArguments()[0];
        Collection<Object> made = isList
            ? new ArrayList<>()
            : (Collection<Object>) ((Class<?>) type).getConstructor().newInstance();
        // Some arrays of small elements are so long that their length takes two bytes.
        boolean isLong = !(element instanceof Schema) && random.nextInt(10) == 0;
        int size = isLong ? 100 + random.nextInt(100) : random.nextInt(4);
        for (int number = 0; number < size; number++) {
            made.add(value(elementType, element, random));
        }
        return made;
    }

    private static Object primitive(Class<?> type, Random random) {
        if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == byte.class || type == Byte.class) {
            return (byte) random.nextInt();
        } else if (type == short.class || type == Short.class) {
            return (short) random.nextInt();
        } else if (type == int.class || type == Integer.class) {
            return random.nextInt();
        } else if (type == long.class || type == Long.class) {
            return random.nextLong();
        } else if (type == double.class) {
            return random.nextGaussian();
        } else if (type == String.class) {
            return text(random);
        } else if (type == Uuid.class) {
            return new Uuid(random.nextLong(), random.nextLong());
        } else if (type == byte[].class) {
            return bytes(random);
        } else if (type == ByteBuffer.class) {
            return ByteBuffer.wrap(bytes(random));
        } else if (type == BaseRecords.class) {
            return MemoryRecords.readableRecords(ByteBuffer.wrap(bytes(random)));
        }
        throw new IllegalStateException("no value for " + type);
    }

    private static byte[] bytes(Random random) {
        byte[] made = new byte[random.nextInt(10) == 0 ? 200 : random.nextInt(9)];
        random.nextBytes(made);
        return made;
    }

    private static String text(Random random) {
        List<String> letters = List.of("a", "Z", "ü", "☃", "\uD83D\uDE00", ".", "-", "0");
        StringBuilder made = new StringBuilder();
        for (int left = random.nextInt(10) == 0 ? 150 : random.nextInt(9); left > 0; left--) {
            made.append(letters.get(random.nextInt(letters.size())));
        }
        return made.toString();
    }
}
