package io.waterwheel.query.admission;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An open query as it was at one moment, for people.
 *
 * @param id by which it is ended; unique among the processes of a system
 * @param client who asked: host and port, or empty
 * @param query what was asked, shortened
 * @param lane null until it is planned
 * @param stage what it is at
 * @param tuples that it is expected to look at; 0 until it is planned
 * @param rows that its client was sent
 * @param age since it came
 */
public record QueryState(
        String id,
        String client,
        String query,
        @Nullable Lane lane,
        Stage stage,
        long tuples,
        long rows,
        Duration age) {
    /** What an open query is at. */
    public enum Stage {
        /** It reads the catalog. */
        PLANNING,
        /** Others of its lane are before it. */
        WAITING,
        RUNNING,
        /** It waits for an indexer that has not got as far as is demanded, or is not there at present. */
        ASKING,
        /** Its client has not taken what it was sent. */
        SENDING
    }
}
