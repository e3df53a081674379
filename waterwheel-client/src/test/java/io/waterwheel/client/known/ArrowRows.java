package io.waterwheel.client.known;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;

/** A small Arrow stream, as programs send rows: {@code id}, {@code at} and {@code note}. Stateless. */
public final class ArrowRows {
    private ArrowRows() {}

    /** Rows with the ids from zero on; of three in a row the first has no note. */
    public static byte[] stream(int rows) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (RootAllocator allocator = new RootAllocator()) {
            BigIntVector id = new BigIntVector("id", allocator);
            BigIntVector at = new BigIntVector("at", allocator);
            VarCharVector note = new VarCharVector("note", allocator);
            List<FieldVector> vectors = List.of(id, at, note);
            vectors.forEach(FieldVector::allocateNew);
            for (int r = 0; r < rows; r++) {
                id.setSafe(r, r);
                at.setSafe(r, 1_000 + r);
                if (r % 3 > 0) {
                    note.setSafe(r, ("note " + r).getBytes(UTF_8));
                }
            }
            try (VectorSchemaRoot root = new VectorSchemaRoot(vectors);
                    ArrowStreamWriter writer = new ArrowStreamWriter(root, null, Channels.newChannel(out))) {
                root.setRowCount(rows);
                writer.writeBatch();
                writer.end();
            }
        }
        return out.toByteArray();
    }
}
