package io.waterwheel.decode.protobuf;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
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
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads records that are messages of Protocol Buffers: all of one type, or each of the type that it names itself, as
 * serialisers with a registry write it: a zero byte, the schema's number in four bytes, and where the type stands in
 * it. One thread.
 */
public final class ProtobufReader implements TypedReader {
    /** Bytes before the place of the type: zero, and a number of four bytes, the highest first. */
    private static final int PREFIX = 5;
    /** Types within each other that a record may name. */
    private static final int MOST_DEEP = 100;

    private static final int MOST_SHOWN = 10;
    private static final int LONGEST_REFUSAL = 500;
    /** Types whose plans are kept; the one that was not used for longest goes. */
    private static final int MOST_PLANS = 500;
    /** Characters of the schemas whose descriptors are kept; the one that was not used for longest goes. */
    private static final long KEPT_CHARACTERS = 4L << 20;

    /** What is done with the messages of one type. */
    private record Plan(ProtobufPlan outside, WireMessage outer, WireMessage rows) {}

    /** The same, or why no message of the type is a tuple. */
    private record Outcome(@Nullable Plan plan, String refusal) {}

    /** A schema of a registry, or why none of its records can be read. */
    private record Source(@Nullable FileDescriptor file, String refusal, long characters) {}

    /** A message type of a registry: by its places in the schema, from the outermost inwards. */
    private record Registered(int id, List<Integer> places) {}

    private final Schema schema;
    private final MemberTree places;
    private final boolean[] inValue;
    private final boolean[] inRows;
    private final WriterSchemas registry;
    private final WireInput in = new WireInput();
    /** Null where records name their types. */
    private final @Nullable Plan only;

