package io.waterwheel.decode.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.ValueKind;
import io.waterwheel.decode.typed.ValueSink;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the value of a field of the stream that is a scalar of the message. Where the message type does not tell absent
 * from default, an absent one is the default.
 */
final class WireLeaf implements WireField {
    private final int field;
    private final WireField value;
    private final @Nullable WireField otherwise;

    private WireLeaf(int field, WireField value, @Nullable WireField otherwise) {
        this.field = field;
        this.value = value;
        this.otherwise = otherwise;
    }

    @Override
    public void read(WireInput in, ValueSink sink) throws MalformedException {
        value.read(in, sink);
    }

    @Override
    public void absent(ValueSink sink) throws MalformedException {
        if (otherwise != null && !sink.has(field)) {
            otherwise.read(NOTHING, sink);
        }
    }

    private static final WireInput NOTHING = new WireInput();

    /** What the values of a type are. */
    private static ValueKind kind(FieldDescriptor of) {
        return switch (of.getJavaType()) {
            case INT, LONG -> ValueKind.INTEGER;
            case FLOAT, DOUBLE -> ValueKind.NUMBER;
            case BOOLEAN -> ValueKind.BOOLEAN;
            case STRING -> ValueKind.TEXT;
            case BYTE_STRING -> ValueKind.BYTES;
            case ENUM -> ValueKind.ENUMERATION;
            case MESSAGE -> ValueKind.STRUCTURE;
        };
    }

    /**
     * Reads a scalar, or one element of a repeated one.
     *
     * @param element whether it is one of several, which is not there when it is absent
     * @throws MalformedException when the field can hold no value of it
     */
    static WireField of(FieldDescriptor of, int field, boolean element, ValueSink sink) throws MalformedException {
        ValueKind kind = kind(of);
        boolean asNumber = of.getJavaType() == FieldDescriptor.JavaType.ENUM
                && sink.unfit(field, ValueKind.ENUMERATION) != null
                && sink.unfit(field, ValueKind.INTEGER) == null;
        String unfit = asNumber ? null : sink.unfit(field, kind);
        if (unfit != null) {
            throw new MalformedException(unfit + " (the message has "
                    + of.getType().name().toLowerCase(java.util.Locale.ROOT) + " " + of.getFullName() + ")");
        }
        boolean presence = element || of.hasPresence();
        return new WireLeaf(field, value(of, field, asNumber), presence ? null : standard(of, field, asNumber));
    }

    private static WireField value(FieldDescriptor of, int field, boolean asNumber) {
        return switch (of.getType()) {
            case INT32 ->
                (in, sink) -> {
                    int number = (int) in.varint();
                    sink.integer(field, number);
                };
            case INT64 -> (in, sink) -> sink.integer(field, in.varint());
            case UINT32 -> (in, sink) -> sink.integer(field, in.varint() & 0xFFFF_FFFFL);
            case UINT64 -> (in, sink) -> sink.unsigned(field, in.varint());
            case SINT32 ->
                (in, sink) -> {
                    int zigzag = (int) in.varint();
                    sink.integer(field, (zigzag >>> 1) ^ -(zigzag & 1));
                };
            case SINT64 ->
                (in, sink) -> {
                    long zigzag = in.varint();
                    sink.integer(field, (zigzag >>> 1) ^ -(zigzag & 1));
                };
            case FIXED32 -> (in, sink) -> sink.integer(field, in.four() & 0xFFFF_FFFFL);
            case SFIXED32 -> (in, sink) -> sink.integer(field, in.four());
            case FIXED64 -> (in, sink) -> sink.unsigned(field, in.eight());
            case SFIXED64 -> (in, sink) -> sink.integer(field, in.eight());
            case FLOAT -> (in, sink) -> sink.single(field, Float.intBitsToFloat(in.four()));
            case DOUBLE -> (in, sink) -> sink.number(field, Double.longBitsToDouble(in.eight()));
            case BOOL -> (in, sink) -> sink.bool(field, in.varint() != 0);
            case STRING ->
                (in, sink) -> {
                    int length = in.length();
                    sink.text(field, in.bytes, in.at, length);
                    in.at += length;
                };
            case BYTES ->
                (in, sink) -> {
                    int length = in.length();
                    sink.bytes(field, in.bytes, in.at, length);
                    in.at += length;
                };
            case ENUM -> enumeration(of.getEnumType(), field, asNumber);
            case MESSAGE, GROUP -> throw new IllegalStateException("no scalar");
        };
    }

    /** A number without a name is not a value of a closed enumeration; of an open one it is written in digits. */
    private static WireField enumeration(EnumDescriptor type, int field, boolean asNumber) {
        Map<Integer, byte[]> names = new HashMap<>();
        for (EnumValueDescriptor one : type.getValues()) {
            names.putIfAbsent(one.getNumber(), one.getName().getBytes(UTF_8));
        }
        boolean closed = type.isClosed();
        return (in, sink) -> {
            int number = (int) in.varint();
            byte[] name = names.get(number);
            if (name == null && closed) {
                return;
            }
            if (asNumber) {
                sink.integer(field, number);
            } else {
                byte[] text = name == null ? Integer.toString(number).getBytes(UTF_8) : name;
                sink.text(field, text, 0, text.length);
            }
        };
    }

    /** Sets the default. */
    private static WireField standard(FieldDescriptor of, int field, boolean asNumber) {
        return switch (of.getJavaType()) {
            case INT, LONG -> (in, sink) -> sink.integer(field, 0);
            case FLOAT -> (in, sink) -> sink.single(field, 0);
            case DOUBLE -> (in, sink) -> sink.number(field, 0);
            case BOOLEAN -> (in, sink) -> sink.bool(field, false);
            case STRING -> (in, sink) -> sink.text(field, new byte[0], 0, 0);
            case BYTE_STRING -> (in, sink) -> sink.bytes(field, new byte[0], 0, 0);
            case ENUM -> {
                EnumValueDescriptor first = of.getEnumType().getValues().get(0);
                byte[] name = first.getName().getBytes(UTF_8);
                yield asNumber
                        ? (in, sink) -> sink.integer(field, first.getNumber())
                        : (in, sink) -> sink.text(field, name, 0, name.length);
            }
            case MESSAGE -> throw new IllegalStateException("no scalar");
        };
    }
}
