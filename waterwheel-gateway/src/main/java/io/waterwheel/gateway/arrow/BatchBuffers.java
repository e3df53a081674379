package io.waterwheel.gateway.arrow;

import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.RecordBatch;

/** The buffers of a batch of an Arrow stream, column after column. One thread. */
final class BatchBuffers {
    private final IpcMessages messages;
    private final RecordBatch batch;
    private int node;
    private int buffer;
    private final int rows;

    BatchBuffers(IpcMessages messages, RecordBatch batch, int bodyBytes) {
        this.messages = messages;
        this.batch = batch;
        if (batch.compression() != null) {
            throw IpcMessages.bad(
                    "its buffers are compressed; compress the whole body, and say so in Content-Encoding");
        }
        if (batch.length() < 0 || batch.length() > 8L * bodyBytes) {
            throw IpcMessages.bad("a batch says that it has " + batch.length() + " rows");
        }
        rows = (int) batch.length();
    }

    /** Rows of the batch. */
    int rows() {
        return rows;
    }

    /** Those of the next column. */
    ArrowColumn.Slice[] next(ColumnType type) {
        if (node >= batch.nodesLength() || buffer + type.buffers() > batch.buffersLength()) {
            throw IpcMessages.bad("a batch has fewer columns than the schema");
        }
        FieldNode described = batch.nodes(node++);
        if (described.length() != rows) {
            throw IpcMessages.bad("a column has " + described.length() + " rows in a batch of " + rows);
        }
        ArrowColumn.Slice[] slices = new ArrowColumn.Slice[type.buffers()];
        for (int b = 0; b < slices.length; b++) {
            Buffer one = batch.buffers(buffer++);
            if (one.offset() < 0 || one.length() < 0 || one.offset() > messages.bodyLength() - one.length()) {
                throw IpcMessages.bad("a buffer of " + one.length() + " bytes at " + one.offset() + " does not fit the "
                        + messages.bodyLength() + " bytes of its batch");
            }
            slices[b] = new ArrowColumn.Slice(messages.bodyFrom() + (int) one.offset(), (int) one.length());
        }
        return slices;
    }
}
