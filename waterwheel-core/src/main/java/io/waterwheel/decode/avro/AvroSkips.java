package io.waterwheel.decode.avro;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.ValueSink;
import java.util.HashMap;
import java.util.Map;

/** Steps that pass over values which no field takes. A type that holds itself has one step that holds itself. */
final class AvroSkips {
    private final Map<AvroType, SkippedRecord> records = new HashMap<>();

    private static final class SkippedRecord implements AvroNode {
        private AvroNode[] members = {};

        @Override
        public void read(AvroInput in, ValueSink sink) throws MalformedException {
            in.enter();
            in.steps(members.length);
            for (AvroNode member : members) {
                member.read(in, sink);
            }
            in.leave();
        }
    }

    /** The step over a type. */
    AvroNode of(AvroType type) {
        return switch (type.kind) {
            case NULL -> (in, sink) -> {};
            case BOOLEAN -> (in, sink) -> in.readBoolean();
            case INT -> (in, sink) -> in.readInt();
            case LONG -> (in, sink) -> in.readLong();
            case FLOAT -> (in, sink) -> in.skip(4);
            case DOUBLE -> (in, sink) -> in.skip(8);
            case BYTES, STRING -> (in, sink) -> in.skip(in.length());
            case FIXED -> (in, sink) -> in.skip(type.size);
            case ENUM -> (in, sink) -> in.index(type.symbols.size(), type.name);
            case ARRAY -> blocks(of(type.parts.get(0)), false);
            case MAP -> blocks(of(type.parts.get(0)), true);
            case UNION -> union(type);
            case RECORD -> record(type);
        };
    }

    private static AvroNode blocks(AvroNode part, boolean keys) {
        return (in, sink) -> {
            in.enter();
            for (long count = in.block(true); count > 0; count = in.block(true)) {
                for (long i = 0; i < count; i++) {
                    if (keys) {
                        in.skip(in.length());
                    }
                    part.read(in, sink);
                }
            }
            in.leave();
        };
    }

    private AvroNode union(AvroType type) {
        AvroNode[] branches = type.parts.stream().map(this::of).toArray(AvroNode[]::new);
        return (in, sink) -> branches[in.index(branches.length, "a union")].read(in, sink);
    }

    private AvroNode record(AvroType type) {
        SkippedRecord known = records.get(type);
        if (known == null) {
            known = new SkippedRecord();
            records.put(type, known);
            known.members =
                    type.members.stream().map(member -> of(member.type())).toArray(AvroNode[]::new);
        }
        return known;
    }
}
