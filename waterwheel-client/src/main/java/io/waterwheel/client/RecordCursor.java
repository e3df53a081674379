package io.waterwheel.client;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Verdict;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * An answer as Java records, one a row, forward only, once. Fetched as they are asked for: a reader who takes its time
 * makes the server wait. Close it; one thread at a time, but for {@link #cancel}.
 */
public final class RecordCursor<R extends Record> implements Iterable<R>, AutoCloseable {
    private final Cursor cursor;
    private final RecordMapper<R> mapper;
    private boolean begun;

    RecordCursor(Cursor cursor, RecordMapper<R> mapper) {
        this.cursor = cursor;
        this.mapper = mapper;
    }

    /**
     * The records; only once. Its methods fail as {@link Cursor#next} does.
     *
     * @throws IllegalStateException when it was called before
     */
    @Override
    public Iterator<R> iterator() {
        if (begun) {
            throw new IllegalStateException("an answer is read once: ask again, or keep its records in a list");
        }
        begun = true;
        return new Iterator<>() {
            private boolean looked;
            private boolean there;

            @Override
            public boolean hasNext() {
                if (!looked) {
                    there = cursor.next();
                    looked = true;
                }
                return there;
            }

            @Override
            public R next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("the answer has no more rows");
                }
                looked = false;
                return mapper.read(cursor);
            }
        };
    }

    /** How the answer ended; see {@link Cursor#verdict}. */
    public Verdict verdict() {
        return cursor.verdict();
    }

    /** Ends the answer, from any thread; its reader gets a {@link WaterwheelException} with code CANCELLED. */
    public void cancel() {
        cursor.cancel();
    }

    @Override
    public void close() {
        cursor.close();
    }
}
