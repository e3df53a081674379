package io.waterwheel.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.waterwheel.Rounds;
import io.waterwheel.decode.protobuf.MessageDescriptors;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.WriterTypes;
import io.waterwheel.tuple.TupleBlock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Random message types and messages, beside the library's dynamic messages, which write and read for the comparison.
 */
final class ProtobufTwinTest {
    private static final List<FieldDescriptorProto.Type> SCALARS = List.of(
            FieldDescriptorProto.Type.TYPE_INT32,
            FieldDescriptorProto.Type.TYPE_INT64,
            FieldDescriptorProto.Type.TYPE_UINT32,
            FieldDescriptorProto.Type.TYPE_UINT64,
            FieldDescriptorProto.Type.TYPE_SINT32,
            FieldDescriptorProto.Type.TYPE_SINT64,
            FieldDescriptorProto.Type.TYPE_FIXED32,
            FieldDescriptorProto.Type.TYPE_FIXED64,
            FieldDescriptorProto.Type.TYPE_SFIXED32,
            FieldDescriptorProto.Type.TYPE_SFIXED64,
            FieldDescriptorProto.Type.TYPE_FLOAT,
            FieldDescriptorProto.Type.TYPE_DOUBLE,
            FieldDescriptorProto.Type.TYPE_BOOL,
            FieldDescriptorProto.Type.TYPE_STRING,
            FieldDescriptorProto.Type.TYPE_BYTES);

    /** Makes a message type, and the places of what a field can hold. */
    private static final class Maker {
        private final Random random;
        private final boolean proto3;
        private int names;
        private final Map<String, FieldType> places = new HashMap<>();

        Maker(Random random) {
            this.random = random;
            this.proto3 = random.nextInt(3) > 0;
        }

        FileDescriptorSet set() {
            FileDescriptorProto file = FileDescriptorProto.newBuilder()
                    .setName("random.proto")
                    .setPackage("p.q")
                    .setSyntax(proto3 ? "proto3" : "proto2")
                    .addDependency("google/protobuf/timestamp.proto")
                    .addDependency("google/protobuf/wrappers.proto")
                    .addEnumType(EnumDescriptorProto.newBuilder()
                            .setName("Colour")
                            .addValue(EnumValueDescriptorProto.newBuilder()
                                    .setName("NONE")
                                    .setNumber(0))
                            .addValue(EnumValueDescriptorProto.newBuilder()
                                    .setName("RED")
                                    .setNumber(7))
                            .addValue(EnumValueDescriptorProto.newBuilder()
                                    .setName("BLUE")
                                    .setNumber(-2)))
                    .addMessageType(message("M", "", 0))
                    .build();
            return FileDescriptorSet.newBuilder().addFile(file).build();
        }

        private DescriptorProto message(String name, String path, int depth) {
            DescriptorProto.Builder message = DescriptorProto.newBuilder().setName(name);
            message.addOneofDecl(OneofDescriptorProto.newBuilder().setName("choice"));
            int number = 0;
            int count = 3 + random.nextInt(6);
            for (int f = 0; f < count; f++) {
                number += 1 + random.nextInt(random.nextInt(10) == 0 ? 3_000 : 4);
                String field = "f" + f;
                FieldDescriptorProto.Builder of =
                        FieldDescriptorProto.newBuilder().setName(field).setNumber(number);
                boolean repeated = random.nextInt(4) == 0;
                String at = path + "." + field + (repeated ? "[" + random.nextInt(2) + "]" : "");
                type(of, message, at, depth);
                of.setLabel(
                        repeated
                                ? FieldDescriptorProto.Label.LABEL_REPEATED
                                : FieldDescriptorProto.Label.LABEL_OPTIONAL);
                if (!repeated && (f == 1 || f == 2 || random.nextInt(5) == 0)) {
                    of.setOneofIndex(0);
                } else if (repeated && random.nextBoolean() && packable(of)) {
                    of.getOptionsBuilder().setPacked(random.nextBoolean());
                }
                message.addField(of);
            }
            if (message.getFieldList().stream().noneMatch(FieldDescriptorProto::hasOneofIndex)) {
                message.clearOneofDecl();
            }
            return message.build();
        }

