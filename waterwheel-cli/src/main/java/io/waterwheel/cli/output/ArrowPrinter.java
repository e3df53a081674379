package io.waterwheel.cli.output;

import io.waterwheel.client.Cursor;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;

/**
 * Writes an answer as an Arrow IPC stream. One that is cut off ends in the announcement of a message that does not
 * come: a stream that merely stops is a whole one to many readers.
 */
public final class ArrowPrinter {
    private static final int BUFFER_BYTES = 1 << 16;

    /** The mark of a message, and a length of its metadata that nothing follows. */
    private static final byte[] CUT_OFF = {-1, -1, -1, -1, 16, 0, 0, 0};

    private final PrintStream out;

    public ArrowPrinter(PrintStream out) {
        this.out = out;
    }

    /**
     * Writes all batches.
     *
     * @return false when the reader of the output went away; the cursor is not at its end then
     */
    public boolean print(Cursor cursor) {
        // The stream beneath swallows its errors and remembers them.
        OutputStream buffered = new BufferedOutputStream(out, BUFFER_BYTES);
        boolean whole = false;
        try {
            boolean more = cursor.nextBatch();
            @SuppressWarnings("resource") // closing it would write an end also after a failure, and close the vectors
            ArrowStreamWriter writer = new ArrowStreamWriter(cursor.columns(), null, Channels.newChannel(buffered));
            writer.start();
            while (more) {
                writer.writeBatch();
                if (out.checkError()) {
                    return false;
                }
                more = cursor.nextBatch();
            }
            writer.end();
            whole = true;
        } catch (IOException e) {
            if (out.checkError()) {
                return false;
            }
            throw new UncheckedIOException(
                    "the answer cannot be written as an Arrow stream: " + e
                            + "; what was printed is not the whole answer",
                    e);
        } finally {
            finish(buffered, whole);
        }
        return !out.checkError();
    }

    private static void finish(OutputStream buffered, boolean whole) {
        try {
            if (!whole) {
                buffered.write(CUT_OFF);
            }
            buffered.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("a print stream throws nothing", e);
        }
    }
}
