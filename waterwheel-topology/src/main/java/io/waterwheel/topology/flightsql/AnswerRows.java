package io.waterwheel.topology.flightsql;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.types.pojo.Schema;

/** A short answer about the server, written as one batch: of each row the columns that have a value, by name. */
final class AnswerRows {
    private Schema schema = new Schema(List.of());
    private final List<Map<String, Object>> rows = new ArrayList<>();

    private AnswerRows() {}

    /** What makes the rows. */
    interface Filling {
        void into(AnswerRows rows);
    }

    /** The columns; before any row. */
    void of(Schema columns) {
        schema = columns;
    }

    void add(Map<String, Object> row) {
        rows.add(row);
    }

    static void send(BufferAllocator allocator, ServerStreamListener listener, Filling filling) {
        AnswerRows made = new AnswerRows();
        filling.into(made);
        try (VectorSchemaRoot root = VectorSchemaRoot.create(made.schema, allocator)) {
            root.allocateNew();
            for (int r = 0; r < made.rows.size(); r++) {
                for (FieldVector vector : root.getFieldVectors()) {
                    Object value = made.rows.get(r).get(vector.getName());
                    if (value != null) {
                        put(vector, r, value);
                    }
                }
            }
            root.setRowCount(made.rows.size());
            listener.start(root);
            listener.putNext();
            listener.completed();
        }
    }

    private static void put(FieldVector vector, int row, Object value) {
        if (vector instanceof VarCharVector text) {
            text.setSafe(row, value.toString().getBytes(StandardCharsets.UTF_8));
        } else if (vector instanceof VarBinaryVector bytes) {
            bytes.setSafe(row, (byte[]) value);
        } else if (vector instanceof IntVector number) {
            number.setSafe(row, (Integer) value);
        } else if (vector instanceof BitVector truth) {
            truth.setSafe(row, (Boolean) value ? 1 : 0);
        } else if (vector instanceof ListVector list) {
            UnionListWriter writer = list.getWriter();
            writer.setPosition(row);
            writer.startList();
            for (Object one : (List<?>) value) {
                writer.varChar().writeVarChar(String.valueOf(one));
            }
            writer.endList();
        } else {
            throw new IllegalStateException("a column of " + vector.getField());
        }
    }
}
