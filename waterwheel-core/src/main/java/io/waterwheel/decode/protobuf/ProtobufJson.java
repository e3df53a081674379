package io.waterwheel.decode.protobuf;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.schema.FieldType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a registered schema as objects of JSON, with the values that a field of a stream takes: what is absent
 * for a stream is left out, times are ISO 8601, bytes base64, enumerations their names. For people who look at a topic,
 * not for what reads one: each message becomes objects. One thread.
 */
public final class ProtobufJson {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int MOST_DEEP = 100;

    /** Messages within each other whose types are looked at: one may hold itself. */
    private static final int MOST_DEEP_TYPES = 16;

    /** Places that are looked at, whether a type is told of them or not. */
    private static final int MOST_PLACES = 2_000;
    /** Elements of a repeated field that may be fields of their own. */
    private static final int MOST_ELEMENTS = 8;

    private final FileDescriptor file;
    /** By type of a record, by path. */
    private final Map<Descriptor, Map<String, FieldType>> typesOf = new HashMap<>();

    /**
     * One for the messages of a schema.
     *
     * @throws MalformedException when it is of another type
     * @throws IllegalArgumentException when it cannot be read; the message says why
     */
    public ProtobufJson(RegisteredSchema schema) throws MalformedException {
        this.file = MessageDescriptors.registered(schema);
    }

    /** A message and its type. */
    private record Read(Descriptor type, DynamicMessage message) {}

