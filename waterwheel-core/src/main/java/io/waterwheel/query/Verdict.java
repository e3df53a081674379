package io.waterwheel.query;

import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.LostRange;
import java.util.List;
import java.util.Map;

/**
 * How an answer ended; the last thing a client receives. An answer without a verdict was cut off.
 *
 * @param complete whether nothing is missing (protocol rule 10)
 * @param missing what is missing, a sentence each; empty when complete
 * @param streamId id of the stream: positions are of it, and of no other that bears its name before or later
 * @param positions per partition of the topic, the offset below which every matching tuple is in the answer; what lies
 *     above may be there in part, each tuple at most once
 * @param edit number of the catalog edit the answer was planned on
 * @param tuples number of tuples returned; with aggregates, of tuples that went into them
 * @param indexersAsked number of indexers that took part
 * @param chunksRead number of chunks that took part
 * @param lost ranges below the positions that the stream has given up: what they held may be in no answer
 * @param stale parts that are right up to the positions, and these are old because somebody is away; a sentence each
 * @param horizon tuples of times before it have expired and are in no answer; {@link Retention#NO_HORIZON} when none
 *     has
 * @param statistics what was looked at to find the answer
 */
public record Verdict(
        boolean complete,
        List<String> missing,
        int streamId,
        Map<Integer, Long> positions,
        long edit,
        long tuples,
        int indexersAsked,
        int chunksRead,
        List<LostRange> lost,
        List<String> stale,
        long horizon,
        Statistics statistics) {
    /** A verdict on some stream that has lost nothing and where nothing expires, without statistics. */
    public Verdict(
            boolean complete,
            List<String> missing,
            Map<Integer, Long> positions,
            long edit,
            long tuples,
            int indexersAsked,
            int chunksRead) {
        this(
                complete,
                missing,
                SessionPositions.ANY,
                positions,
                edit,
                tuples,
                indexersAsked,
                chunksRead,
                List.of(),
                List.of(),
                Retention.NO_HORIZON,
                Statistics.NONE);
    }

    public Verdict {
        lost = List.copyOf(lost);
        missing = List.copyOf(missing);
        stale = List.copyOf(stale);
        positions = Map.copyOf(positions);
    }

    /** What a session has seen that got this answer. */
    public SessionPositions seen() {
        return new SessionPositions(streamId, positions);
    }
}
