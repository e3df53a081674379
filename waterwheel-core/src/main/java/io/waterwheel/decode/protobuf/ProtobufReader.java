package io.waterwheel.decode.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.MemberTree;
import io.waterwheel.decode.typed.Pass;
import io.waterwheel.decode.typed.TypedReader;
import io.waterwheel.decode.typed.ValueSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.List;

/** Reads records that are messages of one type of Protocol Buffers. One thread. */
public final class ProtobufReader implements TypedReader {
    private final WireInput in = new WireInput();
    private final ProtobufPlan outside;
    private final WireMessage outer;
    private final WireMessage rows;

    /**
     * A reader.
     *
     * @param sink of which is asked what fields can hold
     * @throws IllegalArgumentException when no message of the type can be a tuple
     */
    public ProtobufReader(Schema schema, Descriptor type, ValueSink sink) {
        List<Field> fields = schema.fields();
        MemberTree places = MemberTree.of(schema);
        boolean[] inRows = new boolean[fields.size()];
        MemberTree array = places.rows();
        if (array != null) {
            array.mark(inRows);
        }
        boolean[] inValue = new boolean[fields.size()];
        places.mark(inValue);
        try {
            outside = new ProtobufPlan(sink, inRows, Pass.OUTER);
            outer = outside.message(type, places, "");
            ProtobufPlan inside = new ProtobufPlan(sink, inRows, Pass.ROWS);
            rows = inside.message(type, places, "");
            List<String> missing = new ArrayList<>();
            for (int f = 0; f < inValue.length; f++) {
                if (inValue[f] && !outside.found[f] && !inside.found[f]) {
                    missing.add(schema.text().source(fields.get(f).name()));
                }
            }
            if (!missing.isEmpty()) {
                throw new MalformedException("has no " + String.join(", ", missing));
            }
        } catch (MalformedException e) {
            throw new IllegalArgumentException("message " + type.getFullName() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void read(byte[] bytes, int from, int to, Pass pass, ValueSink sink) throws MalformedException {
        in.begin(bytes, from, to);
        if (pass == Pass.OUTER) {
            // A repeated field without elements is not in the message.
            sink.array();
            outside.begin();
        }
        (pass == Pass.OUTER ? outer : rows).members(in, sink);
    }
}