    private final Map<Registered, Outcome> plans = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Registered, Outcome> eldest) {
            return size() > MOST_PLANS;
        }
    };

    /** By number. Records may name any place in a schema: it is parsed once for all of them. */
    private final LinkedHashMap<Integer, Source> sources = new LinkedHashMap<>(16, 0.75f, true);

    private long characters;

    /** How the record before began, and its plan: most are of one type. */
    private byte[] lastPrefix = new byte[0];

    private @Nullable Outcome last;

    /**
     * A reader of messages of one type.
     *
     * @param sink of which is asked what fields can hold
     * @throws IllegalArgumentException when no message of the type can be a tuple
     */
    public ProtobufReader(Schema schema, Descriptor type, ValueSink sink) {
        this(schema, type, WriterSchemas.NONE, sink);
    }

    /**
     * A reader of messages that name their types.
     *
     * @param sink of which is asked what fields can hold
     */
    public ProtobufReader(Schema schema, WriterSchemas registry, ValueSink sink) {
        this(schema, null, registry, sink);
    }

    private ProtobufReader(Schema schema, @Nullable Descriptor type, WriterSchemas registry, ValueSink sink) {
        List<Field> fields = schema.fields();
        this.schema = schema;
        this.registry = registry;
        this.places = MemberTree.of(schema);
        this.inRows = new boolean[fields.size()];
        MemberTree array = places.rows();
        if (array != null) {
            array.mark(inRows);
        }
        this.inValue = new boolean[fields.size()];
        places.mark(inValue);
        try {
            this.only = type == null ? null : plan(type, sink, false);
        } catch (MalformedException e) {
            throw new IllegalArgumentException("message " + name(type) + ": " + e.getMessage(), e);
        }
    }

    private static String name(@Nullable Descriptor type) {
        return type == null ? "" : type.getFullName();
    }

    /** @param evolving whether the type may lack what nullable fields take */
    private Plan plan(Descriptor type, ValueSink sink, boolean evolving) throws MalformedException {
        ProtobufPlan outside = new ProtobufPlan(sink, inRows, Pass.OUTER);
        WireMessage outer = outside.message(type, places, "");
        ProtobufPlan inside = new ProtobufPlan(sink, inRows, Pass.ROWS);
        WireMessage rows = inside.message(type, places, "");
        List<String> missing = new ArrayList<>();
        List<String> missingRows = new ArrayList<>();
        boolean anyRows = false;
        for (int f = 0; f < inValue.length; f++) {
            boolean found = outside.found[f] || inside.found[f];
            anyRows |= found && inRows[f];
            Field field = schema.fields().get(f);
            if (inValue[f] && !found) {
                if (!(evolving && field.nullable())) {
                    missing.add(schema.text().source(field.name()));
                } else if (inRows[f]) {
                    missingRows.add(schema.text().source(field.name()));
                }
            }
        }
        if (missing.isEmpty() && places.rows() != null && !anyRows) {
            // Without the array it would be a record of no tuples, whatever it holds.
            missing.addAll(missingRows);
        }
        if (!missing.isEmpty()) {
            throw new MalformedException("has no " + String.join(", ", missing));
        }
        return new Plan(outside, outer, rows);
    }

    @Override
    public void read(byte[] bytes, int from, int to, Pass pass, ValueSink sink) throws MalformedException {
        Plan plan = only;
        int begin = from;
        if (plan == null) {
            begin = prefixEnd(bytes, from, to);
            plan = registered(bytes, from, begin, sink);
        }
        in.begin(bytes, begin, to);
        if (pass == Pass.OUTER) {
            // A repeated field without elements is not in the message.
            sink.array();
            plan.outside.begin();
        }
        (pass == Pass.OUTER ? plan.outer : plan.rows).members(in, sink);
    }

    @Override
    public void prefetch(byte[] bytes, int from, int to) {
        if (only == null && to - from > PREFIX && bytes[from] == 0) {
            int id = id(bytes, from);
            boolean known = lastPrefix.length >= PREFIX && id(lastPrefix, 0) == id;
            if (id >= 0 && !known) {
                registry.prefetch(id);
            }
        }
    }

    private static int id(byte[] bytes, int from) {
        return (bytes[from + 1] & 0xFF) << 24
                | (bytes[from + 2] & 0xFF) << 16
                | (bytes[from + 3] & 0xFF) << 8
                | (bytes[from + 4] & 0xFF);
    }

    /** Where the message begins. */
    private int prefixEnd(byte[] bytes, int from, int to) throws MalformedException {
        int known = lastPrefix.length;
        if (known > 0 && to - from >= known && Arrays.equals(bytes, from, from + known, lastPrefix, 0, known)) {
            return from + known;
        }
        if (to - from <= PREFIX || bytes[from] != 0) {
            throw new MalformedException("expected a zero byte, the four bytes of a schema's number and the place of"
                    + " the message in it, as serialisers with a registry write");
        }
        in.begin(bytes, from + PREFIX, to);
        long count = zigzag();
        if (count < 0 || count > MOST_DEEP) {
            throw new MalformedException(
                    "the record names a message " + count + " deep in its schema, expected at most " + MOST_DEEP);
        }
        for (long n = 0; n < count; n++) {
            long unused = zigzag();
        }
        return in.at;
    }

    private long zigzag() throws MalformedException {
        long value = in.varint();
        return (value >>> 1) ^ -(value & 1);
    }

    private Plan registered(byte[] bytes, int from, int end, ValueSink sink) throws MalformedException {
        Outcome outcome = last;
        if (outcome == null || !Arrays.equals(bytes, from, end, lastPrefix, 0, lastPrefix.length)) {
            int id = id(bytes, from);
            if (id < 0) {
                // Registries count upwards from 1: it is not asked for what damaged bytes say.
                throw new MalformedException("the record names schema " + Integer.toUnsignedString(id)
                        + ", and the numbers of schemas are at most " + Integer.MAX_VALUE);
            }
            Registered type = new Registered(id, places(bytes, from + PREFIX, end));
            outcome = plans.get(type);
            if (outcome == null) {
                outcome = compiled(type, sink);
                plans.put(type, outcome);
            }
            last = outcome;
            lastPrefix = Arrays.copyOfRange(bytes, from, end);
        }
        if (outcome.plan == null) {
            throw new MalformedException(outcome.refusal);
        }
        return outcome.plan;
    }

    private List<Integer> places(byte[] bytes, int from, int end) throws MalformedException {
        in.begin(bytes, from, end);
        long count = zigzag();
        // The first message of a schema is written shorter.
        List<Integer> at = new ArrayList<>(count == 0 ? List.of(0) : List.of());
        for (long n = 0; n < count; n++) {
            at.add((int) Math.max(-1, Math.min(zigzag(), Integer.MAX_VALUE)));
        }
        return List.copyOf(at);
    }

    private Outcome compiled(Registered of, ValueSink sink) throws MalformedException {
        String which = "schema " + of.id + " of the registry ";
        Source source = source(of.id);
        if (source.file == null) {
            return refusing(which + source.refusal);
        }
        Descriptor type = type(source.file, of.places);
        if (type == null) {
            // Not kept: a record may name as many places as it likes.
            throw new MalformedException(which + "has no message at the place "
                    + of.places.subList(0, Math.min(of.places.size(), MOST_SHOWN)) + " that the record names");
        }
        try {
            return new Outcome(plan(type, sink, true), "");
        } catch (MalformedException e) {
            return refusing(which + "has the message " + type.getFullName() + ", which " + e.getMessage());
        }
    }

    /** What is wrong with a schema is wrong for ever, and kept. */
    private Source source(int id) throws MalformedException {
        Source known = sources.get(id);
        if (known != null) {
            return known;
        }
        RegisteredSchema registered = registry.get(id);
        Source source;
        try {
            source = new Source(MessageDescriptors.registered(registered), "", registered.characters());
        } catch (MalformedException e) {
            source = new Source(null, String.valueOf(e.getMessage()), 0);
        } catch (IllegalArgumentException e) {
            source = new Source(null, "is not read as Protocol Buffers: " + e.getMessage(), 0);
        }
        sources.put(id, source);
        characters += source.characters;
        for (Iterator<Map.Entry<Integer, Source>> eldest = sources.entrySet().iterator();
                (characters > KEPT_CHARACTERS || sources.size() > MOST_PLANS) && sources.size() > 1; ) {
            Map.Entry<Integer, Source> gone = eldest.next();
            characters -= gone.getValue().characters;
            // Plans hold on to their descriptors.
            plans.keySet().removeIf(type -> gone.getKey().equals(type.id));
            eldest.remove();
        }
        return source;
    }

    private static @Nullable Descriptor type(FileDescriptor file, List<Integer> places) {
        List<Descriptor> types = file.getMessageTypes();
        Descriptor type = null;
        for (int place : places) {
            if (place < 0 || place >= types.size()) {
                return null;
            }
            type = types.get(place);
            types = type.getNestedTypes();
        }
        return type != null && type.getOptions().getMapEntry() ? null : type;
    }

    private static Outcome refusing(String why) {
        return new Outcome(null, why.length() > LONGEST_REFUSAL ? why.substring(0, LONGEST_REFUSAL) + "..." : why);
    }
}
