package io.waterwheel.query.admission;

/**
 * How many queries of one process run and wait. The lanes share nothing: each has its own number of turns, and of
 * parts.
 *
 * @param light light queries that run at a time
 * @param heavy heavy queries that run at a time
 * @param open queries that are open: run, wait for their turn, or for their client; the next one is refused
 * @param parts threads of one lane that may work for its queries, from their first turn to their end, also while they
 *     wait for another; a query that needs more by itself begins once no other of its lane is open
 * @param heavyTuples a query that is expected to look at this number of tuples is heavy
 */
public record AdmissionLimits(int light, int heavy, int open, int parts, long heavyTuples) {
    /** No query ever waits. */
    public static final AdmissionLimits NONE = new AdmissionLimits(
            Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);

    public AdmissionLimits {
        if (light < 1 || heavy < 1 || open < 1 || parts < 1 || heavyTuples < 1) {
            throw new IllegalArgumentException("admission: " + light + " light, " + heavy + " heavy, " + open
                    + " open, " + parts + " parts, heavy from " + heavyTuples + " tuples: expected at least 1 of each");
        }
    }

    int of(Lane lane) {
        return lane == Lane.LIGHT ? light : heavy;
    }
}