        private static boolean packable(FieldDescriptorProto.Builder of) {
            return of.getType() != FieldDescriptorProto.Type.TYPE_STRING
                    && of.getType() != FieldDescriptorProto.Type.TYPE_BYTES
                    && of.getType() != FieldDescriptorProto.Type.TYPE_MESSAGE;
        }

        private void type(FieldDescriptorProto.Builder of, DescriptorProto.Builder in, String path, int depth) {
            switch (random.nextInt(depth < 2 ? 12 : 9)) {
                case 0 -> {
                    of.setType(FieldDescriptorProto.Type.TYPE_ENUM).setTypeName(".p.q.Colour");
                    place(path, random.nextBoolean() ? FieldType.STRING : FieldType.INT);
                }
                case 1 -> {
                    of.setType(FieldDescriptorProto.Type.TYPE_MESSAGE).setTypeName(".google.protobuf.Timestamp");
                    place(path, FieldType.TIMESTAMP_NS);
                }
                case 2 -> {
                    of.setType(FieldDescriptorProto.Type.TYPE_MESSAGE).setTypeName(".google.protobuf.Int64Value");
                    place(path, FieldType.LONG);
                }
                case 9, 10, 11 -> {
                    String name = "N" + names++;
                    in.addNestedType(message(name, path, depth + 1));
                    of.setType(FieldDescriptorProto.Type.TYPE_MESSAGE).setTypeName(name);
                }
                default -> {
                    FieldDescriptorProto.Type type = SCALARS.get(random.nextInt(SCALARS.size()));
                    of.setType(type);
                    place(
                            path,
                            switch (type) {
                                case TYPE_INT32, TYPE_SINT32, TYPE_SFIXED32 -> FieldType.INT;
                                case TYPE_FLOAT -> FieldType.FLOAT;
                                case TYPE_DOUBLE, TYPE_UINT64, TYPE_FIXED64 -> FieldType.DOUBLE;
                                case TYPE_BOOL -> FieldType.BOOLEAN;
                                case TYPE_STRING -> FieldType.STRING;
                                case TYPE_BYTES -> FieldType.BYTES;
                                default -> FieldType.LONG;
                            });
                }
            }
        }

        private void place(String path, FieldType type) {
            if (random.nextInt(4) > 0) {
                places.put("$" + path, type);
            }
        }

        DynamicMessage value(Descriptor type) {
            DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
            for (FieldDescriptor of : type.getFields()) {
                if (of.isRepeated()) {
                    for (int i = random.nextInt(4); i > 0; i--) {
                        message.addRepeatedField(of, one(of));
                    }
                } else if (random.nextInt(3) > 0) {
                    message.setField(of, one(of));
                }
            }
            return message.build();
        }

        private Object one(FieldDescriptor of) {
            return switch (of.getJavaType()) {
                case INT -> random.nextInt() >> random.nextInt(32);
                case LONG -> random.nextLong() >> random.nextInt(64);
                case FLOAT -> random.nextFloat();
                case DOUBLE -> random.nextInt(3) * 1.5;
                case BOOLEAN -> random.nextBoolean();
                case STRING -> "\u00e9".repeat(random.nextInt(3)) + "y".repeat(random.nextInt(40));
                case BYTE_STRING -> ByteString.copyFrom(new byte[random.nextInt(30)]);
                case ENUM -> of.getEnumType().getValues().get(random.nextInt(3));
                case MESSAGE -> {
                    if (of.getMessageType().getFullName().equals("google.protobuf.Timestamp")) {
                        yield DynamicMessage.newBuilder(of.getMessageType())
                                .setField(of.getMessageType().findFieldByNumber(1), (long) random.nextInt())
                                .setField(of.getMessageType().findFieldByNumber(2), random.nextInt(1_000_000_000))
                                .build();
                    }
                    yield value(of.getMessageType());
                }
            };
        }
    }

