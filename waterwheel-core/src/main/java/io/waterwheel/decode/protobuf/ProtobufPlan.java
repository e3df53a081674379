package io.waterwheel.decode.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.MemberTree;
import io.waterwheel.decode.typed.Pass;
import io.waterwheel.decode.typed.ValueSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Compiles a message type and the places of fields to steps by field number, for one pass. */
final class ProtobufPlan {
    private static final String TIMESTAMP = "google.protobuf.Timestamp";
    private static final Set<String> WRAPPERS = Set.of(
            "google.protobuf.BoolValue",
            "google.protobuf.BytesValue",
            "google.protobuf.DoubleValue",
            "google.protobuf.FloatValue",
            "google.protobuf.Int32Value",
            "google.protobuf.Int64Value",
            "google.protobuf.StringValue",
            "google.protobuf.UInt32Value",
            "google.protobuf.UInt64Value");

    private final ValueSink sink;
    private final boolean[] inRows;
    private final Pass pass;
    private final List<WireElements> counted = new ArrayList<>();
    /** By field, whether the message type has it. */
    final boolean[] found;

    ProtobufPlan(ValueSink sink, boolean[] inRows, Pass pass) {
        this.sink = sink;
        this.inRows = inRows;
        this.pass = pass;
        this.found = new boolean[inRows.length];
    }

    private boolean[] below(MemberTree place) {
        boolean[] below = new boolean[inRows.length];
        place.mark(below);
        for (int f = 0; f < below.length; f++) {
            below[f] &= inRows[f] == (pass == Pass.ROWS);
        }
        return below;
    }

    /** The fields of the stream below a place, that this pass takes. */
    int[] fields(MemberTree place) {
        boolean[] below = below(place);
        return IntStream.range(0, below.length).filter(f -> below[f]).toArray();
    }

    private boolean wanted(MemberTree place) {
        return fields(place).length > 0;
    }

    /**
     * The steps of a message type.
     *
     * @param places of what is below
     * @throws MalformedException when a field of the stream cannot be what the type has in its place
     */
    WireMessage message(Descriptor type, MemberTree places, String path) throws MalformedException {
        int highest = type.getFields().stream()
                .mapToInt(FieldDescriptor::getNumber)
                .max()
                .orElse(0);
        WireMessage message = new WireMessage(highest);
        for (FieldDescriptor of : type.getFields()) {
            MemberTree place = places.member(of.getName());
            int[] others = others(of, places);
            boolean taken = place != null && wanted(place);
            if (!taken && others.length == 0) {
                continue;
            }
            WireField step = taken && place != null ? field(of, place, path + "." + of.getName()) : skipped(of);
            message.add(of.getNumber(), step, wire(of), of.isPackable(), others);
        }
        return message;
    }

    /** Fields of the stream that are of the same oneof. */
    private int[] others(FieldDescriptor of, MemberTree places) {
        OneofDescriptor one = of.getRealContainingOneof();
        if (one == null) {
            return new int[0];
        }
        return one.getFields().stream()
                .filter(other -> other != of)
                .map(other -> places.member(other.getName()))
                .filter(place -> place != null)
                .flatMapToInt(place -> IntStream.of(fields(place)))
                .toArray();
    }

    private static int wire(FieldDescriptor of) {
        return switch (of.getType()) {
            case INT32, INT64, UINT32, UINT64, SINT32, SINT64, BOOL, ENUM -> WireInput.VARINT;
            case FIXED64, SFIXED64, DOUBLE -> WireInput.EIGHT_BYTES;
            case FIXED32, SFIXED32, FLOAT -> WireInput.FOUR_BYTES;
            case STRING, BYTES, MESSAGE -> WireInput.LENGTH;
            case GROUP -> WireInput.GROUP;
        };
    }

    private static WireField skipped(FieldDescriptor of) {
        int tag = of.getNumber() << 3 | wire(of);
        return (in, values) -> in.skip(tag);
    }

