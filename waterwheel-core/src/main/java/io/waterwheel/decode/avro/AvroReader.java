package io.waterwheel.decode.avro;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.MemberTree;
import io.waterwheel.decode.typed.Pass;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.decode.typed.TypedReader;
import io.waterwheel.decode.typed.ValueSink;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads records in Avro's binary encoding: all by one schema, or each by the one whose number it brings along, behind a
 * zero byte, as serialisers with a registry write. One thread.
 */
public final class AvroReader implements TypedReader {
    /** Bytes before a record of a registry: zero, and a number of four bytes, the highest first. */
    private static final int PREFIX = 5;

    private static final int LONGEST_REFUSAL = 500;
    /** Schemas whose plans are kept; the one that was not used for longest goes. */
    private static final int MOST_PLANS = 500;

    /** What is done with the records of one schema. */
    private record Plan(
            AvroNode outer, AvroNode rows, @Nullable String refusal) {}

    private final List<Field> fields;
    private final boolean[] inValue;
    private final MemberTree places;
    private final boolean[] inRows;
    private final WriterSchemas registry;
    private final AvroInput in = new AvroInput();
    /** Null where records bring the numbers of their schemas along. */
    private final @Nullable Plan only;

    private final Map<Integer, Plan> plans = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Plan> eldest) {
            return size() > MOST_PLANS;
        }
    };
    private int lastId;
    private @Nullable Plan last;

    /**
     * A reader.
     *
     * @param writer the schema of all records; null where each brings the number of its own along
     * @param sink of which is asked what fields can hold
     * @throws IllegalArgumentException when no record of that schema can be a tuple
     */
    public AvroReader(Schema schema, @Nullable AvroType writer, WriterSchemas registry, ValueSink sink) {
        this.fields = schema.fields();
        this.places = MemberTree.of(schema);
        this.inValue = new boolean[fields.size()];
        places.mark(inValue);
        this.inRows = new boolean[fields.size()];
        MemberTree rows = places.rows();
        if (rows != null) {
            rows.mark(inRows);
        }
        this.registry = registry;
        if (writer == null) {
            this.only = null;
        } else {
            Plan plan = plan(writer, sink);
            if (plan.refusal != null) {
                throw new IllegalArgumentException(plan.refusal);
            }
            this.only = plan;
        }
    }

    private static Plan refusing(String why) {
        AvroNode none = (in, values) -> {};
        return new Plan(none, none, why.length() > LONGEST_REFUSAL ? why.substring(0, LONGEST_REFUSAL) + "..." : why);
    }

    private Plan plan(AvroType writer, ValueSink sink) {
        try {
            AvroPlan outer = new AvroPlan(sink, inRows, Pass.OUTER);
            AvroNode outside = outer.compile(writer, places);
            AvroPlan inner = new AvroPlan(sink, inRows, Pass.ROWS);
            AvroNode elements = places.rows() == null ? outside : inner.compile(writer, places);
            List<String> missing = new ArrayList<>();
            for (int f = 0; f < fields.size(); f++) {
                if (inValue[f]
                        && !outer.found[f]
                        && !inner.found[f]
                        && !fields.get(f).nullable()) {
                    missing.add(fields.get(f).name());
                }
            }
            if (!missing.isEmpty()) {
                throw new MalformedException("has no value for " + String.join(", ", missing));
            }
            return new Plan(outside, elements, null);
        } catch (MalformedException e) {
            return refusing("the Avro schema " + e.getMessage());
        }
    }

    @Override
    public void read(byte[] bytes, int from, int to, Pass pass, ValueSink sink) throws MalformedException {
        Plan plan = only;
        int begin = from;
        if (plan == null) {
            if (!hasPrefix(bytes, from, to)) {
                throw new MalformedException("expected a zero byte and the four bytes of a schema's number, as"
                        + " serialisers with a registry write");
            }
            plan = registered(id(bytes, from), sink);
            begin += PREFIX;
        }
        in.begin(bytes, begin, to);
        (pass == Pass.OUTER ? plan.outer : plan.rows).read(in, sink);
        in.end();
    }

    @Override
    public void prefetch(byte[] bytes, int from, int to) {
        if (only == null && hasPrefix(bytes, from, to)) {
            int id = id(bytes, from);
            if (id >= 0 && !plans.containsKey(id)) {
                registry.prefetch(id);
            }
        }
    }

    private static boolean hasPrefix(byte[] bytes, int from, int to) {
        return to - from >= PREFIX && bytes[from] == 0;
    }

    private static int id(byte[] bytes, int from) {
        return (bytes[from + 1] & 0xFF) << 24
                | (bytes[from + 2] & 0xFF) << 16
                | (bytes[from + 3] & 0xFF) << 8
                | (bytes[from + 4] & 0xFF);
    }

    private Plan registered(int id, ValueSink sink) throws MalformedException {
        if (id < 0) {
            // Registries count upwards from 1: it is not asked for what damaged bytes say.
            throw new MalformedException("the record names schema " + Integer.toUnsignedString(id)
                    + ", and the numbers of schemas are at most " + Integer.MAX_VALUE);
        }
        Plan plan = last;
        if (plan == null || id != lastId) {
            plan = plans.get(id);
            if (plan == null) {
                plan = compiled(id, sink);
                plans.put(id, plan);
            }
            last = plan;
            lastId = id;
        }
        if (plan.refusal != null) {
            throw new MalformedException(plan.refusal);
        }
        return plan;
    }

    private Plan compiled(int id, ValueSink sink) throws MalformedException {
        RegisteredSchema schema = registry.get(id);
        // What is wrong with a schema is wrong for ever: its plan refuses all of its records.
        try {
            Plan plan = plan(AvroSchemas.parse(schema.require("AVRO"), schema.references()), sink);
            return plan.refusal == null ? plan : refusing("schema " + id + ": " + plan.refusal);
        } catch (MalformedException e) {
            return refusing("schema " + id + " of the registry " + e.getMessage());
        } catch (IllegalArgumentException e) {
            return refusing("schema " + id + " of the registry is " + e.getMessage());
        }
    }
}
