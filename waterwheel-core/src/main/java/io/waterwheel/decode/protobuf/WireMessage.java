package io.waterwheel.decode.protobuf;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.ValueSink;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The fields of a message type that something is taken of, by number. One thread. */
final class WireMessage implements WireField {
    private static final int MOST_DIRECT = 1 << 10;

    /** A field, the wire type of one value, and whether many may stand together in one. */
    @SuppressWarnings("ArrayRecordComponent") // on the hot path; never compared
    private record Known(WireField field, int wire, boolean packed, int[] others) {}

    private final @Nullable Known[] direct;
    private final Map<Integer, Known> further = new TreeMap<>();
    private final List<Known> all = new ArrayList<>();

    WireMessage(int highestNumber) {
        direct = new @Nullable Known[Math.min(highestNumber, MOST_DIRECT) + 1];
    }

    /**
     * Adds a field.
     *
     * @param wire the wire type of one value
     * @param packed whether values may stand together in one of wire type 2
     * @param others fields of the stream that are null once this one has a value: those of the same oneof
     */
    void add(int number, WireField field, int wire, boolean packed, int[] others) {
        Known known = new Known(field, wire, packed, others);
        all.add(known);
        if (number < direct.length) {
            direct[number] = known;
        } else {
            further.put(number, known);
        }
    }

    /** Reads a message to the end of the input. */
    void members(WireInput in, ValueSink sink) throws MalformedException {
        while (in.hasMore()) {
            int tag = in.tag();
            int number = tag >>> 3;
            Known known = number < direct.length ? direct[number] : further.get(number);
            int wire = tag & 7;
            if (known == null || (wire != known.wire && !(known.packed && wire == WireInput.LENGTH))) {
                in.skip(tag);
                continue;
            }
            for (int other : known.others) {
                sink.nothing(other);
            }
            if (wire == known.wire) {
                known.field.read(in, sink);
            } else {
                int end = in.length() + in.at;
                int before = in.to;
                in.to = end;
                while (in.hasMore()) {
                    known.field.read(in, sink);
                }
                in.to = before;
            }
        }
        for (int i = 0; i < all.size(); i++) {
            all.get(i).field.absent(sink);
        }
    }

    @Override
    public void read(WireInput in, ValueSink sink) throws MalformedException {
        int end = in.length() + in.at;
        int before = in.to;
        in.to = end;
        members(in, sink);
        in.to = before;
    }
}