    private WireField field(FieldDescriptor of, MemberTree place, String path) throws MalformedException {
        MemberTree each = place.each();
        if (of.isMapField()) {
            return map(of, place, path);
        } else if (!of.isRepeated()) {
            if (each != null || place.hasElements()) {
                throw misfit(of, path, "a repeated field");
            }
            return one(of, place, path, false);
        } else if (each != null) {
            return rows(of, each, path);
        } else if (place.hasElements()) {
            return elements(of, place, path);
        }
        throw misfit(of, path, "one value; name one of them by [0], or each by [*]");
    }

    private static MalformedException misfit(FieldDescriptor of, String path, String expected) {
        return new MalformedException(path.substring(1) + ": expected " + expected + ", got "
                + (of.isRepeated() ? "repeated " : "")
                + of.getType().name().toLowerCase(java.util.Locale.ROOT));
    }

    /** One value: of a field that is not repeated, or an element. */
    private WireField one(FieldDescriptor of, MemberTree place, String path, boolean element)
            throws MalformedException {
        int field = place.field();
        if (of.getType() == FieldDescriptor.Type.GROUP) {
            throw misfit(of, path, "a message or a scalar");
        }
        if (of.getType() != FieldDescriptor.Type.MESSAGE) {
            if (field < 0) {
                throw misfit(of, path, "a message");
            }
            found[field] = true;
            return WireLeaf.of(of, field, element, sink);
        }
        Descriptor type = of.getMessageType();
        if (type.getFile().getName().endsWith(".placeholder.proto")) {
            throw new MalformedException(path.substring(1) + " is of type " + type.getFullName()
                    + ", whose file the registry's schema does not refer to; register it with that reference");
        }
        if (field < 0) {
            return message(type, place, path);
        }
        found[field] = true;
        if (type.getFullName().equals(TIMESTAMP)
                && sink.unfit(field, io.waterwheel.decode.typed.ValueKind.INSTANT) == null) {
            return new WireTimestamp(field);
        }
        if (WRAPPERS.contains(type.getFullName())) {
            WireMessage wrapper = new WireMessage(1);
            FieldDescriptor value = type.findFieldByNumber(1);
            wrapper.add(1, WireLeaf.of(value, field, false, sink), wire(value), false, new int[0]);
            return wrapper;
        }
        throw misfit(of, path, "a scalar, a Timestamp or a wrapper; name a member of " + type.getFullName());
    }

    private WireField rows(FieldDescriptor of, MemberTree each, String path) throws MalformedException {
        WireField element = one(of, each, path + "[*]", true);
        return (in, values) -> {
            begin();
            values.beginRow();
            element.read(in, values);
            values.endRow();
        };
    }

    private WireField elements(FieldDescriptor of, MemberTree place, String path) throws MalformedException {
        int most = place.names().stream().mapToInt(Integer::parseInt).max().orElse(0) + 1;
        @Nullable WireField[] steps = new @Nullable WireField[most];
        for (int e = 0; e < most; e++) {
            MemberTree element = place.element(e);
            if (element != null && wanted(element)) {
                steps[e] = one(of, element, path + "[" + e + "]", true);
            }
        }
        WireElements elements = new WireElements(steps, of.getNumber() << 3 | wire(of));
        counted.add(elements);
        return elements;
    }

    /** A message begins of which nothing was read before: elements are counted from 0. */
    void begin() {
        for (int i = 0; i < counted.size(); i++) {
            counted.get(i).begin();
        }
    }

    private WireField map(FieldDescriptor of, MemberTree place, String path) throws MalformedException {
        Descriptor entry = of.getMessageType();
        FieldDescriptor key = entry.findFieldByNumber(1);
        FieldDescriptor value = entry.findFieldByNumber(2);
        if (place.field() >= 0
                || place.hasElements()
                || place.each() != null
                || key.getType() != FieldDescriptor.Type.STRING) {
            throw misfit(of, path, "a map with texts as keys, and one of them behind it");
        }
        return new WireMap(this, value, wire(value), place, path);
    }

    /** What a value of a map is read by. */
    WireField value(FieldDescriptor value, MemberTree place, String path) throws MalformedException {
        return one(value, place, path, false);
    }
}
