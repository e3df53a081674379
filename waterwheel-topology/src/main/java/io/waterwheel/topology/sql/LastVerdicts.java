package io.waterwheel.topology.sql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of the last statement of each connection, for {@code SHOW VERDICT}: drivers have no place for it. Holds
 * at most {@value #CONNECTIONS}, with {@value #MOST_POSITIONS} positions in all; the connection that has asked nothing
 * for longest is forgotten first. Thread-safe; a lock is held for some instructions.
 */
final class LastVerdicts {
    static final int CONNECTIONS = 1024;
    static final int MOST_POSITIONS = 100_000;
    static final List<Field> FIELDS = List.of(
            new Field("complete", FieldType.BOOLEAN, false),
            new Field("missing", FieldType.STRING, true),
            new Field("rows", FieldType.LONG, false),
            new Field("positions", FieldType.STRING, false),
            new Field("shown", FieldType.STRING, false));

    /**
     * What is told of a statement.
     *
     * @param missing a sentence each
     * @param rows of its answer, or that it stored
     * @param positions by stream and partition: below them everything is in the answer; of rows that were stored, what
     *     an answer must have seen to have them
     * @param shown the same, above every row of the answer: what another must have seen to have them all again
     */
    record Told(
            boolean complete,
            List<String> missing,
            long rows,
            Map<String, Map<Integer, Long>> positions,
            Map<String, Map<Integer, Long>> shown) {
        /** Of rows that were stored. */
        Told(boolean complete, List<String> missing, long rows, Map<String, Map<Integer, Long>> positions) {
            this(complete, missing, rows, positions, positions);
        }

        /** @param streams that were read */
        static Told of(Verdict verdict, List<String> streams) {
            Map<String, SessionPositions> seen =
                    streams.size() == 1 ? Map.of(streams.get(0), verdict.seen()) : verdict.streams();
            Map<String, Map<Integer, Long>> positions = new HashMap<>();
            Map<String, Map<Integer, Long>> shown = new HashMap<>();
            seen.forEach((stream, of) -> {
                positions.put(stream, of.positions());
                shown.put(stream, of.shown());
            });
            return new Told(
                    verdict.complete(),
                    verdict.missing(),
                    verdict.tuples(),
                    positions,
                    shown.equals(positions) ? positions : shown);
        }

        private long size() {
            return 1L
                    + missing.size()
                    + positions.values().stream().mapToLong(Map::size).sum()
                    + (shown == positions
                            ? 0
                            : shown.values().stream().mapToLong(Map::size).sum());
        }
    }

    /** Guarded by this. By connection, the one that was used last at the end. */
    private final Map<String, Told> told = new LinkedHashMap<>(16, 0.75f, true);

    /** Guarded by this. */
    private long held;

    /** @param connection empty when it is not known: nothing is remembered then */
    synchronized void note(String connection, Told verdict) {
        if (connection.isEmpty()) {
            return;
        }
        Told before = told.put(connection, verdict);
        held += verdict.size() - (before == null ? 0 : before.size());
        Iterator<Told> oldest = told.values().iterator();
        while ((told.size() > CONNECTIONS || held > MOST_POSITIONS) && oldest.hasNext()) {
            held -= oldest.next().size();
            oldest.remove();
        }
    }

    /** A connection begins, perhaps from the host and port of one before. */
    synchronized void forget(String connection) {
        Told before = told.remove(connection);
        held -= before == null ? 0 : before.size();
    }

    /** The last one of a connection, as an answer. */
    MemoryRows of(String connection) {
        @Nullable Told last;
        synchronized (this) {
            last = told.get(connection);
        }
        if (last == null) {
            throw new WaterwheelException(
                    ErrorCode.SQL_UNSUPPORTED,
                    "statement: no verdict is known of this connection to this coordinator: ask something by it before");
        }
        return new MemoryRows(FIELDS)
                .add(
                        last.complete(),
                        last.missing().isEmpty() ? null : String.join("; ", last.missing()),
                        last.rows(),
                        DemandText.of(last.positions()),
                        DemandText.of(last.shown()));
    }
}
