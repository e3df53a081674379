package io.waterwheel.query.exec;

import io.waterwheel.model.Field;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.query.exec.column.Workspace;
import java.util.BitSet;
import java.util.List;

/** The matching rows as they come, up to a limit. */
final class GatherRows extends Gather {
    private final RowLayout stored;
    private final int[] fields;
    private final long limit;
    private final RowLayout layout;

    GatherRows(RowLayout stored, int[] fields, long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("scan: limit must not be negative, got " + limit);
        }
        this.stored = stored;
        this.fields = fields.clone();
        this.limit = limit;
        this.layout = layout(fields(stored, fields));
    }

    @Override
    List<Field> fields() {
        return layout.fields();
    }

    @Override
    RowLayout partLayout() {
        return layout;
    }

    @Override
    void needs(BitSet needed) {
        for (int field : fields) {
            needed.set(field);
        }
    }

    @Override
    long limit() {
        return limit;
    }

    @Override
    Collector collector(RowSink sink, Workspace workspace) {
        return new ResultRows(stored, fields, layout, limit, sink);
    }

    @Override
    PartsMerge merge(Workspace workspace) {
        return new PartsMerge() {
            private long delivered;

            @Override
            boolean accept(TupleBlock part, RowSink sink) {
                long room = limit - delivered;
                if (part.size() > room) {
                    part.setSize((int) room);
                }
                delivered += part.size();
                return (part.size() == 0 || sink.accept(part)) && delivered < limit;
            }

            @Override
            long finish(RowSink sink) {
                return delivered;
            }
        };
    }
}
