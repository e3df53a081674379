package io.waterwheel.cli.proposal;

import io.waterwheel.decode.avro.AvroFieldTypes;
import io.waterwheel.decode.avro.AvroJson;
import io.waterwheel.decode.avro.AvroSchemas;
import io.waterwheel.decode.avro.AvroType;
import io.waterwheel.decode.protobuf.ProtobufJson;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.text.Decimals;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Records of a topic whose producers have a schema registry, as objects of JSON, and which fields would hold them: for
 * who looks at a topic before there is a stream. One thread.
 */
public final class RegisteredRecords {
    /**
     * What is known of records that were looked at as JSON, and are not.
     *
     * @param format that they have
     * @param registry the address of the one that has their schemas
     * @param types by path, such as {@code $.position.lat}, of the fields that hold their values
     */
    public record Known(RecordFormat format, String registry, Map<String, FieldType> types) {
        /** Of records that are what they were looked at as. */
        public static final Known NOTHING = new Known(RecordFormat.JSON, "", Map.of());

        public Known {
            types = Map.copyOf(types);
        }

        boolean any() {
            return !registry.isEmpty();
        }
    }

    /** Bytes before what the serialiser of a format writes: zero, and a number of four bytes, the highest first. */
    private static final int PREFIX = 5;

    /** What is known of a schema: how its records are read, or why they are not. */
    private record Source(
            RecordFormat format,
            @Nullable AvroJson avro,
            @Nullable ProtobufJson protobuf,
            Map<String, FieldType> types,
            String refusal) {
        static Source refused(String why) {
            return new Source(RecordFormat.AVRO, null, null, Map.of(), why);
        }
    }

    private final WriterSchemas registry;
    private final Map<Integer, Source> sources = new TreeMap<>();
    private final Map<String, FieldType> types = new HashMap<>();
    /** Paths that are of several types. */
    private final Set<String> torn = new HashSet<>();

    private final Set<Integer> read = new HashSet<>();
    private final Set<RecordFormat> formats = new TreeSet<>();

    /** @param registry may wait for its answers */
    public RegisteredRecords(WriterSchemas registry) {
        this.registry = registry;
    }

    /** Whether a record begins as one that such a serialiser wrote. */
    public static boolean begins(byte[] record) {
        return record.length > PREFIX && record[0] == 0;
    }

    /**
     * The object of a record.
     *
     * @throws MalformedException when there is none; the message says why
     * @throws io.waterwheel.decode.typed.SchemaAwaitedException when the registry does not answer
     */
    public byte[] json(byte[] record) throws MalformedException {
        int id = ByteBuffer.wrap(record).getInt(1);
        Source source = sources.get(id);
        if (source == null) {
            source = id < 0 ? Source.refused("is none, for numbers count upwards from 1") : source(registry.get(id));
            sources.put(id, source);
        }
        AvroJson avro = source.avro;
        ProtobufJson protobuf = source.protobuf;
        if (avro == null && protobuf == null) {
            throw new MalformedException("schema " + Integer.toUnsignedString(id) + " " + source.refusal);
        }
        Map<String, FieldType> seen = source.types;
        byte[] object;
        if (avro != null) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try {
                int end = avro.write(record, PREFIX, record.length, out);
                if (end < record.length) {
                    throw new MalformedException((record.length - end) + " bytes are left behind the record");
                }
            } catch (IOException e) {
                throw new MalformedException(String.valueOf(e.getMessage()));
            }
            object = out.toByteArray();
        } else {
            seen = new HashMap<>();
            object = Objects.requireNonNull(protobuf).json(record, PREFIX, seen);
        }
        formats.add(source.format);
        read.add(id);
        seen.forEach(this::add);
        return object;
    }

    private void add(String path, FieldType type) {
        FieldType before = types.getOrDefault(path, type);
        FieldType both = before.equals(type) ? type : wider(before, type);
        types.put(path, both == null ? type : both);
        if (both == null) {
            torn.add(path);
        }
    }

    /** The decimal that holds the values of both; null where none does. */
    private static @Nullable FieldType wider(FieldType one, FieldType other) {
        if (!one.isDecimal() || !other.isDecimal()) {
            return null;
        }
        int scale = Math.max(one.scale(), other.scale());
        int before = Math.max(one.precision() - one.scale(), other.precision() - other.scale());
        return before + scale > Decimals.MOST_DIGITS ? null : FieldType.decimal(before + scale, scale);
    }

    private static Source source(RegisteredSchema schema) {
        try {
            return switch (schema.type()) {
                case "AVRO" -> {
                    AvroType type = AvroSchemas.parse(schema);
                    yield new Source(RecordFormat.AVRO, new AvroJson(type), null, AvroFieldTypes.of(type), "");
                }
                case "PROTOBUF" -> new Source(RecordFormat.PROTOBUF, null, new ProtobufJson(schema), Map.of(), "");
                default ->
                    Source.refused("is of type " + schema.type().toLowerCase(Locale.ROOT)
                            + ", and a stream reads avro and protobuf behind such a prefix");
            };
        } catch (IllegalArgumentException | MalformedException e) {
            return Source.refused("cannot be read: " + e.getMessage());
        }
    }

    /** What the records are; empty before one could be read. */
    public Set<RecordFormat> formats() {
        return Set.copyOf(formats);
    }

    /** By path the type that holds all of its values; without those that have no one type. */
    public Map<String, FieldType> types() {
        Map<String, FieldType> known = new HashMap<>(types);
        known.keySet().removeAll(torn);
        return known;
    }

    /** The numbers of the schemas by which records were read, in their order. */
    public Set<Integer> schemas() {
        return new TreeSet<>(read);
    }
}
