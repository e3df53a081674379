package io.waterwheel.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.generic.GenericArray;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Random schemas and values of Avro, beside Avro's own library: it writes, and reads for the comparison. */
final class AvroTwinTest {
    /** Makes schemas, values of them, and the places of all that a field can hold. */
    private static final class Maker {
        private final Random random;
        private int names;
        private final Map<String, FieldType> places = new HashMap<>();

        Maker(Random random) {
            this.random = random;
        }

        org.apache.avro.Schema record(String path, int depth) {
            org.apache.avro.Schema record =
                    org.apache.avro.Schema.createRecord("R" + names++, null, "n" + random.nextInt(2), false);
            List<org.apache.avro.Schema.Field> fields = new ArrayList<>();
            if (depth == 0) {
                fields.add(new org.apache.avro.Schema.Field(
                        "t", org.apache.avro.Schema.create(org.apache.avro.Schema.Type.LONG)));
            }
            int count = 1 + random.nextInt(6);
            for (int f = 0; f < count; f++) {
                String name = "f" + f;
                fields.add(new org.apache.avro.Schema.Field(name, type(path + "." + name, depth, true)));
            }
            record.setFields(fields);
            return record;
        }

        private org.apache.avro.Schema type(String path, int depth, boolean named) {
            org.apache.avro.Schema nothing = org.apache.avro.Schema.create(org.apache.avro.Schema.Type.NULL);
            int kind = random.nextInt(depth < 3 ? 17 : 12);
            return switch (kind) {
                case 0 -> plain(path, named, FieldType.INT, org.apache.avro.Schema.Type.INT);
                case 1 -> plain(path, named, FieldType.LONG, org.apache.avro.Schema.Type.LONG);
                case 2 -> plain(path, named, FieldType.FLOAT, org.apache.avro.Schema.Type.FLOAT);
                case 3 -> plain(path, named, FieldType.DOUBLE, org.apache.avro.Schema.Type.DOUBLE);
                case 4 -> plain(path, named, FieldType.BOOLEAN, org.apache.avro.Schema.Type.BOOLEAN);
                case 5, 6 -> plain(path, named, FieldType.STRING, org.apache.avro.Schema.Type.STRING);
                case 7 -> plain(path, named, FieldType.BYTES, org.apache.avro.Schema.Type.BYTES);
                case 8 -> {
                    place(path, named, FieldType.BYTES);
                    yield org.apache.avro.Schema.createFixed("F" + names++, null, null, random.nextInt(20));
                }
                case 9 -> {
                    place(path, named, FieldType.STRING);
                    yield org.apache.avro.Schema.createEnum("E" + names++, null, null, List.of("A", "BB", "c_1"));
                }
                case 10 -> nothing;
                case 11 -> plain(path, named, FieldType.DOUBLE, org.apache.avro.Schema.Type.INT);
                case 12, 13 -> {
                    org.apache.avro.Schema some = type(path, depth + 1, named);
                    if (some.getType() == org.apache.avro.Schema.Type.UNION
                            || some.getType() == org.apache.avro.Schema.Type.NULL) {
                        yield some;
                    }
                    yield random.nextBoolean()
                            ? org.apache.avro.Schema.createUnion(nothing, some)
                            : org.apache.avro.Schema.createUnion(some, nothing);
                }
                case 14 -> org.apache.avro.Schema.createArray(type(path + "[1]", depth + 1, named));
                case 15 -> org.apache.avro.Schema.createMap(type(path + ".k1", depth + 1, named));
                default -> named ? record(path, depth + 1) : nothing;
            };
        }

        private org.apache.avro.Schema plain(
                String path, boolean named, FieldType type, org.apache.avro.Schema.Type avro) {
            place(path, named, type);
            return org.apache.avro.Schema.create(avro);
        }

        private void place(String path, boolean named, FieldType type) {
            if (named && random.nextInt(3) > 0) {
                places.put("$" + path, type);
            }
        }