    /**
     * The object of a record.
     *
     * @param from where the place of its type begins, behind the number of its schema
     * @param types gets the types of fields that hold its values, by their paths
     * @throws MalformedException when it is no message of the schema
     */
    public byte[] json(byte[] bytes, int from, Map<String, FieldType> types) throws MalformedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            Read read = read(CodedInputStream.newInstance(bytes, from, bytes.length - from));
            message(read.message, json);
            types.putAll(typesOf.computeIfAbsent(read.type, type -> new Places().of(type)));
        } catch (IOException e) {
            throw new MalformedException("no message of its schema: " + e.getMessage());
        }
        return out.toByteArray();
    }

    private Read read(CodedInputStream in) throws IOException, MalformedException {
        int count = in.readSInt32();
        if (count < 0 || count > MOST_DEEP) {
            throw new MalformedException("names a message " + count + " deep in its schema");
        }
        List<Integer> places = new ArrayList<>(count == 0 ? List.of(0) : List.of());
        for (int n = 0; n < count; n++) {
            places.add(in.readSInt32());
        }
        List<Descriptor> types = file.getMessageTypes();
        Descriptor type = null;
        for (int place : places) {
            if (place < 0 || place >= types.size()) {
                throw new MalformedException("names the message at " + places + ", which its schema lacks");
            }
            type = types.get(place);
            types = type.getNestedTypes();
        }
        if (type == null) {
            throw new InvalidProtocolBufferException("it names no type");
        }
        // Without what proto2 requires it is a message for a stream, too.
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        message.mergeFrom(in);
        return new Read(type, message.buildPartial());
    }

    private static void message(DynamicMessage message, JsonGenerator json) throws IOException {
        json.writeStartObject();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (field.getType() == FieldDescriptor.Type.GROUP || isStrangeMap(field)) {
                continue; // no field of a stream leads there
            }
            if (field.isRepeated()) {
                repeated(message, field, json);
            } else if (!field.hasPresence() || message.hasField(field)) {
                json.writeFieldName(field.getName());
                value(field, message.getField(field), json);
            }
        }
        json.writeEndObject();
    }

    private static boolean isStrangeMap(FieldDescriptor field) {
        return field.isMapField() && field.getMessageType().findFieldByNumber(1).getJavaType() != JavaType.STRING;
    }

    private static void repeated(DynamicMessage message, FieldDescriptor field, JsonGenerator json) throws IOException {
        json.writeFieldName(field.getName());
        if (!field.isMapField()) {
            json.writeStartArray();
            for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
                value(field, message.getRepeatedField(field, i), json);
            }
            json.writeEndArray();
            return;
        }
        FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
        FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
        // Of several by one key the last counts.
        Map<String, Object> entries = new HashMap<>();
        for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
            DynamicMessage entry = (DynamicMessage) message.getRepeatedField(field, i);
            entries.put((String) entry.getField(key), entry.getField(value));
        }
        json.writeStartObject();
        for (Map.Entry<String, Object> entry : entries.entrySet()) {
            json.writeFieldName(entry.getKey());
            value(value, entry.getValue(), json);
        }
        json.writeEndObject();
    }

    private static void value(FieldDescriptor field, Object value, JsonGenerator json) throws IOException {
        if (value instanceof DynamicMessage message) {
            FieldDescriptor wrapped = wrapped(message.getDescriptorForType());
            if (wrapped != null) {
                value(wrapped, message.getField(wrapped), json);
            } else if (isTimestamp(message.getDescriptorForType())) {
                json.writeString(time(message));
            } else {
                message(message, json);
            }
        } else if (value instanceof EnumValueDescriptor name) {
            // One that the schema lacks is written in digits.
            json.writeString(name.getIndex() < 0 ? Integer.toString(name.getNumber()) : name.getName());
        } else if (value instanceof ByteString bytes) {
            json.writeBinary(bytes.toByteArray());
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Integer number) {
            json.writeNumber(isUnsigned(field) ? Integer.toUnsignedLong(number) : number.longValue());
        } else if (value instanceof Long number) {
            json.writeNumber(isUnsigned(field) ? Long.toUnsignedString(number) : Long.toString(number));
        } else if (value instanceof Float number) {
            json.writeNumber(number);
        } else if (value instanceof Double number) {
            json.writeNumber(number);
        } else {
            json.writeString(String.valueOf(value));
        }
    }

    private static boolean isUnsigned(FieldDescriptor field) {
        return switch (field.getType()) {
            case UINT32, FIXED32, UINT64, FIXED64 -> true;
            default -> false;
        };
    }

    private static boolean isTimestamp(Descriptor type) {
        return type.getFullName().equals("google.protobuf.Timestamp");
    }

    private static String time(DynamicMessage message) {
        Descriptor type = message.getDescriptorForType();
        long seconds = (Long) message.getField(type.findFieldByNumber(1));
        int nanos = (Integer) message.getField(type.findFieldByNumber(2));
        try {
            return Instant.ofEpochSecond(seconds, nanos).toString();
        } catch (DateTimeException | ArithmeticException e) {
            return seconds + " s " + nanos + " ns";
        }
    }

    /** What a wrapper, such as {@code google.protobuf.StringValue}, wraps; null of others. */
    private static @Nullable FieldDescriptor wrapped(Descriptor type) {
        return type.getFile().getName().equals("google/protobuf/wrappers.proto") ? type.findFieldByNumber(1) : null;
    }

    /** The types of the fields of one message type; a type may hold itself, so that the places have no end. */
    private static final class Places {
        private final Map<String, FieldType> types = new HashMap<>();
        private int places;

        Map<String, FieldType> of(Descriptor type) {
            walk(type, "$", 0);
            return types;
        }

        private void walk(Descriptor message, String path, int depth) {
            for (FieldDescriptor field : message.getFields()) {
                String at = path + "." + field.getName();
                if (!field.isRepeated()) {
                    walk(field, at, depth);
                }
                for (int i = 0;
                        field.isRepeated() && !field.isMapField() && i < MOST_ELEMENTS && places < MOST_PLACES;
                        i++) {
                    walk(field, at + "[" + i + "]", depth);
                }
            }
        }

        private void walk(FieldDescriptor field, String path, int depth) {
            if (depth > MOST_DEEP_TYPES || ++places > MOST_PLACES) {
                return;
            }
            if (field.getType() == FieldDescriptor.Type.MESSAGE) {
                FieldDescriptor wrapped = wrapped(field.getMessageType());
                if (wrapped != null) {
                    walk(wrapped, path, depth + 1);
                } else if (isTimestamp(field.getMessageType())) {
                    types.put(path, FieldType.TIMESTAMP_US);
                } else {
                    walk(field.getMessageType(), path, depth + 1);
                }
                return;
            }
            FieldType type =
                    switch (field.getType()) {
                        case DOUBLE, FLOAT -> FieldType.DOUBLE;
                        case BOOL -> FieldType.BOOLEAN;
                        case BYTES -> FieldType.BYTES;
                        case ENUM -> FieldType.STRING;
                        case INT32, SINT32, SFIXED32 -> FieldType.INT;
                        case INT64, SINT64, SFIXED64, UINT32, FIXED32 -> FieldType.LONG;
                        // Texts are what their values are; so are numbers that may be above 2^63.
                        default -> null;
                    };
            if (type != null) {
                types.put(path, type);
            }
        }
    }
}
