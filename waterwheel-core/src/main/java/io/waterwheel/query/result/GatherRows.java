package io.waterwheel.query.result;

import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.ResultRows;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.BitSet;
import java.util.List;

/** The matching rows as they come, up to a limit. */
public final class GatherRows extends Gather {
    private final RowLayout stored;
    private final int[] fields;
    private final long limit;
    private final RowLayout layout;

    public GatherRows(RowLayout stored, int[] fields, long limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("scan: limit must not be negative, got " + limit);
        }
        this.stored = stored;
        this.fields = fields.clone();
        this.limit = limit;
        this.layout = layout(fields(stored, fields));
    }

    @Override
    public List<Field> fields() {
        return layout.fields();
    }

    @Override
    public RowLayout partLayout() {
        return layout;
    }

    @Override
    public void needs(BitSet needed) {
        for (int field : fields) {
            needed.set(field);
        }
    }

    @Override
    public boolean handsOutAtOnce() {
        return true;
    }

    @Override
    public long limit() {
        return limit;
    }

    @Override
    public RowCollector collector(RowSink sink, Workspace workspace) {
        return new ResultRows(stored, fields, layout, limit, sink);
    }

    @Override
    public PartialMerge merge(Workspace workspace) {
        return new PartialMerge() {
            private long delivered;

            @Override
            public boolean accept(TupleBlock part, RowSink sink) {
                long room = limit - delivered;
                if (part.size() > room) {
                    part.setSize((int) room);
                }
                delivered += part.size();
                return (part.size() == 0 || sink.accept(part)) && delivered < limit;
            }

            @Override
            public long finish(RowSink sink) {
                return delivered;
            }
        };
    }
}