    /** What stands at a path of a message that the library has read, as a block has it. */
    private static @Nullable Object at(Message message, String path, FieldType type) {
        Object at = message;
        FieldDescriptor last = null;
        for (String step : path.substring(2).split("\\.", -1)) {
            String name = step.replaceFirst("\\[.*", "");
            Message in = (Message) at;
            FieldDescriptor of = in.getDescriptorForType().findFieldByName(name);
            last = of;
            if (of.isRepeated()) {
                int number = Integer.parseInt(step.substring(name.length() + 1, step.length() - 1));
                if (number >= in.getRepeatedFieldCount(of)) {
                    return null;
                }
                at = in.getRepeatedField(of, number);
            } else if (of.hasPresence() && !in.hasField(of)) {
                return null;
            } else {
                at = in.getField(of);
            }
        }
        if (at instanceof EnumValueDescriptor value) {
            return type == FieldType.INT ? (Object) value.getNumber() : value.getName();
        } else if (at instanceof Message known) {
            long first = (Long) known.getField(known.getDescriptorForType().findFieldByNumber(1));
            if (type == FieldType.LONG) {
                return first;
            }
            return first * 1_000_000_000
                    + (Integer) known.getField(known.getDescriptorForType().findFieldByNumber(2));
        }
        boolean unsigned = last != null
                && (last.getType() == FieldDescriptor.Type.UINT32 || last.getType() == FieldDescriptor.Type.FIXED32);
        return switch (type.kind()) {
            case LONG -> unsigned ? Integer.toUnsignedLong((Integer) at) : ((Number) at).longValue();
            case DOUBLE ->
                at instanceof Long big
                        ? new java.math.BigInteger(Long.toUnsignedString(big)).doubleValue()
                        : ((Number) at).doubleValue();
            case BYTES -> ((ByteString) at).toByteArray();
            default -> at;
        };
    }

    static Schema schema(Map<String, FieldType> places, String descriptor, String message) {
        List<Field> fields = new ArrayList<>();
        Map<String, String> from = new HashMap<>();
        fields.add(new Field("t", FieldType.TIMESTAMP, false));
        from.put("t", "kafka.timestamp");
        places.forEach((path, type) -> {
            if (fields.size() < 60) {
                String name = "c" + fields.size();
                from.put(name, path);
                fields.add(new Field(name, type, true));
            }
        });
        return new Schema(
                fields,
                new KeySpec.Ordered("t"),
                "t",
                RecordText.DEFAULT.withFrom(from).withTypes(new WriterTypes("", "", descriptor, message)));
    }

    private static String base64(FileDescriptorSet set) {
        return Base64.getEncoder().encodeToString(set.toByteArray());
    }

