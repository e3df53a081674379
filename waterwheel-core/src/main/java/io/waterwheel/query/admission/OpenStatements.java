package io.waterwheel.query.admission;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.admission.QueryState.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Statements of one process that are more than one query, as open queries are shown and ended. They take no turns here:
 * who answers them has turns of its own, and their queries have those of queries. Thread-safe.
 */
public final class OpenStatements {
    /** How many of those that have ended are remembered. */
    private static final int MOST_ENDED = EndedQueries.MOST;
    /** Characters that are kept of a statement. */
    private static final int MOST_CHARACTERS = 200;

    private final String process;

    // Guarded by this.
    /** By number, the oldest first. */
    private final Map<Long, OpenStatement> open = new LinkedHashMap<>();
    /** The oldest first. */
    private final Deque<EndedQuery> ended = new ArrayDeque<>();

    private long opened;

    /** @param process tells ids of this process from those of others */
    OpenStatements(String process) {
        this.process = process;
    }

    /**
     * Opens a statement; to be closed when its answer has ended.
     *
     * @param client who asks
     */
    public synchronized OpenStatement open(String sql, String client) {
        opened++;
        OpenStatement made = new OpenStatement(opened, shortened(sql), client);
        open.put(opened, made);
        return made;
    }

    /** In one line. */
    private static String shortened(String sql) {
        String line = sql.substring(0, Math.min(sql.length(), 2 * MOST_CHARACTERS))
                .replaceAll("\\s+", " ")
                .strip();
        boolean whole = line.length() <= MOST_CHARACTERS && sql.length() <= 2 * MOST_CHARACTERS;
        if (whole) {
            return line;
        }
        int end = Math.min(line.length(), MOST_CHARACTERS - 3);
        boolean splits = end > 0 && Character.isHighSurrogate(line.charAt(end - 1));
        return line.substring(0, splits ? end - 1 : end) + "...";
    }

    /** What is open, with queries that are, the oldest first. */
    synchronized List<QueryState> listedBeside(List<QueryState> queries) {
        if (open.isEmpty()) {
            return queries;
        }
        List<QueryState> states = new ArrayList<>(queries);
        open.values().forEach(statement -> states.add(statement.state(System.nanoTime())));
        states.sort(Comparator.comparing(QueryState::age).reversed());
        return states;
    }

    /** The last that have ended, with queries that have, the latest last. */
    synchronized List<EndedQuery> endedBeside(List<EndedQuery> queries) {
        if (ended.isEmpty()) {
            return queries;
        }
        List<EndedQuery> all = new ArrayList<>(queries);
        all.addAll(ended);
        all.sort(Comparator.comparing(EndedQuery::at));
        return all;
    }

    /** As {@link Admission#kill}. */
    synchronized boolean kill(String id) {
        for (OpenStatement statement : open.values()) {
            if (statement.id().equals(id)) {
                statement.killed = true;
                return true;
            }
        }
        return false;
    }

    /** A statement from its coming to the end of its answer. Thread-safe. */
    public final class OpenStatement implements AutoCloseable {
        private final long number;
        private final String text;
        private final String client;
        private final long openedNanos = System.nanoTime();
        /** Written under the lock. */
        private volatile boolean killed;

        // Guarded by the statements.
        private Stage stage = Stage.WAITING;
        private long rows;
        private String outcome = "no answer";

        private OpenStatement(long number, String text, String client) {
            this.number = number;
            this.text = text;
            this.client = client;
        }

        public String id() {
            return process + "-s" + number;
        }

        /** Whether it was ended from outside: nothing more of it is wanted. */
        public boolean killed() {
            return killed;
        }

        /** What its client gets then. */
        public WaterwheelException killedFailure() {
            return new WaterwheelException(
                    ErrorCode.QUERY_KILLED, "statement " + id() + " was ended by `queries kill`");
        }

        public void enter(Stage next) {
            synchronized (OpenStatements.this) {
                stage = next;
            }
        }

        /** Counts rows that the client was sent. */
        public void sent(long more) {
            synchronized (OpenStatements.this) {
                rows += more;
            }
        }

        /** Notes how the answer ended, in a word; the last note counts. */
        public void endedAs(String word) {
            synchronized (OpenStatements.this) {
                outcome = word;
            }
        }

        private QueryState state(long nanos) {
            return new QueryState(id(), client, text, null, stage, 0, rows, Duration.ofNanos(nanos - openedNanos));
        }

        /** A second call does nothing. */
        @Override
        public void close() {
            synchronized (OpenStatements.this) {
                if (open.remove(number) == null) {
                    return;
                }
                if (ended.size() == MOST_ENDED) {
                    ended.removeFirst();
                }
                ended.addLast(new EndedQuery(state(System.nanoTime()), outcome, Instant.now()));
            }
        }
    }
}