        Object value(org.apache.avro.Schema schema) {
            return switch (schema.getType()) {
                case INT -> random.nextInt() >> random.nextInt(32);
                case LONG -> random.nextLong() >> random.nextInt(64);
                case FLOAT -> random.nextFloat() * 1e9f;
                case DOUBLE -> Double.longBitsToDouble(random.nextLong() & 0x7FEF_FFFF_FFFF_FFFFL);
                case BOOLEAN -> random.nextBoolean();
                case STRING -> "\u00e4".repeat(random.nextInt(3)) + "x".repeat(random.nextInt(100));
                case BYTES -> ByteBuffer.wrap(randomBytes(random.nextInt(50)));
                case FIXED -> new GenericData.Fixed(schema, randomBytes(schema.getFixedSize()));
                case ENUM ->
                    new GenericData.EnumSymbol(schema, schema.getEnumSymbols().get(random.nextInt(3)));
                case NULL -> Nothing.NOTHING;
                case UNION ->
                    value(schema.getTypes().get(random.nextInt(schema.getTypes().size())));
                case ARRAY -> {
                    GenericArray<Object> array = new GenericData.Array<>(3, schema);
                    for (int i = random.nextInt(4); i > 0; i--) {
                        array.add(real(value(schema.getElementType())));
                    }
                    yield array;
                }
                case MAP -> {
                    Map<String, Object> map = new HashMap<>();
                    for (int i = random.nextInt(4); i > 0; i--) {
                        map.put("k" + i, real(value(schema.getValueType())));
                    }
                    yield map;
                }
                case RECORD -> {
                    GenericRecord record = new GenericData.Record(schema);
                    for (org.apache.avro.Schema.Field field : schema.getFields()) {
                        record.put(
                                field.name(),
                                field.name().equals("t") ? random.nextInt(1000) * 1L : real(value(field.schema())));
                    }
                    yield record;
                }
            };
        }

        private byte[] randomBytes(int length) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return bytes;
        }
    }

    private enum Nothing {
        NOTHING
    }

    @SuppressWarnings("NullAway") // Avro's null is null
    private static Object real(Object value) {
        return value == Nothing.NOTHING ? null : value;
    }

    /** What stands at a path of a value that Avro's library has read, as a block has it. */
    private static @Nullable Object at(@Nullable Object value, String path, FieldType type) {
        Object at = value;
        for (String step : path.substring(2).replace("[", ".[").split("\\.", -1)) {
            if (at == null) {
                return null;
            } else if (step.startsWith("[")) {
                List<?> list = (List<?>) at;
                int number = Integer.parseInt(step.substring(1, step.length() - 1));
                at = number < list.size() ? list.get(number) : null;
            } else if (at instanceof GenericRecord record) {
                at = record.get(step);
            } else {
                at = ((Map<?, ?>) at)
                        .entrySet().stream()
                                .filter(entry -> entry.getKey().toString().equals(step))
                                .map(Map.Entry::getValue)
                                .filter(java.util.Objects::nonNull)
                                .findFirst()
                                .orElse(null);
            }
        }
        if (at == null) {
            return null;
        }
        return switch (type.kind()) {
            case STRING -> at.toString();
            case DOUBLE -> ((Number) at).doubleValue();
            case BYTES -> at instanceof GenericFixed fixed ? fixed.bytes() : bytes((ByteBuffer) at);
            default -> at;
        };
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    static Schema schema(Map<String, FieldType> places, String avro) {
        List<Field> fields = new ArrayList<>();
        Map<String, String> from = new HashMap<>();
        fields.add(new Field("t", FieldType.TIMESTAMP, false));
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
                RecordText.DEFAULT.withFrom(from).withTypes(new WriterTypes(avro, "")));
    }

    static byte[] written(org.apache.avro.Schema schema, Object value, boolean blocksTellBytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        EncoderFactory factory = new EncoderFactory().configureBlockSize(64);
        BinaryEncoder encoder =
                blocksTellBytes ? factory.blockingBinaryEncoder(out, null) : factory.binaryEncoder(out, null);
        new GenericDatumWriter<>(schema).write(value, encoder);
        encoder.flush();
        return out.toByteArray();
    }

    @Test
    void randomSchemasAndValuesAreReadAsAvrosLibraryReadsThem() throws Exception {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(150, 3_000); seed++) {
            Random random = new Random(seed);
            Maker maker = new Maker(random);
            org.apache.avro.Schema avro = maker.record("", 0);
            Schema schema = schema(maker.places, avro.toString());
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.AVRO, schema);
            TupleBlock block = new TupleBlock(RowLayout.of(schema), 0);
            for (int row = 0; row < 20; row++) {
                byte[] record = written(avro, maker.value(avro), random.nextBoolean());
                Object read = new GenericDatumReader<>(avro)
                        .read(null, DecoderFactory.get().binaryDecoder(record, null));
                decoder.decode(ByteBuffer.wrap(record), block);
                assertThat(block.size()).isEqualTo(row + 1);
                for (int f = 1; f < schema.fields().size(); f++) {
                    String name = schema.fields().get(f).name();
                    assertThat(block.value(f, row))
                            .as("seed %s, %s of %s in %s", seed, schema.text().source(name), read, avro)
                            .isEqualTo(at(
                                    read,
                                    schema.text().source(name),
                                    schema.fields().get(f).type()));
                }
                assertThat(block.value(0, row)).isEqualTo(((GenericRecord) read).get("t"));
                damage(decoder, record, block, random);
            }
        }
    }

    /** Bytes that are cut or turned are refused or read as another record: never more than that. */
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
}
