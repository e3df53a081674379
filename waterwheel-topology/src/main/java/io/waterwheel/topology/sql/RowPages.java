package io.waterwheel.topology.sql;

import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Rows of a table that may be long, handed on a page at a time: a page is all that is held. Not thread-safe. */
final class RowPages {
    static final int ROWS = 1024;

    private final List<Field> fields;
    private final Consumer<TupleBlock> taker;
    private MemoryRows page;

    RowPages(List<Field> fields, Consumer<TupleBlock> taker) {
        this.fields = fields;
        this.taker = taker;
        this.page = new MemoryRows(fields);
    }

    /** Adds a row, as {@link MemoryRows#add} takes it. */
    void add(@Nullable Object... row) {
        page.add(row);
        if (page.size() == ROWS) {
            end();
        }
    }

    /** Hands on what is left. */
    void end() {
        if (page.size() > 0) {
            taker.accept(page.block());
            page = new MemoryRows(fields);
        }
    }
}
