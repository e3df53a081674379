package io.waterwheel.client;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.wire.InterruptedReads;
import io.waterwheel.wire.WireQueries;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * An answer: rows, forward only, then a verdict. Rows come in batches of about a megabyte; {@link #next} goes row by
 * row, {@link #nextBatch} batch by batch for those who want {@link #columns}. The server is never far ahead of the
 * reader: who takes its time makes it wait, up to the query's timeout. One thread at a time, but for {@link #cancel}.
 * Close it: an answer that was not read to its end is cancelled then.
 *
 * <p>Fields are named by index, from 0, or by name. A getter of another type than the field's, or of a field that is
 * null in this row, is an {@link IllegalStateException}.
 */
public final class Cursor implements AutoCloseable {
    private final Connection connection;
    private final FlightStream stream;
    /** Whether the verdict counts other tuples than the rows of the answer. */
    private final boolean aggregates;

    private final Consumer<Verdict> onVerdict;
    private final Cancellation cancellation;
    private final Runnable onClose;

    private Columns columns = Columns.NONE;
    private long rows;
    /** Row of the present batch; -1 before its first. */
    private int row = -1;

    private @Nullable Verdict verdict;
    private boolean firstWaits;
    private boolean ended;
    /** Whether an interrupt took the mark of the stream's end: nothing may wait for it. */
    private boolean endLost;

    private @Nullable WaterwheelException failure;
    private boolean closed;

    private Cursor(
            Connection connection,
            FlightStream stream,
            boolean aggregates,
            Consumer<Verdict> onVerdict,
            Cancellation cancellation,
            Runnable onClose) {
        this.connection = connection;
        this.stream = stream;
        this.aggregates = aggregates;
        this.onVerdict = onVerdict;
        this.cancellation = cancellation;
        this.onClose = onClose;
    }

    /**
     * Asks, and waits for the first batch: until then another coordinator may be asked instead.
     *
     * @param onClose told when the cursor is closed; not when this throws
     */
    static Cursor open(
            Connection connection,
            Ticket ticket,
            List<CallOption> options,
            boolean aggregates,
            Consumer<Verdict> onVerdict,
            Cancellation cancellation,
            Runnable onClose) {
        FlightStream stream;
        connection.beginAnswer();
        try {
            stream = connection.flight().getStream(ticket, options.toArray(CallOption[]::new));
        } catch (RuntimeException e) {
            connection.endAnswer();
            throw connection.failure(e);
        }
        cancellation.attach(stream);
        Cursor cursor = new Cursor(connection, stream, aggregates, onVerdict, cancellation, onClose);
        try {
            cursor.firstWaits = cursor.advance();
            return cursor;
        } catch (RuntimeException e) {
            cursor.closed = true;
            try {
                cursor.closeStream();
            } catch (WaterwheelException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    /**
     * The fields of the answer, in order. A column of a statement that is called otherwise than a field may be has
     * underscores in its name here.
     */
    public List<Field> fields() {
        return columns.fields();
    }

    /** What the columns of the answer are called, in order; by these names they are read. */
    public List<String> labels() {
        return columns.labels();
    }

    /**
     * Goes to the next row.
     *
     * @return false at the end, {@link #verdict} is there then; also once the cursor is closed
     * @throws WaterwheelException when the answer failed or was cut off; the rows so far are not a whole answer
     */
    public boolean next() {
        if (closed) {
            return false;
        }
        if (!firstWaits && row + 1 < columns.rows()) {
            row++;
            return true;
        }
        if (!nextBatch()) {
            return false;
        }
        row = 0;
        return true;
    }

    /**
     * Goes to the next batch, before its first row; batches have at least one row.
     *
     * @return false at the end, and once the cursor is closed
     * @throws WaterwheelException as {@link #next}
     */
    public boolean nextBatch() {
        if (closed) {
            return false;
        }
        if (failure != null) {
            throw failure;
        }
        boolean there = firstWaits || (!ended && advance());
        firstWaits = false;
        row = -1;
        return there;
    }

    /** Reads batches up to the next with rows; at the end checks that the answer is whole. */
    private boolean advance() {
        try {
            while (stream.next()) {
                if (verdict != null) {
                    throw broken("more follows the verdict");
                }
                columns = columns.of(stream.getRoot());
                ArrowBuf metadata = stream.getLatestMetadata();
                if (metadata != null && metadata.readableBytes() > 0) {
                    verdict = WireQueries.parseVerdict(metadata.nioBuffer());
                }
                if (columns.rows() > 0) {
                    rows += columns.rows();
                    return true;
                }
            }
        } catch (WaterwheelException e) {
            throw failed(e);
        } catch (IOException e) {
            throw failed(new WaterwheelException(
                    ErrorCode.BAD_ANSWER, connection.address() + ": the verdict cannot be read: " + e.getMessage(), e));
        } catch (RuntimeException e) {
            endLost = InterruptedReads.lostTheEnd(e);
            throw failed(ofReading(e));
        }
        ended = true;
        Verdict end = verdict;
        if (end == null) {
            throw failed(new WaterwheelException(
                    ErrorCode.ANSWER_CUT_OFF,
                    connection.address() + ": the answer ended after " + rows + " rows without a verdict: it was cut"
                            + " off; ask again"));
        }
        if (!aggregates && end.tuples() != rows) {
            throw failed(broken("the verdict says " + end.tuples() + " tuples, but " + rows + " came"));
        }
        onVerdict.accept(end);
        return false;
    }

    /**
     * What a failed read means. Once rows were handed out, another coordinator cannot go on: its rows may be others.
     */
    private WaterwheelException ofReading(RuntimeException e) {
        String reason = cancellation.reason();
        if (reason != null) {
            return new WaterwheelException(
                    ErrorCode.CANCELLED,
                    connection.address() + ": the answer was cancelled after " + rows + " rows: " + reason,
                    e);
        }
        WaterwheelException said = connection.failure(e);
        // A coordinator that could still say why it ends is believed.
        if (rows > 0 && said.is(ErrorCode.SERVER_UNREACHABLE)) {
            return new WaterwheelException(
                    ErrorCode.ANSWER_CUT_OFF,
                    connection.address() + ": the coordinator was lost after " + rows + " rows: they are not a whole"
                            + " answer, and no other can continue it; forget them and ask again",
                    e);
        }
        return said;
    }

    private WaterwheelException broken(String what) {
        return new WaterwheelException(ErrorCode.BAD_ANSWER, connection.address() + ": " + what);
    }

    /** An answer that failed never ends: each further read throws again. */
    private WaterwheelException failed(WaterwheelException how) {
        verdict = null;
        row = columns.rows(); // none of the batch before is left
        failure = how;
        return how;
    }

    /**
     * The vectors of the present batch; they belong to the cursor and hold the next batch after {@link #nextBatch}. A
     * row at a time is read by {@link #next}, which goes to the next batch by itself.
     */
    public VectorSchemaRoot columns() {
        return columns.root();
    }

    /** Reads what is left, and forgets it. */
    Verdict finish() {
        boolean more = true;
        while (more) {
            more = nextBatch();
        }
        return verdict();
    }

    /**
     * How the answer ended: whether anything is missing, and up to which positions it holds everything.
     *
     * @throws IllegalStateException before the end
     */
    public Verdict verdict() {
        Verdict end = verdict;
        if (!ended || end == null) {
            throw new IllegalStateException("the verdict comes with the end: read until next() is false");
        }
        return end;
    }

    /** Index of the field. */
    public int indexOf(String field) {
        return columns.indexOf(field);
    }

    public boolean isNull(int field) {
        return columns.isNull(field, row);
    }

    public boolean isNull(String field) {
        return isNull(indexOf(field));
    }

    /** The value of an int, long or timestamp field; a timestamp in the unit of its type since 1970 UTC. */
    public long getLong(int field) {
        return columns.getLong(field, row);
    }

    public long getLong(String field) {
        return getLong(indexOf(field));
    }

    public int getInt(int field) {
        return Math.toIntExact(columns.getLong(field, row, FieldType.INT));
    }

    public int getInt(String field) {
        return getInt(indexOf(field));
    }

    /** The value of a timestamp field. */
    public Instant getInstant(int field) {
        return columns.getInstant(field, row);
    }

    public Instant getInstant(String field) {
        return getInstant(indexOf(field));
    }

    /** The value of a float or double field. */
    public double getDouble(int field) {
        return columns.getDouble(field, row);
    }

    public double getDouble(String field) {
        return getDouble(indexOf(field));
    }

    public float getFloat(int field) {
        return columns.getFloat(field, row);
    }

    public float getFloat(String field) {
        return getFloat(indexOf(field));
    }

    public boolean getBoolean(int field) {
        return columns.getBoolean(field, row);
    }

    public boolean getBoolean(String field) {
        return getBoolean(indexOf(field));
    }

    /** The value of a string field, an address, a UUID, or a decimal in digits. */
    public String getString(int field) {
        return columns.getString(field, row);
    }

    public String getString(String field) {
        return getString(indexOf(field));
    }

    /** The value of a decimal field, with as many places as its type has. */
    public BigDecimal getDecimal(int field) {
        return columns.getDecimal(field, row);
    }

    public BigDecimal getDecimal(String field) {
        return getDecimal(indexOf(field));
    }

    public UUID getUuid(int field) {
        return columns.getUuid(field, row);
    }

    public UUID getUuid(String field) {
        return getUuid(indexOf(field));
    }

    /** A copy of the bytes. */
    public byte[] getBytes(int field) {
        return columns.getBytes(field, row);
    }

    public byte[] getBytes(String field) {
        return getBytes(indexOf(field));
    }

    /**
     * The value as an object: Integer, Long (also of a timestamp), Float, Double, Boolean, String (also of an address
     * and a UUID), byte[], or null.
     */
    public @Nullable Object value(int field) {
        return columns.value(field, row);
    }

    public @Nullable Object value(String field) {
        return value(indexOf(field));
    }

    /** {@link #getLong}, or null. */
    public @Nullable Long longOrNull(String field) {
        int index = indexOf(field);
        return isNull(index) ? null : Long.valueOf(getLong(index));
    }

    /** {@link #getInt}, or null. */
    public @Nullable Integer intOrNull(String field) {
        int index = indexOf(field);
        return isNull(index) ? null : Integer.valueOf(getInt(index));
    }

    /** {@link #getDouble}, or null. */
    public @Nullable Double doubleOrNull(String field) {
        int index = indexOf(field);
        return isNull(index) ? null : Double.valueOf(getDouble(index));
    }

    /** {@link #getFloat}, or null. */
    public @Nullable Float floatOrNull(String field) {
        int index = indexOf(field);
        return isNull(index) ? null : Float.valueOf(getFloat(index));
    }

    /** {@link #getBoolean}, or null. */
    public @Nullable Boolean booleanOrNull(String field) {
        int index = indexOf(field);
        return isNull(index) ? null : Boolean.valueOf(getBoolean(index));
    }

    /** {@link #getInstant}, or null. */
    public @Nullable Instant instantOrNull(String field) {
        int index = indexOf(field);
        return isNull(index) ? null : getInstant(index);
    }

    /** {@link #getString}, or null. */
    public @Nullable String stringOrNull(String field) {
        int index = indexOf(field);
        return isNull(index) ? null : getString(index);
    }

    /** {@link #getDecimal}, or null. */
    public @Nullable BigDecimal decimalOrNull(String field) {
        int index = indexOf(field);
        return isNull(index) ? null : getDecimal(index);
    }

    /** {@link #getUuid}, or null. */
    public @Nullable UUID uuidOrNull(String field) {
        int index = indexOf(field);
        return isNull(index) ? null : getUuid(index);
    }

    /** {@link #getBytes}, or null. */
    public byte @Nullable [] bytesOrNull(String field) {
        int index = indexOf(field);
        return isNull(index) ? null : getBytes(index);
    }

    /**
     * Ends the answer, from any thread; does nothing after its end. Its reader gets a {@link WaterwheelException} with
     * code CANCELLED, and closes the cursor.
     */
    public void cancel() {
        cancellation.cancel("cancel() was called");
    }

    /** Gives the memory back; cancels the answer when it has not ended. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        columns = Columns.NONE;
        row = -1;
        try {
            closeStream();
        } finally {
            onClose.run();
        }
    }

    private void closeStream() {
        try {
            giveMemoryBack();
        } finally {
            connection.endAnswer();
        }
    }

    private void giveMemoryBack() {
        cancellation.detach();
        if (!ended) {
            stream.cancel("the cursor was closed", null);
        }
        // Who is interrupted while it drains the stream would leave its memory behind.
        boolean interrupted = Thread.interrupted();
        Exception failed = null;
        boolean again = !endLost;
        while (again) {
            again = false;
            try {
                stream.close();
                failed = null;
            } catch (Exception e) {
                // The stream tells an interrupt as the cause of something else; any other failure would only wait.
                endLost = InterruptedReads.lostTheEnd(e);
                again = failed == null
                        && !endLost
                        && (Thread.interrupted() || e.getCause() instanceof InterruptedException);
                interrupted |= again || endLost;
                failed = endLost ? null : e;
            }
        }
        if (endLost) {
            forget();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failed != null) {
            throw new WaterwheelException(
                    ErrorCode.CLOSE_FAILED,
                    connection.address() + ": the answer's memory was not given back: " + failed,
                    failed);
        }
    }

    /** Gives back what a stream holds when all of it has come. */
    private void forget() {
        try {
            if (stream.hasRoot()) {
                stream.getRoot().close();
            }
        } catch (FlightRuntimeException e) {
            // It failed before its first batch, and holds none.
        }
        ArrowBuf metadata = stream.getLatestMetadata();
        if (metadata != null) {
            metadata.close();
        }
    }
}
