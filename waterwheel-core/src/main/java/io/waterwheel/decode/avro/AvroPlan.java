package io.waterwheel.decode.avro;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.decode.avro.AvroType.Kind;
import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.MemberTree;
import io.waterwheel.decode.typed.Pass;
import io.waterwheel.decode.typed.ValueSink;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a schema and the places of fields to steps, for one pass. Fields are found by name; what the schema has
 * beside them is passed over. A branch of a union that its field cannot hold refuses the records that have it.
 */
final class AvroPlan {
    private static final int MOST_NODES = 100_000;
    private final ValueSink sink;
    private final boolean[] inRows;
    private final Pass pass;
    private final AvroSkips skips = new AvroSkips();
    private int nodes;
    /** By field, whether the schema has it. */
    final boolean[] found;

    /**
     * @param sink of which is asked what fields can hold
     * @param inRows by field whether it is in the elements of the array whose elements are tuples
     */
    AvroPlan(ValueSink sink, boolean[] inRows, Pass pass) {
        this.sink = sink;
        this.inRows = inRows;
        this.pass = pass;
        this.found = new boolean[inRows.length];
    }

    /**
     * The step that reads a whole record.
     *
     * @throws MalformedException when a field cannot be what the schema has in its place
     */
    AvroNode compile(AvroType type, MemberTree places) throws MalformedException {
        AvroNode whole = node(type, places, "");
        requireFew();
        return whole;
    }

    /** Unions of records that have unions of records become many steps. */
    private void requireFew() throws MalformedException {
        if (nodes > MOST_NODES) {
            throw new MalformedException("has more than " + MOST_NODES + " ways to the fields of the stream");
        }
    }

    private boolean wanted(MemberTree place) {
        boolean[] below = new boolean[inRows.length];
        place.mark(below);
        for (int f = 0; f < below.length; f++) {
            if (below[f] && inRows[f] == (pass == Pass.ROWS)) {
                return true;
            }
        }
        // The array itself is looked for in the pass that takes what is outside of it.
        return place.rows() != null;
    }

    private AvroNode node(AvroType type, @Nullable MemberTree place, String path) throws MalformedException {
        nodes++;
        requireFew();
        if (place == null || !wanted(place)) {
            return skips.of(type);
        }
        if (type.kind == Kind.UNION) {
            return union(type, place, path);
        }
        MemberTree each = place.each();
        if (place.field() >= 0) {
            found[place.field()] = true;
            return AvroLeaf.of(type, place.field(), sink);
        } else if (each != null) {
            return rows(require(type, Kind.ARRAY, path), each, path);
        } else if (place.hasElements()) {
            return elements(require(type, Kind.ARRAY, path), place, path);
        } else if (type.kind == Kind.MAP) {
            return map(type, place, path);
        }
        return record(require(type, Kind.RECORD, path), place, path);
    }

    private static AvroType require(AvroType type, Kind kind, String path) throws MalformedException {
        if (type.kind != kind) {
            throw new MalformedException((path.isEmpty() ? "the schema" : path.substring(1)) + ": expected "
                    + (kind == Kind.ARRAY ? "an array" : "a record or a map") + ", got " + type.describe());
        }
        return type;
    }

    private AvroNode union(AvroType type, MemberTree place, String path) throws MalformedException {
        AvroNode[] branches = new AvroNode[type.parts.size()];
        MalformedException first = null;
        boolean some = false;
        for (int b = 0; b < branches.length; b++) {
            AvroType branch = type.parts.get(b);
            try {
                branches[b] = branch.kind == Kind.NULL ? nothing(place) : node(branch, place, path);
                some |= branch.kind != Kind.NULL;
            } catch (MalformedException e) {
                String why = String.valueOf(e.getMessage());
                branches[b] = (in, values) -> {
                    throw new MalformedException(why);
                };
                first = first == null ? e : first;
            }
        }
        if (!some && first != null) {
            throw first;
        }
        return (in, values) -> branches[in.index(branches.length, "a union")].read(in, values);
    }

    /** Null: so are all fields below. */
    private AvroNode nothing(MemberTree place) {
        boolean[] below = new boolean[inRows.length];
        place.mark(below);
        int[] fields = IntStream.range(0, below.length)
                .filter(f -> below[f] && inRows[f] == (pass == Pass.ROWS))
                .toArray();
        return (in, values) -> {
            for (int field : fields) {
                values.nothing(field);
            }
        };
    }

    private AvroNode record(AvroType type, MemberTree place, String path) throws MalformedException {
        AvroNode[] members = new AvroNode[type.members.size()];
        for (int m = 0; m < members.length; m++) {
            AvroType.Member member = type.members.get(m);
            members[m] = node(member.type(), place.member(member.name()), path + "." + member.name());
        }
        return (in, values) -> {
            in.enter();
            in.steps(members.length);
            for (AvroNode member : members) {
                member.read(in, values);
            }
            in.leave();
        };
    }

    private AvroNode map(AvroType type, MemberTree place, String path) throws MalformedException {
        List<byte[]> names = new ArrayList<>();
        List<AvroNode> steps = new ArrayList<>();
        for (String name : place.names()) {
            names.add(name.getBytes(UTF_8));
            steps.add(node(type.parts.get(0), place.member(name), path + "." + name));
        }
        AvroNode skip = skips.of(type.parts.get(0));
        return (in, values) -> {
            in.enter();
            for (long count = in.block(false); count > 0; count = in.block(false)) {
                for (long i = 0; i < count; i++) {
                    int length = in.length();
                    int from = in.at;
                    in.skip(length);
                    AvroNode step = skip;
                    for (int n = 0; n < names.size(); n++) {
                        byte[] name = names.get(n);
                        if (java.util.Arrays.equals(in.bytes, from, from + length, name, 0, name.length)) {
                            step = steps.get(n);
                            break;
                        }
                    }
                    step.read(in, values);
                }
            }
            in.leave();
        };
    }

    private AvroNode elements(AvroType type, MemberTree place, String path) throws MalformedException {
        int most = place.names().stream().mapToInt(Integer::parseInt).max().orElse(0) + 1;
        AvroNode[] steps = new AvroNode[most];
        for (int e = 0; e < most; e++) {
            steps[e] = node(type.parts.get(0), place.element(e), path + "[" + e + "]");
        }
        AvroNode skip = skips.of(type.parts.get(0));
        return (in, values) -> {
            in.enter();
            long number = 0;
            for (long count = in.block(false); count > 0; count = in.block(false)) {
                for (long i = 0; i < count; i++, number++) {
                    (number < steps.length ? steps[(int) number] : skip).read(in, values);
                }
            }
            in.leave();
        };
    }

    private AvroNode rows(AvroType type, MemberTree each, String path) throws MalformedException {
        AvroNode skip = skips.of(type);
        if (pass == Pass.OUTER) {
            return (in, values) -> {
                values.array();
                skip.read(in, values);
            };
        }
        AvroNode element = node(type.parts.get(0), each, path + "[*]");
        return (in, values) -> {
            in.enter();
            for (long count = in.block(false); count > 0; count = in.block(false)) {
                for (long i = 0; i < count; i++) {
                    values.beginRow();
                    element.read(in, values);
                    values.endRow();
                }
            }
            in.leave();
        };
    }
}