    @Test
    void randomTypesAndMessagesAreReadAsTheLibraryReadsThem() throws Exception {
        long begin = Long.getLong("seed", 1);
        int compared = 0;
        for (long seed = begin; seed < begin + Rounds.of(150, 3_000); seed++) {
            Random random = new Random(seed);
            Maker maker = new Maker(random);
            FileDescriptorSet set = maker.set();
            String descriptor = base64(set);
            Descriptor type = MessageDescriptors.find(descriptor, "p.q.M");
            Schema schema = schema(maker.places, descriptor, "p.q.M");
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.PROTOBUF, schema);
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
            // The same by a registry that keeps the source of the type.
            String source = new ProtoPrinter(random).print(set.getFile(0));
            RecordDecoder named = RecordDecoder.of(
                    RecordFormat.PROTOBUF, registered(schema), id -> new RegisteredSchema("PROTOBUF", source));
            TupleBlock other = new TupleBlock(RowLayout.of(schema), 0);
            for (int i = 0; i < 20; i++) {
                // Two behind each other are one that has the members of both.
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                maker.value(type).writeTo(bytes);
                if (random.nextBoolean()) {
                    maker.value(type).writeTo(bytes);
                }
                byte[] record = bytes.toByteArray();
                if (record.length == 0) {
                    continue;
                }
                DynamicMessage read = DynamicMessage.parseFrom(type, record);
                decoder.decode(ByteBuffer.wrap(record), block);
                int row = block.size() - 1;
                for (int f = 1; f < schema.fields().size(); f++) {
                    String place = schema.text().source(schema.fields().get(f).name());
                    FieldType of = schema.fields().get(f).type();
                    assertThat(block.value(f, row))
                            .as("seed %s, %s in %s", seed, place, read)
                            .isEqualTo(at(read, place, of));
                    compared++;
                }
                byte[] prefix = random.nextBoolean() ? new byte[] {0, 0, 0, 0, 7, 0} : new byte[] {0, 0, 0, 0, 7, 2, 0};
                byte[] framed = Arrays.copyOf(prefix, prefix.length + record.length);
                System.arraycopy(record, 0, framed, prefix.length, record.length);
                named.decode(ByteBuffer.wrap(framed), other);
                int fields = schema.fields().size();
                assertThat(row(other, other.size() - 1, fields))
                        .as("seed %s, %s", seed, source)
                        .isEqualTo(row(block, row, fields));
                damage(named, framed, other, random);
                damage(decoder, record, block, random);
            }
        }
        assertThat(compared).isGreaterThan(1_000);
    }

    private static List<@Nullable Object> row(TupleBlock block, int row, int fields) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int f = 0; f < fields; f++) {
            Object value = block.value(f, row);
            values.add(value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value);
        }
        return values;
    }

    /** The same for records that name their types. */
    private static Schema registered(Schema schema) {
        RecordText text = schema.text();
        return new Schema(
                schema.fields(),
                schema.key(),
                schema.timeField(),
                text.withTypes(new WriterTypes("", "http://127.0.0.1:8081")));
    }

    /** Bytes that are cut or turned are refused or read as another message: never more than that. */
    private static void damage(RecordDecoder decoder, byte[] record, TupleBlock block, Random random) {
        int rows = block.size();
        int arena = block.arenaSize();
        for (int i = 0; i < 10; i++) {
            byte[] damaged =
                    random.nextBoolean() ? Arrays.copyOf(record, random.nextInt(record.length)) : record.clone();
            for (int b = random.nextInt(3); b > 0 && damaged.length > 0; b--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                decoder.decode(ByteBuffer.wrap(damaged), block);
            } catch (RejectedRecordException e) {
                assertThat(e.getMessage()).isNotBlank();
                assertThat(block.size()).isEqualTo(rows);
                assertThat(block.arenaSize()).isEqualTo(arena);
            }
            block.setSize(rows);
            block.setArenaSize(arena);
        }
    }

    private static FileDescriptorSet readings() {
        return FileDescriptorSet.newBuilder()
                .addFile(FileDescriptorProto.newBuilder()
                        .setName("r.proto")
                        .setSyntax("proto3")
                        .addDependency("google/protobuf/timestamp.proto")
                        .addMessageType(DescriptorProto.newBuilder()
                                .setName("Readings")
                                .addNestedType(DescriptorProto.newBuilder()
                                        .setName("Reading")
                                        .addField(field("at", 1, FieldDescriptorProto.Type.TYPE_MESSAGE)
                                                .setTypeName(".google.protobuf.Timestamp"))
                                        .addField(field("v", 2, FieldDescriptorProto.Type.TYPE_DOUBLE)))
                                .addNestedType(DescriptorProto.newBuilder()
                                        .setName("TagsEntry")
                                        .setOptions(com.google.protobuf.DescriptorProtos.MessageOptions.newBuilder()
                                                .setMapEntry(true))
                                        .addField(field("key", 1, FieldDescriptorProto.Type.TYPE_STRING))
                                        .addField(field("value", 2, FieldDescriptorProto.Type.TYPE_INT32)))
                                .addField(field("readings", 1, FieldDescriptorProto.Type.TYPE_MESSAGE)
                                        .setLabel(FieldDescriptorProto.Label.LABEL_REPEATED)
                                        .setTypeName("Reading"))
                                .addField(field("device", 2, FieldDescriptorProto.Type.TYPE_STRING))
                                .addField(field("tags", 3, FieldDescriptorProto.Type.TYPE_MESSAGE)
                                        .setLabel(FieldDescriptorProto.Label.LABEL_REPEATED)
                                        .setTypeName("TagsEntry"))))
                .build();
    }

    private static FieldDescriptorProto.Builder field(String name, int number, FieldDescriptorProto.Type type) {
        return FieldDescriptorProto.newBuilder()
                .setName(name)
                .setNumber(number)
                .setType(type)
                .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL);
    }

    private static Schema readings(String place, FieldType type) {
        Schema two = schema(Map.of(place, type), base64(readings()), "Readings");
        Map<String, String> from = new HashMap<>(two.text().from());
        from.put("t", "$.readings[*].at");
        from.put("device", "device");
        RecordText text = two.text();
        List<Field> fields = new ArrayList<>(two.fields());
        fields.add(new Field("device", FieldType.STRING, false));
        return new Schema(fields, two.key(), "t", text.withFrom(from));
    }

    private static Message reading(Descriptor type, long seconds, double v) {
        Descriptor reading = type.findNestedTypeByName("Reading");
        return DynamicMessage.newBuilder(reading)
                .setField(
                        reading.findFieldByName("at"),
                        Timestamp.newBuilder()
                                .setSeconds(seconds)
                                .setNanos(5_000_000)
                                .build())
                .setField(reading.findFieldByName("v"), v)
                .build();
    }

    @Test
    void eachElementOfARepeatedFieldIsATupleAndAnEntryOfAMapIsAField() throws Exception {
        Descriptor type = MessageDescriptors.find(base64(readings()), "Readings");
        Descriptor entry = type.findNestedTypeByName("TagsEntry");
        DynamicMessage message = DynamicMessage.newBuilder(type)
                .addRepeatedField(type.findFieldByName("readings"), reading(type, 1, 0))
                .addRepeatedField(type.findFieldByName("readings"), reading(type, 2, 1.5))
                .setField(type.findFieldByName("device"), "a-7")
                .addRepeatedField(
                        type.findFieldByName("tags"),
                        DynamicMessage.newBuilder(entry)
                                .setField(entry.findFieldByName("key"), "k")
                                .setField(entry.findFieldByName("value"), 9)
                                .build())
                .build();
        assertThat(rows(readings("$.readings[*].v", FieldType.DOUBLE), message))
                .containsExactly(Arrays.asList(1_005L, 0.0, "a-7"), Arrays.asList(2_005L, 1.5, "a-7"));
        assertThat(rows(readings("$.tags.k", FieldType.INT), message))
                .containsExactly(Arrays.asList(1_005L, 9, "a-7"), Arrays.asList(2_005L, 9, "a-7"));
        assertThat(rows(readings("$.tags.other", FieldType.INT), message).get(0))
                .containsExactly(1_005L, null, "a-7");
        DynamicMessage none = DynamicMessage.newBuilder(type)
                .setField(type.findFieldByName("device"), "x")
                .build();
        assertThat(rows(readings("$.readings[*].v", FieldType.DOUBLE), none)).isEmpty();
    }

    private static List<List<@Nullable Object>> rows(Schema schema, Message message)
            throws RejectedRecordException, IOException {
        TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
        RecordDecoder.of(RecordFormat.PROTOBUF, schema).decode(ByteBuffer.wrap(message.toByteArray()), block);
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (int row = 0; row < block.size(); row++) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int f = 0; f < schema.fields().size(); f++) {
                values.add(block.value(f, row));
            }
            rows.add(values);
        }
        return rows;
    }

    @Test
    void whatCannotBeIsRefused() {
        wrong(Map.of("$.device.x", FieldType.STRING), "Readings", "device: expected a message, got string");
        wrong(Map.of("$.devise", FieldType.STRING), "Readings", "has no $.devise");
        wrong(Map.of("$.device", FieldType.DOUBLE), "Readings", "cannot be text");
        wrong(Map.of("$.readings", FieldType.DOUBLE), "Readings", "name one of them by [0], or each by [*]");
        wrong(Map.of("$.device[0]", FieldType.STRING), "Readings", "device: expected a repeated field");
        wrong(Map.of("$.device", FieldType.STRING), "Reading", "there is no 'Reading' in the descriptor, which has");
        assertThatThrownBy(() -> MessageDescriptors.find("AAAA", "x")).hasMessageContaining("not a descriptor set");
    }

    private static void wrong(Map<String, FieldType> places, String message, String why) {
        assertThatThrownBy(() -> RecordDecoder.of(RecordFormat.PROTOBUF, schema(places, base64(readings()), message)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }
}
